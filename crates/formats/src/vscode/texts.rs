//! Texts that the log cuts short, and outputs that are trees of VS Code's prompt library.

use std::borrow::Cow;

use crate::json::{Value, decode_string, owned};

pub(super) const CUT: &str = "[truncated]";
/// Shorter texts are never cut.
const LEAST_CUT: usize = 5000;

/// Text before the mark of a cut. `None` for a whole text.
pub(super) fn before_cut(text: &str) -> Option<&str> {
    text.strip_suffix(CUT).filter(|text| text.len() >= LEAST_CUT)
}

pub(super) fn string_or_start(value: Value<'_>) -> Option<Cow<'_, str>> {
    value.string().or_else(|| {
        let body = value.raw().strip_prefix('"')?;
        Some(decode_string(without_torn_escape(body)).value)
    })
}

/// A cut in an escape leaves its beginning.
fn without_torn_escape(body: &str) -> &str {
    const LONGEST: usize = "\\u0000".len();
    let bytes = body.as_bytes();
    let from = bytes.len().saturating_sub(LONGEST - 1);
    for at in (from..bytes.len()).rev().filter(|at| bytes[*at] == b'\\') {
        let n_before = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        let is_escape = n_before % 2 == 0;
        let length = if bytes.get(at + 1) == Some(&b'u') { LONGEST } else { 2 };
        if is_escape && at + length > bytes.len() {
            return &body[..at];
        }
    }
    body
}

pub(super) const TREE: &str = r#"{"node":{"#;
const TEXT_NODE: f64 = 2.0;
const PICTURE_NODE: f64 = 3.0;
/// Each level is read again with those above.
const DEEPEST: usize = 64;

/// Joins the texts of a tree in the order in which VS Code renders them; `None` for any other output.
pub(super) fn texts_of_tree(output: &str) -> Option<String> {
    if !output.starts_with(TREE) {
        return None;
    }
    let root = Value::trusted(output, 0).get("node")?;
    let mut text = String::new();
    let mut open = vec![(root, 0)];
    while let Some((node, depth)) = open.pop() {
        let [kind, ctor, own, breaks, children] =
            node.fields(["type", "ctor", "text", "lineBreakBefore", "children"]);
        if kind.and_then(Value::number) == Some(TEXT_NODE) {
            if breaks.is_some_and(Value::is_true) {
                text.push('\n');
            }
            text.push_str(&own.and_then(string_or_start).unwrap_or_default());
        } else if ctor.and_then(Value::number) == Some(PICTURE_NODE) {
            text.push_str("<image>");
        } else if depth < DEEPEST {
            let children: Vec<Value<'_>> = children.into_iter().flat_map(Value::items).collect();
            open.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
        }
    }
    Some(text)
}

pub(super) fn arguments_of(value: Value<'_>) -> String {
    owned(Some(value))
        .or_else(|| string_or_start(value).map(Cow::into_owned))
        .unwrap_or_else(|| value.raw().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_texts() {
        let long = "x".repeat(LEAST_CUT);
        assert_eq!(before_cut(&format!("{long}{CUT}")), Some(long.as_str()));
        assert_eq!(before_cut(&long), None);
        assert_eq!(before_cut("a text that ends with [truncated]"), None);
    }

    #[test]
    fn strings_without_an_end() {
        let check = |json: &str, expected: Option<&str>| {
            assert_eq!(string_or_start(Value::trusted(json, 0)).as_deref(), expected, "{json}");
        };
        check(r#""whole""#, Some("whole"));
        check(r#""a\nb"#, Some("a\nb"));
        check(r#""a\"#, Some("a"));
        check(r#""a\\"#, Some("a\\"));
        check(r#""a\\\"#, Some("a\\"));
        check(r#""a\u00"#, Some("a"));
        check(r#""a\u0041"#, Some("aA"));
        check(r#""é\u00"#, Some("é"));
        check("\"", Some(""));
        check("7", None);
    }

    #[test]
    fn trees_are_their_texts() {
        let check = |tree: &str, expected: Option<&str>| {
            assert_eq!(texts_of_tree(tree).as_deref(), expected, "{tree}");
        };
        let tree = r#"{"node":{"type":1,"ctor":2,"children":[{"type":2,"text":"a","lineBreakBefore":false},{"type":1,"ctor":2,"children":[{"type":2,"text":"b","lineBreakBefore":true}]},{"type":1,"ctor":3,"children":[]},{"type":2,"text":"c"}]}}"#;
        check(tree, Some("a\nb<image>c"));
        check(&tree[..75], Some("a"));
        check(r#"{"node":{"type":1,"ctor":2,"children":[{"type":2,"text":"ab"#, Some("ab"));
        check(r#"{"node":{}}"#, Some(""));
        check(r#"{"node":7}"#, None);
        check("plain", None);
        check(&format!("{TREE}\"children\":[{}", "{\"children\":[".repeat(10_000)), Some(""));
    }
}
