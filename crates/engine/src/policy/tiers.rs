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
use super::past::{self, Past, reply_of, turns_back};
use crate::{
    Action, BlockIdx, BlockKind, EvictionStep, GraphChange, KeptReason, Ledger, Move, OptionSpec, PolicyRun,
    ReplayInput, StandIn, StateAt, StepLog, Subject, Summary, TurnIdx,
};

const KEEP_TURNS: OptionSpec = OptionSpec::number(
    "keep_turns",
    "1..",
    "4",
    1..=u32::MAX as u64,
    "the last turns, which are paged out last",
);
const LOW: OptionSpec = OptionSpec::number(
    "low",
    "1..1000 per mille",
    "700",
    1..=1000,
    "the share of the budget down to which it pages out",
);
const PAGE: OptionSpec = OptionSpec::number(
    "page",
    "20.. tokens",
    "300",
    20..=u32::MAX as u64,
    "how large the summary of a span may be",
);
const RECALL: OptionSpec = OptionSpec::number(
    "recall",
    "0.. tokens",
    "2000",
    0..=u32::MAX as u64,
    "how large all summaries of spans may be together before the older half is archived",
);
const ARCHIVE: OptionSpec =
    OptionSpec::number("archive", "20.. tokens", "600", 20..=u32::MAX as u64, "how large the archive may be");
const PAGE_IN: OptionSpec = OptionSpec::number(
    "page_in",
    "0.. tokens",
    "4000",
    0..=u32::MAX as u64,
    "how much one turn pages in at most",
);
const STAY: OptionSpec =
    OptionSpec::number("stay", "1.. turns", "4", 1..=u32::MAX as u64, "how long what was paged in stays");

pub(super) const OPTIONS: &[OptionSpec] = &[KEEP_TURNS, LOW, PAGE, RECALL, ARCHIVE, PAGE_IN, STAY];

const NONE: u32 = u32::MAX;

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let n_blocks = input.session.blocks.len();
    let units = |spec| input.options.number(spec).saturating_mul(input.table.divisor().into());
    let low = u128::from(input.budget) * u128::from(input.options.number(&LOW)) / 1000;
    Box::new(Tiers {
        input,
        past: Past::new(input.session),
        extract: Extract::new(input.material, n_blocks),
        low: u64::try_from(low).unwrap_or(u64::MAX),
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
        taken: Vec::new(),
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
    input: ReplayInput<'a>,
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
    /// What was paged in, with the turn from which on it may go again.
    staying: VecDeque<(usize, BlockIdx)>,
    taken: Vec<BlockIdx>,
}

impl Tiers<'_> {
    /// Returns the page under which a block's lines stand now.
    fn page(&self, block: BlockIdx) -> Option<u32> {
        let own = self.page_of[block.at()];
        let page = self.pages.get(own as usize)?;
        // Only one archive is ever made anew, so that one step leads to it.
        Some(page.under.and(self.archive).unwrap_or(own))
    }

    fn span(covers: &Range<usize>) -> Subject {
        let last = covers.end.saturating_sub(1).max(covers.start);
        Subject::Span(TurnIdx::from_position(covers.start), TurnIdx::from_position(last))
    }

    fn summary(&self, covers: &Range<usize>, depth: u32, lines: Vec<u32>) -> Summary {
        let session = self.input.session;
        let messages = session.turns[covers.start].end..session.turns[covers.end].end;
        Summary::new(reply_of(session, covers.end), messages, depth, lines, self.input.material)
    }

    /// Makes pages anew without what the harness has taken; empty ones go.
    fn restate(&mut self, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        for id in core::mem::take(&mut self.changed) {
            let Some(page) = self.pages.get(id as usize) else { continue };
            let Some(number) = page.number else { continue };
            let (old_units, covers, depth) = (page.units, page.covers.clone(), page.depth);
            let digest = &self.input.material.digest;
            let is_there = |line: &&u32| !ledger.is_dropped(digest[**line as usize].block);
            let lines: Vec<u32> = page.lines.iter().filter(is_there).copied().collect();
            let is_empty = page.n_left == 0;
            if !is_empty && lines.len() == page.lines.len() {
                continue;
            }
            let before = ledger.total();
            ledger.lift(old_units);
            let mut moves = alloc::vec![Move::Lifted(number)];
            if is_empty {
                self.pages[id as usize].number = None;
                self.recall.retain(|known| *known != id);
                if self.archive == Some(id) {
                    self.archive = None;
                }
            } else {
                let summary = self.summary(&covers, depth, lines);
                self.stand(id, summary, ledger, log, &mut moves);
            }
            let action = if depth == 0 { Action::Summarise } else { Action::Archive };
            log.step_with(
                EvictionStep::new(turn, Self::span(&covers), action, before, ledger.total()),
                &[],
                &moves,
            );
        }
    }

    /// Puts a page's summary into the context.
    fn stand(
        &mut self,
        id: u32,
        summary: Summary,
        ledger: &mut Ledger<'_>,
        log: &mut StepLog,
        moves: &mut Vec<Move>,
    ) {
        let page = &mut self.pages[id as usize];
        page.units = summary.units;
        page.lines = Arc::clone(&summary.lines);
        ledger.place(summary.units);
        let number = log.stand_in(StandIn::Summary(summary));
        page.number = Some(number);
        moves.push(Move::Placed(number));
    }

    fn new_page(&mut self, covers: Range<usize>, depth: u32, n_left: usize) -> u32 {
        let lines = Arc::from([]);
        self.pages.push(Page { number: None, units: 0, lines, covers, depth, n_left, under: None });
        u32::try_from(self.pages.len() - 1).unwrap_or(NONE)
    }

    /// Pages out the oldest turns before `most` until the low mark is reached, under one summary; undone where that
    /// lowers nothing.
    fn page_out(&mut self, most: usize, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let ReplayInput { session, table, .. } = self.input;
        let before = ledger.total();
        self.extract.clear();
        self.taken.clear();
        let (mut fresh, mut summary) = (0, None);
        let mut covers = self.walked.min(most)..most;
        for end in self.walked.min(most)..=most {
            let n_taken = self.taken.len();
            self.past.take(session.turns[end].end, ledger, &mut self.taken);
            self.walked = self.walked.max(end);
            for block in &self.taken[n_taken..] {
                // What was paged in before has its lines in a page already.
                if self.page_of[block.at()] == NONE {
                    self.extract.add(*block);
                    fresh += 1;
                }
            }
            covers.end = end;
            if self.taken.is_empty() || end < most && ledger.total() > self.low {
                continue;
            }
            if fresh == 0 {
                if ledger.total() <= self.low {
                    break;
                }
                continue;
            }
            let lines = self.extract.choose(self.page_units, ledger, |_| true);
            covers.start = covers.start.min(end.saturating_sub(1));
            let made = self.summary(&covers, 0, lines);
            let enough = ledger.total() + table.tokens(made.units) <= self.low;
            summary = Some(made);
            if enough {
                break;
            }
        }
        let cost = summary.as_ref().map_or(0, |summary| table.tokens(summary.units));
        if ledger.total() + cost >= before {
            for block in &self.taken {
                ledger.unevict(*block);
            }
            return self.past.reconsider(self.taken.drain(..));
        }
        self.taken.sort_unstable();
        let mut moves = Vec::new();
        if let Some(summary) = summary {
            let id = self.new_page(covers.clone(), 0, fresh);
            for block in &self.taken {
                let page = &mut self.page_of[block.at()];
                if *page == NONE {
                    *page = id;
                }
            }
            self.stand(id, summary, ledger, log, &mut moves);
            self.recall.push_back(id);
        }
        let step = EvictionStep::new(turn, Self::span(&covers), Action::Summarise, before, ledger.total());
        log.step_with(step, &self.taken, &moves);
    }

    /// Puts the older half of recall, and what is archived, under one summary, where recall is too large.
    fn archive(&mut self, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let table = self.input.table;
        let tokens = |page: &Page| table.tokens(page.units);
        let size: u64 = self.recall.iter().map(|id| tokens(&self.pages[*id as usize])).sum();
        let n_old = self.recall.len().div_ceil(2);
        if size <= self.input.options.number(&RECALL) || n_old + usize::from(self.archive.is_some()) < 2 {
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
        let lines = self.extract.choose(self.archive_units, ledger, |_| true);
        let summary = self.summary(&covers, 1, lines);
        if table.tokens(summary.units) >= lifted {
            return;
        }
        let before = ledger.total();
        let archive = self.new_page(covers.clone(), 1, n_left);
        let mut moves = Vec::new();
        for id in old {
            let page = &mut self.pages[id as usize];
            page.under = Some(archive);
            if let Some(number) = page.number.take() {
                ledger.lift(page.units);
                moves.push(Move::Lifted(number));
            }
        }
        self.recall.drain(..n_old);
        self.archive = Some(archive);
        self.stand(archive, summary, ledger, log, &mut moves);
        let step = EvictionStep::new(turn, Self::span(&covers), Action::Archive, before, ledger.total());
        log.step_with(step, &[], &moves);
    }

    /// Pages in what the calls of the last turn name, as far as there is room.
    fn page_in(&mut self, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let ReplayInput { session, material, budget, options, .. } = self.input;
        let mut room = options.number(&PAGE_IN);
        while let Some(one) = material.uses.get(self.next_use).filter(|one| ledger.has_arrived(one.by)) {
            self.next_use += 1;
            let is_call = matches!(session.blocks[one.by.at()].kind, BlockKind::Call(_));
            let has_it_again = one.again.is_some_and(|again| ledger.has_arrived(again));
            let is_out = |block: BlockIdx| ledger.is_evicted(block) && !ledger.is_dropped(block);
            if !is_call || ledger.is_dropped(one.by) || has_it_again || !is_out(one.held) {
                continue;
            }
            // What the harness has taken of it comes back with it, should the harness put it back.
            let arrived = self.past.group(one.held).take_while(|block| ledger.has_arrived(*block));
            let group: Vec<BlockIdx> = arrived.filter(|block| ledger.is_evicted(*block)).collect();
            let before = ledger.total();
            group.iter().for_each(|block| ledger.unevict(*block));
            let size = ledger.total() - before;
            if size > room || ledger.total() > budget {
                group.iter().for_each(|block| ledger.evict(*block));
                continue;
            }
            room -= size;
            let stay = usize::try_from(options.number(&STAY)).unwrap_or(usize::MAX);
            self.staying.push_back((turn.at().saturating_add(stay), one.held));
            let moves: Vec<Move> = group.into_iter().map(Move::In).collect();
            let subject = Subject::Output(one.held);
            log.step_with(
                EvictionStep::new(turn, subject, Action::PageIn, before, ledger.total()),
                &[],
                &moves,
            );
        }
    }
}

impl PolicyRun for Tiers<'_> {
    fn grow(&mut self, change: &GraphChange, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        self.past.grow(change, ledger, log);
        match *change {
            GraphChange::Dropped(block, _) => {
                if let Some(id) = self.page(block) {
                    let n_left = &mut self.pages[id as usize].n_left;
                    *n_left = n_left.saturating_sub(1);
                    self.changed.insert(id);
                }
            }
            GraphChange::Restored(block) => {
                if let Some(id) = self.page(block) {
                    self.pages[id as usize].n_left += 1;
                }
            }
            _ => {}
        }
    }

    fn pass(&mut self, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        while self.staying.front().is_some_and(|(until, _)| *until <= turn.at()) {
            let Some((_, held)) = self.staying.pop_front() else { break };
            self.past.reconsider([held]);
        }
        self.restate(turn, ledger, log);
        let budget = self.input.budget;
        if ledger.total() > budget {
            self.page_out(turns_back(turn, self.input.options.number(&KEEP_TURNS)), turn, ledger, log);
            if ledger.total() > budget {
                self.page_out(turns_back(turn, 1), turn, ledger, log);
            }
            self.archive(turn, ledger, log);
        }
        self.page_in(turn, ledger, log);
    }
}
