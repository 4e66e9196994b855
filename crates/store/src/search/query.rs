use super::snippet::{Snippet, indexed_words};

/// Longer input is cut.
const MAX_CHARS: usize = 500;

/// The words of a search: a text must contain all terms, in any order.
///
/// Punctuation has no meaning (`foo-bar`, `C++`). A term with several words, such as `read_file` or a quoted
/// phrase, matches adjacent words. The last word also matches as a prefix, unless it is quoted or followed by
/// a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    expression: String,
    terms: Vec<Vec<String>>,
    open: bool,
}

impl Query {
    /// Parses a typed query; `None` without any letter or digit.
    pub fn new(typed: &str) -> Option<Self> {
        let typed: String = typed.chars().take(MAX_CHARS).map(|c| if c == '\0' { ' ' } else { c }).collect();
        let mut terms = Vec::new();
        let mut expression = String::new();
        let mut open = !typed.ends_with(char::is_whitespace);
        // Every second piece is quoted; the last one may be unfinished.
        for (number, piece) in typed.split('"').enumerate() {
            let quoted = number % 2 == 1;
            let parts: Vec<&str> = if quoted { vec![piece] } else { piece.split_whitespace().collect() };
            for part in parts {
                let of_term: Vec<String> = indexed_words(part).map(|(_, word)| fold_word(word)).collect();
                if !of_term.is_empty() {
                    expression.push_str(if expression.is_empty() { "\"" } else { " AND \"" });
                    expression.push_str(&of_term.join(" "));
                    expression.push('"');
                    terms.push(of_term);
                    open &= !quoted || !typed.ends_with('"');
                }
            }
        }
        open &= typed.ends_with(char::is_alphanumeric);
        if open {
            expression.push_str(" *");
        }
        (!terms.is_empty()).then_some(Self { expression, terms, open })
    }

    pub(crate) fn as_expression(&self) -> &str {
        &self.expression
    }

    pub(crate) fn find_snippet(&self, text: &str) -> Snippet {
        let found = indexed_words(text).find_map(|(start, word)| {
            let starts = |term: &[String], at: usize| self.is_nth_word(term, at, 0, word);
            let end = self.terms.iter().enumerate().find_map(|(at, term)| {
                if !starts(term, at) {
                    return None;
                }
                self.end_of(term, at, start, text)
            })?;
            Some(start..end)
        });
        Snippet::cut_around(text, found.unwrap_or(0..0))
    }

    fn is_nth_word(&self, term: &[String], at: usize, nth: usize, word: &str) -> bool {
        let wanted = &term[nth];
        let may_go_on = self.open && at + 1 == self.terms.len() && nth + 1 == term.len();
        // Compares without copying every word of the text.
        let mut letters = word.chars().flat_map(char::to_lowercase);
        let begins = wanted.chars().all(|letter| letters.next() == Some(letter));
        begins && (may_go_on || letters.next().is_none())
    }

    fn end_of(&self, term: &[String], at: usize, start: usize, text: &str) -> Option<usize> {
        let mut following = indexed_words(&text[start..]);
        let mut end = start;
        for nth in 0..term.len() {
            let (offset, word) = following.next()?;
            if !self.is_nth_word(term, at, nth, word) {
                return None;
            }
            end = start + offset + word.len();
        }
        Some(end)
    }
}

fn fold_word(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_typed_stands_for_itself() {
        let check = |typed: &str, expected: Option<&str>| {
            let query = Query::new(typed);
            assert_eq!(query.as_ref().map(Query::as_expression), expected, "{typed:?}");
        };
        check("", None);
        check(" +-\" ", None);
        check("word", Some("\"word\" *"));
        check("word ", Some("\"word\""));
        check("two words", Some("\"two\" AND \"words\" *"));
        check("foo-bar a:b foo.rs", Some("\"foo bar\" AND \"a b\" AND \"foo rs\" *"));
        check("C++", Some("\"c\""));
        check("read_file", Some("\"read file\" *"));
        check("\"two words\"", Some("\"two words\""));
        check("x \"two words", Some("\"x\" AND \"two words\" *"));
        check(
            "NOT x OR NEAR(a b) col : y *",
            Some("\"not\" AND \"x\" AND \"or\" AND \"near a\" AND \"b\" AND \"col\" AND \"y\""),
        );
        check("a\0b", Some("\"a\" AND \"b\" *"));
        check("Über 漢字", Some("\"über\" AND \"漢字\" *"));
        assert!(Query::new(&"long ".repeat(10_000)).unwrap().as_expression().len() < 2_000);
    }

    #[test]
    fn the_place_of_a_match_is_found() {
        let check = |typed: &str, text: &str, expected: &str| {
            let Snippet { before, matched, after } = Query::new(typed).unwrap().find_snippet(text);
            assert_eq!(format!("{before}[{matched}]{after}"), expected, "{typed:?}");
        };
        check("file", "a file, a Reader", "a [file], a Reader");
        check("read", "a file, a Reader", "a file, a [Reader]");
        check("read ", "reader read", "reader [read]");
        check("read_file", "let x = read_files(\n\tpath)", "let x = [read_files]( path)");
        check("\"read file\"", "read x, read-file", "read x, [read-file]");
        check("beta alpha", "alpha beta", "[alpha] beta");
        check("missing", "here: nothing", "[]here: nothing");
        check("ÜBER", "das über", "das [über]");
    }
}
