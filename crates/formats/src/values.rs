//! Splits bytes into JSON values: documents over many lines, or one value per line.

use crate::lines::{PartialRecord, RecordBytes};

/// Larger documents are skipped: 256 MiB.
pub(crate) const MAX_DOCUMENT: usize = 256 << 20;

/// Splits bytes into values, each from a bracket or brace to the one that closes it; other text is taken up
/// to the end of its line.
#[derive(Debug, Clone)]
pub(crate) struct ValueSplitter {
    last: PartialRecord,
    inside: ScanState,
    depth: u64,
    pub(crate) n_lines: u64,
    /// Line on which the unfinished value begins, counted from 1.
    begun: u64,
    /// Number of bytes up to the last complete value and the space behind it.
    pub(crate) offset: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScanState {
    Space,
    Value,
    String,
    Escape,
    /// Text that is not the start of an object or a list.
    Stray,
}

impl ValueSplitter {
    pub(crate) fn new(n_lines: u64, offset: u64, limit: usize) -> Self {
        let last = PartialRecord::new(limit);
        Self { last, inside: ScanState::Space, depth: 0, n_lines, begun: 0, offset }
    }

    /// Passes every completed value to `each`, with the line on which it begins.
    pub(crate) fn feed_bytes(&mut self, bytes: &[u8], mut each: impl FnMut(u64, RecordBytes<'_>)) {
        let mut from = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if self.inside == ScanState::Space {
                if byte == b'\n' {
                    self.n_lines += 1;
                }
                let is_mark = self.offset < 3 && matches!(byte, 0xef | 0xbb | 0xbf);
                if byte.is_ascii_whitespace() || byte == 0 || is_mark {
                    self.offset += 1;
                    continue;
                }
                from = at;
                self.begun = self.n_lines + 1;
                self.depth = 0;
                self.inside = if matches!(byte, b'{' | b'[') { ScanState::Value } else { ScanState::Stray };
            }
            let ends = match self.inside {
                ScanState::Stray => byte == b'\n',
                _ => self.step_byte(byte),
            };
            if ends {
                self.last.hold_bytes(&bytes[from..=at]);
                self.inside = ScanState::Space;
                self.offset += self.last.len();
                if let Some(value) = self.last.as_record() {
                    each(self.begun, value);
                }
                self.last.clear();
                from = at + 1;
            }
            if byte == b'\n' {
                self.n_lines += 1;
            }
        }
        if self.inside != ScanState::Space {
            self.last.hold_bytes(&bytes[from..]);
        }
    }

    pub(crate) fn tail(&self) -> Option<(u64, RecordBytes<'_>)> {
        Some((self.begun, self.last.as_record()?))
    }

    /// Handles one byte inside a value; returns true if the value ends there.
    fn step_byte(&mut self, byte: u8) -> bool {
        match (self.inside, byte) {
            (ScanState::Escape, _) => self.inside = ScanState::String,
            (ScanState::String, b'\\') => self.inside = ScanState::Escape,
            (ScanState::String, b'"') => self.inside = ScanState::Value,
            (ScanState::String, _) => {}
            (_, b'"') => self.inside = ScanState::String,
            (_, b'{' | b'[') => self.depth += 1,
            (_, b'}' | b']') => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values_of(pieces: &[&[u8]], limit: usize) -> (Vec<String>, Option<String>, u64) {
        let show = |begun: u64, value: RecordBytes<'_>| match value {
            RecordBytes::Held(bytes) => format!("{begun}:{}", String::from_utf8_lossy(bytes).escape_debug()),
            RecordBytes::TooLong(n_bytes) => format!("{begun}:<{n_bytes} bytes>"),
        };
        let mut values = ValueSplitter::new(0, 0, limit);
        let mut shown = Vec::new();
        for piece in pieces {
            values.feed_bytes(piece, |begun, value| shown.push(show(begun, value)));
        }
        (shown, values.tail().map(|(begun, value)| show(begun, value)), values.offset)
    }

    /// Checks the whole text, and the same text cut into single bytes and at every position.
    fn check(text: &str, limit: usize, expected: &[&str], tail: Option<&str>, offset: u64) {
        let expected: Vec<String> = expected.iter().map(|value| (*value).to_owned()).collect();
        let expected = (expected, tail.map(str::to_owned), offset);
        let bytes = text.as_bytes();
        assert_eq!(values_of(&[bytes], limit), expected, "{text:?}");
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(values_of(&single, limit), expected, "{text:?} byte by byte");
        for cut in 0..=bytes.len() {
            assert_eq!(values_of(&[&bytes[..cut], &bytes[cut..]], limit), expected, "{text:?} cut at {cut}");
        }
    }

    #[test]
    fn values_come_out_whole() {
        check("", 99, &[], None, 0);
        check("{}", 99, &["1:{}"], None, 2);
        check("{}\n[1]\n", 99, &["1:{}", "2:[1]"], None, 7);
        check(" \n{\n\"a\": [\n1]}\n{}", 99, &["2:{\\n\\\"a\\\": [\\n1]}", "5:{}"], None, 17);
        check("{\"a\n\\\n\":1}\n{}", 99, &["1:{\\\"a\\n\\\\\\n\\\":1}", "4:{}"], None, 13);
        check("a\nb\n{}", 99, &["1:a\\n", "2:b\\n", "3:{}"], None, 6);
        check(r#"{"a":"}\"{"}{}"#, 99, &[r#"1:{\"a\":\"}\\\"{\"}"#, "1:{}"], None, 14);
        check("{\n{", 99, &[], Some("1:{\\n{"), 0);
        check("}\n{}", 99, &["1:}\\n", "2:{}"], None, 4);
        check("hello {}\n{}", 99, &["1:hello {}\\n", "2:{}"], None, 11);
        check("{]", 99, &["1:{]"], None, 2);
        check("\u{feff}{}", 99, &["1:{}"], None, 5);
        check("{}\n\0\0", 99, &["1:{}"], None, 5);
    }

    #[test]
    fn a_value_too_long_is_measured_and_skipped() {
        check("[123]\n{}", 4, &["1:<5 bytes>", "2:{}"], None, 8);
        check("[1234", 4, &[], Some("1:<5 bytes>"), 0);
    }
}
