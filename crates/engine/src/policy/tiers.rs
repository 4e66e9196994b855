//! `tiers`: working, recall and archive memory with paging (MemGPT).
//!
//! Over the budget, the oldest turns are paged out down to the low mark, and a summary of each
//! span is stored outside the context, in recall. If recall grows too large, its older half goes
//! under one summary of summaries, the archive, also outside. If a later call names paged-out
//! content and the agent did not get it again by itself, it is paged in at its own place or, if
//! there is no room, its summary is. Paged-in content stays for some turns to avoid thrashing.
//!
//! Each new summary is placed and lifted within one step. The step log thus prices its model call,
//! though no request ever contains it.

use alloc::boxed::Box;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::evictable::EvictableHistory;
use super::extract::Extract;
use super::open_loop::{self, OpenLoop};
use super::running::{span_of, summary_of};
use crate::{
    Action, BlockIdx, KeptReason, OptionSpec, PairSide, Pass, PolicyRun, ReplayInput, StateAt, Subject,
    Summary, Transition,
};

const KEEP_TURNS: OptionSpec = OptionSpec::look_up("tiers", "keep_turns");
const LOW: OptionSpec = OptionSpec::look_up("tiers", "low");
const PAGE: OptionSpec = OptionSpec::look_up("tiers", "page");
const RECALL: OptionSpec = OptionSpec::look_up("tiers", "recall");
const ARCHIVE: OptionSpec = OptionSpec::look_up("tiers", "archive");
const PAGE_IN: OptionSpec = OptionSpec::look_up("tiers", "page_in");
const STAY: OptionSpec = OptionSpec::look_up("tiers", "stay");

const NONE: u32 = u32::MAX;

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let n_blocks = input.session.blocks.len();
    let units = |spec| input.options.number_value(spec).saturating_mul(input.table.divisor().into());
    Box::new(Tiers {
        past: EvictableHistory::new(input.session),
        open_loop: OpenLoop::new(input),
        extract: Extract::new(input.material, n_blocks),
        low: input.share_of_budget(input.options.number_value(&LOW)),
        page_units: units(&PAGE),
        archive_units: units(&ARCHIVE),
        walked: 0,
        page_of: alloc::vec![NONE; n_blocks],
        pages: Vec::new(),
        recall: VecDeque::new(),
        archive: None,
        changed: BTreeSet::new(),
        next_use: 0,
        staying: VecDeque::new(),
        shown: VecDeque::new(),
    })
}

pub(super) fn kept_reason(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    open_loop::kept_reason(input, state, block, input.options.number_value(&KEEP_TURNS))
}

struct TierSummary {
    number: Option<u32>,
    units: u64,
    lines: Arc<[u32]>,
    covers: Range<usize>,
    depth: u32,
    n_left: usize,
    under: Option<u32>,
}

struct Tiers<'a> {
    past: EvictableHistory<'a>,
    open_loop: OpenLoop,
    extract: Extract<'a>,
    low: u64,
    page_units: u64,
    archive_units: u64,
    walked: usize,
    page_of: Vec<u32>,
    pages: Vec<TierSummary>,
    recall: VecDeque<u32>,
    archive: Option<u32>,
    changed: BTreeSet<u32>,
    next_use: usize,
    /// Paged-in blocks, each with the turn from which it may go again.
    staying: VecDeque<(usize, BlockIdx)>,
    /// Paged-in summaries, each with the turn at which it leaves.
    shown: VecDeque<(usize, u32)>,
}

impl Tiers<'_> {
    fn page_of(&self, block: BlockIdx) -> Option<u32> {
        let own = self.page_of[block.at()];
        let page = self.pages.get(own as usize)?;
        // Only one archive is current, so one step is enough.
        Some(page.under.and(self.archive).unwrap_or(own))
    }

    fn restate_pages(&mut self, pass: &mut Pass<'_>) {
        for id in core::mem::take(&mut self.changed) {
            let Some(page) = self.pages.get(id as usize) else { continue };
            let Some(number) = page.number else { continue };
            let (covers, n_lines) = (page.covers.clone(), page.lines.len());
            let summary = self.write_summary(id, pass);
            if summary.as_ref().is_some_and(|summary| summary.lines.len() == n_lines) {
                continue;
            }
            pass.lift_summary(number);
            self.pages[id as usize].number = None;
            if let Some(summary) = summary {
                self.show_page(id, summary, pass);
            }
            pass.end_step(span_of(&covers), Action::PageOut);
        }
    }

    fn write_summary(&self, id: u32, pass: &Pass<'_>) -> Option<Summary> {
        let page = &self.pages[id as usize];
        let digest = &pass.input.material.digest;
        let is_there = |line: &&u32| !pass.state(digest[**line as usize].block).is_dropped();
        let lines: Vec<u32> = page.lines.iter().filter(is_there).copied().collect();
        let is_left = page.n_left > 0 && !lines.is_empty();
        is_left.then(|| summary_of(&page.covers, page.depth, lines, &pass.input))
    }

    fn keep_page(&mut self, id: u32, summary: Summary, pass: &mut Pass<'_>) {
        let page = &mut self.pages[id as usize];
        page.units = summary.units;
        page.lines = Arc::clone(&summary.lines);
        let number = pass.place_summary(summary);
        pass.lift_summary(number);
    }

    fn show_page(&mut self, id: u32, summary: Summary, pass: &mut Pass<'_>) {
        let page = &mut self.pages[id as usize];
        page.units = summary.units;
        page.lines = Arc::clone(&summary.lines);
        page.number = Some(pass.place_summary(summary));
    }

    fn hide_expired(&mut self, pass: &mut Pass<'_>) {
        while self.shown.front().is_some_and(|(until, _)| *until <= pass.turn.at()) {
            let Some((_, id)) = self.shown.pop_front() else { break };
            let page = &mut self.pages[id as usize];
            if let Some(number) = page.number.take() {
                let covers = page.covers.clone();
                pass.lift_summary(number);
                pass.end_step(span_of(&covers), Action::PageOut);
            }
        }
    }

    fn new_page(&mut self, covers: Range<usize>, depth: u32, n_left: usize) -> u32 {
        let lines = Arc::from([]);
        self.pages.push(TierSummary { number: None, units: 0, lines, covers, depth, n_left, under: None });
        u32::try_from(self.pages.len() - 1).unwrap_or(NONE)
    }

    fn page_out(&mut self, most: usize, pass: &mut Pass<'_>) {
        let session = pass.input.session;
        let before = pass.total();
        self.extract.clear_lines();
        let mut fresh = 0;
        let mut covers = self.walked.min(most)..most;
        for end in self.walked.min(most)..=most {
            let n_taken = pass.taken_blocks().len();
            self.past.take_before(session.turns[end].end, pass);
            self.walked = self.walked.max(end);
            for block in &pass.taken_blocks()[n_taken..] {
                // A block paged out earlier already has its lines in a page.
                if self.page_of[block.at()] == NONE {
                    self.extract.add_block(*block);
                    fresh += 1;
                }
            }
            covers.end = end;
            if pass.total() <= self.low + pass.history() && !pass.taken_blocks().is_empty() {
                break;
            }
        }
        if pass.total() >= before {
            self.past.reconsider_blocks(pass.taken_blocks().iter().copied());
            return pass.undo_step();
        }
        covers.start = covers.start.min(covers.end.saturating_sub(1));
        if fresh > 0 {
            let lines = self.extract.choose_lines(self.page_units, pass, |_| true);
            let summary = summary_of(&covers, 0, lines, &pass.input);
            let id = self.new_page(covers.clone(), 0, fresh);
            for block in pass.taken_blocks() {
                let page = &mut self.page_of[block.at()];
                if *page == NONE {
                    *page = id;
                }
            }
            self.keep_page(id, summary, pass);
            self.recall.push_back(id);
            self.archive_pages(pass);
        }
        pass.end_step(span_of(&covers), Action::PageOut);
    }

    fn archive_pages(&mut self, pass: &mut Pass<'_>) {
        let table = pass.input.table;
        let tokens = |page: &TierSummary| table.tokens_from_units(page.units);
        let size: u64 = self.recall.iter().map(|id| tokens(&self.pages[*id as usize])).sum();
        let n_old = self.recall.len().div_ceil(2);
        if size <= pass.input.options.number_value(&RECALL) || n_old + usize::from(self.archive.is_some()) < 2
        {
            return;
        }
        let old: Vec<u32> = self.archive.into_iter().chain(self.recall.iter().take(n_old).copied()).collect();
        self.extract.clear_lines();
        let (mut n_left, mut start, mut end) = (0, usize::MAX, 0);
        for id in &old {
            let page = &self.pages[*id as usize];
            page.lines.iter().for_each(|line| self.extract.add_line(*line));
            n_left += page.n_left;
            start = start.min(page.covers.start);
            end = end.max(page.covers.end);
        }
        let covers = start..end;
        let lines = self.extract.choose_lines(self.archive_units, pass, |_| true);
        let summary = summary_of(&covers, 1, lines, &pass.input);
        let archive = self.new_page(covers, 1, n_left);
        for id in old {
            self.pages[id as usize].under = Some(archive);
        }
        self.recall.drain(..n_old);
        self.archive = Some(archive);
        self.keep_page(archive, summary, pass);
    }

    fn page_in(&mut self, pass: &mut Pass<'_>) {
        let ReplayInput { growth, material, options, .. } = pass.input;
        let mut room = options.number_value(&PAGE_IN);
        let stay = usize::try_from(options.number_value(&STAY)).unwrap_or(usize::MAX);
        while let Some(one) = material.uses.get(self.next_use).filter(|one| pass.state(one.by).has_arrived())
        {
            self.next_use += 1;
            let is_call = growth.side_of(one.by) == PairSide::Call;
            let has_it_again = one.again.is_some_and(|again| pass.state(again).has_arrived());
            let held = pass.state(one.held);
            let is_out = held.is_taken() && !held.is_dropped();
            if !is_call || pass.state(one.by).is_dropped() || has_it_again || !is_out {
                continue;
            }
            let before = pass.total();
            // Restores the policy's eviction even of blocks the harness has removed: if the
            // harness restores them, they return too.
            for block in growth.blocks_of_pair(one.held) {
                if !pass.state(block).has_arrived() {
                    break;
                }
                if pass.state(block).is_taken() {
                    pass.put_back(block);
                }
            }
            let size = pass.total() - before;
            let until = pass.turn.at().saturating_add(stay);
            if size <= room && !pass.is_over() {
                room -= size;
                self.staying.push_back((until, one.held));
                pass.end_step(Subject::Output(one.held), Action::PageIn);
                continue;
            }
            pass.undo_step();
            room -= self.recall_page(one.held, until, room, pass);
        }
    }

    /// Pages in the summary for a block if there is no room for the block itself; returns its size in
    /// tokens.
    fn recall_page(&mut self, block: BlockIdx, until: usize, room: u64, pass: &mut Pass<'_>) -> u64 {
        let id = self.page_of(block).filter(|id| self.pages[*id as usize].number.is_none());
        let Some((id, summary)) = id.and_then(|id| Some((id, self.write_summary(id, pass)?))) else {
            return 0;
        };
        let (before, covers) = (pass.total(), self.pages[id as usize].covers.clone());
        self.show_page(id, summary, pass);
        let size = pass.total() - before;
        if size > room || pass.is_over() {
            self.pages[id as usize].number = None;
            pass.undo_step();
            return 0;
        }
        self.shown.push_back((until, id));
        pass.end_step(span_of(&covers), Action::PageIn);
        size
    }
}

impl PolicyRun for Tiers<'_> {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.past.on_transition(transition, pass);
        self.open_loop.on_transition(transition, pass);
        if let Some((block, is)) = transition.by_harness()
            && let Some(id) = self.page_of(block)
        {
            let n_left = &mut self.pages[id as usize].n_left;
            if is.is_dropped() {
                *n_left = n_left.saturating_sub(1);
                self.changed.insert(id);
            } else {
                *n_left += 1;
            }
        }
    }

    fn on_release(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.past.on_release(block, pass);
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        while self.staying.front().is_some_and(|(until, _)| *until <= pass.turn.at()) {
            let Some((_, held)) = self.staying.pop_front() else { break };
            self.past.reconsider_blocks([held]);
        }
        self.hide_expired(pass);
        self.restate_pages(pass);
        if pass.is_over() {
            let keep_turns = pass.input.options.number_value(&KEEP_TURNS);
            self.page_out(self.open_loop.end_before_human(pass, keep_turns), pass);
            if pass.is_over() {
                self.page_out(self.open_loop.end_of_old(pass, 1), pass);
            }
        }
        self.page_in(pass);
    }
}
