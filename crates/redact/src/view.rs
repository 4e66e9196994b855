//! Views: a text in another form, with each byte's original position.

use std::ops::Range;

/// Maximum original distance between two letters in one secret.
const MOST_BETWEEN: u32 = 240;

#[derive(Debug, Default)]
pub(crate) struct View {
    bytes: Vec<u8>,
    from: Vec<u32>,
    to: Vec<u32>,
    /// True if something was removed before the byte, or if it begins a part.
    torn: Vec<bool>,
    tears: bool,
}

impl View {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn push(&mut self, byte: u8, place: Range<usize>) {
        let at = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.bytes.push(byte);
        self.from.push(at(place.start));
        self.to.push(at(place.end));
        self.torn.push(std::mem::take(&mut self.tears) || self.torn.is_empty());
    }

    pub(crate) fn tear(&mut self) {
        self.tears = true;
    }

    pub(crate) fn range(&self, range: &Range<usize>) -> Range<usize> {
        match (self.from.get(range.start), range.end.checked_sub(1).and_then(|last| self.to.get(last))) {
            (Some(from), Some(to)) => *from as usize..(*to).max(*from) as usize,
            _ => 0..0,
        }
    }

    /// Tells whether a part begins or ends at `at`, without an adjacent letter or digit.
    pub(crate) fn is_torn(&self, at: usize) -> bool {
        self.torn.get(at).is_none_or(|torn| *torn)
    }

    pub(crate) fn goes_on(&self, at: usize) -> bool {
        at > 0 && self.from[at].saturating_sub(self.to[at - 1]) <= MOST_BETWEEN
    }

    /// Removes line ends and margins: a listing's line numbers and bars, a diff's signs, a box's sides. The
    /// second value is true if numbers were removed.
    pub(crate) fn without_margins(text: &str) -> (Self, bool) {
        let mut view = Self::default();
        let mut had_numbers = false;
        let mut start = 0;
        for line in text.split_inclusive(['\n', '\r']) {
            let (margin, is_number) = margin_of(line);
            had_numbers |= is_number;
            let end =
                line.trim_end_matches(|sign: char| sign.is_whitespace() || "│|┃║\\".contains(sign)).len();
            view.tear();
            let bytes = line.as_bytes();
            let mut at = margin;
            while at < end {
                let len = unseen(&bytes[at..end]);
                if len > 0 {
                    view.tear();
                    at += len;
                    continue;
                }
                view.push(bytes[at], start + at..start + at + 1);
                at += 1;
            }
            start += line.len();
        }
        (view, had_numbers)
    }

    pub(crate) fn of_text(text: &str) -> Self {
        let mut view = Self::default();
        text.bytes().enumerate().for_each(|(at, byte)| view.push(byte, at..at + 1));
        view
    }

    pub(crate) fn squashed(&self) -> Self {
        let mut view = Self::default();
        for (at, byte) in self.bytes.iter().enumerate() {
            if self.torn[at] || !byte.is_ascii_alphanumeric() {
                view.tear();
            }
            if byte.is_ascii_alphanumeric() {
                view.push(byte.to_ascii_lowercase(), self.from[at] as usize..self.to[at] as usize);
            }
        }
        view
    }

    pub(crate) fn place(&self, at: usize) -> Range<usize> {
        self.range(&(at..at + 1))
    }
}

fn unseen(bytes: &[u8]) -> usize {
    match bytes {
        [0xc2, 0xad, ..] => 2,
        [0xe2, 0x80, 0x8b..=0x8f, ..] | [0xe2, 0x81, 0xa0, ..] | [0xef, 0xbb, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// Measures a margin in a listing, a diff or a box, and tells whether it has a number.
fn margin_of(line: &str) -> (usize, bool) {
    let rest = |text: &'_ str| line.len() - text.len();
    let signs = |text: &'_ str| -> usize {
        let after = text.trim_start_matches(|sign: char| " \t>│|┃║+*#·".contains(sign));
        let after = after.strip_prefix("- ").unwrap_or(after).trim_start_matches([' ', '\t']);
        line.len() - after.len()
    };
    let begin = signs(line);
    let numbered = &line[begin..];
    let digits = numbered.bytes().take(9).take_while(u8::is_ascii_digit).count();
    let behind = &numbered[digits..];
    let is_number = (1..9).contains(&digits)
        && (behind.starts_with(['→', '│', '|', '┃', ':', ')', '\t'])
            || behind.starts_with("  ")
            || behind.starts_with("- "));
    if !is_number {
        return (begin, false);
    }
    let behind = behind.trim_start_matches(['→', '│', '|', '┃', ':', ')', '-']);
    (signs(&line[rest(behind)..]).max(rest(behind)), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_are_left_out_and_places_are_kept() {
        let check = |text: &str, expected: &str| {
            let (view, _) = View::without_margins(text);
            assert_eq!(String::from_utf8_lossy(view.bytes()), expected, "{text:?}");
            for (at, byte) in view.bytes().iter().enumerate() {
                assert_eq!(text.as_bytes()[view.place(at).start], *byte, "{text:?} at {at}");
            }
        };
        check("", "");
        check("ab\r\n  cd\n", "abcd");
        check("     1\tab\n     2\tcd", "abcd");
        check("  7→ab\n  8→cd", "abcd");
        check("12:ab\n13:12cd", "ab12cd");
        check("│ ab │\n│ cd │\n", "abcd");
        check("+ab\n+cd", "abcd");
        check("> ab\n> cd", "abcd");
        check("a\u{200b}b\u{ad}cd", "abcd");
        check("12ab\n34 cd", "12ab34 cd");
    }

    #[test]
    fn letters_and_digits_alone() {
        let view = View::of_text("sk-A\u{200b}b│9");
        let squashed = view.squashed();
        assert_eq!(squashed.bytes(), b"skab9");
        assert_eq!(squashed.range(&(3..5)), 7..12);
        assert!(squashed.is_torn(0) && !squashed.is_torn(1) && squashed.is_torn(2) && squashed.is_torn(5));
    }
}
