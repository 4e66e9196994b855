use crate::format::{Format, Framing, known_names};
use crate::json::Value;
use crate::lines::strip_line;
use crate::lookalike::{LIKE_PI, Lookalike, goes_on_like_pi, lookalike_of, lookalike_of_row};

const WINDOW: usize = 64 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DetectFailure {
    #[error("there is nothing in it yet; try again when the agent has written to it")]
    Empty,
    #[error("it is not text; of a database `cwl sessions` lists the sessions")]
    Binary,
    #[error("it is text in UTF-16; write it in UTF-8, as with `iconv -f UTF-16 -t UTF-8`")]
    Utf16,
    #[error("it looks like {}, which cannot be read yet; {}", .0.name, .0.remedy)]
    Foreign(Lookalike),
    #[error("no known log starts like this; if it is one, force its format: {}", known_names())]
    Unknown,
}

/// Detects a log's format by its first 64 KiB, which may end anywhere.
///
/// The first line recognised by a line-based format decides; unknown lines are skipped. Otherwise the start
/// of the document decides. A header like pi's does not count if rows follow that pi never writes, and
/// neither does a row like pi's or Codex's behind a row of a known unsupported program.
///
/// # Errors
/// A [`DetectFailure`] if no format recognises the log.
pub fn detect_format(head: &[u8]) -> Result<Format, DetectFailure> {
    let head = &head[..head.len().min(WINDOW)];
    let (mut is_like_pi, mut foreign) = (false, None);
    let mut passed = 0;
    for (n_line, line) in (1..).zip(head.split(|&byte| byte == b'\n')) {
        passed = (passed + line.len() + 1).min(head.len());
        let line = String::from_utf8_lossy(strip_line(line, n_line));
        let record = Value::trusted(&line, 0);
        let mut of_lines =
            Format::ALL.iter().copied().filter(|format| format.spec().framing != Framing::Values);
        let Some(format) = of_lines.find(|format| (format.spec().recognises)(record)) else {
            foreign = foreign.or_else(|| lookalike_of_row(record));
            continue;
        };
        if let Some(foreign) = foreign.filter(|_| matches!(format, Format::Pi | Format::Codex)) {
            return Err(DetectFailure::Foreign(foreign));
        }
        if format == Format::Pi && record.text_of("type") == "session" {
            // One check is enough: rows behind a later header also follow the first one.
            if is_like_pi || !goes_on_like_pi(&String::from_utf8_lossy(&head[passed..])) {
                is_like_pi = true;
                continue;
            }
        }
        return Ok(format);
    }
    let text = String::from_utf8_lossy(strip_line(head, 1));
    let document = Value::trusted(&text, 0);
    let mut of_values = Format::ALL.iter().copied().filter(|format| format.spec().framing != Framing::Lines);
    if let Some(format) = of_values.find(|format| (format.spec().recognises)(document)) {
        return Ok(format);
    }
    let filler = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    if strip_line(head, 1).iter().all(filler) {
        return Err(DetectFailure::Empty);
    }
    if is_utf16(head) {
        return Err(DetectFailure::Utf16);
    }
    let text = match std::str::from_utf8(head) {
        Ok(text) => Some(text),
        // A character cut by the window does not make the file binary.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&head[..error.valid_up_to()]).ok(),
        Err(_) => None,
    };
    match text {
        Some(_) if is_like_pi => Err(DetectFailure::Foreign(foreign.unwrap_or(LIKE_PI))),
        Some(text) if !text.contains('\0') => {
            let found = lookalike_of(text.trim_start_matches('\u{feff}'));
            Err(found.map_or(DetectFailure::Unknown, DetectFailure::Foreign))
        }
        _ => Err(DetectFailure::Binary),
    }
}

/// How many bytes are checked for zeros between characters.
const PAIRS: usize = 64;

/// Detects UTF-16 by its byte order mark, or by zeros in the same half of three quarters of the first byte
/// pairs.
fn is_utf16(head: &[u8]) -> bool {
    let pairs = head[..head.len().min(PAIRS)].chunks_exact(2);
    let n_pairs = pairs.len();
    let is_ascii = |low: u8, high: u8| high == 0 && low != 0 && low.is_ascii();
    let n_of = |half: usize| pairs.clone().filter(|pair| is_ascii(pair[half], pair[1 - half])).count();
    let is_most = |n: usize| n_pairs >= 4 && n * 4 >= n_pairs * 3;
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || is_most(n_of(0)) || is_most(n_of(1))
}
