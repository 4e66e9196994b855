//! Rows of every kind, also odd ones; detection; no panics.

use cwl_engine::{BlockKind, EventBody, ReplyOutcome};
use cwl_formats::{Format, LogReader, block_json, detect_format, parse_log};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::log::{Log, brief, lines, part, result, row, says, user};
use super::samples::sample;

fn check(row: &Value, expected: &str) {
    let log = Log::from_rows(std::slice::from_ref(row));
    let shown = brief(&log);
    let without_header =
        shown.lines().filter(|line| !line.contains(" header ")).collect::<Vec<_>>().join("\n");
    assert_eq!(without_header, expected, "{row}");
}

#[test]
fn parts_of_replies() {
    let check = |block: Value, expected: &str| {
        check(
            &part("a", None, "m", block, 7),
            &format!("1 a root Assistant by Model reply m usage 100+7\n  {expected}"),
        );
    };
    check(json!({ "type": "text", "text": "hi" }), "0. text \"hi\"");
    check(json!({ "type": "thinking", "thinking": "hm", "signature": "s" }), "0. reasoning \"hm\"");
    check(json!({ "type": "thinking", "thinking": "", "signature": "s" }), "0. reasoning \"\"");
    check(json!({ "type": "redacted_thinking", "data": "x" }), "0. reasoning \"\"");
    check(
        json!({ "type": "tool_use", "id": "c", "name": "Bash", "input": { "command": "FOO=1 rg -n x" } }),
        "0. call Bash runs rg \"Bash{\\\"command\\\":\\\"FOO=1 rg -n x\\\"}\"",
    );
    check(
        json!({ "type": "tool_use", "id": "c", "name": "mcp__cwl__delimiter", "input": { "action": "start", "name": "n", "type": "expl" } }),
        "0. call mcp__cwl__delimiter opens n \"mcp__cwl__delimiter{\\\"action\\\":\\\"start\\\",\\\"name\\\":\\\"n\\\",\\\"type\\\":\\\"expl\"",
    );
    check(json!({ "type": "fallback" }), "0. opaque \"\"");
    check(
        json!({ "type": "hologram" }),
        "0. opaque \"\"\n! L008 line 1: a part of unknown type `hologram`; kept",
    );
}

#[test]
fn results() {
    let text_of = |content: Value| {
        let log = Log::from_rows(&[user(
            "u",
            None,
            json!([{ "type": "tool_result", "tool_use_id": "c", "content": content }]),
        )]);
        let found = log.events.iter().find(|parsed| !parsed.contents.is_empty()).unwrap();
        let images = found.event.body.all_blocks().next().unwrap().images;
        (found.contents[0].text.clone(), images, block_json(&found.contents[0]))
    };
    let whole =
        |content: &str| format!("{{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":{content}}}");
    assert_eq!(text_of(json!("out")), ("out".to_owned(), 0, whole("\"out\"")));
    let list = json!([{ "type": "text", "text": "a" }, { "type": "image", "source": {} }, { "type": "text", "text": "b" }, { "type": "tool_reference", "tool_name": "LSP" }]);
    assert_eq!(text_of(list.clone()), ("ab".to_owned(), 1, whole(&list.to_string())));
    assert_eq!(text_of(json!([])).0, "");
    assert_eq!(text_of(Value::Null).0, "");
}

#[test]
fn a_message_that_no_model_wrote() {
    let synthetic = |failed: bool| {
        let message = json!({ "id": "x", "role": "assistant", "model": "<synthetic>", "content": [{ "type": "text", "text": "API Error" }], "usage": { "input_tokens": 0 } });
        Log::from_rows(&[row(
            "assistant",
            "a",
            None,
            json!({ "message": message, "isApiErrorMessage": failed }),
        )])
    };
    let failed = synthetic(true);
    assert_eq!(failed.replies()[0].outcome, ReplyOutcome::Error);
    assert_eq!(failed.replies()[0].usage, None, "a request that failed used nothing that is known");
    assert!(synthetic(false).replies().is_empty(), "no request was made for it");
    assert_eq!(failed.replies()[0].model, None, "it names no model");
}

#[test]
fn system_rows() {
    let check = |fields: Value, expected: &str| check(&row("system", "x", None, fields), expected);
    check(json!({ "subtype": "turn_duration" }), "1 x root quiet system/turn_duration");
    check(json!({ "subtype": "api_error" }), "1 x root quiet system/api_error");
    check(json!({ "content": "of an old version" }), "1 x root quiet system");
    check(
        json!({ "subtype": "local_command", "content": "<local-command-stdout>ok</local-command-stdout>" }),
        "1 x root User by Harness Custom { name: \"local_command\" }\n  0. text \"<local-command-stdout>ok</local-command-stdout>\"",
    );
    check(
        json!({ "subtype": "weather" }),
        "1 x root opaque system/weather\n! L007 line 1: a record of unknown type `system/weather`; kept",
    );
    check(
        json!({ "subtype": "model_refusal_fallback", "retractedMessageUuids": [] }),
        "1 x root quiet system/refusal",
    );
    check(
        json!({ "subtype": "microcompact_boundary" }),
        "1 x root clearing of \n! L009 line 1: `microcompactMetadata` is missing or has an invalid value",
    );
}

#[test]
fn attachments() {
    let check = |fields: Value, expected: &str| {
        check(&row("attachment", "x", None, json!({ "attachment": fields })), expected);
    };
    for kind in [
        "hook_system_message",
        "hook_cancelled",
        "hook_non_blocking_error",
        "hook_error_during_execution",
        "hook_permission_decision",
        "command_permissions",
        "structured_output",
        "dynamic_skill",
    ] {
        check(json!({ "type": kind, "content": "x" }), &format!("1 x root quiet attachment/{kind}"));
    }
    let hook = |event: &str, content: &str| json!({ "type": "hook_success", "hookEvent": event, "content": content });
    check(hook("SessionStart", ""), "1 x root quiet attachment/hook_success");
    check(hook("Stop", "done"), "1 x root quiet attachment/hook_success");
    let sent = |kind: &str, text: &str| {
        format!("1 x root User by Harness Custom {{ name: \"{kind}\" }}\n  0. text {text:?}")
    };
    let reminder =
        |kind: &str, text: &str| sent(kind, &format!("<system-reminder>\n{text}\n</system-reminder>"));
    check(hook("SessionStart", "rules"), &reminder("hook_success", "rules"));
    check(
        json!({ "type": "hook_additional_context", "content": ["one", "two"] }),
        &reminder("hook_additional_context", "one\ntwo"),
    );
    check(
        json!({ "type": "invoked_skills", "skills": [{ "name": "a", "content": "first" }, { "name": "b", "content": "second" }] }),
        &reminder("invoked_skills", "first\nsecond"),
    );
    let stopped = json!({ "type": "hook_stopped_continuation", "message": "no" });
    check(stopped, &reminder("hook_stopped_continuation", "no"));
    check(
        json!({ "type": "moon_phase", "content": "full" }),
        &format!(
            "{}\n! L007 line 1: a record of unknown type `attachment/moon_phase`; kept",
            sent("moon_phase", "full")
        ),
    );
}

#[test]
fn rows_outside_the_tree() {
    for kind in [
        "file-history-snapshot",
        "queue-operation",
        "last-prompt",
        "mode",
        "pr-link",
        "atis-latch",
        "started",
    ] {
        check(&json!({ "type": kind }), &format!("1 L1 outside quiet {kind}"));
    }
    check(
        &json!({ "type": "telemetry-hint" }),
        "1 L1 outside opaque telemetry-hint\n! L007 line 1: a record of unknown type `telemetry-hint`; kept",
    );
    check(
        &row("progress", "p", Some("u"), json!({ "data": { "type": "agent_progress" } })),
        "1 L1 outside quiet progress/agent_progress",
    );
}

#[test]
fn odd_fields_never_lose_a_row() {
    for (odd, codes) in [
        (json!({ "type": "user", "uuid": "a", "parentUuid": null, "message": 3 }), vec!["L009"]),
        (
            json!({ "type": "user", "uuid": "a", "parentUuid": null, "message": { "content": 3 } }),
            vec!["L009"],
        ),
        (json!({ "type": "assistant", "uuid": "a", "parentUuid": null }), vec!["L009"]),
        (json!({ "type": 3, "uuid": "a", "parentUuid": null }), vec!["L009"]),
        (
            json!({ "type": "user", "uuid": "a", "parentUuid": 7, "message": { "content": "x" } }),
            vec!["L009"],
        ),
        (
            json!({ "type": "user", "uuid": 7, "parentUuid": null, "message": { "content": "x" } }),
            vec!["L009"],
        ),
        (
            json!({ "type": "user", "uuid": "a", "parentUuid": null, "timestamp": "then", "message": { "content": "x" } }),
            vec!["L009"],
        ),
        (
            json!({ "type": "user", "uuid": "a", "parentUuid": null, "isSidechain": "no", "message": { "content": "x" } }),
            vec!["L009"],
        ),
        (json!({ "type": "user", "uuid": "a", "message": { "content": "x" } }), vec!["L009"]),
    ] {
        let log = Log::from_rows(std::slice::from_ref(&odd));
        assert_eq!(log.events.len(), 1, "{odd}");
        assert_eq!(log.codes(), codes, "{odd}");
    }
}

#[test]
fn the_header_comes_with_the_first_row_that_has_it() {
    let log = Log::from_rows(&[
        json!({ "type": "permission-mode", "permissionMode": "default", "sessionId": "s" }),
        user("u", None, json!("a")),
        user("v", Some("u"), json!("b")),
    ]);
    let headers = log.events.iter().filter(|parsed| matches!(parsed.event.body, EventBody::Header(_)));
    assert_eq!(headers.count(), 1);
    let header = log.log.header();
    assert_eq!(header.session.unwrap().as_str(), "s");
    assert_eq!(header.cwd.as_deref(), Some("/w"), "the folder is the row's, not the file name's");
}

#[test]
fn detection_by_content() {
    let is_own = |text: &str| detect_format(text.as_bytes()) == Ok(Format::ClaudeCode);
    let first = user("u", None, json!("a")).to_string();
    assert!(is_own(&first));
    assert!(is_own(&format!("{first}\n")));
    assert!(is_own(&format!("42\n\"x\"\n[1]\n{first}\n")));
    assert!(is_own("{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}\n"));
    assert!(is_own("{\"type\":\"file-history-snapshot\",\"messageId\":\"x\",\"snapshot\":{}}\n"));
    let long = user("u", None, json!("x".repeat(100_000))).to_string();
    assert!(is_own(&long[..65_536]), "the window cuts the first line");
    // The prompt history lies in the same folder, but is not a session.
    let history = json!({ "display": "fix it", "pastedContents": {}, "timestamp": 1, "project": "/w", "sessionId": "s" });
    assert!(detect_format(history.to_string().as_bytes()).is_err());
    let index = json!({ "version": 1, "entries": [{ "sessionId": "s", "summary": "x" }] });
    assert!(detect_format(index.to_string().as_bytes()).is_err());
    let streamed = json!({ "type": "system", "subtype": "init", "session_id": "s", "cwd": "/w" });
    assert!(detect_format(streamed.to_string().as_bytes()).is_err());
}

#[test]
fn a_boundary_without_its_summary_is_not_gone_on_from() {
    let boundary = row(
        "system",
        "x",
        None,
        json!({ "subtype": "compact_boundary", "compactMetadata": { "preTokens": 1 } }),
    );
    let mut reader = LogReader::new(Format::ClaudeCode);
    reader.feed_bytes(lines(&[user("u", None, json!("a")), boundary]).as_bytes());
    assert_eq!(reader.resume_state(), None);
    reader.feed_bytes(lines(&[user("v", Some("x"), json!("b"))]).as_bytes());
    assert!(reader.resume_state().is_some());
}

#[test]
fn envelopes_and_blocks_give_the_message_back() {
    let row = says("a", None, "m", "tab\t and \"quotes\"");
    let log = Log::from_rows(std::slice::from_ref(&row));
    let parsed = log.events.last().unwrap();
    let content = format!("[{}]", block_json(&parsed.contents[0]));
    let message: Value = serde_json::from_str(&cwl_formats::fill_hole(&parsed.envelope, &content)).unwrap();
    assert_eq!(message, row["message"]);
    assert!(matches!(parsed.event.body.all_blocks().next().unwrap().kind, BlockKind::Text));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 2))]

    #[test]
    fn damaged_logs_are_read(at in 0.0f64..1.0, length in 0usize..40, with in proptest::collection::vec(any::<u8>(), 0..12), split in 1usize..4000) {
        let mut bytes = sample("torn-tree/input.jsonl");
        let from = (at * bytes.len() as f64) as usize;
        let to = (from + length).min(bytes.len());
        bytes.splice(from..to, with);
        let whole = parse_log(Format::ClaudeCode, &bytes);
        let mut reader = LogReader::new(Format::ClaudeCode);
        let mut n_events = 0;
        for piece in bytes.chunks(split) {
            n_events += reader.feed_bytes(piece).events.len();
        }
        prop_assert_eq!(n_events + reader.unfinished_batch().events.len(), whole.0.len());
        Log::read(&bytes);
    }

    #[test]
    fn any_value_in_any_field(field in 0usize..12, value in 0usize..8) {
        let fields = ["type", "uuid", "parentUuid", "message", "attachment", "data", "timestamp", "isMeta", "isSidechain", "origin", "content", "subtype"];
        let values = [json!(null), json!(true), json!(-1.5e300), json!(""), json!([]), json!({}), json!([[[{}]]]), json!({ "type": "text", "content": [7] })];
        for kind in ["user", "assistant", "system", "attachment", "progress"] {
            let mut odd = row(kind, "a", None, json!({ "message": { "content": [] }, "attachment": { "type": "file" }, "subtype": "local_command" }));
            odd[fields[field]] = values[value].clone();
            let log = Log::from_rows(&[odd, result("r", Some("a"), "c", "x")]);
            prop_assert!(log.events.len() >= 2);
        }
    }
}
