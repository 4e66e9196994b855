//! Emits the changes of a message: parts added, rewritten, cleared or removed.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    Change, Content, EntryId, EventBody, Problem, ProblemKind, RawPayload, ReplacementCause, Rewrite,
    RewriteTarget, Role, ToolCallId, Usage,
};

use super::version::{CallAnswer, MessageVersion, VersionContent, key_of, message_of};
use crate::adapter::{Batch, RecordPlace};
use crate::blocks::{MAX_PARTS, ReadMessage};
use crate::event::{EventDraft, RecordStamp, changes_of};

#[derive(Debug, Clone, Default)]
pub(super) struct ListMessage {
    pub(super) id: Box<str>,
    /// The first event, even if it has no blocks.
    pub(super) begun: Option<EntryId>,
    /// Events with its blocks, except results.
    pub(super) entries: Vec<EntryId>,
    pub(super) blocks: Vec<u64>,
    pub(super) results: BTreeMap<ToolCallId, KnownResult>,
    pub(super) answered: Option<EntryId>,
    pub(super) usage: Option<Usage>,
    pub(super) may_grow: bool,
    pub(super) problems: Vec<ProblemKind>,
}

#[derive(Debug, Clone)]
pub(super) struct KnownResult {
    pub(super) key: u64,
    pub(super) entry: EntryId,
}

impl ListMessage {
    pub(super) fn first_entry(&self) -> Option<&EntryId> {
        let own = self.begun.as_ref().filter(|_| !self.blocks.is_empty());
        own.or(self.answered.as_ref())
    }

    pub(super) fn only_entry(&self) -> Option<&EntryId> {
        self.entries.first().filter(|_| self.entries.len() == 1)
    }

    pub(super) fn says(&self, version: &MessageVersion) -> bool {
        let blocks: Vec<u64> = match &version.said {
            VersionContent::User(runs) => runs.iter().flat_map(keys).collect(),
            VersionContent::Model { reply, .. } => keys(reply),
            VersionContent::Results(_) | VersionContent::Aside(_) => Vec::new(),
        };
        blocks == self.blocks
    }

    pub(super) fn tell(&mut self, entry: &EntryId, n_blocks: usize) {
        self.begun.get_or_insert_with(|| entry.clone());
        if n_blocks > 0 {
            self.entries.push(entry.clone());
        }
    }

    pub(super) fn tell_anew(&mut self, entry: &EntryId) {
        self.begun = Some(entry.clone());
        self.entries = vec![entry.clone()];
        self.may_grow = false;
    }
}

pub(super) struct RecordEvents<'b> {
    pub(super) at: RecordPlace,
    pub(super) at_ms: Option<i64>,
    pub(super) n_events: u32,
    pub(super) out: &'b mut Batch,
}

impl RecordEvents<'_> {
    /// For an event that cannot have the message's own.
    pub(super) fn name(&mut self, id: &str) -> EntryId {
        self.n_events += 1;
        let record = self.at.entry();
        if id == record.as_str() {
            return EntryId::new(format!("{record}/{}", self.n_events));
        }
        EntryId::new(format!("{id}/{record}/{}", self.n_events))
    }

    pub(super) fn push(&mut self, entry: EntryId, draft: EventDraft) {
        let stamp = RecordStamp { line: self.at.line, at_ms: self.at_ms, side: false };
        self.out.events.push(draft.event(stamp, entry));
    }

    pub(super) fn message(&mut self, entry: EntryId, read: ReadMessage) {
        self.push(entry, EventDraft::message(read, RawPayload::default()));
    }

    pub(super) fn rewrite(
        &mut self,
        id: &str,
        cause: ReplacementCause,
        changes: Vec<Change>,
        contents: Vec<Content>,
    ) -> EntryId {
        let entry = self.name(id);
        let body = EventBody::Rewrite(Rewrite { cause, changes });
        self.push(entry.clone(), EventDraft { contents, ..EventDraft::bare(body) });
        entry
    }
}

/// Emits the difference between a message and its new version. If a rewrite was emitted, returns its id.
///
/// `before` are new messages directly before it.
pub(super) fn again(
    known: &mut ListMessage,
    version: MessageVersion,
    before: Vec<ReadMessage>,
    writer: &mut RecordEvents<'_>,
) -> Option<EntryId> {
    note(known, version.problems, writer);
    let (messages, results) = match version.said {
        VersionContent::User(runs) => (runs, Vec::new()),
        VersionContent::Model { reply, results } => (vec![reply], results),
        VersionContent::Results(answers) => (Vec::new(), answers),
        VersionContent::Aside(_) => (Vec::new(), Vec::new()),
    };
    let blocks: Vec<u64> = messages.iter().flat_map(keys).collect();
    let usage = messages.iter().find_map(|read| read.message.usage);
    let is_model = messages.first().is_some_and(|read| read.message.role == Role::Assistant);
    let mut told = None;
    if before.is_empty()
        && (blocks == known.blocks || (is_model && known.may_grow && is_within(&known.blocks, &blocks)))
    {
        if (blocks != known.blocks || usage != known.usage) && is_model && known.may_grow {
            grow(known, messages, writer);
        }
    } else {
        told = revise(known, before, messages, writer);
    }
    known.blocks = blocks;
    known.usage = usage;
    let id = known.id.clone();
    answer(known, &id, results, writer);
    told
}

fn grow(known: &mut ListMessage, messages: Vec<ReadMessage>, writer: &mut RecordEvents<'_>) {
    for mut read in messages {
        let mut old = known.blocks.iter().peekable();
        let is_new = keys(&read).into_iter().map(|key| old.next_if(|known| **known == key).is_none());
        let parts = read.message.blocks.into_iter().zip(read.contents).zip(is_new);
        (read.message.blocks, read.contents) =
            parts.filter(|(_, is_new)| *is_new).map(|(part, _)| part).unzip();
        let entry = writer.name(&known.id);
        known.tell(&entry, read.message.blocks.len());
        writer.message(entry, read);
    }
}

fn revise(
    known: &mut ListMessage,
    before: Vec<ReadMessage>,
    messages: Vec<ReadMessage>,
    writer: &mut RecordEvents<'_>,
) -> Option<EntryId> {
    let (mut replaced_by, mut contents) = (Vec::new(), Vec::new());
    for (read, nth) in before.into_iter().chain(messages).zip(0u32..) {
        // The blocks share a record, so their indices must differ.
        let mut message = read.message;
        for block in &mut message.blocks {
            block.index = block.index.saturating_add(nth.saturating_mul(MAX_PARTS));
        }
        replaced_by.push(message);
        contents.extend(read.contents);
    }
    let entries = std::mem::take(&mut known.entries);
    if entries.is_empty() {
        // No event could be replaced.
        let message = replaced_by.into_iter().next()?;
        contents.truncate(message.blocks.len());
        let entry = writer.name(&known.id);
        known.tell(&entry, message.blocks.len());
        writer.message(entry.clone(), ReadMessage { message, contents });
        return Some(entry);
    }
    let changes = changes_of(entries, replaced_by);
    let entry = writer.rewrite(&known.id, ReplacementCause::Revision, changes, contents);
    known.tell_anew(&entry);
    Some(entry)
}

pub(super) fn answer(
    known: &mut ListMessage,
    id: &str,
    answers: Vec<CallAnswer>,
    writer: &mut RecordEvents<'_>,
) {
    let mut new = Vec::new();
    for answer in answers {
        let Some(call) = answer.call().cloned() else { continue };
        let key = answer.key();
        let Some(result) = known.results.get_mut(&call) else {
            new.push(answer);
            continue;
        };
        if result.key != key {
            let ReadMessage { message, contents } = message_of(vec![answer]);
            let change = Change { target: RewriteTarget::Results(call), replaced_by: vec![message] };
            result.key = key;
            result.entry = writer.rewrite(id, ReplacementCause::Clearing, vec![change], contents);
        }
    }
    if !new.is_empty() {
        let is_first =
            known.results.is_empty() && known.begun.as_ref().is_some_and(|entry| entry.as_str() == id);
        let entry = if is_first { EntryId::new(format!("{id}/results")) } else { writer.name(id) };
        let read = tell_results(known, new, &entry);
        writer.message(entry, read);
    }
}

pub(super) fn tell_results(
    known: &mut ListMessage,
    answers: Vec<CallAnswer>,
    entry: &EntryId,
) -> ReadMessage {
    let results = answers.iter().filter_map(|answer| {
        Some((answer.call()?.clone(), KnownResult { key: answer.key(), entry: entry.clone() }))
    });
    known.results.extend(results);
    known.answered.get_or_insert_with(|| entry.clone());
    message_of(answers)
}

pub(super) fn remove(known: &ListMessage, writer: &mut RecordEvents<'_>) {
    let results = known.results.values().map(|result| &result.entry);
    let entries: BTreeSet<&EntryId> = known.entries.iter().chain(results).collect();
    if entries.is_empty() {
        return;
    }
    let gone = |entry: &EntryId| Change::removal(RewriteTarget::Entry(entry.clone()));
    writer.rewrite(
        &known.id,
        ReplacementCause::Revision,
        entries.into_iter().map(gone).collect(),
        Vec::new(),
    );
}

pub(super) fn note(known: &mut ListMessage, problems: Vec<Problem>, writer: &mut RecordEvents<'_>) {
    for problem in problems {
        if !known.problems.contains(&problem.kind) {
            known.problems.push(problem.kind.clone());
            writer.out.problems.push(problem);
        }
    }
}

pub(super) fn keys(read: &ReadMessage) -> Vec<u64> {
    read.message.blocks.iter().zip(&read.contents).map(|(block, content)| key_of(block, content)).collect()
}

fn is_within(old: &[u64], new: &[u64]) -> bool {
    let mut rest = new.iter();
    old.iter().all(|key| rest.any(|other| other == key))
}
