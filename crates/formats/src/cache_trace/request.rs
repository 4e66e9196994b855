//! One request of a trace.

use crate::json::{JsonType, Value, owned};
use crate::notes::Notes;

/// Blocks of one prompt; the rest of a hostile one is dropped.
const MOST_BLOCKS: usize = 1 << 20;

#[derive(Clone)]
pub(super) struct TraceRequest {
    pub(super) line: u64,
    /// From 1.
    pub(super) nth: u64,
    /// Milliseconds since the session began.
    pub(super) at_ms: Option<i64>,
    pub(super) model: Option<String>,
    pub(super) n_input: u64,
    pub(super) n_output: u64,
    /// Whole blocks of the prompt.
    pub(super) hashes: Vec<u64>,
    /// Blocks at the beginning that the request before had, too. Counts as read from the prompt cache.
    pub(super) n_cached_blocks: u64,
    pub(super) content: RequestContent,
    /// `None` if the trace does not tell what the reply holds.
    pub(super) calls_tool: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestContent {
    /// Text alone, which may be the human's.
    Texts,
    /// Results of tools, maybe with texts around them.
    Results,
    /// Also parts of replies, as after a compaction or when another conversation follows.
    Mixed,
}

pub(super) fn read_request(value: Value<'_>, line: u64, nth: u64, notes: &mut Notes<'_>) -> TraceRequest {
    let [time, model, input, output, hashes, inputs, outputs] =
        value.fields(["t", "model", "in", "out", "hash_ids", "input_types", "output_types"]);
    let seconds = time.and_then(Value::number).filter(|seconds| seconds.is_finite());
    if time.is_some() && seconds.is_none() {
        notes.odd("t");
    }
    let n_input = notes.tokens(input, "in").unwrap_or(0);
    let n_output = notes.tokens(output, "out").unwrap_or(0);
    if hashes.is_some_and(|hashes| hashes.kind() != JsonType::List) {
        notes.odd("hash_ids");
    }
    let mut known = Vec::new();
    for hash in hashes.into_iter().flat_map(Value::items).take(MOST_BLOCKS) {
        match hash.raw().parse() {
            Ok(hash) => known.push(hash),
            Err(_) => {
                notes.odd("hash_ids");
                break;
            }
        }
    }
    let has = |kinds: Option<Value<'_>>, wanted: &str| {
        kinds.into_iter().flat_map(Value::items).any(|kind| kind.string_body() == Some(wanted))
    };
    let content = match (has(inputs, "tool_use") || has(inputs, "thinking"), has(inputs, "tool_result")) {
        (true, _) => RequestContent::Mixed,
        (false, true) => RequestContent::Results,
        (false, false) => RequestContent::Texts,
    };
    let tells_output = outputs.is_some_and(|outputs| outputs.items().next().is_some());
    TraceRequest {
        line,
        nth,
        // The cast saturates.
        at_ms: seconds.map(|seconds| (seconds * 1000.0) as i64),
        model: owned(model).filter(|model| !model.is_empty()),
        n_input,
        n_output,
        hashes: known,
        n_cached_blocks: 0,
        content,
        calls_tool: tells_output.then(|| has(outputs, "tool_use")),
    }
}
