//! One JSON value as a slice of its line.

use std::borrow::Cow;

use memchr::memchr2;

use super::text::{Text, decode_string};

/// One JSON value: its bytes, and where on the line they stand.
///
/// The default is null. Made from text that `serde_json` has accepted; the end may be cut off (a window of a file), and then the
/// last member or item is cut too. Nothing here recurses or panics, whatever the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Value<'a> {
    raw: &'a str,
    at: usize,
}

/// The JSON type of a value.
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
    /// Wraps text that is known to be JSON (or the beginning of it), standing at a position of the line.
    pub(crate) fn trusted(text: &'a str, at: usize) -> Self {
        let raw = text.trim_start_matches(is_space);
        Self { raw: raw.trim_end_matches(is_space), at: at + (text.len() - raw.len()) }
    }

    /// Returns the value's bytes.
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

    /// Tells whether the value is `true`.
    pub(crate) fn is_true(self) -> bool {
        self.kind() == JsonType::Bool(true)
    }

    /// Returns the decoded text of a string; `None` for other types and for a string that is cut.
    pub(crate) fn text(self) -> Option<Text<'a>> {
        Some(decode_string(self.string_body()?))
    }

    /// Returns the decoded text of a string with U+FFFD for what cannot be decoded; `None` for other types.
    pub(crate) fn string(self) -> Option<Cow<'a, str>> {
        Some(self.text()?.value)
    }

    /// Returns the bytes between the quotes of a string.
    pub(crate) fn string_body(self) -> Option<&'a str> {
        let end = string_end(self.raw.as_bytes(), 0)?;
        self.raw.get(1..end - 1)
    }

    /// Returns the value where it is an array.
    pub(crate) fn list(self) -> Option<Self> {
        Some(self).filter(|value| value.kind() == JsonType::List)
    }

    /// Returns the value where it is an object.
    pub(crate) fn object(self) -> Option<Self> {
        Some(self).filter(|value| value.kind() == JsonType::Object)
    }

    /// Returns a number; `1e400` is infinite.
    pub(crate) fn number(self) -> Option<f64> {
        if self.kind() != JsonType::Number {
            return None;
        }
        self.raw.parse().ok()
    }

    /// Returns the members of an object in order, repeated keys included; nothing for other types.
    pub(crate) fn members(self) -> impl Iterator<Item = (Self, Self)> + use<'a> {
        let mut scan = Scan::new(self, b'{');
        std::iter::from_fn(move || {
            let key = scan.value()?;
            Some((key, scan.value()?))
        })
    }

    /// Returns an array's items; nothing for other types.
    pub(crate) fn items(self) -> impl Iterator<Item = Self> + use<'a> {
        let mut scan = Scan::new(self, b'[');
        std::iter::from_fn(move || scan.value())
    }

    /// Returns the values of some members; of a repeated key the last one, as JavaScript does.
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

    /// Returns the members that paths such as `usage.input_tokens` end with; problems are noted under `paths`.
    pub(crate) fn path_ends<const N: usize>(self, paths: [&str; N]) -> [Option<Self>; N] {
        self.fields(paths.map(|path| path.rsplit('.').next().unwrap_or(path)))
    }

    /// Returns one member of an object; of a repeated key the last one, as JavaScript does.
    pub(crate) fn get(self, name: &str) -> Option<Self> {
        let [value] = self.fields([name]);
        value
    }

    /// Returns the first of several members that is there, in the order of `names`.
    pub(crate) fn first_of<const N: usize>(self, names: [&str; N]) -> Option<Self> {
        self.fields(names).into_iter().flatten().next()
    }

    /// Returns a member's text; empty if the member is missing or no string.
    pub(crate) fn text_of(self, name: &str) -> Cow<'a, str> {
        self.get(name).and_then(Self::string).unwrap_or_default()
    }

    /// Splits the bytes around a value inside this one.
    pub(crate) fn around(self, inner: Self) -> Option<(&'a str, &'a str)> {
        let start = inner.at.checked_sub(self.at)?;
        let end = start + inner.raw.len();
        Some((self.raw.get(..start)?, self.raw.get(end..)?))
    }

    fn slice(self, start: usize, end: usize) -> Self {
        Self { raw: self.raw.get(start..end).unwrap_or_default(), at: self.at + start }
    }
}

/// Returns the text of a string as a copy; `None` for a missing value and for other types.
pub(crate) fn owned(value: Option<Value<'_>>) -> Option<String> {
    value.and_then(Value::string).map(Cow::into_owned)
}

/// Reads the values of a container one after the other.
struct Scan<'a> {
    container: Value<'a>,
    at: usize,
}

impl<'a> Scan<'a> {
    fn new(container: Value<'a>, open: u8) -> Self {
        let opens = container.raw.as_bytes().first() == Some(&open);
        Self { container, at: if opens { 1 } else { container.raw.len() } }
    }

    /// Moves over white space and separators to the next value and over it.
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

/// Returns the position behind the string that opens at `at`; `None` if it is cut or no string.
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

/// Returns the position behind the value that starts at `at`; the end of the text where it is cut.
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

/// Returns the position behind a number, `true`, `false` or `null`.
pub(super) fn scalar_end(bytes: &[u8], at: usize) -> usize {
    let is_scalar = |byte: &u8| {
        !matches!(byte, b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"' | b' ' | b'\t' | b'\n' | b'\r')
    };
    at + bytes[at..].iter().take_while(|byte| is_scalar(byte)).count().max(1)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}
