//! Contexts from pi's logs as requests of pi and Anthropic.

use std::collections::{BTreeMap, BTreeSet};

use crate::render_log::{Log, PROVIDERS, call, log_of, name_of, reply, result, text, user};
use cwl_engine::Provider;
use serde_json::{Value, json};

fn check(
    provider: Provider,
    records: &[Value],
    gone: &[&str],
    residue_at: &[&str],
    messages: Value,
    repairs: &[&str],
) {
    let log = Log::read(&log_of(records));
    let gone = gone.iter().map(|id| log.block(id)).collect();
    let residues: Vec<usize> = residue_at.iter().map(|id| log.block(id)).collect();
    let rendering = log.render(provider, &gone, &residues);
    let body: Value = serde_json::from_str(&rendering.body).unwrap();
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    assert_eq!(pretty(&body), pretty(&messages), "for {provider:?}");
    assert_eq!(log.show_repairs(&rendering), repairs, "for {provider:?}: {}", rendering.body);
}

fn tool_use(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "read", "input": {"path": "x", "n": 1}})
}

fn tool_result(id: &str, body: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": [text(body)], "is_error": false})
}

fn from_user(parts: &[Value]) -> Value {
    json!({"role": "user", "content": parts})
}

fn from_model(parts: &[Value]) -> Value {
    json!({"role": "assistant", "content": parts})
}

#[test]
fn pi_messages_are_the_logs_own() {
    let records = [
        user("hi"),
        reply(json!([text("a"), call("c")])),
        result("c", "r"),
        json!({"role": "user", "content": "plain"}),
    ];
    check(Provider::Pi, &records, &[], &[], json!(records), &[]);
}

#[test]
fn pi_messages_lose_the_parts_that_are_gone() {
    let records =
        [user("hi"), reply(json!([text("a"), call("c"), text("b")])), result("c", "r"), user("bye")];
    let stripped = json!([records[0], reply(json!([text("a"), text("b")])), records[3]]);
    check(Provider::Pi, &records, &["m2:1", "m3:0"], &[], stripped, &[]);
    let nothing = json!([records[0], records[3]]);
    check(Provider::Pi, &records, &["m2:0", "m2:1", "m2:2", "m3:0"], &[], nothing, &[]);
}

#[test]
fn pi_spells_numbers_as_the_log_does() {
    let line = r#"{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":{"x":1e2,"y":"\u0041"}}],"cost":0.10}}"#;
    let log = Log::read(&format!("{{\"type\":\"session\",\"version\":3}}\n{line}\n"));
    let body = log.render(Provider::Pi, &BTreeSet::new(), &[]).body;
    assert!(line.contains(body.trim_matches(['[', ']'])), "{body}");
}

#[test]
fn pi_wraps_what_its_harness_wrote() {
    let wrapped = |text: &str| json!({"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1_770_000_000_000i64});
    let check = |record: Value, expected: Value| {
        check(Provider::Pi, &[record], &[], &[], expected, &[]);
    };
    check(
        json!({"type": "branch_summary", "summary": "S"}),
        json!([wrapped(
            "The following is a summary of a branch that this conversation came back from:\n\n<summary>\nS</summary>"
        )]),
    );
    check(json!({"type": "branch_summary", "summary": ""}), json!([]));
    check(
        json!({"type": "compaction", "summary": "S", "firstKeptEntryId": "m1"}),
        json!([wrapped(
            "The conversation history before this point was compacted into the following summary:\n\n<summary>\nS\n</summary>"
        )]),
    );
    check(json!({"type": "custom_message", "customType": "x", "content": "hey"}), json!([wrapped("hey")]));
    for (rest, told) in [
        (json!({"output": "o", "exitCode": 0}), "Ran `ls`\n```\no\n```"),
        (json!({"output": "", "exitCode": 2}), "Ran `ls`\n(no output)\n\nCommand exited with code 2"),
        (
            json!({"output": "o", "cancelled": true, "exitCode": 1}),
            "Ran `ls`\n```\no\n```\n\n(command cancelled)",
        ),
        (
            json!({"output": "o", "truncated": true, "fullOutputPath": "/t"}),
            "Ran `ls`\n```\no\n```\n\n[Output truncated. Full output: /t]",
        ),
    ] {
        let mut record = rest;
        record["role"] = json!("bashExecution");
        record["command"] = json!("ls");
        check(record, json!([wrapped(told)]));
    }
}

#[test]
fn pi_sends_what_a_compaction_retained() {
    let retained =
        json!([user("u"), {"role": "assistant", "content": [text("a"), text("b")], "stopReason": "stop"}]);
    let records =
        [user("old"), json!({"type": "compaction", "summary": "S", "retainedTail": retained}), user("new")];
    let log = Log::read(&log_of(&records));
    let gone = [log.block("m1:0"), log.block("m2:2")].into();
    let body: Value = serde_json::from_str(&log.render(Provider::Pi, &gone, &[]).body).unwrap();
    let tail =
        json!([user("u"), {"role": "assistant", "content": [text("b")], "stopReason": "stop"}, user("new")]);
    assert_eq!(body.as_array().unwrap()[1..], *tail.as_array().unwrap(), "behind the summary: {body}");
}

#[test]
fn pi_answers_calls_that_have_no_result() {
    let records = [
        user("hi"),
        reply(json!([call("c"), call("d")])),
        result("d", "r"),
        user("bye"),
        reply(json!([call("e")])),
    ];
    let invented = json!({"role": "toolResult", "toolCallId": "c", "toolName": "read",
        "content": [text("No result provided")], "isError": true});
    let expected = json!([records[0], records[1], records[2], invented, records[3], records[4]]);
    check(Provider::Pi, &records, &[], &[], expected, &["result-invented m2:0"]);
}

#[test]
fn replies_that_did_not_end_well_are_not_sent() {
    for stop in ["error", "aborted"] {
        let mut failed = reply(json!([text("x"), call("c")]));
        failed["stopReason"] = json!(stop);
        let records = [user("hi"), failed, result("c", "r"), user("again")];
        // pi still sends the result.
        let sent = json!([records[0], records[2], records[3]]);
        check(Provider::Pi, &records, &[], &[], sent, &["reply-left-out m2"]);
        let merged = json!([from_user(&[text("hi"), text("again")])]);
        let repairs = ["reply-left-out m2", "result-left-out m3:0", "messages-merged m4"];
        check(Provider::Anthropic, &records, &[], &[], merged, &repairs);
    }
}

#[test]
fn pi_answers_open_calls_where_a_reply_ended_badly() {
    let mut failed = reply(json!([call("d")]));
    failed["stopReason"] = json!("aborted");
    let records = [user("hi"), reply(json!([call("c")])), failed, result("d", "r"), user("again")];
    let invented = json!({"role": "toolResult", "toolCallId": "c", "toolName": "read",
        "content": [text("No result provided")], "isError": true});
    let expected = json!([records[0], records[1], invented, records[3], records[4]]);
    check(Provider::Pi, &records, &[], &[], expected, &["reply-left-out m3", "result-invented m2:0"]);
}

#[test]
fn pi_leaves_out_reasoning_without_text_and_signature() {
    let thought = |thinking: &str, more: Value| {
        let mut part = json!({"type": "thinking", "thinking": thinking});
        part.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        part
    };
    let kept = [
        thought("", json!({"thinkingSignature": "s"})),
        thought("x", json!({})),
        thought("", json!({"redacted": true})),
        text("a"),
    ];
    let mut all = vec![thought("", json!({})), thought(" \n", json!({"thinkingSignature": ""}))];
    all.extend(kept.clone());
    let records = [user("hi"), reply(json!(all))];
    check(Provider::Pi, &records, &[], &[], json!([records[0], reply(json!(kept))]), &[]);
}

#[test]
fn residues_are_the_users() {
    let records = [user("hi"), reply(json!([text("a")])), user("bye")];
    let residue = json!({"role": "user", "content": [text("[a] found it")]});
    check(Provider::Pi, &records, &["m2:0"], &["m2:0"], json!([records[0], residue, records[2]]), &[]);
    let merged = json!([from_user(&[text("hi"), text("[a] found it"), text("bye")])]);
    check(
        Provider::Anthropic,
        &records,
        &["m2:0"],
        &["m2:0"],
        merged,
        &["messages-merged residue", "messages-merged m3"],
    );
}

#[test]
fn anthropic_roles_alternate_and_results_stand_together() {
    let records = [
        user("hi"),
        reply(json!([text("a"), call("c"), call("d")])),
        result("d", "rd"),
        result("c", "rc"),
        user("more"),
        reply(json!([text("b")])),
        reply(json!([text("c")])),
    ];
    let expected = json!([
        from_user(&[text("hi")]),
        from_model(&[text("a"), tool_use("c"), tool_use("d")]),
        from_user(&[tool_result("d", "rd"), tool_result("c", "rc"), text("more")]),
        from_model(&[text("b"), text("c")]),
    ]);
    check(Provider::Anthropic, &records, &[], &[], expected, &["messages-merged m5", "messages-merged m7"]);
}

#[test]
fn anthropic_results_are_moved_to_their_calls() {
    let records = [
        user("hi"),
        reply(json!([call("c")])),
        user("meanwhile"),
        result("c", "r"),
        reply(json!([text("ok")])),
    ];
    let expected = json!([
        from_user(&[text("hi")]),
        from_model(&[tool_use("c")]),
        from_user(&[tool_result("c", "r"), text("meanwhile")]),
        from_model(&[text("ok")]),
    ]);
    check(Provider::Anthropic, &records, &[], &[], expected, &["messages-merged m3", "result-moved m4:0"]);
}

#[test]
fn anthropic_gets_no_orphans() {
    let records = [user("hi"), reply(json!([text("a"), call("c")])), result("c", "r"), user("bye")];
    let expected = json!([from_user(&[text("hi")]), from_model(&[text("a")]), from_user(&[text("bye")])]);
    check(Provider::Anthropic, &records, &["m3:0"], &[], expected.clone(), &["call-left-out m2:1"]);
    check(Provider::Anthropic, &records, &["m2:1"], &[], expected, &["result-left-out m3:0"]);
    let records = [user("hi"), reply(json!([call("c")])), user("bye")];
    let expected = json!([from_user(&[text("hi"), text("bye")])]);
    check(
        Provider::Anthropic,
        &records,
        &[],
        &[],
        expected,
        &["call-left-out m2:0", "empty-left-out m2", "messages-merged m3"],
    );
}

#[test]
fn anthropic_takes_signed_reasoning_only() {
    let signed = json!({"type": "thinking", "thinking": "t", "thinkingSignature": "sig"});
    let redacted = json!({"type": "thinking", "thinking": "", "thinkingSignature": "blob", "redacted": true});
    let unsigned = json!({"type": "thinking", "thinking": "t"});
    let records = [
        user("hi"),
        reply(json!([signed, redacted, unsigned, text("a")])),
        reply(json!([text("b"), signed])),
    ];
    let expected = json!([
        from_user(&[text("hi")]),
        from_model(&[
            json!({"type": "thinking", "thinking": "t", "signature": "sig"}),
            json!({"type": "redacted_thinking", "data": "blob"}),
            text("a"),
            text("b"),
        ]),
    ]);
    let repairs = ["reasoning-left-out m2:2", "reasoning-left-out m3:1", "messages-merged m3"];
    check(Provider::Anthropic, &records, &[], &[], expected, &repairs);
    let mut foreign = reply(json!([signed, redacted, text("a")]));
    foreign["api"] = json!("openai-responses");
    let expected = json!([from_user(&[text("hi")]), from_model(&[text("t"), text("a")])]);
    check(
        Provider::Anthropic,
        &[user("hi"), foreign],
        &[],
        &[],
        expected,
        &["reasoning-as-text m2:0", "reasoning-left-out m2:1"],
    );
}

#[test]
fn anthropic_images_and_what_has_no_form() {
    let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
    let sent =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}});
    let records = [
        json!({"role": "user", "content": [text("see"), image, {"type": "image"}, {"type": "sound"}, text(" \n")]}),
        reply(json!([call("c")])),
        json!({"role": "toolResult", "toolCallId": "c", "content": [image, text(""), {"type": "sound"}], "isError": true}),
    ];
    let expected = json!([
        from_user(&[text("see"), sent.clone()]),
        from_model(&[tool_use("c")]),
        from_user(&[json!({"type": "tool_result", "tool_use_id": "c", "content": [sent], "is_error": true})]),
    ]);
    let repairs = ["part-left-out m1:2", "part-left-out m1:3", "blank-left-out m1:4"];
    check(Provider::Anthropic, &records, &[], &[], expected, &repairs);
}

#[test]
fn anthropic_call_ids_are_made_fit() {
    let long = "x".repeat(70);
    let records = [
        user("hi"),
        reply(json!([call("c|1"), call("c_1"), call(&long)])),
        result("c|1", "a"),
        result("c_1", "b"),
        result(&long, "c"),
    ];
    let cut = &long[..64];
    let expected = json!([
        from_user(&[text("hi")]),
        from_model(&[tool_use("c_1"), tool_use("c_1-2"), tool_use(cut)]),
        from_user(&[tool_result("c_1", "a"), tool_result("c_1-2", "b"), tool_result(cut, "c")]),
    ]);
    let repairs = ["call-id-changed m2:0", "call-id-changed m2:1", "call-id-changed m2:2"];
    check(Provider::Anthropic, &records, &[], &[], expected, &repairs);
}

#[test]
fn nothing_is_sent_of_nothing() {
    let log = Log::read("");
    for provider in PROVIDERS {
        assert_eq!(log.render(provider, &BTreeSet::new(), &[]).body, "[]", "{provider:?}");
    }
}

#[test]
fn every_block_that_is_kept_is_sent_or_its_repair_listed() {
    let log = Log::read(include_str!("logs/v3.jsonl"));
    let rendering = log.render(Provider::Anthropic, &BTreeSet::new(), &[]);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for repair in &rendering.repairs {
        *counts.entry(name_of(repair)).or_default() += 1;
    }
    let n_parts: usize = serde_json::from_str::<Vec<Value>>(&rendering.body)
        .unwrap()
        .iter()
        .map(|message| message["content"].as_array().unwrap().len())
        .sum();
    let n_left_out = counts.get("reasoning-left-out").copied().unwrap_or_default()
        + counts.get("reply-left-out").copied().unwrap_or_default();
    assert_eq!(n_parts + n_left_out, log.session.blocks.len(), "{counts:?} {}", rendering.body);
}
