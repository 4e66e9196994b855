//! Restores JSON from payloads.

use cwl_engine::{Content, RawPayload};

use crate::json::{JsonType, Value, is_canonical, quoted};

/// Returns `payload` with `inner` in its hole; a payload without a hole is returned unchanged.
pub fn fill_hole(payload: &RawPayload, inner: &str) -> String {
    match payload {
        RawPayload::Whole(raw) => raw.clone(),
        RawPayload::Around { before, after } => [before, inner, after].concat(),
    }
}

/// Returns a block's JSON exactly as in the log.
pub fn block_json(content: &Content) -> String {
    match &content.raw {
        RawPayload::Whole(raw) => raw.clone(),
        around @ RawPayload::Around { .. } => fill_hole(around, &quoted(&content.text)),
    }
}

pub(crate) fn whole_payload(value: Value<'_>) -> RawPayload {
    RawPayload::Whole(value.raw().to_owned())
}

/// Returns the value's JSON with a hole for its content, if this is a text or a list.
pub(crate) fn payload_around(value: Value<'_>, content: Option<Value<'_>>) -> RawPayload {
    let hole = content.filter(|content| matches!(content.kind(), JsonType::Text | JsonType::List));
    with_hole(value, hole)
}

/// Returns the value's JSON with a hole for `text`, if the bytes can be reproduced from the decoded text.
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
