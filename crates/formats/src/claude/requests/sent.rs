//! The context of a request as proved by its hashes: emits new messages and removes dropped ones.

use cwl_engine::{
    Change, Compaction, Content, EntryId, EventBody, Keep, Message, Parent, RawPayload, ReplacementCause,
    Rewrite, RewriteTarget,
};

use super::hash::Hash;
use super::parts::{RecordDraft, place_message, place_shape};
use super::{LoggedJson, LoggedRequests};
use crate::bodies::align::align_lists;
use crate::claude::held::{Chain, HeldRow};
use crate::event::{EventDraft, RecordStamp};
use crate::json::Value;

#[derive(Debug, Clone)]
pub(super) struct SentMessage {
    /// `None` for rows that no request has named so far.
    pub(super) hash: Option<Hash>,
    pub(super) entries: Vec<EntryId>,
}

/// The difference between the context and the next request. Indices into the context are old, indices into
/// the request are new.
#[derive(Default)]
struct Difference {
    /// Each with the new messages in its place.
    gone: Vec<(usize, Vec<usize>)>,
    appended: Vec<usize>,
}

impl LoggedRequests {
    /// Turns the context into the context of `request`: emits new messages behind `chain` and removes dropped
    /// ones.
    ///
    /// Returns false and changes nothing if the log does not hold the new messages.
    pub(in crate::claude) fn send(
        &mut self,
        request: &str,
        held: &mut [HeldRow],
        chain: &mut Chain<'_>,
    ) -> bool {
        let Some(list) = self.lists.hashes_of(request) else { return false };
        let n_same = self.sent.iter().zip(&list).take_while(|(one, hash)| one.hash == Some(**hash)).count();
        let is_sent = |hash: &Hash| self.sent.iter().any(|one| one.hash == Some(*hash));
        if !list[n_same..].iter().all(|hash| self.is_known(*hash) || is_sent(hash)) {
            return false;
        }
        self.go_back(&chain.parent);
        let shape = self.shape_of.get(request).copied();
        self.exchange_shape(shape, chain);
        if let Some(at) = held.iter().position(|row| row.compaction().is_some()) {
            self.compact(at, &list, held, chain);
        } else {
            self.change(&list, held, chain);
        }
        true
    }

    /// Assumes that the context of `request` is the one reconstructed from the rows: `entries` stand for its
    /// unknown messages.
    pub(in crate::claude) fn send_unproved(&mut self, request: Option<&str>, entries: Vec<EntryId>) {
        let list = request.and_then(|request| self.lists.hashes_of(request));
        let Some(list) = list else {
            return self.sent.push(SentMessage { hash: None, entries });
        };
        let mut waiting = Some(entries);
        let known = std::mem::take(&mut self.sent);
        self.sent = list
            .into_iter()
            .map(|hash| match known.iter().find(|one| one.hash == Some(hash)) {
                Some(one) => one.clone(),
                None => SentMessage { hash: Some(hash), entries: waiting.take().unwrap_or_default() },
            })
            .collect();
    }

    fn go_back(&mut self, parent: &Parent) {
        let Parent::Woven(parent) = parent else { return };
        if let Some(at) = self.sent.iter().rposition(|one| one.entries.contains(parent)) {
            self.sent.truncate(at + 1);
        }
    }

    fn exchange_shape(&mut self, shape: Option<Hash>, chain: &mut Chain<'_>) {
        let Some(hash) = shape.filter(|hash| self.shape != Some(*hash)) else { return };
        let Some(LoggedJson { line, json }) = self.shapes.get(&hash) else { return };
        let placed = place_shape(*line, json, &mut chain.out.problems);
        if self.shape.replace(hash).is_none() {
            self.shape_entries = placed.iter().map(|one| one.entry.clone()).collect();
            return placed.into_iter().for_each(|one| chain.push(one.draft, one.stamp, one.entry));
        }
        let entry = EntryId::new(format!("L{line}/shape"));
        let gone = std::mem::replace(&mut self.shape_entries, vec![entry.clone()]);
        let stamp = RecordStamp::line(*line);
        let mut placed = Some(placed);
        let changes = gone.into_iter().map(|entry| (entry, placed.take().unwrap_or_default()));
        push_rewrite(changes.collect(), stamp, entry, chain);
    }

    fn compact(&mut self, at: usize, list: &[Hash], held: &mut [HeldRow], chain: &mut Chain<'_>) {
        let found = self.found(list);
        let kept: Vec<SentMessage> = found.iter().flatten().map(|known| self.sent[*known].clone()).collect();
        let Some(EventBody::Compaction(logged)) = held[at].compaction().map(|draft| draft.body.clone())
        else {
            return;
        };
        let frame = logged.summary.clone();
        let words: String = held[at]
            .compaction()
            .into_iter()
            .flat_map(|draft| &draft.contents)
            .map(|one| &*one.text)
            .collect();
        let mut first = match list.first().and_then(|hash| self.blobs.get(hash)) {
            Some(LoggedJson { line, json }) if found.first() == Some(&None) => {
                place_message(*line, json, held, &mut chain.out.problems)
            }
            _ => Vec::new(),
        };
        // Parts up to the summary form one message with it. Parts behind it become a message of their own if
        // no earlier message is kept.
        let is_summary =
            |one: &RecordDraft| one.draft.contents.iter().any(|content| content.text.contains(words.trim()));
        let n_with = first.iter().position(is_summary).map_or(first.len(), |at| at + 1);
        let behind = first.split_off(if kept.is_empty() { n_with } else { first.len() });
        let mut contents: Vec<Content> = Vec::new();
        let summary = frame.map(|frame| {
            let mut blocks = Vec::new();
            for one in &mut first {
                blocks.extend(one.draft.body.all_messages().flat_map(|message| message.blocks.clone()));
                contents.append(&mut one.draft.contents);
            }
            (0..).zip(&mut blocks).for_each(|(index, block)| block.index = index);
            if blocks.is_empty() {
                contents = held[at].compaction().map(|draft| draft.contents.clone()).unwrap_or_default();
                return frame;
            }
            Message { blocks, ..frame }
        });
        let stays = kept.iter().flat_map(|one| &one.entries).chain(&self.shape_entries).cloned().collect();
        let compaction =
            Compaction { summary, keep: Keep::Entries(stays), tokens_before: logged.tokens_before };
        held[at].n_events = 0;
        let entry = held[at].next_entry();
        let draft = EventDraft { contents, ..EventDraft::bare(EventBody::Compaction(compaction)) };
        chain.push(draft, held[at].stamp, entry.clone());
        let mut own = SentMessage { hash: list.first().copied(), entries: vec![entry] };
        own.entries.extend(behind.iter().map(|one| one.entry.clone()));
        behind.into_iter().for_each(|one| chain.push(one.draft, one.stamp, one.entry));
        self.sent.clear();
        if !matches!(found.first(), Some(Some(_))) {
            self.sent.push(own);
        }
        self.sent.extend(kept);
        for at in (0..list.len()).filter(|at| *at > 0 && found[*at].is_none()) {
            self.append(list[at], held, chain);
        }
        self.in_order(list);
    }

    fn change(&mut self, list: &[Hash], held: &mut [HeldRow], chain: &mut Chain<'_>) {
        let found = self.found(list);
        let difference = self.difference(list, &found);
        let mut changes: Vec<(EntryId, Vec<RecordDraft>)> = Vec::new();
        let mut replaced: Vec<SentMessage> = Vec::new();
        let rewrite = EntryId::new(format!("L{}/history", self.line));
        for (old, news) in difference.gone {
            let mut placed: Vec<RecordDraft> = Vec::new();
            for new in news {
                if let Some(LoggedJson { line, json }) = self.blobs.get(&list[new]) {
                    placed.extend(place_message(*line, json, held, &mut chain.out.problems));
                }
                replaced.push(SentMessage { hash: Some(list[new]), entries: vec![rewrite.clone()] });
            }
            let mut placed = Some(placed);
            let entries = self.sent[old].entries.iter();
            changes.extend(entries.map(|entry| (entry.clone(), placed.take().unwrap_or_default())));
        }
        if !changes.is_empty() {
            push_rewrite(changes, RecordStamp::line(self.line), rewrite, chain);
        }
        self.sent.extend(replaced);
        for new in difference.appended {
            self.append(list[new], held, chain);
        }
        self.in_order(list);
    }

    fn append(&mut self, hash: Hash, held: &mut [HeldRow], chain: &mut Chain<'_>) {
        let Some(LoggedJson { line, json }) = self.blobs.get(&hash) else { return };
        let placed = place_message(*line, json, held, &mut chain.out.problems);
        let entries = placed.iter().map(|one| one.entry.clone()).collect();
        placed.into_iter().for_each(|one| chain.push(one.draft, one.stamp, one.entry));
        self.sent.push(SentMessage { hash: Some(hash), entries });
    }

    fn found(&self, list: &[Hash]) -> Vec<Option<usize>> {
        let known: Vec<u64> = (0..).zip(&self.sent).map(|(at, one)| one.hash.map_or(at, Hash::key)).collect();
        let new: Vec<u64> = list.iter().map(|hash| hash.key()).collect();
        let mut found = align_lists(&known, &new);
        for (place, hash) in found.iter_mut().zip(list) {
            *place = place.filter(|known| self.sent[*known].hash == Some(*hash));
        }
        found
    }

    fn difference(&self, list: &[Hash], found: &[Option<usize>]) -> Difference {
        let mut difference = Difference::default();
        let mut news: Vec<usize> = Vec::new();
        let mut next = 0;
        for (new, place) in found.iter().enumerate() {
            let Some(known) = *place else {
                news.push(new);
                continue;
            };
            for old in next..known {
                difference.gone.push((old, std::mem::take(&mut news)));
            }
            next = known + 1;
        }
        // A rewritten reply stays at its place; a `user` message at the end is new.
        let n_replies = news.iter().take_while(|new| self.is_reply(list[**new])).count();
        let behind = news.split_off(n_replies.min(self.sent.len() - next));
        let mut news = news.into_iter();
        for old in next..self.sent.len() {
            difference.gone.push((old, news.next().into_iter().collect()));
        }
        difference.appended = behind;
        difference
    }

    fn is_reply(&self, hash: Hash) -> bool {
        self.blobs.get(&hash).is_some_and(|blob| Value::trusted(&blob.json, 0).text_of("role") == "assistant")
    }

    fn in_order(&mut self, list: &[Hash]) {
        if self.sent.iter().map(|one| one.hash).eq(list.iter().map(|hash| Some(*hash))) {
            return;
        }
        let mut sent = std::mem::take(&mut self.sent);
        for hash in list {
            if let Some(at) = sent.iter().position(|one| one.hash == Some(*hash)) {
                self.sent.push(sent.swap_remove(at));
            }
        }
    }
}

fn push_rewrite(
    changes: Vec<(EntryId, Vec<RecordDraft>)>,
    stamp: RecordStamp,
    entry: EntryId,
    chain: &mut Chain<'_>,
) {
    let (mut contents, mut next) = (Vec::new(), 0);
    let mut change_of = |(target, placed): (EntryId, Vec<RecordDraft>)| {
        let mut replaced_by: Vec<Message> = Vec::new();
        for mut one in placed {
            let EventBody::Message(mut message) = one.draft.body else { continue };
            for block in &mut message.blocks {
                block.index = next;
                next += 1;
            }
            contents.append(&mut one.draft.contents);
            replaced_by.push(message);
        }
        Change { target: RewriteTarget::Entry(target), replaced_by }
    };
    let changes = changes.into_iter().map(&mut change_of).collect();
    let body = EventBody::Rewrite(Rewrite { cause: ReplacementCause::Revision, changes });
    chain.push(EventDraft { body, contents, envelope: RawPayload::default() }, stamp, entry);
}
