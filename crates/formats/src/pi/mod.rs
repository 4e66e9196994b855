//! pi: one JSON record per line, in version 1 (linear, without ids), 2 or 3 (a tree).
//!
//! pi rewrites an old file when it opens it; this adapter reads every version unchanged.
//!
//! OpenClaw, which embeds pi, documents that it prunes old tool results after a pause. Its logs hold neither
//! the prunes nor the settings, and in public logs with pruning on, no reported prompt shrinks where the
//! documented rule with its defaults would prune. So no prune is computed; a report that does shrink is a
//! hidden loss like any other.

pub(crate) mod cwl_trace;
mod message;
mod system;
mod edit;
mod record;

use cwl_engine::{
    EntryId, EventBody, Header, Parent, ParsedEvent, ProblemKind, Role, SessionEvent, SessionId,
};

use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::decision::{DECISION, Evictions};
use crate::event::{EventDraft, RecordStamp};
use crate::json::{Fields, JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
pub use message::REDACTED_REASONING;
use message::read_message;
use record::{PiRecord, PriorRecords, RecordReferences, checkpoint_of, read_record};

const NEWEST: u32 = 3;
/// How many records a version 1 compaction can refer to; real logs had thousands.
const MAX_POSITIONS: usize = 1_000_000;

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

pub(crate) fn resume_adapter(version: u32, n_records: u64) -> Box<dyn Adapter> {
    Box::new(Pi {
        version,
        n_records,
        positions: Vec::new(),
        told: PriorRecords::default(),
        evictions: Evictions::default(),
        forked_at: None,
    })
}

pub(crate) fn n_blocks_of_message(message: Value<'_>) -> u32 {
    let mut problems = Vec::new();
    let mut notes = Notes::new(0, EntryId::of_line(0), &mut problems);
    let read = read_message(&Fields::parse(message), 0, &mut notes);
    read.map_or(0, |read| u32::try_from(read.message.blocks.len()).unwrap_or(u32::MAX))
}

#[derive(Clone)]
struct Pi {
    /// 1 is linear, higher is a tree, 0 is unknown.
    version: u32,
    n_records: u64,
    /// Records by position, kept until the log is known to be a tree.
    ///
    /// JSON that is not a record also has a position, as in pi's own list. At most [`MAX_POSITIONS`] are
    /// kept.
    positions: Vec<Option<EntryId>>,
    /// State from the first system message on; versions with edits always write system messages.
    told: PriorRecords,
    evictions: Evictions,
    /// When a forked session began, in milliseconds since 1970; set while its records are copies.
    forked_at: Option<i64>,
}

impl Pi {
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

    /// Marks the usage of a copied record, which is older than the forked session itself.
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
        let decision = (record.kind.as_deref() == Some("custom")
            && record.own.text_of("customType") == DECISION)
            .then(|| self.evictions.read_decision(&record.own, &entry, &mut notes));
        let mut event =
            read_record(&record, at.line, entry.clone(), naming, &self.told, decision, &mut notes);
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
            // The new prompt stands behind the compaction, which removes the old one.
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
        // Such JSON has a position, but does not count as the first record: pi looks for its header among
        // objects.
        if self.version <= 1 {
            self.add_position(None);
        }
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        // With an unknown version, the next record may make the log linear.
        let is_settled = (self.version > 1 || self.positions.is_empty())
            && !self.told.has_prompt
            && self.evictions.is_empty()
            && self.forked_at.is_none();
        is_settled.then_some((self.version, self.n_records))
    }
}
