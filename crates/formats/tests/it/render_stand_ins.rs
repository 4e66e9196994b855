//! Texts that a policy puts into a context, for every provider: placeholders, summaries, invented results.

use std::collections::BTreeSet;

use crate::render_log::{Log, PROVIDERS, call, log_of, reply, result, rules, text, user};
use cwl_engine::{
    Fate, GoneReason, MessageIdx, MessageOrigin, Placeholder, Provider, RenderedContext, RenderedMessage,
};
use cwl_formats::Format;
use serde_json::{Value, json};

const CLEARED: &str = "[old tool output cleared]";

fn check(
    log: &Log,
    context: &RenderedContext,
    provider: Provider,
    from: usize,
    body: Value,
    repairs: &[&str],
) {
    let rendering = log.render_played(provider, context);
    let found: Value = serde_json::from_str(&rendering.body).unwrap();
    let found = json!(found.as_array().unwrap()[from..]);
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    assert_eq!(pretty(&found), pretty(&body), "for {provider:?}");
    assert_eq!(log.show_repairs(&rendering), repairs, "for {provider:?}: {}", rendering.body);
    // pi's messages from its own log follow pi's own rules.
    if provider != Provider::Pi {
        assert_eq!(rules::faults(provider, &rendering.body), [] as [String; 0], "for {provider:?}");
    }
}

fn masked(log: &Log, ids: &[&str]) -> RenderedContext {
    let mut context = log.context(&BTreeSet::new(), &[]);
    log.mask(&mut context, &ids.iter().map(|id| log.block(id)).collect());
    context
}

fn result_with_image(id: &str) -> Value {
    let image = json!({"type": "image", "data": "AA", "mimeType": "image/png"});
    json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": [text("x"), image], "isError": true, "details": {"n": 1}, "timestamp": 7})
}

#[test]
fn a_masked_result_keeps_its_call_and_says_only_the_placeholder() {
    let records = [user("hi"), reply(json!([call("c")])), result_with_image("c"), user("on")];
    let log = Log::read(&log_of(&records));
    let context = masked(&log, &["m3:0"]);
    let mut of_pi = records[2].clone();
    of_pi["content"] = json!([text(CLEARED)]);
    check(&log, &context, Provider::Pi, 2, json!([of_pi, records[3]]), &[]);
    let answer =
        json!({"type": "tool_result", "tool_use_id": "c", "content": [text(CLEARED)], "is_error": true});
    let of_user = json!([{"role": "user", "content": [answer, text("on")]}]);
    check(&log, &context, Provider::Anthropic, 2, of_user, &["messages-merged m4"]);
    let output = json!({"type": "function_call_output", "call_id": "c", "output": CLEARED});
    let said = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "on"}]});
    check(&log, &context, Provider::OpenAiResponses, 2, json!([output, said]), &[]);
    let tool = json!({"role": "tool", "tool_call_id": "c", "content": CLEARED});
    check(&log, &context, Provider::OpenAiChat, 2, json!([tool, {"role": "user", "content": "on"}]), &[]);
    let answer = json!({"functionResponse": {"id": "c", "name": "read", "response": {"error": CLEARED}}});
    let of_user = json!([{"role": "user", "parts": [answer, {"text": "on"}]}]);
    check(&log, &context, Provider::Gemini, 2, of_user, &["messages-merged m4"]);
}

#[test]
fn a_log_of_another_agent_goes_out_in_the_same_way() {
    let line = |kind: &str, id: &str, message: Value| json!({"type": kind, "uuid": id, "sessionId": "s", "version": "2.1.0", "timestamp": "2026-02-02T02:40:00.000Z", "message": message});
    let served = json!({"type": "server_tool_use", "id": "w", "name": "web_search", "input": {"query": "q"}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "w", "content": [{"type": "web_search_result", "url": "u", "title": "secret"}]});
    let called = json!({"type": "tool_use", "id": "c", "name": "Read", "input": {}});
    let answer = json!({"type": "tool_result", "tool_use_id": "c", "content": "secret"});
    let records = [
        line("user", "a", json!({"role": "user", "content": "hi"})),
        line("assistant", "b", json!({"id": "r", "role": "assistant", "content": [served, found, called]})),
        line("user", "d", json!({"role": "user", "content": [answer]})),
    ];
    let log: String = records.iter().map(|record| format!("{record}\n")).collect();
    let log = Log::parse(Format::ClaudeCode, log.as_bytes());
    let context = masked(&log, &["b:1", "d:0"]);
    let gone = json!({"type": "web_search_tool_result", "tool_use_id": "w", "content": {"type": "web_search_tool_result_error", "error_code": "unavailable"}});
    let expected = json!([
        {"role": "assistant", "content": [served, gone, called]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": [text(CLEARED)], "is_error": false}]},
    ]);
    check(&log, &context, Provider::Anthropic, 1, expected, &["part-left-out b:1"]);
    for provider in PROVIDERS {
        assert!(!log.render_played(provider, &context).body.contains("secret"), "{provider:?}");
    }
}

#[test]
fn every_placeholder_goes_out_in_its_own_words() {
    let log = Log::read(&log_of(&[user("hi"), reply(json!([call("c")])), result("c", "r")]));
    for placeholder in Placeholder::ALL {
        let mut context = masked(&log, &["m3:0"]);
        for item in context.messages.iter_mut().flat_map(|message| &mut message.items) {
            if let cwl_engine::Fate::Masked(of_item, _) = &mut item.fate {
                *of_item = placeholder;
            }
        }
        for provider in PROVIDERS {
            assert!(log.render_played(provider, &context).body.contains(placeholder.text()), "{provider:?}");
        }
    }
}

#[test]
fn a_summary_is_the_users() {
    let log = Log::read(&log_of(&[user("hi"), reply(json!([text("a")])), user("bye")]));
    let mut context = log.context(&[log.block("m2:0")].into(), &[]);
    let origin = MessageOrigin::Summary {
        before: MessageIdx::new(1),
        covers: 1..2,
        depth: 0,
        text: "what was".to_owned(),
    };
    context.messages.insert(1, RenderedMessage { origin, tokens: 2, items: Vec::new() });
    let of_pi = json!([{"role": "user", "content": [text("what was")]}, user("bye")]);
    check(&log, &context, Provider::Pi, 1, of_pi, &[]);
    let merged = json!([{"role": "user", "content": [text("hi"), text("what was"), text("bye")]}]);
    let repairs = ["messages-merged residue", "messages-merged m3"];
    check(&log, &context, Provider::Anthropic, 0, merged, &repairs);
    let parts = json!([{"role": "user", "parts": [{"text": "hi"}, {"text": "what was"}, {"text": "bye"}]}]);
    check(&log, &context, Provider::Gemini, 0, parts, &repairs);
    let chat = ["hi", "what was", "bye"].map(|text| json!({"role": "user", "content": text}));
    check(&log, &context, Provider::OpenAiChat, 0, json!(chat), &[]);
    let items = ["hi", "what was", "bye"].map(
        |text| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}),
    );
    check(&log, &context, Provider::OpenAiResponses, 0, json!(items), &[]);
}

/// Two calls, one without its result, and a newest one that may still be running.
fn split() -> (Log, RenderedContext) {
    let records = [
        user("hi"),
        reply(json!([call("c"), call("d")])),
        result("c", "rc"),
        result("d", "rd"),
        user("on"),
        reply(json!([call("e")])),
    ];
    let log = Log::read(&log_of(&records));
    let mut context = log.context(&[log.block("m3:0")].into(), &[]);
    context.answers_calls = true;
    (log, context)
}

#[test]
fn where_the_harness_answers_calls_itself_an_error_stands_for_the_result() {
    let (log, context) = split();
    let none = "No result provided";
    let answer = |id: &str, said: &str, failed: bool| json!({"type": "tool_result", "tool_use_id": id, "content": [text(said)], "is_error": failed});
    let of_user =
        json!([{"role": "user", "content": [answer("d", "rd", false), answer("c", none, true), text("on")]}]);
    let repairs = ["result-invented m2:0", "messages-merged m5", "call-left-out m6:0", "empty-left-out m6"];
    check(&log, &context, Provider::Anthropic, 2, of_user, &repairs);
    let repairs = ["result-invented m2:0", "call-left-out m6:0", "empty-left-out m6"];
    let tool = |id: &str, said: &str| json!({"role": "tool", "tool_call_id": id, "content": said});
    let chat = json!([tool("d", "rd"), tool("c", none), {"role": "user", "content": "on"}]);
    check(&log, &context, Provider::OpenAiChat, 2, chat, &repairs);
    let output =
        |id: &str, said: &str| json!({"type": "function_call_output", "call_id": id, "output": said});
    let said = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "on"}]});
    check(
        &log,
        &context,
        Provider::OpenAiResponses,
        3,
        json!([output("c", none), output("d", "rd"), said]),
        &repairs,
    );
    let rendering = log.render_played(Provider::Pi, &context);
    assert_eq!(log.show_repairs(&rendering), ["result-invented m2:0"], "pi does so whatever the policy");
}

#[test]
fn elsewhere_a_call_without_its_result_is_left_out() {
    let (log, mut context) = split();
    context.answers_calls = false;
    for provider in [Provider::Anthropic, Provider::OpenAiResponses, Provider::OpenAiChat, Provider::Gemini] {
        let rendering = log.render_played(provider, &context);
        assert_eq!(log.show_repairs(&rendering)[0], "call-left-out m2:0", "{provider:?}");
        assert!(!rendering.body.contains("No result provided"));
    }
}

#[test]
fn a_call_without_its_arguments_keeps_id_and_name() {
    let log = Log::read(&log_of(&[user("hi"), reply(json!([call("c")])), result("c", "r")]));
    let mut context = log.context(&BTreeSet::new(), &[]);
    let call = log.block("m2:0");
    let mut items = context.messages.iter_mut().flat_map(|message| &mut message.items);
    let item = items.find(|item| item.block.at() == call).unwrap();
    item.fate = Fate::Masked(Placeholder::Arguments, GoneReason::Excluded);
    for provider in PROVIDERS {
        let body = log.render_played(provider, &context).body;
        assert!(body.contains(Placeholder::Arguments.text()), "{provider:?}: {body}");
        assert!(body.contains(r#""read""#), "{provider:?}: {body}");
    }
}
