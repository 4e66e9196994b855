//! JSON with sorted keys and without spaces, as hashed by Claude Code.

use super::js::js_json;
use super::object::quoted;
use super::value::{JsonType, Value};

const MAX_DEPTH: usize = 200;

/// Rewrites JSON like `JSON.stringify`, but with all keys sorted by UTF-16 code units; `None` if nested too
/// deep.
pub(crate) fn sorted_json(raw: &str) -> Option<String> {
    let text = js_json(raw);
    let mut out = String::with_capacity(text.len());
    write_sorted(Value::trusted(&text, 0), MAX_DEPTH, &mut out)?;
    Some(out)
}

fn write_sorted(value: Value<'_>, depth: usize, out: &mut String) -> Option<()> {
    match value.kind() {
        JsonType::Object => {
            let depth = depth.checked_sub(1)?;
            let mut members: Vec<(String, Value<'_>)> = value
                .members()
                .map(|(key, member)| Some((key.string()?.into_owned(), member)))
                .collect::<Option<_>>()?;
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (at, (key, member)) in members.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&quoted(&key));
                out.push(':');
                write_sorted(member, depth, out)?;
            }
            out.push('}');
        }
        JsonType::List => {
            let depth = depth.checked_sub(1)?;
            out.push('[');
            for (at, item) in value.items().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_sorted(item, depth, out)?;
            }
            out.push(']');
        }
        JsonType::Null | JsonType::Bool(_) | JsonType::Number | JsonType::Text => out.push_str(value.raw()),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expected: &str) {
        assert_eq!(sorted_json(raw).as_deref(), Some(expected), "{raw}");
    }

    #[test]
    fn keys_are_sorted_at_every_depth() {
        check(r#"{"b": [ {"d":1, "c": "é\u00e9\/"} ], "a": 1.0}"#, r#"{"a":1,"b":[{"c":"éé/","d":1}]}"#);
        // Array indices are sorted like other keys, and U+FF5E comes behind a surrogate pair.
        check(r#"{"10":1,"9":2,"a":3}"#, r#"{"10":1,"9":2,"a":3}"#);
        check("{\"\u{ff5e}\":1,\"\u{1f600}\":2}", "{\"\u{1f600}\":2,\"\u{ff5e}\":1}");
        check("[]", "[]");
        assert_eq!(
            sorted_json(&"[".repeat(500).chars().chain("]".repeat(500).chars()).collect::<String>()),
            None
        );
    }
}
