//! A replay: a policy over all turns, from the first to `now`, for one budget; and its log of steps, from
//! which the state at any turn and step is folded.

use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    BlockIdx, EpisodeIdx, EvictionLevel, GraphTimeline, Material, Memory, Move, Overhead, Pass, Policy,
    PolicyOptions, Session, StepLog, Steps, Summary, TokenTable, TurnIdx,
};

/// The input of a replay: the session, its sizes, the policy and its settings.
#[derive(Debug, Clone, Copy)]
pub struct ReplayInput<'a> {
    /// The session.
    pub session: &'a Session,
    /// How messages and graph come into being.
    pub growth: &'a GraphTimeline,
    /// The sizes, as the policy counts them ([`Policy::adjust_table`]).
    pub table: &'a TokenTable,
    /// The facts taken from the texts; may be empty for policies that do not need them ([`Policy::needs_material`]).
    pub material: &'a Material,
    /// Blocks that no policy may take, in log order; a call with its results.
    pub pins: &'a [BlockIdx],
    /// The overhead, which the log does not hold; part of every total.
    pub overhead: &'a Overhead,
    /// The token budget τ.
    pub budget: u64,
    /// The policy.
    pub policy: &'static Policy,
    /// The options.
    pub options: &'a PolicyOptions,
}

impl ReplayInput<'_> {
    /// Returns a share of the budget, given per mille, tokens.
    pub(crate) fn share_of_budget(&self, per_mille: u64) -> u64 {
        let tokens = u128::from(self.budget) * u128::from(per_mille) / 1000;
        u64::try_from(tokens).unwrap_or(u64::MAX)
    }
}

/// The outcome of one turn: the totals of its pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnOutcome {
    /// The total before the pass, tokens.
    pub before: u64,
    /// The request's total, tokens.
    pub after: u64,
    /// True when the budget could not be met.
    pub over_budget: bool,
    /// How many steps the pass took.
    pub n_steps: u32,
    /// The steps, as positions in the log; empty for a policy without memory, which lists them on demand.
    steps: Range<usize>,
    effects: Range<usize>,
    /// For a policy without memory: what differs from the request before.
    moves: Range<usize>,
}

/// Something that is no step: it happens as content comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEffect {
    /// A block came into an episode that was stripped that far already.
    ArrivedStripped(BlockIdx, EvictionLevel),
    /// The harness has taken an episode's last block, which is level 4 without a residue, or has put one back: the level is
    /// then again the one that the policy had reached, and the residue is there again, if it was.
    Releveled(EpisodeIdx, u8, bool),
    /// A rewind has opened a loop of tools again, whose last reply needs this block (`tool_loop`).
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

/// A policy over all turns for one budget.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The policy.
    pub policy: &'static Policy,
    /// The options.
    pub options: PolicyOptions,
    /// The token budget τ.
    pub budget: u64,
    /// The overhead, which the log does not hold; none under a policy that does not count it.
    pub overhead: Overhead,
    /// One outcome per turn.
    pub turns: Vec<TurnOutcome>,
    log: StepLog,
}

impl Replay {
    /// Runs a policy over all turns.
    ///
    /// The cost depends on turns, episodes, blocks and steps, never on how much text there is.
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

    /// Returns what happened at `turn`; past the end the last one.
    pub fn outcome_at(&self, turn: TurnIdx) -> &TurnOutcome {
        &self.turns[turn.at().min(self.turns.len() - 1)]
    }

    /// Lists a turn's steps; a policy without memory works them out again, which needs its input.
    pub fn steps_of(&self, input: &ReplayInput<'_>, turn: TurnIdx) -> Steps<'_> {
        match self.policy.memory {
            Memory::Carried => self.log.steps_in(self.outcome_at(turn).steps.clone()),
            Memory::PerTurn(list) => list(*input, turn),
        }
    }

    /// Returns the budget of a turn, tokens: τ, and the history that the log begins behind.
    pub fn budget_at(&self, turn: TurnIdx) -> u64 {
        self.budget.saturating_add(self.overhead.history_at(turn))
    }

    /// Returns how many steps all passes take together.
    pub fn n_steps(&self) -> u64 {
        self.turns.iter().map(|turn| u64::from(turn.n_steps)).sum()
    }

    /// Lists the turns whose requests were made: all but the one that waits for its reply.
    pub fn requested_turns(&self) -> &[TurnOutcome] {
        &self.turns[..self.turns.len().saturating_sub(1)]
    }

    /// Returns the mean size of the requests that were made, tokens.
    pub fn mean_request(&self) -> u64 {
        let made = self.requested_turns();
        let sum: u64 = made.iter().map(|turn| turn.after).sum();
        sum.checked_div(made.len() as u64).unwrap_or(0)
    }

    /// Returns the size of the largest request that was made, tokens.
    pub fn largest_request(&self) -> u64 {
        self.requested_turns().iter().map(|turn| turn.after).max().unwrap_or(0)
    }

    /// Tells whether the policy made any summary.
    pub(crate) fn has_summaries(&self) -> bool {
        !self.log.summaries.is_empty()
    }

    /// Returns the summary of a number a move of [`Replay::moves_of`] names.
    pub fn summary_numbered(&self, number: u32) -> &Summary {
        &self.log.summaries[number as usize]
    }

    /// Calls `each` with everything that the policy moves between the request before and that of `turn`, in order.
    ///
    /// The moves of the harness are not among them: they are in [`GraphTimeline::changes_at`], and come first.
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

    /// Returns what happened at `turn` without being a step.
    pub fn effects_of(&self, turn: TurnIdx) -> &[TurnEffect] {
        &self.log.effects[self.outcome_at(turn).effects.clone()]
    }
}
