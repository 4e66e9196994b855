//! `fold`: context folding. An episode collapses when it closes: an exploration to its description, an act to
//! nothing, as its effects are in the world.
//!
//! After Context-Folding (arXiv 2510.11967), where a branch returns and only what it returned stays in the main
//! thread: there the model learns when to branch, here the agent's own marks say so. What lies outside marked
//! episodes is the main thread and stays. Which acts draw on an exploration does not matter, unlike in `cwl`.
//! The budget does not matter either, unless `when_over=1` asks to wait for it: then the oldest closed episode
//! goes first, until the budget is met.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::{
    Action, BlockIdx, BlockKind, EpisodeIdx, EpisodeKind, EvictionLevel, EvictionStep, GraphChange,
    KeptReason, Ledger, Life, OptionSpec, PolicyRun, ReplayInput, ResidueOption, StateAt, StepLog, Subject,
    TurnIdx,
};

const WHEN_OVER: OptionSpec = OptionSpec::number(
    "when_over",
    "0|1",
    "0",
    0..=1,
    "0: an episode folds when it closes; 1: only over the budget, the oldest first, until it is met",
);

/// The options of `fold`.
pub(super) const OPTIONS: &[OptionSpec] = &[
    WHEN_OVER,
    OptionSpec {
        key: "residue",
        values: "description|none",
        default: "description",
        about: "what stays of an exploration",
        range: None,
    },
];

#[derive(Debug, Clone, Default)]
struct State {
    open: bool,
    folded: bool,
    described: bool,
    /// What of it the harness has taken, and what it holds in all.
    n_dropped: u32,
    n_blocks: u32,
    /// The residue stood there when the harness took the last block; `Some` while it has taken all.
    emptied: Option<bool>,
}

struct Fold<'a> {
    input: ReplayInput<'a>,
    when_over: bool,
    states: Vec<State>,
    owners: Vec<Option<EpisodeIdx>>,
    /// Closed episodes that are not folded, in start order.
    ready: BTreeSet<(BlockIdx, EpisodeIdx)>,
    taken: Vec<BlockIdx>,
}

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    Box::new(Fold {
        input,
        when_over: input.options.number(&WHEN_OVER) == 1,
        states: alloc::vec![State::default(); input.growth.graph.episodes.len()],
        owners: alloc::vec![None; input.session.blocks.len()],
        ready: BTreeSet::new(),
        taken: Vec::new(),
    })
}

impl Fold<'_> {
    fn refresh(&mut self, idx: EpisodeIdx) {
        let episode = self.input.growth.graph.get(idx);
        let state = &self.states[idx.at()];
        let is_marked = episode.kind != EpisodeKind::Unannotated;
        if is_marked && !state.open && !state.folded && state.n_blocks > 0 && state.emptied.is_none() {
            self.ready.insert((episode.start, idx));
        } else {
            self.ready.remove(&(episode.start, idx));
        }
    }

    /// An episode that the harness has emptied leaves nothing, and has its residue again if a block comes back.
    fn recount(&mut self, idx: EpisodeIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let state = &mut self.states[idx.at()];
        let emptied = !state.open && state.n_blocks > 0 && state.n_dropped == state.n_blocks;
        match (emptied, state.emptied) {
            (true, None) => {
                state.emptied = Some(ledger.has_residue(idx));
                ledger.set_residue(idx, false);
                log.emptied(idx);
            }
            (false, Some(residue)) => {
                state.emptied = None;
                ledger.set_residue(idx, residue);
                log.refilled(
                    idx,
                    if state.folded { EvictionLevel::WholeEpisode.number() } else { 0 },
                    residue,
                );
            }
            _ => {}
        }
        self.refresh(idx);
    }

    fn own(&mut self, block: BlockIdx, to: Option<EpisodeIdx>, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let dropped = u32::from(ledger.is_dropped(block));
        if let Some(from) = core::mem::replace(&mut self.owners[block.at()], to) {
            self.states[from.at()].n_blocks -= 1;
            self.states[from.at()].n_dropped -= dropped;
            self.recount(from, ledger, log);
        }
        if let Some(to) = to {
            self.states[to.at()].n_blocks += 1;
            self.states[to.at()].n_dropped += dropped;
            self.recount(to, ledger, log);
        }
        self.fold_arrival(block, ledger, log);
    }

    /// What comes into a folded episode, or answers a call that has gone, comes too late.
    fn fold_arrival(&self, block: BlockIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let row = &self.input.session.blocks[block.at()];
        let is_result = matches!(row.kind, BlockKind::Result(_));
        let call_gone = is_result && row.pair.is_some_and(|call| ledger.is_evicted(call));
        let folded = self.owners[block.at()].is_some_and(|owner| self.states[owner.at()].folded);
        if ledger.is_live(block) && !ledger.is_pinned(block) && (folded || call_gone) {
            ledger.evict(block);
            log.arrived_stripped(block, EvictionLevel::WholeEpisode);
        }
    }

    fn fold(&mut self, idx: EpisodeIdx, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let owners = &self.owners;
        let there = |block: &BlockIdx| {
            owners[block.at()] == Some(idx) && ledger.is_live(*block) && !ledger.is_pinned(*block)
        };
        self.taken.clear();
        self.taken.extend(self.input.growth.members(idx).iter().copied().filter(there));
        let before = ledger.total();
        self.taken.iter().for_each(|block| ledger.evict(*block));
        self.states[idx.at()].folded = true;
        let residue = self.states[idx.at()].described
            && self.input.options.residue == ResidueOption::Description
            && self.input.growth.graph.get(idx).residue().is_some();
        ledger.set_residue(idx, residue);
        let after = ledger.total();
        let step = EvictionStep::new(turn, Subject::Episode(idx), Action::Fold, before, after);
        log.step(EvictionStep { residue, ..step }, &self.taken);
    }
}

impl PolicyRun for Fold<'_> {
    fn grow(&mut self, change: &GraphChange, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        match *change {
            GraphChange::Opened(idx) | GraphChange::Reopened(idx) | GraphChange::Vanished(idx) => {
                self.states[idx.at()].open = true;
                self.recount(idx, ledger, log);
            }
            GraphChange::Closed(idx) => {
                self.states[idx.at()].open = false;
                self.recount(idx, ledger, log);
            }
            GraphChange::Owned(block, to) => self.own(block, to, ledger, log),
            GraphChange::Described(idx, described) => self.states[idx.at()].described = described,
            GraphChange::Dropped(block, _) | GraphChange::Restored(block) => {
                let is_drop = matches!(change, GraphChange::Dropped(..));
                if let Some(owner) = self.owners[block.at()] {
                    let n_dropped = &mut self.states[owner.at()].n_dropped;
                    *n_dropped = if is_drop { *n_dropped + 1 } else { *n_dropped - 1 };
                    self.recount(owner, ledger, log);
                }
                self.fold_arrival(block, ledger, log);
            }
            GraphChange::Arrived(_) | GraphChange::Edge { .. } => {}
        }
    }

    fn pass(&mut self, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        while !self.when_over || ledger.total() > self.input.budget {
            let Some((_, oldest)) = self.ready.pop_first() else { break };
            self.fold(oldest, turn, ledger, log);
        }
    }
}

/// Says why a block is still there.
pub(super) fn kept(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    let Some(owner) = state.owners[block.at()] else { return KeptReason::OutOfReach };
    match (input.growth.graph.get(owner).kind, state.lives[owner.at()]) {
        (EpisodeKind::Unannotated, _) => KeptReason::OutOfReach,
        (_, Life::Open) => KeptReason::Active,
        _ => KeptReason::Eligible,
    }
}
