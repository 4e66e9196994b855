//! What requests of real clients show besides a plain history: shortened ones, deltas, odd parts, a proxy's dump.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::SampleFile;
use super::api_anthropic::signature;
use super::api_chat::{Chat, assistant};
use super::api_history::{Exchange, SYSTEM};
use super::api_responses::items;
use super::api_writer::{Wire, lines, sample};
use super::tools::SCREENSHOT;

/// What clients write in the place of an old output.
const CLEARED: &str = "[Old tool result content cleared]";

/// Makes the last two requests carry less: the first search result is cleared, reasoning is left out.
pub(crate) fn shorten(format: &str, rows: &mut [Value]) {
    let n_rows = rows.len();
    for row in rows.iter_mut().skip(n_rows.saturating_sub(4)).step_by(2) {
        let key = match format {
            "openai-responses" => "input",
            "gemini" => "contents",
            _ => "messages",
        };
        let Some(messages) = row[key].as_array_mut() else { continue };
        messages.retain(|message| message["type"] != "reasoning");
        let mut left = 1;
        for message in messages {
            for inner in ["content", "parts"] {
                if let Some(parts) = message[inner].as_array_mut() {
                    parts.retain(|part| part["type"] != "thinking");
                    parts.iter_mut().for_each(|part| clear(part, &mut left));
                }
            }
            clear(message, &mut left);
        }
    }
}

/// Clears a long result, if it is one and there is one left to clear.
fn clear(value: &mut Value, left: &mut u32) {
    let is_result = value["type"] == "tool_result"
        || value["type"] == "function_call_output"
        || value["role"] == "tool"
        || value.get("functionResponse").is_some();
    if !is_result || *left == 0 {
        return;
    }
    for path in ["/content", "/output", "/functionResponse/response/output"] {
        if let Some(output) = value.pointer_mut(path)
            && output.as_str().is_some_and(|text| text.contains(".ts:"))
        {
            *output = json!(CLEARED);
            *left -= 1;
        }
    }
}

/// Makes the small samples, which are one request each or a few.
pub(crate) fn samples(story: &[Exchange]) -> Result<Vec<SampleFile>> {
    let mut files = Vec::new();
    files.extend(sample("anthropic", "parts", "json", pretty(&anthropic_parts())?, ANTHROPIC));
    files.extend(sample("openai-chat", "parts", "json", pretty(&chat_parts())?, CHAT));
    files.extend(sample("openai-chat", "litellm", "json", pretty(&litellm(story)?)?, LITELLM));
    files.extend(sample("openai-responses", "previous", "jsonl", lines(&previous(story)?), PREVIOUS));
    files.extend(sample("gemini", "parts", "json", pretty(&gemini_parts())?, GEMINI));
    Ok(files)
}

/// Writes a document over many lines, as people and tools save one.
pub(crate) fn pretty(value: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

fn png() -> &'static str {
    SCREENSHOT.trim_end()
}

fn anthropic_parts() -> Value {
    let source = json!({ "type": "base64", "media_type": "image/png", "data": png() });
    let found = json!([{ "type": "web_search_result", "title": "RFC 9110", "url": "https://www.example.org/rfc9110", "encrypted_content": signature("rfc9110", 90), "page_age": null }]);
    json!({
        "model": "claude-sonnet-4-5",
        "max_tokens": 8_192,
        "system": SYSTEM,
        "messages": [
            { "role": "user", "content": [
                { "type": "image", "source": source },
                { "type": "document", "source": { "type": "text", "media_type": "text/plain", "data": "Release notes 0.7: feeds that answer 410 are paused." }, "title": "notes.txt" },
                { "type": "text", "text": "The tree on this picture is cut off. What does HTTP say about 410 for a feed?" },
            ] },
            { "role": "assistant", "content": [
                { "type": "redacted_thinking", "data": signature("hidden", 64) },
                { "type": "text", "text": "I look it up." },
                { "type": "server_tool_use", "id": "srvtoolu_01A", "name": "web_search", "input": { "query": "410 Gone caching" } },
                { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_01A", "content": found },
                { "type": "mcp_tool_use", "id": "mcptoolu_01B", "name": "list_feeds", "server_name": "tidewater", "input": {} },
                { "type": "mcp_tool_result", "tool_use_id": "mcptoolu_01B", "is_error": false, "content": [{ "type": "text", "text": "131 gone\n132 active" }] },
                { "type": "tool_use", "id": "toolu_01C", "name": "read", "input": { "path": "src/ingest/fetcher.rs" } },
                { "type": "tool_use", "id": "toolu_01D", "name": "mcp__cwl__delimiter", "input": { "action": "start", "name": "look-up-gone", "type": "expl" } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "toolu_01C", "is_error": true, "content": "EACCES: permission denied" },
                { "type": "tool_result", "tool_use_id": "toolu_01D", "content": [{ "type": "text", "text": "start [expl] " }, { "type": "text", "text": "look-up-gone" }, { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": png() } }] },
                { "type": "tool_result", "tool_use_id": "toolu_01Z", "content": "an answer to nobody" },
                { "type": "text", "text": "<system-reminder>The file changed on disk.</system-reminder>" },
                { "type": "video", "source": { "type": "url", "url": "https://media.example.org/tree.webm" } },
            ] },
            { "role": "assistant", "content": "410 means gone for good; a reader may stop asking." },
            { "role": "user", "content": "Good. Then pause such feeds." },
        ],
    })
}

fn chat_parts() -> Value {
    let image = format!("data:image/png;base64,{}", png());
    json!({
        "model": "kestrel-2-chat",
        "messages": [
            { "role": "developer", "content": "Answer in short sentences." },
            { "role": "user", "name": "sam", "content": [
                { "type": "text", "text": "What is wrong on this picture?" },
                { "type": "image_url", "image_url": { "url": image, "detail": "low" } },
                { "type": "input_audio", "input_audio": { "data": "UklGRg==", "format": "wav" } },
            ] },
            { "role": "assistant", "content": null, "reasoning_content": "The tree is cut off at the left. The view file should tell.", "tool_calls": [
                { "id": "call_a", "type": "function", "function": { "name": "read", "arguments": "{\"path\": \"ui/src/views/FeedTree.ts\", \"limit\": 12.0}" } },
                { "id": "call_b", "type": "function", "function": { "name": "bash", "arguments": "{\"command\": \"rg -n tree ui/sr" } },
                { "id": "call_c", "type": "custom", "custom": { "name": "apply_patch", "input": "*** Begin Patch\n*** End Patch" } },
            ] },
            { "role": "tool", "tool_call_id": "call_a", "content": [{ "type": "text", "text": "import { html } from \"lit\";\n" }, { "type": "text", "text": "export class FeedTree {}\n" }] },
            { "role": "tool", "tool_call_id": "call_b", "content": "error: the arguments are not JSON" },
            { "role": "tool", "tool_call_id": "call_c", "content": "Done" },
            { "role": "assistant", "content": null, "refusal": "I can't help with the second part." },
            { "role": "critic", "content": "A role of no known client." },
            { "role": "user", "content": "Fine, leave it." },
        ],
        "temperature": 0.2,
    })
}

/// The dump that LiteLLM writes for one call when it is told to.
fn litellm(story: &[Exchange]) -> Result<Value> {
    let exchange = story.get(4).context("the story has five exchanges")?;
    let mut chat = Chat::new(15);
    let request = chat.request(exchange);
    let response = chat.response(exchange);
    Ok(json!({
        "litellm_call_id": "6f0c1f0e-52d7-4a55-9d3e-0d5f4e8a7b10",
        "model": "kestrel-2-chat",
        "messages": request["messages"],
        "optional_params": { "temperature": 0.7, "tools": request["tools"] },
        "litellm_params": { "api_base": "https://llm.example.org/v1", "metadata": {} },
        "original_response": response.to_string(),
        "log_event_type": "successful_api_call",
    }))
}

/// Requests that name the response before them instead of repeating it.
fn previous(story: &[Exchange]) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    let mut before: Option<(Value, usize)> = None;
    for exchange in story.iter().take(6) {
        let mut writer = super::api_responses::Responses::new(16 + exchange.history.len() as u64);
        let mut request = writer.request(exchange);
        let response = writer.response(exchange);
        match &before {
            None => {
                let Some(super::api_history::Entry::Human(text)) = exchange.history.first() else { continue };
                request["input"] = json!(text);
            }
            Some((id, known)) => {
                request["previous_response_id"] = id.clone();
                request["input"] = exchange.history.iter().skip(*known).flat_map(items).collect();
            }
        }
        before = Some((response["id"].clone(), exchange.history.len() + 1));
        rows.push(request);
        rows.push(response);
    }
    // The file was cut: the response that the last request names is not in it.
    let n_rows = rows.len();
    let last = rows.get_mut(n_rows - 2).context("rows were written")?;
    last["previous_response_id"] = json!("resp_0000000000000000000000000000000000000000000000ff");
    rows.push(json!({
        "model": "kestrel-2",
        "input": [
            { "role": "developer", "content": "Answer in short sentences." },
            { "role": "user", "content": [{ "type": "input_text", "text": "And on this picture?" }, { "type": "input_image", "image_url": format!("data:image/png;base64,{}", png()) }] },
            { "type": "web_search_call", "id": "ws_1", "status": "completed", "action": { "type": "search", "query": "relative time in the future" } },
            { "type": "custom_tool_call", "call_id": "call_x", "name": "apply_patch", "input": "*** Begin Patch\n*** End Patch" },
            { "type": "custom_tool_call_output", "call_id": "call_x", "output": "Done" },
            { "type": "function_call", "call_id": "call_y", "name": "read", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "call_y", "output": [{ "type": "input_text", "text": "no path" }, { "type": "input_image", "image_url": "https://media.example.org/tree.png" }] },
            { "type": "message", "role": "assistant", "content": [{ "type": "refusal", "refusal": "No." }] },
            { "type": "item_reference", "id": "msg_1" },
            { "type": "message", "role": "user", "content": "Then stop." },
        ],
    }));
    Ok(rows)
}

fn gemini_parts() -> Value {
    json!({
        "system_instruction": { "parts": [{ "text": "Answer in short sentences." }, { "text": " Use the tools." }] },
        "contents": [
            { "role": "user", "parts": [{ "text": "What is wrong on this picture?" }, { "inlineData": { "mimeType": "image/png", "data": png() } }] },
            { "role": "model", "parts": [
                { "text": "The tree is cut off.", "thought": true },
                { "functionCall": { "id": "c1", "name": "read_file", "args": { "absolute_path": "/home/dev/tidewater/ui/src/views/FeedTree.ts" } }, "thoughtSignature": signature("c1", 40) },
                { "functionCall": { "id": "c2", "name": "cwl__delimiter", "args": { "action": "start", "name": "see-tree", "type": "expl" } } },
            ] },
            { "role": "user", "parts": [
                { "functionResponse": { "id": "c1", "name": "read_file", "response": { "error": "File not found." } } },
                { "functionResponse": { "id": "c2", "name": "cwl__delimiter", "response": { "result": { "ok": true } } } },
            ] },
            { "role": "model", "parts": [{ "executableCode": { "language": "PYTHON", "code": "print(6 * 7)" } }, { "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "42\n" } }, { "text": "42." }] },
            { "parts": [{ "text": "Thanks." }, { "fileData": { "mimeType": "image/png", "fileUri": "https://media.example.org/tree.png" } }] },
        ],
    })
}

/// The reply of an exchange as a chat client keeps it.
pub(crate) fn chat_message(exchange: &Exchange) -> Value {
    assistant(&exchange.reply, false)
}

const ANTHROPIC: &str = "\
One request, saved over many lines, with every kind of part: a system prompt that is a
string, an image, a document, redacted thinking, tools that the server ran, a failed
result, a result of several parts with an image, a result without its call, a reminder in
the user's slot, and a part of no known type.
";

const CHAT: &str = "\
One request, saved over many lines: a developer message, an image, audio, reasoning,
arguments that are not JSON, a custom tool, a result of several parts, a refusal, and a
role that nobody knows.
";

const LITELLM: &str = "\
What LiteLLM dumps of one call: the messages, the parameters with the tools, and the
provider's answer as a string.
";

const PREVIOUS: &str = "\
Requests that name the response before them (`previous_response_id`) and carry only what
is new. The first has a string as its input. The last but one names a response that is
not in the file, so what stood before it is unknown; the last one starts anew, with every
kind of item.
";

const GEMINI: &str = "\
One request, saved over many lines: keys with underscores, an image, a thought, calls
with ids, a failed result, code that the provider ran, and contents without a role.
";
