//! Formats of OpenAI, Gemini and pi, one concept at a time, from several agents' logs.

use std::collections::BTreeSet;

use crate::render_log::{Log, call, log_of, name_of, reply, result, text, user};
use cwl_engine::Provider;
use cwl_formats::Format;
use serde_json::{Value, json};

fn check_log(log: &Log, provider: Provider, gone: &[&str], body: Value, repairs: &[&str]) {
    let gone: BTreeSet<usize> = gone.iter().map(|id| log.block(id)).collect();
    let rendering = log.render(provider, &gone, &[]);
    let found: Value = serde_json::from_str(&rendering.body).unwrap();
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    assert_eq!(pretty(&found), pretty(&body), "for {provider:?}");
    assert_eq!(log.show_repairs(&rendering), repairs, "for {provider:?}: {}", rendering.body);
}

fn check(provider: Provider, records: &[Value], body: Value, repairs: &[&str]) {
    check_log(&Log::read(&log_of(records)), provider, &[], body, repairs);
}

fn of_api(api: &str, content: Value) -> Value {
    json!({"role": "assistant", "api": api, "content": content, "stopReason": "stop"})
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn image() -> Value {
    json!({"type": "image", "data": "AA", "mimeType": "image/png"})
}

const DATA_URL: &str = "data:image/png;base64,AA";

#[test]
fn chat_has_calls_beside_the_text_and_results_behind() {
    let records = [
        user("hi"),
        reply(json!([text("a"), call("c"), call("d"), text("b")])),
        user("meanwhile"),
        result("d", "rd"),
        json!({"role": "toolResult", "toolCallId": "c", "content": [text("x"), text("y"), image()], "isError": true}),
        json!({"role": "user", "content": [text("see"), image()]}),
    ];
    let function = json!({"name": "read", "arguments": "{\"path\":\"x\",\"n\":1}"});
    let expected = json!([
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [text("a"), text("b")], "tool_calls": [
            {"id": "c", "type": "function", "function": function},
            {"id": "d", "type": "function", "function": function},
        ]},
        {"role": "tool", "tool_call_id": "d", "content": "rd"},
        {"role": "tool", "tool_call_id": "c", "content": [text("x"), text("y")]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": DATA_URL}}]},
        {"role": "user", "content": "meanwhile"},
        {"role": "user", "content": [text("see"), {"type": "image_url", "image_url": {"url": DATA_URL}}]},
    ]);
    let repairs = ["image-moved m5:0", "result-moved m4:0", "result-moved m5:0"];
    check(Provider::OpenAiChat, &records, expected, &repairs);
}

#[test]
fn chat_takes_reasoning_in_the_field_that_it_came_in() {
    let named = json!({"type": "thinking", "thinking": "t", "thinkingSignature": "reasoning"});
    let unnamed = json!({"type": "thinking", "thinking": "u"});
    let records = [
        user("hi"),
        of_api("openai-completions", json!([named, unnamed, text("a")])),
        of_api("openai-completions", json!([unnamed])),
        of_api("anthropic-messages", json!([unnamed, text("b")])),
    ];
    let expected = json!([
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "a", "reasoning_content": "u", "reasoning": "t"},
        {"role": "assistant", "content": [text("u"), text("b")]},
    ]);
    let repairs = ["reasoning-left-out m3:0", "empty-left-out m3", "reasoning-as-text m4:0"];
    check(Provider::OpenAiChat, &records, expected, &repairs);
}

#[test]
fn responses_are_items_where_they_stand() {
    let item = r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"e"}"#;
    let sealed = json!({"type": "thinking", "thinking": "t", "thinkingSignature": item});
    let bare = json!({"type": "thinking", "thinking": "u"});
    let records = [
        user("hi"),
        of_api("openai-responses", json!([sealed, bare, text("a"), call("c"), call("d")])),
        user("meanwhile"),
        json!({"role": "toolResult", "toolCallId": "c", "content": [text("x"), image()]}),
        result("d", ""),
        of_api("openai-responses", json!([text("b"), sealed])),
        of_api("google-vertex", json!([bare, text("b")])),
    ];
    let said = |role: &str, kind: &str, said: &[&str]| {
        let parts: Vec<Value> = said.iter().map(|text| json!({"type": kind, "text": text})).collect();
        json!({"type": "message", "role": role, "content": parts})
    };
    let called = |id: &str| json!({"type": "function_call", "call_id": id, "name": "read", "arguments": "{\"path\":\"x\",\"n\":1}"});
    let expected = json!([
        said("user", "input_text", &["hi"]),
        serde_json::from_str::<Value>(item).unwrap(),
        said("assistant", "output_text", &["a"]),
        called("c"),
        called("d"),
        said("user", "input_text", &["meanwhile"]),
        {"type": "function_call_output", "call_id": "c", "output": [
            {"type": "input_text", "text": "x"}, {"type": "input_image", "image_url": DATA_URL},
        ]},
        {"type": "function_call_output", "call_id": "d", "output": ""},
        said("assistant", "output_text", &["b"]),
        said("assistant", "output_text", &["u", "b"]),
    ]);
    let repairs = ["reasoning-left-out m2:1", "reasoning-left-out m6:1", "reasoning-as-text m7:0"];
    check(Provider::OpenAiResponses, &records, expected, &repairs);
}

#[test]
fn gemini_takes_turns_and_names_its_answers() {
    let signed = json!({"type": "thinking", "thinking": "t", "thinkingSignature": "g"});
    let mut with_signature = call("c|1");
    with_signature["thoughtSignature"] = json!("s");
    let records = [
        user("hi"),
        of_api("google-generative-ai", json!([signed, text("a"), with_signature, call("d")])),
        json!({"role": "toolResult", "toolCallId": "c|1", "content": [text("x"), image(), text("y")]}),
        json!({"role": "toolResult", "toolCallId": "d", "content": "no", "isError": true}),
        user("more"),
        of_api("google-generative-ai", json!([text("b"), {"type": "thinking", "thinking": "u"}])),
    ];
    let args = json!({"path": "x", "n": 1});
    let expected = json!([
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [
            {"text": "t", "thought": true, "thoughtSignature": "g"},
            {"text": "a"},
            {"functionCall": {"id": "c_1", "name": "read", "args": args}, "thoughtSignature": "s"},
            {"functionCall": {"id": "d", "name": "read", "args": args}},
        ]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "c_1", "name": "read", "response": {"output": "xy"}}},
            {"functionResponse": {"id": "d", "name": "read", "response": {"error": "no"}}},
            {"inlineData": {"mimeType": "image/png", "data": "AA"}},
            {"text": "more"},
        ]},
        {"role": "model", "parts": [{"text": "b"}]},
    ]);
    let repairs =
        ["call-id-changed m2:2", "image-moved m3:0", "messages-merged m5", "reasoning-left-out m6:1"];
    check(Provider::Gemini, &records, expected, &repairs);
}

#[test]
fn a_call_that_nothing_precedes_gets_a_beginning_where_one_must() {
    let first_text = [reply(json!([text("a")]))];
    let first_call = [reply(json!([call("c")])), result("c", "r")];
    let body =
        |records: &[Value], provider| Log::read(&log_of(records)).render(provider, &BTreeSet::new(), &[]);
    let rendering = body(&first_call, Provider::Gemini);
    let found: Value = serde_json::from_str(&rendering.body).unwrap();
    assert_eq!(found[0]["role"], "user");
    assert!(found[0].to_string().contains("Continue."));
    assert_eq!(rendering.repairs.iter().map(name_of).collect::<Vec<_>>(), ["opening-invented"]);
    assert!(body(&first_text, Provider::Gemini).repairs.is_empty(), "a text may be the first");
    for takes_it in [Provider::Anthropic, Provider::OpenAiResponses, Provider::OpenAiChat, Provider::Pi] {
        for records in [&first_text[..], &first_call] {
            let repairs = body(records, takes_it).repairs;
            assert!(repairs.iter().all(|repair| name_of(repair) != "opening-invented"), "{takes_it:?}");
        }
    }
}

#[test]
fn input_that_is_no_object_is_wrapped() {
    let mut broken = call("c");
    broken["arguments"] = json!(["x"]);
    let records = [user("hi"), reply(json!([broken])), result("c", "r")];
    let log = Log::read(&log_of(&records));
    for provider in [Provider::Anthropic, Provider::OpenAiResponses, Provider::OpenAiChat, Provider::Gemini] {
        let rendering = log.render(provider, &BTreeSet::new(), &[]);
        let body = rendering.body.replace('\\', "");
        assert!(body.contains(r#"{"input":"["x"]"}"#), "{provider:?}: {body}");
        assert_eq!(log.show_repairs(&rendering), ["input-wrapped m2:0"], "{provider:?}");
    }
}

fn codex() -> Log {
    let at = "2026-02-02T02:40:00.000Z";
    let item = |payload: Value| json!({"timestamp": at, "type": "response_item", "payload": payload});
    let said = |role: &str, kind: &str, text: &str| {
        item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
    };
    let records = [
        json!({"timestamp": at, "type": "session_meta", "payload": {"id": "s", "cwd": "/p", "cli_version": "0.98.0",
            "originator": "codex_cli_rs", "timestamp": at, "base_instructions": {"text": "Be brief."}}}),
        said("developer", "input_text", "Ask before you write."),
        said("user", "input_text", "hi"),
        item(
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}], "encrypted_content": "e"}),
        ),
        item(
            json!({"type": "function_call", "name": "exec_command", "call_id": "c", "arguments": "{\"cmd\": \"ls\"}"}),
        ),
        item(json!({"type": "function_call_output", "call_id": "c", "output": "one\ntwo"})),
        item(
            json!({"type": "custom_tool_call", "status": "completed", "name": "apply_patch", "call_id": "d", "input": "*** Begin Patch"}),
        ),
        item(json!({"type": "custom_tool_call_output", "call_id": "d", "output": "ok"})),
        said("assistant", "output_text", "done"),
    ];
    Log::parse("codex".parse::<Format>().unwrap(), lines(&records).as_bytes())
}

/// Names of the repairs, with the place inside their record: record ids depend on the adapter.
fn names(log: &Log, provider: Provider) -> Vec<String> {
    log.render(provider, &BTreeSet::new(), &[]).repairs.iter().map(name_of).collect()
}

fn body_of(log: &Log, provider: Provider) -> Value {
    serde_json::from_str(&log.render(provider, &BTreeSet::new(), &[]).body).unwrap()
}

#[test]
fn codex_is_sent_to_openai_as_codex_sends_it() {
    let log = codex();
    let said = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    let expected = json!({
        "instructions": "Be brief.",
        "input": [
            said("developer", "input_text", "Ask before you write."),
            said("user", "input_text", "hi"),
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}], "encrypted_content": "e"},
            {"type": "function_call", "call_id": "c", "name": "exec_command", "arguments": "{\"cmd\": \"ls\"}"},
            {"type": "function_call_output", "call_id": "c", "output": "one\ntwo"},
            {"type": "custom_tool_call", "call_id": "d", "name": "apply_patch", "input": "*** Begin Patch"},
            {"type": "custom_tool_call_output", "call_id": "d", "output": "ok"},
            said("assistant", "output_text", "done"),
        ],
    });
    assert_eq!(body_of(&log, Provider::OpenAiResponses), expected);
    assert_eq!(names(&log, Provider::OpenAiResponses), [] as [&str; 0]);
}

#[test]
fn codex_is_sent_to_others_in_their_form() {
    let log = codex();
    let anthropic = body_of(&log, Provider::Anthropic);
    assert_eq!(anthropic["system"], json!([text("Be brief."), text("Ask before you write.")]));
    let called = &anthropic["messages"][1]["content"];
    assert_eq!(called[0], text("t"), "reasoning of another provider is text");
    assert_eq!(called[1]["input"], json!({"cmd": "ls"}));
    assert_eq!(anthropic["messages"][3]["content"][0]["input"], json!({"input": "*** Begin Patch"}));
    assert_eq!(names(&log, Provider::Anthropic), ["reasoning-as-text", "input-wrapped"]);
    let gemini = body_of(&log, Provider::Gemini);
    assert_eq!(gemini["systemInstruction"]["parts"][1]["text"], "Ask before you write.");
    let chat = body_of(&log, Provider::OpenAiChat);
    assert_eq!(chat[0], json!({"role": "system", "content": "Be brief."}));
    assert_eq!(chat[1], json!({"role": "system", "content": "Ask before you write."}));
    let pi = body_of(&log, Provider::Pi);
    assert_eq!(pi["systemPrompt"], "Be brief.\n\nAsk before you write.");
    let thinking = &pi["messages"][1]["content"][0];
    assert_eq!(thinking["thinking"], "t");
    let item: Value = serde_json::from_str(thinking["thinkingSignature"].as_str().unwrap()).unwrap();
    assert_eq!(item["encrypted_content"], "e", "pi gives the item back to OpenAI");
    assert_eq!(pi["messages"][1]["api"], "openai-responses");
    assert_eq!(pi["messages"][2]["toolName"], "exec_command");
}

fn claude_code() -> Log {
    let row = |kind: &str, id: &str, parent: Option<&str>, message: Value| {
        json!({"type": kind, "uuid": id, "parentUuid": parent, "sessionId": "s", "version": "2.1.30",
            "isSidechain": false, "userType": "external", "cwd": "/p", "timestamp": "2026-02-02T02:40:00.000Z",
            "message": message})
    };
    let model = |content: Value| json!({"role": "assistant", "type": "message", "id": "msg_1", "model": "claude-opus-4-6", "content": [content]});
    let records = [
        row("user", "u1", None, json!({"role": "user", "content": "hi"})),
        row(
            "assistant",
            "a1",
            Some("u1"),
            model(json!({"type": "thinking", "thinking": "t", "signature": "s"})),
        ),
        row("assistant", "a2", Some("a1"), model(json!({"type": "redacted_thinking", "data": "d"}))),
        row(
            "assistant",
            "a3",
            Some("a2"),
            model(
                json!({"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.png"}}),
            ),
        ),
        row(
            "user",
            "u2",
            Some("a3"),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [
                text("an image"),
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}},
            ]}]}),
        ),
    ];
    Log::parse(Format::ClaudeCode, lines(&records).as_bytes())
}

#[test]
fn claude_code_is_sent_to_anthropic_as_it_was() {
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}});
    let expected = json!([
        {"role": "user", "content": [text("hi")]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "t", "signature": "s"},
            {"type": "redacted_thinking", "data": "d"},
            {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.png"}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": [text("an image"), image], "is_error": false},
        ]},
    ]);
    check_log(&claude_code(), Provider::Anthropic, &[], expected, &[]);
}

#[test]
fn claude_code_becomes_messages_of_pi() {
    let at = 1_770_000_000_000i64;
    let expected = json!([
        {"role": "user", "content": [text("hi")], "timestamp": at},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "t", "thinkingSignature": "s"},
            {"type": "thinking", "thinking": "", "thinkingSignature": "d", "redacted": true},
            {"type": "toolCall", "id": "toolu_1", "name": "Read", "arguments": {"file_path": "a.png"}},
        ], "api": "anthropic-messages", "provider": "anthropic", "model": "claude-opus-4-6",
            "stopReason": "toolUse", "timestamp": at},
        {"role": "toolResult", "toolCallId": "toolu_1", "toolName": "Read",
            "content": [text("an image"), image()], "isError": false, "timestamp": at},
    ]);
    check_log(&claude_code(), Provider::Pi, &[], expected, &[]);
}

#[test]
fn claude_codes_reasoning_is_text_to_others() {
    let log = claude_code();
    assert_eq!(names(&log, Provider::OpenAiChat), ["reasoning-as-text", "reasoning-left-out", "image-moved"]);
    assert_eq!(names(&log, Provider::OpenAiResponses), ["reasoning-as-text", "reasoning-left-out"]);
    assert_eq!(names(&log, Provider::Gemini), ["reasoning-as-text", "reasoning-left-out", "image-moved"]);
}

#[test]
fn what_the_provider_runs_itself_goes_back_to_it_only() {
    let served =
        |of: &str, id: &str| json!({"type": of, "id": id, "name": "web_search", "input": {"query": "q"}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "s1", "content": []});
    let request = json!({"model": "claude-opus-4-6", "max_tokens": 10, "system": "Be brief.",
    "tools": [{"type": "web_search_20250305", "name": "web_search"}],
    "messages": [
        {"role": "user", "content": [{"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}}, text("hi")]},
        {"role": "assistant", "content": [served("server_tool_use", "s1"), found, served("server_tool_use", "s2"), text("a")]},
        {"role": "user", "content": "bye"},
    ]});
    let log = Log::parse(Format::Anthropic, request.to_string().as_bytes());
    let mut expected = request["messages"].clone();
    expected[1]["content"].as_array_mut().unwrap().remove(2);
    expected[2]["content"] = json!([text("bye")]);
    let body = body_of(&log, Provider::Anthropic);
    assert_eq!(body["messages"], expected);
    assert_eq!(body["tools"], request["tools"]);
    assert_eq!(names(&log, Provider::Anthropic), ["call-left-out"], "what has no result yet");
    let body = body_of(&log, Provider::Gemini);
    assert_eq!(body["tools"], Value::Null);
    let left_out = ["part-left-out", "part-left-out", "call-left-out", "part-left-out", "call-left-out"];
    assert_eq!(names(&log, Provider::Gemini), left_out, "the tool, the document, two calls, a result");
}

#[test]
fn responses_takes_calls_back_as_the_log_has_them() {
    let meta = json!({"timestamp": "2026-11-28T09:00:00Z", "type": "session_meta", "payload": {"id": "s"}});
    let item =
        |item: Value| json!({"timestamp": "2026-11-28T09:00:01Z", "type": "response_item", "payload": item});
    let user = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]});
    let arguments = r#"{ "name": "a", "n": 1.0 }"#;
    let call = json!({"type": "function_call", "call_id": "c", "name": "delimiter", "namespace": "mcp__cwl", "arguments": arguments});
    let output = json!({"type": "function_call_output", "call_id": "c", "output": "ok"});
    let log = lines(&[meta, item(user.clone()), item(call.clone()), item(output.clone())]);
    let log = Log::parse(Format::Codex, log.as_bytes());
    check_log(&log, Provider::OpenAiResponses, &[], json!([user, call, output]), &[]);
    // Other providers have a single name and their own spelling.
    let rendering = log.render(Provider::OpenAiChat, &BTreeSet::new(), &[]);
    let called = json!({"name": "mcp__cwl__delimiter", "arguments": r#"{"name":"a","n":1}"#});
    let found: Value = serde_json::from_str(&rendering.body).unwrap();
    assert_eq!(found[1]["tool_calls"][0]["function"], called, "{found:#}");
}

#[test]
fn a_copilots_results_are_sent_in_the_order_of_the_calls() {
    let log = include_bytes!("../../../../samples/copilot/records/input.jsonl");
    let log = Log::parse(Format::Copilot, log);
    let rendering = log.render(Provider::OpenAiResponses, &BTreeSet::new(), &[]);
    let found: Value = serde_json::from_str(&rendering.body).unwrap();
    let outputs = found.as_array().unwrap().iter().filter_map(|item| item["output"].as_str());
    assert_eq!(outputs.collect::<Vec<_>>(), ["ay", "bee"], "{found:#}");
}

#[test]
fn qwen_code_sends_thoughts_back_as_reasoning() {
    let log = include_bytes!("../../../../samples/qwen-code/records/input.jsonl");
    let log = Log::parse(Format::QwenCode, &log[..]);
    let rendering = log.render(Provider::OpenAiChat, &BTreeSet::new(), &[]);
    let found: Value = serde_json::from_str(&rendering.body).unwrap();
    let reply = found.as_array().unwrap().iter().find(|message| message["role"] == "assistant").unwrap();
    assert!(reply["content"].as_str().is_none_or(|text| !text.contains("searches")), "{reply:#}");
}

#[test]
fn kimi_sends_encrypted_reasoning_to_the_provider_in_use() {
    let part = |uuid: &str, part: Value| json!({"type": "context.append_loop_event", "time": 3, "event": {"type": "content.part", "uuid": uuid, "stepUuid": "s", "part": part}});
    let records = [
        json!({"type": "metadata", "protocol_version": "1.5", "created_at": 1}),
        json!({"type": "context.append_message", "time": 2, "message": {"role": "user", "content": "hi"}}),
        json!({"type": "context.append_loop_event", "time": 3, "event": {"type": "step.begin", "uuid": "s"}}),
        part("a", json!({"type": "think", "think": "t", "encrypted": "e"})),
        part("b", json!({"type": "text", "text": "so"})),
    ];
    let log = Log::parse(Format::KimiCode, lines(&records).as_bytes());
    let hi = |text: Value| json!({"role": "user", "content": text});
    let thought = json!({"type": "thinking", "thinking": "t", "signature": "e"});
    let expected = json!([hi(json!([text("hi")])), {"role": "assistant", "content": [thought, text("so")]}]);
    check_log(&log, Provider::Anthropic, &[], expected, &[]);
    let expected = json!([
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}], "encrypted_content": "e"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]},
    ]);
    check_log(&log, Provider::OpenAiResponses, &[], expected, &[]);
    let expected = json!([hi(json!("hi")), {"role": "assistant", "content": "so", "reasoning_content": "t"}]);
    check_log(&log, Provider::OpenAiChat, &[], expected, &[]);
    let said = json!({"role": "model", "parts": [{"text": "t"}, {"text": "so"}]});
    let expected = json!([{"role": "user", "parts": [{"text": "hi"}]}, said]);
    check_log(&log, Provider::Gemini, &[], expected, &["reasoning-as-text L4:0"]);
}
