//! Invisible characters: they change the direction of text, have no width, or modify the character before them.
//!
//! A text in a log can use them to look different from what it says. Each is therefore displayed as its code.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

/// Tells whether a character is invisible on its own. `ui/src/lib/view/hidden.ts` has the same list.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Tells whether a character may be joined to its neighbour, as in some scripts and emoji.
fn is_joined(c: Option<char>) -> bool {
    c.is_some_and(|c| !c.is_ascii() && !c.is_control() && !is_hidden(c))
}

/// Replaces invisible characters by their codes, as in `[U+202E]`. A joiner between two non-ASCII characters stays,
/// because many scripts need it.
pub fn reveal_hidden(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 32);
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let joins =
            matches!(c, '\u{200c}' | '\u{200d}') && is_joined(before) && is_joined(rest.peek().copied());
        if is_hidden(c) && !joins {
            shown.push_str(&format!("[U+{:04X}]", u32::from(c)));
        } else {
            shown.push(c);
        }
        before = Some(c);
    }
    Cow::Owned(shown)
}

/// Writes `value` as JSON, escaping invisible characters.
///
/// # Errors
/// If the writer fails.
pub fn write_json(value: &impl Serialize, writer: &mut impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(writer, Revealing);
    Ok(value.serialize(&mut serializer)?)
}

struct Revealing;

impl Formatter for Revealing {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        write_revealing(fragment, writer)
    }
}

/// Escapes like [`write_json`] in JSON from other writers.
pub(crate) struct RevealingWriter<W>(pub(crate) W);

impl<W: Write> Write for RevealingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Such JSON arrives in complete UTF-8 texts.
        match std::str::from_utf8(bytes) {
            Ok(text) => write_revealing(text, &mut self.0)?,
            Err(_) => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes JSON text, escaping invisible characters, and control characters JSON allows unescaped.
fn write_revealing<W: ?Sized + Write>(text: &str, writer: &mut W) -> io::Result<()> {
    if text.is_ascii() && !text.contains('\u{7f}') {
        return writer.write_all(text.as_bytes());
    }
    write_escaping(text, |one| is_hidden(one) || matches!(one, '\u{7f}'..='\u{9f}'), writer)
}

/// Writes the text of a JSON string, replacing characters selected by `escapes` with their codes.
pub(super) fn write_escaping<W: ?Sized + Write>(
    text: &str,
    escapes: impl Fn(char) -> bool,
    writer: &mut W,
) -> io::Result<()> {
    let mut plain_from = 0;
    for (at, odd) in text.char_indices().filter(|(_, one)| escapes(*one)) {
        writer.write_all(&text.as_bytes()[plain_from..at])?;
        for unit in odd.encode_utf16(&mut [0; 2]) {
            write!(writer, "\\u{unit:04x}")?;
        }
        plain_from = at + odd.len_utf8();
    }
    writer.write_all(&text.as_bytes()[plain_from..])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn hidden_characters_are_shown_as_their_codes() {
        let check = |text: &str, shown: &str| assert_eq!(reveal_hidden(text), shown, "{text:?}");
        check("plain – straße 😀", "plain – straße 😀");
        check("a\u{202e}b\u{2066}c", "a[U+202E]b[U+2066]c");
        check("zero\u{200b}width\u{feff}", "zero[U+200B]width[U+FEFF]");
        check("a\u{e0061}\u{e007f}", "a[U+E0061][U+E007F]");
        check("a\u{200d}b", "a[U+200D]b");
        check("👩\u{200d}💻 می\u{200c}خواهم", "👩\u{200d}💻 می\u{200c}خواهم");
        check("ü\u{200d}\u{200c}ü", "ü[U+200D][U+200C]ü");
        check("❤\u{fe0f}", "❤\u{fe0f}");
    }

    #[test]
    fn json_escapes_them_and_says_the_same() {
        let value = serde_json::json!({ "a\u{200b}": ["\u{202e}x", "\u{e0061}", "é😀", "\"\n", "\u{9b}1m"] });
        let mut bytes = Vec::new();
        write_json(&value, &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let expected = r#"{"a\u200b":["\u202ex","\udb40\udc61","é😀","\"\n","\u009b1m"]}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        let mut bytes = Vec::new();
        RevealingWriter(&mut bytes).write_all(value.to_string().as_bytes()).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
}
