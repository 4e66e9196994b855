//! Cursor: a transcript (`agent-transcripts`), one message per line.
//!
//! Cursor keeps its sessions in databases of its own form and writes the transcript for reading only. The
//! transcript has texts, reasoning and calls. It lacks the outputs of tools, tokens, times, the model, the folder,
//! system prompt and tools, and what a compaction did: each call here gets an empty output, so that it has a pair.

use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, EntryId, EventBody, Header, Message, ProblemKind, Role, ToolCallId, ToolResult,
};

use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::blocks::{Blocks, ReadMessage, call_of, plain_message};
use crate::content::anthropic::push_part;
use crate::content::{check_content, parts_of};
use crate::event::{EventDraft, RecordStamp};
use crate::json::{JsonType, Value, owned};
use crate::notes::Notes;
use crate::payload::payload_around;
use crate::wrapped::tagged_runs;

pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [role, message, kind] = record.fields(["role", "message", "type"]);
    let role = role.and_then(Value::string).unwrap_or_default();
    let content = message.and_then(Value::object).and_then(|message| message.get("content"));
    kind.is_none() && ["user", "assistant", "system"].contains(&&*role) && content.is_some()
}

/// The adapter, which never resumes: it pairs calls and outputs by their order.
#[derive(Clone, Default)]
pub(crate) struct CursorTranscript {
    has_begun: bool,
    is_noted: bool,
    pending: Vec<(ToolCallId, Arc<str>)>,
}

impl Adapter for CursorTranscript {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let entry = at.entry();
        let stamp = RecordStamp::line(at.line);
        let push = |name: &str, draft: EventDraft, out: &mut Batch| {
            let entry = match name {
                "" => entry.clone(),
                name => EntryId::new(format!("{entry}/{name}")),
            };
            out.events.push(draft.event(stamp, entry));
        };
        if !std::mem::replace(&mut self.has_begun, true) {
            push("session", EventDraft::bare(EventBody::Header(Header::default())), out);
        }
        let [role, message, kind] = value.fields(["role", "message", "type"]);
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        if let Some(kind) = owned(kind).filter(|_| role.is_none()) {
            let body = match kind.as_str() {
                "turn_ended" => EventBody::Quiet { record: kind.into() },
                _ => notes.unknown(kind),
            };
            return push("", EventDraft::whole(body, value), out);
        }
        let role = notes.required_text(role, "role").into_owned();
        let content = message.and_then(Value::object).and_then(|message| message.get("content"));
        check_content(content, "message.content", &mut notes);
        let is_answer =
            parts_of(content).next().is_some() && parts_of(content).all(|(_, part)| is_result(part));
        if !is_answer && let Some(read) = self.missing_outputs(&mut notes) {
            push("outputs", EventDraft::message(read, Default::default()), out);
        }
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        let read = match role.as_str() {
            "assistant" => self.read_reply(content, &entry, &mut notes),
            "user" if is_answer => self.read_outputs(content, &mut notes),
            "user" => {
                let envelope = payload_around(value, content);
                for (name, read) in read_request(content, &mut notes) {
                    let envelope = if name.is_empty() { envelope.clone() } else { Default::default() };
                    push(name, EventDraft::message(read, envelope), out);
                }
                return;
            }
            "system" => read_texts(content, plain_message(Role::System, Author::Harness), &mut notes),
            unknown => {
                let body = notes.unknown(format!("message/{unknown}"));
                return push("", EventDraft::whole(body, value), out);
            }
        };
        push("", EventDraft::message(read, payload_around(value, content)), out);
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        (!self.has_begun).then_some((0, 0))
    }
}

fn is_result(part: Value<'_>) -> bool {
    matches!(&*part.text_of("type"), "tool_result" | "tool-result")
}

fn read_texts(content: Option<Value<'_>>, frame: Message, notes: &mut Notes<'_>) -> ReadMessage {
    let mut blocks = Blocks::new(0, notes);
    for (index, part) in parts_of(content) {
        blocks.next = index;
        push_part(&mut blocks, part);
    }
    blocks.into_message(frame)
}

/// The human's words may stand between tags, with texts of the harness around them.
fn read_request(content: Option<Value<'_>>, notes: &mut Notes<'_>) -> Vec<(&'static str, ReadMessage)> {
    let mut parts = parts_of(content);
    let text = match (parts.next(), parts.next()) {
        (Some((_, part)), None) if part.kind() == JsonType::Text => Some(part),
        (Some((_, part)), None) => part.get("text"),
        _ => None,
    };
    tagged_runs(text, "user_query", notes)
        .unwrap_or_else(|| vec![("", read_texts(content, plain_message(Role::User, Author::Human), notes))])
}

impl CursorTranscript {
    fn read_reply(
        &mut self,
        content: Option<Value<'_>>,
        entry: &EntryId,
        notes: &mut Notes<'_>,
    ) -> ReadMessage {
        let mut blocks = Blocks::new(0, notes);
        for (index, part) in parts_of(content) {
            blocks.next = index;
            let [kind, id, name, input] = part.fields(["type", "id", "name", "input"]);
            if !matches!(kind.and_then(Value::string).as_deref(), Some("tool_use" | "tool_call")) {
                push_part(&mut blocks, part);
                continue;
            }
            let own = owned(id).filter(|id| !id.is_empty());
            let id = own.map_or_else(|| ToolCallId::new(format!("{entry}.{}", index + 1)), ToolCallId::new);
            let name = blocks.notes.required_text(name, "tool_use.name").into_owned();
            let input = input.filter(|input| input.kind() == JsonType::Object);
            blocks.push_call(call_of(id.clone(), &name, input), part);
            self.pending.push((id, name.as_str().into()));
        }
        blocks.into_message(plain_message(Role::Assistant, Author::Model))
    }

    /// Outputs belong to the calls in their order, as calls have no ids.
    fn read_outputs(&mut self, content: Option<Value<'_>>, notes: &mut Notes<'_>) -> ReadMessage {
        let mut blocks = Blocks::new(0, notes);
        for (index, part) in parts_of(content) {
            blocks.next = index;
            let [id, output, is_error] = part.fields(["tool_use_id", "content", "is_error"]);
            let own = owned(id).unwrap_or_default();
            let at = self.pending.iter().position(|(id, _)| id.as_str() == own).unwrap_or(0);
            let call = match at < self.pending.len() {
                true => self.pending.remove(at).0,
                false => ToolCallId::new(own),
            };
            let ok = !blocks.notes.flag(is_error, "is_error");
            let result = ToolResult { call, name: None, ok, mark: None };
            blocks.push_result(result, part, output, "tool_result.content");
        }
        blocks.into_message(plain_message(Role::Tool, Author::Tool))
    }

    fn missing_outputs(&mut self, notes: &mut Notes<'_>) -> Option<ReadMessage> {
        if self.pending.is_empty() {
            return None;
        }
        if !std::mem::replace(&mut self.is_noted, true) {
            notes.note(ProblemKind::OutputsUnlogged);
        }
        let mut blocks = Blocks::new(0, notes);
        for (call, name) in std::mem::take(&mut self.pending) {
            let result = ToolResult { call, name: Some(name), ok: true, mark: None };
            blocks.push(BlockKind::Result(result), String::new(), Default::default());
        }
        Some(blocks.into_message(plain_message(Role::Tool, Author::Tool)))
    }
}
