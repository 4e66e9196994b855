//! OpenCode: a session in the form of `opencode export`, one JSON document with messages and their parts.
//!
//! The document is the final state. Cleared outputs carry the time of clearing, and a compaction is a message
//! with its answer, so events can be put in chronological order. From 1.2 on, sessions live in a database;
//! [`rows`] makes the same document from its rows.

mod decision;
mod message;
mod part;
mod rows;

use std::collections::BTreeMap;

use cwl_engine::{
    Author, Change, Compaction, EntryId, EventBody, Header, Keep, MessageForm, Parent, ParsedEvent,
    ReplacementCause, Rewrite, RewriteTarget, Role, SessionId,
};

pub use self::rows::{OpencodeMessage, OpencodePart, OpencodeRows, OpencodeSession, opencode_export};

use self::decision::{KeptDecisions, PartOwners};
use self::message::{ExportedMessage, OpencodeTurn, Question};
use self::part::{CallIds, ClearedResult};
use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::blocks::{ReadMessage, formed_message};
use crate::decision::Evictions;
use crate::document::DocumentLines;
use crate::event::{EventDraft, InOneRecord, RecordStamp};
use crate::json::{Fields, Value, owned};
use crate::notes::Notes;
use crate::payload::payload_around;
use crate::time::milliseconds_of;

pub(crate) fn recognises(document: Value<'_>) -> bool {
    let [info, messages] = document.fields(["info", "messages"]);
    let Some(info) = info.and_then(Value::object) else { return false };
    let [id, slug, project, directory] = info.fields(["id", "slug", "projectID", "directory"]);
    let is_session = id.and_then(Value::string).is_some_and(|id| id.starts_with("ses_"));
    let named = [slug, project, directory].into_iter().flatten().count();
    named >= 2 && (is_session || messages.is_some())
}

/// The session read so far. A document without `info` continues the session, so a growing list is read piece
/// by piece.
#[derive(Clone, Default)]
pub(crate) struct Opencode {
    has_begun: bool,
    is_child: bool,
    ids: CallIds,
    told: Vec<(String, Option<EntryId>)>,
    places: BTreeMap<String, usize>,
    evictions: Evictions,
    owners: PartOwners,
}

impl Adapter for Opencode {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let [info, messages] = value.fields(["info", "messages"]);
        let messages = messages.and_then(Value::list).filter(|_| info.is_some() || self.has_begun);
        let Some(messages) = messages else {
            let body = Notes::new(at.line, at.entry(), &mut out.problems).unknown("no session");
            return OpencodeEvents::new(at, self, out).tell(at.entry(), None, EventDraft::whole(body, value));
        };
        if let Some(info) = info {
            *self = Self { has_begun: true, ..Self::default() };
            OpencodeEvents::new(at, self, out).header(value, info, messages);
        }
        OpencodeEvents::new(at, self, out).session(value, info.unwrap_or_default(), messages);
    }
}

struct OpencodeEvents<'b> {
    at: RecordPlace,
    line: u64,
    known: &'b mut Opencode,
    out: &'b mut Batch,
}

impl<'b> OpencodeEvents<'b> {
    fn new(at: RecordPlace, known: &'b mut Opencode, out: &'b mut Batch) -> Self {
        Self { at, line: at.line, known, out }
    }

    fn session(&mut self, document: Value<'_>, info: Value<'_>, messages: Value<'_>) {
        let is_child = self.known.is_child;
        let mut lines = DocumentLines::new(document, self.at.line);
        let items: Vec<Value<'_>> = messages.items().collect();
        let mut decisions = KeptDecisions::find(&items);
        let revert = info.get("revert").and_then(Value::object).map(Revert::parse);
        let mut read = Vec::with_capacity(items.len());
        for (nth, item) in items.iter().enumerate() {
            let line = lines.line_of(*item);
            let cut = revert.as_ref().and_then(|revert| revert.part.as_deref());
            let exported = ExportedMessage { line, is_child, is_last: nth + 1 == items.len(), cut };
            read.push(exported.read(*item, &mut self.known.ids, &mut self.out.problems));
        }
        message::join_commands(&mut read);
        let questions = message::questions(&read);
        let mut cleared: Vec<ClearedResult> =
            read.iter_mut().flat_map(|it| std::mem::take(&mut it.cleared)).collect();
        cleared.sort_by_key(|cleared| cleared.at_ms);
        let mut cleared = cleared.into_iter().peekable();
        for message in read {
            // Outputs cleared before this message were already cleared in its request.
            let mut due = Vec::new();
            while let Some(next) = cleared.next_if(|next| message.at_ms.is_some_and(|at| next.at_ms < at)) {
                due.push(next);
            }
            self.cleared(due);
            self.line = message.line;
            let id = message.id.clone();
            self.message(message, &questions);
            for (part, record) in decisions.take_behind(&id) {
                self.decision(part, record);
            }
        }
        self.cleared(cleared.collect());
        if let Some(revert) = revert {
            self.revert(&revert);
        }
    }

    fn header(&mut self, document: Value<'_>, info: Value<'_>, messages: Value<'_>) {
        let [id, directory, title, parent, time] =
            info.fields(["id", "directory", "title", "parentID", "time"]);
        let mut notes = Notes::new(self.at.line, self.at.entry(), &mut self.out.problems);
        let id = notes.required_text(id, "info.id");
        let parent = notes.text(parent, "info.parentID").filter(|parent| !parent.is_empty());
        let title = notes.text(title, "info.title").filter(|title| !is_stopgap(title));
        let at_ms = time.and_then(|time| time.get("created")).and_then(milliseconds_of);
        let agent = messages.items().next().and_then(|first| first.get("info")?.get("agent")?.string());
        self.known.is_child = parent.is_some();
        let header = Header {
            session: (!id.is_empty()).then(|| SessionId::new(&*id)),
            cwd: notes.text(directory, "info.directory").map(|cwd| cwd.into()),
            subagent: parent.is_some().then(|| agent.unwrap_or_else(|| id.clone()).into()),
            parent_session: parent.map(|parent| parent.into()),
            ..Header::default()
        };
        let envelope = payload_around(document, Some(messages));
        let draft = EventDraft { envelope, ..EventDraft::bare(EventBody::Header(header)) };
        self.tell(self.at.entry(), at_ms, draft);
        if let Some(title) = title {
            let entry = EntryId::new(format!("{}/title", self.at.entry()));
            self.tell(entry, at_ms, EventDraft::bare(EventBody::Title(Some(title.into()))));
        }
    }

    fn message(&mut self, message: OpencodeTurn, questions: &BTreeMap<String, Question>) {
        let mut first = None;
        let answer_to = |id: &str| questions.get(id)?.answer.as_ref();
        let summary_of =
            message.summary_of.as_deref().filter(|parent| answer_to(parent) == Some(&message.id));
        if message.asks_for_summary && answer_to(&message.id).is_some() {
            // The request is emitted together with its summary.
        } else if let Some(parent) = summary_of {
            first = Some(self.compaction(&message, questions.get(parent), parent));
        } else {
            if message.messages.is_empty() {
                let body = match message.quiet {
                    Some(record) => EventBody::Quiet { record },
                    None => EventBody::Opaque { record: message.record.into() },
                };
                let draft = EventDraft { envelope: message.envelope.clone(), ..EventDraft::bare(body) };
                self.tell(EntryId::new(message.id.as_str()), message.at_ms, draft);
            }
            let mut envelope = message.envelope;
            for (entry, read) in message.messages {
                if !read.message.blocks.is_empty() {
                    first.get_or_insert_with(|| entry.clone());
                }
                self.known.owners.note_run(&message.id, &entry, &read);
                let draft = EventDraft::message(read, std::mem::take(&mut envelope));
                self.tell(entry, message.at_ms, draft);
            }
        }
        self.known.places.entry(message.id.clone()).or_insert(self.known.told.len());
        self.known.told.push((message.id, first));
    }

    /// Emits a compaction: request and summary together replace everything before the request.
    fn compaction(&mut self, answer: &OpencodeTurn, question: Option<&Question>, asked: &str) -> EntryId {
        let mut summary = InOneRecord::default();
        summary.push(ReadMessage {
            message: formed_message(Role::User, Author::Harness, MessageForm::Summary),
            contents: Vec::new(),
        });
        let answers = answer.messages.iter().map(|(_, read)| read);
        let asked_and_told = question.into_iter().flat_map(|it| &it.asked).chain(answers);
        asked_and_told.for_each(|read| summary.join(read.clone()));
        let InOneRecord { mut messages, contents, .. } = summary;
        let since = self.known.places.get(asked).copied().unwrap_or(self.known.told.len());
        let between = self.known.told[since..].iter().find_map(|(_, entry)| entry.clone());
        let tail = question.and_then(|it| it.tail.as_deref()).map(|tail| self.entry_of(tail));
        let keep = match tail.or(between) {
            Some(entry) => Keep::From(entry),
            None => Keep::Nothing,
        };
        let entry = EntryId::new(answer.id.as_str());
        let tokens_before = answer.usage.map(|usage| usage.prompt_tokens());
        let body = EventBody::Compaction(Compaction { summary: messages.pop(), keep, tokens_before });
        let draft = EventDraft { body, contents, envelope: answer.envelope.clone() };
        self.tell(entry.clone(), answer.at_ms, draft);
        entry
    }

    fn cleared(&mut self, cleared: Vec<ClearedResult>) {
        let Some(first) = cleared.first() else { return };
        let (entry, at_ms) = (EntryId::new(format!("{}/cleared", first.part)), Some(first.at_ms));
        let (mut changes, mut contents) = (Vec::new(), Vec::new());
        for cleared in cleared {
            contents.push(cleared.content);
            changes.push(Change {
                target: RewriteTarget::Results(cleared.call),
                replaced_by: vec![cleared.message],
            });
        }
        let body = EventBody::Rewrite(Rewrite { cause: ReplacementCause::Clearing, changes });
        self.tell(entry, at_ms, EventDraft { contents, ..EventDraft::bare(body) });
    }

    fn decision(&mut self, part: EntryId, record: Value<'_>) {
        let mut notes = Notes::new(self.line, part.clone(), &mut self.out.problems);
        let mut draft = self.known.evictions.read_decision(&Fields::parse(record), &part, &mut notes);
        self.known.owners.name_targets(&mut draft.body);
        let stamp = RecordStamp { line: self.line, at_ms: None, side: false };
        self.out.events.push(draft.below(stamp, part, Parent::Previous));
    }

    fn revert(&mut self, revert: &Revert) {
        let Some(from) = self.known.places.get(&revert.message).copied() else { return };
        let mut changes = Vec::new();
        let whole_from = if revert.part.is_some() { from + 1 } else { from };
        if revert.part.is_some() {
            let cut = format!("{}{}", revert.message, message::CUT);
            let is_cut = |event: &ParsedEvent| event.event.entry.as_str().starts_with(&cut);
            let has_blocks = |event: &ParsedEvent| event.event.body.all_blocks().next().is_some();
            let cut = self.out.events.iter().filter(|event| is_cut(event) && has_blocks(event));
            changes.extend(cut.map(|event| Change::removal(RewriteTarget::Entry(event.event.entry.clone()))));
        }
        let next = self.known.told[whole_from..].iter().find_map(|(_, entry)| entry.clone());
        changes.extend(next.map(|entry| Change::removal(RewriteTarget::From(entry))));
        if !changes.is_empty() {
            let body = EventBody::Rewrite(Rewrite { cause: ReplacementCause::Rewind, changes });
            let entry = EntryId::new(format!("{}/revert", revert.message));
            self.tell(entry, None, EventDraft::bare(body));
        }
    }

    fn entry_of(&self, id: &str) -> EntryId {
        let at = self.known.places.get(id).copied();
        let found = at.and_then(|at| self.known.told[at..].iter().find_map(|(_, entry)| entry.clone()));
        found.unwrap_or_else(|| EntryId::new(id))
    }

    fn tell(&mut self, entry: EntryId, at_ms: Option<i64>, draft: EventDraft) {
        let stamp = RecordStamp { line: self.line, at_ms, side: false };
        self.out.events.push(draft.event(stamp, entry));
    }
}

fn is_stopgap(title: &str) -> bool {
    let time = title.strip_prefix("New session - ").or(title.strip_prefix("Child session - "));
    title.is_empty() || time.is_some_and(|time| time.parse::<jiff::Timestamp>().is_ok())
}

struct Revert {
    message: String,
    part: Option<String>,
}

impl Revert {
    fn parse(revert: Value<'_>) -> Self {
        let [message, part] = revert.fields(["messageID", "partID"]);
        Self { message: owned(message).unwrap_or_default(), part: owned(part) }
    }
}
