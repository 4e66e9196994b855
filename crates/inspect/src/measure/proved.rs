//! Counts requests verified against message hashes in the log.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{EventBody, EventIdx, ProblemKind};
use cwl_formats::{fill_hole, read_logged_request};

use crate::ApiError;
use crate::api::BodyCheck;
use crate::figures::saturate_u32;
use crate::measure::opened::SessionSnapshot;

const REQUEST: &str = "api-request";

/// Counts requests, and requests whose messages all match their hashes. Returns `None` if the log records no requests.
pub(crate) fn count_proved(opened: &SessionSnapshot) -> Result<Option<BodyCheck>, ApiError> {
    let is_request = |body: &EventBody| matches!(body, EventBody::Quiet { record } if **record == *REQUEST);
    let events = (0..).map(EventIdx::new).zip(opened.log.events());
    let requests: Vec<(EventIdx, u64)> =
        events.filter(|(_, event)| is_request(&event.body)).map(|(idx, event)| (idx, event.line)).collect();
    if requests.is_empty() {
        return Ok(None);
    }
    let mut first = None;
    let mut unproved = BTreeSet::new();
    for problem in &opened.log_problems {
        if let (ProblemKind::RequestUnproved { why }, Some(line)) = (&problem.kind, problem.place.line) {
            unproved.insert(line);
            first = first.or_else(|| Some(format!("line {line}: {why}")));
        }
    }
    let indices: Vec<EventIdx> = requests.iter().map(|(idx, _)| *idx).collect();
    let envelopes = opened.texts.record_envelopes(&indices)?;
    let mut lengths: BTreeMap<String, u64> = BTreeMap::new();
    let (mut n_proved, mut n_messages, mut of_messages) = (0, 0, 0);
    for (idx, line) in &requests {
        let row = envelopes.get(idx).map(|envelope| fill_hole(envelope, "[]")).unwrap_or_default();
        let mut length = 0;
        if let Some(request) = read_logged_request(&row) {
            let of_base = request.base.and_then(|base| lengths.get(&base).copied()).unwrap_or(0);
            length = of_base.min(request.n_kept).saturating_add(request.n_behind);
            lengths.insert(request.id, length);
        }
        of_messages += length;
        if !unproved.contains(line) {
            n_proved += 1;
            n_messages += length;
        }
    }
    let (requests, of_requests) = (saturate_u32(n_proved), saturate_u32(requests.len()));
    Ok(Some(BodyCheck { requests, of_requests, messages: n_messages, of_messages, first }))
}
