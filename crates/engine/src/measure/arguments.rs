//! Arguments: the texts in a call, read in one pass without recursion, whatever the log holds.

use alloc::string::String;
use core::iter::Peekable;
use core::str::Chars;

/// Calls `each` with the name and the value of every text among a call's arguments, in order.
///
/// `text` is a call as it is counted: the tool's name, then its arguments as JSON. An item of a list has the
/// name of the list. What is no JSON object is one value without a name. Half a JSON text gives what it has.
pub(super) fn each_argument(text: &str, tool: &str, mut each: impl FnMut(&str, &str)) {
    let arguments = text.strip_prefix(tool).unwrap_or(text).trim();
    if !arguments.starts_with('{') {
        if !arguments.is_empty() {
            each("", arguments);
        }
        return;
    }
    let mut chars = arguments.chars().peekable();
    let (mut name, mut value) = (String::new(), String::new());
    while let Some(c) = chars.next() {
        if c != '"' {
            continue;
        }
        value.clear();
        read_string(&mut chars, &mut value);
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        if chars.next_if_eq(&':').is_some() {
            core::mem::swap(&mut name, &mut value);
        } else {
            each(&name, &value);
        }
    }
}

/// Reads a JSON string from after its first quote to after its last one.
fn read_string(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '"' => return,
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some('t') => out.push('\t'),
                Some('b' | 'f') => out.push(' '),
                Some('u') => out.push(read_unicode(chars)),
                Some(escaped) => out.push(escaped),
                None => return,
            },
            _ => out.push(c),
        }
    }
}

/// Reads four hexadecimal digits; halves of a pair become one replacement character each.
fn read_unicode(chars: &mut Peekable<Chars<'_>>) -> char {
    let mut code = 0;
    for _ in 0..4 {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) else { break };
        code = code * 16 + digit;
        chars.next();
    }
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let mut found = alloc::vec::Vec::new();
        each_argument(text, "read", |name, value| found.push((String::from(name), String::from(value))));
        let found: alloc::vec::Vec<(&str, &str)> =
            found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expected, "call {text:?}");
    }

    #[test]
    fn texts_with_their_names() {
        check(r#"read{"path":"a.rs"}"#, &[("path", "a.rs")]);
        check(r#"read{"path":"a.rs","n":12,"deep":{"x":"y"},"on":true}"#, &[("path", "a.rs"), ("x", "y")]);
        check(r#"read{"paths":["a","b"],"c":"d"}"#, &[("paths", "a"), ("paths", "b"), ("c", "d")]);
        check(r#"read{ "path" : "a" }"#, &[("path", "a")]);
        check(r#"read{"a":""}"#, &[("a", "")]);
        check("read{}", &[]);
        check("read", &[]);
        check("", &[]);
    }

    #[test]
    fn escapes() {
        check(r#"read{"a":"x\ny\t\"z\"\\w\/"}"#, &[("a", "x\ny\t\"z\"\\w/")]);
        check(r#"read{"a":"\u0041\u00e4"}"#, &[("a", "Aä")]);
        check(r#"read{"a":"\ud83d\ude00"}"#, &[("a", "\u{fffd}\u{fffd}")]);
        check(r#"read{"a":"\u4"}"#, &[("a", "\u{4}")]);
    }

    #[test]
    fn odd_texts() {
        check("read*** Begin Patch\n", &[("", "*** Begin Patch")]);
        check(r#"other{"a":"b"}"#, &[("", r#"other{"a":"b"}"#)]);
        check(r#"read{"a":"unclosed"#, &[("a", "unclosed")]);
        check(r#"read{"a":"end\"#, &[("a", "end")]);
        check(r#"read{"a"#, &[("", "a")]);
        check(&alloc::format!("read{{\"a\":{}", "[".repeat(100_000)), &[]);
    }
}
