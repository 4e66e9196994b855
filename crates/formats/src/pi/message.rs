//! Messages of pi: roles and parts to blocks and contents.

use std::borrow::Cow;
use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, MessageForm, ProblemKind, RawPayload, ReplyOutcome, Role, ToolCall, ToolCallId,
    ToolResult, Usage,
};

use crate::blocks::{Blocks, Frame, MAX_PARTS, ReadMessage, call_of};
use crate::json::{Kind, Value};
use crate::mark::mark_of_event;
use crate::notes::Notes;
use crate::payload::around_text as payload;

/// The fields of a message, of whatever type; a message is walked once.
#[derive(Clone, Copy)]
pub(super) struct MessageFields<'a> {
    value: Value<'a>,
    role: Option<Value<'a>>,
    pub(super) content: Option<Value<'a>>,
    provider: Option<Value<'a>>,
    model: Option<Value<'a>>,
    usage: Option<Value<'a>>,
    stop_reason: Option<Value<'a>>,
    tool_call: Option<Value<'a>>,
    tool_name: Option<Value<'a>>,
    details: Option<Value<'a>>,
    is_error: Option<Value<'a>>,
    command: Option<Value<'a>>,
    output: Option<Value<'a>>,
    excluded: Option<Value<'a>>,
    custom_type: Option<Value<'a>>,
    pub(super) summary: Option<Value<'a>>,
    pub(super) timestamp: Option<Value<'a>>,
}

impl<'a> MessageFields<'a> {
    /// Finds the fields in a message, or in a record that is one itself.
    pub(super) fn of(value: Value<'a>) -> Self {
        let [
            role,
            content,
            provider,
            model,
            usage,
            stop_reason,
            tool_call,
            tool_name,
            details,
            is_error,
            command,
            output,
            excluded,
            custom_type,
            summary,
            timestamp,
        ] = value.fields([
            "role",
            "content",
            "provider",
            "model",
            "usage",
            "stopReason",
            "toolCallId",
            "toolName",
            "details",
            "isError",
            "command",
            "output",
            "excludeFromContext",
            "customType",
            "summary",
            "timestamp",
        ]);
        Self {
            value,
            role,
            content,
            provider,
            model,
            usage,
            stop_reason,
            tool_call,
            tool_name,
            details,
            is_error,
            command,
            output,
            excluded,
            custom_type,
            summary,
            timestamp,
        }
    }

    /// Tells whether an extension put it in under that name.
    pub(super) fn is_of_custom_type(&self, name: &str) -> bool {
        self.custom_type.and_then(Value::text).is_some_and(|text| text.value == name)
    }
}

/// Reads a message; its blocks are counted from `first`. `None` where pi knows no such role.
pub(super) fn read_message(
    fields: &MessageFields<'_>,
    first: u32,
    notes: &mut Notes<'_>,
) -> Option<ReadMessage> {
    let mut blocks = Blocks::new(first, notes);
    let role = blocks.notes.required_text(fields.role, "role");
    let frame = match &*role {
        "user" => user(fields, &mut blocks),
        "assistant" => assistant(fields, &mut blocks),
        "toolResult" => tool_result(fields, &mut blocks),
        "bashExecution" => human_shell(fields, &mut blocks),
        "custom" | "hookMessage" => custom(fields, &mut blocks),
        "branchSummary" | "compactionSummary" => summary(fields, &mut blocks),
        unknown => {
            let record = format!("message/{unknown}").into();
            blocks.notes.note(ProblemKind::UnknownRecord { record });
            return None;
        }
    };
    Some(blocks.into_message(frame))
}

/// Reads a message that an extension put in, from the fields of its record.
pub(super) fn read_custom(fields: &MessageFields<'_>, notes: &mut Notes<'_>) -> ReadMessage {
    let mut blocks = Blocks::new(0, notes);
    let frame = custom(fields, &mut blocks);
    blocks.into_message(frame)
}

/// Makes the message of a summary that stands in a record's field.
pub(super) fn read_summary(fields: &MessageFields<'_>, notes: &mut Notes<'_>) -> ReadMessage {
    let mut blocks = Blocks::new(0, notes);
    let frame = summary(fields, &mut blocks);
    blocks.into_message(frame)
}

fn user(fields: &MessageFields<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    blocks.content(fields.content, Parts::Plain);
    Frame::new(Role::User, Author::Human, MessageForm::Plain)
}

fn custom(fields: &MessageFields<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    let name = blocks.notes.required_text(fields.custom_type, "customType").into();
    blocks.content(fields.content, Parts::Plain);
    Frame::new(Role::User, Author::Harness, MessageForm::Custom { name })
}

fn summary(fields: &MessageFields<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    let text = blocks.notes.required_text(fields.summary, "summary");
    if let Some(summary) = fields.summary
        && !text.is_empty()
    {
        blocks.push(BlockKind::Text, text.into_owned(), payload(summary, Some(summary)));
    }
    Frame::new(Role::User, Author::Harness, MessageForm::Summary)
}

fn human_shell(fields: &MessageFields<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    let mut text = blocks.notes.required_text(fields.command, "command").into_owned();
    text.push_str(&blocks.notes.required_text(fields.output, "output"));
    let excluded = blocks.notes.flag(fields.excluded, "excludeFromContext");
    blocks.push(BlockKind::Text, text, RawPayload::Whole(fields.value.raw().to_owned()));
    Frame::new(Role::User, Author::Human, MessageForm::HumanShell { excluded })
}

fn assistant(fields: &MessageFields<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    blocks.content(fields.content, Parts::Reply);
    let provider = blocks.notes.text(fields.provider, "provider");
    let model = blocks.notes.text(fields.model, "model");
    let usage = read_usage(fields.usage, blocks.notes);
    let stop = blocks.notes.text(fields.stop_reason, "stopReason");
    let outcome = match stop.as_deref() {
        Some("error") => ReplyOutcome::Error,
        Some("aborted") => ReplyOutcome::Aborted,
        _ => ReplyOutcome::Complete,
    };
    let model = model_name(provider, model).map(Arc::from);
    Frame { model, usage, outcome, ..Frame::new(Role::Assistant, Author::Model, MessageForm::Plain) }
}

/// Returns `provider/model`, or the one of them that is there.
pub(super) fn model_name(provider: Option<Cow<'_, str>>, model: Option<Cow<'_, str>>) -> Option<String> {
    let provider = provider.filter(|name| !name.is_empty());
    let model = model.filter(|name| !name.is_empty());
    match (provider, model) {
        (Some(provider), Some(model)) => Some(format!("{provider}/{model}")),
        (one, other) => Some(one.or(other)?.into_owned()),
    }
}

fn read_usage(usage: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let usage = usage.filter(|usage| !usage.is_null())?;
    if usage.kind() != Kind::Object {
        notes.odd("usage");
        return None;
    }
    let [input, output, read, write] = usage.fields(["input", "output", "cacheRead", "cacheWrite"]);
    Some(Usage {
        input: notes.count(input, "usage.input").unwrap_or(0),
        output: notes.count(output, "usage.output").unwrap_or(0),
        cache_read: notes.count(read, "usage.cacheRead").unwrap_or(0),
        cache_write: notes.count(write, "usage.cacheWrite").unwrap_or(0),
    })
}

/// A tool result is one block whatever its parts.
fn tool_result(fields: &MessageFields<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    let call = ToolCallId::new(blocks.notes.required_text(fields.tool_call, "toolCallId"));
    let name = blocks.notes.text(fields.tool_name, "toolName").map(Arc::from);
    let ok = !blocks.notes.flag(fields.is_error, "isError");
    let mark = fields
        .details
        .and_then(|details| details.fields(["chunkEvent"])[0])
        .filter(|event| !event.is_null())
        .map(mark_of_event);
    let result = BlockKind::Result(ToolResult { call, name, ok, mark });
    let ResultContent { text, images, raw } = result_content(fields.content, blocks);
    blocks.push_with_images(result, images, text, raw);
    Frame::new(Role::Tool, Author::Tool, MessageForm::Plain)
}

struct ResultContent {
    text: String,
    images: u32,
    raw: RawPayload,
}

/// Joins the text parts of a result and counts its images.
fn result_content(content: Option<Value<'_>>, blocks: &mut Blocks<'_, '_>) -> ResultContent {
    let (index, notes) = (blocks.next, &mut *blocks.notes);
    let nothing = ResultContent { text: String::new(), images: 0, raw: RawPayload::default() };
    let Some(content) = content.filter(|content| !content.is_null()) else { return nothing };
    match content.kind() {
        Kind::Text => {
            let text = notes.required_text(Some(content), "content").into_owned();
            ResultContent { text, images: 0, raw: payload(content, Some(content)) }
        }
        Kind::List => {
            let mut text = String::new();
            let mut images = 0u32;
            let mut texts = Vec::new();
            for part in content.items() {
                let [kind, own] = part.fields(["type", "text"]);
                match kind.and_then(Value::text).as_ref().map(|kind| &*kind.value) {
                    Some("text") => {
                        text.push_str(&notes.required_text(own, "text"));
                        texts.push(own);
                    }
                    Some("image") => images = images.saturating_add(1),
                    _ => notes.note_part(index, ProblemKind::UnknownPart { part: part_name(part).into() }),
                }
            }
            // Of several texts no one stretch of the log is their sum.
            let only = if let [only] = texts[..] { only } else { None };
            ResultContent { text, images, raw: payload(content, only) }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number | Kind::Object => {
            notes.odd("content");
            ResultContent { raw: RawPayload::Whole(content.raw().to_owned()), ..nothing }
        }
    }
}

/// Which parts a message may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// Text and images.
    Plain,
    /// What a model writes: also thinking and tool calls.
    Reply,
}

impl Blocks<'_, '_> {
    fn content(&mut self, content: Option<Value<'_>>, allowed: Parts) {
        let Some(content) = content else { return self.notes.odd("content") };
        match content.kind() {
            Kind::Null => {}
            Kind::Text => {
                let text = self.notes.required_text(Some(content), "content").into_owned();
                self.push(BlockKind::Text, text, payload(content, Some(content)));
            }
            Kind::List => {
                for (n_parts, part) in (0..).zip(content.items()) {
                    if n_parts == MAX_PARTS {
                        return self.notes.odd("content");
                    }
                    self.part(part, allowed);
                }
            }
            Kind::Bool(_) | Kind::Number | Kind::Object => self.notes.odd("content"),
        }
    }

    fn part(&mut self, part: Value<'_>, allowed: Parts) {
        let [kind, text, thinking, redacted, id, name, arguments] =
            part.fields(["type", "text", "thinking", "redacted", "id", "name", "arguments"]);
        let kind = kind.and_then(Value::text);
        let whole = || RawPayload::Whole(part.raw().to_owned());
        match (kind.as_ref().map(|kind| &*kind.value), allowed) {
            (Some("text"), _) => {
                let decoded = self.notes.required_text(text, "text").into_owned();
                self.push(BlockKind::Text, decoded, payload(part, text));
            }
            (Some("image"), _) => self.push_with_images(BlockKind::Image, 1, String::new(), whole()),
            (Some("thinking"), Parts::Reply) if self.notes.flag(redacted, "redacted") => {
                self.push(BlockKind::Reasoning, String::new(), whole());
            }
            (Some("thinking"), Parts::Reply) => {
                let decoded = self.notes.required_text(thinking, "thinking").into_owned();
                self.push(BlockKind::Reasoning, decoded, payload(part, thinking));
            }
            (Some("toolCall"), Parts::Reply) => {
                let (call, text) = self.call(id, name, arguments);
                self.push(BlockKind::Call(call), text, whole());
            }
            _ => {
                let name = part_name(part).into();
                self.notes.note_part(self.next, ProblemKind::UnknownPart { part: name });
                self.push(BlockKind::Opaque, String::new(), whole());
            }
        }
    }

    /// Reads a call and the text that it counts as: name and arguments.
    fn call(
        &mut self,
        id: Option<Value<'_>>,
        name: Option<Value<'_>>,
        arguments: Option<Value<'_>>,
    ) -> (ToolCall, String) {
        let id = ToolCallId::new(self.notes.required_text(id, "toolCall.id"));
        let name = self.notes.required_text(name, "toolCall.name");
        if arguments.is_none_or(|arguments| arguments.kind() != Kind::Object) {
            self.notes.odd("toolCall.arguments");
        }
        call_of(id, &name, arguments)
    }
}

/// Names a part of unknown type: its type, or what it is instead of an object.
fn part_name(part: Value<'_>) -> String {
    match part.fields(["type"])[0].and_then(Value::text) {
        Some(kind) => kind.value.into_owned(),
        None => part.kind().name().to_owned(),
    }
}
