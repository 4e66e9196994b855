//! Requirements from the providers' documentation, checked on a request's JSON alone.

use std::collections::BTreeSet;

use cwl_engine::Provider;
use serde_json::Value;

/// Returns the faults in a request body; empty if the provider would accept it.
pub fn faults(provider: Provider, body: &str) -> Vec<String> {
    let body: Value = match serde_json::from_str(body) {
        Ok(body) => body,
        Err(error) => return vec![format!("no JSON: {error}")],
    };
    let mut faults = Faults::default();
    match provider {
        Provider::Pi => faults.pi(&body),
        Provider::Anthropic => faults.anthropic(&body),
        Provider::OpenAiResponses => faults.responses(&body),
        Provider::OpenAiChat => faults.chat(&body),
        Provider::Gemini => faults.gemini(&body),
    }
    faults.found
}

#[derive(Default)]
struct Faults {
    found: Vec<String>,
    ids: BTreeSet<String>,
}

fn list<'v>(body: &'v Value, key: &str) -> &'v [Value] {
    body.as_array().or_else(|| body[key].as_array()).map_or(&[], Vec::as_slice)
}

fn is_spelled(text: &str, max: usize) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=max).contains(&text.len()) && text.chars().all(is_fine)
}

impl Faults {
    fn check(&mut self, is_fine: bool, fault: &str, place: &Value) {
        if !is_fine {
            self.found.push(format!("{fault}: {place}"));
        }
    }

    fn call(&mut self, id: &Value, name: &Value, max_id: usize, max_name: usize) {
        let id = id.as_str().unwrap_or_default();
        self.check(is_spelled(id, max_id), "id", &Value::from(id));
        let is_new = self.ids.insert(id.to_owned());
        self.check(is_new, "id used twice", &Value::from(id));
        self.check(is_spelled(name.as_str().unwrap_or_default(), max_name), "name", name);
    }

    fn members(&mut self, body: &Value, known: &[&str]) {
        for key in body.as_object().into_iter().flat_map(|object| object.keys()) {
            self.check(known.contains(&&**key), "member", &Value::from(key.as_str()));
        }
    }

    fn text(&mut self, part: &Value) {
        self.check(part["text"].as_str().is_some_and(|text| !text.is_empty()), "empty text", part);
    }

    fn anthropic(&mut self, body: &Value) {
        self.members(body, &["system", "tools", "messages"]);
        let messages = list(body, "messages");
        let mut due: Vec<&Value> = Vec::new();
        let mut last = "";
        for message in messages {
            let role = message["role"].as_str().unwrap_or_default();
            let parts = list(&message["content"], "");
            self.check(!parts.is_empty(), "empty message", message);
            if role == "system" {
                // Newer models accept system texts among the messages, but not before the results of calls.
                self.check(role != last && due.is_empty(), "system between calls and results", message);
                parts.iter().for_each(|part| self.text(part));
                last = "system";
                continue;
            }
            self.check(role != last && matches!(role, "user" | "assistant"), "roles alternate", message);
            last = if role == "user" { "user" } else { "assistant" };
            let answers: Vec<&Value> =
                parts.iter().take_while(|part| part["type"] == "tool_result").collect();
            let ids: BTreeSet<&str> =
                answers.iter().filter_map(|part| part["tool_use_id"].as_str()).collect();
            let expected: BTreeSet<&str> = due.iter().filter_map(|part| part["id"].as_str()).collect();
            self.check(ids == expected && answers.len() == due.len(), "results of the calls before", message);
            due.clear();
            let mut served: Vec<&Value> = Vec::new();
            for part in &parts[answers.len()..] {
                match (part["type"].as_str().unwrap_or_default(), role) {
                    ("text", _) => {
                        let text = part["text"].as_str().unwrap_or_default();
                        // OpenCode sends a space behind signed reasoning.
                        let is_said = !text.trim().is_empty() || (role == "assistant" && text == " ");
                        self.check(is_said, "blank text", part);
                    }
                    ("image", "user") => {
                        let source = &part["source"];
                        let is_data = source["type"] == "base64" && source["data"].is_string();
                        self.check(is_data || source["url"].is_string(), "image", part);
                    }
                    ("thinking", "assistant") => {
                        self.check(
                            part["signature"].as_str().is_some_and(|it| !it.is_empty()),
                            "unsigned",
                            part,
                        );
                    }
                    ("redacted_thinking", "assistant") => self.check(part["data"].is_string(), "data", part),
                    ("tool_use", "assistant") => {
                        self.call(&part["id"], &part["name"], 64, 128);
                        self.check(part["input"].is_object(), "input", part);
                        due.push(part);
                    }
                    // Anthropic's own tools: call and result in one message.
                    ("server_tool_use" | "mcp_tool_use", "assistant") => served.push(&part["id"]),
                    ("document" | "search_result" | "container_upload", "user") => {}
                    (kind, "assistant") if kind.ends_with("_tool_result") && kind != "tool_result" => {
                        let call = served.iter().position(|id| **id == part["tool_use_id"]);
                        self.check(call.is_some(), "result of a call before", part);
                        call.map(|call| served.remove(call));
                    }
                    _ => self.check(false, "part", part),
                }
            }
            self.check(served.is_empty(), "calls without results", message);
            let is_thought =
                |part: &Value| part["type"].as_str().is_some_and(|kind| kind.contains("thinking"));
            self.check(!parts.last().is_some_and(is_thought), "reasoning is last", message);
        }
        self.check(due.is_empty(), "calls without results", body);
    }

    fn chat(&mut self, body: &Value) {
        self.members(body, &["tools", "messages"]);
        let messages = list(body, "messages");
        let mut due: BTreeSet<&str> = BTreeSet::new();
        for message in messages {
            let role = message["role"].as_str().unwrap_or_default();
            if role == "tool" {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                self.check(due.remove(id), "result of a call right before", message);
                let is_text = list(&message["content"], "").iter().all(|part| part["type"] == "text");
                self.check(message["content"].is_string() || is_text, "content of a result", message);
                continue;
            }
            self.check(due.is_empty(), "calls without results", message);
            due.clear();
            let of_user = ["image_url", "input_audio", "file"].map(|kind| (kind, "user"));
            let kinds = [&of_user[..], &[("text", ""), ("refusal", "assistant")]].concat();
            self.content(message, role, &kinds);
            if role == "assistant" {
                let calls = list(&message["tool_calls"], "");
                self.check(!message["tool_calls"].is_array() || !calls.is_empty(), "empty calls", message);
                self.check(!message["content"].is_null() || !calls.is_empty(), "empty reply", message);
                for call in calls {
                    let function = &call["function"];
                    self.call(&call["id"], &function["name"], 40, 64);
                    self.check(call["type"] == "function", "type", call);
                    self.arguments(&function["arguments"]);
                    due.extend(call["id"].as_str());
                }
            } else {
                self.check(matches!(role, "system" | "user"), "role", message);
            }
        }
        self.check(due.is_empty(), "calls without results", body);
    }

    fn arguments(&mut self, arguments: &Value) {
        let read = arguments.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        self.check(read.is_some_and(|read| read.is_object()), "arguments", arguments);
    }

    /// Checks a content that is a text or a list; each part type has the role it is for, or applies to all
    /// roles.
    fn content(&mut self, message: &Value, role: &str, kinds: &[(&str, &str)]) {
        match &message["content"] {
            Value::String(text) => self.check(!text.is_empty(), "empty content", message),
            Value::Null => self.check(role == "assistant", "no content", message),
            parts => {
                self.check(!list(parts, "").is_empty(), "empty content", message);
                for part in list(parts, "") {
                    let kind = part["type"].as_str().unwrap_or_default();
                    let known = kinds.iter().find(|(known, _)| *known == kind);
                    self.check(known.is_some_and(|(_, of)| of.is_empty() || *of == role), "part", message);
                    if kind.contains("text") {
                        self.text(part);
                    } else if kind.contains("image") {
                        let url = &part["image_url"];
                        self.check(url.is_string() || url["url"].is_string(), "image", part);
                    }
                }
            }
        }
    }

    fn responses(&mut self, body: &Value) {
        self.members(body, &["instructions", "tools", "input"]);
        let items = list(body, "input");
        let mut due: Vec<(&str, &str)> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let id = item["call_id"].as_str().unwrap_or_default();
            match item["type"].as_str().unwrap_or_default() {
                "message" => {
                    let role = item["role"].as_str().unwrap_or_default();
                    let of_model = ["output_text", "refusal"].map(|kind| (kind, "assistant"));
                    let said = ["input_text", "input_image", "input_file"].map(|kind| (kind, role));
                    let kinds = if role == "assistant" { &of_model[..] } else { &said[..] };
                    self.check(matches!(role, "user" | "assistant" | "developer"), "role", item);
                    self.check(item["content"].is_array(), "content", item);
                    self.content(item, role, kinds);
                }
                "reasoning" => {
                    let sealed = item["encrypted_content"].as_str().is_some_and(|it| !it.is_empty());
                    self.check(sealed && item["summary"].is_array(), "reasoning", item);
                    // OpenAI may compact during a reply; the compaction then stands among the reply's items.
                    let next =
                        items[at..].iter().find(|it| it["type"] != "reasoning" && it["type"] != "compaction");
                    let is_models = next.is_some_and(|next| {
                        next["role"] == "assistant"
                            || next["type"].as_str().is_some_and(|it| it.ends_with("_call"))
                    });
                    self.check(is_models, "nothing follows reasoning", item);
                }
                kind @ ("function_call" | "custom_tool_call") => {
                    self.call(&item["call_id"], &item["name"], 64, 64);
                    if kind == "function_call" {
                        self.arguments(&item["arguments"]);
                    } else {
                        self.check(item["input"].is_string(), "input", item);
                    }
                    due.push((kind, id));
                }
                kind @ ("function_call_output" | "custom_tool_call_output") => {
                    let call = due.iter().position(|(of, due)| *due == id && kind.starts_with(of));
                    self.check(call.is_some(), "output of a call before", item);
                    call.map(|call| due.remove(call));
                    let output = &item["output"];
                    self.check(output.is_string() || !list(output, "").is_empty(), "output", item);
                }
                // Calls run by OpenAI itself, and its compactions.
                "web_search_call" | "image_generation_call" => {}
                "compaction" => self.check(item["encrypted_content"].is_string(), "compaction", item),
                _ => self.check(false, "type", item),
            }
        }
        self.check(due.is_empty(), "calls without outputs", body);
    }

    fn gemini(&mut self, body: &Value) {
        self.members(body, &["systemInstruction", "tools", "contents"]);
        let mut due: Vec<(&Value, &Value)> = Vec::new();
        let mut last = "";
        for content in list(body, "contents") {
            let role = content["role"].as_str().unwrap_or_default();
            let calls = list(&content["parts"], "").iter().any(|part| part.get("functionCall").is_some());
            self.check(!(last.is_empty() && role == "model" && calls), "a call is the first", content);
            self.check(role != last && matches!(role, "user" | "model"), "roles alternate", content);
            last = if role == "user" { "user" } else { "model" };
            let parts = list(&content["parts"], "");
            self.check(!parts.is_empty(), "empty content", content);
            let answers: Vec<(&Value, &Value)> = parts
                .iter()
                .map(|part| &part["functionResponse"])
                .filter(|answer| answer.is_object())
                .map(|answer| (&answer["id"], &answer["name"]))
                .collect();
            let mut missing = due.clone();
            missing.retain(|call| !answers.contains(call));
            self.check(
                // A resumed Gemini CLI session sends results twice.
                missing.is_empty() && answers.iter().all(|answer| due.contains(answer)),
                "answers to the calls before",
                content,
            );
            due.clear();
            for part in parts {
                if part["functionCall"].is_object() {
                    let call = &part["functionCall"];
                    let is_named = is_spelled(call["name"].as_str().unwrap_or_default(), 64);
                    self.check(is_named, "name", call);
                    if !call["id"].is_null() {
                        self.call(&call["id"], &call["name"], 64, 64);
                    }
                    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
                    self.check(
                        call["name"].as_str().is_some_and(|name| name.starts_with(starts)),
                        "name",
                        call,
                    );
                    self.check(call["args"].is_object() && role == "model", "args", call);
                    due.push((&call["id"], &call["name"]));
                } else if part["functionResponse"].is_object() {
                    self.check(part["functionResponse"]["response"].is_object(), "response", part);
                } else if ["inlineData", "fileData", "executableCode", "codeExecutionResult"]
                    .iter()
                    .any(|key| part[key].is_object())
                {
                } else if part["thought"] == true {
                    let has_words = part["text"].as_str().is_some_and(|text| !text.trim().is_empty());
                    let is_fine = part["thoughtSignature"].is_string() || has_words;
                    self.check(is_fine && role == "model", "thought", part);
                } else {
                    self.text(part);
                }
            }
            self.check(parts.last().is_none_or(|part| part["thought"] != true), "thought is last", content);
        }
        self.check(due.is_empty(), "calls without answers", body);
    }

    fn pi(&mut self, body: &Value) {
        self.members(body, &["systemPrompt", "tools", "messages"]);
        let mut calls: BTreeSet<&str> = BTreeSet::new();
        for message in list(body, "messages") {
            match message["role"].as_str().unwrap_or_default() {
                "user" => self.check(!list(&message["content"], "").is_empty(), "empty message", message),
                "assistant" => {
                    let parts = list(&message["content"], "");
                    self.check(!parts.is_empty(), "empty message", message);
                    for part in parts {
                        let kind = part["type"].as_str().unwrap_or_default();
                        self.check(matches!(kind, "text" | "thinking" | "toolCall"), "part", part);
                        if kind == "toolCall" {
                            self.check(part["arguments"].is_object(), "arguments", part);
                            let is_new = part["id"].as_str().is_some_and(|id| calls.insert(id));
                            self.check(is_new, "id used twice", part);
                        }
                    }
                }
                "toolResult" => {
                    let id = message["toolCallId"].as_str().unwrap_or_default();
                    self.check(calls.contains(id), "result of a call before", message);
                    self.check(message["toolName"].is_string(), "name", message);
                }
                _ => self.check(false, "role", message),
            }
        }
    }
}
