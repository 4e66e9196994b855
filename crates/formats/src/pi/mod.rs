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

use cwl_engine::{EntryId, EventBody, Parent, ProblemKind, Role};

use crate::event::Stamp;
use crate::format::{Adapter, At};
use crate::json::{Fields, Kind, Value};
use crate::known::is_known;
use crate::notes::Notes;
use crate::reader::Batch;
pub use message::REDACTED_REASONING;
use message::read_message;
use record::{Naming, Record, Told, checkpoint_of, read_record};

/// The newest version that is known.
const NEWEST: u32 = 3;

/// Tells whether a record, which may be cut at its end, is pi's.
pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [kind, id, parent, timestamp, message] =
        record.fields(["type", "id", "parentId", "timestamp", "message"]);
    let Some(kind) = kind.and_then(Value::string) else { return false };
    if kind == "session" {
        return id.or(timestamp).is_some_and(|value| value.kind() == Kind::Text);
    }
    if kind == "message" && message.is_some_and(|message| message.get("role").is_some()) {
        return true;
    }
    is_known("pi.tree", &kind) && id.is_some() && parent.is_some()
}

/// Makes a reader that goes on after `n_records` of a log of that version.
pub(crate) fn adapter(version: u32, n_records: u64) -> Box<dyn Adapter> {
    Box::new(Pi { version, n_records, positions: Vec::new(), told: Told::default() })
}

/// Returns how many blocks a message has.
pub(crate) fn n_blocks_of_message(message: Value<'_>) -> u32 {
    let mut problems = Vec::new();
    let mut notes = Notes::new(0, EntryId::of_line(0), &mut problems);
    let read = read_message(&Fields::of(message), 0, &mut notes);
    read.map_or(0, |read| u32::try_from(read.message.blocks.len()).unwrap_or(u32::MAX))
}

/// Reads pi records in file order.
#[derive(Clone)]
struct Pi {
    /// 1 is linear, above is a tree, 0 is not known yet.
    version: u32,
    n_records: u64,
    /// The records so far by position, kept until the log is known to be a tree. JSON that is no record has a
    /// position too, as in pi's own list.
    positions: Vec<Option<EntryId>>,
    /// Kept from the first system message on, which only versions write that write edits.
    told: Told,
}

impl Pi {
    /// Learns the version from the header, or from the first record where there is none.
    fn learn_version(&mut self, record: &Record<'_>, notes: &mut Notes<'_>) {
        if self.version != 0 {
            return;
        }
        if !record.is_header() {
            self.version = if record.id.is_some_and(|id| id.kind() == Kind::Text) { NEWEST } else { 1 };
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

    /// Returns the record's own id, or its line's.
    fn entry_of(&self, record: &Record<'_>, at: At) -> EntryId {
        let own = if record.is_header() || self.version == 1 { None } else { record.id };
        match own.and_then(Value::string) {
            Some(id) if !id.is_empty() => EntryId::new(id),
            _ => at.entry(),
        }
    }

    fn count(&mut self, position: Option<EntryId>) {
        self.n_records += 1;
        if self.version <= 1 {
            self.positions.push(position);
        } else {
            self.positions = Vec::new();
        }
    }
}

impl Adapter for Pi {
    fn record(&mut self, value: Value<'_>, at: At, out: &mut Batch) {
        let problems = &mut out.problems;
        let record = Record::new(value);
        if self.n_records == 0 && !record.is_header() {
            Notes::new(at.line, at.entry(), problems).note(ProblemKind::NoHeader);
        }
        self.learn_version(&record, &mut Notes::new(at.line, at.entry(), problems));
        let entry = self.entry_of(&record, at);
        let naming = if self.version == 1 { Naming::Position(&self.positions) } else { Naming::Id };
        let mut notes = Notes::new(at.line, entry.clone(), problems);
        if self.version > 1 && !record.is_header() && record.id.is_none_or(|id| id.kind() != Kind::Text) {
            notes.odd("id");
        }
        let mut event = read_record(&record, at.line, entry.clone(), naming, &self.told, &mut notes);
        let is_header = matches!(event.event.body, EventBody::Header(_));
        let is_prompt = |body: &EventBody| body.messages().any(|message| message.role == Role::System);
        self.told.has_prompt |= is_prompt(&event.event.body);
        if self.told.has_prompt {
            self.told.frames.note(&entry, &event.event.body);
        }
        let checkpoint =
            matches!(event.event.body, EventBody::Compaction(_)).then(|| checkpoint_of(&record, &mut notes));
        if let Some(draft) = checkpoint.flatten() {
            // The prompt stands behind the compaction, which takes out the one before it.
            let stamp = Stamp { line: at.line, at_ms: event.event.at_ms, side: false };
            event.event.entry = EntryId::new(format!("{entry}/compaction"));
            let parent = Parent::Entry(event.event.entry.clone());
            out.events.push(event);
            out.events.push(draft.below(stamp, entry.clone(), parent));
            self.told.has_prompt = true;
        } else {
            out.events.push(event);
        }
        self.count((!is_header).then_some(entry));
    }

    fn pass_over(&mut self) {
        // JSON that is no record has a position, but does not stand for the first record: pi looks for its header
        // among objects.
        if self.version <= 1 {
            self.positions.push(None);
        }
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        // With the version unknown, the next record may make the log a linear one.
        let is_settled = (self.version > 1 || self.positions.is_empty()) && !self.told.has_prompt;
        is_settled.then_some((self.version, self.n_records))
    }
}
