//! Droid, Factory's agent: one record per line, with messages in the form of Anthropic's API.
//!
//! Droid sends the messages in the order of the file. Its own texts of a turn are a row that only the model sees;
//! runs of hooks are rows that only the human sees. A compaction keeps the messages behind its anchor; one that the
//! human asked for begins a new file, whose header names the old one.

mod message;
mod user;

use cwl_engine::{Compaction, EntryId, EventBody, Header, Keep, ProblemKind, SessionId};

use self::message::{read_assistant, read_summary};
use self::user::{RowVoice, is_results, read_user};
use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::event::{EventDraft, RecordStamp};
use crate::json::{JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::payload_around;
use crate::time::iso_time;

const NEWEST: u64 = 2;

pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [kind, id, title, cwd, owner, summary] =
        record.fields(["type", "id", "title", "cwd", "owner", "summaryText"]);
    let is_text = |value: Option<Value<'_>>| value.is_some_and(|value| value.kind() == JsonType::Text);
    match kind.and_then(Value::string).as_deref() {
        Some("session_start") => is_text(id) && [title, cwd, owner].into_iter().any(is_text),
        Some("compaction_state") => is_text(id) && is_text(summary),
        _ => false,
    }
}

/// The adapter, which never resumes: a compaction names the last message that it replaces.
#[derive(Clone, Default)]
pub(crate) struct Droid {
    has_begun: bool,
    /// True if another session called this one, so that no human writes to it.
    is_called: bool,
    rows: Vec<DroidRow>,
}

#[derive(Clone)]
struct DroidRow {
    id: String,
    /// The first event of the row; `None` if the model never sees it.
    first: Option<EntryId>,
    is_results: bool,
}

struct DroidRecord<'v> {
    value: Value<'v>,
    kind: String,
    stamp: RecordStamp,
    entry: EntryId,
}

impl DroidRecord<'_> {
    fn push(&self, draft: EventDraft, out: &mut Batch) {
        self.push_named("", draft, out);
    }

    fn push_named(&self, name: &str, draft: EventDraft, out: &mut Batch) {
        out.events.push(draft.event(self.stamp, self.entry_of(name)));
    }

    fn entry_of(&self, name: &str) -> EntryId {
        match name {
            "" => self.entry.clone(),
            name => EntryId::new(format!("{}/{name}", self.entry)),
        }
    }

    fn quiet(&self, name: &str) -> EventDraft {
        EventDraft::whole(EventBody::Quiet { record: name.into() }, self.value)
    }

    fn notes<'p>(&self, out: &'p mut Batch) -> Notes<'p> {
        Notes::new(self.stamp.line, self.entry.clone(), &mut out.problems)
    }
}

impl Adapter for Droid {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let [kind, id, timestamp] = value.fields(["type", "id", "timestamp"]);
        let kind =
            Notes::new(at.line, at.entry(), &mut out.problems).required_text(kind, "type").into_owned();
        // A header's id is the session's.
        let id = owned(id).filter(|id| !id.is_empty() && kind != "session_start");
        let entry = id.map_or_else(|| at.entry(), EntryId::new);
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        let at_ms = notes.time(timestamp, "timestamp", iso_time);
        if !std::mem::replace(&mut self.has_begun, true) && kind != "session_start" {
            notes.note(ProblemKind::NoHeader);
        }
        let record =
            DroidRecord { value, kind, stamp: RecordStamp { line: at.line, at_ms, side: false }, entry };
        match record.kind.as_str() {
            "session_start" => self.begin(&record, out),
            "message" => self.add_message(&record, out),
            "compaction_state" => self.compact(&record, out),
            "" => record.push(EventDraft::opaque("no type", value), out),
            known if is_known("droid.rows", known) => record.push(record.quiet(known), out),
            unknown => {
                let body = record.notes(out).unknown(unknown);
                record.push(EventDraft::whole(body, value), out);
            }
        }
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        (!self.has_begun).then_some((0, 0))
    }
}

impl Droid {
    fn begin(&mut self, record: &DroidRecord<'_>, out: &mut Batch) {
        let [id, title, own_title, cwd, parent, caller, version] = record.value.fields([
            "id",
            "title",
            "sessionTitle",
            "cwd",
            "parent",
            "callingSessionId",
            "version",
        ]);
        let mut notes = record.notes(out);
        // Older versions wrote the program's version as a text.
        let version = version.filter(|version| version.kind() == JsonType::Number);
        let version = notes.count(version, "version").and_then(|version| u32::try_from(version).ok());
        if let Some(version) = version.filter(|version| u64::from(*version) > NEWEST) {
            notes.note(ProblemKind::UnknownVersion { version });
        }
        let session = notes.text(id, "id").filter(|id| !id.is_empty());
        let caller = notes.text(caller, "callingSessionId").filter(|id| !id.is_empty());
        let parent = notes.text(parent, "parent").filter(|id| !id.is_empty());
        self.is_called = caller.is_some();
        let header = Header {
            subagent: caller.is_some().then(|| session.clone().unwrap_or_default().into()),
            session: session.map(SessionId::new),
            version,
            cwd: notes.text(cwd, "cwd").map(|cwd| cwd.into()),
            parent_session: caller.or(parent).map(|id| id.into()),
            ..Header::default()
        };
        let title = notes.text(own_title.filter(|title| !title.is_null()).or(title), "title");
        let title = title.filter(|title| !title.is_empty());
        record.push(EventDraft::whole(EventBody::Header(header), record.value), out);
        if let Some(title) = title {
            let body = EventBody::Title(Some(title.into()));
            record.push_named("title", EventDraft::bare(body), out);
        }
    }

    fn add_message(&mut self, record: &DroidRecord<'_>, out: &mut Batch) {
        let Some(message) = record.value.get("message").and_then(Value::object) else {
            record.notes(out).odd("message");
            return record.push(EventDraft::opaque("message", record.value), out);
        };
        let [role, content, visibility, hook] =
            message.fields(["role", "content", "visibility", "hookEventName"]);
        let mut notes = record.notes(out);
        let role = notes.required_text(role, "message.role").into_owned();
        let visibility = notes.text(visibility, "message.visibility").unwrap_or_default().into_owned();
        let mut row = DroidRow { id: record.entry.to_string(), first: None, is_results: false };
        let drafts = match role.as_str() {
            _ if visibility == "user_only" => {
                let name = if hook.is_some() { "hook" } else { "message to the user" };
                vec![("", record.quiet(name))]
            }
            "user" => {
                row.is_results = is_results(content);
                let voice = RowVoice::of_message(message, self.is_called, &mut notes);
                read_user(record.value, content, &voice, &mut notes)
            }
            "assistant" => {
                let read = read_assistant(message, content, &mut notes);
                vec![("", EventDraft::message(read, payload_around(record.value, content)))]
            }
            unknown => {
                let body = notes.unknown(format!("message/{unknown}"));
                vec![("", EventDraft::whole(body, record.value))]
            }
        };
        let is_sent = |draft: &EventDraft| match &draft.body {
            EventBody::Message(message) => !message.blocks.is_empty(),
            _ => false,
        };
        if drafts.iter().any(|(_, draft)| is_sent(draft)) {
            row.first = drafts.first().map(|(name, _)| record.entry_of(name));
        }
        self.rows.push(row);
        for (name, draft) in drafts {
            record.push_named(name, draft, out);
        }
    }

    /// Keeps what stands behind the anchor, except results of calls that the summary replaces.
    fn compact(&mut self, record: &DroidRecord<'_>, out: &mut Batch) {
        let [summary, info, anchor] = record.value.fields(["summaryText", "systemInfoText", "anchorMessage"]);
        let mut notes = record.notes(out);
        let summary = read_summary(summary, info, &mut notes);
        let anchor = anchor.and_then(|anchor| owned(anchor.get("id"))).filter(|id| !id.is_empty());
        let at = anchor.and_then(|id| self.rows.iter().rposition(|row| row.id == id));
        let keep = match at {
            Some(at) => {
                let mut behind = self.rows[at + 1..].iter();
                let first = behind.find(|row| row.first.is_some() && !row.is_results);
                first.and_then(|row| row.first.clone()).map_or(Keep::Nothing, Keep::From)
            }
            None => {
                if self.rows.iter().any(|row| row.first.is_some()) {
                    notes.note(ProblemKind::UnnamedKeep);
                }
                Keep::Nothing
            }
        };
        let body =
            EventBody::Compaction(Compaction { summary: Some(summary.message), keep, tokens_before: None });
        let draft = EventDraft::whole(body, record.value);
        record.push(EventDraft { contents: summary.contents, ..draft }, out);
    }
}
