use cwl_engine::Problem;

use super::item::{Item, Scribe};
use super::parts::{PartRun, close_reply, empty_reply, items_of, system_item, tools_item};
use super::{ApiRequest, Body, Response};
use crate::content::anthropic::{push_part, read_usage};
use crate::content::parts_of;
use crate::document::DocumentLines;
use crate::json::{JsonType, Value, owned};
use crate::payload::payload_around;

pub(crate) fn is_body(body: Value<'_>) -> bool {
    let [messages, system, version, tools, role, kind, content] =
        body.fields(["messages", "system", "anthropic_version", "tools", "role", "type", "content"]);
    let Some(messages) = messages.and_then(Value::list) else {
        let is = |value: Option<Value<'_>>, expected: &str| {
            value.and_then(Value::string).is_some_and(|text| text == expected)
        };
        return is(kind, "message") && is(role, "assistant") && content.is_some();
    };
    let of_request = system.or(version).is_some_and(|value| !value.is_null())
        || tools.is_some_and(|tools| tools.items().any(|tool| tool.get("input_schema").is_some()));
    let mut own_parts = messages.items().filter_map(|message| message.get("content")).flat_map(Value::items);
    let is_own = |part: Value<'_>| {
        let kind = part.text_of("type");
        matches!(&*kind, "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "document")
            || part.get("cache_control").is_some()
    };
    let is_message = |message: Value<'_>| matches!(&*message.text_of("role"), "user" | "assistant");
    messages.items().next().is_none_or(is_message) && (of_request || own_parts.any(is_own))
}

pub(crate) fn read_body(body: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Body> {
    let [messages, system, tools, model, id, content, usage] =
        body.fields(["messages", "system", "tools", "model", "id", "content", "usage"]);
    let model = owned(model);
    if let Some(messages) = messages.and_then(Value::list) {
        let tools = tools_item(scribe, tools.into_iter().flat_map(Value::items));
        let head = tools.into_iter().chain(system_item(scribe, "system", system)).collect();
        let mut lines = DocumentLines::new(body, scribe.line);
        let items = (0..)
            .zip(messages.items())
            .flat_map(|(at, message)| {
                message_items(message, &format!("{at}"), &scribe.on_line(lines.line_of(message)), problems)
            })
            .collect();
        return Some(Body::Request(ApiRequest { head, items, model, ..ApiRequest::default() }));
    }
    if body.text_of("type") != "message" || content.is_none() {
        return None;
    }
    let mut items = message_items(body, "reply", scribe, problems);
    let usage = read_usage(usage, &mut scribe.begin_notes("reply", problems));
    close_reply(&mut items, usage, model.as_deref(), None);
    Some(Body::Response(Response { items, id: owned(id) }))
}

fn message_items(message: Value<'_>, place: &str, scribe: &Scribe, problems: &mut Vec<Problem>) -> Vec<Item> {
    let [role, content] = message.fields(["role", "content"]);
    let role = role.and_then(Value::string).unwrap_or_default();
    if !matches!(&*role, "user" | "assistant" | "system") {
        scribe.begin_notes(place, problems).odd("role");
    }
    scribe.check_content(place, content, "content", problems);
    let parts = parts_of(content).map(|(_, part)| (run_of(&role, part), part));
    let envelope = payload_around(message, content);
    let items = items_of(scribe, place, &envelope, parts, |blocks, _, part| push_part(blocks, part));
    if items.is_empty() && role == "assistant" {
        return vec![empty_reply(scribe, place, envelope)];
    }
    items
}

fn run_of(role: &str, part: Value<'_>) -> PartRun {
    match (role, &*part.text_of("type")) {
        ("assistant", "thinking" | "redacted_thinking") => PartRun::Reasoning,
        ("assistant", _) => PartRun::Reply,
        ("system", _) => PartRun::System,
        (_, kind) if kind.ends_with("tool_result") => PartRun::Result,
        (_, kind) if kind == "text" || part.kind() == JsonType::Text => PartRun::of_part(part),
        _ => PartRun::Human,
    }
}
