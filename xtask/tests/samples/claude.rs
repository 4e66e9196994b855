//! Logs of Claude Code.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{cases, text};

fn log(path: &str) -> String {
    text(&format!("claude-code/{path}"))
}

fn rows(case: &str) -> Vec<Value> {
    let values = |line| serde_json::Deserializer::from_str(line).into_iter::<Value>().filter_map(Result::ok);
    log(&format!("{case}/input.jsonl")).lines().flat_map(values).filter(Value::is_object).collect()
}

fn is(row: &Value, kind: &str) -> bool {
    row["type"] == kind
}

fn parts<'a>(rows: &'a [Value], wanted: &'a str) -> impl Iterator<Item = (&'a Value, &'a Value)> {
    rows.iter().flat_map(move |row| {
        let parts = row["message"]["content"].as_array();
        parts.into_iter().flatten().filter(move |part| part["type"] == wanted).map(move |part| (row, part))
    })
}

#[test]
fn sizes() {
    for case in cases("claude-code") {
        // Two samples are whole stories: one that all formats tell, and one for the pictures.
        let limit = if ["quickstart", "unmarked"].contains(&&*case) { 420_000 } else { 100_000 };
        let n_bytes = log(&format!("{case}/input.jsonl")).len();
        assert!(n_bytes <= limit, "{case} has {n_bytes} bytes");
    }
}

#[test]
fn every_readme_says_that_it_is_invented() {
    for case in cases("claude-code") {
        assert!(log(&format!("{case}/README.md")).contains("\nInvented. "), "{case}");
    }
}

#[test]
fn whole_logs_are_rows_with_known_parents() {
    for case in ["quickstart", "compaction", "injected", "parallel", "errors", "sidechain", "subagents"] {
        let text = log(&format!("{case}/input.jsonl"));
        assert_eq!(rows(case).len(), text.lines().count(), "{case}");
        assert!(text.ends_with("}\n"), "{case}");
        let mut known = BTreeSet::new();
        for row in rows(case).iter().filter(|row| row.get("parentUuid").is_some()) {
            if let Some(parent) = row["parentUuid"].as_str() {
                assert!(known.contains(parent), "{case}: {row}");
            }
            assert!(known.insert(row["uuid"].as_str().unwrap().to_owned()), "{case}: an id twice");
        }
    }
}

#[test]
fn a_result_hangs_under_its_own_call() {
    for case in ["quickstart", "compaction", "parallel", "errors", "sidechain", "subagents"] {
        let rows = rows(case);
        let calls: BTreeMap<&str, &Value> = parts(&rows, "tool_use")
            .map(|(row, part)| (part["id"].as_str().unwrap(), &row["uuid"]))
            .collect();
        let mut n_results = 0;
        for (row, part) in parts(&rows, "tool_result") {
            assert_eq!(row["parentUuid"], *calls[part["tool_use_id"].as_str().unwrap()], "{case}: {row}");
            n_results += 1;
        }
        assert!(calls.len() - n_results <= 1, "{case}: {} calls, {n_results} results", calls.len());
    }
}

#[test]
fn an_answers_rows_share_ids_and_the_last_has_the_most_output() {
    let rows = rows("quickstart");
    let mut by_message: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for row in rows.iter().filter(|row| is(row, "assistant")) {
        assert_eq!(row["message"]["content"].as_array().unwrap().len(), 1, "a row is a block");
        by_message.entry(row["message"]["id"].as_str().unwrap()).or_default().push(row);
    }
    let output = |row: &Value| row["message"]["usage"]["output_tokens"].as_u64().unwrap();
    let mut n_growing = 0;
    for rows in by_message.values() {
        let last = rows.last().unwrap();
        assert!(rows.iter().all(|row| row["requestId"] == last["requestId"] && output(row) <= output(last)));
        n_growing += usize::from(output(rows[0]) < output(last));
    }
    assert!(by_message.len() > 25 && by_message.values().any(|rows| rows.len() > 2));
    assert!(n_growing > 2, "{n_growing}");
}

#[test]
fn quickstart_tells_the_story_of_the_other_formats() {
    let rows = rows("quickstart");
    let humans = rows.iter().filter(|row| is(row, "user") && row["message"]["content"].is_string());
    assert_eq!(humans.count(), 3);
    let marks: Vec<&Value> = parts(&rows, "tool_use")
        .filter(|(_, part)| part["name"] == "mcp__cwl__delimiter")
        .map(|(_, part)| &part["input"])
        .collect();
    let of = |kind: &str| marks.iter().filter(|mark| mark["type"] == kind).count();
    assert_eq!((of("expl"), of("act"), marks.len()), (6, 4, 20));
    for (what, found) in [
        ("screen copies", rows.iter().any(|row| row["toolUseResult"]["originalFile"].is_string())),
        ("patches", rows.iter().any(|row| row["toolUseResult"]["structuredPatch"][0]["lines"].is_array())),
        ("progress", rows.iter().any(|row| is(row, "progress"))),
        ("snapshots", rows.iter().any(|row| is(row, "file-history-snapshot"))),
        ("durations", rows.iter().any(|row| row["subtype"] == "turn_duration")),
    ] {
        assert!(found, "{what}");
    }
}

#[test]
fn calls_run_side_by_side_in_both_orders() {
    let rows = rows("quickstart");
    let mut by_message: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| is(row, "assistant")) {
        by_message.entry(row["message"]["id"].as_str().unwrap()).or_default().push(at);
    }
    let split = by_message.values().filter(|rows| rows.windows(2).any(|pair| pair[1] > pair[0] + 1)).count();
    let together = by_message
        .values()
        .filter(|rows| rows.len() > 2 && rows.windows(2).all(|pair| pair[1] == pair[0] + 1));
    assert!(split > 0 && together.count() > 0, "{split}");
}

#[test]
fn every_oddity_is_there() {
    let has = |case: &str, what: &str, test: fn(&Value) -> bool| {
        assert!(rows(case).iter().any(test), "{case}: {what}")
    };
    has("branches", "compact_boundary", |row| {
        row["subtype"] == "compact_boundary" && row["parentUuid"].is_null()
    });
    has("branches", "summary", |row| row["isCompactSummary"] == true);
    has("compaction", "microcompact", |row| {
        row["microcompactMetadata"]["compactedToolIds"].as_array().is_some_and(|ids| ids.len() == 2)
    });
    has("compaction", "persisted output", |row| row.to_string().contains("<persisted-output>"));
    has("compaction", "title of another session", |row| is(row, "summary"));
    has("injected", "isMeta", |row| row["isMeta"] == true);
    has("injected", "queue", |row| is(row, "queue-operation"));
    has("injected", "attachment", |row| row["attachment"]["type"] == "queued_command");
    has("errors", "synthetic", |row| {
        row["message"]["model"] == "<synthetic>" && row["isApiErrorMessage"] == true
    });
    has("errors", "no request id", |row| is(row, "assistant") && row.get("requestId").is_none());
    has("errors", "signature only", |row| row["message"]["content"][0]["thinking"] == "");
    has("errors", "taken back", |row| row["retractedMessageUuids"].is_array());
    has("sidechain", "sidechain", |row| row["isSidechain"] == true);
    has("subagents", "copies", |row| row["data"]["type"] == "agent_progress");
    has("subagents", "link", |row| row["toolUseResult"]["agentId"].is_string());
    has("subagent-beside", "link", |row| row["toolUseResult"]["agentId"] == "1f3a9c2");
    let beside: Value =
        serde_json::from_str(log("subagent-beside/agent-1f3a9c2.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!(beside["sessionId"], rows("subagent-beside")[0]["sessionId"]);
    assert_eq!(beside["agentId"], "1f3a9c2");
}

#[test]
fn the_torn_tree_is_torn() {
    let rows = rows("torn-tree");
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for id in rows.iter().filter_map(|row| row["uuid"].as_str()) {
        *seen.entry(id).or_default() += 1;
    }
    assert_eq!(seen.values().filter(|n| **n == 2).count(), 4, "rows written twice");
    let dangling =
        rows.iter().filter_map(|row| row["parentUuid"].as_str()).filter(|id| !seen.contains_key(id));
    assert_eq!(dangling.count(), 1);
    let parent = |id: &str| rows.iter().find(|row| row["uuid"] == id).unwrap()["parentUuid"].clone();
    let one =
        rows.iter().find(|row| row["uuid"].as_str().is_some_and(|id| id.starts_with("c1c1e001"))).unwrap();
    assert_eq!(parent(one["parentUuid"].as_str().unwrap()), one["uuid"]);
    let times: Vec<&str> = rows.iter().filter_map(|row| row["timestamp"].as_str()).collect();
    assert!(!times.is_sorted());
}

#[test]
fn the_unmarked_one_has_work_and_no_marks() {
    assert!(!log("unmarked/input.jsonl").contains("delimiter"));
    let rows = rows("unmarked");
    let calls = rows.iter().filter(|row| row["message"]["content"][0]["type"] == "tool_use").count();
    assert!(calls > 50, "{calls} calls");
}
