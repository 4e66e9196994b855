use memchr::memchr;

/// Longer lines are skipped: 64 MiB.
pub(crate) const MAX_LINE: usize = 64 << 20;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RecordBytes<'a> {
    Held(&'a [u8]),
    TooLong(u64),
}

#[derive(Debug, Clone)]
pub(crate) struct PartialRecord {
    limit: usize,
    /// Empty once the record is too long.
    bytes: Vec<u8>,
    /// Bytes; 0 unless the record is too long.
    skipped: u64,
}

impl PartialRecord {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, bytes: Vec::new(), skipped: 0 }
    }

    pub(crate) fn hold_bytes(&mut self, bytes: &[u8]) {
        let n_bytes = self.len() + bytes.len() as u64;
        if n_bytes > self.limit as u64 {
            self.skipped = n_bytes;
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.skipped + self.bytes.len() as u64
    }

    pub(crate) fn as_record(&self) -> Option<RecordBytes<'_>> {
        if self.skipped > 0 {
            return Some(RecordBytes::TooLong(self.skipped));
        }
        (!self.bytes.is_empty()).then_some(RecordBytes::Held(&self.bytes))
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.skipped = 0;
    }
}

#[derive(Debug, Clone)]
pub(crate) struct LineSplitter {
    last: PartialRecord,
    pub(crate) n_lines: u64,
    /// Bytes in complete lines, with their line ends.
    pub(crate) offset: u64,
}

impl LineSplitter {
    pub(crate) fn new(n_lines: u64, offset: u64, limit: usize) -> Self {
        Self { last: PartialRecord::new(limit), n_lines, offset }
    }

    /// Passes every completed line to `each`, without its line end and with its number, counted from 1.
    pub(crate) fn feed_bytes(&mut self, bytes: &[u8], mut each: impl FnMut(u64, RecordBytes<'_>)) {
        let mut rest = bytes;
        while let Some(end) = memchr(b'\n', rest) {
            let (line, behind) = (&rest[..end], &rest[end + 1..]);
            self.n_lines += 1;
            self.offset += self.last.len() + line.len() as u64 + 1;
            if self.last.len() == 0 && line.len() <= self.last.limit {
                each(self.n_lines, RecordBytes::Held(line));
            } else {
                self.last.hold_bytes(line);
                each(self.n_lines, self.last.as_record().unwrap_or(RecordBytes::Held(&[])));
                self.last.clear();
            }
            rest = behind;
        }
        self.last.hold_bytes(rest);
    }

    pub(crate) fn tail(&self) -> Option<RecordBytes<'_>> {
        self.last.as_record()
    }
}

pub(crate) fn strip_line(line: &[u8], n_line: u64) -> &[u8] {
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
        let show = |line: RecordBytes<'_>| match line {
            RecordBytes::Held(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            RecordBytes::TooLong(n_bytes) => format!("<{n_bytes} bytes>"),
        };
        let mut lines = LineSplitter::new(0, 0, limit);
        let mut shown = Vec::new();
        for piece in pieces {
            lines.feed_bytes(piece, |n_line, line| shown.push(format!("{n_line}:{}", show(line))));
            assert!(lines.last.bytes.len() <= limit, "a line too long is never held");
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
            assert_eq!(strip_line(line, n_line), expected, "line {n_line}: {line:?}");
        }
    }
}
