//! Bodies of the OpenAI Responses API.

use cwl_engine::{BlockKind, Problem, ProblemKind, ToolCallId};

use super::chat::{read_usage, seconds};
use super::item::{Item, Scribe};
use super::parts::{
    Run, close_reply, empty_reply, envelope, items_of, parts_of, push_image, push_result, push_text_part,
    push_unknown, system_item, text_member, tools_item,
};
use super::{Body, Request, Response};
use crate::blocks::{Blocks, MAX_PARTS, call_of, call_of_text};
use crate::json::{Kind, Value};
use crate::payload::whole;

/// Tells whether a body, which may be cut at its end, is of this API.
pub(crate) fn recognises(body: Value<'_>) -> bool {
    let [input, instructions, model, previous, object, output, messages] = body.fields([
        "input",
        "instructions",
        "model",
        "previous_response_id",
        "object",
        "output",
        "messages",
    ]);
    if messages.is_some() {
        return false;
    }
    if object.and_then(Value::text).is_some_and(|text| text.value == "response") {
        return output.is_some();
    }
    let is_input = input.is_some_and(|input| matches!(input.kind(), Kind::Text | Kind::List));
    let is_own = instructions.or(previous).or(model).is_some();
    let begins = instructions.is_some_and(|text| matches!(text.kind(), Kind::Text | Kind::Null));
    is_own && (is_input || (begins && model.is_some()))
}

/// Reads a body; `None` where it is neither a request nor a response.
pub(super) fn read(body: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Body> {
    let [input, instructions, tools, model, previous, object, output, usage, id, created] = body.fields([
        "input",
        "instructions",
        "tools",
        "model",
        "previous_response_id",
        "object",
        "output",
        "usage",
        "id",
        "created_at",
    ]);
    let model = model.and_then(Value::text).map(|model| model.value.into_owned());
    if object.and_then(Value::text).is_some_and(|text| text.value == "response") || input.is_none() {
        let output = output.filter(|output| output.kind() == Kind::List)?;
        let mut items = reply_items(output, scribe);
        let usage = read_usage(usage, &mut scribe.notes("reply", problems));
        close_reply(&mut items, usage, model.as_deref(), seconds(created), || {
            empty_reply(scribe, "reply", whole(output))
        });
        let id = id.and_then(Value::text).map(|id| id.value.into_owned());
        return Some(Body::Response(Response { items, id }));
    }
    let mut head: Vec<Item> = Vec::new();
    head.extend(tools_item(scribe, tools.into_iter().flat_map(Value::items)));
    head.extend(system_item(scribe, "instructions", instructions));
    let parts = parts_of(input, || scribe.notes("input", problems).odd("input"));
    let mut reply: Option<u32> = None;
    let mut items: Vec<Item> = Vec::new();
    for (at, part) in (0..MAX_PARTS).zip(parts) {
        let is_model = is_models(part);
        // What the model wrote in a row is one reply.
        let first = if is_model { Some(reply.unwrap_or(at)) } else { None };
        let mut found = item_of(part, &format!("{at}"), scribe);
        if let Some(first) = first {
            for item in &mut found {
                item.read.message.reply = Some(scribe.reply(first));
            }
        }
        reply = first;
        items.append(&mut found);
    }
    let previous = previous.and_then(Value::text).map(|id| id.value.into_owned());
    Some(Body::Request(Request { head, items, model, previous, reply: None }))
}

fn reply_items(output: Value<'_>, scribe: &Scribe) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for (at, part) in (0..MAX_PARTS).zip(output.items()) {
        for mut item in item_of(part, &format!("reply/{at}"), scribe) {
            item.read.message.reply = is_models(part).then(|| scribe.reply("reply"));
            items.push(item);
        }
    }
    items
}

/// Tells whether an item is the model's.
fn is_models(item: Value<'_>) -> bool {
    match text_member(item, "type").as_str() {
        "" | "message" => text_member(item, "role") == "assistant",
        kind => !kind.ends_with("_output") && kind != "item_reference",
    }
}

/// Reads one item: mostly one message, more where a message has parts of several authors.
fn item_of(item: Value<'_>, place: &str, scribe: &Scribe) -> Vec<Item> {
    let [role, content] = item.fields(["role", "content"]);
    let kind = text_member(item, "type");
    if item.kind() == Kind::Text {
        let parts = std::iter::once((Run::of_text(Some(item)), item));
        return items_of(scribe, place, &whole(item), parts, |blocks, _, part| {
            push_text_part(blocks, BlockKind::Text, part, Some(part), "input");
        });
    }
    if kind == "message" || (kind.is_empty() && role.is_some()) {
        let role = role.and_then(Value::text).map(|role| role.value.into_owned()).unwrap_or_default();
        let mut is_odd = false;
        let texts = parts_of(content, || is_odd = true);
        let parts = texts.map(|part| {
            let text = if part.kind() == Kind::Text { Some(part) } else { part.fields(["text"])[0] };
            let run = match role.as_str() {
                "system" | "developer" => Run::System,
                "assistant" => Run::Reply,
                _ => Run::of_text(text),
            };
            (run, part)
        });
        let mut items = items_of(scribe, place, &envelope(item, content), parts, |blocks, _, part| {
            push_part(blocks, part)
        });
        if items.is_empty() && role == "assistant" {
            items.push(empty_reply(scribe, place, envelope(item, content)));
        }
        if is_odd && let Some(first) = items.first_mut() {
            scribe.notes(place, &mut first.problems).odd("content");
        }
        return items;
    }
    let run = match kind.as_str() {
        "reasoning" => Run::Reasoning,
        kind if kind.ends_with("_output") => Run::Result,
        "item_reference" => Run::Injected,
        _ => Run::Reply,
    };
    let parts = std::iter::once((run, item));
    items_of(scribe, place, &whole(item), parts, |blocks, _, item| push_item(blocks, &kind, item))
}

fn push_part(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    if part.kind() == Kind::Text {
        return push_text_part(blocks, BlockKind::Text, part, Some(part), "content");
    }
    let [text, refusal] = part.fields(["text", "refusal"]);
    match text_member(part, "type").as_str() {
        "input_text" | "output_text" | "text" | "summary_text" => {
            push_text_part(blocks, BlockKind::Text, part, text, "text");
        }
        "refusal" => push_text_part(blocks, BlockKind::Text, part, refusal, "refusal"),
        "input_image" => push_image(blocks, part),
        // How large a file is, only the provider knows.
        "input_file" => blocks.push(BlockKind::Opaque, String::new(), whole(part)),
        _ => push_unknown(blocks, part),
    }
}

/// Adds what is no message: reasoning, a call, a result.
fn push_item(blocks: &mut Blocks<'_, '_>, kind: &str, item: Value<'_>) {
    let [summary, content, call, name, arguments, input, output, action] =
        item.fields(["summary", "content", "call_id", "name", "arguments", "input", "output", "action"]);
    match kind {
        "reasoning" => {
            let list = content.filter(|content| content.items().next().is_some()).or(summary);
            let texts: Vec<String> =
                list.into_iter().flat_map(Value::items).map(|part| text_member(part, "text")).collect();
            blocks.push(BlockKind::Reasoning, texts.join("\n"), whole(item));
        }
        "function_call" => {
            let id = ToolCallId::new(blocks.notes.required_text(call, "call_id"));
            let name = blocks.notes.required_text(name, "name");
            let arguments = blocks.notes.required_text(arguments, "arguments");
            let (call, text) = call_of_text(id, &name, &arguments);
            blocks.push(BlockKind::Call(call), text, whole(item));
        }
        "custom_tool_call" => {
            let id = ToolCallId::new(blocks.notes.required_text(call, "call_id"));
            let name = blocks.notes.required_text(name, "name");
            let input = blocks.notes.required_text(input, "input");
            let (call, text) = call_of_text(id, &name, &input);
            blocks.push(BlockKind::Call(call), text, whole(item));
        }
        "local_shell_call" | "shell_call" | "apply_patch_call" | "computer_call" => {
            let id = ToolCallId::new(blocks.notes.required_text(call, "call_id"));
            let name = kind.strip_suffix("_call").unwrap_or(kind);
            let (call, text) = call_of(id, name, action);
            blocks.push(BlockKind::Call(call), text, whole(item));
        }
        // The provider ran these itself; what the model saw of their results is not in the item.
        "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call"
        | "mcp_call"
        | "mcp_list_tools" => blocks.push(BlockKind::Opaque, String::new(), whole(item)),
        "compaction" | "compaction_summary" => {
            blocks.notes.note(ProblemKind::UnreadableSummary);
            blocks.push(BlockKind::Opaque, String::new(), whole(item));
        }
        kind if kind.ends_with("_output") => {
            let call = blocks.notes.required_text(call, "call_id");
            push_result(blocks, &call, None, true, output);
        }
        _ => push_unknown(blocks, item),
    }
}
