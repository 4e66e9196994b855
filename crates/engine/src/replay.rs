//! A replay: a policy over all turns, from the first to `now`, for one budget; and its log of steps, from
//! which the state at any turn and step is folded.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    BlockIdx, EpisodeIdx, EvictionLevel, EvictionStep, Growth, Ledger, Material, Memory, Move, Policy,
    PolicyOptions, Session, StandIn, TokenTable, TurnIdx,
};

/// What a replay runs over.
#[derive(Debug, Clone, Copy)]
pub struct ReplayInput<'a> {
    /// The session.
    pub session: &'a Session,
    /// How messages and graph come into being.
    pub growth: &'a Growth,
    /// The sizes, as the policy counts them ([`Policy::table`]).
    pub table: &'a TokenTable,
    /// What the texts say; may be empty for policies that do not need it ([`Policy::needs_material`]).
    pub material: &'a Material,
    /// Blocks that no policy may take, in log order; a call with its results.
    pub pins: &'a [BlockIdx],
    /// What the log does not hold, tokens; part of every total.
    pub overhead: u64,
    /// The token budget τ.
    pub budget: u64,
    /// The policy.
    pub policy: &'static Policy,
    /// Its options.
    pub options: &'a PolicyOptions,
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
    /// How many steps the pass took.
    pub n_steps: u32,
    /// The steps, as positions in the log; empty for a policy without memory, which lists them on demand.
    steps: Range<usize>,
    notes: Range<usize>,
    /// For a policy without memory: what differs from the request before.
    moves: Range<usize>,
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
    blocks: Vec<BlockIdx>,
    moves: Vec<Move>,
    stand_ins: Vec<StandIn>,
    notes: Vec<Note>,
    n_taken: u32,
}

impl StepLog {
    /// Records a step that only takes blocks; `blocks` in log order.
    pub fn step(&mut self, step: EvictionStep, blocks: &[BlockIdx]) {
        self.step_with(step, blocks, &[]);
    }

    /// Records a step that takes blocks, in log order, and after that does other moves.
    pub fn step_with(&mut self, mut step: EvictionStep, blocks: &[BlockIdx], moves: &[Move]) {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (first_block, first_move) = (place(self.blocks.len()), place(self.moves.len()));
        self.blocks.extend_from_slice(blocks);
        self.moves.extend_from_slice(moves);
        step.blocks = first_block..place(self.blocks.len());
        step.moves = first_move..place(self.moves.len());
        self.steps.push(step);
    }

    /// Keeps a stand-in and returns its number, by which moves name it.
    pub fn stand_in(&mut self, stand_in: StandIn) -> u32 {
        self.stand_ins.push(stand_in);
        u32::try_from(self.stand_ins.len() - 1).unwrap_or(u32::MAX)
    }

    /// Returns the stand-in of a number.
    pub fn stand_in_of(&self, number: u32) -> &StandIn {
        &self.stand_ins[number as usize]
    }

    /// Records, for a policy without memory, what differs from the request before.
    pub fn moved(&mut self, one: Move) {
        self.moves.push(one);
    }

    /// Records, for a policy without memory, how many steps the pass takes from the whole history.
    pub fn took(&mut self, n_steps: usize) {
        self.n_taken = u32::try_from(n_steps).unwrap_or(u32::MAX);
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

    /// Returns what was recorded as one pass.
    pub fn into_pass(self) -> Pass<'static> {
        Pass {
            steps: Cow::Owned(self.steps),
            blocks: Cow::Owned(self.blocks),
            moves: Cow::Owned(self.moves),
            stand_ins: Cow::Owned(self.stand_ins),
        }
    }
}

/// The steps of one turn, listed.
#[derive(Debug, Clone)]
pub struct Pass<'a> {
    /// The steps in order.
    pub steps: Cow<'a, [EvictionStep]>,
    blocks: Cow<'a, [BlockIdx]>,
    moves: Cow<'a, [Move]>,
    stand_ins: Cow<'a, [StandIn]>,
}

impl Pass<'_> {
    /// Returns the blocks that a step takes, in log order.
    pub fn blocks_of(&self, step: &EvictionStep) -> &[BlockIdx] {
        &self.blocks[step.blocks.start as usize..step.blocks.end as usize]
    }

    /// Returns what a step does beside taking blocks.
    pub fn moves_of(&self, step: &EvictionStep) -> &[Move] {
        &self.moves[step.moves.start as usize..step.moves.end as usize]
    }

    /// Returns the stand-in of a number that a move names.
    pub fn stand_in(&self, number: u32) -> &StandIn {
        &self.stand_ins[number as usize]
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
    log: StepLog,
}

impl Replay {
    /// Runs a policy over all turns.
    ///
    /// The cost depends on turns, episodes, blocks and steps, never on how much text there is.
    pub fn run(input: &ReplayInput<'_>) -> Self {
        let ReplayInput { session, growth, table, budget, policy, options, .. } = *input;
        let overhead = if policy.counts_overhead { input.overhead } else { 0 };
        let mut ledger = Ledger::new(session, table, growth.graph.episodes.len(), overhead);
        ledger.pin(input.pins);
        let mut run = policy.begin(*input);
        let mut log = StepLog::default();
        let mut turns = Vec::with_capacity(growth.n_turns());
        for at in 0..growth.n_turns() {
            let turn = TurnIdx::from_position(at);
            let (first_note, first_step, first_move) = (log.notes.len(), log.steps.len(), log.moves.len());
            for change in growth.changes(turn) {
                ledger.apply(change);
                run.grow(change, &mut ledger, &mut log);
            }
            let before = run.before(&ledger);
            run.pass(turn, &mut ledger, &mut log);
            let n_logged = u32::try_from(log.steps.len() - first_step).unwrap_or(u32::MAX);
            turns.push(TurnOutcome {
                before,
                after: ledger.total(),
                over_budget: ledger.total() > budget,
                n_steps: n_logged + core::mem::take(&mut log.n_taken),
                steps: first_step..log.steps.len(),
                notes: first_note..log.notes.len(),
                moves: first_move..log.moves.len(),
            });
        }
        Self { policy, options: options.clone(), budget, overhead, turns, log }
    }

    /// Returns what happened at a turn; past the end the last one.
    pub fn turn(&self, turn: TurnIdx) -> &TurnOutcome {
        &self.turns[turn.at().min(self.turns.len() - 1)]
    }

    /// Lists the steps of a turn; a policy without memory works them out again, which needs its input.
    pub fn pass(&self, input: &ReplayInput<'_>, turn: TurnIdx) -> Pass<'_> {
        match self.policy.memory {
            Memory::Carried => Pass {
                steps: Cow::Borrowed(&self.log.steps[self.turn(turn).steps.clone()]),
                blocks: Cow::Borrowed(&self.log.blocks),
                moves: Cow::Borrowed(&self.log.moves),
                stand_ins: Cow::Borrowed(&self.log.stand_ins),
            },
            Memory::PerTurn(list) => list(*input, turn),
        }
    }

    /// Returns how many steps all passes take together.
    pub fn n_steps(&self) -> u64 {
        self.turns.iter().map(|turn| u64::from(turn.n_steps)).sum()
    }

    /// Returns a stand-in of a number that a move of [`Replay::moves_of`] names.
    pub fn stand_in(&self, number: u32) -> &StandIn {
        &self.log.stand_ins[number as usize]
    }

    /// Calls `each` with everything that the policy moves between the request before and that of a turn, in order.
    ///
    /// What the harness does is not among it: that is in [`Growth::changes`], and comes first.
    pub fn moves_of(&self, turn: TurnIdx, mut each: impl FnMut(Move)) {
        let outcome = self.turn(turn);
        for note in &self.log.notes[outcome.notes.clone()] {
            each(match *note {
                Note::ArrivedStripped(block, _) => Move::Out(block),
                Note::Emptied(episode) => Move::Residue(episode, false),
                Note::Refilled(episode, _, residue) => Move::Residue(episode, residue),
            });
        }
        if let Memory::PerTurn(_) = self.policy.memory {
            self.log.moves[outcome.moves.clone()].iter().copied().for_each(each);
            return;
        }
        for step in &self.log.steps[outcome.steps.clone()] {
            let blocks = &self.log.blocks[step.blocks.start as usize..step.blocks.end as usize];
            blocks.iter().for_each(|block| each(Move::Out(*block)));
            if step.residue
                && let Some(episode) = step.episode()
            {
                each(Move::Residue(episode, true));
            }
            let moves = &self.log.moves[step.moves.start as usize..step.moves.end as usize];
            moves.iter().for_each(|one| each(*one));
        }
    }

    /// Returns what happened at a turn without being a step.
    pub fn notes_of(&self, turn: TurnIdx) -> &[Note] {
        &self.log.notes[self.turn(turn).notes.clone()]
    }
}
