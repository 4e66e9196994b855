//! The history that successive requests repeat: finds new, rewritten and dropped messages.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use cwl_engine::{
    Author, Change, EntryId, EventBody, Parent, Problem, ProblemKind, RawPayload, ReplacementCause, Rewrite,
    RewriteTarget,
};

use super::align::align_lists;
use super::item::{Item, Scribe};
use super::known::{HistoryMessage, NewMessage, OpenCalls};
use crate::adapter::Batch;
use crate::event::{EventDraft, InOneRecord, RecordStamp, changes_of};

/// How many known messages are searched for the original of a rewritten one; an unlimited search would be
/// quadratic on a hostile log.
const N_LOOKED_AT: usize = 64;

#[derive(Debug, Clone, Default)]
pub(crate) struct BodyHistory {
    known: Vec<HistoryMessage>,
    n_places: u64,
    unsure_said: bool,
}

/// A request's changes to the history. Each `usize` is a known or a new message's index.
#[derive(Default)]
struct Plan {
    dropped: Vec<usize>,
    /// Known messages that go, with the new messages that replace them.
    replaced: Vec<(Vec<usize>, Vec<usize>)>,
    order: Vec<HistoryEntry>,
    appended: Vec<usize>,
}

#[derive(Clone, Copy)]
enum HistoryEntry {
    Kept(usize),
    Replaced(usize),
}

impl BodyHistory {
    /// Compares a request's messages with the history and emits what is new, rewritten or gone.
    ///
    /// Returns true if the history only grew.
    pub(crate) fn advance_to(&mut self, items: Vec<Item>, scribe: &Scribe, out: &mut Batch) -> bool {
        let keys: Vec<u64> = self.known.iter().map(|known| known.key).collect();
        let mut news: Vec<NewMessage> = items.into_iter().map(NewMessage::from_item).collect();
        let mut found = align_lists(&keys, &news.iter().map(|new| new.key).collect::<Vec<_>>());
        self.begin_anew(&news, &mut found);
        while self.drop_impossible(&mut found) {}
        self.fill_ids(&mut news, &found);
        let plan = loop {
            let plan = self.plan_changes(&news, &found);
            if !self.unpair_torn(&plan, &mut found) {
                break plan;
            }
            while self.drop_impossible(&mut found) {}
        };
        self.join_replies(&mut news, &found);
        self.carry_out(plan, news, scribe, out)
    }

    pub(crate) fn append_items(&mut self, items: Vec<Item>, out: &mut Batch) {
        let known = (0..self.known.len()).map(Some);
        let found: Vec<Option<usize>> = known.chain(items.iter().map(|_| None)).collect();
        let mut news: Vec<NewMessage> = items.into_iter().map(NewMessage::from_item).collect();
        self.fill_ids(&mut news, &found);
        for new in news {
            self.push_message(new, out);
        }
    }

    /// Updates the tools and the system prompt from a request that continues a stored response instead of
    /// repeating the history.
    pub(crate) fn exchange_head(&mut self, head: Vec<Item>, scribe: &Scribe, out: &mut Batch) {
        for (at, item) in head.into_iter().enumerate() {
            let new = NewMessage::from_item(item);
            match self.known.get(at) {
                Some(known) if known.slot == new.item.slot && known.key != new.key => {
                    let replaced = self.replace_messages(&[at], vec![new], scribe, out);
                    self.known.splice(at..=at, replaced);
                }
                Some(known) if known.slot == new.item.slot => {}
                _ => self.push_message(new, out),
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    pub(crate) fn cut_after(&mut self, n_kept: usize, scribe: &Scribe, out: &mut Batch) {
        let gone: Vec<usize> = (n_kept..self.known.len()).collect();
        self.drop(&gone, scribe, out);
        self.known.truncate(n_kept);
    }

    /// Drops all matches behind a new reply. The reply is the newest message, so whatever the client puts
    /// behind it is new too, even if it repeats an old text (a reminder that moves to each request's end).
    fn begin_anew(&self, news: &[NewMessage], found: &mut [Option<usize>]) {
        let is_known_reply =
            |at: &usize| found[*at].is_some_and(|known| self.known[known].author == Author::Model);
        let behind = (0..found.len()).rev().find(is_known_reply).map_or(0, |at| at + 1);
        let before = found[..behind].iter().rev().find_map(|place| *place).map_or(0, |known| known + 1);
        let is_new = |at: &usize| {
            let is_known = |known: &HistoryMessage| known.is_same(&news[*at], true);
            let is_new = |known: &[HistoryMessage]| !known.iter().take(N_LOOKED_AT).any(is_known);
            found[*at].is_none() && news[*at].item.is_model() && is_new(&self.known[before..])
        };
        if let Some(first) = (behind..found.len()).find(is_new) {
            found[first..].fill(None);
        }
    }

    /// Drops impossible matches and returns whether there were any. A new item cannot precede a known one
    /// unless something was removed there; items of one record stay or go together.
    fn drop_impossible(&self, found: &mut [Option<usize>]) -> bool {
        let mut changed = false;
        let (mut expected, mut pending) = (0, false);
        let mut n_matched: BTreeMap<&EntryId, usize> = BTreeMap::new();
        for place in found.iter_mut() {
            let Some(known) = *place else {
                pending = true;
                continue;
            };
            let went = self.known[expected..known].iter().any(|known| known.kind.is_some());
            if pending && !went {
                *place = None;
                changed = true;
            } else {
                *n_matched.entry(&self.known[known].entry).or_default() += 1;
            }
            pending = false;
            expected = known + 1;
        }
        let mut n_known: BTreeMap<&EntryId, usize> = BTreeMap::new();
        for known in &self.known {
            *n_known.entry(&known.entry).or_default() += 1;
        }
        for place in found.iter_mut() {
            let torn = place.is_some_and(|known| {
                let entry = &self.known[known].entry;
                n_matched.get(entry) != n_known.get(entry)
            });
            if torn {
                *place = None;
                changed = true;
            }
        }
        changed
    }

    fn join_replies(&self, news: &mut [NewMessage], found: &[Option<usize>]) {
        let mut before: Option<(Arc<str>, Option<Arc<str>>)> = None;
        for (new, place) in news.iter_mut().zip(found) {
            let reply = &mut new.item.read.message.reply;
            let own = reply.clone();
            let known = match (place, &before, &own) {
                (Some(known), _, _) => self.known[*known].reply.clone(),
                (None, Some((theirs, known)), Some(own)) if theirs == own => known.clone(),
                _ => None,
            };
            if place.is_none() && known.is_some() {
                reply.clone_from(&known);
            }
            before = own.map(|own| (own, known));
        }
    }

    /// Gives missing ids to calls and results: a result without an id answers the first open call with its
    /// name.
    fn fill_ids(&self, news: &mut [NewMessage], found: &[Option<usize>]) {
        if !news.iter().any(NewMessage::lacks_ids) {
            return;
        }
        let n_before = found.len() - news.len();
        let mut open = OpenCalls::default();
        for known in found[..n_before].iter().flatten() {
            open.pass_message(&self.known[*known]);
        }
        for (new, place) in news.iter_mut().zip(&found[n_before..]) {
            match place {
                Some(known) => {
                    open.pass_message(&self.known[*known]);
                    self.known[*known].lend_ids(&mut new.item);
                }
                None => open.fill_ids(&mut new.item),
            }
        }
    }

    /// Drops the matches of messages whose place is partly rewritten: all messages at one place are rewritten
    /// together. Returns whether there were any.
    fn unpair_torn(&self, plan: &Plan, found: &mut [Option<usize>]) -> bool {
        let anew: BTreeSet<u64> =
            plan.replaced.iter().flat_map(|(olds, _)| olds).map(|at| self.known[*at].place).collect();
        let mut changed = false;
        for place in found {
            if place.is_some_and(|known| anew.contains(&self.known[known].place)) {
                *place = None;
                changed = true;
            }
        }
        changed
    }

    fn plan_changes(&self, news: &[NewMessage], found: &[Option<usize>]) -> Plan {
        let mut plan = Plan::default();
        let mut gap: Vec<usize> = Vec::new();
        let mut next = 0;
        for (new, place) in found.iter().enumerate() {
            match place {
                None => gap.push(new),
                Some(known) => {
                    self.plan_gap(next..*known, news, std::mem::take(&mut gap), false, &mut plan);
                    plan.order.push(HistoryEntry::Kept(*known));
                    next = known + 1;
                }
            }
        }
        self.plan_gap(next..self.known.len(), news, gap, true, &mut plan);
        plan
    }

    fn plan_gap(
        &self,
        olds: Range<usize>,
        news: &[NewMessage],
        gap: Vec<usize>,
        is_last: bool,
        plan: &mut Plan,
    ) {
        // New messages by the old message they replace.
        let mut instead: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut next = olds.start;
        let mut waiting: Vec<usize> = Vec::new();
        for new in gap {
            // Behind a new reply at the end, every message is new.
            let is_behind = is_last && waiting.iter().any(|new| news[*new].item.is_model());
            let mut near = (next..olds.end).take(N_LOOKED_AT);
            let same = near.find(|at| self.known[*at].is_same(&news[new], is_last));
            waiting.push(new);
            if let Some(at) = same.filter(|_| !is_behind) {
                instead.insert(at, std::mem::take(&mut waiting));
                next = at + 1;
            }
        }
        if is_last {
            plan.appended = waiting;
        } else if !waiting.is_empty() {
            match instead.last_entry() {
                Some(mut last) => last.get_mut().append(&mut waiting),
                // Some message was dropped here, or `drop_impossible` would have dropped the match behind
                // this gap.
                None => {
                    let anchor = olds.clone().find(|at| self.known[*at].kind.is_some());
                    instead.insert(anchor.unwrap_or(olds.start), waiting);
                }
            }
        }
        let mut at = olds.start;
        while at < olds.end {
            let place = self.known[at].place;
            let here: Vec<usize> = (at..olds.end).take_while(|at| self.known[*at].place == place).collect();
            at += here.len();
            let replaced_by: Vec<usize> = here.iter().filter_map(|at| instead.remove(at)).flatten().collect();
            if replaced_by.is_empty() {
                plan.dropped.extend(here);
            } else {
                plan.order.push(HistoryEntry::Replaced(plan.replaced.len()));
                plan.replaced.push((here, replaced_by));
            }
        }
    }

    fn carry_out(&mut self, plan: Plan, news: Vec<NewMessage>, scribe: &Scribe, out: &mut Batch) -> bool {
        let Plan { dropped, replaced, order, appended } = plan;
        let mut news: Vec<Option<NewMessage>> = news.into_iter().map(Some).collect();
        let mut take = |numbers: Vec<usize>| -> Vec<NewMessage> {
            numbers.into_iter().filter_map(|new| news.get_mut(new).and_then(Option::take)).collect()
        };
        let only_grew = dropped.is_empty() && replaced.is_empty();
        if !only_grew {
            self.drop(&dropped, scribe, out);
            let mut replacements: Vec<Vec<HistoryMessage>> = Vec::new();
            for (olds, replaced_by) in replaced {
                replacements.push(self.replace_messages(&olds, take(replaced_by), scribe, out));
            }
            let mut known = Vec::with_capacity(order.len());
            for place in order {
                match place {
                    HistoryEntry::Kept(at) => known.push(self.known[at].clone()),
                    HistoryEntry::Replaced(at) => known.append(&mut replacements[at]),
                }
            }
            self.known = known;
        }
        for new in take(appended) {
            self.push_message(new, out);
        }
        only_grew
    }

    /// Emits one rewrite that removes `gone`: from one message on if no later message stays, otherwise
    /// message by message.
    fn drop(&self, gone: &[usize], scribe: &Scribe, out: &mut Batch) {
        let n_behind = gone
            .iter()
            .rev()
            .enumerate()
            .take_while(|(behind, at)| **at + behind + 1 == self.known.len())
            .count();
        let (single, behind) = gone.split_at(gone.len() - n_behind);
        // A rewrite cannot cut in the middle of a reply.
        let cut = behind.iter().position(|at| self.known[*at].begins && self.known[*at].kind.is_some());
        let (parts, from) = behind.split_at(cut.unwrap_or(behind.len()));
        let entry = |at: &usize| self.known[*at].entry.clone();
        let mut targets: Vec<RewriteTarget> = Vec::new();
        let with_blocks = single.iter().chain(parts).filter(|at| self.known[**at].kind.is_some());
        for target in with_blocks.map(|at| RewriteTarget::Entry(entry(at))) {
            if targets.last() != Some(&target) {
                targets.push(target);
            }
        }
        targets.extend(from.first().map(|at| RewriteTarget::From(entry(at))));
        if targets.is_empty() {
            return;
        }
        let changes = targets.into_iter().map(Change::removal).collect();
        let rewrite = Rewrite { cause: ReplacementCause::Revision, changes };
        out.events.push(scribe.make_event("gone", EventBody::Rewrite(rewrite), RawPayload::default()));
    }

    fn replace_messages(
        &mut self,
        olds: &[usize],
        replaced_by: Vec<NewMessage>,
        scribe: &Scribe,
        out: &mut Batch,
    ) -> Vec<HistoryMessage> {
        let olds: Vec<HistoryMessage> = olds.iter().map(|at| self.known[*at].clone()).collect();
        let mut found: Vec<HistoryMessage> = Vec::new();
        let mut entries: Vec<EntryId> = Vec::new();
        for old in olds.iter().filter(|old| old.kind.is_some()) {
            if entries.last() != Some(&old.entry) {
                entries.push(old.entry.clone());
            }
        }
        let Some(place) = olds.first().map(|old| old.place) else { return found };
        let Some(entry) = replaced_by.first().map(|new| new.item.entry.clone()) else { return found };
        if entries.is_empty() {
            // A rewrite cannot replace a message without blocks, so the new messages are appended.
            for NewMessage { mut item, key, .. } in replaced_by {
                found.push(HistoryMessage::from_item(&item, item.entry.clone(), key, place, true));
                self.report_problems(std::mem::take(&mut item.problems), out);
                item.push_record(Parent::Previous, false, out);
            }
            return found;
        }
        let envelope =
            if let [only] = &replaced_by[..] { only.item.envelope.clone() } else { RawPayload::default() };
        let n_new = replaced_by.len();
        let mut news = InOneRecord::default();
        for NewMessage { mut item, key, .. } in replaced_by {
            if let Some(old) = olds.iter().find(|old| old.role == item.read.message.role) {
                item.read.message.author = old.author;
            }
            found.push(HistoryMessage::from_item(&item, entry.clone(), key, place, found.is_empty()));
            self.report_problems(std::mem::take(&mut item.problems), out);
            if n_new == 1 {
                // A single message keeps its block indices.
                news.next = item.read.message.blocks.first().map_or(0, |block| block.index);
            }
            news.push(item.read);
        }
        // A changed text for the same call's result is a placeholder: only clearing rewrites results.
        let all_results = olds.iter().all(|old| old.answers.is_some()) && n_new == olds.len();
        let cause = if all_results { ReplacementCause::Clearing } else { ReplacementCause::Revision };
        let body = EventBody::Rewrite(Rewrite { cause, changes: changes_of(entries, news.messages) });
        let draft = EventDraft { body, contents: news.contents, envelope };
        out.events.push(draft.event(RecordStamp::line(scribe.line), entry));
        found
    }

    fn push_message(&mut self, new: NewMessage, out: &mut Batch) {
        let NewMessage { mut item, key, .. } = new;
        let reply = &item.read.message.reply;
        let joins = self.known.last().filter(|last| reply.is_some() && last.reply == *reply);
        let (place, begins) = match joins {
            Some(last) => (last.place, false),
            None => (self.n_places, true),
        };
        self.n_places += 1;
        self.known.push(HistoryMessage::from_item(&item, item.entry.clone(), key, place, begins));
        let problems = std::mem::take(&mut item.problems);
        self.report_problems(problems, out);
        item.push_record(Parent::Previous, false, out);
    }

    fn report_problems(&mut self, problems: Vec<Problem>, out: &mut Batch) {
        for problem in problems {
            let is_unsure = problem.kind == ProblemKind::UnsureAuthor;
            if !(is_unsure && std::mem::replace(&mut self.unsure_said, true)) {
                out.problems.push(problem);
            }
        }
    }
}
