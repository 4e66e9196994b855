use std::borrow::Cow;

use memchr::memchr;

use super::object::quoted;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text<'a> {
    pub(crate) value: Cow<'a, str>,
    /// True if a lone surrogate was replaced by U+FFFD.
    pub(crate) lossy: bool,
}

pub(super) enum StringFragment<'a> {
    Plain(&'a str),
    Char(char),
    Lone(u16),
}

/// Splits a JSON string's body at its escapes; an invalid rest becomes plain text.
pub(super) fn split_fragments(body: &str) -> impl Iterator<Item = StringFragment<'_>> {
    let mut rest = body;
    std::iter::from_fn(move || {
        let plain = memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        let (fragment, length) = match plain {
            0 => read_escape(rest).unwrap_or((StringFragment::Plain(rest), rest.len())),
            plain => (StringFragment::Plain(&rest[..plain]), plain),
        };
        rest = &rest[length..];
        (length > 0).then_some(fragment)
    })
}

fn read_escape(text: &str) -> Option<(StringFragment<'_>, usize)> {
    let character = match text.as_bytes().get(1)? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return read_unicode(text),
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        _ => return None,
    };
    Some((StringFragment::Char(character), 2))
}

fn read_unicode(text: &str) -> Option<(StringFragment<'_>, usize)> {
    let unit = unit_at(text, 0)?;
    if let Some(character) = char::from_u32(unit.into()) {
        return Some((StringFragment::Char(character), 6));
    }
    let pair = unit_at(text, 6).map(|low| char::decode_utf16([unit, low]).next());
    match pair {
        Some(Some(Ok(character))) => Some((StringFragment::Char(character), 12)),
        _ => Some((StringFragment::Lone(unit), 6)),
    }
}

fn unit_at(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

/// Lone surrogates become U+FFFD.
pub(crate) fn decode_string(body: &str) -> Text<'_> {
    if memchr(b'\\', body.as_bytes()).is_none() {
        return Text { value: Cow::Borrowed(body), lossy: false };
    }
    let mut value = String::with_capacity(body.len());
    let mut lossy = false;
    for fragment in split_fragments(body) {
        match fragment {
            StringFragment::Plain(plain) => value.push_str(plain),
            StringFragment::Char(character) => value.push(character),
            StringFragment::Lone(_) => {
                value.push(char::REPLACEMENT_CHARACTER);
                lossy = true;
            }
        }
    }
    Text { value: Cow::Owned(value), lossy }
}

pub(super) fn spell_character(character: char) -> String {
    let quoted = quoted(character.encode_utf8(&mut [0; 4]));
    quoted[1..quoted.len() - 1].to_owned()
}

/// Returns true if the body is spelled like JavaScript and `serde_json` would spell it.
///
/// Only then can the bytes be reproduced from the decoded text.
pub(crate) fn is_canonical(body: &str) -> bool {
    let mut rest = body;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        let escape = &rest[at..];
        let length = match escape.as_bytes().get(1) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            _ => match read_escape(escape) {
                Some((StringFragment::Char(character), length))
                    if spell_character(character) == escape[..length] =>
                {
                    length
                }
                _ => return false,
            },
        };
        rest = &escape[length..];
    }
    true
}
