//! Requests edited by a policy, and requests forwarded unchanged.

use std::sync::{Arc, Mutex};

use cwl_host::Tools;
use cwl_proxy::{Eviction, Notices, ProxyLimits};
use serde_json::{Value, json};

use crate::capture::{CapturingPair, body_of};
use crate::common::within;

pub(crate) const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

pub(crate) fn eviction(policy: &str, budget: &str) -> Eviction {
    Eviction::parse(policy, budget, &[], "o200k", Tools::builtin_tables()).unwrap()
}

/// A story in each API's format: an exploration with a large output, and an act depending on it.
pub(crate) struct BodyStory {
    messages: Vec<Value>,
    api: &'static str,
    n_calls: u32,
}

impl BodyStory {
    pub(crate) fn new(api: &'static str) -> Self {
        let mut story = Self { messages: Vec::new(), api, n_calls: 0 };
        story.messages.push(match api {
            "gemini" => json!({"role": "user", "parts": [{"text": "Find the fault."}]}),
            "responses" => json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Find the fault."}]}),
            _ => json!({"role": "user", "content": "Find the fault."}),
        });
        story
    }

    fn step(&mut self, tool: &str, arguments: Value, output: &str) -> &mut Self {
        self.n_calls += 1;
        let id = format!("call_{}", self.n_calls);
        match self.api {
            "anthropic" => {
                self.messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": arguments}]}));
                self.messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": output}]}));
            }
            "responses" => {
                self.messages.push(json!({"type": "function_call", "call_id": id, "name": tool, "arguments": arguments.to_string()}));
                self.messages.push(json!({"type": "function_call_output", "call_id": id, "output": output}));
            }
            "chat" => {
                let function = json!({"name": tool, "arguments": arguments.to_string()});
                self.messages.push(json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": function}]}));
                self.messages.push(json!({"role": "tool", "tool_call_id": id, "content": output}));
            }
            _ => {
                self.messages.push(json!({"role": "model", "parts": [{"functionCall": {"id": id, "name": tool, "args": arguments}}]}));
                self.messages.push(json!({"role": "user", "parts": [{"functionResponse": {"id": id, "name": tool, "response": {"output": output}}}]}));
            }
        }
        self
    }

    pub(crate) fn tell(mut self, n_lines: usize) -> (String, &'static str) {
        let mark = |action: Value| action;
        self.step("delimiter", mark(json!({"action": "start", "name": "look", "type": "expl"})), "ok")
            .step("read", json!({"path": "a.py"}), &"a line of code\n".repeat(n_lines))
            .step("delimiter", mark(json!({"action": "end", "description": "the fault is in a.py"})), "ok")
            .step(
                "delimiter",
                mark(json!({"action": "start", "name": "fix", "type": "act", "dependencies": ["look"]})),
                "ok",
            )
            .step("edit", json!({"path": "a.py"}), &"a change\n".repeat(n_lines))
            .step("delimiter", mark(json!({"action": "end"})), "ok")
            .step("read", json!({"path": "b.py"}), "the last output");
        let (path, body) = match self.api {
            "anthropic" => {
                let tools = json!([{"name": "read", "input_schema": {"type": "object"}}]);
                ("/v1/messages", json!({"model": "m", "tools": tools, "messages": self.messages}))
            }
            "responses" => {
                ("/v1/responses", json!({"model": "m", "instructions": "s", "input": self.messages}))
            }
            "chat" => ("/v1/chat/completions", json!({"model": "m", "messages": self.messages})),
            _ => ("/v1beta/models/m:generateContent", json!({"contents": self.messages})),
        };
        (serde_json::to_string_pretty(&body).unwrap(), path)
    }
}

pub(crate) fn collect_notices() -> (Arc<Mutex<Vec<String>>>, Notices) {
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&said);
    (said, Arc::new(move |line: &str| kept.lock().unwrap().push(line.to_owned())))
}

#[test]
fn every_api_is_held_at_the_budget() {
    for api in ["anthropic", "responses", "chat", "gemini"] {
        within(async {
            let (said, notices) = collect_notices();
            let pair =
                CapturingPair::start_with(ProxyLimits::USUAL, Some(eviction("cwl", "700")), notices).await;
            let (body, path) = BodyStory::new(api).tell(200);
            let got = String::from_utf8(pair.exchange_changed(path, "", body.as_bytes(), OK).await).unwrap();
            let sent: Value = serde_json::from_str(&got).unwrap();
            assert!(
                !got.contains("a line of code")
                    && got.contains("the last output")
                    && got.contains("Find the fault."),
                "{api}: {got}"
            );
            for member in ["model", "tools", "instructions"] {
                let whole: Value = serde_json::from_str(&body).unwrap();
                assert_eq!(sent[member], whole[member], "{api} {member}");
            }
            let (_dir, folder, lines) = pair.end().await;
            assert_eq!(body_of(&folder, &lines[0]), got.as_bytes(), "{api}: what was sent is kept");
            let figures = &lines[0]["evicted"];
            assert!(
                figures["sent"].as_u64() <= Some(700) && figures["whole"].as_u64() > Some(700),
                "{api}: {figures}"
            );
            assert!(figures["n_parts"].as_u64() > Some(0), "{api}: {figures}");
            assert_eq!(
                *said.lock().unwrap(),
                ["cwl holds requests at 700 tokens: what is evicted is not sent"],
                "{api}"
            );
        });
    }
}

/// Checks that a body reaches the upstream byte for byte, and which notices appear.
fn check_whole(what: &str, eviction: Eviction, path: &str, body: &[u8], expected: &[&str]) {
    within(async {
        let (said, notices) = collect_notices();
        let pair = CapturingPair::start_with(ProxyLimits::USUAL, Some(eviction), notices).await;
        for _ in 0..2 {
            let got = pair.exchange_changed(path, "", body, OK).await;
            assert!(got == body, "{what}: {}", String::from_utf8_lossy(&got));
        }
        let (_dir, _folder, lines) = pair.end().await;
        let said = said.lock().unwrap();
        assert_eq!(*said, expected, "{what}: said once");
        for line in lines {
            assert_eq!(line["note"].is_string(), !expected.is_empty(), "{what}: {line}");
            assert_eq!(line["evicted"], Value::Null, "{what}");
        }
    });
}

#[test]
fn whatever_is_in_the_way_the_request_goes_on_as_it_came() {
    let (body, path) = BodyStory::new("anthropic").tell(200);
    check_whole("it fits", eviction("cwl", "80k"), path, body.as_bytes(), &[]);
    let no_list = "a request goes on as it came: the body is not understood whole";
    let starts = |what: &str, eviction: Eviction, body: &[u8], begin: &str| {
        within(async {
            let (said, notices) = collect_notices();
            let pair = CapturingPair::start_with(ProxyLimits::USUAL, Some(eviction), notices).await;
            assert_eq!(pair.exchange_changed(path, "", body, OK).await, body, "{what}");
            pair.end().await;
            let said = said.lock().unwrap();
            assert!(said.len() == 1 && said[0].starts_with(begin), "{what}: {said:?}");
        });
    };
    starts("no JSON", eviction("cwl", "700"), &body.as_bytes()[..body.len() - 9], no_list);
    let unknown = body.replacen("\"type\": \"tool_result\"", "\"type\": \"unheard_of\"", 1);
    starts("an unknown part", eviction("cwl", "700"), unknown.as_bytes(), no_list);
    let prefix = "a request goes on as it came: ";
    starts("no text", eviction("cwl", "700"), &[0xff, 0xfe, b'{'], &format!("{prefix}the body is no text"));
    let marks = body.replace("\"delimiter\"", "\"other\"");
    starts(
        "no marks",
        eviction("cwl", "700"),
        marks.as_bytes(),
        &format!("{prefix}cwl goes by the marks of the agent"),
    );
    starts("τ too small", eviction("cwl", "3"), body.as_bytes(), &format!("{prefix}τ of 3 is below"));
    check_whole(
        "no question to a model",
        eviction("cwl", "700"),
        "/v1/messages/count_tokens",
        body.as_bytes(),
        &[],
    );
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let refused = |policy: &str, budget: &str, option: &str| {
        let options: Vec<String> =
            [option].iter().filter(|text| !text.is_empty()).map(|text| (*text).to_owned()).collect();
        Eviction::parse(policy, budget, &options, "o200k", Tools::builtin_tables()).err().unwrap()
    };
    assert!(refused("nonsense", "80k", "").contains("there is no policy `nonsense`"));
    assert!(refused("cwl", "nonsense", "").contains("nonsense"));
    assert!(refused("cwl", "80k", "levels").contains("KEY=VALUE"));
    assert!(refused("summary", "80k", "").contains("makes summaries"));
}
