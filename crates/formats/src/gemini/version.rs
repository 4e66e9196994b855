//! One version of a message as a record holds it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, Content, ContentBlock, EntryId, Message, MessageForm, Problem, ProblemKind,
    RawPayload, Role, ToolCallId, Usage,
};

use super::parts::{Functions, push_part, push_responses, push_thoughts, push_tool_results};
use crate::blocks::{Blocks, Frame, MAX_PARTS, ReadMessage};
use crate::format::At;
use crate::json::{Kind, Value};
use crate::notes::Notes;
use crate::payload::{around, around_text};
use crate::time::iso_time;

/// One version of a message.
pub(super) struct Version {
    /// The message's id; its line's where it has none.
    pub(super) id: String,
    pub(super) at_ms: Option<i64>,
    pub(super) said: Said,
    pub(super) envelope: RawPayload,
    /// What is odd about it.
    pub(super) problems: Vec<Problem>,
}

/// What a message says.
pub(super) enum Said {
    /// The user's slot: runs of parts of one author.
    User(Vec<ReadMessage>),
    /// The model, and what the tools answered it.
    Model { reply: ReadMessage, results: Vec<Answer> },
    /// Nothing but results, which stand with their calls as well.
    Results(Vec<Answer>),
    /// Shown to the human only.
    Screen(Box<str>),
    /// Of unknown type.
    Unknown(Box<str>),
}

/// The result of a call.
pub(super) struct Answer {
    pub(super) block: ContentBlock,
    pub(super) content: Content,
}

impl Answer {
    /// Returns the call that it answers.
    pub(super) fn call(&self) -> Option<&ToolCallId> {
        match &self.block.kind {
            BlockKind::Result(result) => Some(&result.call),
            _ => None,
        }
    }

    /// Returns what tells it from another version of itself.
    pub(super) fn key(&self) -> u64 {
        key_of(&self.block, &self.content)
    }
}

/// Returns what tells a block from other versions of itself: what the model sees of it.
pub(super) fn key_of(block: &ContentBlock, content: &Content) -> u64 {
    let mut hasher = DefaultHasher::new();
    block.kind.name().hash(&mut hasher);
    block.images.hash(&mut hasher);
    content.text.hash(&mut hasher);
    match &block.kind {
        BlockKind::Call(call) => call.id.hash(&mut hasher),
        BlockKind::Result(result) => (&result.call, result.ok).hash(&mut hasher),
        BlockKind::Image | BlockKind::Opaque => match &content.raw {
            RawPayload::Whole(raw) => raw.hash(&mut hasher),
            RawPayload::Around { before, after } => (before, after).hash(&mut hasher),
        },
        BlockKind::Text | BlockKind::Reasoning => {}
    }
    hasher.finish()
}

impl Version {
    /// Reads a message's record; in a subagent's recording no human writes.
    pub(super) fn read(record: Value<'_>, is_subagent: bool, at: At) -> Self {
        let [id, time, kind, content] = record.fields(["id", "timestamp", "type", "content"]);
        let mut problems = Vec::new();
        let own = id.and_then(Value::text).map(|id| id.value.into_owned()).filter(|id| !id.is_empty());
        let id = own.unwrap_or_else(|| at.entry().as_str().to_owned());
        let mut notes = Notes::new(at.line, EntryId::new(id.as_str()), &mut problems);
        let at_ms = time.and_then(iso_time);
        if at_ms.is_none() {
            notes.odd("timestamp");
        }
        let kind = notes.required_text(kind, "type");
        let mut envelope = around(record, content);
        let said = match &*kind {
            "user" => read_user(content, is_subagent, &mut notes),
            "gemini" => {
                let (said, has_calls) = read_reply(record, content, &id, &mut notes);
                if has_calls {
                    // Calls and results have their own JSON, which would stand here a second time.
                    envelope = RawPayload::default();
                }
                said
            }
            "info" | "error" | "warning" => Said::Screen(kind.into()),
            unknown => {
                let record: Box<str> = format!("message/{unknown}").into();
                notes.note(ProblemKind::UnknownRecord { record: record.clone() });
                Said::Unknown(record)
            }
        };
        Self { id, at_ms, said, envelope, problems }
    }

    /// Tells whether it is the summary that a compression leaves.
    pub(super) fn is_snapshot(&self) -> bool {
        match &self.said {
            Said::User(runs) => runs.iter().any(|run| run.message.form == MessageForm::Summary),
            _ => false,
        }
    }

    /// Tells whether it is an answer of the model without calls.
    pub(super) fn is_bare_reply(&self) -> bool {
        match &self.said {
            Said::Model { reply, .. } => {
                !reply.message.blocks.iter().any(|block| matches!(block.kind, BlockKind::Call(_)))
            }
            _ => false,
        }
    }
}

/// How the harness begins what it puts into the user's slot.
const INJECTED: [(&str, &str); 5] = [
    ("<session_context>", "session_context"),
    ("This is the Gemini CLI. We are setting up the context for our chat", "session_context"),
    ("<hook_context>", "hook_context"),
    ("--- Content from referenced files ---", "referenced files"),
    ("System: Please continue.", "continue"),
];
const SNAPSHOT: &str = "<state_snapshot>";
const SHELL: &str = "I ran the following shell command:\n```sh\n";
/// From here to the end of a message are files that the human named.
const FILES: &str = "--- Content from referenced files ---";

fn read_user(content: Option<Value<'_>>, is_subagent: bool, notes: &mut Notes<'_>) -> Said {
    let parts: Vec<Value<'_>> = parts_of(content);
    let is_response = |part: &Value<'_>| part.fields(["functionResponse"])[0].is_some();
    if parts.iter().any(is_response) {
        return Said::Results(push_responses(&parts, notes));
    }
    let mut runs: Vec<ReadMessage> = Vec::new();
    let mut frames: Vec<(Author, MessageForm)> = Vec::new();
    let mut files = false;
    for (index, part) in (0..MAX_PARTS).zip(parts) {
        let text = part.text().or_else(|| part.fields(["text"])[0]?.text());
        let text = text.as_ref().map_or("", |text| text.value.trim_start());
        files |= text.starts_with(FILES);
        let frame = if files {
            (Author::Harness, MessageForm::Custom { name: "referenced files".into() })
        } else {
            frame_of(text, is_subagent)
        };
        let mut blocks = Blocks::new(index, notes);
        push_part(&mut blocks, part, &mut Functions::default());
        let (author, form) = frame.clone();
        let read = blocks.into_message(Frame::new(Role::User, author, form));
        match (runs.last_mut(), frames.last()) {
            (Some(run), Some(last)) if *last == frame => {
                run.message.blocks.extend(read.message.blocks);
                run.contents.extend(read.contents);
            }
            _ => {
                runs.push(read);
                frames.push(frame);
            }
        }
    }
    runs.retain(|run| !run.message.blocks.is_empty());
    Said::User(runs)
}

fn frame_of(text: &str, is_subagent: bool) -> (Author, MessageForm) {
    if text.starts_with(SNAPSHOT) {
        return (Author::Harness, MessageForm::Summary);
    }
    if let Some((_, name)) = INJECTED.iter().find(|(mark, _)| text.starts_with(mark)) {
        return (Author::Harness, MessageForm::Custom { name: (*name).into() });
    }
    if text.starts_with(SHELL) {
        return (Author::Human, MessageForm::HumanShell { excluded: false });
    }
    (if is_subagent { Author::Harness } else { Author::Human }, MessageForm::Plain)
}

/// Returns the parts of content, which may be one, or a plain text.
fn parts_of(content: Option<Value<'_>>) -> Vec<Value<'_>> {
    match content.map(|content| (content, content.kind())) {
        Some((content, Kind::List)) => content.items().take(MAX_PARTS as usize).collect(),
        Some((content, Kind::Text)) if content.string_body() == Some("") => Vec::new(),
        Some((content, Kind::Text | Kind::Object)) => vec![content],
        _ => Vec::new(),
    }
}

/// Reads an answer of the model: thoughts, parts, calls, and the calls' results.
fn read_reply(
    record: Value<'_>,
    content: Option<Value<'_>>,
    id: &str,
    notes: &mut Notes<'_>,
) -> (Said, bool) {
    let [thoughts, calls, tokens, model] = record.fields(["thoughts", "toolCalls", "tokens", "model"]);
    let mut functions = Functions::new(calls);
    let has_calls = !functions.is_empty();
    let mut blocks = Blocks::new(0, notes);
    push_thoughts(&mut blocks, thoughts);
    for part in parts_of(content) {
        push_part(&mut blocks, part, &mut functions);
    }
    let results = push_tool_results(&mut blocks, &mut functions);
    let model = blocks.notes.text(model, "model").map(|model| Arc::from(&*model));
    let usage = read_usage(tokens, blocks.notes);
    let frame =
        Frame { model, usage, reply: Some(id.into()), ..Frame::plain(Role::Assistant, Author::Model) };
    (Said::Model { reply: blocks.into_message(frame), results }, has_calls)
}

/// Reads what the provider reported: `input` is the whole prompt, the cached part included.
fn read_usage(tokens: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let tokens = tokens.filter(|tokens| !tokens.is_null())?;
    if tokens.kind() != Kind::Object {
        notes.odd("tokens");
        return None;
    }
    let [input, output, cached, thoughts] = tokens.fields(["input", "output", "cached", "thoughts"]);
    let mut count = |value, field| notes.count(value, field).unwrap_or(0);
    let (input, cached) = (count(input, "tokens.input"), count(cached, "tokens.cached"));
    let output = count(output, "tokens.output").saturating_add(count(thoughts, "tokens.thoughts"));
    Some(Usage { input: input.saturating_sub(cached), output, cache_read: cached.min(input), cache_write: 0 })
}

/// Makes the message of some results.
pub(super) fn message_of(answers: Vec<Answer>) -> (Message, Vec<Content>) {
    let (blocks, contents) = answers.into_iter().map(|answer| (answer.block, answer.content)).unzip();
    let message = Message {
        role: Role::Tool,
        author: Author::Tool,
        form: MessageForm::Plain,
        blocks,
        model: None,
        usage: None,
        outcome: cwl_engine::ReplyOutcome::Complete,
        reply: None,
    };
    (message, contents)
}

/// Returns the payload of a part with a hole for its text, if that stands in it.
pub(super) fn payload(part: Value<'_>, text: Option<Value<'_>>) -> RawPayload {
    around_text(part, text)
}
