//! pi: one JSON record per line, versions 1 (linear, without ids), 2 and 3 (a tree).
//!
//! pi itself rewrites an old file when it opens it; we read each version as it stands.
//!
//! OpenClaw, which embeds pi, documents that it prunes old results of tools after a pause. Its logs hold neither the prunes
//! nor the settings, and in public logs of sessions with pruning on no reported prompt falls where the documented rule,
//! with its defaults, would prune. So no prune is worked out; a report that does fall is a hidden loss like any other.

pub(crate) mod cwl_trace;
mod message;
mod system;
mod edit;
mod record;

use cwl_engine::{
    EntryId, EventBody, Header, Parent, ParsedEvent, ProblemKind, Role, SessionEvent, SessionId,
};

use crate::event::{EventDraft, RecordStamp};
use crate::format::{Adapter, RecordPlace};
use crate::json::{Fields, JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::reader::Batch;
pub use message::REDACTED_REASONING;
use message::read_message;
use record::{PiRecord, PriorRecords, RecordReferences, checkpoint_of, read_record};

/// The newest version that is known.
const NEWEST: u32 = 3;
/// The most positions a compaction of version 1 can name; those logs had thousands.
const MAX_POSITIONS: usize = 1_000_000;

/// Tells whether `record`, which may be cut at its end, is pi's.
pub(crate) fn is_record(record: Value<'_>) -> bool {
    let [kind, id, parent, timestamp, message] =
        record.fields(["type", "id", "parentId", "timestamp", "message"]);
    let Some(kind) = kind.and_then(Value::string) else {
        let [transcript, run, agent] = record.fields(["recordType", "runId", "agent"]);
        return [transcript, run, agent]
            .iter()
            .all(|value| value.is_some_and(|it| it.kind() == JsonType::Text));
    };
    if kind == "session" {
        return id.or(timestamp).is_some_and(|value| value.kind() == JsonType::Text);
    }
    if kind == "message" && message.is_some_and(|message| message.get("role").is_some()) {
        return true;
    }
    is_known("pi.tree", &kind) && id.is_some() && parent.is_some()
}

/// Makes a reader that goes on after `n_records` of a log of that version.
pub(crate) fn resume_adapter(version: u32, n_records: u64) -> Box<dyn Adapter> {
    Box::new(Pi { version, n_records, positions: Vec::new(), told: PriorRecords::default(), forked_at: None })
}

pub(crate) fn n_blocks_of_message(message: Value<'_>) -> u32 {
    let mut problems = Vec::new();
    let mut notes = Notes::new(0, EntryId::of_line(0), &mut problems);
    let read = read_message(&Fields::parse(message), 0, &mut notes);
    read.map_or(0, |read| u32::try_from(read.message.blocks.len()).unwrap_or(u32::MAX))
}

/// Reads pi records in file order.
#[derive(Clone)]
struct Pi {
    /// 1 is linear, above is a tree, 0 is not known yet.
    version: u32,
    n_records: u64,
    /// The records so far by position, kept until the log is known to be a tree. JSON that is no record has a
    /// position too, as in pi's own list. No more than [`MAX_POSITIONS`] are kept.
    positions: Vec<Option<EntryId>>,
    /// Kept from the first system message on, which only versions write that write edits.
    told: PriorRecords,
    /// When a session began that was forked off another, while its records are copies; milliseconds since 1970.
    forked_at: Option<i64>,
}

impl Pi {
    /// Learns the version from the header, or from the first record if there is none.
    fn learn_version(&mut self, record: &PiRecord<'_>, notes: &mut Notes<'_>) {
        if self.version != 0 {
            return;
        }
        if record.is_of_transcript() {
            self.version = 1;
            return;
        }
        if !record.is_header() {
            self.version = if record.id.is_some_and(|id| id.kind() == JsonType::Text) { NEWEST } else { 1 };
            return;
        }
        let stated = record.own.get("version").filter(|version| !version.is_null());
        self.version = match stated.map(|version| version.raw().parse::<u32>()) {
            None => 1,
            Some(Ok(version)) => {
                if version > NEWEST {
                    notes.note(ProblemKind::UnknownVersion { version });
                }
                version.clamp(1, NEWEST)
            }
            Some(Err(_)) => 0,
        };
    }

    fn entry_of(&self, record: &PiRecord<'_>, at: RecordPlace) -> EntryId {
        let own = if record.is_header() || self.version == 1 { None } else { record.id };
        match own.and_then(Value::string) {
            Some(id) if !id.is_empty() => EntryId::new(id),
            _ => at.entry(),
        }
    }

    /// Marks the usage of a record copied from the session which this one was forked off: it is older than the session
    /// itself.
    fn mark_copied(&mut self, event: &mut SessionEvent) {
        if let EventBody::Header(header) = &event.body {
            self.forked_at = event.at_ms.filter(|_| header.parent_session.is_some());
        } else if let (Some(forked), Some(at)) = (self.forked_at, event.at_ms) {
            if at >= forked {
                self.forked_at = None;
            } else {
                event.body.mark_copied();
            }
        }
    }

    fn count_record(&mut self, position: Option<EntryId>) {
        self.n_records += 1;
        if self.version <= 1 {
            self.add_position(position);
        } else {
            self.positions = Vec::new();
        }
    }

    fn add_position(&mut self, position: Option<EntryId>) {
        if self.positions.len() < MAX_POSITIONS {
            self.positions.push(position);
        }
    }
}

fn transcript_header(record: &PiRecord<'_>, at: RecordPlace) -> ParsedEvent {
    let [run, agent, version] = ["runId", "agent", "version"].map(|name| record.own.get(name));
    let [run, agent] = [run, agent].map(|value| owned(value).unwrap_or_default());
    let header = Header {
        session: Some(SessionId::new(format!("{run}/{agent}"))),
        version: version.and_then(|version| version.raw().parse().ok()),
        subagent: Some(agent.into()),
        ..Header::default()
    };
    let entry = EntryId::new(format!("{}/session", at.entry()));
    EventDraft::bare(EventBody::Header(header)).event(RecordStamp::line(at.line), entry)
}

impl Adapter for Pi {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let record = PiRecord::new(value);
        if self.n_records == 0 && record.is_of_transcript() {
            out.events.push(transcript_header(&record, at));
        } else if self.n_records == 0 && !record.is_header() {
            Notes::new(at.line, at.entry(), &mut out.problems).note(ProblemKind::NoHeader);
        }
        let problems = &mut out.problems;
        self.learn_version(&record, &mut Notes::new(at.line, at.entry(), problems));
        let entry = self.entry_of(&record, at);
        let naming = if self.version == 1 {
            RecordReferences::Position(&self.positions)
        } else {
            RecordReferences::Id
        };
        let mut notes = Notes::new(at.line, entry.clone(), problems);
        if self.version > 1 && !record.is_header() && record.id.is_none_or(|id| id.kind() != JsonType::Text) {
            notes.odd("id");
        }
        let mut event = read_record(&record, at.line, entry.clone(), naming, &self.told, &mut notes);
        let is_header = matches!(event.event.body, EventBody::Header(_));
        self.mark_copied(&mut event.event);
        let is_prompt = |body: &EventBody| body.all_messages().any(|message| message.role == Role::System);
        self.told.has_prompt |= is_prompt(&event.event.body);
        if self.told.has_prompt {
            self.told.frames.note_frame(&entry, &event.event.body);
        }
        let checkpoint =
            matches!(event.event.body, EventBody::Compaction(_)).then(|| checkpoint_of(&record, &mut notes));
        if let Some(draft) = checkpoint.flatten() {
            // The prompt stands behind the compaction, which takes out the one before it.
            let stamp = RecordStamp { line: at.line, at_ms: event.event.at_ms, side: false };
            event.event.entry = EntryId::new(format!("{entry}/compaction"));
            let parent = Parent::Entry(event.event.entry.clone());
            out.events.push(event);
            out.events.push(draft.below(stamp, entry.clone(), parent));
            self.told.has_prompt = true;
        } else {
            out.events.push(event);
        }
        self.count_record((!is_header).then_some(entry));
    }

    fn pass_over(&mut self) {
        // JSON that is no record has a position, but does not stand for the first record: pi looks for its header
        // among objects.
        if self.version <= 1 {
            self.add_position(None);
        }
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        // With the version unknown, the next record may make the log a linear one.
        let is_settled = (self.version > 1 || self.positions.is_empty())
            && !self.told.has_prompt
            && self.forked_at.is_none();
        is_settled.then_some((self.version, self.n_records))
    }
}
