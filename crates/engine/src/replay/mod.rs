//! A replay: one policy over all turns with one budget, and the step log for folding the state at
//! any cut.

pub(crate) mod tokens;
pub(crate) mod overhead;
pub(crate) mod step;
pub(crate) mod life;
pub(crate) mod ledger;
pub(crate) mod step_log;
pub(crate) mod tool_loop;
pub(crate) mod pass;
pub(crate) mod state;
pub(crate) mod waits;
pub(crate) mod eligible;
pub(crate) mod kept_reason;
pub(crate) mod policy;
pub(crate) mod options;

use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    BlockIdx, EpisodeIdx, EvictionLevel, GraphTimeline, Material, Memory, Move, Overhead, Pass, Policy,
    PolicyOptions, Session, StepLog, Steps, Summary, TokenTable, TurnIdx,
};

#[derive(Debug, Clone, Copy)]
pub struct ReplayInput<'a> {
    pub session: &'a Session,
    pub growth: &'a GraphTimeline,
    /// Sizes as the policy counts them ([`Policy::adjust_table`]).
    pub table: &'a TokenTable,
    /// May be empty if the policy does not need it ([`Policy::needs_material`]).
    pub material: &'a Material,
    /// Blocks no policy may take, in log order; a call is listed with its results.
    pub pins: &'a [BlockIdx],
    /// Tokens outside the log; part of every total.
    pub overhead: &'a Overhead,
    /// Budget τ, tokens.
    pub budget: u64,
    pub policy: &'static Policy,
    pub options: &'a PolicyOptions,
}

impl ReplayInput<'_> {
    pub(crate) fn share_of_budget(&self, per_mille: u64) -> u64 {
        let tokens = u128::from(self.budget) * u128::from(per_mille) / 1000;
        u64::try_from(tokens).unwrap_or(u64::MAX)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnOutcome {
    pub before: u64,
    pub after: u64,
    pub over_budget: bool,
    pub n_steps: u32,
    /// Positions in the log; empty for a policy without memory, whose steps are recomputed on
    /// demand.
    steps: Range<usize>,
    effects: Range<usize>,
    /// Moves since the previous request; only for a policy without memory.
    moves: Range<usize>,
}

/// A change by the policy outside its steps, while content arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEffect {
    ArrivedStripped(BlockIdx, EvictionLevel),
    /// The harness removed an episode's last block (level 4, no residue), or restored one. A
    /// restored episode has the level and residue the policy had reached.
    Releveled(EpisodeIdx, u8, bool),
    Restored(BlockIdx),
}

impl TurnEffect {
    pub(crate) fn as_move(self) -> Move {
        match self {
            Self::ArrivedStripped(block, _) => Move::Out(block),
            Self::Releveled(episode, _, residue) => Move::Residue(episode, residue),
            Self::Restored(block) => Move::In(block),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Replay {
    pub policy: &'static Policy,
    pub options: PolicyOptions,
    pub budget: u64,
    pub overhead: Overhead,
    /// One outcome per turn, `now` included.
    pub turns: Vec<TurnOutcome>,
    log: StepLog,
}

impl Replay {
    /// The cost depends on the number of turns, episodes, blocks and steps, never on how long texts are.
    pub fn run(input: &ReplayInput<'_>) -> Self {
        let ReplayInput { growth, budget, policy, options, .. } = *input;
        let mut pass = Pass::new(*input);
        let mut run = policy.begin_run(*input);
        let mut turns = Vec::with_capacity(growth.n_turns());
        for at in 0..growth.n_turns() {
            pass.go_to(TurnIdx::from_position(at));
            let (effect, step, one) = (pass.log.effects.len(), pass.log.steps.len(), pass.log.moves.len());
            for change in growth.changes_at(pass.turn) {
                if let Some(transition) = pass.apply_change(change) {
                    run.on_transition(transition, &mut pass);
                }
            }
            for block in pass.hold_blocks() {
                run.on_release(block, &mut pass);
            }
            let before = run.total_before(&pass);
            pass.begin_steps();
            run.evict(&mut pass);
            let n_logged = u32::try_from(pass.log.steps.len() - step).unwrap_or(u32::MAX);
            turns.push(TurnOutcome {
                before,
                after: pass.total(),
                over_budget: pass.is_over(),
                n_steps: n_logged + core::mem::take(&mut pass.log.n_unlisted),
                steps: step..pass.log.steps.len(),
                effects: effect..pass.log.effects.len(),
                moves: one..pass.log.moves.len(),
            });
        }
        let overhead = if policy.counts_overhead { input.overhead.clone() } else { Overhead::default() };
        Self { policy, options: options.clone(), budget, overhead, turns, log: pass.log }
    }

    /// Returns the outcome of `turn`, or the last outcome if `turn` is past the end.
    pub fn outcome_at(&self, turn: TurnIdx) -> &TurnOutcome {
        &self.turns[turn.at().min(self.turns.len() - 1)]
    }

    /// A policy without memory recomputes its steps from `input`.
    pub fn steps_of(&self, input: &ReplayInput<'_>, turn: TurnIdx) -> Steps<'_> {
        match self.policy.memory {
            Memory::Carried => self.log.steps_in(self.outcome_at(turn).steps.clone()),
            Memory::PerTurn(list) => list(*input, turn),
        }
    }

    /// Returns τ plus the history before the log's start, tokens.
    pub fn budget_at(&self, turn: TurnIdx) -> u64 {
        self.budget.saturating_add(self.overhead.history_at(turn))
    }

    pub fn n_steps(&self) -> u64 {
        self.turns.iter().map(|turn| u64::from(turn.n_steps)).sum()
    }

    /// Returns the outcomes for all turns except the last, `now`, whose request is not made yet.
    pub fn requested_turns(&self) -> &[TurnOutcome] {
        &self.turns[..self.turns.len().saturating_sub(1)]
    }

    pub fn mean_request(&self) -> u64 {
        let made = self.requested_turns();
        let sum: u64 = made.iter().map(|turn| turn.after).sum();
        sum.checked_div(made.len() as u64).unwrap_or(0)
    }

    pub fn largest_request(&self) -> u64 {
        self.requested_turns().iter().map(|turn| turn.after).max().unwrap_or(0)
    }

    pub(crate) fn has_summaries(&self) -> bool {
        !self.log.summaries.is_empty()
    }

    pub fn summary_numbered(&self, number: u32) -> &Summary {
        &self.log.summaries[number as usize]
    }

    /// Calls `each` with the policy's moves between the previous request and `turn`'s request, in order.
    ///
    /// Changes by the harness are in [`GraphTimeline::changes_at`] and come first.
    #[inline]
    pub fn moves_of(&self, turn: TurnIdx, mut each: impl FnMut(Move)) {
        let outcome = self.outcome_at(turn);
        self.effects_of(turn).iter().for_each(|effect| each(effect.as_move()));
        match self.policy.memory {
            Memory::PerTurn(_) => self.log.moves[outcome.moves.clone()].iter().copied().for_each(each),
            Memory::Carried => {
                let steps = self.log.steps_in(outcome.steps.clone());
                steps.steps.iter().for_each(|step| steps.each_move(step, &mut each));
            }
        }
    }

    pub fn effects_of(&self, turn: TurnIdx) -> &[TurnEffect] {
        &self.log.effects[self.outcome_at(turn).effects.clone()]
    }
}
