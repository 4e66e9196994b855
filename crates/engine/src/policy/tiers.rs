//! `tiers`: working, recall and archive memory, with paging between them (MemGPT).
//!
//! Over the budget the oldest turns are paged out down to the low mark, each span under a summary of its own: that is
//! recall. Where recall grows too large its older half goes under one summary of summaries: that is the archive.
//! When a later call names what was paged out, and the agent has not got it again by itself, it is paged in, to the
//! letter and at its own place, if there is room; it then stays for some turns, so that nothing goes back and forth.

use alloc::boxed::Box;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::extract::Extract;
use super::past::{self, Past, turns_back};
use super::running::{span_of, summary_of};
use crate::{
    Action, BlockIdx, BlockKind, KeptReason, OptionSpec, Pass, PolicyRun, ReplayInput, StateAt, Subject,
    Summary, Transition,
};

const KEEP_TURNS: OptionSpec = OptionSpec::of("tiers", "keep_turns");
const LOW: OptionSpec = OptionSpec::of("tiers", "low");
const PAGE: OptionSpec = OptionSpec::of("tiers", "page");
const RECALL: OptionSpec = OptionSpec::of("tiers", "recall");
const ARCHIVE: OptionSpec = OptionSpec::of("tiers", "archive");
const PAGE_IN: OptionSpec = OptionSpec::of("tiers", "page_in");
const STAY: OptionSpec = OptionSpec::of("tiers", "stay");

const NONE: u32 = u32::MAX;

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let n_blocks = input.session.blocks.len();
    let units = |spec| input.options.number(spec).saturating_mul(input.table.divisor().into());
    Box::new(Tiers {
        past: Past::new(input.session),
        extract: Extract::new(input.material, n_blocks),
        low: input.share(input.options.number(&LOW)),
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
    })
}

pub(super) fn kept(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    past::kept(input, state, block, input.options.number(&KEEP_TURNS))
}

/// A summary that stands for turns, or for summaries of them.
struct Page {
    /// Its stand-in; `None` while it stands for nothing.
    number: Option<u32>,
    units: u64,
    lines: Arc<[u32]>,
    /// The turns that it covers, by their places.
    covers: Range<usize>,
    depth: u32,
    /// Blocks that it stands for and that the harness has not taken.
    n_left: usize,
    /// The archive that has taken it in.
    under: Option<u32>,
}

struct Tiers<'a> {
    past: Past<'a>,
    extract: Extract<'a>,
    /// Tokens.
    low: u64,
    page_units: u64,
    archive_units: u64,
    /// Everything before this turn, by its place, was looked at.
    walked: usize,
    /// For each block the page that it was first paged out to.
    page_of: Vec<u32>,
    pages: Vec<Page>,
    /// Pages of turns, the oldest first.
    recall: VecDeque<u32>,
    archive: Option<u32>,
    /// Pages of which the harness has taken something since the last pass.
    changed: BTreeSet<u32>,
    next_use: usize,
    /// The blocks that were paged in, each with the turn from which on it may go again.
    staying: VecDeque<(usize, BlockIdx)>,
}

impl Tiers<'_> {
    /// Returns the page under which a block's lines stand now.
    fn page(&self, block: BlockIdx) -> Option<u32> {
        let own = self.page_of[block.at()];
        let page = self.pages.get(own as usize)?;
        // Only one archive is ever made anew, so that one step leads to it.
        Some(page.under.and(self.archive).unwrap_or(own))
    }

    /// Makes pages anew without the blocks that the harness has taken; empty ones go.
    fn restate(&mut self, pass: &mut Pass<'_>) {
        for id in core::mem::take(&mut self.changed) {
            let Some(page) = self.pages.get(id as usize) else { continue };
            let Some(number) = page.number else { continue };
            let (covers, depth) = (page.covers.clone(), page.depth);
            let digest = &pass.input.material.digest;
            let is_there = |line: &&u32| !pass.state(digest[**line as usize].block).is_dropped();
            let lines: Vec<u32> = page.lines.iter().filter(is_there).copied().collect();
            let is_empty = page.n_left == 0;
            if !is_empty && lines.len() == page.lines.len() {
                continue;
            }
            pass.lift(number);
            if is_empty {
                self.pages[id as usize].number = None;
                self.recall.retain(|known| *known != id);
                if self.archive == Some(id) {
                    self.archive = None;
                }
            } else {
                self.stand(id, summary_of(&covers, depth, lines, &pass.input), pass);
            }
            let action = if depth == 0 { Action::Summarise } else { Action::Archive };
            pass.step(span_of(&covers), action);
        }
    }

    /// Puts a page's summary into the context.
    fn stand(&mut self, id: u32, summary: Summary, pass: &mut Pass<'_>) {
        let page = &mut self.pages[id as usize];
        page.units = summary.units;
        page.lines = Arc::clone(&summary.lines);
        page.number = Some(pass.place(summary));
    }

    fn new_page(&mut self, covers: Range<usize>, depth: u32, n_left: usize) -> u32 {
        let lines = Arc::from([]);
        self.pages.push(Page { number: None, units: 0, lines, covers, depth, n_left, under: None });
        u32::try_from(self.pages.len() - 1).unwrap_or(NONE)
    }

    /// Pages out the oldest turns before `most` until the low mark is reached, under one summary; undone where that
    /// lowers nothing.
    fn page_out(&mut self, most: usize, pass: &mut Pass<'_>) {
        let ReplayInput { session, table, .. } = pass.input;
        let before = pass.total();
        self.extract.clear();
        let (mut fresh, mut summary) = (0, None);
        let mut covers = self.walked.min(most)..most;
        for end in self.walked.min(most)..=most {
            let n_taken = pass.taken().len();
            self.past.take(session.turns[end].end, pass);
            self.walked = self.walked.max(end);
            for block in &pass.taken()[n_taken..] {
                // A block that was paged out before has its lines in a page already.
                if self.page_of[block.at()] == NONE {
                    self.extract.add(*block);
                    fresh += 1;
                }
            }
            covers.end = end;
            let is_low = pass.total() <= self.low;
            if pass.taken().is_empty() || end < most && !is_low {
                continue;
            }
            if fresh == 0 {
                if is_low {
                    break;
                }
                continue;
            }
            let lines = self.extract.choose(self.page_units, pass, |_| true);
            covers.start = covers.start.min(end.saturating_sub(1));
            let made = summary_of(&covers, 0, lines, &pass.input);
            let enough = pass.total() + table.tokens(made.units) <= self.low;
            summary = Some(made);
            if enough {
                break;
            }
        }
        let cost = summary.as_ref().map_or(0, |summary| table.tokens(summary.units));
        if pass.total() + cost >= before {
            self.past.reconsider(pass.taken().iter().copied());
            return pass.undo();
        }
        if let Some(summary) = summary {
            let id = self.new_page(covers.clone(), 0, fresh);
            for block in pass.taken() {
                let page = &mut self.page_of[block.at()];
                if *page == NONE {
                    *page = id;
                }
            }
            self.stand(id, summary, pass);
            self.recall.push_back(id);
        }
        pass.step(span_of(&covers), Action::Summarise);
    }

    /// Puts the older half of recall, and what is archived, under one summary, where recall is too large.
    fn archive(&mut self, pass: &mut Pass<'_>) {
        let table = pass.input.table;
        let tokens = |page: &Page| table.tokens(page.units);
        let size: u64 = self.recall.iter().map(|id| tokens(&self.pages[*id as usize])).sum();
        let n_old = self.recall.len().div_ceil(2);
        if size <= pass.input.options.number(&RECALL) || n_old + usize::from(self.archive.is_some()) < 2 {
            return;
        }
        let old: Vec<u32> = self.archive.into_iter().chain(self.recall.iter().take(n_old).copied()).collect();
        self.extract.clear();
        let (mut lifted, mut n_left, mut start, mut end) = (0, 0, usize::MAX, 0);
        for id in &old {
            let page = &self.pages[*id as usize];
            page.lines.iter().for_each(|line| self.extract.add_line(*line));
            lifted += tokens(page);
            n_left += page.n_left;
            start = start.min(page.covers.start);
            end = end.max(page.covers.end);
        }
        let covers = start..end;
        let lines = self.extract.choose(self.archive_units, pass, |_| true);
        let summary = summary_of(&covers, 1, lines, &pass.input);
        if table.tokens(summary.units) >= lifted {
            return;
        }
        let archive = self.new_page(covers.clone(), 1, n_left);
        for id in old {
            let page = &mut self.pages[id as usize];
            page.under = Some(archive);
            if let Some(number) = page.number.take() {
                pass.lift(number);
            }
        }
        self.recall.drain(..n_old);
        self.archive = Some(archive);
        self.stand(archive, summary, pass);
        pass.step(span_of(&covers), Action::Archive);
    }

    /// Pages in what the calls of the last turn name, as far as there is room.
    fn page_in(&mut self, pass: &mut Pass<'_>) {
        let ReplayInput { session, material, options, .. } = pass.input;
        let mut room = options.number(&PAGE_IN);
        while let Some(one) = material.uses.get(self.next_use).filter(|one| pass.state(one.by).has_arrived())
        {
            self.next_use += 1;
            let is_call = matches!(session.blocks[one.by.at()].kind, BlockKind::Call(_));
            let has_it_again = one.again.is_some_and(|again| pass.state(again).has_arrived());
            let held = pass.state(one.held);
            let is_out = held.is_taken() && !held.is_dropped();
            if !is_call || pass.state(one.by).is_dropped() || has_it_again || !is_out {
                continue;
            }
            let before = pass.total();
            // The policy puts back even the blocks that the harness has dropped: they come back with the others if
            // the harness restores them.
            for block in pass.input.growth.pair(one.held) {
                if !pass.state(block).has_arrived() {
                    break;
                }
                if pass.state(block).is_taken() {
                    pass.put_back(block);
                }
            }
            let size = pass.total() - before;
            if size > room || pass.is_over() {
                pass.undo();
                continue;
            }
            room -= size;
            let stay = usize::try_from(options.number(&STAY)).unwrap_or(usize::MAX);
            self.staying.push_back((pass.turn.at().saturating_add(stay), one.held));
            pass.step(Subject::Output(one.held), Action::PageIn);
        }
    }
}

impl PolicyRun for Tiers<'_> {
    fn told(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.past.told(transition, pass);
        if let Some((block, is)) = transition.by_harness()
            && let Some(id) = self.page(block)
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

    fn pass(&mut self, pass: &mut Pass<'_>) {
        while self.staying.front().is_some_and(|(until, _)| *until <= pass.turn.at()) {
            let Some((_, held)) = self.staying.pop_front() else { break };
            self.past.reconsider([held]);
        }
        self.restate(pass);
        if pass.is_over() {
            self.page_out(turns_back(pass.turn, pass.input.options.number(&KEEP_TURNS)), pass);
            if pass.is_over() {
                self.page_out(turns_back(pass.turn, 1), pass);
            }
            self.archive(pass);
        }
        self.page_in(pass);
    }
}
