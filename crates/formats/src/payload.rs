//! Payloads back to JSON: the other half of what the adapters take apart.

use cwl_engine::{Content, RawPayload};

use crate::json::push_text;

/// Puts JSON into a payload's hole; a payload without a hole comes back as it is.
pub fn fill(payload: &RawPayload, inner: &str) -> String {
    match payload {
        RawPayload::Whole(raw) => raw.clone(),
        RawPayload::Around { before, after } => [before, inner, after].concat(),
    }
}

/// Returns a block's JSON as it stands in the log, byte for byte.
pub fn block_json(content: &Content) -> String {
    match &content.raw {
        RawPayload::Whole(raw) => raw.clone(),
        around @ RawPayload::Around { .. } => {
            let mut text = String::with_capacity(content.text.len() + 2);
            push_text(&mut text, &content.text);
            fill(around, &text)
        }
    }
}
