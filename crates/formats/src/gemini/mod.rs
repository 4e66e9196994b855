//! Gemini CLI: one record per line (since 0.40), or a JSON document that older versions rewrite as a whole.
//!
//! A line holds session data, a message, `$set` (new data, perhaps the whole message list) or `$rewindTo`. A
//! message is written again under its id whenever it changes: the last version counts, at the first one's
//! position. The lines therefore describe a changing list ([`history::GeminiHistory`]), and events describe
//! its changes.

mod groups;
mod history;
mod parts;
mod telling;
mod version;

use cwl_engine::{EntryId, EventBody, Header, ParsedEvent, RawPayload, SessionId};

use self::history::GeminiHistory;
pub(crate) use self::parts::push_responses;
use self::version::MessageVersion;
pub(crate) use self::version::{SENT_AGAIN, injected_as, message_of};
use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::document::DocumentLines;
use crate::event::{EventDraft, RecordStamp};
use crate::json::{JsonType, Value};
use crate::notes::Notes;
use crate::payload::{payload_around, whole_payload};
use crate::time::iso_time;

pub(crate) fn recognises(record: Value<'_>) -> bool {
    let is_text = |value: Option<Value<'_>>| value.is_some_and(|value| value.kind() == JsonType::Text);
    let [session, project, rewind, id, time, kind] =
        record.fields(["sessionId", "projectHash", "$rewindTo", "id", "timestamp", "type"]);
    let is_reply = kind.and_then(Value::string).is_some_and(|kind| kind == "gemini");
    (is_text(session) && is_text(project)) || is_text(rewind) || (is_reply && is_text(id) && is_text(time))
}

/// The adapter, which never resumes: its state includes everything read so far.
#[derive(Clone, Default)]
pub(crate) struct GeminiCli {
    /// No human writes there.
    is_subagent: bool,
    has_header: bool,
    is_resumed: bool,
    history: GeminiHistory,
}

impl Adapter for GeminiCli {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let [session, set, rewind, id] = value.fields(["sessionId", "$set", "$rewindTo", "id"]);
        if let Some(target) = rewind.filter(|target| target.kind() == JsonType::Text) {
            let target =
                Notes::new(at.line, at.entry(), &mut out.problems).required_text(Some(target), "$rewindTo");
            self.history.rewind(&target, value, at, out);
        } else if id.is_some_and(|id| id.kind() == JsonType::Text) {
            self.message(value, at, out);
        } else if let Some(set) = set.and_then(Value::object) {
            self.set(value, set, at, out);
        } else if session.is_some() {
            self.session(value, at, out);
        } else {
            let mut notes = Notes::new(at.line, at.entry(), &mut out.problems);
            let kind = value.get("type").and_then(|kind| notes.decode(kind));
            let body = notes.unknown(kind.unwrap_or("no type".into()));
            out.events.push(outside(at, None, body, whole_payload(value)));
        }
    }
}

impl GeminiCli {
    fn session(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let [session, start, kind, directories, summary, messages] =
            value.fields(["sessionId", "startTime", "kind", "directories", "summary", "messages"]);
        let mut notes = Notes::new(at.line, at.entry(), &mut out.problems);
        let session = notes.text(session, "sessionId");
        let kind = notes.text(kind, "kind");
        let summary = notes.text(summary, "summary").filter(|summary| !summary.is_empty());
        self.is_subagent = kind.is_some_and(|kind| kind == "subagent");
        // A main recording names only added folders; a subagent's names its working folder first.
        let first = directories.filter(|_| self.is_subagent).and_then(|it| it.items().next());
        let header = Header {
            session: session.as_deref().map(SessionId::new),
            cwd: first.and_then(|first| notes.decode(first)).map(|cwd| cwd.into()),
            subagent: session.filter(|_| self.is_subagent).map(|session| session.into()),
            ..Header::default()
        };
        let at_ms = start.and_then(iso_time);
        let body = if std::mem::replace(&mut self.has_header, true) {
            // A resumed session writes its data again.
            self.is_resumed = true;
            EventBody::Quiet { record: "metadata".into() }
        } else {
            EventBody::Header(header)
        };
        out.events.push(outside(at, at_ms, body, payload_around(value, messages)));
        if let Some(summary) = summary {
            let mut title = outside(at, at_ms, EventBody::Title(Some(summary.into())), RawPayload::default());
            title.event.entry = EntryId::new(format!("{}/title", at.entry()));
            out.events.push(title);
        }
        let Some(messages) = messages else { return };
        self.history.reserve(&at.entry());
        let mut lines = DocumentLines::new(value, at.line);
        for message in messages.items() {
            self.message(message, RecordPlace { line: lines.line_of(message), nth: at.nth }, out);
        }
    }

    fn message(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        self.is_resumed = false;
        let version = MessageVersion::read(value, self.is_subagent, at);
        self.history.write(version, at, out);
    }

    /// A message list in `$set` replaces the current one.
    fn set(&mut self, record: Value<'_>, set: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let [messages, summary, updated] = set.fields(["messages", "summary", "lastUpdated"]);
        let at_ms = updated.and_then(iso_time);
        if let Some(messages) = messages.and_then(Value::list) {
            let versions: Vec<MessageVersion> =
                messages.items().map(|message| MessageVersion::read(message, self.is_subagent, at)).collect();
            self.history.reserve(&at.entry());
            if !std::mem::take(&mut self.is_resumed) || !self.history.reopen(&versions) {
                self.history.exchange(versions, at, at_ms, out);
            }
        }
        let mut notes = Notes::new(at.line, at.entry(), &mut out.problems);
        let summary = notes.text(summary, "summary").filter(|summary| !summary.is_empty());
        let body = match summary {
            Some(summary) => EventBody::Title(Some(summary.into())),
            None => EventBody::Quiet { record: "$set".into() },
        };
        out.events.push(outside(at, at_ms, body, payload_around(record, messages)));
    }
}

fn outside(at: RecordPlace, at_ms: Option<i64>, body: EventBody, envelope: RawPayload) -> ParsedEvent {
    let draft = EventDraft { envelope, ..EventDraft::bare(body) };
    draft.event(RecordStamp { line: at.line, at_ms, side: false }, at.entry())
}
