use cwl_engine::{Content, RawPayload};

use crate::json::{JsonType, Value, is_canonical, quoted};

/// Puts `inner` into the hole; a `payload` without one is returned unchanged.
pub fn fill_hole(payload: &RawPayload, inner: &str) -> String {
    match payload {
        RawPayload::Whole(raw) => raw.clone(),
        RawPayload::Around { before, after } => [before, inner, after].concat(),
    }
}

/// Restores a block's exact JSON.
pub fn block_json(content: &Content) -> String {
    match &content.raw {
        RawPayload::Whole(raw) => raw.clone(),
        around @ RawPayload::Around { .. } => fill_hole(around, &quoted(&content.text)),
    }
}

pub(crate) fn whole_payload(value: Value<'_>) -> RawPayload {
    RawPayload::Whole(value.raw().to_owned())
}

/// Leaves a hole for a text or list.
pub(crate) fn payload_around(value: Value<'_>, content: Option<Value<'_>>) -> RawPayload {
    let hole = content.filter(|content| matches!(content.kind(), JsonType::Text | JsonType::List));
    with_hole(value, hole)
}

/// Leaves a hole for `text`, if the decoded text can reproduce the bytes.
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
