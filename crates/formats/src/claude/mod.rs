//! Claude Code: one row per content block, in a tree that parallel calls tear apart.
//!
//! Most of a session file is not for the model: copies for the screen, progress, snapshots. The rows of one
//! reply share the message's id; the engine joins them.

pub(crate) mod exchanges;
mod attachment;
mod held;
mod message;
mod progress;
mod reminder;
pub(crate) mod requests;
mod row;
mod system;
mod user;
mod voice;

use cwl_engine::{Compaction, EntryId, EventBody, Header, Keep, Parent, SessionId};

use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::event::{EventDraft, RecordStamp};
use crate::json::{JsonType, Value, is_json, owned};
use crate::known::lists_of;
use crate::notes::Notes;
use crate::qwen;
use held::{Chain, HeldRow, TreePlaces, before_held, push_row, put_reminders_first};
use progress::{BeyondProgress, ProgressRows};
use requests::LoggedRequests;
use row::{ClaudeRow, RowEvent, read_row};

pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [kind, parent, side, session, id, message] =
        record.fields(["type", "parentUuid", "isSidechain", "sessionId", "uuid", "message"]);
    let is_text = |value: Option<Value<'_>>| value.is_some_and(|value| value.kind() == JsonType::Text);
    let kind = kind.and_then(Value::string).unwrap_or_default();
    // Some collections leave out fields that are equal in all rows.
    let is_spoken = matches!(&*kind, "user" | "assistant") && is_text(id);
    let has = |name: &str| message.is_some_and(|message| message.get(name).is_some());
    let is_message = match (parent.is_some(), is_text(session)) {
        (true, true) => side.is_some() || (is_spoken && (has("role") || has("content"))),
        (false, false) => false,
        _ => is_spoken && has("role"),
    };
    if is_message && !qwen::recognises(record) {
        return true;
    }
    let mut asides = lists_of("claude-code-asides");
    asides.any(|(key, kinds)| kinds.iter().any(|known| *known == kind) && is_text(record.get(key)))
}

/// Reads the size in tokens at which Claude Code compacted automatically; `None` for any other row.
pub fn automatic_compaction(json: &str) -> Option<u64> {
    let row = Some(Value::trusted(json, 0)).filter(|_| is_json(json)).and_then(Value::object)?;
    let [trigger, tokens] = row.get("compactMetadata")?.fields(["trigger", "preTokens"]);
    let tokens = tokens.filter(|_| owned(trigger).as_deref() == Some("auto"))?;
    tokens.raw().parse().ok().filter(|tokens| *tokens > 0)
}

/// Returns an adapter that continues after `n_records` rows; `version` holds the `SEEN_…` flags so far.
pub(crate) fn adapter(version: u32, n_records: u64) -> Box<dyn Adapter> {
    Box::new(Claude { seen: version, n_records, ..Claude::default() })
}

const SEEN_HEADER: u32 = 1;
/// The human named the session, so later titles of the model are ignored.
const SEEN_NAME: u32 = 2;

#[derive(Clone, Default)]
struct Claude {
    seen: u32,
    n_records: u64,
    boundary: Option<Boundary>,
    progress: ProgressRows,
    /// A forked subagent's origin: the last record in its caller's context. Empty once the subagent's
    /// first record came.
    forked_from: Option<EntryId>,
    held: Vec<HeldRow>,
    places: TreePlaces,
    requests: LoggedRequests,
}

const FORK_CONTEXT: &str = "fork-context-ref";

#[derive(Clone)]
struct Boundary {
    keep: Keep,
    tokens_before: Option<u64>,
}

impl Claude {
    fn header(&mut self, row: &ClaudeRow<'_>, at: RecordPlace, entry: &EntryId, out: &mut Batch) {
        let (session, cwd) = (row.get("sessionId"), row.get("cwd"));
        if self.seen & SEEN_HEADER != 0 || session.is_none() || cwd.is_none() {
            return;
        }
        self.seen |= SEEN_HEADER;
        // The row's own reading notes odd values.
        let session = owned(session);
        let header = match owned(row.get("agentId")).filter(|_| row.side) {
            // A subagent's rows carry the session id of the agent that called it.
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
        out.events.push(draft.event(RecordStamp::line(at.line), entry));
    }

    fn compact(&mut self, row: &ClaudeRow<'_>, events: &mut Vec<RowEvent>, notes: &mut Notes<'_>) {
        if row.side {
            return;
        }
        if let Some(boundary) = row.boundary(notes) {
            self.boundary = Some(boundary);
            return;
        }
        // Attachments may stand between a compaction's boundary and its summary.
        let brings_message = row.kind() != Some("attachment")
            && events.iter().any(|event| event.draft.body.all_messages().next().is_some());
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

impl Claude {
    /// Emits the held rows in the form in which they were sent, and returns the parent of the reply.
    ///
    /// `request` is the id of the answered request, if the log states it.
    fn send(&mut self, request: Option<&str>, (reply, side): (Parent, bool), out: &mut Batch) -> Parent {
        let mut held = std::mem::take(&mut self.held);
        if let Some(request) = request {
            let parent = self.places.beyond(before_held(&held, reply.clone()));
            let mut chain = Chain { parent, side, out };
            if self.requests.send(request, &mut held, &mut chain) {
                held.iter_mut().for_each(|row| chain.push_unsent(row));
                let end = chain.parent;
                held.into_iter().for_each(|row| self.places.put(row.entry, end.clone()));
                return end;
            }
        }
        let moved = put_reminders_first(&mut held);
        let entries = held.into_iter().flat_map(|row| push_row(row, &self.places, out)).collect();
        moved.into_iter().for_each(|(row, place)| self.places.put(row, Parent::Woven(place)));
        if !self.requests.is_empty() {
            self.requests.send_unproved(request, entries);
        }
        self.places.beyond(reply)
    }

    fn waits(row: &ClaudeRow<'_>, parent: &Parent) -> bool {
        *parent != Parent::Outside && row.is_of_requests() && !row.is_reply()
    }
}

impl Adapter for Claude {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        self.n_records += 1;
        let row = ClaudeRow::parse(value);
        let entry = if row.is_progress() { at.entry() } else { row.entry(at) };
        self.header(&row, at, &entry, out);
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        let stamp = RecordStamp { line: at.line, at_ms: row.time(&mut notes), side: row.side };
        let named = match row.parent(&mut notes) {
            // A forked subagent begins with its caller's context.
            Parent::Root => self.forked_from.take().map_or(Parent::Root, Parent::Woven),
            other => other,
        };
        if row.kind() == Some(FORK_CONTEXT) {
            self.forked_from = owned(row.get("parentLastUuid")).filter(|id| !id.is_empty()).map(EntryId::new);
        }
        let BeyondProgress { parent, is_late } = self.progress.pass(&row, named);
        self.requests.read(&row, at.line, &self.held, &mut notes);
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
        if is_late {
            let draft = EventDraft::bare(EventBody::Quiet { record: "progress".into() });
            events.insert(0, RowEvent { name: "progress", draft });
        }
        if !row.side && events.iter().any(RowEvent::is_prompt) {
            self.progress.forget();
        }
        if Self::waits(&row, &parent) {
            self.progress.came(row.side, &entry);
            let (message, rendered) = (row.message_json(), row.rendered());
            let is_attachment = row.kind() == Some("attachment");
            return self.held.push(HeldRow {
                entry,
                stamp,
                parent,
                events,
                message,
                rendered,
                is_attachment,
                n_events: 0,
            });
        }
        let mut parent = if row.is_reply() {
            let request = self.requests.reply(&row, &entry);
            if request.is_some() || self.requests.is_empty() {
                self.send(request.as_deref(), (parent, row.side), out)
            } else {
                // A result may come between the calls of a reply; it is sent behind all of them.
                self.places.beyond(before_held(&self.held, parent))
            }
        } else {
            self.places.beyond(parent)
        };
        let n_events = events.len();
        for (nth, RowEvent { name, draft }) in (1..).zip(events) {
            let own = if nth == n_events { entry.clone() } else { EntryId::new(format!("{entry}/{name}")) };
            out.events.push(draft.below(stamp, own.clone(), parent.clone()));
            if parent != Parent::Outside {
                self.progress.came(row.side, &own);
                parent = Parent::Woven(own);
            }
        }
    }

    fn waiting(&self, out: &mut Batch) {
        let mut held = self.held.clone();
        put_reminders_first(&mut held);
        held.into_iter().for_each(|row| drop(push_row(row, &self.places, out)));
    }

    fn pass_over(&mut self) {
        self.n_records += 1;
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        // Resuming between a boundary and its summary would lose `tokens_before`.
        let is_settled = self.boundary.is_none()
            && self.progress.is_empty()
            && self.forked_from.is_none()
            && self.held.is_empty()
            && self.requests.is_empty()
            && self.places.is_empty();
        is_settled.then_some((self.seen, self.n_records))
    }
}
