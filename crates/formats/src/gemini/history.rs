//! The message list built by a recording's lines, and the events for its changes.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    Author, Change, Compaction, EntryId, EventBody, Keep, RawPayload, ReplacementCause, Rewrite,
    RewriteTarget,
};

use super::groups::MessageGroups;
use super::telling::{ListMessage, RecordEvents, again, answer, keys, note, remove, tell_results};
use super::version::{CallAnswer, MessageVersion, VersionContent, message_of, repeat_of};
use crate::adapter::{Batch, RecordPlace};
use crate::blocks::ReadMessage;
use crate::event::{EventDraft, InOneRecord};
use crate::json::Value;

#[derive(Debug, Clone, Default)]
pub(super) struct GeminiHistory {
    list: Vec<ListMessage>,
    /// How many messages a resumed session started with; `None` once the whole list or a message came.
    opened_with: Option<usize>,
    places: BTreeMap<Box<str>, usize>,
    used: BTreeSet<Box<str>>,
    is_compressed: bool,
}

impl GeminiHistory {
    /// Reserves the record's own id, so a message without an id does not take it.
    pub(super) fn reserve(&mut self, entry: &EntryId) {
        self.used.insert(entry.as_str().into());
    }

    /// Reopens the history of a resumed session with its first messages; returns false if `versions` are not
    /// its beginning.
    ///
    /// Nothing is removed yet, because the remaining messages may follow before the next request.
    pub(super) fn reopen(&mut self, versions: &[MessageVersion]) -> bool {
        let same = |(known, version): (&ListMessage, &MessageVersion)| *known.id == *version.id;
        let is_beginning = versions.len() < self.list.len() && self.list.iter().zip(versions).all(same);
        self.opened_with = is_beginning.then_some(versions.len());
        is_beginning
    }

    fn settle(&mut self, at: RecordPlace, out: &mut Batch) {
        let Some(n_kept) = self.opened_with.take() else { return };
        let mut writer = RecordEvents { at, at_ms: None, n_events: 0, out };
        for known in self.list.split_off(n_kept) {
            self.places.remove(&known.id);
            remove(&known, &mut writer);
        }
    }

    pub(super) fn write(&mut self, version: MessageVersion, at: RecordPlace, out: &mut Batch) {
        self.settle(at, out);
        let mut writer = RecordEvents { at, at_ms: version.at_ms, n_events: 0, out };
        match self.places.get(version.id.as_str()) {
            Some(&place) => {
                let mut known = std::mem::take(&mut self.list[place]);
                again(&mut known, version, Vec::new(), &mut writer);
                self.list[place] = known;
            }
            None => self.append(version, &mut writer),
        }
    }

    fn append(&mut self, version: MessageVersion, writer: &mut RecordEvents<'_>) {
        match version.said {
            VersionContent::Results(answers) if self.asked().is_some() => {
                self.answer(&version.id, answers, writer)
            }
            said => {
                let known = self.begin(MessageVersion { said, ..version }, writer);
                self.add(known);
            }
        }
    }

    fn asked(&mut self) -> Option<&mut ListMessage> {
        self.list.iter_mut().rev().take(64).find(|known| known.first_entry().is_some())
    }

    pub(super) fn rewind(&mut self, id: &str, record: Value<'_>, at: RecordPlace, out: &mut Batch) {
        self.settle(at, out);
        let place = self.places.get(id).copied();
        let gone = self.list.split_off(place.unwrap_or(0));
        for known in &gone {
            self.places.remove(&known.id);
        }
        let target = match place {
            None => Some(RewriteTarget::All),
            Some(_) => gone.iter().find_map(ListMessage::first_entry).cloned().map(RewriteTarget::From),
        };
        let body = match target {
            Some(target) => {
                let changes = vec![Change::removal(target)];
                EventBody::Rewrite(Rewrite { cause: ReplacementCause::Rewind, changes })
            }
            None => EventBody::Quiet { record: "$rewindTo".into() },
        };
        RecordEvents { at, at_ms: None, n_events: 0, out }.push(at.entry(), EventDraft::whole(body, record));
    }

    /// Unchanged messages keep their events.
    pub(super) fn exchange(
        &mut self,
        versions: Vec<MessageVersion>,
        at: RecordPlace,
        at_ms: Option<i64>,
        out: &mut Batch,
    ) {
        self.opened_with = None;
        let mut writer = RecordEvents { at, at_ms, n_events: 0, out };
        let mut versions = with_repeats(versions);
        let place = |version: &MessageVersion| self.places.get(version.id.as_str()).copied();
        let snapshot = versions.iter().position(|version| version.is_snapshot() && place(version).is_none());
        let mut added = Vec::new();
        if let Some(snapshot) = snapshot {
            let is_answered = versions.get(snapshot + 1).is_some_and(MessageVersion::is_bare_reply);
            let behind = snapshot + 1 + usize::from(is_answered);
            let is_new = |version: &MessageVersion| {
                place(version).is_none() && !matches!(version.said, VersionContent::Results(_))
            };
            if snapshot > 0 || versions[behind..].iter().any(is_new) {
                return self.begin_anew(versions, (snapshot, behind), &mut writer);
            }
            let first_kept = versions[behind..].iter().find_map(place);
            let rest = versions.split_off(behind);
            added = self.compress(std::mem::replace(&mut versions, rest), first_kept, &mut writer);
        }
        let rest = versions;
        let mut old: Vec<Option<ListMessage>> =
            std::mem::take(&mut self.list).into_iter().map(Some).collect();
        let places = std::mem::take(&mut self.places);
        for known in added {
            self.add(known);
        }
        let stays: BTreeSet<&str> = rest.iter().map(|version| version.id.as_str()).collect();
        let is_gone = |known: &ListMessage| !stays.contains(&*known.id);
        let groups = MessageGroups::find_groups(&old, is_gone);
        for slot in &mut old {
            if let Some(known) = slot.take_if(|known| is_gone(known))
                && !groups.has(&known)
            {
                remove(&known, &mut writer);
            }
        }
        self.walk(rest, old, (&places, &groups), &mut writer);
    }

    fn walk(
        &mut self,
        versions: Vec<MessageVersion>,
        mut old: Vec<Option<ListMessage>>,
        (places, groups): (&BTreeMap<Box<str>, usize>, &MessageGroups),
        writer: &mut RecordEvents<'_>,
    ) {
        let mut cursor = 0;
        // New messages, and old ones that share an event with a later message.
        let mut between: Vec<(MessageVersion, Option<ListMessage>)> = Vec::new();
        for version in versions {
            if let VersionContent::Results(answers) = version.said {
                // A new call's record also holds its results.
                if between.is_empty() {
                    self.answer(&version.id, answers, writer);
                }
                continue;
            }
            let place = places.get(version.id.as_str()).copied().filter(|place| *place >= cursor);
            let Some(mut known) = place.and_then(|place| old.get_mut(place)?.take()) else {
                between.push((version, None));
                continue;
            };
            cursor = place.unwrap_or(cursor) + 1;
            if groups.ends_later(&known, cursor) {
                between.push((version, Some(known)));
                continue;
            }
            let is_same = |(version, known): &(MessageVersion, Option<ListMessage>)| {
                known.as_ref().is_some_and(|known| known.says(version))
            };
            if groups.is_whole(&known) && known.says(&version) && between.iter().all(is_same) {
                between.drain(..).filter_map(|(_, known)| known).for_each(|known| self.add(known));
            }
            if !groups.is_whole(&known) {
                // The rest of the event is written again without the removed message.
                known.blocks.clear();
            }
            let mut before = Vec::new();
            for (new, _) in between.drain(..) {
                let (new_known, messages) = self.silent(new);
                before.extend(messages.into_iter().map(|message| (self.list.len(), message)));
                self.add(new_known);
            }
            let places_before: Vec<usize> = before.iter().map(|(place, _)| *place).collect();
            let replaced_by = before.into_iter().map(|(_, message)| message).collect();
            if let Some(entry) = again(&mut known, version, replaced_by, writer) {
                for place in places_before {
                    self.list[place].tell_anew(&entry);
                }
            }
            self.add(known);
        }
        // A message that moved is removed and added again.
        for known in old.iter().flatten() {
            remove(known, writer);
        }
        // Messages at the end are new.
        for (version, known) in between {
            if let Some(known) = known {
                remove(&known, writer);
            }
            self.append(version, writer);
        }
    }

    fn compress(
        &mut self,
        head: Vec<MessageVersion>,
        first_kept: Option<usize>,
        writer: &mut RecordEvents<'_>,
    ) -> Vec<ListMessage> {
        self.is_compressed = true;
        let gone = match first_kept {
            Some(first) => self.list.drain(..first).count(),
            None => std::mem::take(&mut self.list).len(),
        };
        self.places.retain(|_, place| *place >= gone);
        self.places.values_mut().for_each(|place| *place -= gone);
        for known in &mut self.list {
            known.may_grow = false;
        }
        let keep = match self.list.iter().find_map(ListMessage::first_entry) {
            Some(entry) => Keep::From(entry.clone()),
            None => Keep::Nothing,
        };
        let entry = writer.name(writer.at.entry().as_str());
        let (mut summary, mut added) = (InOneRecord::default(), Vec::new());
        for version in head {
            let (mut known, messages) = self.silent(version);
            known.tell_anew(&entry);
            added.push(known);
            // The harness, not the model, wrote the answer to the summary, so both form one message.
            messages.into_iter().for_each(|read| summary.join(read));
        }
        let InOneRecord { mut messages, contents, .. } = summary;
        let body = EventBody::Compaction(Compaction { summary: messages.pop(), keep, tokens_before: None });
        writer.push(entry, EventDraft { contents, ..EventDraft::bare(body) });
        added
    }

    /// Emits a compression with new message ids: the record holds everything sent from here on.
    ///
    /// `summary` is the position of the summary, `behind` the one behind the harness's answer to it.
    fn begin_anew(
        &mut self,
        versions: Vec<MessageVersion>,
        (summary, behind): (usize, usize),
        writer: &mut RecordEvents<'_>,
    ) {
        let mut anew = Self { used: std::mem::take(&mut self.used), is_compressed: true, ..Self::default() };
        let entry = writer.name(writer.at.entry().as_str());
        let mut all = InOneRecord::default();
        for (place, mut version) in versions.into_iter().enumerate() {
            if let VersionContent::Results(answers) = version.said {
                let read = match anew.asked() {
                    Some(asked) => tell_results(asked, answers, &entry),
                    None => message_of(answers),
                };
                anew.add(ListMessage { id: version.id.into(), ..ListMessage::default() });
                all.push(read);
                continue;
            }
            let results = match &mut version.said {
                VersionContent::Model { results, .. } => std::mem::take(results),
                VersionContent::User(_) | VersionContent::Results(_) | VersionContent::Aside(_) => Vec::new(),
            };
            let (mut known, mut messages) = anew.silent(version);
            if (summary + 1..behind).contains(&place) {
                // The harness wrote the answer to the summary.
                messages.iter_mut().for_each(|read| read.message.author = Author::Harness);
            }
            known.tell_anew(&entry);
            messages.into_iter().for_each(|read| all.push(read));
            if !results.is_empty() {
                all.push(tell_results(&mut known, results, &entry));
            }
            anew.add(known);
        }
        *self = anew;
        let keep = Keep::Retained(all.messages);
        let body = EventBody::Compaction(Compaction { summary: None, keep, tokens_before: None });
        writer.push(entry, EventDraft { contents: all.contents, ..EventDraft::bare(body) });
    }

    /// Reads results in the `user` role; the record of their calls also holds them.
    fn answer(&mut self, id: &str, answers: Vec<CallAnswer>, writer: &mut RecordEvents<'_>) {
        let mut answered = None;
        if let Some(asked) = self.asked() {
            answer(asked, id, answers, writer);
            answered = asked.answered.clone();
        }
        // A restored list names results like the reply with their calls.
        let id = if self.places.contains_key(id) { format!("{id}/results").into() } else { Box::from(id) };
        self.add(ListMessage { id, answered, ..ListMessage::default() });
    }

    fn begin(&mut self, version: MessageVersion, writer: &mut RecordEvents<'_>) -> ListMessage {
        let is_new = self.used.insert(version.id.as_str().into());
        let own = |writer: &mut RecordEvents<'_>| {
            if is_new { EntryId::new(version.id.as_str()) } else { writer.name(&version.id) }
        };
        let mut known =
            ListMessage { id: version.id.as_str().into(), may_grow: true, ..ListMessage::default() };
        note(&mut known, version.problems, writer);
        let envelope = version.envelope;
        match version.said {
            VersionContent::User(runs) => {
                let mut envelope = envelope;
                for (nth, run) in runs.into_iter().enumerate() {
                    let entry = if nth == 0 { own(writer) } else { writer.name(&version.id) };
                    known.blocks.extend(keys(&run));
                    known.tell(&entry, run.message.blocks.len());
                    writer.push(entry, EventDraft::message(run, std::mem::take(&mut envelope)));
                }
            }
            VersionContent::Model { reply, results } => {
                self.is_compressed = false;
                let entry = own(writer);
                known.blocks = keys(&reply);
                known.usage = reply.message.usage;
                known.tell(&entry, reply.message.blocks.len());
                writer.push(entry, EventDraft::message(reply, envelope));
                answer(&mut known, &version.id, results, writer);
            }
            VersionContent::Results(answers) => {
                let entry = own(writer);
                let read = tell_results(&mut known, answers, &entry);
                writer.push(entry, EventDraft::message(read, envelope));
            }
            VersionContent::Aside(body) => {
                let entry = own(writer);
                // A compression visible in the message list is emitted only once.
                let is_told = self.is_compressed && matches!(body, EventBody::Compaction(_));
                let body = if is_told { EventBody::Quiet { record: "info".into() } } else { body };
                writer.push(entry, EventDraft { envelope, ..EventDraft::bare(body) });
            }
        }
        known
    }

    /// Adds a message that another event emits.
    fn silent(&mut self, version: MessageVersion) -> (ListMessage, Vec<ReadMessage>) {
        self.used.insert(version.id.as_str().into());
        let messages = match version.said {
            VersionContent::User(runs) => runs,
            VersionContent::Model { reply, results } => [reply, message_of(results)]
                .into_iter()
                .filter(|read| !read.message.blocks.is_empty())
                .collect(),
            VersionContent::Results(_) | VersionContent::Aside(_) => Vec::new(),
        };
        let blocks = messages.iter().flat_map(keys).collect();
        (ListMessage { id: version.id.into(), blocks, ..ListMessage::default() }, messages)
    }

    fn add(&mut self, known: ListMessage) {
        self.places.insert(known.id.clone(), self.list.len());
        self.list.push(known);
    }
}

/// Splits repeated results into messages: a resumed session sends them twice.
fn with_repeats(versions: Vec<MessageVersion>) -> Vec<MessageVersion> {
    let mut seen = BTreeSet::new();
    let mut n_repeats: BTreeMap<String, u32> = BTreeMap::new();
    let mut all = Vec::new();
    for version in versions {
        let VersionContent::Results(answers) = version.said else {
            all.push(version);
            continue;
        };
        let is_first = |answer: &CallAnswer| {
            let call = answer.call().map(|call| call.as_str().to_owned());
            seen.insert((call.unwrap_or_default(), answer.key()))
        };
        let (first, repeated): (Vec<CallAnswer>, Vec<CallAnswer>) = answers.into_iter().partition(is_first);
        if !repeated.is_empty() {
            let number = n_repeats.entry(version.id.clone()).or_default();
            *number += 1;
            let repeat = MessageVersion {
                id: format!("{}/again/{number}", version.id),
                at_ms: version.at_ms,
                said: VersionContent::User(vec![repeat_of(repeated)]),
                envelope: RawPayload::default(),
                problems: Vec::new(),
            };
            if !first.is_empty() {
                all.push(MessageVersion { said: VersionContent::Results(first), ..version });
            }
            all.push(repeat);
        } else {
            all.push(MessageVersion { said: VersionContent::Results(first), ..version });
        }
    }
    all
}
