//! Bytes to lines: complete ones, the unfinished last one, and those too long to hold.

use memchr::memchr;

/// Lines longer than this are skipped: 64 MiB.
pub(crate) const MAX_LINE: usize = 64 << 20;

/// A complete line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Its bytes.
    Bytes(&'a [u8]),
    /// Too long: only its length in bytes.
    TooLong(u64),
}

/// Splits bytes that come in pieces into lines.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    limit: usize,
    /// The beginning of the unfinished line; empty while one too long is being skipped.
    pending: Vec<u8>,
    /// How many bytes of a line too long were skipped so far.
    skipped: u64,
    /// Complete lines so far.
    pub(crate) n_lines: u64,
    /// Bytes in complete lines so far, their ends included.
    pub(crate) offset: u64,
}

impl Lines {
    pub(crate) fn new(n_lines: u64, offset: u64, limit: usize) -> Self {
        Self { limit, pending: Vec::new(), skipped: 0, n_lines, offset }
    }

    /// Takes the next bytes and gives every line that they complete, with its number from 1.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(u64, Line<'_>)) {
        let mut rest = bytes;
        while let Some(end) = memchr(b'\n', rest) {
            let (last, behind) = (&rest[..end], &rest[end + 1..]);
            let whole = self.unfinished().saturating_add(last.len() as u64);
            self.n_lines += 1;
            self.offset += whole + 1;
            if whole > self.limit as u64 {
                each(self.n_lines, Line::TooLong(whole));
            } else if self.pending.is_empty() {
                each(self.n_lines, Line::Bytes(last));
            } else {
                self.pending.extend_from_slice(last);
                each(self.n_lines, Line::Bytes(&self.pending));
            }
            self.pending.clear();
            self.skipped = 0;
            rest = behind;
        }
        self.hold(rest);
    }

    /// Returns the unfinished last line, if there is any of it.
    pub(crate) fn tail(&self) -> Option<Line<'_>> {
        if self.skipped > 0 {
            return Some(Line::TooLong(self.skipped));
        }
        (!self.pending.is_empty()).then_some(Line::Bytes(&self.pending))
    }

    fn unfinished(&self) -> u64 {
        self.skipped + self.pending.len() as u64
    }

    fn hold(&mut self, bytes: &[u8]) {
        let whole = self.unfinished() + bytes.len() as u64;
        if whole > self.limit as u64 {
            self.skipped = whole;
            self.pending = Vec::new();
        } else {
            self.pending.extend_from_slice(bytes);
        }
    }
}

/// Strips what may stand around a record: a byte order mark at the start of the file, NULs, white space.
pub(crate) fn strip(line: &[u8], n_line: u64) -> &[u8] {
    let line = if n_line == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
    let is_filler = |byte: &u8| matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n');
    let start = line.iter().position(|byte| !is_filler(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !is_filler(byte)).map_or(start, |last| last + 1);
    &line[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(pieces: &[&[u8]], limit: usize) -> (Vec<String>, Option<String>, u64) {
        let show = |line: Line<'_>| match line {
            Line::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Line::TooLong(n_bytes) => format!("<{n_bytes} bytes>"),
        };
        let mut lines = Lines::new(0, 0, limit);
        let mut shown = Vec::new();
        for piece in pieces {
            lines.feed(piece, |n_line, line| shown.push(format!("{n_line}:{}", show(line))));
            assert!(lines.pending.len() <= limit, "a line too long is never held");
        }
        (shown, lines.tail().map(show), lines.offset)
    }

    fn check(pieces: &[&[u8]], expected: &[&str], tail: Option<&str>, offset: u64) {
        let expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(lines_of(pieces, 5), (expected, tail.map(str::to_owned), offset), "{pieces:?}");
    }

    #[test]
    fn lines_come_out_whole() {
        check(&[], &[], None, 0);
        check(&[b"a\nbc\n"], &["1:a", "2:bc"], None, 5);
        check(&[b"a\nbc"], &["1:a"], Some("bc"), 2);
        check(&[b"a", b"b", b"\nc"], &["1:ab"], Some("c"), 3);
        check(&[b"\n\n"], &["1:", "2:"], None, 2);
        check(&[b"a", b"", b"\n"], &["1:a"], None, 2);
    }

    #[test]
    fn a_line_too_long_is_measured_and_skipped() {
        check(&[b"12345\n"], &["1:12345"], None, 6);
        check(&[b"123456\nx\n"], &["1:<6 bytes>", "2:x"], None, 9);
        check(&[b"1234", b"56", b"78\nx"], &["1:<8 bytes>"], Some("x"), 9);
        check(&[b"1234", b"5678"], &[], Some("<8 bytes>"), 0);
    }

    #[test]
    fn fillers_are_stripped() {
        for (line, n_line, expected) in [
            (&b"\xef\xbb\xbf{}"[..], 1, &b"{}"[..]),
            (b"\xef\xbb\xbf{}", 2, b"\xef\xbb\xbf{}"),
            (b"\0\0{}\0\r", 3, b"{}"),
            (b" \t\r", 1, b""),
            (b"\xef\xbb\xbf", 1, b""),
        ] {
            assert_eq!(strip(line, n_line), expected, "line {n_line}: {line:?}");
        }
    }
}
