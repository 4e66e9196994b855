//! `fold`: context folding. A closed episode collapses: an exploration to its description, an act
//! to nothing, since its effects are in the world.
//!
//! After Context-Folding (arXiv 2510.11967), where only a branch's result returns to the main
//! thread. There, the model learns when to branch; here, the agent's own marks decide. Content
//! outside marked episodes is the main thread and stays. Unlike under `cwl`, dependencies do not
//! matter. Neither does the budget, unless `when_over=1`: then the oldest closed episodes fold
//! until the budget is met.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;

use super::holdings::Holdings;
use crate::{
    Action, BlockIdx, EpisodeIdx, EpisodeKind, EvictionLevel, KeptReason, Life, OptionSpec, Pass, PolicyRun,
    ReplayInput, StateAt, Subject, Transition,
};

const WHEN_OVER: OptionSpec = OptionSpec::look_up("fold", "when_over");

struct Fold {
    when_over: bool,
    holdings: Holdings,
    ready: BTreeSet<(BlockIdx, EpisodeIdx)>,
}

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    Box::new(Fold {
        when_over: input.options.number_value(&WHEN_OVER) == 1,
        holdings: Holdings::new(input.growth),
        ready: BTreeSet::new(),
    })
}

impl Fold {
    fn refresh_episode(&mut self, idx: EpisodeIdx, pass: &Pass<'_>) {
        let episode = pass.input.growth.graph.episode(idx);
        let holding = self.holdings.episode(idx);
        let is_marked = episode.kind != EpisodeKind::Unannotated;
        if is_marked && holding.is_closed() && holding.level == 0 && !holding.is_empty() {
            self.ready.insert((episode.start, idx));
        } else {
            self.ready.remove(&(episode.start, idx));
        }
    }

    fn fold_arrival(&self, block: BlockIdx, pass: &mut Pass<'_>) {
        let is_folded =
            self.holdings.owner_of(block).is_some_and(|owner| self.holdings.episode(owner).level > 0);
        if is_folded && !pass.has_call(block) || pass.has_lost_half(block) {
            pass.strip_arrival(block, EvictionLevel::WholeEpisode);
        }
    }

    fn fold_episode(&mut self, idx: EpisodeIdx, pass: &mut Pass<'_>) {
        for block in self.holdings.blocks_of(pass.input.growth, idx) {
            if pass.may_take(block) {
                pass.take_block(block);
            }
        }
        self.holdings.set_level(idx, EvictionLevel::WholeEpisode.number());
        let residue = self.holdings.leaves_residue(idx, pass);
        pass.step_on_episode(Subject::Episode(idx), Action::Fold, true, residue);
    }
}

impl PolicyRun for Fold {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        let changed = self.holdings.on_transition(transition, pass);
        changed.into_iter().flatten().for_each(|idx| self.refresh_episode(idx, pass));
        match transition {
            Transition::Owned(run, _) => run.blocks().for_each(|block| self.fold_arrival(block, pass)),
            Transition::Changed { block, .. } => self.fold_arrival(block, pass),
            _ => {}
        }
    }

    fn on_release(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.fold_arrival(block, pass);
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        while !self.when_over || pass.is_over() {
            let Some((_, oldest)) = self.ready.pop_first() else { break };
            self.fold_episode(oldest, pass);
        }
    }
}

pub(super) fn kept_reason(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    let Some(owner) = state.owners[block.at()] else { return KeptReason::OutOfReach };
    match (input.growth.graph.episode(owner).kind, state.lives[owner.at()]) {
        (EpisodeKind::Unannotated, _) => KeptReason::OutOfReach,
        (_, Life::Open) => KeptReason::Active,
        _ => KeptReason::Eligible,
    }
}
