//! One turn's schedule: targets in eviction order with their steps, as a stack that can be undone from the
//! top.
//!
//! The order does not depend on the budget, which only limits the number of steps. The order changes little
//! between turns: a new segment is the newest, so it goes last.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::Range;

use super::columns::{NONE, SegmentColumns, to_u32};
use super::segment::{Event, Events, MANY, NameNumber, Segment, Segments};
use crate::graph::growth::TakenBy;
use crate::{Action, BlockIdx, Ledger, MessageIdx, Move, Replacement};

/// Actions on one target, in order; an act starts with the second.
const ACTIONS: [Action; 5] =
    [Action::Reasoning, Action::BulkOutput, Action::Shell, Action::Read, Action::Remove];

pub(super) struct SegmentTarget {
    pub(super) segment: u32,
    name: NameNumber,
    start: BlockIdx,
    latest_start: BlockIdx,
    next: usize,
    first_step: u32,
    stands: bool,
}

pub(super) struct ScheduleStep {
    pub(super) target: u32,
    pub(super) action: Action,
    pub(super) reached: bool,
    pub(super) before: u64,
    pub(super) after: u64,
    stands: bool,
    blocks: Range<u32>,
    empties: Range<u32>,
}

pub(super) struct Schedule<'a> {
    pub(super) columns: SegmentColumns<'a>,
    pub(super) events: Events<'a>,
    pub(super) segments: Segments,
    targets: Vec<SegmentTarget>,
    steps: Vec<ScheduleStep>,
    taken: Vec<BlockIdx>,
    taken_empties: Vec<u32>,
    n_steps: usize,
    /// The target by which each name counts as evicted; [`NONE`] otherwise.
    evicted_at: Vec<u32>,
    /// Per name: how many names not counted as evicted list it.
    waiting: Vec<u32>,
    ready: BTreeSet<(BlockIdx, NameNumber)>,
    step_of: Vec<u32>,
    /// Per call group: the step that took a call in it with all results.
    swept_by: Vec<u32>,
    pub(super) gone: Vec<bool>,
    /// Messages in [`SegmentFacts::empties`] removed by the harness itself.
    dropped_empties: Vec<bool>,
    pub(super) touched: Vec<BlockIdx>,
    found: Vec<BlockIdx>,
}

impl<'a> Schedule<'a> {
    pub(super) fn new(columns: SegmentColumns<'a>, events: Events<'a>) -> Self {
        let (n_names, n_blocks) = (events.names.len(), columns.session.blocks.len());
        Self {
            segments: Segments::new(n_names, columns.session.messages.len()),
            targets: Vec::new(),
            steps: Vec::new(),
            taken: Vec::new(),
            taken_empties: Vec::new(),
            n_steps: 0,
            evicted_at: alloc::vec![NONE; n_names],
            waiting: alloc::vec![0; n_names],
            ready: BTreeSet::new(),
            step_of: alloc::vec![NONE; n_blocks],
            swept_by: alloc::vec![NONE; n_blocks],
            gone: alloc::vec![false; columns.facts.empties.len()],
            dropped_empties: alloc::vec![false; columns.facts.empties.len()],
            touched: Vec::new(),
            found: Vec::new(),
            columns,
            events,
        }
    }

    pub(super) fn on_event(&mut self, result: BlockIdx, ledger: &mut Ledger<'_>) {
        let Some(event) = self.events.event_at(result) else { return };
        let ended = event.ending_segment();
        if let &(Event::Start { name, is_act, ref lists } | Event::Whole { name, is_act, ref lists }) = event
        {
            let lists = lists.clone();
            self.segments.begin_segment(name, is_act, result);
            for at in lists {
                self.link_names(name, self.events.listed[at], ledger);
            }
        }
        if let Some(ended) = ended
            && let Some(number) = self.segments.end_segment(ended, result, &self.columns)
        {
            self.on_segment_end(number, ledger);
        }
    }

    fn link_names(&mut self, by: NameNumber, on: NameNumber, ledger: &mut Ledger<'_>) {
        let (went, freed) = (self.evicted_at[on as usize], self.evicted_at[by as usize]);
        if went != NONE && freed == NONE {
            self.withdraw_target(went, ledger);
        } else if went != NONE && freed >= went {
            // The listing name was evicted later, by an older segment. The listed name now goes right after
            // the listing name, before others.
            self.undo_from(went as usize, ledger);
        }
        if self.segments.link_names(by, on) && self.evicted_at[by as usize] == NONE {
            self.waiting[on as usize] += 1;
            self.refresh_name(on);
        }
    }

    fn on_segment_end(&mut self, number: u32, ledger: &mut Ledger<'_>) {
        let Segment { name, start, .. } = self.segments.all[number as usize];
        let first = self.segments.first_closed[name as usize];
        if first != NONE && self.segments.all[first as usize].start < start {
            return;
        }
        let free = self.segments.dependents_of(name).map(|by| self.evicted_at[by as usize]).max();
        let from = match free {
            None => Some(0),
            Some(NONE) => None,
            Some(last) => Some(last as usize + 1),
        };
        let is_late = self.targets.last().is_some_and(|last| last.latest_start > start);
        if let Some(from) = from
            && is_late
            && let Some(later) = self
                .targets
                .get(from..)
                .and_then(|targets| targets.iter().position(|target| target.stands && target.start > start))
        {
            self.undo_from(from + later, ledger);
        }
        if first != NONE {
            self.ready.remove(&(self.segments.all[first as usize].start, name));
        }
        self.segments.first_closed[name as usize] = number;
        self.refresh_name(name);
    }

    fn refresh_name(&mut self, name: NameNumber) {
        let first = self.segments.first_closed[name as usize];
        if first == NONE {
            return;
        }
        let key = (self.segments.all[first as usize].start, name);
        if self.waiting[name as usize] == 0 && self.evicted_at[name as usize] == NONE {
            self.ready.insert(key);
        } else {
            self.ready.remove(&key);
        }
    }

    fn set_evicted(&mut self, name: NameNumber, at: u32) {
        self.evicted_at[name as usize] = at;
        self.refresh_name(name);
        let listed: Vec<NameNumber> = self.segments.names_listed_by(name).collect();
        for on in listed {
            let waiting = &mut self.waiting[on as usize];
            *waiting = if at == NONE { *waiting + 1 } else { waiting.saturating_sub(1) };
            self.refresh_name(on);
        }
    }

    pub(super) fn advance_to_budget(&mut self, budget: u64, ledger: &mut Ledger<'_>) {
        while ledger.total() > budget {
            match self.targets.last().filter(|target| target.next < ACTIONS.len()) {
                Some(_) => self.go_on(ledger),
                None => {
                    let Some(&(start, name)) = self.ready.first() else { return };
                    self.begin_segment(name, start);
                }
            }
        }
    }

    fn begin_segment(&mut self, name: NameNumber, start: BlockIdx) {
        let segment = self.segments.first_closed[name as usize];
        let latest_start = self.targets.last().map_or(start, |last| last.latest_start.max(start));
        let next = usize::from(self.segments.all[segment as usize].is_act);
        let first_step = to_u32(self.steps.len());
        self.targets.push(SegmentTarget {
            segment,
            name,
            start,
            latest_start,
            next,
            first_step,
            stands: true,
        });
        self.set_evicted(name, to_u32(self.targets.len() - 1));
    }

    fn go_on(&mut self, ledger: &mut Ledger<'_>) {
        let number = to_u32(self.targets.len() - 1);
        let Some(target) = self.targets.last_mut() else { return };
        let segment = &self.segments.all[target.segment as usize];
        if !ledger.state(segment.start).is_there() {
            // The start is already gone: no steps, but the name counts as evicted.
            target.next = ACTIONS.len();
            return;
        }
        let action = ACTIONS[target.next];
        target.next += 1;
        // Without its end, a segment is only its start.
        let end = segment.end.filter(|end| ledger.state(*end).is_there()).unwrap_or(segment.start);
        let range = segment.message_range(&self.columns, end);
        let before = ledger.total();
        let first = (to_u32(self.taken.len()), to_u32(self.taken_empties.len()));
        let reached = self.take_range(action, &range, ledger);
        let (blocks, empties) =
            (first.0..to_u32(self.taken.len()), first.1..to_u32(self.taken_empties.len()));
        if blocks.is_empty() && empties.is_empty() && action != Action::Remove {
            return;
        }
        let after = ledger.total();
        self.steps.push(ScheduleStep {
            target: number,
            action,
            reached,
            before,
            after,
            stands: true,
            blocks,
            empties,
        });
        self.n_steps += 1;
    }

    /// Takes an action's blocks from `range`; returns whether the level is then reached.
    fn take_range(&mut self, action: Action, range: &Range<usize>, ledger: &mut Ledger<'_>) -> bool {
        let mut found = core::mem::take(&mut self.found);
        found.clear();
        let mut reached = true;
        let part = match action {
            Action::Reasoning => Some(TakenBy::Reasoning),
            Action::BulkOutput => Some(TakenBy::Bulk),
            Action::Shell => Some(TakenBy::Shell),
            Action::Read => Some(TakenBy::Read),
            _ => None,
        };
        let taken_by = &self.columns.facts.taken_by;
        for block in self.columns.blocks_in(range.clone()) {
            let own = taken_by[block.at()];
            let goes = part.map_or(own != TakenBy::Fixed, |part| own == part);
            // Shell commands and reads are one level, which is not reached while reads are left.
            let stays_behind = action == Action::Shell && own == TakenBy::Read;
            if (goes || stays_behind) && ledger.state(block).may_go() {
                if goes {
                    found.push(block);
                } else {
                    reached = false;
                }
            }
        }
        let number = to_u32(self.steps.len());
        let by_call = part.is_some_and(TakenBy::is_call);
        let n_found = found.len();
        for at in 0..n_found {
            let block = found[at];
            ledger.take_block(block);
            let group = self.columns.group_of(block);
            if !by_call || group == NONE || self.swept_by[group as usize] != NONE {
                continue;
            }
            self.swept_by[group as usize] = number;
            self.columns.each_result(group, |result| {
                if ledger.state(result).may_go() {
                    ledger.take_block(result);
                    found.push(result);
                }
            });
        }
        if found.len() > n_found || self.columns.has_displaced() {
            found.sort_unstable();
        }
        for block in &found {
            self.step_of[block.at()] = number;
        }
        self.taken.extend_from_slice(&found);
        self.touched.extend_from_slice(&found);
        self.found = found;
        if by_call || part.is_none() {
            for at in self.columns.empty_places(range) {
                let (_, is_reply) = self.columns.facts.empties[at];
                if !self.gone[at] && !self.dropped_empties[at] && (is_reply || part.is_none()) {
                    self.gone[at] = true;
                    self.taken_empties.push(to_u32(at));
                }
            }
        }
        reached
    }

    fn put_back(&mut self, number: usize, ledger: &mut Ledger<'_>) {
        let step = &mut self.steps[number];
        if !core::mem::replace(&mut step.stands, false) {
            return;
        }
        self.n_steps -= 1;
        for &block in &self.taken[step.blocks.start as usize..step.blocks.end as usize] {
            ledger.apply_move(Move::In(block));
            self.touched.push(block);
            let group = self.columns.group_of(block);
            if group != NONE && self.swept_by[group as usize] as usize == number {
                self.swept_by[group as usize] = NONE;
            }
        }
        for &at in &self.taken_empties[step.empties.start as usize..step.empties.end as usize] {
            self.gone[at as usize] = false;
        }
    }

    pub(super) fn undo_step(&mut self, number: usize, ledger: &mut Ledger<'_>) {
        let target = self.steps[number].target as usize;
        let action = self.steps[number].action;
        self.undo_from(target + 1, ledger);
        self.drop_steps(number, ledger);
        let next = ACTIONS.iter().position(|one| *one == action).unwrap_or(0);
        if let Some(target) = self.targets.last_mut() {
            target.next = next;
        }
    }

    fn drop_steps(&mut self, from: usize, ledger: &mut Ledger<'_>) {
        for number in (from..self.steps.len()).rev() {
            self.put_back(number, ledger);
            let step = &self.steps[number];
            self.taken.truncate(step.blocks.start as usize);
            self.taken_empties.truncate(step.empties.start as usize);
        }
        self.steps.truncate(from);
    }

    pub(super) fn undo_from(&mut self, from: usize, ledger: &mut Ledger<'_>) {
        while self.targets.len() > from || self.targets.last().is_some_and(|last| !last.stands) {
            let Some(target) = self.targets.pop() else { return };
            self.drop_steps(target.first_step as usize, ledger);
            if target.stands {
                self.set_evicted(target.name, NONE);
            }
        }
    }

    /// Removes a target from below later ones. If later targets may depend on it, they are undone
    /// too.
    fn withdraw_target(&mut self, number: u32, ledger: &mut Ledger<'_>) {
        let at = number as usize;
        let Some(next) = self.targets.get(at + 1).filter(|_| self.is_apart(at)) else {
            return self.undo_from(at, ledger);
        };
        for step in self.targets[at].first_step as usize..next.first_step as usize {
            self.put_back(step, ledger);
        }
        self.targets[at].stands = false;
        self.set_evicted(self.targets[at].name, NONE);
    }

    /// Returns `true` if later targets do not depend on this one: its eviction freed no later target, and
    /// nothing it took is within their reach.
    fn is_apart(&self, at: usize) -> bool {
        let target = &self.targets[at];
        let Segment { start, end: Some(end), .. } = self.segments.all[target.segment as usize] else {
            return false;
        };
        let range = self.columns.message_of(start)..self.columns.message_of(end) + 1;
        let counts = |name: NameNumber| self.evicted_at[name as usize] != NONE;
        let frees = self.segments.names_listed_by(target.name).any(counts);
        let is_own = |message: usize| self.segments.covering_segment(message) == target.segment;
        if !self.columns.is_plain || frees || !range.clone().all(is_own) {
            return false;
        }
        let in_reach = |block: BlockIdx| match self.segments.covering_segment(self.columns.message_of(block))
        {
            NONE => false,
            MANY => true,
            other => other != target.segment && counts(self.segments.all[other as usize].name),
        };
        let end = self.targets.get(at + 1).map_or(self.steps.len(), |next| next.first_step as usize);
        let steps = self.steps[target.first_step as usize..end].iter();
        !steps.flat_map(|step| self.blocks_of(step)).any(|block| {
            // With unambiguous ids, a group's number is the index of its call.
            let group = self.columns.group_of(*block);
            let call = (group != NONE).then(|| BlockIdx::new(group as usize));
            in_reach(*block)
                || call.is_some_and(|call| self.columns.facts.taken_by[call.at()].is_call() && in_reach(call))
        })
    }

    pub(super) fn drop_unneeded(&mut self, budget: u64, ledger: &mut Ledger<'_>) {
        while ledger.total() <= budget {
            let Some(last) = self.targets.last() else { return };
            // A target without steps counts only if the pass reached it.
            if last.first_step as usize == self.steps.len() {
                self.undo_from(self.targets.len() - 1, ledger);
            } else {
                self.undo_step(self.steps.len() - 1, ledger);
            }
        }
    }

    pub(super) fn reconsider_block(&mut self, block: BlockIdx, ledger: &mut Ledger<'_>) {
        let message = self.columns.message_of(block);
        let holds = |target: &SegmentTarget| {
            let segment = &self.segments.all[target.segment as usize];
            let range = segment.end.map(|end| segment.message_range(&self.columns, end));
            target.stands && range.is_some_and(|range| self.columns.stands_in(message, &range))
        };
        if let Some(target) = self.targets.iter().position(holds) {
            self.undo_from(target, ledger);
        }
        self.late_result(block, ledger);
    }

    pub(super) fn late_result(&mut self, block: BlockIdx, ledger: &mut Ledger<'_>) {
        let group = self.columns.group_of(block);
        if group != NONE
            && let swept_by = self.swept_by[group as usize]
            && swept_by != NONE
        {
            self.undo_step(swept_by as usize, ledger);
        }
    }

    pub(super) fn on_harness_removal(&mut self, block: BlockIdx, ledger: &mut Ledger<'_>) {
        if ledger.state(block).is_taken() {
            self.undo_step(self.step_of[block.at()] as usize, ledger);
        }
    }

    pub(super) fn apply_bare(&mut self, replacement: &Replacement, ledger: &mut Ledger<'_>) {
        let Replacement { drops_bare, restores_bare, .. } = replacement;
        let all = drops_bare.iter().map(|message| (*message, true));
        for (message, is_dropped) in all.chain(restores_bare.iter().map(|message| (*message, false))) {
            if let Some(at) = self.columns.empty_place(message) {
                self.undo_from(0, ledger);
                self.dropped_empties[at] = is_dropped;
            }
        }
    }

    pub(super) fn rebuild(&mut self, ledger: &mut Ledger<'_>) {
        self.undo_from(0, ledger);
        let n_names = self.events.names.len();
        self.segments = Segments::new(n_names, self.columns.session.messages.len());
        self.waiting.fill(0);
        self.ready.clear();
        let stands =
            |block: &BlockIdx| ledger.state(*block).has_arrived() && !ledger.state(*block).is_dropped();
        let results: Vec<BlockIdx> = self.events.event_results().filter(stands).collect();
        for result in results {
            self.on_event(result, ledger);
        }
    }

    pub(super) fn n_steps(&self) -> usize {
        self.n_steps
    }

    pub(super) fn taken_steps(&self) -> impl Iterator<Item = &ScheduleStep> {
        self.steps.iter().filter(|step| step.stands)
    }

    pub(super) fn segment_of(&self, step: &ScheduleStep) -> &Segment {
        &self.segments.all[self.targets[step.target as usize].segment as usize]
    }

    pub(super) fn blocks_of(&self, step: &ScheduleStep) -> &[BlockIdx] {
        &self.taken[step.blocks.start as usize..step.blocks.end as usize]
    }

    pub(super) fn empties_of(&self, step: &ScheduleStep) -> impl Iterator<Item = MessageIdx> + '_ {
        let taken = &self.taken_empties[step.empties.start as usize..step.empties.end as usize];
        taken.iter().map(|at| MessageIdx::new(self.columns.facts.empties[*at as usize].0 as usize))
    }

    pub(super) fn evicted_names(&self) -> impl Iterator<Item = NameNumber> + '_ {
        self.targets.iter().filter(|target| target.stands).map(|target| target.name)
    }
}
