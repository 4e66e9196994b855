//! Messages: parts to blocks, and the rows of the model's replies.

use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, EventBody, ProblemKind, RawPayload, ReplyOutcome, Role, ToolCallId, ToolResult, Usage,
};

use super::row::{Part, Row};
use crate::blocks::{Blocks, Frame, MAX_PARTS, call_of};
use crate::json::{Kind, Value};
use crate::notes::Notes;
use crate::payload::{around, around_text, whole};

/// The model's name in messages that the harness wrote in its place.
const SYNTHETIC: &str = "<synthetic>";

/// Reads one row of a reply.
pub(super) fn read_assistant(row: &Row<'_>, notes: &mut Notes<'_>) -> Part {
    let Some(message) = row.message.filter(|message| message.kind() == Kind::Object) else {
        notes.odd("message");
        return Part::whole(row, EventBody::Opaque { record: "assistant".into() });
    };
    let [id, model, content, usage] = message.fields(["id", "model", "content", "usage"]);
    let model = notes.text(model, "message.model").filter(|model| !model.is_empty());
    let is_synthetic = model.as_deref() == Some(SYNTHETIC);
    let failed = notes.flag(row.is_api_error, "isApiErrorMessage");
    let author = if is_synthetic { Author::Harness } else { Author::Model };
    let frame = Frame {
        usage: read_usage(usage, notes).filter(|_| !is_synthetic),
        model: model.map(Arc::from),
        outcome: if failed { ReplyOutcome::Error } else { ReplyOutcome::Complete },
        reply: notes.text(id, "message.id").filter(|id| !id.is_empty()).map(Arc::from),
        ..Frame::plain(Role::Assistant, author)
    };
    let mut blocks = Blocks::new(0, notes);
    for (index, part) in parts_of(content, blocks.notes) {
        read_part(index, part, &mut blocks);
    }
    Part::message("row", blocks.into_message(frame), around(message, content))
}

fn read_usage(usage: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let usage = usage.filter(|usage| !usage.is_null())?;
    if usage.kind() != Kind::Object {
        notes.odd("message.usage");
        return None;
    }
    let [input, output, read, written] = usage.fields([
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
    ]);
    Some(Usage {
        input: notes.count(input, "usage.input_tokens").unwrap_or(0),
        output: notes.count(output, "usage.output_tokens").unwrap_or(0),
        cache_read: notes.count(read, "usage.cache_read_input_tokens").unwrap_or(0),
        cache_write: notes.count(written, "usage.cache_creation_input_tokens").unwrap_or(0),
    })
}

/// Returns the parts of a content with their positions; a text alone is one part.
pub(super) fn parts_of<'a>(content: Option<Value<'a>>, notes: &mut Notes<'_>) -> Vec<(u32, Value<'a>)> {
    match content.map(|content| (content, content.kind())) {
        Some((text, Kind::Text)) => vec![(0, text)],
        Some((list, Kind::List)) => {
            let mut parts: Vec<_> = (0..=MAX_PARTS).zip(list.items()).collect();
            if parts.len() > MAX_PARTS as usize {
                parts.pop();
                notes.odd("message.content");
            }
            parts
        }
        Some((_, Kind::Null)) => Vec::new(),
        None | Some((_, Kind::Bool(_) | Kind::Number | Kind::Object)) => {
            notes.odd("message.content");
            Vec::new()
        }
    }
}

/// Reads one part of a message of any role.
pub(super) fn read_part(index: u32, part: Value<'_>, blocks: &mut Blocks<'_, '_>) {
    blocks.next = index;
    if part.kind() == Kind::Text {
        let text = blocks.notes.required_text(Some(part), "message.content").into_owned();
        return blocks.push(BlockKind::Text, text, around_text(part, Some(part)));
    }
    let [kind, text, thinking, id, name, input] =
        part.fields(["type", "text", "thinking", "id", "name", "input"]);
    let kind = kind.and_then(Value::text).map(|kind| kind.value.into_owned());
    match kind.as_deref() {
        Some("text") => {
            let decoded = blocks.notes.required_text(text, "text").into_owned();
            blocks.push(BlockKind::Text, decoded, around_text(part, text));
        }
        // Newer models give only the signature of what they thought.
        Some("thinking") => {
            let decoded = blocks.notes.required_text(thinking, "thinking").into_owned();
            blocks.push(BlockKind::Reasoning, decoded, around_text(part, thinking));
        }
        Some("redacted_thinking") => {
            blocks.push(BlockKind::Reasoning, String::new(), whole(part));
        }
        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
            let id = ToolCallId::new(blocks.notes.required_text(id, "tool_use.id"));
            let name = blocks.notes.required_text(name, "tool_use.name");
            if input.is_none_or(|input| input.kind() != Kind::Object) {
                blocks.notes.odd("tool_use.input");
            }
            let (call, text) = call_of(id, &name, input);
            blocks.push(BlockKind::Call(call), text, whole(part));
        }
        Some(result) if result.ends_with("tool_result") => read_result(part, blocks),
        Some("image") => {
            blocks.push_with_images(BlockKind::Image, 1, String::new(), whole(part));
        }
        Some("document") => read_document(part, blocks),
        // The place where another model went on.
        Some("fallback") => blocks.push(BlockKind::Opaque, String::new(), whole(part)),
        _ => {
            let name = kind.unwrap_or_else(|| part.kind().name().to_owned());
            blocks.notes.note_part(index, ProblemKind::UnknownPart { part: name.into() });
            blocks.push(BlockKind::Opaque, String::new(), whole(part));
        }
    }
}

/// A document that is text counts as text; of others the log does not tell the size.
fn read_document(part: Value<'_>, blocks: &mut Blocks<'_, '_>) {
    let [source] = part.fields(["source"]);
    let [kind, data] = source.map_or([None; 2], |source| source.fields(["type", "data"]));
    let is_text = kind.and_then(Value::text).is_some_and(|kind| kind.value == "text");
    match data.filter(|_| is_text).and_then(Value::text) {
        Some(text) => blocks.push(BlockKind::Text, text.value.into_owned(), around_text(part, data)),
        None => blocks.push(BlockKind::Opaque, String::new(), whole(part)),
    }
}

/// A result is one block whatever its parts.
fn read_result(part: Value<'_>, blocks: &mut Blocks<'_, '_>) {
    let [call, content, is_error] = part.fields(["tool_use_id", "content", "is_error"]);
    let call = ToolCallId::new(blocks.notes.required_text(call, "tool_use_id"));
    let ok = !blocks.notes.flag(is_error, "is_error");
    let ResultContent { text, images, raw } = result_content(part, content, blocks);
    let result = BlockKind::Result(ToolResult { call, name: None, ok, mark: None });
    blocks.push_with_images(result, images, text, raw);
}

struct ResultContent {
    text: String,
    images: u32,
    raw: RawPayload,
}

/// Joins the text parts of a result and counts its images.
fn result_content(part: Value<'_>, content: Option<Value<'_>>, blocks: &mut Blocks<'_, '_>) -> ResultContent {
    let (index, notes) = (blocks.next, &mut *blocks.notes);
    let nothing = ResultContent { text: String::new(), images: 0, raw: whole(part) };
    let Some(content) = content.filter(|content| !content.is_null()) else { return nothing };
    match content.kind() {
        Kind::Text => {
            let text = notes.required_text(Some(content), "tool_result.content").into_owned();
            ResultContent { text, images: 0, raw: around_text(part, Some(content)) }
        }
        Kind::List => {
            let mut text = String::new();
            let mut images = 0u32;
            let mut texts = Vec::new();
            for item in content.items() {
                let [kind, own] = item.fields(["type", "text"]);
                let kind = kind.and_then(Value::text);
                match kind.as_ref().map(|kind| &*kind.value) {
                    Some("text") => {
                        text.push_str(&notes.required_text(own, "text"));
                        texts.push(own);
                    }
                    Some("image") => images = images.saturating_add(1),
                    // The name of a tool that becomes known by it; a hit of a search by the provider.
                    Some("tool_reference" | "web_search_result") => {}
                    kind => {
                        let part = kind.unwrap_or(item.kind().name()).into();
                        notes.note_part(index, ProblemKind::UnknownPart { part });
                    }
                }
            }
            // Of several texts no one stretch of the log is their sum.
            let only = if let [only] = texts[..] { only } else { None };
            ResultContent { text, images, raw: around_text(part, only) }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number | Kind::Object => {
            notes.odd("tool_result.content");
            nothing
        }
    }
}
