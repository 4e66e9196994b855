//! Contexts as request JSON.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    BlockIdx, Content, EpisodeIdx, EventIdx, EventLog, Fate, GoneReason, History, KeptReason, MessageOrigin,
    ParsedEvent, Provider, RawPayload, RenderedContext, RenderedItem, RenderedMessage, Session,
};
use cwl_formats::render::{Contents, Rendering, render};
use cwl_formats::{Format, default_tools, parse};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A log in memory, as the store would give it.
struct Log {
    events: Vec<ParsedEvent>,
    session: Session,
}

impl Log {
    fn read(log: &str) -> Self {
        let (events, _) = parse(Format::Pi, log.as_bytes());
        let mut event_log = EventLog::default();
        for parsed in &events {
            event_log.push(parsed.event.clone());
        }
        let (session, _) = Session::build(&event_log, None, History::AsRecorded, &default_tools());
        Self { events, session }
    }

    /// Renders everything but some blocks, with a residue before the message of some.
    fn render(&self, provider: Provider, gone: &BTreeSet<usize>, residues: &[usize]) -> Rendering {
        let mut messages = Vec::new();
        for idx in self.session.model_order(self.session.messages.len()) {
            let items: Vec<RenderedItem> = self
                .session
                .blocks_of(idx)
                .map(|(block, _)| {
                    let fate = if gone.contains(&block.at()) {
                        Fate::Gone(GoneReason::Excluded)
                    } else {
                        Fate::Kept(KeptReason::Prologue)
                    };
                    RenderedItem { block, episode: None, fate }
                })
                .collect();
            if residues.iter().any(|at| items.iter().any(|item| item.block.at() == *at)) {
                let origin =
                    MessageOrigin::Residue { episode: EpisodeIdx::new(0), text: "[a] found it".to_owned() };
                messages.push(RenderedMessage { origin, tokens: 0, items: Vec::new() });
            }
            messages.push(RenderedMessage { origin: MessageOrigin::Log(idx), tokens: 0, items });
        }
        let context = RenderedContext { turn: self.session.now(), step: 0, total: 0, overhead: 0, messages };
        render(provider, Format::Pi, &self.session, &context, self)
    }

    fn block(&self, id: &str) -> usize {
        let found = self.session.blocks.iter().position(|block| block.id.to_string() == id);
        found.unwrap_or_else(|| panic!("no block {id}"))
    }

    fn show_repairs(&self, rendering: &Rendering) -> Vec<String> {
        let place = |block: BlockIdx| self.session.blocks[block.at()].id.to_string();
        let show = |repair: &cwl_formats::render::Repair| {
            let at = match (repair.block(), repair.message()) {
                (Some(block), _) => place(block),
                (None, Some(message)) => self.session.messages[message.at()].entry.to_string(),
                (None, None) => "residue".to_owned(),
            };
            format!("{} {at}", repair.name())
        };
        rendering.repairs.iter().map(show).collect()
    }
}

impl Contents for Log {
    fn content(&self, event: EventIdx, part: u32) -> Content {
        self.events[event.at()].contents[part as usize].clone()
    }

    fn envelope(&self, event: EventIdx) -> RawPayload {
        self.events[event.at()].envelope.clone()
    }
}

/// Writes a version 3 log of such messages and records, one after the other: `m1`, `m2`, …
fn log_of(records: &[Value]) -> String {
    let mut log = "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n".to_owned();
    let mut parent = Value::Null;
    for (n, record) in (1..).zip(records) {
        let id = json!(format!("m{n}"));
        let mut line = if record.get("role").is_some() {
            json!({"type": "message", "message": record})
        } else {
            record.clone()
        };
        line["id"] = id.clone();
        line["parentId"] = parent;
        line["timestamp"] = json!("2026-02-02T02:40:00.000Z");
        parent = id;
        log += &format!("{line}\n");
    }
    log
}

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

fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1})
}

fn reply(content: Value) -> Value {
    json!({"role": "assistant", "api": "anthropic-messages", "provider": "anthropic", "content": content, "stopReason": "stop"})
}

fn call(id: &str) -> Value {
    json!({"type": "toolCall", "id": id, "name": "read", "arguments": {"path": "x", "n": 1}})
}

fn result(id: &str, text: &str) -> Value {
    json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": [{"type": "text", "text": text}], "isError": false})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
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
        let repairs = ["reply-left-out m2", "result-left-out m3:0"];
        check(Provider::Pi, &records, &[], &[], json!([records[0], records[3]]), &repairs);
        let merged = json!([from_user(&[text("hi"), text("again")])]);
        let repairs = ["reply-left-out m2", "result-left-out m3:0", "messages-merged m4"];
        check(Provider::Anthropic, &records, &[], &[], merged, &repairs);
    }
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
    for provider in
        [Provider::Pi, Provider::Anthropic, Provider::OpenAiResponses, Provider::OpenAiChat, Provider::Gemini]
    {
        assert_eq!(log.render(provider, &BTreeSet::new(), &[]).body, "[]", "{provider:?}");
    }
}

/// Checks what the Messages API demands of the order of roles, calls and results.
fn check_anthropic(body: &str) -> Result<(), TestCaseError> {
    let messages: Vec<Value> = serde_json::from_str(body).unwrap();
    let mut due: BTreeSet<String> = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (n, message) in messages.iter().enumerate() {
        let (role, parts) = (message["role"].as_str().unwrap(), message["content"].as_array().unwrap());
        prop_assert!(!parts.is_empty(), "no message is empty: {}", body);
        prop_assert!(n == 0 || messages[n - 1]["role"] != role, "roles alternate: {}", body);
        let id = |part: &Value, key: &str| part[key].as_str().unwrap().to_owned();
        let results = parts.iter().filter(|part| part["type"] == "tool_result");
        let answered: Vec<String> = results.map(|part| id(part, "tool_use_id")).collect();
        prop_assert!(
            parts[..answered.len()].iter().all(|part| part["type"] == "tool_result"),
            "results come first"
        );
        prop_assert_eq!(answered.len(), due.len(), "each call has one result right behind it: {}", body);
        prop_assert_eq!(answered.into_iter().collect::<BTreeSet<_>>(), due);
        due = parts.iter().filter(|part| part["type"] == "tool_use").map(|part| id(part, "id")).collect();
        prop_assert!(due.iter().all(|id| seen.insert(id.clone())), "ids are used once");
        if role == "assistant" {
            prop_assert_ne!(&parts[parts.len() - 1]["type"], "thinking", "reasoning is not last");
        }
    }
    prop_assert!(due.is_empty(), "no call stays without a result: {}", body);
    Ok(())
}

fn any_record() -> impl Strategy<Value = Value> {
    let id = || proptest::sample::select(vec!["a", "b", "c|1", "c_1"]);
    let part = prop_oneof![
        2 => id().prop_map(call),
        1 => Just(text("t")),
        1 => Just(text(" ")),
        1 => Just(json!({"type": "thinking", "thinking": "t", "thinkingSignature": "s"})),
        1 => Just(json!({"type": "thinking", "thinking": "t"})),
        1 => Just(json!(7)),
    ];
    let stop = proptest::sample::select(vec!["stop", "stop", "stop", "error"]);
    prop_oneof![
        3 => (proptest::collection::vec(part, 0..4), stop).prop_map(|(parts, stop)| {
            let mut reply = reply(json!(parts));
            reply["stopReason"] = json!(stop);
            reply
        }),
        4 => id().prop_map(|id| result(id, "r")),
        1 => Just(user("u")),
        1 => Just(json!({"role": "user", "content": []})),
        1 => Just(json!({"role": "bashExecution", "command": "c", "output": "o"})),
        1 => Just(json!({"type": "custom_message", "customType": "x", "content": "c"})),
        1 => Just(json!({"type": "compaction", "summary": "s", "retainedTail": [user("kept"), reply(json!([call("a")]))]})),
        1 => Just(json!({"type": "branch_summary", "summary": "s"})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_gone_the_request_is_valid(
        records in proptest::collection::vec(any_record(), 0..14),
        gone in proptest::collection::vec(any::<proptest::sample::Index>(), 0..10),
        residues in proptest::collection::vec(any::<proptest::sample::Index>(), 0..3),
    ) {
        let log = Log::read(&log_of(&records));
        let n_blocks = log.session.blocks.len();
        let gone: BTreeSet<usize> = gone.iter().filter(|_| n_blocks > 0).map(|at| at.index(n_blocks)).collect();
        let residues: Vec<usize> = residues.iter().filter(|_| n_blocks > 0).map(|at| at.index(n_blocks)).collect();
        check_anthropic(&log.render(Provider::Anthropic, &gone, &residues).body)?;
        let pi = log.render(Provider::Pi, &gone, &residues);
        let messages: Vec<Value> = serde_json::from_str(&pi.body).unwrap();
        let known = ["user", "assistant", "toolResult"];
        prop_assert!(messages.iter().all(|message| known.contains(&message["role"].as_str().unwrap())));
    }
}

#[test]
fn every_block_that_is_kept_is_sent_or_its_repair_listed() {
    let log = Log::read(include_str!("logs/v3.jsonl"));
    let rendering = log.render(Provider::Anthropic, &BTreeSet::new(), &[]);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for repair in &rendering.repairs {
        *counts.entry(repair.name()).or_default() += 1;
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
