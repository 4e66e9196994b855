//! JSON as bytes in a log: validated once, then walked by position.
//!
//! Records are not deserialized into typed structs, because one field of a wrong type, a key given twice, a
//! lone surrogate, `1e400` or a depth of 10,000 would cost the whole record, and because payloads must come
//! out byte for byte. So `serde_json` says once whether a line is JSON, and [`Value`]s are slices of it.

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

/// The most records that are read from one line; the rest of such a line is kept as one.
pub(crate) const MAX_VALUES_ON_LINE: usize = 1024;

/// The content of one line: values one after the other, and behind them text that is no JSON.
pub(crate) struct LineValues<'a> {
    pub(crate) values: Vec<Value<'a>>,
    pub(crate) rest: Option<NotJson<'a>>,
}

/// Text that is not JSON, with the parser's reason.
pub(crate) struct NotJson<'a> {
    pub(crate) text: &'a str,
    pub(crate) reason: String,
}

/// Splits `line` into its JSON values. Nearly every line holds one; a writer that lost a newline glues two.
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

/// Returns whether `text` is one JSON value and nothing else.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}
