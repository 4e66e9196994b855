use std::ops::Range;

const BEFORE_CHARS: usize = 48;
const AFTER_CHARS: usize = 112;
/// Maximum number of characters shown of a match: a word can be a megabyte of digits.
const MATCHED_CHARS: usize = 120;

/// A match with its surroundings on one line; white space is collapsed and `…` marks a cut.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    pub before: String,
    /// The match; empty if its position is unknown, and `after` is then the text's beginning.
    pub matched: String,
    pub after: String,
}

impl Snippet {
    pub(super) fn cut_around(text: &str, place: Range<usize>) -> Self {
        let (before, rest) = text.split_at(place.start);
        let (matched, after) = rest.split_at(place.end - place.start);
        let first = before.char_indices().rev().nth(BEFORE_CHARS - 1).map_or(0, |(at, _)| at);
        let begins = if first == 0 { "" } else { "…" };
        let (matched, cut) = first_chars(matched, MATCHED_CHARS);
        let (after, goes_on) = first_chars(after, AFTER_CHARS);
        let (after, goes_on) = if cut { ("", false) } else { (after, goes_on) };
        let ends = |goes_on: bool| if goes_on { "…" } else { "" };
        Self {
            before: begins.to_owned() + &on_one_line(&before[first..]),
            matched: on_one_line(matched) + ends(cut),
            after: on_one_line(after) + ends(goes_on),
        }
    }
}

fn first_chars(text: &str, n: usize) -> (&str, bool) {
    text.char_indices().nth(n).map_or((text, false), |(end, _)| (&text[..end], true))
}

fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            if !line.ends_with(' ') {
                line.push(' ');
            }
        } else {
            line.push(c);
        }
    }
    line
}

pub(super) fn indexed_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(char::is_alphanumeric)?;
        let length = text[start..].find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len() - start);
        at = start + length;
        Some((start, &text[start..at]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_surroundings_are_cut() {
        let text = format!("{} needle {}", "é".repeat(500), "ü".repeat(500));
        let at = text.find("needle").unwrap_or_default();
        let snippet = Snippet::cut_around(&text, at..at + 6);
        assert_eq!(snippet.before, format!("…{} ", "é".repeat(BEFORE_CHARS - 1)));
        assert_eq!(snippet.matched, "needle");
        assert_eq!(snippet.after, format!(" {}…", "ü".repeat(AFTER_CHARS - 1)));
        let digits = "7".repeat(10_000);
        let snippet = Snippet::cut_around(&digits, 0..digits.len());
        assert_eq!(snippet.matched, format!("{}…", "7".repeat(MATCHED_CHARS)));
    }

    #[test]
    fn words_are_letters_and_digits() {
        let check = |text: &str, expected: &[(usize, &str)]| {
            assert_eq!(indexed_words(text).collect::<Vec<_>>(), expected, "{text:?}");
        };
        check("", &[]);
        check("--", &[]);
        check("a_b1 (ß)", &[(0, "a"), (2, "b1"), (6, "ß")]);
    }
}
