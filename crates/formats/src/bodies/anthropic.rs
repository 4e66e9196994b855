//! Bodies of the Anthropic Messages API.

use cwl_engine::{BlockKind, Problem, ToolCallId, Usage};

use super::item::{Item, Scribe};
use super::parts::{
    Run, close_reply, empty_reply, envelope, items_of, parts_of, push_image, push_result, push_text_part,
    push_unknown, system_item, text_member, tools_item,
};
use super::{Body, Request, Response};
use crate::blocks::{Blocks, call_of};
use crate::json::{Kind, Value, js_json};
use crate::payload::whole;

/// Tells whether a body, which may be cut at its end, is of this API.
pub(crate) fn recognises(body: Value<'_>) -> bool {
    let [messages, system, version, tools, role, kind, content] =
        body.fields(["messages", "system", "anthropic_version", "tools", "role", "type", "content"]);
    let Some(messages) = messages.filter(|messages| messages.kind() == Kind::List) else {
        let is_text = |value: Option<Value<'_>>, expected: &str| {
            value.and_then(Value::text).is_some_and(|text| text.value == expected)
        };
        return is_text(kind, "message") && is_text(role, "assistant") && content.is_some();
    };
    let has_schema = |tool: Value<'_>| tool.fields(["input_schema"])[0].is_some();
    let of_request = system.or(version).is_some_and(|value| !value.is_null())
        || tools.is_some_and(|tools| tools.items().any(has_schema));
    let mut own_parts =
        messages.items().filter_map(|message| message.fields(["content"])[0]).flat_map(Value::items);
    let is_own = |part: Value<'_>| {
        let kind = text_member(part, "type");
        matches!(kind.as_str(), "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "document")
            || part.fields(["cache_control"])[0].is_some()
    };
    let is_message =
        |message: Value<'_>| matches!(text_member(message, "role").as_str(), "user" | "assistant");
    messages.items().next().is_none_or(is_message) && (of_request || own_parts.any(is_own))
}

/// Reads a body; `None` where it is neither a request nor a response.
pub(super) fn read(body: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Body> {
    let [messages, system, tools, model, id, content, usage, kind] =
        body.fields(["messages", "system", "tools", "model", "id", "content", "usage", "type"]);
    let model = model.and_then(Value::text).map(|model| model.value.into_owned());
    if let Some(messages) = messages.filter(|messages| messages.kind() == Kind::List) {
        let mut head: Vec<Item> = Vec::new();
        head.extend(tools_item(scribe, tools.into_iter().flat_map(Value::items)));
        head.extend(system_item(scribe, "system", system));
        let items = (0..)
            .zip(messages.items())
            .flat_map(|(at, message)| message_items(message, &format!("{at}"), scribe, problems));
        let items = items.collect();
        return Some(Body::Request(Request { head, items, model, previous: None, reply: None }));
    }
    if kind.and_then(Value::text).is_none_or(|kind| kind.value != "message") || content.is_none() {
        return None;
    }
    let mut items = message_items(body, "reply", scribe, problems);
    let usage = usage.and_then(|usage| read_usage(usage, scribe, problems));
    close_reply(&mut items, usage, model.as_deref(), None, || {
        empty_reply(scribe, "reply", envelope(body, content))
    });
    Some(Body::Response(Response { items, id: id.and_then(Value::text).map(|id| id.value.into_owned()) }))
}

fn read_usage(usage: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Usage> {
    let mut notes = scribe.notes("reply", problems);
    if usage.kind() != Kind::Object {
        return None;
    }
    let [input, output, read, write] = usage.fields([
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
    ]);
    Some(Usage {
        input: notes.count(input, "usage.input_tokens").unwrap_or(0),
        output: notes.count(output, "usage.output_tokens").unwrap_or(0),
        cache_read: notes.count(read, "usage.cache_read_input_tokens").unwrap_or(0),
        cache_write: notes.count(write, "usage.cache_creation_input_tokens").unwrap_or(0),
    })
}

fn message_items(message: Value<'_>, place: &str, scribe: &Scribe, problems: &mut Vec<Problem>) -> Vec<Item> {
    let [role, content] = message.fields(["role", "content"]);
    let role = role.and_then(Value::text).map(|role| role.value.into_owned()).unwrap_or_default();
    if !matches!(role.as_str(), "user" | "assistant" | "system") {
        scribe.notes(place, problems).odd("role");
    }
    let parts = parts_of(content, || scribe.notes(place, problems).odd("content"));
    let items = items_of(
        scribe,
        place,
        &envelope(message, content),
        parts.map(|part| (run_of(&role, part), part)),
        |blocks, run, part| push_part(blocks, run, part),
    );
    if items.is_empty() && role == "assistant" && place != "reply" {
        return vec![empty_reply(scribe, place, envelope(message, content))];
    }
    items
}

fn run_of(role: &str, part: Value<'_>) -> Run {
    let kind = text_member(part, "type");
    match (role, kind.as_str()) {
        ("assistant", "thinking" | "redacted_thinking") => Run::Reasoning,
        ("assistant", _) => Run::Reply,
        ("system", _) => Run::System,
        (_, kind) if kind.ends_with("tool_result") => Run::Result,
        (_, "text") => Run::of_text(part.fields(["text"])[0]),
        _ if part.kind() == Kind::Text => Run::of_text(Some(part)),
        _ => Run::Human,
    }
}

fn push_part(blocks: &mut Blocks<'_, '_>, run: Run, part: Value<'_>) {
    if part.kind() == Kind::Text {
        return push_text_part(blocks, BlockKind::Text, part, Some(part), "content");
    }
    let [text, thinking, id, name, input, call, content, is_error, source] = part.fields([
        "text",
        "thinking",
        "id",
        "name",
        "input",
        "tool_use_id",
        "content",
        "is_error",
        "source",
    ]);
    let kind = text_member(part, "type");
    match kind.as_str() {
        "text" => push_text_part(blocks, BlockKind::Text, part, text, "text"),
        "thinking" => push_text_part(blocks, BlockKind::Reasoning, part, thinking, "thinking"),
        "redacted_thinking" => blocks.push(BlockKind::Reasoning, String::new(), whole(part)),
        "tool_use" | "server_tool_use" | "mcp_tool_use" if run == Run::Reply => {
            let id = ToolCallId::new(blocks.notes.required_text(id, "tool_use.id"));
            let name = blocks.notes.required_text(name, "tool_use.name");
            if input.is_none_or(|input| input.kind() != Kind::Object) {
                blocks.notes.odd("tool_use.input");
            }
            let (call, text) = call_of(id, &name, input);
            blocks.push(BlockKind::Call(call), text, whole(part));
        }
        "image" => push_image(blocks, part),
        "document" => match source.filter(|source| text_member(*source, "type") == "text") {
            Some(source) => {
                let [data] = source.fields(["data"]);
                let text = blocks.notes.required_text(data, "source.data").into_owned();
                blocks.push(BlockKind::Text, text, whole(part));
            }
            // How large a file of another kind is, only the provider knows.
            None => blocks.push(BlockKind::Opaque, String::new(), whole(part)),
        },
        "web_search_tool_result" | "web_fetch_tool_result" => {
            let call = blocks.notes.required_text(call, "tool_use_id");
            let result =
                cwl_engine::ToolResult { call: ToolCallId::new(call), name: None, ok: true, mark: None };
            let shown = content.map(found_pages).unwrap_or_default();
            let raw = content.map(whole).unwrap_or_default();
            blocks.push(BlockKind::Result(result), shown, raw);
        }
        kind if kind.ends_with("tool_result") => {
            let call = blocks.notes.required_text(call, "tool_use_id");
            let ok = !blocks.notes.flag(is_error, "is_error");
            push_result(blocks, &call, None, ok, content);
        }
        _ => push_unknown(blocks, part),
    }
}

/// Writes what a search on the provider's side shows of its pages; their texts are encrypted.
fn found_pages(content: Value<'_>) -> String {
    if content.kind() != Kind::List {
        return js_json(content.raw());
    }
    let pages =
        content.items().map(|page| format!("{}\n{}\n", text_member(page, "title"), text_member(page, "url")));
    pages.collect()
}
