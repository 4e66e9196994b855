//! JSON values: a member's name tells whether the text under it is a secret.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::plain::is_placeholder;
use crate::rule::rules;
use crate::{LEFT_OUT, MOST_DEPTH, Redactor};

fn names() -> &'static Result<Regex, String> {
    static NAMES: LazyLock<Result<Regex, String>> = LazyLock::new(|| {
        let names = &rules().ok_or("there are no rules")?.names;
        Regex::new(&format!(r"(?i-u)(?:{names})$")).map_err(|error| error.to_string())
    });
    &NAMES
}

pub(crate) fn ready() -> Result<(), String> {
    names().as_ref().map(|_| ()).map_err(Clone::clone)
}

pub(crate) fn kind_of_name(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    if rules()?.headers.contains(&lower) {
        return Some(if lower.contains("cookie") { "cookie" } else { "authorization" });
    }
    names().as_ref().is_ok_and(|names| names.is_match(name)).then_some("secret")
}

/// Calls `each` with every text in `value` and the kind its name implies. `promised` is the kind implied for
/// the whole value.
pub(crate) fn walk(
    value: &Value,
    promised: Option<&'static str>,
    depth: usize,
    each: &mut impl FnMut(&str, Option<&'static str>),
) {
    if depth > MOST_DEPTH {
        return;
    }
    match value {
        Value::String(text) => each(text, promised.filter(|_| !is_placeholder(text))),
        Value::Array(list) => list.iter().for_each(|one| walk(one, promised, depth + 1, each)),
        Value::Object(object) => {
            let promises = MemberPromises::from_object(object);
            for (name, one) in object {
                each(name, None);
                walk(one, promises.kind_of_member(name, promised), depth + 1, each);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Kinds an object implies for its members, besides their own names.
struct MemberPromises {
    /// From a pair such as `{"name": "Authorization", "value": …}`.
    of_value: Option<&'static str>,
    /// True for a Kubernetes secret, whose data are secret under any name.
    is_manifest: bool,
}

impl MemberPromises {
    fn from_object(object: &Map<String, Value>) -> Self {
        let text = |name: &str| object.get(name)?.as_str();
        let name = ["name", "key", "header"].into_iter().find_map(text);
        Self { of_value: name.and_then(kind_of_name), is_manifest: text("kind") == Some("Secret") }
    }

    fn kind_of_member(&self, name: &str, outer: Option<&'static str>) -> Option<&'static str> {
        let of_data = || (self.is_manifest && matches!(name, "data" | "stringData")).then_some("secret");
        let of_value = || self.of_value.filter(|_| name.eq_ignore_ascii_case("value"));
        kind_of_name(name).or_else(of_value).or_else(of_data).or(outer)
    }
}

pub(crate) fn write(
    value: &Value,
    promised: Option<&'static str>,
    depth: usize,
    redactor: &mut Redactor,
) -> Value {
    if depth > MOST_DEPTH {
        redactor.n_left_out += 1;
        return Value::String(LEFT_OUT.to_owned());
    }
    match value {
        Value::String(text) => match promised.filter(|_| !text.is_empty() && !is_placeholder(text)) {
            Some(kind) => Value::String(redactor.mark(text, kind)),
            None => Value::String(redactor.text(text)),
        },
        Value::Array(list) => {
            Value::Array(list.iter().map(|one| write(one, promised, depth + 1, redactor)).collect())
        }
        Value::Object(object) => {
            let promises = MemberPromises::from_object(object);
            let written = object.iter().map(|(name, one)| {
                let promised = promises.kind_of_member(name, promised);
                (redactor.text(name), write(one, promised, depth + 1, redactor))
            });
            Value::Object(written.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

pub(crate) fn secrets_in_json(text: &str, each: &mut impl FnMut(&str, &'static str)) {
    let mut look = |json: &str| {
        let Ok(value) = serde_json::from_str::<Value>(json) else { return false };
        walk(&value, None, 0, &mut |text, kind| {
            if let Some(kind) = kind {
                each(text, kind);
            }
        });
        true
    };
    let trimmed = text.trim();
    // A call's text is the tool's name followed by its arguments.
    let Some(start) = trimmed.find(['{', '[']) else { return };
    if look(&trimmed[start..]) || !trimmed.contains('\n') {
        return;
    }
    for line in trimmed.lines().map(str::trim).filter(|line| line.starts_with('{') && line.ends_with('}')) {
        look(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_promise_secrets() {
        for name in [
            "password",
            "DB_PASSWORD",
            "apiKey",
            "api_key",
            "x-api-key",
            "OPENAI_API_KEY",
            "clientSecret",
            "token",
            "accessToken",
            "Authorization",
            "Set-Cookie",
        ] {
            assert!(kind_of_name(name).is_some(), "{name}");
        }
        for name in
            ["tokens", "max_tokens", "tokenizer", "key", "keyboard", "path", "command", "secretary", "author"]
        {
            assert!(kind_of_name(name).is_none(), "{name}");
        }
    }
}
