//! Decodes base64, hex, byte lists and hex dumps in a text.
//!
//! Nothing marks where an encoded text begins, so every run of its alphabet is decoded at each offset within
//! a group. Most output is noise, which contains no learned secret.

use std::ops::Range;

use crate::view::View;

/// Minimum length for a decoded base64 or hex run, and minimum number of bytes in a list.
const LEAST_RUN: usize = 8;
const LEAST_LIST: usize = 6;
const BETWEEN: u8 = 0xff;

/// Joins readable decodings in separate views too.
pub(crate) fn decoded(view: &View, mut each: impl FnMut(&View)) {
    for (decode, n_places) in [(base64 as fn(&View, &Range<usize>, usize, &mut View), 4), (hex, 2)] {
        let is_of_run: fn(u8) -> bool =
            if n_places == 4 { is_of_base64 } else { |byte| byte.is_ascii_hexdigit() };
        let mut readable = View::default();
        for place in 0..n_places {
            let mut all = View::default();
            for run in runs(view.bytes(), is_of_run) {
                let from = all.bytes().len();
                all.tear();
                decode(view, &run, place, &mut all);
                let part = from..all.bytes().len();
                if is_text(&all.bytes()[part.clone()]) {
                    readable.tear();
                    all.copy_text(&part, &mut readable);
                    readable.push(b' ', all.place(part.end - 1));
                }
                all.tear();
                all.push(BETWEEN, view.place(run.end - 1));
            }
            each(&all);
        }
        if !readable.bytes().is_empty() {
            each(&readable);
        }
    }
}

fn runs(bytes: &[u8], is_of_run: fn(u8) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += bytes.get(at..)?.iter().position(|byte| is_of_run(*byte))?;
            let len = bytes[at..].iter().take_while(|byte| is_of_run(**byte)).count();
            let run = at..at + len;
            at = run.end;
            if len >= LEAST_RUN {
                return Some(run);
            }
        }
    })
}

fn is_of_base64(byte: u8) -> bool {
    sextet(byte).is_some()
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

fn base64(view: &View, run: &Range<usize>, place: usize, out: &mut View) {
    let letters = run.start + place..run.end;
    let (mut group, mut n_bits, mut first) = (0_u32, 0, letters.start);
    for at in letters {
        group = group << 6 | sextet(view.bytes()[at]).unwrap_or(0);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            out.push((group >> n_bits & 0xff) as u8, view.place(first).start..view.place(at).end);
            // The letter also contributes to the next byte.
            first = if n_bits > 0 { at } else { at + 1 };
        }
    }
}

fn hex(view: &View, run: &Range<usize>, place: usize, out: &mut View) {
    for at in (run.start + place..run.end.saturating_sub(1)).step_by(2) {
        let digit = |at: usize| char::from(view.bytes()[at]).to_digit(16).unwrap_or(0);
        out.push((digit(at) << 4 | digit(at + 1)) as u8, view.range(&(at..at + 2)));
    }
}

/// Returns true if the bytes read as text, also as UTF-16 with a zero beside each letter.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let is_printable = |byte: &&u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    let n_zero = bytes.iter().filter(|byte| **byte == 0).count();
    let n_rest = bytes.len() - n_zero;
    n_rest >= LEAST_LIST && n_zero <= n_rest && bytes.iter().filter(is_printable).count() * 10 >= n_rest * 9
}

impl View {
    fn copy_text(&self, part: &Range<usize>, out: &mut Self) {
        for at in part.clone().filter(|at| self.bytes()[*at] != 0) {
            out.push(self.bytes()[at].min(0x7f), self.place(at));
        }
    }
}

/// Byte lists look like `[115, 107]`, `73 6b`, `0x73, 0x6b` or `163 153`.
pub(crate) fn listed(text: &str, mut each: impl FnMut(&View)) {
    let bytes = text.as_bytes();
    let mut lists = [Radix::Decimal, Radix::Hex, Radix::Octal].map(|radix| (radix, View::default()));
    let (mut at, mut last) = (0, 0);
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let len =
            bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let word = &text[at..at + len];
        let follows = is_separator(&bytes[last..at]);
        for (radix, list) in &mut lists {
            let read = radix.read(word);
            if (read.is_none() || !follows) && !list.bytes().is_empty() {
                let done = std::mem::take(list);
                if done.bytes().len() >= LEAST_LIST {
                    each(&done);
                }
            }
            let width = len / read.as_ref().map_or(1, |read| read.len().max(1));
            for (n, byte) in read.into_iter().flatten().enumerate() {
                // Each byte of a group has its own digits.
                list.push(byte, at + n * width..(at + (n + 1) * width).min(at + len));
            }
        }
        at += len;
        last = at;
    }
    lists.iter().map(|(_, list)| list).filter(|list| list.bytes().len() >= LEAST_LIST).for_each(each);
}

#[derive(Debug, Clone, Copy)]
enum Radix {
    Decimal,
    Hex,
    Octal,
}

impl Radix {
    fn read(self, word: &str) -> Option<Vec<u8>> {
        let group = |digits: &str, radix| u8::from_str_radix(digits, radix).ok();
        match self {
            Self::Decimal if word.len() <= 3 => group(word, 10).map(|byte| vec![byte]),
            Self::Octal if word.len() == 3 => group(word, 8).map(|byte| vec![byte]),
            Self::Hex => {
                let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
                let is_group =
                    matches!(digits.len(), 2 | 4 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                let bytes = |digits: &str| {
                    (0..digits.len()).step_by(2).filter_map(|at| group(&digits[at..at + 2], 16)).collect()
                };
                is_group.then(|| bytes(digits))
            }
            Self::Decimal | Self::Octal => None,
        }
    }
}

fn is_separator(between: &[u8]) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b',' | b':' | b';' | b'\\');
    between.len() <= 60
        && between.iter().filter(|byte| is_sign(byte)).count() <= 1
        && between.iter().all(|byte| is_sign(byte) || byte.is_ascii_whitespace())
}

/// Reads dumps with lines such as `00000010: 736b 2d61  sk-a` twice: once from the digits, once from the
/// letters beside them.
pub(crate) fn dumped(text: &str, mut each: impl FnMut(&View)) {
    let (mut digits, mut letters) = (View::default(), View::default());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if !dump_line(line, start, &mut digits, &mut letters) && !digits.bytes().is_empty() {
            each(&std::mem::take(&mut digits));
            each(&std::mem::take(&mut letters));
        }
        start += line.len();
    }
    if !digits.bytes().is_empty() {
        each(&digits);
        each(&letters);
    }
}

fn dump_line(line: &str, start: usize, digits: &mut View, letters: &mut View) -> bool {
    let trimmed = line.trim_end();
    let begin = trimmed.len() - trimmed.trim_start().len();
    let offset = trimmed[begin..].bytes().take(17).take_while(u8::is_ascii_hexdigit).count();
    let behind = begin + offset;
    let Some(rest) = trimmed.get(behind..).filter(|_| (4..=16).contains(&offset)) else { return false };
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    if !rest.starts_with([' ', '\t']) {
        return false;
    }
    let from = trimmed.len() - rest.trim_start().len();
    let rest = &trimmed[from..];
    // The letters stand between two bars, or behind two spaces.
    let (hex, beside) = match rest.split_once(" |").or_else(|| rest.split_once(" >")) {
        Some((hex, beside)) => (hex, Some(rest.len() - beside.len())),
        None => match rest.split_once("  ") {
            Some((hex, beside)) if !beside.is_empty() => (hex, Some(rest.len() - beside.trim_start().len())),
            _ => (rest, None),
        },
    };
    let mut places = Vec::new();
    let mut at = 0;
    while at < hex.len() {
        let len = hex[at..].bytes().take_while(|byte| !byte.is_ascii_whitespace()).count();
        let Some(bytes) = Radix::Hex.read(&hex[at..at + len]) else {
            if len > 0 {
                return false;
            }
            at += 1;
            continue;
        };
        for (n, byte) in bytes.into_iter().enumerate() {
            places.push((byte, from + at + 2 * n));
        }
        at += len;
    }
    if places.is_empty() || places.len() > 64 {
        return false;
    }
    let mut beside = beside.map(|beside| {
        trimmed[from + beside..].char_indices().map(move |(at, sign)| (from + beside + at, sign.len_utf8()))
    });
    for (byte, at) in places {
        digits.push(byte, start + at..start + at + 2);
        if let Some((at, len)) = beside.as_mut().and_then(Iterator::next) {
            letters.push(byte, start + at..start + at + len);
        }
    }
    true
}

/// Decodes quoted-printable (`=73`, lines ending with `=`); `None` without such signs.
pub(crate) fn quoted_printable(text: &str) -> Option<View> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut view = View::default();
    let (mut at, mut n_signs) = (0, 0);
    while at < bytes.len() {
        let len = match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'=', Some(high), Some(low)) => {
                n_signs += 1;
                view.push((high << 4 | low) as u8, at..at + 3);
                3
            }
            (b'=', ..) if bytes[at + 1..].starts_with(b"\r\n") => 3,
            (b'=', ..) if bytes[at + 1..].starts_with(b"\n") => 2,
            (byte, ..) => {
                view.push(byte, at..at + 1);
                1
            }
        };
        at += len;
    }
    (n_signs > 0).then_some(view)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(view: &View) -> String {
        String::from_utf8_lossy(view.bytes()).into_owned()
    }

    #[test]
    fn base64_and_hex_are_read_wherever_they_begin() {
        let check = |text: &str, expected: &str| {
            let mut all = Vec::new();
            decoded(&View::of_text(text), |view| all.push((read(view), is_text(view.bytes()))));
            assert!(all.iter().any(|(text, is_text)| text.contains(expected) && *is_text), "{text}: {all:?}");
        };
        check("x dXNlcjpzM2NyM3QtVmFsdWU= y", "user:s3cr3t-Value");
        check("xdXNlcjpzM2NyM3QtVmFsdWU=", "user:s3cr3t-Value");
        check("73336372337421", "s3cr3t!");
        check("x=0 a73336372337421", "s3cr3t!");
        // UTF-16.
        check("cwAzAGMAcgAzAHQAIQAhAA==", "s3cr3t!!");
    }

    #[test]
    fn places_of_base64_are_those_of_its_letters() {
        let view = View::of_text("QUJDREVGR0g");
        let mut out = View::default();
        base64(&view, &(0..11), 0, &mut out);
        assert_eq!(read(&out), "ABCDEFGH");
        assert_eq!((out.place(0), out.place(1), out.place(2), out.place(3)), (0..2, 1..3, 2..4, 4..6));
    }

    #[test]
    fn lists_of_bytes_are_read() {
        let check = |text: &str, expected: &str| {
            let mut all = Vec::new();
            listed(text, |view| all.push(read(view)));
            assert!(all.iter().any(|text| text == expected), "{text}: {all:?}");
        };
        check("x = [115, 51, 99,\n  114, 51, 116]", "s3cr3t");
        check("<Buffer 73 33 63 72 33 74>", "s3cr3t");
        check("{0x73, 0x33, 0x63, 0x72, 0x33, 0x74}", "s3cr3t");
        check("7333 6372 3374 and", "s3cr3t");
        check("163 063 143 162 063 164", "s3cr3t");
    }

    #[test]
    fn dumps_are_read_in_both_columns() {
        let check = |text: &str, n: usize| {
            let mut all = Vec::new();
            dumped(text, |view| all.push((read(view), view.place(0).start)));
            assert!(all.iter().filter(|(text, _)| text == "sk-ant-api03-a8F3").count() == n, "{all:?}");
        };
        check(
            "00000000: 736b 2d61 6e74 2d61 7069 3033 2d61 3846  sk-ant-api03-a8F\n00000010: 33                                       3\n",
            2,
        );
        check(
            "00000000  73 6b 2d 61 6e 74 2d 61  70 69 30 33 2d 61 38 46  |sk-ant-api03-a8F|\n00000010  33  |3|\n",
            2,
        );
    }

    #[test]
    fn signs_of_mail_are_read() {
        assert_eq!(quoted_printable("a =73=6B=\n b").map(|view| read(&view)).as_deref(), Some("a sk b"));
        assert!(quoted_printable("a = b, x=g1").is_none());
    }
}
