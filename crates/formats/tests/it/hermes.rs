//! Hermes Agent: what happened, worked out from the final state of the rows, and damaged documents.

use cwl_engine::{EventBody, Keep};
use cwl_formats::{Format, parse_log};
use proptest::prelude::*;

use crate::damaged::is_read;
use crate::told::tell;

const RECORDS: &str = include_str!("../../../../samples/hermes/records/input.json");

fn document(session: &str, rows: &[&str]) -> String {
    format!(r#"{{"id":"s","source":"cli","started_at":1.5{session},"messages":[{}]}}"#, rows.join(","))
}

/// Returns the changes of the history, in order: the kept rows of a compaction, and what a rewind removes.
fn changes(document: &str) -> Vec<String> {
    let (events, _) = parse_log(Format::Hermes, document.as_bytes());
    let change = |parsed: &cwl_engine::ParsedEvent| match &parsed.event.body {
        EventBody::Compaction(compaction) => {
            let Keep::Entries(kept) = &compaction.keep else { panic!("{compaction:?}") };
            let kept: Vec<&str> = kept.iter().map(|entry| entry.as_str()).collect();
            let name = if compaction.summary.is_some() { "summary" } else { "no summary" };
            Some(format!("{name}, kept {}", kept.join(" ")))
        }
        EventBody::Rewrite(rewrite) => Some(format!("back {}", rewrite.changes.len())),
        _ => None,
    };
    events.iter().filter_map(change).collect()
}

#[test]
fn rows_tell_compactions_and_rewinds() {
    let row = |id: u32, text: &str, time: u32, state: &str| {
        format!(r#"{{"id":{id},"role":"user","content":"{text}","timestamp":{time},{state}}}"#)
    };
    let live = r#""active":1,"compacted":0"#;
    let archived = r#""active":0,"compacted":1"#;
    let gone = r#""active":0,"compacted":0"#;
    let summary = r#""active":1,"compacted":0,"_compressed_summary":1"#;
    let old_summary = r#""active":0,"compacted":1,"_compressed_summary":true"#;
    let check = |rows: &[(u32, &str, u32, &str)], expected: &[&str]| {
        let rows: Vec<String> =
            rows.iter().map(|(id, text, time, state)| row(*id, text, *time, state)).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        assert_eq!(changes(&document("", &rows)), expected, "{rows:#?}");
    };
    check(&[(1, "a", 1, live), (2, "b", 2, live)], &[]);
    check(&[(1, "a", 1, archived), (2, "S", 2, summary), (3, "b", 3, live)], &["summary, kept "]);
    // The first message and the last one stay.
    check(
        &[
            (1, "a", 1, archived),
            (2, "b", 2, archived),
            (3, "c", 3, gone),
            (4, "a", 1, live),
            (5, "S", 4, summary),
            (6, "c", 3, live),
            (7, "d", 5, live),
        ],
        &["summary, kept m1 m3"],
    );
    // Twice: the summary of the first is archived with the rest.
    check(
        &[(1, "a", 1, archived), (2, "S", 2, old_summary), (3, "b", 3, archived), (4, "T", 4, summary)],
        &["summary, kept ", "summary, kept "],
    );
    check(&[(1, "a", 1, live), (2, "b", 2, gone), (3, "c", 3, gone), (4, "d", 4, live)], &["back 2"]);
    check(&[(1, "a", 1, live), (2, "b", 2, gone)], &["back 1"]);
    // Nothing marks the summary.
    check(&[(1, "a", 1, archived), (2, "b", 2, live)], &["no summary, kept "]);
    // A rewrite of the list keeps the old rows as inactive ones, and writes all again.
    check(&[(1, "a", 1, gone), (2, "b", 2, gone), (3, "a", 1, live), (4, "c", 3, live)], &["back 1"]);
}

#[test]
fn rows_of_a_compaction_are_copies_whatever_their_times() {
    let row = |id: u32, rest: &str, time: &str, state: &str| {
        format!(r#"{{"id":{id},{rest},"timestamp":{time},{state}}}"#)
    };
    let live = r#""active":1,"compacted":0"#;
    let archived = r#""active":0,"compacted":1"#;
    let check = |rows: &[(u32, &str, &str, &str)], expected: &[&str]| {
        let rows: Vec<String> =
            rows.iter().map(|(id, rest, time, state)| row(*id, rest, time, state)).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        assert_eq!(changes(&document("", &rows)), expected, "{rows:#?}");
    };
    let (a, b) = (r#""role":"user","content":"a""#, r#""role":"user","content":"b""#);
    let summary = r#""role":"user","content":"[CONTEXT COMPACTION"#;
    let summary = &*format!("{summary}\"");
    let result = r#""role":"tool","content":"a long result","tool_call_id":"c""#;
    let shorter = r#""role":"tool","content":"a result","tool_call_id":"c""#;
    // Written together with the summary.
    check(
        &[(1, a, "1", archived), (2, b, "2", archived), (3, summary, "3", live), (4, b, "3.000001", live)],
        &["summary, kept m2"],
    );
    // Said again later.
    check(
        &[(1, a, "1", archived), (2, b, "2", archived), (3, summary, "3", live), (4, b, "3.5", live)],
        &["summary, kept "],
    );
    // The same human words twice in a millisecond, and nothing was archived.
    check(&[(1, a, "1", live), (2, a, "1.0001", live)], &[]);
    // A result in a shorter form.
    let before = [(1, a, "1", archived), (2, result, "2", archived)];
    check(
        &[&before[..], &[(3, a, "1", live), (4, shorter, "2", live), (5, summary, "3", live)]].concat(),
        &["summary, kept m1 m2", "back 1"],
    );
    check(
        &[&before[..], &[(3, summary, "3", live), (4, shorter, "3.000001", live)]].concat(),
        &["summary, kept m2", "back 1"],
    );
    // An id that was used again.
    check(&[&before[..], &[(3, summary, "3", live), (4, shorter, "9", live)]].concat(), &["summary, kept "]);
}

#[test]
fn reasoning_goes_back_only_to_providers_that_want_it() {
    let rows = [
        r#"{"id":1,"role":"user","content":"a","timestamp":1}"#,
        r#"{"id":2,"role":"assistant","content":"b","reasoning":"hm","timestamp":2}"#,
        r#"{"id":3,"role":"assistant","content":"c","reasoning":"so","codex_reasoning_items":[{"type":"reasoning"}],"timestamp":3}"#,
    ];
    let check = |session: &str, expected: &[bool]| {
        let session = tell(Format::Hermes, document(session, &rows).as_bytes()).session;
        let blocks = (0..session.blocks.len()).map(cwl_engine::BlockIdx::new);
        let reasoning = blocks.filter(|at| session.blocks[at.at()].kind == cwl_engine::BlockKind::Reasoning);
        assert_eq!(reasoning.map(|at| !session.is_excluded(at)).collect::<Vec<_>>(), expected);
    };
    check("", &[false, true]);
    check(r#","model":"gpt-5.5","billing_provider":"openrouter""#, &[false, true]);
    check(r#","model":"DeepSeek-V4""#, &[true, true]);
    check(r#","model":"k2","billing_provider":"kimi-coding-cn""#, &[true, true]);
    check(r#","model":"k2","billing_base_url":"https://api.moonshot.ai/v1""#, &[true, true]);
}

#[test]
fn a_session_may_begin_with_the_summary_of_another() {
    let rows = [
        r#"{"id":1,"role":"user","content":"a","timestamp":1}"#,
        r#"{"id":2,"role":"user","content":"[CONTEXT SUMMARY]: b","timestamp":2}"#,
        r#"{"id":3,"role":"user","content":"c","timestamp":3}"#,
    ];
    assert_eq!(changes(&document(r#","parent_session_id":"p""#, &rows)), [""; 0]);
    assert_eq!(
        tell(Format::Hermes, document(r#","parent_session_id":"p""#, &rows).as_bytes()).now().len(),
        3
    );
}

#[test]
fn the_context_is_what_the_rows_leave() {
    let told = tell(Format::Hermes, RECORDS.as_bytes());
    let now = told.now();
    let has = |text: &str| now.iter().any(|line| line.contains(text));
    for kept in [
        "You work in",
        "Why does feed",
        "[CONTEXT COMPACTION",
        "<memory>",
        "Keep the fetcher",
        "And the docs.",
    ] {
        assert!(has(kept), "{kept}: {now:#?}");
    }
    for gone in ["Rewrite the", "I look at", "A 404 counts", "Now release"] {
        assert!(!has(gone), "{gone}: {now:#?}");
    }
}

/// The sample's document with some bytes taken out or put in.
fn any_log() -> impl Strategy<Value = Vec<u8>> {
    let cuts = proptest::collection::vec((any::<proptest::sample::Index>(), 0usize..40, ".{0,8}"), 0..4);
    cuts.prop_map(|cuts| {
        let mut bytes = RECORDS.as_bytes().to_vec();
        for (at, n_gone, new) in cuts {
            let at = at.index(bytes.len());
            let end = (at + n_gone).min(bytes.len());
            bytes.splice(at..end, new.into_bytes());
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_log_is_read(log in any_log(), cut in any::<proptest::sample::Index>()) {
        is_read(Format::Hermes, &log, cut)?;
    }
}
