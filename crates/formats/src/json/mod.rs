//! JSON as text in a log: validated once, then walked by position.
//!
//! Records are not deserialized into typed structs: a field with a wrong type, a repeated key, a lone
//! surrogate, `1e400` or a depth of 10,000 would lose the whole record, and payloads must be reproduced byte
//! for byte. So `serde_json` validates each line once, and every [`Value`] is a slice of the line.

mod value;
mod fields;
mod text;
mod js;
mod object;
mod sorted;

pub(crate) use fields::Fields;
pub use js::js_json;
pub(crate) use object::{Object, list, quoted};
pub(crate) use sorted::sorted_json;
pub(crate) use text::{decode_string, is_canonical};
pub(crate) use value::{JsonType, Value, owned, string_end};

use serde::de::IgnoredAny;

/// The line's rest becomes one unparsed record.
pub(crate) const MAX_VALUES_ON_LINE: usize = 1024;

pub(crate) struct LineValues<'a> {
    pub(crate) values: Vec<Value<'a>>,
    pub(crate) rest: Option<NotJson<'a>>,
}

pub(crate) struct NotJson<'a> {
    pub(crate) text: &'a str,
    pub(crate) reason: String,
}

/// Splits `line` into JSON values: usually one, but a writer that lost a newline joins two.
pub(crate) fn values_of_line(line: &str) -> LineValues<'_> {
    if serde_json::from_str::<IgnoredAny>(line).is_ok() {
        return LineValues { values: vec![Value::trusted(line, 0)], rest: None };
    }
    let mut values = Vec::new();
    let mut stream = serde_json::Deserializer::from_str(line).into_iter::<IgnoredAny>();
    let mut start = 0;
    let reason = loop {
        match stream.next() {
            None => return LineValues { values, rest: None },
            Some(Err(error)) => break error.to_string(),
            Some(Ok(_)) if values.len() == MAX_VALUES_ON_LINE => {
                break format!("more than {MAX_VALUES_ON_LINE} records on one line");
            }
            Some(Ok(_)) => {
                let end = stream.byte_offset();
                values.push(Value::trusted(&line[start..end], start));
                start = end;
            }
        }
    };
    LineValues { values, rest: Some(NotJson { text: line[start..].trim(), reason }) }
}

pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}
