//! Messages of pi: roles and parts to blocks and contents.

use std::borrow::Cow;
use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, Content, ContentBlock, Message, MessageForm, ProblemKind, RawPayload, ReplyOutcome,
    Role, ToolCall, ToolCallId, ToolClass, ToolResult, Usage,
};

use super::mark::{mark_of_arguments, mark_of_event};
use super::notes::Notes;
use super::program::program_of;
use crate::json::{Kind, Value, is_canonical, js_json};
use crate::tools::default_class;

/// A message has at most so many blocks; what more a hostile record holds is left out.
const MAX_PARTS: u32 = 1 << 16;

/// A message and the contents of its blocks, one per block.
pub(super) struct ReadMessage {
    pub(super) message: Message,
    pub(super) contents: Vec<Content>,
}

/// Reads a message; its blocks are counted from `first`. `None` where pi knows no such role.
pub(super) fn read_message(value: Value<'_>, first: u32, notes: &mut Notes<'_>) -> Option<ReadMessage> {
    let [role] = value.fields(["role"]);
    let mut blocks = Blocks { next: first, blocks: Vec::new(), contents: Vec::new(), notes };
    let role = blocks.notes.required_text(role, "message.role");
    let message = match &*role {
        "user" => user(value, &mut blocks),
        "assistant" => assistant(value, &mut blocks),
        "toolResult" => tool_result(value, &mut blocks),
        "bashExecution" => human_shell(value, &mut blocks),
        "custom" | "hookMessage" => custom(value, &mut blocks),
        "branchSummary" | "compactionSummary" => {
            let [summary] = value.fields(["summary"]);
            summary_of(summary, "message.summary", &mut blocks)
        }
        unknown => {
            let record = format!("message/{unknown}").into();
            blocks.notes.note(ProblemKind::UnknownRecord { record });
            return None;
        }
    };
    Some(blocks.into_message(message))
}

/// Reads a message that an extension put in, from the fields of its record.
pub(super) fn read_custom(record: Value<'_>, notes: &mut Notes<'_>) -> ReadMessage {
    let mut blocks = Blocks { next: 0, blocks: Vec::new(), contents: Vec::new(), notes };
    let message = custom(record, &mut blocks);
    blocks.into_message(message)
}

/// Makes the message of a summary that stands in a record's field.
pub(super) fn read_summary(summary: Option<Value<'_>>, notes: &mut Notes<'_>) -> ReadMessage {
    let mut blocks = Blocks { next: 0, blocks: Vec::new(), contents: Vec::new(), notes };
    let message = summary_of(summary, "summary", &mut blocks);
    blocks.into_message(message)
}

/// A message's own data, apart from its blocks.
struct Frame {
    role: Role,
    author: Author,
    form: MessageForm,
    model: Option<Arc<str>>,
    usage: Option<Usage>,
    outcome: ReplyOutcome,
}

impl Frame {
    fn new(role: Role, author: Author, form: MessageForm) -> Self {
        Self { role, author, form, model: None, usage: None, outcome: ReplyOutcome::Complete }
    }
}

fn user(value: Value<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    let [content] = value.fields(["content"]);
    blocks.content(content, Parts::Plain);
    Frame::new(Role::User, Author::Human, MessageForm::Plain)
}

fn custom(value: Value<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    let [name, content] = value.fields(["customType", "content"]);
    let name = blocks.notes.required_text(name, "customType").into();
    blocks.content(content, Parts::Plain);
    Frame::new(Role::User, Author::Harness, MessageForm::Custom { name })
}

fn summary_of(summary: Option<Value<'_>>, field: &str, blocks: &mut Blocks<'_, '_>) -> Frame {
    let text = blocks.notes.required_text(summary, field);
    if let Some(summary) = summary
        && !text.is_empty()
    {
        blocks.push(BlockKind::Text, text.into_owned(), payload(summary, Some(summary)));
    }
    Frame::new(Role::User, Author::Harness, MessageForm::Summary)
}

fn human_shell(value: Value<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    let [command, output, excluded] = value.fields(["command", "output", "excludeFromContext"]);
    let mut text = blocks.notes.required_text(command, "message.command").into_owned();
    text.push_str(&blocks.notes.required_text(output, "message.output"));
    let excluded = blocks.notes.flag(excluded, "message.excludeFromContext");
    blocks.push(BlockKind::Text, text, RawPayload::Whole(value.raw().to_owned()));
    Frame::new(Role::User, Author::Human, MessageForm::HumanShell { excluded })
}

fn assistant(value: Value<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    let [content, provider, model, usage, stop] =
        value.fields(["content", "provider", "model", "usage", "stopReason"]);
    blocks.content(content, Parts::Reply);
    let provider = blocks.notes.text(provider, "message.provider");
    let model = blocks.notes.text(model, "message.model");
    let usage = read_usage(usage, blocks.notes);
    let stop = blocks.notes.text(stop, "message.stopReason");
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
        notes.odd("message.usage");
        return None;
    }
    let [input, output, read, write] = usage.fields(["input", "output", "cacheRead", "cacheWrite"]);
    Some(Usage {
        input: notes.count(input, "message.usage.input").unwrap_or(0),
        output: notes.count(output, "message.usage.output").unwrap_or(0),
        cache_read: notes.count(read, "message.usage.cacheRead").unwrap_or(0),
        cache_write: notes.count(write, "message.usage.cacheWrite").unwrap_or(0),
    })
}

/// A tool result is one block whatever its parts.
fn tool_result(value: Value<'_>, blocks: &mut Blocks<'_, '_>) -> Frame {
    let [call, name, content, details, is_error] =
        value.fields(["toolCallId", "toolName", "content", "details", "isError"]);
    let call = ToolCallId::new(blocks.notes.required_text(call, "message.toolCallId"));
    let name = blocks.notes.text(name, "message.toolName").map(Arc::from);
    let ok = !blocks.notes.flag(is_error, "message.isError");
    let mark = details
        .and_then(|details| details.fields(["chunkEvent"])[0])
        .filter(|event| !event.is_null())
        .map(mark_of_event);
    let result = BlockKind::Result(ToolResult { call, name, ok, mark });
    let ResultContent { text, images, raw } = result_content(content, blocks);
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
            let text = notes.required_text(Some(content), "message.content").into_owned();
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
                        text.push_str(&notes.required_text(own, "message.content.text"));
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
            notes.odd("message.content");
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

/// The blocks of one message as they are read.
struct Blocks<'n, 'p> {
    next: u32,
    blocks: Vec<ContentBlock>,
    contents: Vec<Content>,
    notes: &'n mut Notes<'p>,
}

impl Blocks<'_, '_> {
    fn into_message(self, frame: Frame) -> ReadMessage {
        let Frame { role, author, form, model, usage, outcome } = frame;
        let message = Message { role, author, form, blocks: self.blocks, model, usage, outcome, reply: None };
        ReadMessage { message, contents: self.contents }
    }

    fn push(&mut self, kind: BlockKind, text: String, raw: RawPayload) {
        self.push_with_images(kind, 0, text, raw);
    }

    fn push_with_images(&mut self, kind: BlockKind, images: u32, text: String, raw: RawPayload) {
        self.blocks.push(ContentBlock { index: self.next, kind, images });
        self.contents.push(Content { text, raw });
        self.next = self.next.saturating_add(1);
    }

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
        let [kind] = part.fields(["type"]);
        let kind = kind.and_then(Value::text);
        match (kind.as_ref().map(|kind| &*kind.value), allowed) {
            (Some("text"), _) => {
                let [text] = part.fields(["text"]);
                let decoded = self.notes.required_text(text, "text").into_owned();
                self.push(BlockKind::Text, decoded, payload(part, text));
            }
            (Some("image"), _) => {
                let raw = RawPayload::Whole(part.raw().to_owned());
                self.push_with_images(BlockKind::Image, 1, String::new(), raw);
            }
            (Some("thinking"), Parts::Reply) => {
                let [thinking, redacted] = part.fields(["thinking", "redacted"]);
                if self.notes.flag(redacted, "redacted") {
                    let raw = RawPayload::Whole(part.raw().to_owned());
                    self.push(BlockKind::Reasoning, String::new(), raw);
                } else {
                    let text = self.notes.required_text(thinking, "thinking").into_owned();
                    self.push(BlockKind::Reasoning, text, payload(part, thinking));
                }
            }
            (Some("toolCall"), Parts::Reply) => self.call(part),
            _ => {
                let name = part_name(part).into();
                self.notes.note_part(self.next, ProblemKind::UnknownPart { part: name });
                self.push(BlockKind::Opaque, String::new(), RawPayload::Whole(part.raw().to_owned()));
            }
        }
    }

    fn call(&mut self, part: Value<'_>) {
        let [id, name, arguments] = part.fields(["id", "name", "arguments"]);
        let id = ToolCallId::new(self.notes.required_text(id, "toolCall.id"));
        let name = self.notes.required_text(name, "toolCall.name");
        if arguments.is_none_or(|arguments| arguments.kind() != Kind::Object) {
            self.notes.odd("toolCall.arguments");
        }
        let mut text = name.clone().into_owned();
        let (mut program, mut mark) = (None, None);
        let class = default_class(&name);
        if let Some(arguments) = arguments {
            text.push_str(&js_json(arguments.raw()));
            // A tool that the table does not know may be a shell in a user's own table.
            if matches!(class, ToolClass::Shell | ToolClass::Other) {
                program = program_of(arguments).map(Arc::from);
            }
        }
        if class == ToolClass::Delimiter {
            let nothing = Value::trusted("null", 0);
            mark = Some(mark_of_arguments(arguments.unwrap_or(nothing)));
        }
        let call = ToolCall { id, name: name.into(), program, mark };
        self.push(BlockKind::Call(call), text, RawPayload::Whole(part.raw().to_owned()));
    }
}

/// Names a part of unknown type: its type, or what it is instead of an object.
fn part_name(part: Value<'_>) -> String {
    match part.fields(["type"])[0].and_then(Value::text) {
        Some(kind) => kind.value.into_owned(),
        None => part.kind().name().to_owned(),
    }
}

/// Returns the bytes of a value, with a hole where a string's text can stand for its bytes.
fn payload(value: Value<'_>, text: Option<Value<'_>>) -> RawPayload {
    let hole = text.filter(|text| text.string_body().is_some_and(is_canonical));
    match hole.and_then(|text| value.around(text)) {
        Some((before, after)) => RawPayload::Around { before: before.to_owned(), after: after.to_owned() },
        None => RawPayload::Whole(value.raw().to_owned()),
    }
}
