use std::sync::Arc;

use cwl_engine::{Author, BlockKind, Message, MessageForm, Role, ToolCallId, ToolResult, Usage};

use super::history::RowKind;
use crate::blocks::{Blocks, ReadMessage, call_of, call_of_text, formed_message, plain_message};
use crate::content::{check_content, parts_of, result_content};
use crate::json::{JsonType, Value, owned};
use crate::notes::Notes;
use crate::payload::{around_text, whole_payload};
use crate::usage::{count_paths, counts_in};

pub(super) fn read_prompt(text: &str, part: Option<Value<'_>>, notes: &mut Notes<'_>) -> ReadMessage {
    let mut blocks = Blocks::new(0, notes);
    let raw = part.map(|part| around_text(part, Some(part))).unwrap_or_default();
    blocks.push(BlockKind::Text, text.to_owned(), raw);
    blocks.into_message(plain_message(Role::System, Author::Harness))
}

pub(super) fn read_tools(tools: Option<Value<'_>>, notes: &mut Notes<'_>) -> ReadMessage {
    if tools.is_none_or(|tools| tools.kind() != JsonType::List) {
        notes.odd("tools");
    }
    let mut blocks = Blocks::new(0, notes);
    for (_, tool) in parts_of(tools) {
        blocks.push_tool_definition(tool);
    }
    blocks.into_message(plain_message(Role::System, Author::Harness))
}

pub(super) fn message_kind(message: Value<'_>) -> RowKind {
    let [role, origin] = message.fields(["role", "origin"]);
    let origin = origin.filter(|origin| !origin.is_null());
    let [kind, trigger] = origin.map_or([None; 2], |origin| origin.fields(["kind", "trigger"]));
    let is_asked = trigger.and_then(Value::string).as_deref() == Some("user-slash");
    match (role.and_then(Value::string).as_deref(), kind.and_then(Value::string).as_deref()) {
        (_, Some("injection")) => RowKind::Injection,
        (_, Some("compaction_summary")) => RowKind::Summary,
        (Some("user"), None | Some("user")) => RowKind::Human,
        (Some("user"), Some("skill_activation" | "plugin_command")) if is_asked => RowKind::Human,
        _ => RowKind::Other,
    }
}

fn frame_of(message: Value<'_>, model: Option<Arc<str>>) -> Message {
    let kind = message.get("origin").and_then(|origin| owned(origin.get("kind")));
    match &*message.text_of("role") {
        "assistant" => Message { model, ..plain_message(Role::Assistant, Author::Model) },
        "tool" => plain_message(Role::Tool, Author::Tool),
        "system" => plain_message(Role::System, Author::Harness),
        _ => match kind.as_deref() {
            None | Some("user") => plain_message(Role::User, Author::Human),
            Some("shell_command") => {
                formed_message(Role::User, Author::Human, MessageForm::HumanShell { excluded: false })
            }
            Some("compaction_summary") => formed_message(Role::User, Author::Harness, MessageForm::Summary),
            Some(name) => {
                formed_message(Role::User, Author::Harness, MessageForm::Custom { name: name.into() })
            }
        },
    }
}

pub(super) fn read_message(
    message: Value<'_>,
    model: Option<Arc<str>>,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    let [content, calls, call] = message.fields(["content", "toolCalls", "toolCallId"]);
    let frame = frame_of(message, model);
    if frame.role == Role::Tool {
        let id = ToolCallId::new(notes.required_text(call, "toolCallId"));
        return answer(id, message, content, "message.content", notes);
    }
    check_content(content, "content", notes);
    let mut blocks = Blocks::new(0, notes);
    for (_, part) in parts_of(content) {
        push_part(&mut blocks, part);
    }
    for (_, call) in parts_of(calls) {
        push_stored_call(&mut blocks, call);
    }
    blocks.into_message(frame)
}

fn push_part(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    if part.kind() == JsonType::Text {
        return blocks.push_text(BlockKind::Text, part, Some(part), "content");
    }
    let [kind, text, think] = part.fields(["type", "text", "think"]);
    match kind.and_then(Value::string).as_deref() {
        Some("text") => blocks.push_text(BlockKind::Text, part, text, "text"),
        Some("think") => blocks.push_text(BlockKind::Reasoning, part, think, "think"),
        Some("image_url") => blocks.push_image(part),
        Some("audio_url" | "video_url") => blocks.push_opaque(part),
        _ => blocks.push_unknown(part),
    }
}

/// A call in a stored message has its arguments as text.
fn push_stored_call(blocks: &mut Blocks<'_, '_>, call: Value<'_>) {
    let [id, name, arguments] = call.fields(["id", "name", "arguments"]);
    let id = ToolCallId::new(blocks.notes.required_text(id, "toolCalls.id"));
    let name = blocks.notes.required_text(name, "toolCalls.name");
    let arguments = blocks.notes.text(arguments, "toolCalls.arguments");
    let read = match arguments {
        Some(arguments) => call_of_text(id, &name, &arguments),
        None => call_of(id, &name, None),
    };
    blocks.push_call(read, call);
}

pub(super) fn read_part(event: Value<'_>, notes: &mut Notes<'_>) -> ReadMessage {
    let part = event.get("part").filter(|part| part.kind() == JsonType::Object);
    if part.is_none() {
        notes.odd("event.part");
    }
    let mut blocks = Blocks::new(0, notes);
    if let Some(part) = part {
        push_part(&mut blocks, part);
    }
    blocks.into_message(plain_message(Role::Assistant, Author::Model))
}

pub(super) fn read_call(event: Value<'_>, notes: &mut Notes<'_>) -> (ReadMessage, Option<String>) {
    let [id, name, arguments] = event.fields(["toolCallId", "name", "args"]);
    let id = notes.required_text(id, "toolCallId").into_owned();
    let name = notes.required_text(name, "name");
    let call = ToolCallId::new(id.as_str());
    let read = match arguments.filter(|arguments| !arguments.is_null()) {
        Some(text) if text.kind() == JsonType::Text => {
            call_of_text(call, &name, &notes.required_text(arguments, "args"))
        }
        arguments => call_of(call, &name, arguments),
    };
    let mut blocks = Blocks::new(0, notes);
    blocks.push_call(read, event);
    (blocks.into_message(plain_message(Role::Assistant, Author::Model)), Some(id))
}

pub(super) fn read_result(event: Value<'_>, notes: &mut Notes<'_>) -> (ReadMessage, String) {
    let id = notes.required_text(event.get("toolCallId"), "toolCallId").into_owned();
    let result = event.get("result").and_then(Value::object);
    if result.is_none() {
        notes.odd("result");
    }
    let result = result.unwrap_or_default();
    let read = answer(ToolCallId::new(id.as_str()), result, result.get("output"), "result.output", notes);
    (read, id)
}

/// The harness sends a note behind the output, on a line of its own.
fn answer(
    call: ToolCallId,
    holder: Value<'_>,
    output: Option<Value<'_>>,
    field: &str,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    let [error, note] = holder.fields(["isError", "note"]);
    let ok = !notes.flag(error, "isError");
    let note = notes.text(note, "note").filter(|note| !note.is_empty());
    let mut blocks = Blocks::new(0, notes);
    let (images, mut content) = result_content(output, None, field, &mut blocks);
    if let Some(note) = note {
        content.text.push('\n');
        content.text.push_str(&note);
        content.raw = whole_payload(holder);
    }
    let result = ToolResult { call, name: None, ok, mark: None };
    blocks.push_with_images(BlockKind::Result(result), images, content.text, content.raw);
    blocks.into_message(plain_message(Role::Tool, Author::Tool))
}

/// The text that the model gets, else the summary itself; in protocol 1.5 also as a message.
pub(super) fn read_summary(record: Value<'_>, notes: &mut Notes<'_>) -> ReadMessage {
    let [sent, summary] = record.fields(["contextSummary", "summary"]);
    let frame = formed_message(Role::User, Author::Harness, MessageForm::Summary);
    let given = sent.filter(|sent| !sent.is_null()).or(summary);
    let mut blocks = Blocks::new(0, notes);
    match given.and_then(|given| given.get("content")) {
        Some(content) => parts_of(Some(content)).for_each(|(_, part)| push_part(&mut blocks, part)),
        None => {
            let text = blocks.notes.required_text(given, "summary").into_owned();
            let raw = given.map(|given| around_text(given, Some(given))).unwrap_or_default();
            blocks.push(BlockKind::Text, text, raw);
        }
    }
    blocks.into_message(frame)
}

pub(super) fn read_usage(usage: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let usage = counts_in(usage, "usage", notes)?;
    let paths = ["inputOther", "output", "inputCacheRead", "inputCacheCreation"];
    let [input, output, cache_read, cache_write] = count_paths(usage, paths, notes);
    let usage = Usage { input, output, cache_read, cache_write, ..Usage::default() };
    (!usage.is_empty()).then_some(usage)
}
