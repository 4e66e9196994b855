//! Flat texts: lines and adjacent literals joined, with a mapping to the original positions.
//!
//! A secret wrapped by a terminal or a mailer, or concatenated by code, is whole only in a flat text.

use std::borrow::Cow;
use std::ops::Range;

use crate::mapping::Mapping;

/// The text without line ends, the indentation behind them, and the code between two literals.
#[derive(Debug)]
pub(crate) struct Flat<'a> {
    text: Cow<'a, str>,
    mapping: Mapping,
}

impl<'a> Flat<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut mapping = Mapping::default();
        let Some((first, mut skip)) = next_joint(text, 0) else {
            mapping.same(0, 0..text.len());
            return Self { text: Cow::Borrowed(text), mapping };
        };
        let mut flat = String::with_capacity(text.len());
        let (mut at, mut end) = (0, first);
        loop {
            mapping.same(flat.len(), at..end);
            flat.push_str(&text[at..end]);
            at = end + skip;
            let Some((next, len)) = next_joint(text, at) else { break };
            (end, skip) = (next, len);
        }
        mapping.same(flat.len(), at..text.len());
        flat.push_str(&text[at..]);
        Self { text: Cow::Owned(flat), mapping }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_wrapped(&self) -> bool {
        self.mapping.is_torn()
    }

    pub(crate) fn last_wrap_in(&self, range: &Range<usize>) -> Option<usize> {
        self.mapping.last_seam_in(range)
    }

    pub(crate) fn range_in_text(&self, range: &Range<usize>) -> Range<usize> {
        self.mapping.range(range)
    }
}

fn next_joint(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut from = at;
    loop {
        let found =
            bytes[from..].iter().position(|byte| matches!(byte, b'\n' | b'\r' | b'\\' | b'"' | b'\'' | b'`'));
        let found = from + found?;
        let len = match bytes[found] {
            b'"' | b'\'' | b'`' => between_literals(&bytes[found..]),
            _ => line_end(&bytes[found..]),
        };
        if len > 0 {
            return Some((found, len));
        }
        from = found + 1;
    }
}

/// Includes the following indentation; 0 if there is no line end.
fn line_end(bytes: &[u8]) -> usize {
    let end = match bytes {
        [b'\\', b'\r', b'\n', ..] => 3,
        [b'\r', b'\n', ..] | [b'\\', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => return 0,
    };
    end + bytes[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

const MOST_BETWEEN: usize = 60;

/// Measures the code between two concatenated literals, with their quotes: `" + "`, a line end, a backslash
/// before one, or nothing; 0 otherwise. A comma separates literals.
fn between_literals(bytes: &[u8]) -> usize {
    let mut joins = 0;
    let mut has_line_end = false;
    for (at, byte) in bytes.iter().enumerate().skip(1).take(MOST_BETWEEN) {
        match byte {
            b' ' | b'\t' | b'\r' => {}
            b'\n' => has_line_end = true,
            b'+' | b'.' | b'&' | b'\\' if joins < 2 => joins += 1,
            b'"' | b'\'' | b'`' if joins > 0 || has_line_end || at == 1 && *byte != bytes[0] => {
                return at + 1;
            }
            _ => return 0,
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_and_places_are_kept() {
        let check = |text: &str, flat: &str| {
            let made = Flat::new(text);
            assert_eq!(made.text(), flat, "{text:?}");
            // Every piece of the flat text is equal in the original.
            for (at, c) in made.text().char_indices() {
                let range = made.range_in_text(&(at..at + c.len_utf8()));
                assert_eq!(&text[range], c.to_string().as_str(), "{text:?} at {at}");
            }
        };
        check("", "");
        check("one line", "one line");
        check("ab\ncd", "abcd");
        check("ab\r\n\t cd\n", "abcd");
        check("\n\nab\\\n  cdef", "abcdef");
        check("äö\n ü", "äöü");
        check("\"ab\" + \"cd\"", "\"abcd\"");
        check("'ab'\n    'cd'", "'abcd'");
        check("'ab'\"cd\"", "'abcd\"");
        check("\"ab\", \"cd\" \"\"", "\"ab\", \"cd\" \"\"");
    }
}
