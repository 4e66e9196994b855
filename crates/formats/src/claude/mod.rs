//! Claude Code: one row per content block, in a tree that is torn where calls ran side by side.
//!
//! Most of a session file is not for the model: copies for the screen, progress, snapshots. Rows of one reply
//! share the message's id; the engine joins them.

mod attachment;
mod message;
mod progress;
mod row;
mod system;
mod user;
mod voice;

use cwl_engine::{
    Compaction, EntryId, EventBody, Header, Keep, Parent, ParsedEvent, SessionEvent, SessionId,
};

use crate::format::{Adapter, At};
use crate::json::{Kind, Value};
use crate::notes::Notes;
use crate::reader::Batch;
use progress::Progress;
use row::{Part, Row, read_row};

/// Rows without a place in the tree that only Claude Code writes, with a key that each has.
const ASIDES: [(&str, &str); 8] = [
    ("summary", "leafUuid"),
    ("file-history-snapshot", "messageId"),
    ("queue-operation", "operation"),
    ("last-prompt", "sessionId"),
    ("permission-mode", "sessionId"),
    ("custom-title", "sessionId"),
    ("ai-title", "sessionId"),
    ("agent-name", "sessionId"),
];

/// Tells whether a record, which may be cut at its end, is Claude Code's.
pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [kind, parent, side, session] = record.fields(["type", "parentUuid", "isSidechain", "sessionId"]);
    let session = session.filter(|session| session.kind() == Kind::Text);
    if parent.is_some() && side.is_some() && session.is_some() {
        return true;
    }
    let Some(kind) = kind.and_then(Value::text) else { return false };
    let aside = ASIDES.into_iter().find(|(name, _)| *name == kind.value);
    aside.is_some_and(|(_, key)| record.fields([key])[0].is_some_and(|value| value.kind() == Kind::Text))
}

/// Makes a reader of rows that goes on after so many rows; `version` is what was seen of the session so far.
pub(crate) fn adapter(version: u32, n_records: u64) -> Box<dyn Adapter> {
    Box::new(Claude { seen: version, n_records, boundary: None, progress: Progress::default() })
}

/// The session's own data was found.
const SEEN_HEADER: u32 = 1;
/// The human named the session, so that the model's title counts no more.
const SEEN_NAME: u32 = 2;

/// Reads rows of Claude Code in file order.
#[derive(Clone)]
struct Claude {
    /// The `SEEN_…` flags.
    seen: u32,
    n_records: u64,
    /// A compaction whose summary is still to come.
    boundary: Option<Boundary>,
    progress: Progress,
}

/// Nothing before it is in the context any more.
#[derive(Clone, Copy)]
struct Boundary {
    tokens_before: Option<u64>,
}

impl Claude {
    /// Gives the session's own data, with the first row that has it.
    fn header(&mut self, row: &Row<'_>, at: At, entry: &EntryId, out: &mut Batch) {
        let has_all = row.session.is_some() && row.cwd.is_some();
        if self.seen & SEEN_HEADER != 0 || !has_all {
            return;
        }
        self.seen |= SEEN_HEADER;
        // The row itself notes what is odd about these.
        let text = |value: Option<Value<'_>>| value.and_then(Value::text).map(|text| text.value.into_owned());
        let session = text(row.session);
        let subagent = text(row.agent).filter(|_| row.side);
        let header = match subagent {
            // A subagent's rows carry the session of the agent that called it.
            Some(agent) => Header {
                session: Some(SessionId::new(format!("agent-{agent}"))),
                parent_session: session.map(Into::into),
                subagent: Some(agent.into()),
                ..Header::default()
            },
            None => Header { session: session.map(SessionId::new), ..Header::default() },
        };
        let header = Header { cwd: text(row.cwd).map(Into::into), ..header };
        out.events.push(ParsedEvent {
            event: SessionEvent {
                line: at.line,
                entry: EntryId::new(format!("{entry}/session")),
                parent: Parent::Outside,
                at_ms: None,
                side: false,
                body: EventBody::Header(header),
            },
            contents: Vec::new(),
            envelope: cwl_engine::RawPayload::default(),
        });
    }

    /// Puts a compaction in its place: its summary, or the first message behind it where it has none.
    fn compact(&mut self, row: &Row<'_>, parts: &mut Vec<Part>) {
        if row.side {
            return;
        }
        if let Some(boundary) = row.boundary() {
            self.boundary = Some(boundary);
            return;
        }
        let brings_message = parts.iter().any(|part| part.body.messages().next().is_some());
        let Some(Boundary { tokens_before }) = self.boundary.take_if(|_| brings_message) else { return };
        match parts.first_mut().map(|part| &mut part.body) {
            Some(EventBody::Compaction(compaction)) => compaction.tokens_before = tokens_before,
            _ => {
                let compaction = Compaction { summary: None, keep: Keep::Nothing, tokens_before };
                parts.insert(0, Part::bare("compaction", EventBody::Compaction(compaction)));
            }
        }
    }
}

impl Adapter for Claude {
    fn record(&mut self, value: Value<'_>, at: At, out: &mut Batch) {
        self.n_records += 1;
        let row = Row::of(value);
        let entry = if row.is_progress() { at.entry() } else { row.entry(at) };
        self.header(&row, at, &entry, out);
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        let at_ms = row.time(&mut notes);
        let mut parent = self.progress.pass(&row, row.parent(&mut notes));
        let mut parts = read_row(&row, &mut notes);
        if let Some(title) = parts.first_mut().filter(|part| matches!(part.body, EventBody::Title(_))) {
            if row.kind() == Some("custom-title") {
                self.seen |= SEEN_NAME;
            } else if self.seen & SEEN_NAME != 0 {
                title.body = EventBody::Quiet { record: row.kind().unwrap_or_default().into() };
            }
        }
        self.compact(&row, &mut parts);
        if !row.side && parts.iter().any(Part::is_prompt) {
            self.progress.forget();
        }
        let n_parts = parts.len();
        for (n_part, part) in (1..).zip(parts) {
            let own = if n_part == n_parts {
                entry.clone()
            } else {
                EntryId::new(format!("{entry}/{}", part.name))
            };
            let event = SessionEvent {
                line: at.line,
                entry: own.clone(),
                parent: parent.clone(),
                at_ms,
                side: row.side,
                body: part.body,
            };
            if parent != Parent::Outside {
                parent = Parent::Woven(own);
            }
            out.events.push(ParsedEvent { event, contents: part.contents, envelope: part.envelope });
        }
    }

    fn pass_over(&mut self) {
        self.n_records += 1;
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        // Between a boundary and its summary the size before it would be lost.
        let is_settled = self.boundary.is_none() && self.progress.is_empty();
        is_settled.then_some((self.seen, self.n_records))
    }

    fn copy(&self) -> Box<dyn Adapter> {
        Box::new(self.clone())
    }
}
