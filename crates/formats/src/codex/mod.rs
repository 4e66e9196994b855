//! Codex rollouts: one record per line. Since version 0.32 in an envelope (`timestamp`, `type`, `payload`),
//! before as bare history items.
//!
//! The history is a list of items in file order, not a tree: a reply is one item per part. Many items appear
//! again as events for the ui; such events are quiet.

mod author;
mod history;
mod item;
mod output;
mod prompt;
mod reply;
mod summary;
pub(crate) mod trace;
mod ui;

use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, EntryId, EventBody, Header, MessageForm, ParsedEvent, Place, Problem, ProblemKind,
    RawPayload, Role, SessionId, Usage,
};

use self::history::CompactedHistory;
use self::item::{Origin, ReadItem, ReadItemKind, read_item};
use self::output::Failures;
use self::prompt::sent_prompt;
use self::reply::ReplyBuffer;
use self::summary::SummaryReply;
use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::blocks::{Blocks, formed_message};
use crate::event::{EventDraft, RecordStamp};
use crate::json::{JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::{around_text, payload_around};
use crate::time::time_of;

/// Record types with an envelope that only rollouts have.
const ENVELOPED: [&str; 5] = ["session_meta", "response_item", "event_msg", "turn_context", "compacted"];

pub(crate) fn is_rollout(record: Value<'_>) -> bool {
    let [timestamp, kind, payload, id, instructions, state] =
        record.fields(["timestamp", "type", "payload", "id", "instructions", "record_type"]);
    match owned(kind).as_deref() {
        Some(kind) if ENVELOPED.contains(&kind) => {
            timestamp.is_some() && payload.is_some_and(|payload| payload.kind() == JsonType::Object)
        }
        Some(kind) => is_bare_item(record, kind),
        // Before 0.32: the first record, and the state record behind each item.
        None => {
            let is_head = owned(id).is_some() && owned(timestamp).is_some() && instructions.is_some();
            // Some archives sort the keys, so a long first line may be cut before its type.
            let is_cut_meta = payload.and_then(|payload| payload.get("cli_version")?.string()).is_some();
            is_head || is_cut_meta || owned(state).as_deref() == Some("state")
        }
    }
}

fn is_bare_item(record: Value<'_>, kind: &str) -> bool {
    let [role, content, call, summary] = record.fields(["role", "content", "call_id", "summary"]);
    let is = |value: Option<Value<'_>>, kind: JsonType| value.is_some_and(|value| value.kind() == kind);
    match kind {
        "message" => {
            let first = content.and_then(|content| content.items().next());
            let kind = first.map(|part| part.text_of("type")).unwrap_or_default();
            is(role, JsonType::Text) && matches!(&*kind, "input_text" | "output_text" | "input_image")
        }
        "reasoning" => is(summary, JsonType::List),
        "function_call"
        | "function_call_output"
        | "custom_tool_call"
        | "custom_tool_call_output"
        | "local_shell_call" => is(call, JsonType::Text),
        _ => false,
    }
}

/// The adapter for rollouts in file order. Never resumes, because its state is more than numbers.
#[derive(Clone, Default)]
pub(crate) struct Codex {
    has_begun: bool,
    has_header: bool,
    session: Option<String>,
    copied: ForkedHistory,
    provider: Option<String>,
    model: Option<Arc<str>>,
    window: Option<u64>,
    replies: ReplyBuffer,
    failures: Failures,
    history: CompactedHistory,
    twins: Twins,
    summary: SummaryReply,
}

/// Matches `user` messages with the ui events that confirm the human as their author.
#[derive(Clone, Default)]
struct Twins {
    open: Option<Place>,
    early: bool,
    any: bool,
}

/// The part of a forked rollout that was copied, in one moment, from its origin.
#[derive(Clone, Copy, Default)]
struct ForkedHistory {
    /// Time of the copy's last line so far; `None` outside the copy.
    last: Option<i64>,
}

impl ForkedHistory {
    /// Maximum distance between two lines of a copy, in milliseconds; no reply is that fast.
    const APART: i64 = 1000;

    fn begin_copy(&mut self, own: Option<&str>, meta: Value<'_>, at_ms: Option<i64>) {
        let id = owned(meta.get("id"));
        if id.is_some() && id.as_deref() != own {
            self.last = at_ms;
        }
    }

    fn goes_on(&mut self, at_ms: Option<i64>) {
        if let (Some(last), Some(now)) = (self.last, at_ms) {
            self.last = (now.saturating_sub(last) <= Self::APART).then_some(now);
        }
    }

    fn is_open(self) -> bool {
        self.last.is_some()
    }
}

struct RolloutLine<'v> {
    value: Value<'v>,
    at: RecordPlace,
    at_ms: Option<i64>,
}

impl RolloutLine<'_> {
    fn make_event(&self, draft: EventDraft) -> ParsedEvent {
        draft.event(self.record_stamp(), self.at.entry())
    }

    fn make_beside(&self, draft: EventDraft, name: &str) -> ParsedEvent {
        draft.event(self.record_stamp(), EntryId::new(format!("{}/{name}", self.at.entry())))
    }

    fn record_stamp(&self) -> RecordStamp {
        RecordStamp { line: self.at.line, at_ms: self.at_ms, side: false }
    }

    fn whole_event(&self, body: EventBody) -> ParsedEvent {
        self.make_event(EventDraft::whole(body, self.value))
    }

    fn quiet_event(&self, record: impl Into<Box<str>>) -> ParsedEvent {
        self.whole_event(EventBody::Quiet { record: record.into() })
    }

    fn begin_notes<'p>(&self, problems: &'p mut Vec<Problem>) -> Notes<'p> {
        Notes::new(self.at.line, self.at.entry(), problems)
    }

    fn unknown_event(&self, record: String, problems: &mut Vec<Problem>) -> ParsedEvent {
        self.whole_event(self.begin_notes(problems).unknown(record))
    }
}

impl Adapter for Codex {
    fn record(&mut self, record: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let n_before = out.events.len();
        self.read_record(record, at, out);
        let new = out.events.split_off(n_before);
        self.summary.pass(new, out);
    }

    fn waiting(&self, out: &mut Batch) {
        self.summary.waiting(out);
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        (!self.has_begun).then_some((0, 0))
    }
}

impl Codex {
    fn read_record(&mut self, record: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let [timestamp, kind, payload] = record.fields(["timestamp", "type", "payload"]);
        let mut notes = Notes::new(at.line, at.entry(), &mut out.problems);
        let at_ms = notes.time(timestamp, "timestamp", time_of);
        let kind = kind.and_then(Value::string);
        self.copied.goes_on(at_ms);
        let row = RolloutLine { value: record, at, at_ms };
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let payload = payload.filter(|payload| payload.kind() == JsonType::Object);
        if is_first && kind.as_deref() != Some("session_meta") && !is_bare_head(record) {
            notes.note(ProblemKind::NoHeader);
        }
        match (kind.as_deref(), payload) {
            (Some("session_meta"), Some(payload)) => self.session_meta(&row, payload, out),
            (Some("response_item"), Some(item)) => self.read_item(&row, item, out),
            (Some("event_msg"), Some(event)) => self.ui_event(&row, event, out),
            (Some("turn_context"), Some(context)) => self.turn_context(&row, context, out),
            (Some("compacted"), Some(compacted)) => self.read_compacted(&row, compacted, out),
            (Some("inter_agent_communication"), Some(letter)) => self.read_letter(&row, letter, out),
            (Some(kind), _) if is_known("codex.lines", kind) => out.events.push(row.quiet_event(kind)),
            (Some(kind), None) if ENVELOPED.contains(&kind) => {
                row.begin_notes(&mut out.problems).odd("payload");
                out.events.push(row.whole_event(EventBody::Opaque { record: kind.into() }));
            }
            // Before 0.32 the record itself is the item.
            (Some(_), None) => self.read_item(&row, record, out),
            (Some(kind), Some(_)) => {
                out.events.push(row.unknown_event(kind.to_owned(), &mut out.problems));
            }
            (None, _) => self.read_bare(&row, out),
        }
    }
}

fn is_bare_head(record: Value<'_>) -> bool {
    let [kind, id] = record.fields(["type", "id"]);
    kind.is_none() && id.is_some_and(|id| id.kind() == JsonType::Text)
}

impl Codex {
    /// Codex repeats this record when something changes, and a fork also holds its parent's; the first one is
    /// the session's own.
    fn session_meta(&mut self, row: &RolloutLine<'_>, meta: Value<'_>, out: &mut Batch) {
        if std::mem::replace(&mut self.has_header, true) {
            self.copied.begin_copy(self.session.as_deref(), meta, row.at_ms);
            return out.events.push(row.quiet_event("session_meta"));
        }
        self.session = owned(meta.get("id"));
        let mut notes = row.begin_notes(&mut out.problems);
        let [id, cwd, forked_from, source, provider, instructions, version] = meta.fields([
            "id",
            "cwd",
            "forked_from_id",
            "source",
            "model_provider",
            "base_instructions",
            "cli_version",
        ]);
        let (subagent, spawned_by) = subagent_of(source);
        let forked_from = notes.text(forked_from, "forked_from_id").map(|parent| parent.into());
        self.provider = notes.text(provider, "model_provider").map(|provider| provider.into_owned());
        let header = Header {
            session: notes.text(id, "id").map(SessionId::new),
            cwd: notes.text(cwd, "cwd").map(|cwd| cwd.into()),
            parent_session: spawned_by.or(forked_from),
            subagent,
            ..Header::default()
        };
        let prompt = instructions.and_then(|it| it.get("text")).filter(|text| !text.is_null());
        if let (Some(instructions), Some(prompt)) = (instructions, prompt) {
            let mut blocks = Blocks::new(0, &mut notes);
            let logged = blocks.notes.required_text(Some(prompt), "base_instructions.text");
            let (sent, frame) = sent_prompt(&logged, owned(version).as_deref());
            blocks.push(BlockKind::Text, sent, around_text(instructions, Some(prompt)));
            let read = blocks.into_message(frame);
            self.history.note_prompt(&read);
            out.events.push(row.make_beside(EventDraft::message(read, only_block()), "instructions"));
        }
        out.events.push(row.whole_event(EventBody::Header(header)));
    }

    /// Reads a record without a type: before 0.32, the first one and the state record behind each item.
    fn read_bare(&mut self, row: &RolloutLine<'_>, out: &mut Batch) {
        let [id, state] = row.value.fields(["id", "record_type"]);
        if state.is_some() {
            return out.events.push(row.quiet_event("state"));
        }
        let mut notes = row.begin_notes(&mut out.problems);
        match notes.text(id, "id") {
            Some(id) if !std::mem::replace(&mut self.has_header, true) => {
                let header = Header { session: Some(SessionId::new(id)), ..Header::default() };
                out.events.push(row.whole_event(EventBody::Header(header)));
            }
            _ => {
                notes.odd("type");
                out.events.push(row.whole_event(EventBody::Opaque { record: "no type".into() }));
            }
        }
    }

    fn turn_context(&mut self, row: &RolloutLine<'_>, context: Value<'_>, out: &mut Batch) {
        let model = context.get("model");
        let Some(model) = row.begin_notes(&mut out.problems).text(model, "model") else {
            return out.events.push(row.quiet_event("turn_context"));
        };
        let name: Arc<str> = match &self.provider {
            Some(provider) => format!("{provider}/{model}").into(),
            None => Arc::from(&*model),
        };
        if self.model.as_ref() == Some(&name) {
            return out.events.push(row.quiet_event("turn_context"));
        }
        let body = EventBody::ModelChange { model: (&*name).into() };
        self.model = Some(name);
        out.events.push(row.whole_event(body));
    }

    fn read_item(&mut self, row: &RolloutLine<'_>, item: Value<'_>, out: &mut Batch) {
        let mut notes = row.begin_notes(&mut out.problems);
        let read = read_item(item, 0, &mut self.failures, &mut notes);
        let ReadItem { mut read, origin, answer } = match read {
            ReadItemKind::Item(read) => *read,
            ReadItemKind::Quiet(kind) => return out.events.push(row.quiet_event(kind)),
            ReadItemKind::Unknown(kind) => {
                return out.events.push(row.unknown_event(kind, &mut out.problems));
            }
        };
        self.confirm_message(row, &origin, out);
        let message = &mut read.message;
        if let Origin::Model { is_call } = origin {
            let (reply, usage) = self.replies.take_item(is_call, row.at);
            message.reply = Some(reply);
            message.usage = usage.map(|usage| Usage { copied: self.copied.is_open(), ..usage });
            message.model.clone_from(&self.model);
        } else {
            self.replies.take_other(origin == Origin::Output);
        }
        self.history.note_item(item, &origin, message);
        let draft = EventDraft::message(read, envelope_of(item));
        let Some(answer) = answer else { return out.events.push(row.make_event(draft)) };
        // The provider ran the tool and keeps its output.
        out.events.push(row.make_beside(draft, "call"));
        out.events.push(row.make_event(EventDraft::message(answer, RawPayload::default())));
    }

    fn confirm_message(&mut self, row: &RolloutLine<'_>, origin: &Origin, out: &mut Batch) {
        if let Some(place) = self.twins.open.take()
            && self.twins.any
        {
            out.problems.push(Problem { place, kind: ProblemKind::UnsureAuthor });
        }
        if *origin == Origin::Human && !std::mem::take(&mut self.twins.early) {
            self.twins.open = Some(Place::at_entry(row.at.line, row.at.entry()));
        }
    }

    /// A letter comes from another agent.
    fn read_letter(&mut self, row: &RolloutLine<'_>, letter: Value<'_>, out: &mut Batch) {
        let mut notes = row.begin_notes(&mut out.problems);
        let content = letter.get("content");
        let mut blocks = Blocks::new(0, &mut notes);
        match content {
            Some(text) => blocks.push_text(BlockKind::Text, text, content, "content"),
            None => blocks.notes.odd("content"),
        }
        let form = MessageForm::Custom { name: "inter_agent_communication".into() };
        let read = blocks.into_message(formed_message(Role::User, Author::Harness, form));
        self.replies.take_other(false);
        out.events.push(row.make_event(EventDraft::message(read, payload_around(letter, content))));
    }
}

fn only_block() -> RawPayload {
    RawPayload::Around { before: String::new(), after: String::new() }
}

fn envelope_of(item: Value<'_>) -> RawPayload {
    let [content, output] = item.fields(["content", "output"]);
    match content.or(output) {
        Some(hole) if matches!(hole.kind(), JsonType::List | JsonType::Text) => {
            payload_around(item, Some(hole))
        }
        _ => only_block(),
    }
}

fn subagent_of(source: Option<Value<'_>>) -> (Option<Box<str>>, Option<Box<str>>) {
    let text = |value: Option<Value<'_>>| owned(value).map(String::into_boxed_str);
    let Some(subagent) = source.and_then(|source| source.get("subagent")) else {
        return (None, None);
    };
    if let Some(kind) = text(Some(subagent)) {
        return (Some(kind), None);
    }
    let [spawn, other] = subagent.fields(["thread_spawn", "other"]);
    let Some(spawn) = spawn else { return (text(other).or_else(|| Some("subagent".into())), None) };
    let names = ["agent_nickname", "agent_path", "agent_role"].map(|name| spawn.get(name));
    let name = names.into_iter().find_map(text);
    (name.or_else(|| Some("subagent".into())), text(spawn.get("parent_thread_id")))
}
