//! Claude Code: one row per content block, in a tree that is torn where calls ran side by side.
//!
//! Most of a session file is not for the model: copies for the screen, progress, snapshots. Rows of one reply
//! share the message's id; the engine joins them.

pub(crate) mod exchanges;
mod attachment;
mod message;
mod progress;
mod row;
mod system;
mod user;
mod voice;

use cwl_engine::{Compaction, EntryId, EventBody, Header, Keep, Parent, SessionId};

use crate::event::{EventDraft, Stamp};
use crate::format::{Adapter, At};
use crate::json::{Kind, Value, owned};
use crate::known::lists_of;
use crate::notes::Notes;
use crate::qwen;
use crate::reader::Batch;
use progress::Progress;
use row::{ClaudeRow, RowEvent, read_row};

/// Tells whether a record, which may be cut at its end, is Claude Code's.
pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [kind, parent, side, session, id, message] =
        record.fields(["type", "parentUuid", "isSidechain", "sessionId", "uuid", "message"]);
    let is_text = |value: Option<Value<'_>>| value.is_some_and(|value| value.kind() == Kind::Text);
    let kind = kind.and_then(Value::string).unwrap_or_default();
    if parent.is_some() && is_text(session) && !qwen::recognises(record) {
        // Some collections leave out what is the same in every row.
        let is_spoken = matches!(&*kind, "user" | "assistant") && is_text(id);
        let has_content =
            message.is_some_and(|message| message.get("role").or(message.get("content")).is_some());
        if side.is_some() || (is_spoken && has_content) {
            return true;
        }
    }
    let mut asides = lists_of("claude-code-asides");
    asides.any(|(key, kinds)| kinds.iter().any(|known| *known == kind) && is_text(record.get(key)))
}

/// Makes a reader that goes on after `n_records` rows; `version` holds the `SEEN_…` flags so far.
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
    /// A compaction that waits for its summary.
    boundary: Option<Boundary>,
    progress: Progress,
}

/// The point before which only what it keeps is in the context any more.
#[derive(Clone)]
struct Boundary {
    keep: Keep,
    tokens_before: Option<u64>,
}

impl Claude {
    /// Gives the session's own data, with the first row that has it.
    fn header(&mut self, row: &ClaudeRow<'_>, at: At, entry: &EntryId, out: &mut Batch) {
        let (session, cwd) = (row.get("sessionId"), row.get("cwd"));
        if self.seen & SEEN_HEADER != 0 || session.is_none() || cwd.is_none() {
            return;
        }
        self.seen |= SEEN_HEADER;
        // The row itself notes oddities of these.
        let session = owned(session);
        let header = match owned(row.get("agentId")).filter(|_| row.side) {
            // A subagent's rows carry the session of the agent that called it.
            Some(agent) => Header {
                session: Some(SessionId::new(format!("agent-{agent}"))),
                parent_session: session.map(Into::into),
                subagent: Some(agent.into()),
                ..Header::default()
            },
            None => Header { session: session.map(SessionId::new), ..Header::default() },
        };
        let header = Header { cwd: owned(cwd).map(Into::into), ..header };
        let entry = EntryId::new(format!("{entry}/session"));
        let draft = EventDraft::bare(EventBody::Header(header));
        out.events.push(draft.event(Stamp::line(at.line), entry));
    }

    /// Puts a compaction in its place: its summary, or the first message behind it where it has none.
    fn compact(&mut self, row: &ClaudeRow<'_>, events: &mut Vec<RowEvent>, notes: &mut Notes<'_>) {
        if row.side {
            return;
        }
        if let Some(boundary) = row.boundary(notes) {
            self.boundary = Some(boundary);
            return;
        }
        let brings_message = events.iter().any(|event| event.draft.body.messages().next().is_some());
        let Some(Boundary { keep, tokens_before }) = self.boundary.take_if(|_| brings_message) else {
            return;
        };
        match events.first_mut().map(|event| &mut event.draft.body) {
            Some(EventBody::Compaction(compaction)) => {
                (compaction.keep, compaction.tokens_before) = (keep, tokens_before);
            }
            _ => {
                let compaction = Compaction { summary: None, keep, tokens_before };
                let draft = EventDraft::bare(EventBody::Compaction(compaction));
                events.insert(0, RowEvent { name: "compaction", draft });
            }
        }
    }
}

impl Adapter for Claude {
    fn record(&mut self, value: Value<'_>, at: At, out: &mut Batch) {
        self.n_records += 1;
        let row = ClaudeRow::of(value);
        let entry = if row.is_progress() { at.entry() } else { row.entry(at) };
        self.header(&row, at, &entry, out);
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        let stamp = Stamp { line: at.line, at_ms: row.time(&mut notes), side: row.side };
        let mut parent = self.progress.pass(&row, row.parent(&mut notes));
        let mut events = read_row(&row, &mut notes);
        if let Some(title) = events.first_mut().map(|event| &mut event.draft.body)
            && matches!(title, EventBody::Title(_))
        {
            if row.kind() == Some("custom-title") {
                self.seen |= SEEN_NAME;
            } else if self.seen & SEEN_NAME != 0 {
                *title = EventBody::Quiet { record: row.kind().unwrap_or_default().into() };
            }
        }
        self.compact(&row, &mut events, &mut notes);
        if !row.side && events.iter().any(RowEvent::is_prompt) {
            self.progress.forget();
        }
        let n_events = events.len();
        for (nth, RowEvent { name, draft }) in (1..).zip(events) {
            let own = if nth == n_events { entry.clone() } else { EntryId::new(format!("{entry}/{name}")) };
            out.events.push(draft.below(stamp, own.clone(), parent.clone()));
            if parent != Parent::Outside {
                parent = Parent::Woven(own);
            }
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
}
