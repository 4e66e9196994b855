use std::borrow::Cow;

use memchr::memchr2;

use super::text::{Text, decode_string};

/// A JSON value: its text and its byte position on the line.
///
/// The default is null. The text was accepted by `serde_json`, or is the truncated beginning of such a text,
/// whose last member or item is then incomplete. No method recurses or panics, whatever the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Value<'a> {
    raw: &'a str,
    at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonType {
    Null,
    Bool(bool),
    Number,
    Text,
    List,
    Object,
}

impl JsonType {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number => "number",
            Self::Text => "string",
            Self::List => "array",
            Self::Object => "object",
        }
    }
}

impl<'a> Value<'a> {
    /// `text` is valid JSON, or its beginning, at byte `at` of the line.
    pub(crate) fn trusted(text: &'a str, at: usize) -> Self {
        let raw = text.trim_start_matches(is_space);
        Self { raw: raw.trim_end_matches(is_space), at: at + (text.len() - raw.len()) }
    }

    pub(crate) fn raw(self) -> &'a str {
        self.raw
    }

    pub(crate) fn kind(self) -> JsonType {
        match self.raw.as_bytes().first() {
            Some(b'{') => JsonType::Object,
            Some(b'[') => JsonType::List,
            Some(b'"') => JsonType::Text,
            Some(b't') => JsonType::Bool(true),
            Some(b'f') => JsonType::Bool(false),
            Some(b'n') | None => JsonType::Null,
            Some(_) => JsonType::Number,
        }
    }

    pub(crate) fn is_null(self) -> bool {
        self.kind() == JsonType::Null
    }

    pub(crate) fn is_true(self) -> bool {
        self.kind() == JsonType::Bool(true)
    }

    pub(crate) fn text(self) -> Option<Text<'a>> {
        Some(decode_string(self.string_body()?))
    }

    /// Lone surrogates become U+FFFD; `None` for other types.
    pub(crate) fn string(self) -> Option<Cow<'a, str>> {
        Some(self.text()?.value)
    }

    pub(crate) fn string_body(self) -> Option<&'a str> {
        let end = string_end(self.raw.as_bytes(), 0)?;
        self.raw.get(1..end - 1)
    }

    pub(crate) fn list(self) -> Option<Self> {
        Some(self).filter(|value| value.kind() == JsonType::List)
    }

    pub(crate) fn object(self) -> Option<Self> {
        Some(self).filter(|value| value.kind() == JsonType::Object)
    }

    /// `1e400` becomes infinity.
    pub(crate) fn number(self) -> Option<f64> {
        if self.kind() != JsonType::Number {
            return None;
        }
        self.raw.parse().ok()
    }

    /// Keeps order and repeated keys; empty for other types.
    pub(crate) fn members(self) -> impl Iterator<Item = (Self, Self)> + use<'a> {
        let mut scan = Scan::new(self, b'{');
        std::iter::from_fn(move || {
            let key = scan.value()?;
            Some((key, scan.value()?))
        })
    }

    pub(crate) fn items(self) -> impl Iterator<Item = Self> + use<'a> {
        let mut scan = Scan::new(self, b'[');
        std::iter::from_fn(move || scan.value())
    }

    /// Looks up several members in one pass; a repeated key has its last value, as in JavaScript.
    pub(crate) fn fields<const N: usize>(self, names: [&str; N]) -> [Option<Self>; N] {
        let mut found = [None; N];
        for (key, value) in self.members() {
            let Some(body) = key.string_body() else { continue };
            let position = if body.contains('\\') {
                let Some(key) = key.text() else { continue };
                names.iter().position(|name| *name == key.value)
            } else {
                names.iter().position(|name| *name == body)
            };
            if let Some(position) = position {
                found[position] = Some(value);
            }
        }
        found
    }

    /// Looks up members by the last name of each path, such as `usage.input_tokens`; problems are noted under
    /// the whole path.
    pub(crate) fn path_ends<const N: usize>(self, paths: [&str; N]) -> [Option<Self>; N] {
        self.fields(paths.map(|path| path.rsplit('.').next().unwrap_or(path)))
    }

    /// A repeated key has its last value, as in JavaScript.
    pub(crate) fn get(self, name: &str) -> Option<Self> {
        let [value] = self.fields([name]);
        value
    }

    pub(crate) fn first_of<const N: usize>(self, names: [&str; N]) -> Option<Self> {
        self.fields(names).into_iter().flatten().next()
    }

    pub(crate) fn text_of(self, name: &str) -> Cow<'a, str> {
        self.get(name).and_then(Self::string).unwrap_or_default()
    }

    /// `inner` must be a value inside this one.
    pub(crate) fn around(self, inner: Self) -> Option<(&'a str, &'a str)> {
        let start = inner.at.checked_sub(self.at)?;
        let end = start + inner.raw.len();
        Some((self.raw.get(..start)?, self.raw.get(end..)?))
    }

    fn slice(self, start: usize, end: usize) -> Self {
        Self { raw: self.raw.get(start..end).unwrap_or_default(), at: self.at + start }
    }
}

pub(crate) fn owned(value: Option<Value<'_>>) -> Option<String> {
    value.and_then(Value::string).map(Cow::into_owned)
}

struct Scan<'a> {
    container: Value<'a>,
    at: usize,
}

impl<'a> Scan<'a> {
    fn new(container: Value<'a>, open: u8) -> Self {
        let opens = container.raw.as_bytes().first() == Some(&open);
        Self { container, at: if opens { 1 } else { container.raw.len() } }
    }

    fn value(&mut self) -> Option<Value<'a>> {
        let bytes = self.container.raw.as_bytes();
        let is_between = |byte: &&u8| matches!(byte, b',' | b':' | b' ' | b'\t' | b'\n' | b'\r');
        let start = self.at + bytes.get(self.at..)?.iter().take_while(is_between).count();
        if matches!(bytes.get(start)?, b'}' | b']') {
            self.at = bytes.len();
            return None;
        }
        self.at = value_end(bytes, start);
        Some(self.container.slice(start, self.at))
    }
}

/// `None` if truncated or not a string.
pub(crate) fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// A truncated value ends with the text.
fn value_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0usize;
    let mut at = at;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at).unwrap_or(bytes.len()),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            _ => at = scalar_end(bytes, at),
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

pub(super) fn scalar_end(bytes: &[u8], at: usize) -> usize {
    let is_scalar = |byte: &u8| {
        !matches!(byte, b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"' | b' ' | b'\t' | b'\n' | b'\r')
    };
    at + bytes[at..].iter().take_while(|byte| is_scalar(byte)).count().max(1)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}
