//! Trees: parallel calls, forks, gaps and cycles; compactions and clearings.

use cwl_engine::{History, Parent};
use serde_json::{Value, json};

use super::log::{Log, calls, lines, result, row, says, user};
use super::samples::sample;

fn check(log: &Log, turn: u32, expected: &[&str]) {
    assert_eq!(log.context(log.turn(turn)), expected, "turn {turn}");
}

#[test]
fn results_beside_the_chain_are_in_the_context() {
    let log = Log::from_rows(&[
        user("u", None, json!("look")),
        says("a1", Some("u"), "m1", "both"),
        calls("a2", Some("a1"), "m1", "c1"),
        calls("a3", Some("a2"), "m1", "c2"),
        result("r1", Some("a2"), "c1", "one"),
        result("r2", Some("a3"), "c2", "two"),
        says("b", Some("r2"), "m2", "done"),
    ]);
    check(
        &log,
        2,
        &[
            "User: look",
            "Assistant: both",
            "Assistant: Read{\"file_path\":\"a\"}",
            "Assistant: Read{\"file_path\":\"a\"}",
            "Tool: one",
            "Tool: two",
        ],
    );
    assert_eq!(log.session.turns.len(), 3, "two replies, and now");
    assert!(log.codes().is_empty(), "{:?}", log.codes());
}

#[test]
fn a_reply_that_is_split_around_a_result_is_one_reply() {
    let log = Log::from_rows(&[
        user("u", None, json!("look")),
        calls("a1", Some("u"), "m1", "c1"),
        row("progress", "p1", Some("a1"), json!({ "data": { "type": "hook_progress" } })),
        result("r1", Some("a1"), "c1", "one"),
        calls("a2", Some("a1"), "m1", "c2"),
        result("r2", Some("a2"), "c2", "two"),
        says("b", Some("r2"), "m2", "done"),
    ]);
    assert_eq!(log.session.turns.len(), 3);
    assert_eq!(log.context(log.turn(2)).len(), 5);
    assert!(log.codes().is_empty(), "{:?}", log.codes());
}

#[test]
fn every_result_of_the_samples_is_on_the_branch() {
    for case in ["quickstart", "parallel", "compaction", "subagents", "sidechain"] {
        let log = Log::read(&sample(&format!("{case}/input.jsonl")));
        let codes = log.codes();
        // One call in `parallel` is still running.
        assert!(codes.iter().all(|code| *code == "L020" && case == "compaction"), "{case}: {codes:?}");
    }
}

#[test]
fn the_chain_may_go_through_progress() {
    let progress = |id: &str, parent: &str| {
        row("progress", id, Some(parent), json!({ "data": { "type": "hook_progress" } }))
    };
    let log = Log::from_rows(&[
        user("u", None, json!("look")),
        progress("p1", "u"),
        progress("p2", "p1"),
        calls("a", Some("p2"), "m1", "c1"),
        progress("p3", "a"),
        result("r", Some("a"), "c1", "one"),
        // A fork through progress rows: the result hangs beside the chain.
        says("b", Some("p3"), "m2", "done"),
        row("system", "s", Some("b"), json!({ "subtype": "turn_duration" })),
        progress("late", "a"),
    ]);
    check(&log, 3, &["User: look", "Assistant: Read{\"file_path\":\"a\"}", "Tool: one", "Assistant: done"]);
    assert!(log.codes().is_empty(), "{:?}", log.codes());
    assert_eq!(log.log.tips().session.len(), 1);
}

#[test]
fn what_the_model_never_sees_makes_no_branch() {
    assert_eq!(Log::read(&sample("quickstart/input.jsonl")).log.tips().session.len(), 1);
    assert_eq!(Log::read(&sample("subagents/input.jsonl")).log.tips().session.len(), 1);
    assert_eq!(Log::read(&sample("branches/input.jsonl")).log.tips().session.len(), 2, "a rewind");
}

#[test]
fn a_parent_that_is_not_there_means_the_row_before() {
    let log = Log::from_rows(&[user("u", None, json!("look")), says("b", Some("gone"), "m", "done")]);
    check(&log, 2, &["User: look", "Assistant: done"]);
    assert_eq!(log.codes(), ["L020"]);
}

#[test]
fn a_prompt_worded_anew_is_another_branch() {
    let log = Log::from_rows(&[
        user("u", None, json!("look")),
        says("a", Some("u"), "m1", "ready"),
        user("v", Some("a"), json!("first words")),
        says("b", Some("v"), "m2", "first answer"),
        user("w", Some("a"), json!("other words")),
        says("c", Some("w"), "m3", "other answer"),
    ]);
    check(&log, 3, &["User: look", "Assistant: ready", "User: other words", "Assistant: other answer"]);
    assert_eq!(log.log.tips().session.len(), 2);
}

#[test]
fn a_circle_of_parents_ends() {
    let log = Log::from_rows(&[user("u", Some("v"), json!("a")), user("v", Some("u"), json!("b"))]);
    assert_eq!(log.codes(), ["L012"]);
    let sample = Log::read(&sample("torn-tree/input.jsonl"));
    assert!(sample.session.turns.len() > 5, "the circle beside the branch does not matter");
}

#[test]
fn an_id_at_another_time_is_another_record() {
    let mut again = user("u", Some("a"), json!("b"));
    again["timestamp"] = json!("2026-09-01T12:00:00.000Z");
    let log = Log::from_rows(&[user("u", None, json!("a")), says("a", Some("u"), "m1", "ready"), again]);
    check(&log, 2, &["User: a", "Assistant: ready", "User: b"]);
    assert_eq!(log.codes(), ["L010"]);
}

#[test]
fn rows_written_twice_are_in_the_context_once() {
    for case in ["torn-tree", "resumed", "compacted-twice"] {
        let log = Log::read(&sample(&format!("{case}/input.jsonl")));
        assert!(log.codes().contains(&"L035"), "{case} has rows twice");
        let mut entries: Vec<_> = log.session.messages.iter().map(|message| &message.entry).collect();
        let n_messages = entries.len();
        entries.sort();
        entries.dedup();
        assert_eq!(entries.len(), n_messages, "{case}");
    }
}

/// Rows of a session with a compaction. The row before the compaction is written `n_times`.
fn compacted_rows(n_times: usize) -> Vec<Value> {
    let boundary = json!({
        "subtype": "compact_boundary", "logicalParentUuid": "a", "parentUuid": null,
        "compactMetadata": { "trigger": "auto", "preTokens": 155_000 },
    });
    let summary =
        json!({ "message": { "role": "user", "content": "what happened" }, "isCompactSummary": true });
    let mut rows = vec![user("u", None, json!("look"))];
    rows.extend(vec![says("a", Some("u"), "m1", "found"); n_times]);
    rows.extend([
        row("system", "x", None, boundary),
        row("user", "y", Some("x"), summary),
        user("v", Some("y"), json!("go on")),
        says("b", Some("v"), "m2", "done"),
    ]);
    rows
}

#[test]
fn a_compaction_behind_a_row_written_twice_keeps_what_came_before() {
    let log = Log::from_rows(&compacted_rows(2));
    check(&log, 1, &["User: look"]);
    check(&log, 3, &["Summary: what happened", "User: go on", "Assistant: done"]);
}

#[test]
fn a_compaction_leaves_nothing_but_its_summary() {
    let rows = compacted_rows(1);
    let log = Log::from_rows(&rows);
    check(&log, 1, &["User: look"]);
    check(&log, 3, &["Summary: what happened", "User: go on", "Assistant: done"]);
    assert_eq!(log.session.replacements.len(), 1);
    assert_eq!(log.session.replacements[0].tokens_before, Some(155_000));
    assert!(log.codes().is_empty());
    let full = Log::with_history(lines(&rows).as_bytes(), History::Full);
    check(&full, 3, &["User: look", "Assistant: found", "User: go on", "Assistant: done"]);
}

#[test]
fn records_that_a_compaction_keeps_stand_behind_its_summary() {
    let check_kept = |metadata: Value, expected: &[&str]| {
        let boundary = json!({
            "subtype": "compact_boundary", "logicalParentUuid": "k", "parentUuid": null, "compactMetadata": metadata,
        });
        let summary =
            json!({ "message": { "role": "user", "content": "what happened" }, "isCompactSummary": true });
        let more = json!([
            { "type": "tool_result", "tool_use_id": "c", "content": "out" },
            { "type": "text", "text": "<system-reminder>x</system-reminder>" },
        ]);
        let rows = [
            user("u", None, json!("look")),
            says("a", Some("u"), "m1", "looking"),
            calls("b", Some("a"), "m1", "c"),
            user("r", Some("b"), more),
            says("k", Some("r"), "m2", "found"),
            row("system", "x", None, boundary),
            row("user", "y", Some("x"), summary),
            user("v", Some("y"), json!("go on")),
        ];
        let log = Log::from_rows(&rows);
        let last = u32::try_from(log.session.turns.len()).unwrap();
        check(&log, last, expected);
        log.codes()
    };
    let call = "Assistant: Read{\"file_path\":\"a\"}";
    let kept = |uuids: Value| json!({ "preservedMessages": { "anchorUuid": "y", "uuids": uuids } });
    let behind = ["Summary: what happened", "Assistant: found", "User: go on"];
    assert!(check_kept(kept(json!(["k"])), &behind).is_empty());
    let results = [
        behind[0],
        call,
        "Tool: out",
        "Injected: <system-reminder>x</system-reminder>",
        behind[1],
        behind[2],
    ];
    assert!(check_kept(kept(json!(["b", "r", "k"])), &results).is_empty(), "each author of a row");
    assert!(check_kept(kept(json!(["k", "never-written"])), &behind).is_empty());
    assert_eq!(check_kept(kept(json!(["never-written"])), &[behind[0], behind[2]]), ["L013"]);
    assert!(check_kept(kept(json!([])), &[behind[0], behind[2]]).is_empty());
    let segment = json!({ "preservedSegment": { "headUuid": "k", "anchorUuid": "y", "tailUuid": "k" } });
    assert!(check_kept(segment, &behind).is_empty());
    assert_eq!(
        check_kept(json!({ "preservedSegment": { "headUuid": 7 } }), &[behind[0], behind[2]]),
        ["L009"]
    );
}

#[test]
fn a_boundary_without_a_summary_still_drops() {
    let log = Log::from_rows(&[
        user("u", None, json!("look")),
        row(
            "system",
            "x",
            None,
            json!({ "subtype": "compact_boundary", "compactMetadata": { "preTokens": 9 } }),
        ),
        row("progress", "p", Some("x"), json!({ "data": {} })),
        user("v", Some("p"), json!("go on")),
        user("w", Some("v"), json!("quickly")),
    ]);
    check(&log, 1, &["User: go on", "User: quickly"]);
    assert_eq!(log.session.replacements[0].tokens_before, Some(9));
}

#[test]
fn a_boundary_whose_past_was_not_written_continues_the_row_before() {
    let log = Log::read(&sample("compaction/input.jsonl"));
    assert_eq!(log.codes(), ["L020"], "the logical parent of the first boundary");
    let causes: Vec<&str> = log.session.replacements.iter().map(|it| it.cause.name()).collect();
    assert_eq!(causes, ["clearing", "compaction", "compaction"]);
    let full = Log::with_history(&sample("compaction/input.jsonl"), History::Full);
    let first = full.context(full.session.last_turn()).into_iter().next();
    assert!(first.is_some_and(|text| text.starts_with("User: The nightly poll")), "all of the past is there");
}

#[test]
fn cleared_results_leave_a_placeholder_and_only_from_then_on() {
    let metadata = json!({ "compactedToolIds": ["c1"], "clearedAttachmentUUIDs": ["t"], "preTokens": 5 });
    let log = Log::from_rows(&[
        user("u", None, json!("look")),
        calls("a", Some("u"), "m1", "c1"),
        result("r", Some("a"), "c1", "long output"),
        row(
            "attachment",
            "t",
            Some("r"),
            json!({ "attachment": { "type": "date_change", "content": "tomorrow" } }),
        ),
        says("b", Some("t"), "m2", "seen"),
        row(
            "system",
            "x",
            Some("b"),
            json!({ "subtype": "microcompact_boundary", "microcompactMetadata": metadata }),
        ),
        user("v", Some("x"), json!("go on")),
    ]);
    let call = "Assistant: Read{\"file_path\":\"a\"}";
    check(
        &log,
        2,
        &[
            "User: look",
            call,
            "Tool: long output",
            "Injected: <system-reminder>\ntomorrow\n</system-reminder>",
        ],
    );
    check(
        &log,
        3,
        &["User: look", call, "Tool: [Old tool result content cleared]", "Assistant: seen", "User: go on"],
    );
    assert!(log.codes().is_empty(), "{:?}", log.codes());
}

#[test]
fn a_retracted_reply_is_gone() {
    let log = Log::read(&sample("errors/input.jsonl"));
    let now = log.context(log.session.last_turn());
    assert!(!now.iter().any(|text| text.contains("I can't help with")), "taken back");
    assert!(now.iter().any(|text| text.contains("SQLite has no passwords")));
}

#[test]
fn titles_of_other_sessions_stand_outside() {
    let log = Log::read(&sample("compaction/input.jsonl"));
    assert_eq!(log.events[0].event.parent, Parent::Outside);
    assert_eq!(log.log.title(), None);
    let own = Log::read(&sample("resumed/input.jsonl"));
    assert_eq!(own.log.title(), Some("opml-empty-folders"), "the human's title wins");
    let after = Log::from_rows(&[
        json!({ "type": "custom-title", "customTitle": "mine", "sessionId": "s" }),
        json!({ "type": "ai-title", "aiTitle": "the model's", "sessionId": "s" }),
    ]);
    assert_eq!(after.log.title(), Some("mine"));
}
