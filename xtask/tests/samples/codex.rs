//! Rollouts of Codex.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::{cases, text};

static LOGS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let logs = cases("codex").into_iter().map(|case| {
        let log = text(&format!("codex/{case}/input.jsonl"));
        (case, log)
    });
    logs.collect()
});

/// Parses the rows of a log, even several per line, without a torn one.
fn rows(name: &str) -> Vec<Value> {
    let values = LOGS[name].lines().flat_map(|line| serde_json::Deserializer::from_str(line).into_iter());
    values.filter_map(Result::ok).collect()
}

fn payloads<'a>(rows: &'a [Value], row: &'a str, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let found = rows.iter().filter(move |it| it["type"] == row).map(|it| &it["payload"]);
    found.filter(move |payload| kind.is_empty() || payload["type"] == kind)
}

#[test]
fn every_line_but_the_damaged_ones_is_one_record() {
    for (name, log) in LOGS.iter().filter(|(name, _)| *name != "branches") {
        assert_eq!(rows(name).len(), log.lines().count(), "{name}");
        assert!(log.ends_with("}\n"), "{name}");
    }
    assert!(!LOGS["branches"].ends_with('\n'));
    assert!(LOGS["branches"].lines().any(str::is_empty));
    assert_eq!(LOGS["branches"].matches("}{\"timestamp\"").count(), 1);
}

#[test]
fn sizes() {
    for (name, log) in LOGS.iter() {
        let limit = if name == "quickstart" { 160_000 } else { 64_000 };
        assert!(log.len() <= limit, "{name} has {} bytes", log.len());
    }
}

/// Joined by `call_id`. A call without output was run by the provider, or stopped by the human.
#[test]
fn every_output_answers_a_call() {
    for name in LOGS.keys() {
        let rows = rows(name);
        let items =
            || rows.iter().map(|row| if row["type"] == "response_item" { &row["payload"] } else { row });
        let is = |item: &&Value, end: &str| item["type"].as_str().is_some_and(|kind| kind.ends_with(end));
        let ids = |end: &str| -> Vec<&str> {
            let mut ids: Vec<&str> =
                items().filter(|item| is(item, end)).filter_map(|item| item["call_id"].as_str()).collect();
            ids.sort_unstable();
            ids
        };
        let (calls, outputs) = (ids("_call"), ids("_output"));
        assert_eq!(calls, outputs, "{name}");
        assert!(!calls.is_empty(), "{name}");
    }
}

#[test]
fn what_is_said_is_said_twice() {
    let rows = rows("quickstart");
    let texts = |row, kind, key: &str| -> Vec<String> {
        payloads(&rows, row, kind).map(|it| it[key].as_str().unwrap().to_owned()).collect()
    };
    let messages = |role: &str| -> Vec<String> {
        let found = payloads(&rows, "response_item", "message").filter(|it| it["role"] == role);
        found.map(|it| it["content"][0]["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(messages("assistant"), texts("event_msg", "agent_message", "message"));
    let humans = texts("event_msg", "user_message", "message");
    assert_eq!(humans.len(), 3);
    assert_eq!(messages("user").len(), humans.len() + 2);
    assert!(messages("user").ends_with(&humans[1..]));
    assert_eq!(messages("developer").len(), 1);
    let thoughts = payloads(&rows, "response_item", "reasoning");
    let thoughts: Vec<String> =
        thoughts.map(|it| it["summary"][0]["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(thoughts, texts("event_msg", "agent_reasoning", "text"));
}

#[test]
fn counts_of_tokens_repeat_are_empty_and_start_anew() {
    let rows_of_quickstart = rows("quickstart");
    let counts: Vec<&Value> = payloads(&rows_of_quickstart, "event_msg", "token_count").collect();
    assert_eq!(counts.iter().filter(|count| count["info"].is_null()).count(), 3);
    let totals: Vec<&Value> = counts
        .iter()
        .map(|count| &count["info"]["total_token_usage"])
        .filter(|total| !total.is_null())
        .collect();
    assert!(totals.windows(2).any(|pair| pair[0] == pair[1]));
    let mut sum = 0;
    for pair in
        counts.windows(2).filter(|pair| pair[0]["info"] != pair[1]["info"] && !pair[1]["info"].is_null())
    {
        let info = &pair[1]["info"];
        sum += info["last_token_usage"]["total_tokens"].as_u64().unwrap();
        assert_eq!(info["total_token_usage"]["total_tokens"], sum);
    }
    let archived = rows("archived");
    let after = archived.iter().skip_while(|row| row["type"] != "compacted").nth(1).unwrap();
    assert_eq!(after["payload"]["info"]["last_token_usage"]["input_tokens"], 0);
}

#[test]
fn each_quirk_is_there() {
    let has = |name: &str, part: &str| assert!(LOGS[name].contains(part), "{name}: {part}");
    has("branches", r#""type":"thread_rolled_back","num_turns":1"#);
    has("branches", r#""message":"","replacement_history":["#);
    has("branches", r#"{"type":"compaction","encrypted_content":"gAAAA"#);
    has("branches", "<user_shell_command>");
    has("compacted", r#""type":"compacted","payload":{"message":"Another language model"#);
    assert!(!LOGS["compacted"].contains("replacement_history"));
    assert!(!LOGS["archived"].contains(r#""type":"compaction""#) && !LOGS["archived"].contains("gAAAA"));
    has("archived", r#""encrypted_content":"REDACTED""#);
    has("legacy", r#"{"record_type":"state"}"#);
    has("legacy", r#"\"command\":[\"apply_patch\","#);
    has("subagent", r#""source":{"subagent":{"thread_spawn":{"parent_thread_id":"#);
    has("tools", r#""namespace":"mcp__cwl""#);
    has("tools", r#""isError":true"#);
    has("shell-outputs", "Process running with session ID");
    let without = ["compacted", "fork-spent", "fork-subagent", "summary-reply"];
    for name in LOGS.keys().filter(|name| *name != "legacy") {
        let rows = rows(name);
        assert_eq!(rows[0]["type"], "session_meta", "{name}");
        assert!(
            rows[0]["payload"]["base_instructions"].is_object() != without.contains(&name.as_str()),
            "{name}"
        );
    }
    let metas = |name: &str| payloads(&rows(name), "session_meta", "").count();
    assert_eq!((metas("records"), metas("fork"), metas("quickstart")), (3, 2, 1));
    let fork = rows("fork");
    assert_eq!(fork[0]["payload"]["forked_from_id"], fork[1]["payload"]["id"]);
}
