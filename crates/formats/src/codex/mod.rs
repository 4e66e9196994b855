//! Codex: one record per line, a rollout. Since 0.32 in an envelope (`timestamp`, `type`, `payload`), before
//! that the items of the history as they are.
//!
//! The history is a list of items, in file order, and no tree: a reply of the model is written as one item
//! for each of its parts. Much stands there a second time, as an event for the ui; those are quiet.

mod author;
mod history;
mod item;
mod output;
mod reply;
mod ui;

use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, Content, EntryId, EventBody, Header, MessageForm, Parent, ParsedEvent, Place, Problem,
    ProblemKind, RawPayload, Role, SessionEvent, SessionId,
};

use self::history::History;
use self::item::{Origin, Read, ReadItem, read_item};
use self::output::Failures;
use self::reply::Replies;
use crate::blocks::{Blocks, Frame};
use crate::format::{Adapter, At};
use crate::json::{Kind, Value};
use crate::notes::Notes;
use crate::payload::{around, around_text, whole};
use crate::reader::Batch;
use crate::time::time_of;

/// The records in an envelope that only rollouts have.
const ENVELOPED: [&str; 5] = ["session_meta", "response_item", "event_msg", "turn_context", "compacted"];
/// Records of newer versions that the model never sees.
const QUIET: [&str; 5] = [
    "world_state",
    "inter_agent_communication_metadata",
    "token_usage_record",
    "security_risk_score",
    "retained_context",
];

/// Tells whether a record, which may be cut at its end, is one of a rollout.
pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [timestamp, kind, payload, id, instructions, state] =
        record.fields(["timestamp", "type", "payload", "id", "instructions", "record_type"]);
    let text = |value: Option<Value<'_>>| Some(value?.text()?.value.into_owned());
    match text(kind).as_deref() {
        Some(kind) if ENVELOPED.contains(&kind) => {
            timestamp.is_some() && payload.is_some_and(|payload| payload.kind() == Kind::Object)
        }
        Some(kind) => is_bare_item(record, kind),
        // The first record before 0.32, and the one behind each of its items.
        None => {
            let is_head = text(id).is_some() && text(timestamp).is_some() && instructions.is_some();
            // An archive sorts the keys, and the window may cut a long first line before its type.
            let is_cut_meta =
                payload.is_some_and(|payload| text(payload.fields(["cli_version"])[0]).is_some());
            is_head || is_cut_meta || text(state).as_deref() == Some("state")
        }
    }
}

/// Tells whether a record is an item without an envelope: nothing but what a provider calls an item.
fn is_bare_item(record: Value<'_>, kind: &str) -> bool {
    let [role, content, call, summary] = record.fields(["role", "content", "call_id", "summary"]);
    let is = |value: Option<Value<'_>>, kind: Kind| value.is_some_and(|value| value.kind() == kind);
    match kind {
        "message" => {
            let first =
                content.filter(|content| content.kind() == Kind::List).and_then(|it| it.items().next());
            let part = first.and_then(|part| part.fields(["type"])[0]).and_then(Value::text);
            is(role, Kind::Text)
                && part
                    .is_some_and(|part| matches!(&*part.value, "input_text" | "output_text" | "input_image"))
        }
        "reasoning" => is(summary, Kind::List),
        "function_call"
        | "function_call_output"
        | "custom_tool_call"
        | "custom_tool_call_output"
        | "local_shell_call" => is(call, Kind::Text),
        _ => false,
    }
}

/// Makes a reader of rollouts. It goes on from the start only: what it knows of a log is more than numbers.
pub(crate) fn adapter(_version: u32, _n_records: u64) -> Box<dyn Adapter> {
    Box::new(Codex::default())
}

/// Reads the records of a rollout in file order.
#[derive(Clone, Default)]
struct Codex {
    has_begun: bool,
    has_header: bool,
    provider: Option<String>,
    /// The model in use, as `provider/model`.
    model: Option<Arc<str>>,
    window: Option<u64>,
    replies: Replies,
    failures: Failures,
    history: History,
    twins: Twins,
}

/// Which messages in the human's slot an event for the ui has confirmed.
#[derive(Clone, Default)]
struct Twins {
    /// A message that no event has confirmed yet.
    open: Option<Place>,
    /// An event came before its message.
    early: bool,
    /// The log has such events at all.
    any: bool,
}

/// A record's time and body as they are read, before they are an event.
struct Row<'v> {
    value: Value<'v>,
    at: At,
    at_ms: Option<i64>,
}

impl Row<'_> {
    fn event(
        &self,
        parent: Parent,
        body: EventBody,
        contents: Vec<Content>,
        envelope: RawPayload,
    ) -> ParsedEvent {
        let event = SessionEvent {
            line: self.at.line,
            entry: self.at.entry(),
            parent,
            at_ms: self.at_ms,
            side: false,
            body,
        };
        ParsedEvent { event, contents, envelope }
    }

    /// A record that is in the history.
    fn inside(&self, body: EventBody) -> ParsedEvent {
        self.event(Parent::Previous, body, Vec::new(), whole(self.value))
    }

    /// A record that is not.
    fn outside(&self, body: EventBody) -> ParsedEvent {
        self.event(Parent::Outside, body, Vec::new(), whole(self.value))
    }

    fn quiet(&self, record: impl Into<Box<str>>) -> ParsedEvent {
        self.outside(EventBody::Quiet { record: record.into() })
    }

    fn notes<'p>(&self, problems: &'p mut Vec<Problem>) -> Notes<'p> {
        Notes::new(self.at.line, self.at.entry(), problems)
    }

    /// A record that nobody knows.
    fn unknown(&self, record: String, problems: &mut Vec<Problem>) -> ParsedEvent {
        self.notes(problems).note(ProblemKind::UnknownRecord { record: record.as_str().into() });
        self.outside(EventBody::Opaque { record: record.into() })
    }
}

impl Adapter for Codex {
    fn record(&mut self, record: Value<'_>, at: At, out: &mut Batch) {
        let [timestamp, kind, payload] = record.fields(["timestamp", "type", "payload"]);
        let mut notes = Notes::new(at.line, at.entry(), &mut out.problems);
        let at_ms = timestamp.and_then(|timestamp| {
            let time = time_of(timestamp);
            if time.is_none() {
                notes.odd("timestamp");
            }
            time
        });
        let kind = kind.and_then(Value::text).map(|kind| kind.value);
        let row = Row { value: record, at, at_ms };
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let payload = payload.filter(|payload| payload.kind() == Kind::Object);
        if is_first && kind.as_deref() != Some("session_meta") && !is_bare_head(record) {
            notes.note(ProblemKind::NoHeader);
        }
        match (kind.as_deref(), payload) {
            (Some("session_meta"), Some(payload)) => self.session_meta(&row, payload, out),
            (Some("response_item"), Some(item)) => self.item(&row, item, out),
            (Some("event_msg"), Some(event)) => self.ui_event(&row, event, out),
            (Some("turn_context"), Some(context)) => self.turn_context(&row, context, out),
            (Some("compacted"), Some(compacted)) => self.compacted(&row, compacted, out),
            (Some("inter_agent_communication"), Some(letter)) => self.letter(&row, letter, out),
            (Some(kind), _) if QUIET.contains(&kind) => out.events.push(row.quiet(kind)),
            (Some(kind), None) if ENVELOPED.contains(&kind) => {
                row.notes(&mut out.problems).odd("payload");
                out.events.push(row.outside(EventBody::Opaque { record: kind.into() }));
            }
            // Before 0.32 the item is the record.
            (Some(_), None) => self.item(&row, record, out),
            (Some(kind), Some(_)) => {
                let event = row.unknown(kind.to_owned(), &mut out.problems);
                out.events.push(event);
            }
            (None, _) => self.bare(&row, out),
        }
    }

    fn pass_over(&mut self) {}

    fn resumable(&self) -> Option<(u32, u64)> {
        (!self.has_begun).then_some((0, 0))
    }

    fn copy(&self) -> Box<dyn Adapter> {
        Box::new(self.clone())
    }
}

fn is_bare_head(record: Value<'_>) -> bool {
    let [kind, id] = record.fields(["type", "id"]);
    kind.is_none() && id.is_some_and(|id| id.kind() == Kind::Text)
}

impl Codex {
    /// Reads what stands about the session; Codex writes it again when something in it changes, and a fork
    /// holds that of its parent: the first one is the session's own.
    fn session_meta(&mut self, row: &Row<'_>, meta: Value<'_>, out: &mut Batch) {
        if std::mem::replace(&mut self.has_header, true) {
            return out.events.push(row.quiet("session_meta"));
        }
        let mut notes = row.notes(&mut out.problems);
        let [id, cwd, forked_from, source, provider, instructions] =
            meta.fields(["id", "cwd", "forked_from_id", "source", "model_provider", "base_instructions"]);
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
        let prompt = instructions.and_then(|it| it.fields(["text"])[0]).filter(|text| !text.is_null());
        if let (Some(instructions), Some(prompt)) = (instructions, prompt) {
            let mut blocks = Blocks::new(0, &mut notes);
            let text = blocks.notes.required_text(Some(prompt), "base_instructions.text").into_owned();
            blocks.push(BlockKind::Text, text, around_text(instructions, Some(prompt)));
            let read = blocks.into_message(Frame::plain(Role::System, Author::Harness));
            self.history.instructed(&read.contents);
            let body = EventBody::Message(read.message);
            let envelope = RawPayload::Around { before: String::new(), after: String::new() };
            let mut event = row.event(Parent::Previous, body, read.contents, envelope);
            event.event.entry = EntryId::new(format!("{}/instructions", row.at.entry()));
            out.events.push(event);
        }
        out.events.push(row.outside(EventBody::Header(header)));
    }

    /// Reads a record without a type: the first one before 0.32, and the marks behind its items.
    fn bare(&mut self, row: &Row<'_>, out: &mut Batch) {
        let [id, state] = row.value.fields(["id", "record_type"]);
        if state.is_some() {
            return out.events.push(row.quiet("state"));
        }
        let mut notes = row.notes(&mut out.problems);
        match notes.text(id, "id") {
            Some(id) if !std::mem::replace(&mut self.has_header, true) => {
                let header = Header { session: Some(SessionId::new(id)), ..Header::default() };
                out.events.push(row.outside(EventBody::Header(header)));
            }
            _ => {
                notes.odd("type");
                out.events.push(row.outside(EventBody::Opaque { record: "no type".into() }));
            }
        }
    }

    /// Reads what the next requests go out with; of it only the model matters.
    fn turn_context(&mut self, row: &Row<'_>, context: Value<'_>, out: &mut Batch) {
        let [model] = context.fields(["model"]);
        let Some(model) = row.notes(&mut out.problems).text(model, "model") else {
            return out.events.push(row.quiet("turn_context"));
        };
        let name: Arc<str> = match &self.provider {
            Some(provider) => format!("{provider}/{model}").into(),
            None => Arc::from(&*model),
        };
        if self.model.as_ref() == Some(&name) {
            return out.events.push(row.quiet("turn_context"));
        }
        let body = EventBody::ModelChange { model: (&*name).into() };
        self.model = Some(name);
        out.events.push(row.inside(body));
    }

    /// Reads one item of the history.
    fn item(&mut self, row: &Row<'_>, item: Value<'_>, out: &mut Batch) {
        let mut notes = row.notes(&mut out.problems);
        let read = read_item(item, 0, &mut self.failures, &mut notes);
        let ReadItem { mut message, contents, origin, answer } = match read {
            Read::Item(read) => *read,
            Read::Quiet(kind) => return out.events.push(row.quiet(kind)),
            Read::Unknown(kind) => {
                let event = row.unknown(kind, &mut out.problems);
                return out.events.push(event);
            }
        };
        self.confirm(row, &origin, out);
        if let Origin::Model { is_call } = origin {
            let (reply, usage) = self.replies.item(is_call, row.at);
            message.reply = Some(reply);
            message.usage = usage;
            message.model.clone_from(&self.model);
        } else {
            self.replies.other(origin == Origin::Output);
        }
        self.history.item(item, &origin, &message);
        let envelope = envelope_of(item);
        let mut event = row.event(Parent::Previous, EventBody::Message(message), contents, envelope);
        let Some(answer) = answer else { return out.events.push(event) };
        // The provider ran the tool and keeps what came out.
        event.event.entry = EntryId::new(format!("{}/call", row.at.entry()));
        out.events.push(event);
        let body = EventBody::Message(answer.message);
        out.events.push(row.event(Parent::Previous, body, answer.contents, RawPayload::default()));
    }

    /// Keeps watch that each message in the human's slot is one that the ui shows as the human's.
    fn confirm(&mut self, row: &Row<'_>, origin: &Origin, out: &mut Batch) {
        if let Some(place) = self.twins.open.take()
            && self.twins.any
        {
            out.problems.push(Problem { place, kind: ProblemKind::UnsureAuthor });
        }
        if *origin == Origin::Human && !std::mem::take(&mut self.twins.early) {
            self.twins.open = Some(Place::entry(row.at.line, row.at.entry()));
        }
    }

    /// Reads what another agent wrote to this one.
    fn letter(&mut self, row: &Row<'_>, letter: Value<'_>, out: &mut Batch) {
        let mut notes = row.notes(&mut out.problems);
        let [content] = letter.fields(["content"]);
        let mut blocks = Blocks::new(0, &mut notes);
        let text = blocks.notes.required_text(content, "content").into_owned();
        if let Some(content) = content {
            blocks.push(BlockKind::Text, text, around_text(content, Some(content)));
        }
        let form = MessageForm::Custom { name: "inter_agent_communication".into() };
        let read = blocks.into_message(Frame::new(Role::User, Author::Harness, form));
        self.replies.other(false);
        let envelope = around(letter, content);
        out.events.push(row.event(
            Parent::Previous,
            EventBody::Message(read.message),
            read.contents,
            envelope,
        ));
    }
}

/// Returns an item around its blocks.
fn envelope_of(item: Value<'_>) -> RawPayload {
    let [content, output] = item.fields(["content", "output"]);
    match content.or(output) {
        Some(hole) if matches!(hole.kind(), Kind::List | Kind::Text) => around(item, Some(hole)),
        // The item is its only block.
        _ => RawPayload::Around { before: String::new(), after: String::new() },
    }
}

/// Finds the name of a subagent in a session's source, and the thread that spawned it.
fn subagent_of(source: Option<Value<'_>>) -> (Option<Box<str>>, Option<Box<str>>) {
    let text = |value: Option<Value<'_>>| -> Option<Box<str>> { Some(value?.text()?.value.into()) };
    let Some(subagent) = source.and_then(|source| source.fields(["subagent"])[0]) else {
        return (None, None);
    };
    if let Some(kind) = text(Some(subagent)) {
        return (Some(kind), None);
    }
    let [spawn, other] = subagent.fields(["thread_spawn", "other"]);
    let Some(spawn) = spawn else { return (text(other).or_else(|| Some("subagent".into())), None) };
    let [parent, nickname, path, role] =
        spawn.fields(["parent_thread_id", "agent_nickname", "agent_path", "agent_role"]);
    let name = [nickname, path, role].into_iter().find_map(text);
    (name.or_else(|| Some("subagent".into())), text(parent))
}
