//! A replay: a policy over all turns, from the first to `now`, for one budget; and its log of steps, from
//! which the state at any turn and step is folded.

use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    BlockIdx, EpisodeIdx, EvictionLevel, Growth, Ledger, Policy, PolicyOptions, Session, Stage, TokenTable,
    TurnIdx,
};

/// What a replay runs over.
#[derive(Debug, Clone, Copy)]
pub struct ReplayInput<'a> {
    /// The session.
    pub session: &'a Session,
    /// How messages and graph come into being.
    pub growth: &'a Growth,
    /// The sizes.
    pub table: &'a TokenTable,
    /// What the log does not hold, tokens; part of every total.
    pub overhead: u64,
    /// The token budget τ.
    pub budget: u64,
    /// The policy.
    pub policy: &'static Policy,
    /// Its options.
    pub options: &'a PolicyOptions,
}

/// One application of one level to one episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictionStep {
    /// The turn before whose request it was taken.
    pub turn: TurnIdx,
    /// The episode.
    pub episode: EpisodeIdx,
    /// The level.
    pub level: EvictionLevel,
    /// True when the episode is at that level after the step (item by item, only the last one is).
    pub reached: bool,
    /// The total before, tokens.
    pub before: u64,
    /// The total after, tokens.
    pub after: u64,
    /// True when the step leaves the episode's description in its place.
    pub residue: bool,
    pub(crate) blocks: Range<u32>,
}

/// What happened at one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnOutcome {
    /// The total before the pass, tokens.
    pub before: u64,
    /// The total of the request, tokens.
    pub after: u64,
    /// True when the budget could not be met.
    pub over_budget: bool,
    /// The steps, as positions in [`Replay::steps`].
    pub steps: Range<usize>,
    notes: Range<usize>,
}

/// Something that is no step: it happens as content comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// A block came into an episode that was stripped that far already.
    ArrivedStripped(BlockIdx, EvictionLevel),
    /// The harness has taken the last block of an episode, with what stayed of it.
    Emptied(EpisodeIdx),
    /// The harness has put back a block of an episode that it had emptied: the level is again what the policy
    /// had reached, and what stayed of it is there again, if it was.
    Refilled(EpisodeIdx, u8, bool),
}

/// Collects what a policy does.
#[derive(Debug, Clone, Default)]
pub struct StepLog {
    steps: Vec<EvictionStep>,
    stripped: Vec<BlockIdx>,
    notes: Vec<Note>,
}

impl StepLog {
    /// Records a step; `blocks` in log order.
    pub fn step(&mut self, mut step: EvictionStep, blocks: &[BlockIdx]) {
        let start = u32::try_from(self.stripped.len()).unwrap_or(u32::MAX);
        self.stripped.extend_from_slice(blocks);
        step.blocks = start..u32::try_from(self.stripped.len()).unwrap_or(u32::MAX);
        self.steps.push(step);
    }

    /// Records that a block came in stripped.
    pub fn arrived_stripped(&mut self, block: BlockIdx, level: EvictionLevel) {
        self.notes.push(Note::ArrivedStripped(block, level));
    }

    /// Records that the harness emptied an episode.
    pub fn emptied(&mut self, episode: EpisodeIdx) {
        self.notes.push(Note::Emptied(episode));
    }

    /// Records that the harness put something back into an episode that it had emptied.
    pub fn refilled(&mut self, episode: EpisodeIdx, level: u8, residue: bool) {
        self.notes.push(Note::Refilled(episode, level, residue));
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
    /// What the log does not hold, tokens.
    pub overhead: u64,
    /// One outcome per turn.
    pub turns: Vec<TurnOutcome>,
    /// All steps in order.
    pub steps: Vec<EvictionStep>,
    stripped: Vec<BlockIdx>,
    notes: Vec<Note>,
}

impl Replay {
    /// Runs a policy over all turns.
    ///
    /// The cost depends on turns, episodes, blocks and steps, never on how much text there is.
    pub fn run(input: &ReplayInput<'_>) -> Self {
        let ReplayInput { session, growth, table, overhead, budget, policy, options } = *input;
        let mut ledger = Ledger::new(session, table, growth.graph.episodes.len(), overhead);
        let mut run = policy.begin(Stage { session, growth, budget, options });
        let mut log = StepLog::default();
        let mut turns = Vec::with_capacity(growth.n_turns());
        for at in 0..growth.n_turns() {
            let turn = TurnIdx::from_position(at);
            let (first_note, first_step) = (log.notes.len(), log.steps.len());
            for change in growth.changes(turn) {
                ledger.apply(change);
                run.grow(change, &mut ledger, &mut log);
            }
            let before = ledger.total();
            run.pass(turn, &mut ledger, &mut log);
            turns.push(TurnOutcome {
                before,
                after: ledger.total(),
                over_budget: ledger.total() > budget,
                steps: first_step..log.steps.len(),
                notes: first_note..log.notes.len(),
            });
        }
        let StepLog { steps, stripped, notes } = log;
        Self { policy, options: options.clone(), budget, overhead, turns, steps, stripped, notes }
    }

    /// Returns what happened at a turn; past the end the last one.
    pub fn turn(&self, turn: TurnIdx) -> &TurnOutcome {
        &self.turns[turn.at().min(self.turns.len() - 1)]
    }

    /// Returns the steps of a turn.
    pub fn steps_of(&self, turn: TurnIdx) -> &[EvictionStep] {
        &self.steps[self.turn(turn).steps.clone()]
    }

    /// Returns the blocks that a step took, in log order.
    pub fn blocks_of(&self, step: &EvictionStep) -> &[BlockIdx] {
        &self.stripped[step.blocks.start as usize..step.blocks.end as usize]
    }

    /// Returns what happened at a turn without being a step.
    pub fn notes_of(&self, turn: TurnIdx) -> &[Note] {
        &self.notes[self.turn(turn).notes.clone()]
    }
}
