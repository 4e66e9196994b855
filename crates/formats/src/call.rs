use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use cwl_engine::{Argument, ArgumentRole, CallReading};

use crate::json::{decode_string, string_end};
use crate::known::names_of;
use crate::todo::change_of;

/// Argument keys that hold a path or a command, from `known.toml`.
static ROLES: LazyLock<BTreeMap<&'static str, ArgumentRole>> = LazyLock::new(|| {
    let of = |list, role| names_of(list).iter().map(move |key| (key.as_str(), role));
    of("arguments.commands", ArgumentRole::Command).chain(of("arguments.paths", ArgumentRole::Path)).collect()
});

fn role_of(key: &str) -> ArgumentRole {
    ROLES.get(key).copied().unwrap_or(ArgumentRole::Text)
}

/// Reads the arguments of a call of `tool` from its counted text: the tool's name, then its arguments as
/// JSON.
///
/// Arguments that are not a JSON object become one text. Truncated JSON is read up to the cut.
pub fn read_call<'a>(tool: &str, text: &'a str) -> CallReading<'a> {
    let arguments = text.strip_prefix(tool).unwrap_or(text).trim();
    if arguments.starts_with('{') {
        return CallReading { arguments: texts_in(arguments), todo: change_of(tool, arguments) };
    }
    let whole = (!arguments.is_empty()).then(|| text_of(arguments.into()));
    CallReading { arguments: whole.into_iter().collect(), todo: None }
}

fn text_of(text: Cow<'_, str>) -> Argument<'_> {
    Argument { role: ArgumentRole::Text, text }
}

/// Lists all strings of a JSON text at any depth, in one pass; strings in a list share the list's key.
fn texts_in(json: &str) -> Vec<Argument<'_>> {
    let bytes = json.as_bytes();
    let (mut found, mut at, mut role) = (Vec::new(), 0, ArgumentRole::Text);
    while let Some(start) = memchr::memchr(b'"', bytes.get(at..).unwrap_or_default()) {
        let start = at + start;
        let end = string_end(bytes, start);
        at = end.unwrap_or(bytes.len());
        // Slicing cannot fail: both ends are character boundaries, as they are at quotes or at the end.
        let body = json.get(start + 1..end.map_or(at, |end| end - 1)).unwrap_or_default();
        if json[at..].trim_start().starts_with(':') {
            role = role_of(&decode_string(body).value);
        } else {
            found.push(Argument { role, text: decode_string(body).value });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks each argument as `role=text`: `p` for a path, `c` for a command, `t` for any other text.
    fn check(text: &str, expected: &[&str]) {
        let reading = read_call("read", text);
        let show = |argument: &Argument<'_>| {
            let role = match argument.role {
                ArgumentRole::Path => 'p',
                ArgumentRole::Command => 'c',
                ArgumentRole::Text => 't',
            };
            format!("{role}={}", argument.text)
        };
        let found: Vec<String> = reading.arguments.iter().map(show).collect();
        assert_eq!(found, expected, "call {text:?}");
    }

    #[test]
    fn texts_with_their_roles() {
        check(r#"read{"path":"a.rs"}"#, &["p=a.rs"]);
        check(r#"read{"path":"a.rs","n":12,"deep":{"x":"y"},"on":true}"#, &["p=a.rs", "t=y"]);
        check(r#"read{"paths":["a","b"],"c":"d"}"#, &["p=a", "p=b", "t=d"]);
        check(r#"read{ "path" : "a" }"#, &["p=a"]);
        check(r#"read{"command":["bash","-lc","ls"]}"#, &["c=bash", "c=-lc", "c=ls"]);
        check(r#"read{"a" : {"path":"c"},"cmd":"e"}"#, &["p=c", "c=e"]);
        check(r#"read{"a":""}"#, &["t="]);
        check("read{}", &[]);
        check("read", &[]);
        check("", &[]);
    }

    #[test]
    fn escapes() {
        check(r#"read{"a":"x\ny\t\"z\"\\w\/"}"#, &["t=x\ny\t\"z\"\\w/"]);
        check(r#"read{"a":"\u0041\u00e4\ud83d\ude00"}"#, &["t=Aä\u{1f600}"]);
        check(r#"read{"a":"\ud83d."}"#, &["t=\u{fffd}."]);
        check(r#"read{"p\u0061th":"a"}"#, &["p=a"]);
    }

    #[test]
    fn odd_texts() {
        check("read*** Begin Patch\n", &["t=*** Begin Patch"]);
        check(r#"other{"a":"b"}"#, &[r#"t=other{"a":"b"}"#]);
        check(r#"read{"a":"unclosed"#, &["t=unclosed"]);
        check(r#"read{"a":"end\"#, &["t=end\\"]);
        check(r#"read{"a":"\u4"}"#, &["t=\\u4"]);
        check(r#"read{"a"#, &["t=a"]);
        check("read{\"a\":\"cut \\\u{e9}\"", &["t=cut \\\u{e9}"]);
        check(&format!("read{{\"a\":{}", "[".repeat(100_000)), &[]);
        check(&format!("read{}", "{\"".repeat(1000)), &["t={"; 500]);
    }

    fn check_program(arguments: &str, expected: Option<&str>) {
        assert_eq!(read_call("", arguments).first_program().as_deref(), expected, "arguments {arguments}");
    }

    #[test]
    fn programs() {
        check_program(r#"{"command":"rg x"}"#, Some("rg"));
        check_program(r#"{"cmd":"fd x"}"#, Some("fd"));
        check_program(r#"{"keystrokes":"rg x\n","duration":0.1}"#, Some("rg"));
        check_program(r#"{"command":["rg","x"]}"#, Some("rg"));
        check_program(r#"{"command":["git","grep","x"]}"#, Some("git grep"));
        check_program(r#"{"command":["bash","-lc","FOO=1 rg x | head"]}"#, Some("rg"));
        check_program(r#"{"command":["/bin/sh","-c"]}"#, None);
        check_program(r#"{"command":[]}"#, None);
        check_program(r#"{"command":7}"#, None);
        check_program(r#"{"path":"x"}"#, None);
        check_program("[]", None);
    }
}
