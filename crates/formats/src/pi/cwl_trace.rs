//! The trace that pi-cwl writes beside a session: the evictions it made.
//!
//! pi-cwl rewrites the trace after every turn, not atomically, so a reader may find a truncated file.
//! Messages in the trace are only a copy for display; the session's log is the source.

use cwl_engine::{EntryId, EpisodeName, Place, Problem, ProblemKind};
use serde::{Deserialize, Serialize};

use crate::blocks::MAX_PARTS;
use crate::json::{Fields, JsonType, Value, is_json};
use crate::notes::Notes;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PiCwlTrace {
    pub session: Option<String>,
    /// Eviction threshold in tokens: the last one used, or else the default.
    pub budget: Option<u64>,
    /// Context window in tokens; `None` for an unknown model.
    pub window: Option<u64>,
    /// Eviction passes in order. A chunk is listed only in the pass that first evicted it.
    pub cleanups: Vec<Cleanup>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Cleanup {
    /// From 1.
    pub sequence: u64,
    /// Milliseconds since 1970.
    pub at_ms: Option<i64>,
    pub budget: Option<u64>,
    pub tokens_before: u64,
    pub tokens_after: u64,
    /// Records touched by the pass, including partly evicted ones; always empty if pi ran with extensions.
    pub entries: Vec<EntryId>,
    pub chunks: Vec<EvictedChunk>,
}

/// One chunk (an episode) evicted in a pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvictedChunk {
    pub name: EpisodeName,
    /// `expl` or `act`, unchecked.
    pub kind: String,
    pub fully_removed: bool,
    pub steps: Vec<EvictedStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvictedStep {
    /// `thinking`, `search_tools`, `bash_tools`, `read_tools` or `entire_chunk`, unchecked.
    pub step: String,
    pub tokens_before: u64,
    pub tokens_after: u64,
}

/// Reads a trace of pi-cwl. A truncated trace gives an empty [`PiCwlTrace`] and a problem.
pub fn read_cwl_trace(bytes: &[u8]) -> (PiCwlTrace, Vec<Problem>) {
    let mut problems = Vec::new();
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let text = text.trim();
    let document = Value::trusted(text, 0);
    if !is_json(text) || document.kind() != JsonType::Object {
        problems.push(Problem { place: Place::at_line(1), kind: ProblemKind::TornLine });
        return (PiCwlTrace::default(), problems);
    }
    let mut notes = Notes::new(1, EntryId::of_line(1), &mut problems);
    let [session, model, trace] = document.fields(["sessionID", "model", "trace"]);
    let window = model.and_then(|model| model.get("limit")?.get("context"));
    let [threshold, cleanups] = trace.map_or([None; 2], |trace| trace.fields(["threshold", "cleanups"]));
    let default = threshold.and_then(|threshold| threshold.get("default"));
    let history = cleanups.and_then(|cleanups| cleanups.get("history"));
    if trace.is_none_or(|trace| trace.kind() != JsonType::Object) {
        notes.odd("trace");
    }
    let session = notes.text(session, "sessionID").map(|id| id.into_owned());
    // An unknown model has a window of 0.
    let window = notes.tokens(window, "model.limit.context").filter(|window| *window > 0);
    let default = notes.tokens(default, "trace.threshold.default");
    let cleanups: Vec<Cleanup> =
        list_items(history).map(|cleanup| read_cleanup(cleanup, &mut notes)).collect();
    let used = cleanups.iter().rev().find_map(|cleanup| cleanup.budget);
    (PiCwlTrace { session, budget: used.or(default), window, cleanups }, problems)
}

fn read_cleanup(cleanup: Value<'_>, notes: &mut Notes<'_>) -> Cleanup {
    let cleanup = Fields::parse(cleanup);
    let ids = list_items(cleanup.get("evictedMessageIds"));
    let entries = ids.filter_map(|id| notes.text(Some(id), "evictedMessageIds")).map(EntryId::new).collect();
    let chunks = cleanup.get("stats").and_then(|stats| stats.get("chunks"));
    Cleanup {
        sequence: notes.count(cleanup.get("sequence"), "sequence").unwrap_or(0),
        at_ms: notes.count(cleanup.get("timestamp"), "timestamp").and_then(|ms| i64::try_from(ms).ok()),
        budget: notes.tokens(cleanup.get("threshold"), "threshold"),
        tokens_before: required_count(cleanup.get("tokensBefore"), "tokensBefore", notes),
        tokens_after: required_count(cleanup.get("tokensAfter"), "tokensAfter", notes),
        entries,
        chunks: list_items(chunks).map(|chunk| read_chunk(chunk, notes)).collect(),
    }
}

fn read_chunk(chunk: Value<'_>, notes: &mut Notes<'_>) -> EvictedChunk {
    let [name, kind, removed, steps] = chunk.fields(["chunkName", "chunkKind", "fullyRemoved", "steps"]);
    EvictedChunk {
        name: EpisodeName::new(notes.required_text(name, "chunkName")),
        kind: notes.required_text(kind, "chunkKind").into_owned(),
        fully_removed: notes.flag(removed, "fullyRemoved"),
        steps: list_items(steps).map(|step| read_step(step, notes)).collect(),
    }
}

fn read_step(step: Value<'_>, notes: &mut Notes<'_>) -> EvictedStep {
    let [name, before, after] = step.fields(["step", "tokensBefore", "tokensAfter"]);
    EvictedStep {
        step: notes.required_text(name, "step").into_owned(),
        tokens_before: required_count(before, "tokensBefore", notes),
        tokens_after: required_count(after, "tokensAfter", notes),
    }
}

fn required_count(value: Option<Value<'_>>, field: &str, notes: &mut Notes<'_>) -> u64 {
    if value.is_none_or(Value::is_null) {
        notes.odd(field);
    }
    notes.tokens(value, field).unwrap_or(0)
}

fn list_items<'a>(list: Option<Value<'a>>) -> impl Iterator<Item = Value<'a>> {
    list.into_iter().flat_map(Value::items).take(MAX_PARTS as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = include_str!("../../../../samples/pi-cwl/loop/trace.json");

    fn check(text: &str, expected: &PiCwlTrace, problems: &[&str]) {
        let (trace, found) = read_cwl_trace(text.as_bytes());
        assert_eq!(trace, *expected, "{text}");
        let found: Vec<String> = found.iter().map(|problem| problem.kind.to_string()).collect();
        assert_eq!(found, problems, "{text}");
    }

    #[test]
    fn the_sample() {
        let (trace, problems) = read_cwl_trace(SAMPLE.as_bytes());
        assert_eq!(problems, []);
        assert_eq!((trace.budget, trace.window), (Some(900), Some(200_000)));
        let passes: Vec<(u64, u64, usize)> =
            trace.cleanups.iter().map(|it| (it.tokens_before, it.tokens_after, it.entries.len())).collect();
        assert_eq!(passes, [(1_040, 940, 1), (940, 890, 0)]);
        let steps: Vec<(&str, bool, Vec<&str>)> = trace
            .cleanups
            .iter()
            .flat_map(|cleanup| &cleanup.chunks)
            .map(|it| (it.name.as_str(), it.fully_removed, it.steps.iter().map(|step| &*step.step).collect()))
            .collect();
        assert_eq!(
            steps,
            [
                ("silence-future-times", true, vec!["bash_tools", "entire_chunk"]),
                ("find-ago-callers", false, vec!["thinking"]),
            ]
        );
    }

    #[test]
    fn a_trace_without_evictions_has_the_default_budget() {
        let expected =
            PiCwlTrace { session: Some("s".into()), budget: Some(80_000), ..PiCwlTrace::default() };
        check(
            r#"{"sessionID":"s","model":{"limit":{"context":0}},"trace":{"threshold":{"default":80000},"cleanups":{"history":[]}}}"#,
            &expected,
            &[],
        );
    }

    #[test]
    fn odd_traces() {
        let odd = |field: &str| format!("`{field}` is missing or has an invalid value");
        check("", &PiCwlTrace::default(), &["the last line has no end; it is read again when it grows"]);
        check("[]", &PiCwlTrace::default(), &["the last line has no end; it is read again when it grows"]);
        check("{}", &PiCwlTrace::default(), &[&odd("trace")]);
        let cleanup = Cleanup { tokens_after: 7, ..Cleanup::default() };
        check(
            r#"{"trace":{"cleanups":{"history":[{"tokensAfter":7,"stats":{"chunks":42}}]}}}"#,
            &PiCwlTrace { cleanups: vec![cleanup], ..PiCwlTrace::default() },
            &[&odd("tokensBefore")],
        );
    }

    #[test]
    fn cut_anywhere_it_is_half_a_trace() {
        for cut in (0..SAMPLE.len() - 2).step_by(7) {
            let (trace, problems) = read_cwl_trace(&SAMPLE.as_bytes()[..cut]);
            assert_eq!((trace, problems.len()), (PiCwlTrace::default(), 1), "cut at {cut}");
        }
    }
}
