//! The open loop: the agent's unfinished work, which consists of the open episode and, as far as τ allows,
//! the last human turn with its replies.

use alloc::vec::Vec;

use super::evictable::{self, turns_back};
use crate::{
    BlockIdx, EpisodeIdx, EpisodeKind, KeptReason, Life, MessageIdx, OptionSpec, Pass, ReplayInput, StateAt,
    Transition,
};

pub(super) const OPEN_LOOP: OptionSpec = OptionSpec::look_up("ladder", "open_loop");

pub(super) struct OpenLoop {
    holds_open: bool,
    open: Option<(EpisodeIdx, usize)>,
    humans: Vec<usize>,
}

impl OpenLoop {
    pub(super) fn new(input: ReplayInput<'_>) -> Self {
        let messages = input.session.messages.iter().enumerate();
        Self {
            holds_open: input.options.number_value(&OPEN_LOOP) == 1,
            open: None,
            humans: messages.filter(|(_, message)| message.is_typed()).map(|(at, _)| at).collect(),
        }
    }

    pub(super) fn on_transition(&mut self, transition: Transition, pass: &Pass<'_>) {
        let Transition::Lives(idx, life) = transition else { return };
        let growth = pass.input.growth;
        let episode = growth.graph.episode(idx);
        if life == Life::Open && episode.kind != EpisodeKind::Unannotated {
            self.open = Some((idx, growth.message_of(episode.start)));
        } else if life != Life::Open && self.open.is_some_and(|(open, _)| open == idx) {
            self.open = None;
        }
    }

    /// Returns the first turn to keep, as a position: the last `n` turns and the open episode stay.
    pub(super) fn end_of_old(&self, pass: &Pass<'_>, n: u64) -> usize {
        let last = turns_back(pass.turn, n);
        match self.open {
            Some((_, start)) if self.holds_open => last.min(turn_of(start, pass)),
            _ => last,
        }
    }

    /// Like [`OpenLoop::end_of_old`], but the last human turn stays too.
    pub(super) fn end_before_human(&self, pass: &Pass<'_>, n: u64) -> usize {
        let known = self.humans.partition_point(|at| *at < pass.input.session.turn_at(pass.turn).end);
        let last =
            known.checked_sub(1).filter(|_| self.holds_open).map(|last| turn_of(self.humans[last], pass));
        self.end_of_old(pass, n).min(last.unwrap_or(usize::MAX))
    }
}

fn turn_of(message: usize, pass: &Pass<'_>) -> usize {
    pass.input.session.turn_after(MessageIdx::new(message)).at().saturating_sub(1)
}

pub(super) fn kept_reason(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx, n: u64) -> KeptReason {
    let reason = evictable::kept_reason(input, state, block, n);
    let is_open = |owner: EpisodeIdx| {
        state.lives[owner.at()] == Life::Open
            && input.growth.graph.episode(owner).kind != EpisodeKind::Unannotated
    };
    let holds_open = input.options.number_value(&OPEN_LOOP) == 1;
    if reason == KeptReason::Eligible && holds_open && state.owners[block.at()].is_some_and(is_open) {
        return KeptReason::Active;
    }
    reason
}
