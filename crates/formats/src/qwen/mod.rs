//! Qwen Code: one record per line, in a tree, with messages in the format of the Gemini API.
//!
//! Qwen Code is a fork of Gemini CLI, so parts are read with the same code. In contrast to Gemini CLI, a
//! rewind is a branch of the tree, results are separate records, and a compression holds the whole new
//! history.

mod message;

use std::sync::Arc;

use cwl_engine::{
    Compaction, EntryId, EventBody, Header, Keep, Parent, ParsedEvent, Role, SessionId, UsageReport,
};

use self::message::{read_compressed, read_reply, read_results, read_user};
use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::event::{EventDraft, RecordStamp};
use crate::json::{Fields, JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::payload_around;
use crate::time::iso_time;

pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [id, session, parent, kind, message, payload] =
        record.fields(["uuid", "sessionId", "parentUuid", "type", "message", "systemPayload"]);
    let is_text = |value: Option<Value<'_>>| value.is_some_and(|value| value.kind() == JsonType::Text);
    let kind = owned(kind).unwrap_or_default();
    let is_one_of = ["user", "assistant", "tool_result", "system"].contains(&&*kind);
    let has_parts = message.is_some_and(|message| message.get("parts").is_some());
    let is_own = has_parts || payload.is_some() || kind == "tool_result";
    is_text(id) && is_text(session) && parent.is_some() && is_one_of && is_own
}

#[derive(Clone, Default)]
pub(crate) struct QwenCode {
    has_begun: bool,
    has_header: bool,
    window: Option<u64>,
    /// The subagent's current reply, whose text and calls are separate records.
    round: Option<Arc<str>>,
}

pub(super) struct QwenRow<'a> {
    pub(super) value: Value<'a>,
    fields: Fields<'a>,
    kind: String,
    /// Purpose beyond the type; empty for an ordinary message.
    pub(super) subtype: String,
    pub(super) side: bool,
}

impl<'a> QwenRow<'a> {
    fn read(value: Value<'a>) -> Self {
        let fields = Fields::parse(value);
        let text = |name: &str| owned(fields.get(name)).unwrap_or_default();
        let (kind, subtype) = (text("type"), text("subtype"));
        let side = fields.get("isSidechain").is_some_and(Value::is_true);
        Self { value, fields, kind, subtype, side }
    }

    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        self.fields.get(name)
    }

    pub(super) fn parts(&self) -> Option<Value<'a>> {
        self.get("message")?.get("parts")
    }

    fn told(&self, name: &str) -> Option<Value<'a>> {
        self.get("systemPayload")?.get(name)
    }

    fn parent(&self, notes: &mut Notes<'_>) -> Parent {
        let parent = self.get("parentUuid");
        match notes.text(parent, "parentUuid").filter(|id| !id.is_empty()) {
            Some(id) => Parent::Entry(EntryId::new(id)),
            None if parent.is_some_and(Value::is_null) => Parent::Root,
            None => {
                notes.odd("parentUuid");
                Parent::Previous
            }
        }
    }

    fn quiet(&self) -> EventDraft {
        let name = if self.subtype.is_empty() { self.kind.clone() } else { self.subtype.clone() };
        EventDraft::whole(EventBody::Quiet { record: name.into() }, self.value)
    }
}

impl Adapter for QwenCode {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let row = QwenRow::read(value);
        let own = owned(row.get("uuid")).filter(|id| !id.is_empty());
        let entry = own.map_or_else(|| at.entry(), EntryId::new);
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        let at_ms = notes.time(row.get("timestamp"), "timestamp", iso_time);
        let stamp = RecordStamp { line: at.line, at_ms, side: false };
        if !std::mem::replace(&mut self.has_begun, true) && row.get("sessionId").is_none() {
            notes.odd("sessionId");
        }
        let mut parent = row.parent(&mut notes);
        let mut draft = read_row(&row, &mut notes);
        if row.side {
            self.join_round(&row, &entry, &mut draft);
        }
        let window = notes.tokens(row.get("contextWindowSize"), "contextWindowSize");
        out.events.extend(self.header(&row, stamp, &entry));
        if window.is_some() && self.window != window {
            self.window = window;
            let name = EntryId::new(format!("{entry}/window"));
            let report = EventDraft::bare(EventBody::Usage(UsageReport {
                usage: None,
                window,
                ..UsageReport::default()
            }));
            out.events.push(report.below(stamp, name.clone(), parent));
            parent = Parent::Entry(name);
        }
        out.events.push(draft.below(stamp, entry, parent));
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        (!self.has_begun).then_some((0, 0))
    }
}

impl QwenCode {
    /// Joins the records of a subagent's reply; only the first has `agentRound`.
    fn join_round(&mut self, row: &QwenRow<'_>, entry: &EntryId, draft: &mut EventDraft) {
        let EventBody::Message(message) = &mut draft.body else { return };
        if message.role != Role::Assistant {
            self.round = None;
            return;
        }
        if row.get("agentRound").is_some() || self.round.is_none() {
            self.round = Some(entry.as_str().into());
        }
        message.reply.clone_from(&self.round);
    }

    fn header(&mut self, row: &QwenRow<'_>, stamp: RecordStamp, entry: &EntryId) -> Option<ParsedEvent> {
        let session = owned(row.get("sessionId")).filter(|_| !self.has_header)?;
        self.has_header = true;
        let text = |value: Option<Value<'_>>| owned(value).map(String::into_boxed_str);
        let cwd = text(row.get("cwd"));
        let header = match text(row.get("agentId")).filter(|_| row.side) {
            // A subagent's records carry the session id of the calling agent.
            Some(agent) => Header {
                session: Some(SessionId::new(format!("agent-{agent}"))),
                cwd,
                parent_session: Some(session.into()),
                subagent: text(row.get("agentName")).or(Some(agent)),
                ..Header::default()
            },
            None => Header {
                session: Some(SessionId::new(session)),
                cwd,
                parent_session: text(row.get("forkedFrom").and_then(|fork| fork.get("sessionId"))),
                ..Header::default()
            },
        };
        let entry = EntryId::new(format!("{entry}/session"));
        Some(EventDraft::bare(EventBody::Header(header)).event(stamp, entry))
    }
}

fn read_row(row: &QwenRow<'_>, notes: &mut Notes<'_>) -> EventDraft {
    match (&*row.kind, &*row.subtype) {
        ("system", subtype) => read_system(row, subtype, notes),
        // Voice chats and calls made by a script are not part of the history.
        (_, "realtime_message" | "code_mode_tool_result") => row.quiet(),
        // A failed reply has no message.
        ("assistant", _) if row.get("message").is_none() => row.quiet(),
        ("user", _) => EventDraft::message(read_user(row, notes), payload_around(row.value, row.parts())),
        ("assistant", _) => {
            EventDraft::message(read_reply(row, notes), payload_around(row.value, row.parts()))
        }
        ("tool_result", _) => {
            EventDraft::message(read_results(row, notes), payload_around(row.value, row.parts()))
        }
        ("", _) => {
            notes.odd("type");
            EventDraft::opaque("no type", row.value)
        }
        (unknown, _) => EventDraft::whole(notes.unknown(unknown), row.value),
    }
}

fn read_system(row: &QwenRow<'_>, subtype: &str, notes: &mut Notes<'_>) -> EventDraft {
    let body = match subtype {
        "chat_compression" => return compression(row, notes),
        "custom_title" => {
            let title = notes.text(row.told("customTitle"), "systemPayload.customTitle");
            EventBody::Title(title.filter(|title| !title.is_empty()).map(|title| title.into()))
        }
        "session_model" => {
            let model = notes.required_text(row.told("modelId"), "systemPayload.modelId");
            EventBody::ModelChange { model: model.into() }
        }
        known if is_known("qwen-code.system", known) => return row.quiet(),
        unknown => notes.unknown(format!("system/{unknown}")),
    };
    EventDraft::whole(body, row.value)
}

fn compression(row: &QwenRow<'_>, notes: &mut Notes<'_>) -> EventDraft {
    let history = row.told("compressedHistory").and_then(Value::list);
    if history.is_none() {
        notes.odd("systemPayload.compressedHistory");
    }
    let tokens = row.told("info").and_then(|info| info.get("originalTokenCount"));
    let tokens_before = notes.tokens(tokens, "info.originalTokenCount").filter(|tokens| *tokens > 0);
    let new = read_compressed(history, notes);
    let keep = Keep::Retained(new.messages);
    let body = EventBody::Compaction(Compaction { summary: None, keep, tokens_before });
    EventDraft { contents: new.contents, ..EventDraft::whole(body, row.value) }
}
