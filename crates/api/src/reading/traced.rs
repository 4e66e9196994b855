//! The requests of a rollout trace of Codex, put together from its payloads.

use std::collections::BTreeSet;

use cwl_formats::{TracedCall, TracedInput, TracedItems, traced_items, traced_request};

/// Reads a payload by its path in the folder; `None` if it is not there any more.
type Payloads<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

/// Reads a payload's items; `None` if it is not there any more, or holds none.
pub(super) fn payload_items(payloads: &Payloads<'_>, path: &str) -> Option<TracedItems> {
    traced_items(&payloads(path)?)
}

/// Returns the whole request of a call; `None` if a part of it was not traced, or is not there any more.
pub(super) fn request_body(payloads: &Payloads<'_>, calls: &[TracedCall], at: usize) -> Option<Vec<u8>> {
    // The parts of the input, the last one first: each call hands on to the one whose response it goes on from.
    let mut parts: Vec<Vec<String>> = Vec::new();
    let mut known = BTreeSet::new();
    let mut next = Some(&calls[at]);
    while let Some(call) = next.take() {
        // A trace in which responses go on from each other in a circle is none.
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
