//! A branch: the chain of records from a root to a tip.
//!
//! If calls run side by side, some harnesses hang each result under its own call, and the next
//! part of the reply under the previous part. The chain from the tip then misses the rest. Such a
//! tree is *woven*: its branch is the chain plus every other part of the chain's replies and every
//! result of their calls.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::log::branch_tip::BranchTip;
use crate::log::parents::Parents;
use crate::{
    BlockKind, EntryId, EventBody, EventIdx, EventLog, Parent, Place, Problem, ProblemKind, SessionEvent,
    ToolCallId,
};

/// Returns the records from the root to `leaf` (default: the log's own leaf), the records
/// before which the context restarted without a record saying so, and the branch's end. Reports problems of the whole
/// tree.
pub(crate) fn branch_of(
    log: &EventLog,
    leaf: Option<EventIdx>,
    problems: &mut Vec<Problem>,
) -> (Vec<EventIdx>, BTreeSet<EventIdx>, BranchTip) {
    let parents = Parents::resolve_parents(log);
    let mut tip = BranchTip::new(log, &parents);
    tip.missing = report_odd_ids(log, problems);
    report_copies(log, problems);
    parents.report_contradictions(log, problems);
    let mut path = Vec::new();
    let mut on_path = alloc::vec![false; log.events().len()];
    let mut next = leaf.or_else(|| log.leaf());
    while let Some(idx) = next {
        if core::mem::replace(&mut on_path[idx.at()], true) {
            let event = log.record(idx);
            let place = Place::at_entry(event.line, event.entry.clone());
            problems.push(Problem { place, kind: ProblemKind::ParentCycle });
            break;
        }
        path.push(idx);
        next = parents.of[idx.at()];
    }
    path.reverse();
    if let Some(weave) = Weave::from_log(log) {
        let beside = weave.records_beside(&path, &mut on_path);
        weave.note_beside(&on_path, &mut tip);
        if !beside.is_empty() {
            path.extend(beside);
            path.sort_unstable();
        }
    }
    (path, parents.cuts.iter().map(|cut| cut.record).collect(), tip)
}

/// Returns every branch's last record, in file order.
///
/// A chain that ends without any message (a label, a setting) is no branch, unless the log's leaf is there.
pub(crate) fn tips_of(log: &EventLog) -> Vec<EventIdx> {
    let parents = Parents::resolve_parents(log).of;
    let weave = Weave::from_log(log);
    let leaf = log.leaf();
    let mut continued = alloc::vec![false; log.events().len()];
    for parent in parents.iter().flatten() {
        continued[parent.at()] = true;
    }
    let mut covered = alloc::vec![false; log.events().len()];
    let mut tips = Vec::new();
    for at in (0..log.events().len()).rev() {
        let tip = EventIdx::new(at);
        if continued[at] || covered[at] || log.record(tip).parent == Parent::Outside {
            continue;
        }
        let mut segment = Vec::new();
        let mut next = Some(tip);
        while let Some(idx) = next.filter(|idx| !core::mem::replace(&mut covered[idx.at()], true)) {
            segment.push(idx);
            next = parents[idx.at()];
        }
        if let Some(weave) = &weave {
            weave.records_beside(&segment, &mut covered);
        }
        if leaf == Some(tip)
            || segment.iter().any(|idx| log.record(*idx).body.all_messages().next().is_some())
        {
            tips.push(tip);
        }
    }
    tips.reverse();
    tips
}

struct Weave<'a> {
    log: &'a EventLog,
    parts: BTreeMap<&'a str, Vec<EventIdx>>,
    results: BTreeMap<&'a ToolCallId, Vec<EventIdx>>,
}

impl<'a> Weave<'a> {
    fn from_log(log: &'a EventLog) -> Option<Self> {
        let mut weave = Self { log, parts: BTreeMap::new(), results: BTreeMap::new() };
        let mut is_woven = false;
        for (at, event) in log.events().iter().enumerate() {
            let (Parent::Woven(_), EventBody::Message(message)) = (&event.parent, &event.body) else {
                continue;
            };
            is_woven = true;
            if let Some(reply) = &message.reply {
                weave.parts.entry(reply).or_default().push(EventIdx::new(at));
            }
            for block in &message.blocks {
                if let BlockKind::Result(result) = &block.kind {
                    weave.results.entry(&result.call).or_default().push(EventIdx::new(at));
                }
            }
        }
        is_woven.then_some(weave)
    }

    fn note_beside(&self, on_path: &[bool], tip: &mut BranchTip) {
        let has_other = |records: &[EventIdx]| records.iter().any(|idx| !on_path[idx.at()]);
        let replies = self.parts.iter().filter(|(_, parts)| has_other(parts));
        tip.replies_beside = replies.map(|(reply, _)| (*reply).into()).collect();
        let calls = self.results.iter().filter(|(_, results)| has_other(results));
        tip.calls_beside = calls.map(|(call, _)| (*call).clone()).collect();
    }

    fn records_beside(&self, stretch: &[EventIdx], taken: &mut [bool]) -> Vec<EventIdx> {
        let mut found = Vec::new();
        // If a prefix was written twice, both copies have the same ids.
        let own: BTreeSet<_> = stretch.iter().map(|idx| &self.log.record(*idx).entry).collect();
        let mut seen = BTreeSet::new();
        let mut take = |from: &SessionEvent, all: Option<&Vec<EventIdx>>, found: &mut Vec<EventIdx>| {
            for &idx in all.into_iter().flatten() {
                let event = self.log.record(idx);
                if event.side == from.side
                    && !taken[idx.at()]
                    && !own.contains(&event.entry)
                    && seen.insert(&event.entry)
                {
                    taken[idx.at()] = true;
                    found.push(idx);
                }
            }
        };
        let mut replies = BTreeSet::new();
        for idx in stretch {
            let event = self.log.record(*idx);
            if let EventBody::Message(message) = &event.body
                && let Some(reply) = message.reply.as_deref()
                && replies.insert(reply)
            {
                take(event, self.parts.get(reply), &mut found);
            }
        }
        let with_calls: Vec<EventIdx> = stretch.iter().chain(&found).copied().collect();
        for idx in with_calls {
            let event = self.log.record(idx);
            for block in event.body.all_blocks() {
                if let BlockKind::Call(call) = &block.kind {
                    take(event, self.results.get(&call.id), &mut found);
                }
            }
        }
        found
    }
}

fn report_copies(log: &EventLog, problems: &mut Vec<Problem>) {
    let mut run: Option<(&SessionEvent, BTreeSet<u64>)> = None;
    let mut close = |run: Option<(&SessionEvent, BTreeSet<u64>)>| {
        let Some((first, lines)) = run else { return };
        let place = Place::at_entry(first.line, first.entry.clone());
        problems.push(Problem { place, kind: ProblemKind::RowsRepeated { n_rows: lines.len() as u64 } });
    };
    for (at, event) in log.events().iter().enumerate() {
        if log.original_of(EventIdx::new(at)).is_some() {
            run.get_or_insert_with(|| (event, BTreeSet::new())).1.insert(event.line);
        } else if event.parent != Parent::Outside {
            close(run.take());
        }
    }
    close(run);
}

fn report_odd_ids(log: &EventLog, problems: &mut Vec<Problem>) -> BTreeSet<EntryId> {
    let mut missing = BTreeSet::new();
    let is_in_tree = |idx: EventIdx| log.record(idx).parent != Parent::Outside;
    // One flag for the session, one for subagent conversations.
    let mut has_begun = [false; 2];
    for (at, event) in log.events().iter().enumerate() {
        let place = || Place::at_entry(event.line, event.entry.clone());
        // Two records rarely share an id; only the first is checked.
        let is_first = || log.all_of(&event.entry).find(|idx| is_in_tree(*idx)) == Some(EventIdx::new(at));
        if event.parent != Parent::Outside && !is_first() {
            let kind = ProblemKind::EntryRepeated { entry: event.entry.clone() };
            problems.push(Problem { place: place(), kind });
        }
        if let Parent::Entry(parent) | Parent::Woven(parent) = &event.parent
            && log.find_record(parent).is_none()
        {
            let parent = parent.clone();
            missing.insert(parent.clone());
            let kind = match event.parent {
                Parent::Woven(_) if !has_begun[usize::from(event.side)] => {
                    ProblemKind::MissingHistory { before: parent.as_str().into() }
                }
                Parent::Woven(_) => ProblemKind::MissingParent { parent },
                _ => ProblemKind::UnknownParent { parent },
            };
            problems.push(Problem { place: place(), kind });
        }
        has_begun[usize::from(event.side)] |= event.parent != Parent::Outside;
    }
    missing
}
