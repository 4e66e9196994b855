//! Arguments of a call: the strings of a JSON text, read in one pass, without recursion and without a tree.

use alloc::string::String;

/// How much of one string is read, characters; arguments hold whole files.
const VALUE_CHARS: usize = 1000;

/// What stands in a JSON text, as far as summaries need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// An object begins.
    Open,
    /// An object ends.
    Close,
    /// A string under the key before it; those of a list share their key.
    Text(&'a str, &'a str),
}

/// Reads the strings of a text that may be JSON; what is no JSON gives whatever strings it seems to hold.
pub(super) struct Pieces<'a> {
    text: &'a str,
    at: usize,
    key: &'a str,
}

impl<'a> Pieces<'a> {
    /// Starts at the first brace of a call's text: before it stands the tool's name.
    pub(super) fn of_call(text: &'a str) -> Self {
        Self { text, at: text.find('{').unwrap_or(text.len()), key: "" }
    }

    /// Returns the inside of the string that begins after the quote at `at`, still escaped, and moves behind it.
    fn string(&mut self) -> &'a str {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut at = start;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => break,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        let end = at.min(bytes.len());
        self.at = end + 1;
        // Quotes stand between characters, and so does the end of the text.
        self.text.get(start..end).unwrap_or_default()
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'{' => {
                    self.at += 1;
                    return Some(Piece::Open);
                }
                b'}' => {
                    self.at += 1;
                    return Some(Piece::Close);
                }
                b'"' => {
                    let inside = self.string();
                    let rest = bytes.get(self.at..).unwrap_or_default();
                    if rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':') {
                        self.key = inside;
                    } else {
                        return Some(Piece::Text(self.key, inside));
                    }
                }
                _ => self.at += 1,
            }
        }
        None
    }
}

/// Returns what the inside of a JSON string says, up to a bound; odd escapes stay as they are.
pub(super) fn unescaped(inside: &str) -> String {
    let mut out = String::new();
    let mut chars = inside.chars();
    let mut high = None;
    while let Some(one) = chars.next() {
        if out.len() >= VALUE_CHARS {
            break;
        }
        if one != '\\' {
            out.push(one);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t' | 'r' | 'b' | 'f') => out.push(' '),
            Some('u') => {
                let digits = chars.as_str().get(..4).unwrap_or_default();
                let Ok(unit) = u32::from_str_radix(digits, 16) else { continue };
                chars.nth(3);
                match (high.take(), unit) {
                    (None, 0xd800..=0xdbff) => high = Some(unit - 0xd800),
                    (Some(high), 0xdc00..=0xdfff) => {
                        out.extend(char::from_u32(0x1_0000 + (high << 10) + (unit - 0xdc00)));
                    }
                    (_, unit) => out.extend(char::from_u32(unit)),
                }
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = Pieces::of_call(text)
            .map(|piece| match piece {
                Piece::Open => String::from("{"),
                Piece::Close => String::from("}"),
                Piece::Text(key, value) => format!("{key}={}", unescaped(value)),
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn strings_are_found_with_their_keys() {
        check(r#"read{"path":"a.rs","limit":3}"#, &["{", "path=a.rs", "}"]);
        check(
            r#"shell{"command":["bash","-lc","ls"]}"#,
            &["{", "command=bash", "command=-lc", "command=ls", "}"],
        );
        check(r#"t{"a" : {"b":"c"},"d":"e"}"#, &["{", "{", "b=c", "}", "d=e", "}"]);
    }

    #[test]
    fn escapes_are_read() {
        check(r#"t{"a":"x\"y\\z\nw\u00e9\ud83d\ude00"}"#, &["{", "a=x\"y\\z\nw\u{e9}\u{1f600}", "}"]);
        check(r#"t{"a":"\ud83d.\uzzzz"}"#, &["{", "a=.zzzz", "}"]);
    }

    #[test]
    fn what_is_no_json_does_no_harm() {
        check("no arguments", &[]);
        check(r#"t{"a":"never ends"#, &["{", "a=never ends"]);
        check("t{\"a\":\"cut \\", &["{", "a=cut "]);
        check("t{\"a\":\"cut \\\u{e9}\"", &["{", "a=cut \u{e9}"]);
        check("t{\"\\\u{e9}", &["{", "=\u{e9}"]);
    }

    #[test]
    fn a_long_string_is_read_up_to_a_bound() {
        assert_eq!(unescaped(&"x".repeat(5000)).len(), VALUE_CHARS);
    }
}
