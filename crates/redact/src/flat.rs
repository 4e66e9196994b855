//! Flat texts: a text with its lines joined, and where each part of it stands.
//!
//! A secret that a terminal or a mailer has wrapped is whole only in such a text.

use std::borrow::Cow;
use std::ops::Range;

/// A text without its line ends and without the indentation behind them.
#[derive(Debug)]
pub(crate) struct Flat<'a> {
    text: Cow<'a, str>,
    /// The start of each line, in bytes of the flat text and of the text itself.
    pieces: Vec<(usize, usize)>,
}

impl<'a> Flat<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        if !text.contains(['\n', '\r']) && !text.contains("\\n") {
            return Self { text: Cow::Borrowed(text), pieces: vec![(0, 0)] };
        }
        let mut flat = String::with_capacity(text.len());
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (end, next) = line_end(text, at);
            pieces.push((flat.len(), at));
            flat.push_str(&text[at..end]);
            at = next;
        }
        if pieces.is_empty() {
            pieces.push((0, 0));
        }
        Self { text: Cow::Owned(flat), pieces }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_wrapped(&self) -> bool {
        self.pieces.len() > 1
    }

    /// Returns the last place inside a range at which a line was joined to the one before.
    pub(crate) fn last_wrap_in(&self, range: &Range<usize>) -> Option<usize> {
        let behind = self.pieces.partition_point(|(flat, _)| *flat < range.end);
        let (flat, _) = self.pieces.get(behind.checked_sub(1)?)?;
        (*flat > range.start).then_some(*flat)
    }

    /// Returns the range of the text that a range of the flat one stands for.
    pub(crate) fn range_in_text(&self, range: &Range<usize>) -> Range<usize> {
        let of = |at: usize, inside: bool| {
            let behind =
                self.pieces.partition_point(|(flat, _)| if inside { *flat < at } else { *flat <= at });
            let (flat, text) = self.pieces[behind.saturating_sub(1)];
            text + (at - flat)
        };
        of(range.start, false)..of(range.end, true)
    }
}

/// Finds the end of the line that begins at `at`, and the start of the next line behind its indentation.
fn line_end(text: &str, at: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let mut end = at;
    let skip = loop {
        match bytes.get(end) {
            None => return (end, end),
            Some(b'\n') => break 1,
            Some(b'\r') => break if bytes.get(end + 1) == Some(&b'\n') { 2 } else { 1 },
            // A line end that was written out, in JSON or in code.
            Some(b'\\') if bytes.get(end + 1) == Some(&b'n') => break 2,
            // A line that goes on, in a shell.
            Some(b'\\') if bytes.get(end + 1) == Some(&b'\n') => break 2,
            Some(_) => end += 1,
        }
    };
    let mut next = end + skip;
    while matches!(bytes.get(next), Some(b' ' | b'\t')) {
        next += 1;
    }
    (end, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_and_places_are_kept() {
        let check = |text: &str, flat: &str| {
            let made = Flat::of(text);
            assert_eq!(made.text(), flat, "{text:?}");
            // Every piece of the flat text is the same in the text itself.
            for (at, c) in made.text().char_indices() {
                let range = made.range_in_text(&(at..at + c.len_utf8()));
                assert_eq!(&text[range], c.to_string().as_str(), "{text:?} at {at}");
            }
        };
        check("", "");
        check("one line", "one line");
        check("ab\ncd", "abcd");
        check("ab\r\n\t cd\n", "abcd");
        check("\n\nab\\\n  cd\\nef", "abcdef");
        check("äö\n ü", "äöü");
    }
}
