//! JSON strings: decoding, and which spelling of a text is the usual one.

use std::borrow::Cow;

use memchr::memchr;

/// The text of a JSON string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text<'a> {
    pub(crate) value: Cow<'a, str>,
    /// True where a lone surrogate was replaced by U+FFFD.
    pub(crate) lossy: bool,
}

/// A stretch of a JSON string's body.
pub(super) enum Fragment<'a> {
    /// Without escapes.
    Plain(&'a str),
    /// One escaped character.
    Char(char),
    /// Half of a surrogate pair without the other half.
    Lone(u16),
}

/// Takes a JSON string's body apart, which must be valid; nonsense is passed on as plain text.
pub(super) fn fragments(body: &str) -> impl Iterator<Item = Fragment<'_>> {
    let mut rest = body;
    std::iter::from_fn(move || {
        let plain = memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        let (fragment, length) = match plain {
            0 => escaped(rest).unwrap_or((Fragment::Plain(rest), rest.len())),
            plain => (Fragment::Plain(&rest[..plain]), plain),
        };
        rest = &rest[length..];
        (length > 0).then_some(fragment)
    })
}

/// Reads the escape that a text starts with, and its length in bytes.
fn escaped(text: &str) -> Option<(Fragment<'_>, usize)> {
    let character = match text.as_bytes().get(1)? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(text),
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        _ => return None,
    };
    Some((Fragment::Char(character), 2))
}

fn unicode(text: &str) -> Option<(Fragment<'_>, usize)> {
    let unit = unit_at(text, 0)?;
    if let Some(character) = char::from_u32(unit.into()) {
        return Some((Fragment::Char(character), 6));
    }
    let pair = unit_at(text, 6).map(|low| char::decode_utf16([unit, low]).next());
    match pair {
        Some(Some(Ok(character))) => Some((Fragment::Char(character), 12)),
        _ => Some((Fragment::Lone(unit), 6)),
    }
}

/// Reads `\uXXXX` at a position.
fn unit_at(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

/// Decodes the body of a JSON string; lone surrogates become U+FFFD.
pub(crate) fn decode(body: &str) -> Text<'_> {
    if memchr(b'\\', body.as_bytes()).is_none() {
        return Text { value: Cow::Borrowed(body), lossy: false };
    }
    let mut value = String::with_capacity(body.len());
    let mut lossy = false;
    for fragment in fragments(body) {
        match fragment {
            Fragment::Plain(plain) => value.push_str(plain),
            Fragment::Char(character) => value.push(character),
            Fragment::Lone(_) => {
                value.push(char::REPLACEMENT_CHARACTER);
                lossy = true;
            }
        }
    }
    Text { value: Cow::Owned(value), lossy }
}

/// Appends a character as JavaScript escapes it in a JSON string.
pub(super) fn push_escaped(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        control if control < ' ' => push_unit(out, control as u16),
        other => out.push(other),
    }
}

/// Appends `\uxxxx`, in lower-case digits.
pub(super) fn push_unit(out: &mut String, unit: u16) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        let digit = u32::from(unit >> shift) & 0xf;
        out.extend(char::from_digit(digit, 16));
    }
}

/// Returns whether a string's body is spelled as JavaScript and `serde_json` would spell its text.
///
/// Only then can the text alone stand for the bytes.
pub(crate) fn is_canonical(body: &str) -> bool {
    let bytes = body.as_bytes();
    let mut at = 0;
    while let Some(step) = memchr(b'\\', &bytes[at..]) {
        at += step;
        match bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
            Some(b'u') => {
                let named = |unit| matches!(unit, 0x8 | 0x9 | 0xa | 0xc | 0xd);
                match (unit_at(body, at), bytes.get(at + 2..at + 6)) {
                    (Some(unit), Some(digits)) if unit < 0x20 && !named(unit) => {
                        if digits.iter().any(u8::is_ascii_uppercase) {
                            return false;
                        }
                        at += 6;
                    }
                    _ => return false,
                }
            }
            _ => return false,
        }
    }
    true
}
