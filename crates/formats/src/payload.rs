//! Payloads back to JSON: the other half of what the adapters take apart.

use cwl_engine::{Content, RawPayload};

use crate::json::{JsonType, Value, is_canonical, quoted};

/// Puts JSON into a payload's hole; `payload` without a hole comes back as it is.
pub fn fill_hole(payload: &RawPayload, inner: &str) -> String {
    match payload {
        RawPayload::Whole(raw) => raw.clone(),
        RawPayload::Around { before, after } => [before, inner, after].concat(),
    }
}

/// Returns a block's JSON as it stands in the log, byte for byte.
pub fn block_json(content: &Content) -> String {
    match &content.raw {
        RawPayload::Whole(raw) => raw.clone(),
        around @ RawPayload::Around { .. } => fill_hole(around, &quoted(&content.text)),
    }
}

/// Returns a value's bytes.
pub(crate) fn whole_payload(value: Value<'_>) -> RawPayload {
    RawPayload::Whole(value.raw().to_owned())
}

/// Returns the bytes of a message or record with a hole where its content stands.
pub(crate) fn payload_around(value: Value<'_>, content: Option<Value<'_>>) -> RawPayload {
    let hole = content.filter(|content| matches!(content.kind(), JsonType::Text | JsonType::List));
    with_hole(value, hole)
}

/// Returns a value's bytes, with a hole where a string's text can stand for its bytes.
pub(crate) fn around_text(value: Value<'_>, text: Option<Value<'_>>) -> RawPayload {
    let hole = text.filter(|text| text.string_body().is_some_and(is_canonical));
    with_hole(value, hole)
}

fn with_hole(value: Value<'_>, hole: Option<Value<'_>>) -> RawPayload {
    match hole.and_then(|hole| value.around(hole)) {
        Some((before, after)) => RawPayload::Around { before: before.to_owned(), after: after.to_owned() },
        None => whole_payload(value),
    }
}
