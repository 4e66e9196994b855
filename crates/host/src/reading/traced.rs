//! Requests in a Codex rollout trace, assembled from its payload files.

use std::collections::BTreeSet;

use cwl_formats::{TracedCall, TracedInput, TracedItems, traced_items, traced_request};

/// Reads a payload by its path in the folder. `None` if the file is gone.
type Payloads<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

/// `None` if the payload is gone or has no items.
pub(super) fn payload_items(payloads: &Payloads<'_>, path: &str) -> Option<TracedItems> {
    traced_items(&payloads(path)?)
}

/// Assembles the whole request for call `at`. `None` if a part was not traced or is gone.
pub(super) fn request_body(payloads: &Payloads<'_>, calls: &[TracedCall], at: usize) -> Option<Vec<u8>> {
    // Input parts, last one first: each call links to the call whose response it continues.
    let mut parts: Vec<Vec<String>> = Vec::new();
    let mut known = BTreeSet::new();
    let mut next = Some(&calls[at]);
    while let Some(call) = next.take() {
        // Calls that continue each other in a circle give no request.
        if !known.insert(&*call.request) {
            return None;
        }
        let own = payload_items(payloads, &call.request)?;
        parts.push(own.items);
        let before = match &call.input {
            TracedInput::Whole => None,
            TracedInput::Unsaid => own.previous,
            TracedInput::After(response) => Some(response.clone()),
            TracedInput::AfterPayload(path) => {
                parts.push(payload_items(payloads, path)?.items);
                None
            }
        };
        if let Some(response) = before {
            let before = calls.iter().find(|call| call.response == response)?;
            parts.push(payload_items(payloads, &before.output)?.items);
            next = Some(before);
        }
    }
    let items: Vec<String> = parts.into_iter().rev().flatten().collect();
    traced_request(&payloads(&calls[at].request)?, &items)
}
