//! Layers: a text, and its versions with one, two, … escape levels resolved.
//!
//! A call's arguments are JSON, and the file that they write is a string in it: a line end becomes a
//! backslash and an `n`, so a name behind it begins with that `n`. Every layer is searched, whether or not
//! the surrounding text can be parsed: JSON in JSON, truncated JSON, literals, URLs, and terminal colours.

use std::borrow::Cow;
use std::ops::Range;

use crate::MOST_BYTES;
use crate::flat::Flat;
use crate::mapping::Mapping;

const MOST_LAYERS: usize = 8;

const MOST_OF_LAYERS: usize = 4 * MOST_BYTES;

#[derive(Debug)]
pub(crate) struct Layers<'a> {
    texts: Vec<Cow<'a, str>>,
    mappings: Vec<Mapping>,
}

#[derive(Debug)]
pub(crate) struct TooDeep;

impl<'a> Layers<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, TooDeep> {
        Self::up_to(text, MOST_LAYERS, MOST_OF_LAYERS)
    }

    /// Like `new`, for redacted output, in which texts are escaped once more.
    pub(crate) fn of_written(text: &'a str) -> Result<Self, TooDeep> {
        Self::up_to(text, MOST_LAYERS + 2, 3 * MOST_OF_LAYERS)
    }

    fn up_to(text: &'a str, most: usize, most_bytes: usize) -> Result<Self, TooDeep> {
        let mut layers = Self { texts: vec![Cow::Borrowed(text)], mappings: Vec::new() };
        let mut n_bytes = text.len();
        while let Some((text, mapping)) = layers.texts.last().and_then(|text| resolved(text)) {
            n_bytes += text.len();
            if layers.texts.len() > most || n_bytes > most_bytes {
                return Err(TooDeep);
            }
            layers.texts.push(Cow::Owned(text));
            layers.mappings.push(mapping);
        }
        Ok(layers)
    }

    pub(crate) fn each(&self, mut each: impl FnMut(&str, &Flat<'_>, &dyn Fn(Range<usize>) -> Range<usize>)) {
        for (at, text) in self.texts.iter().enumerate() {
            let map = |range: Range<usize>| {
                self.mappings[..at].iter().rev().fold(range, |range, mapping| mapping.range(&range))
            };
            each(text, &Flat::new(text), &map);
        }
    }
}

pub(crate) fn bare(secret: &str) -> String {
    let layers = Layers::new(secret).ok();
    let text = layers.as_ref().and_then(|layers| layers.texts.last()).map_or(secret, |text| text);
    Flat::new(text).text().to_owned()
}

fn resolved(text: &str) -> Option<(String, Mapping)> {
    let bytes = text.as_bytes();
    let (mut written, mut mapping) = (String::new(), Mapping::default());
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = bytes[at..].iter().position(|byte| matches!(byte, b'\\' | b'%' | b'&' | 0x1b)) {
        let start = at + found;
        let Some((sign, len)) = escape(&bytes[start..]) else {
            at = start + 1;
            continue;
        };
        mapping.same(written.len(), kept..start);
        written.push_str(&text[kept..start]);
        if let Some(sign) = sign {
            mapping.instead(written.len(), start..start + len);
            written.push(sign);
        }
        at = start + len;
        kept = at;
    }
    if kept == 0 {
        return None;
    }
    mapping.same(written.len(), kept..text.len());
    written.push_str(&text[kept..]);
    Some((written, mapping))
}

/// Reads an escape's character (`None` for a colour) and length.
fn escape(bytes: &[u8]) -> Option<(Option<char>, usize)> {
    if let Some(len) = colour(bytes) {
        return Some((None, len));
    }
    let hex = |digits: Option<&[u8]>| {
        let digits = std::str::from_utf8(digits?).ok()?;
        let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| all)
    };
    let sign = |sign: char, len: usize| Some((Some(sign), len));
    match bytes {
        [b'\\', b'u', ..] => sign(char::from_u32(hex(bytes.get(2..6))?)?, 6),
        [b'\\', b'x', ..] => sign(ascii(hex(bytes.get(2..4))?)?, 4),
        [b'\\', byte, ..] => {
            let (sign, len) = match byte {
                b'n' => ('\n', 2),
                b'r' => ('\r', 2),
                b't' => ('\t', 2),
                b'"' | b'\'' | b'\\' | b'/' | b'`' => (char::from(*byte), 2),
                b'0'..=b'7' => (octal(bytes.get(1..4)?)?, 4),
                _ => return None,
            };
            Some((Some(sign), len))
        }
        [b'%', ..] => sign(ascii(hex(bytes.get(1..3))?)?, 3),
        [b'&', b'#', ..] if numbered_entity(bytes).is_some() => numbered_entity(bytes),
        [b'&', ..] => ENTITIES
            .iter()
            .find(|(name, _)| bytes.starts_with(name.as_bytes()))
            .and_then(|(name, stands)| sign(*stands, name.len())),
        _ => None,
    }
}

fn numbered_entity(bytes: &[u8]) -> Option<(Option<char>, usize)> {
    let len = bytes.iter().take(10).position(|byte| *byte == b';')?;
    let digits = std::str::from_utf8(&bytes[2..len.max(2)]).ok()?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    Some((Some(ascii(code.ok()?)?), len + 1))
}

fn octal(digits: &[u8]) -> Option<char> {
    let code = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()?;
    code.is_ascii_graphic().then(|| char::from(code))
}

const ENTITIES: &[(&str, char)] = &[
    ("&quot;", '"'),
    ("&#34;", '"'),
    ("&#39;", '\''),
    ("&apos;", '\''),
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
];

fn ascii(code: u32) -> Option<char> {
    char::from_u32(code)
        .filter(|sign| sign.is_ascii() && (!sign.is_ascii_control() || "\n\r\t\u{1b}".contains(*sign)))
}

fn colour(bytes: &[u8]) -> Option<usize> {
    let begins: [&[u8]; 6] = [b"\x1b[", b"\\u001b[", b"\\u001B[", b"\\x1b[", b"\\033[", b"\\e["];
    let begin = begins.iter().find(|begin| bytes.starts_with(begin))?.len();
    let figures =
        bytes[begin..].iter().take(20).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    bytes.get(begin + figures).is_some_and(u8::is_ascii_alphabetic).then_some(begin + figures + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_reads_as_what_it_stands_for() {
        let check = |text: &str, expected: &[&str]| {
            let layers = Layers::new(text).unwrap();
            assert_eq!(layers.texts[1..].iter().map(|text| &**text).collect::<Vec<_>>(), expected, "{text}");
            layers.each(|layer, _, map| {
                for (at, sign) in layer.char_indices().filter(|(_, sign)| sign.is_ascii_alphabetic()) {
                    let range = map(at..at + 1);
                    let written = &text[range.clone()];
                    let is_escape = written.starts_with(['&', '\\']) && written.len() > 2;
                    assert!(written.ends_with(sign) || is_escape, "{sign} of {layer} is {range:?} of {text}");
                }
            });
        };
        check("plain 100% & so on C:\\Dir", &[]);
        check(r#"a\nb\"c"#, &["a\nb\"c"]);
        check(
            r#"{"a":"{\"b\":\"x\\ny\"}"}"#,
            &["{\"a\":\"{\"b\":\"x\\ny\"}\"}", "{\"a\":\"{\"b\":\"x\ny\"}\"}"],
        );
        check("\u{1b}[31mKEY\u{1b}[0m=v", &["KEY=v"]);
        check(r"\u001b[1;31mKEY\x1b[0m", &["KEY"]);
        check("a%2Bb&amp;c", &["a+b&c"]);
        check("&#x73;&#107; &#; &#x; R&#", &["sk &#; &#x; R&#"]);
        check(r"\163\153 \1 \999", &[r"sk \1 \999"]);
        assert!(Layers::new(&"\\".repeat(1 << 12)).is_err());
    }

    #[test]
    fn a_secret_is_the_same_however_it_was_escaped() {
        for text in ["Tr0ub\"4dor", r#"Tr0ub\"4dor"#, r#"Tr0ub\\\"4dor"#, "Tr0\n  ub%224dor"] {
            assert_eq!(bare(text), "Tr0ub\"4dor");
        }
    }
}
