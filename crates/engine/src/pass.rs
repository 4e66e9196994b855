//! A pass: everything that a policy is given before one request, and the only way in which it changes the context.
//!
//! A policy takes blocks, puts them back, and places and lifts summaries; the pass keeps the ledger and notes each move.
//! [`Pass::end_step`] then makes one step of everything since the last one, with the totals before and after, and
//! [`Pass::undo_step`] takes all of it back.

use alloc::vec::Vec;

use crate::tool_loop::SignedLoops;
use crate::{
    Action, BlockIdx, BlockRun, BlockState, EpisodeIdx, EvictionLevel, EvictionStep, GraphChange, Ledger,
    Memory, Move, PairSide, Placeholder, ReplayInput, StepLog, Subject, Summary, Transition, TurnEffect,
    TurnIdx,
};

/// How many blocks of one pair are looked at to tell whether it has gone: it goes as a whole.
const SEARCHED: usize = 64;

/// One eviction pass: the context before a request, which a policy changes step by step.
#[derive(Debug)]
pub struct Pass<'a> {
    /// The session, the sizes, the budget and the options.
    pub input: ReplayInput<'a>,
    /// The turn before whose request the policy acts.
    pub turn: TurnIdx,
    pub(crate) ledger: Ledger<'a>,
    pub(crate) log: StepLog,
    /// The first block and the first move in the log that are of this turn.
    of_turn: (usize, usize),
    /// The total at the last step, or at the begin of the pass.
    before: u64,
    /// The first block and the first move in the log that are of no step yet.
    first_block: usize,
    first_move: usize,
    /// The loops whose last reply has to stay as it is.
    loops: SignedLoops,
    /// The blocks of the last reply and of its results, while they have to stay.
    held: Vec<BlockIdx>,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(input: ReplayInput<'a>) -> Self {
        let ledger = Ledger::new(input.growth, input.table, input.pins);
        // Most policies take most blocks once.
        let blocks = Vec::with_capacity(input.growth.n_blocks());
        Self {
            input,
            turn: TurnIdx::FIRST,
            ledger,
            log: StepLog { blocks, ..StepLog::default() },
            of_turn: (0, 0),
            before: 0,
            first_block: 0,
            first_move: 0,
            loops: match input.policy.is_as_shipped {
                true => SignedLoops::default(),
                false => SignedLoops::new(input.session),
            },
            held: Vec::new(),
        }
    }

    pub(crate) fn go_to(&mut self, turn: TurnIdx) {
        self.turn = turn;
        if self.input.policy.counts_overhead {
            self.ledger.set_overhead(self.input.overhead.tokens_at(turn));
        }
    }

    pub(crate) fn apply_change(&mut self, change: &GraphChange) -> Option<Transition> {
        self.ledger.apply_change(change)
    }

    /// Finds the blocks that have to stay in this turn's request, and returns those that no longer have to stay.
    ///
    /// Blocks that were taken while the loop was closed come back.
    pub(crate) fn hold_blocks(&mut self) -> Vec<BlockIdx> {
        let ReplayInput { session, growth, policy, .. } = self.input;
        let held = self.loops.held_blocks(session, growth, self.ledger.states(), self.turn);
        // A policy without memory decides anew, and lets them stay.
        if matches!(policy.memory, Memory::Carried) && self.is_reopened(&held) {
            held.iter().for_each(|block| self.restore_block(*block));
        }
        let mut released = core::mem::replace(&mut self.held, held);
        // A result may have come in after the request for which its call had to stay.
        let pairs: Vec<BlockIdx> = released.iter().flat_map(|block| growth.blocks_of_pair(*block)).collect();
        released.extend(pairs);
        released.retain(|block| self.ledger.state(*block).has_arrived() && !self.is_held(*block));
        released.sort_unstable();
        released.dedup();
        released
    }

    /// Tells whether a rewind has made an older reply the last one of a loop again.
    fn is_reopened(&self, held: &[BlockIdx]) -> bool {
        let Some(first) = held.first() else { return false };
        let before = self.turn.at().checked_sub(1).map(|at| self.input.session.turns[at].end);
        self.held.first() != Some(first)
            && before.is_some_and(|end| self.input.growth.message_of(*first) < end)
    }

    fn restore_block(&mut self, block: BlockIdx) {
        let state = self.ledger.state(block);
        if state.is_taken() || state.is_masked() {
            self.ledger.apply_move(Move::In(block));
            self.log.effects.push(TurnEffect::Restored(block));
        }
    }

    /// Tells whether `block` has to stay in this turn's request, as it belongs to the last reply of an open loop.
    pub fn is_held(&self, block: BlockIdx) -> bool {
        self.held.binary_search(&block).is_ok()
    }

    /// Begins a turn's steps, after everything has come in.
    pub(crate) fn begin_steps(&mut self) {
        self.of_turn = (self.log.blocks.len(), self.log.moves.len());
        self.begin_step();
    }

    fn begin_step(&mut self) {
        self.before = self.ledger.total();
        (self.first_block, self.first_move) = (self.log.blocks.len(), self.log.moves.len());
    }

    /// Returns the context's size, tokens.
    pub fn total(&self) -> u64 {
        self.ledger.total()
    }

    /// Tells whether the context is larger than the budget.
    pub fn is_over(&self) -> bool {
        self.ledger.total() > self.budget()
    }

    /// Returns the budget of this turn, tokens: τ, and the history that the log begins behind.
    pub fn budget(&self) -> u64 {
        self.input.budget.saturating_add(self.history())
    }

    /// Returns a share of τ, given per mille, and the history that the log begins behind, tokens.
    pub(crate) fn share_of_budget(&self, per_mille: u64) -> u64 {
        self.input.share_of_budget(per_mille).saturating_add(self.history())
    }

    /// Returns the history that the log begins behind, which no policy can take, tokens.
    pub(crate) fn history(&self) -> u64 {
        match self.input.policy.counts_overhead {
            true => self.input.overhead.history_at(self.turn),
            false => 0,
        }
    }

    /// Returns a block's state.
    pub fn state(&self, block: BlockIdx) -> BlockState {
        self.ledger.state(block)
    }

    pub(crate) fn n_dropped(&self, run: BlockRun) -> usize {
        self.ledger.states().n_dropped(run)
    }

    /// Tells whether `block` is in the context, is not pinned and does not have to stay with the last reply.
    pub fn may_take(&self, block: BlockIdx) -> bool {
        self.ledger.state(block).may_go() && !self.is_held(block)
    }

    /// Tells whether the policy has taken a result's call, or a result of a call: every provider would refuse the half, so
    /// what comes in or back then goes after it.
    pub fn has_lost_half(&self, block: BlockIdx) -> bool {
        let arrived =
            self.input.growth.blocks_of_pair(block).take_while(|other| self.state(*other).has_arrived());
        arrived.take(SEARCHED).any(|other| self.state(other).is_taken())
    }

    /// Tells whether a result's call is in the context. Where a policy has left it, because it is protected or pinned, a
    /// result that comes late stays with it.
    pub fn has_call(&self, block: BlockIdx) -> bool {
        let growth = self.input.growth;
        let head = growth.head_of(block);
        head != block && growth.side_of(block) == PairSide::Result && self.state(head).is_there()
    }

    /// Tells whether an episode's residue is in the context.
    pub fn has_residue(&self, episode: EpisodeIdx) -> bool {
        self.ledger.has_residue(episode)
    }

    /// Takes `block`.
    pub fn take_block(&mut self, block: BlockIdx) {
        self.ledger.take_block(block);
        self.log.blocks.push(block);
    }

    /// Returns the blocks taken since the last step.
    pub fn taken_blocks(&self) -> &[BlockIdx] {
        &self.log.blocks[self.first_block..]
    }

    /// Tells whether anything but taking blocks was done since the last step.
    pub fn has_moved(&self) -> bool {
        self.log.moves.len() > self.first_move
    }

    /// Lists the blocks taken at this turn so far, or got a placeholder.
    pub fn removed_blocks(&self) -> impl Iterator<Item = BlockIdx> {
        let moves = self.log.moves[self.of_turn.1..].iter();
        let moved = moves.filter_map(|one| match one {
            Move::Out(block) | Move::Masked(block, _) => Some(*block),
            _ => None,
        });
        self.log.blocks[self.of_turn.0..].iter().copied().chain(moved)
    }

    /// Puts a block back to the letter.
    pub fn put_back(&mut self, block: BlockIdx) {
        self.apply_move(Move::In(block));
    }

    /// Puts `placeholder` in place of `block`.
    pub fn mask_block(&mut self, block: BlockIdx, placeholder: Placeholder) {
        self.apply_move(Move::Masked(block, placeholder));
    }

    /// Puts `summary` into the context, and returns its number.
    pub fn place_summary(&mut self, summary: Summary) -> u32 {
        self.ledger.place_summary(summary.units);
        let number = self.log.keep_summary(summary);
        self.log.moves.push(Move::Placed(number));
        number
    }

    /// Takes a summary out of the context again.
    pub fn lift_summary(&mut self, number: u32) {
        self.ledger.lift_summary(self.log.summaries[number as usize].units);
        self.log.moves.push(Move::Lifted(number));
    }

    fn apply_move(&mut self, one: Move) {
        self.ledger.apply_move(one);
        self.log.moves.push(one);
    }

    /// Makes a step of everything since the last one.
    pub fn end_step(&mut self, subject: Subject, action: Action) {
        self.step_on_episode(subject, action, true, false);
    }

    /// Makes a step of everything since the last one: whether it reaches the level of its action, and whether it leaves
    /// the description of its episode.
    pub fn step_on_episode(&mut self, subject: Subject, action: Action, reached: bool, residue: bool) {
        if residue && let Some(episode) = subject.episode() {
            self.ledger.apply_move(Move::Residue(episode, true));
        }
        let taken = &mut self.log.blocks[self.first_block..];
        if !taken.is_sorted() {
            taken.sort_unstable();
        }
        let (blocks, moves) = (self.first_block, self.first_move);
        let (turn, before, after) = (self.turn, self.before, self.ledger.total());
        let step = EvictionStep::new(turn, subject, action, before, after);
        self.log.end_step(EvictionStep { reached, residue, ..step }, blocks, moves);
        self.begin_step();
    }

    /// Takes back everything since the last step.
    pub fn undo_step(&mut self) {
        while self.log.blocks.len() > self.first_block
            && let Some(block) = self.log.blocks.pop()
        {
            self.ledger.untake_block(block);
        }
        while self.log.moves.len() > self.first_move
            && let Some(one) = self.log.moves.pop()
        {
            match one {
                Move::Placed(number) => self.ledger.lift_summary(self.log.summaries[number as usize].units),
                Move::Lifted(number) => self.ledger.place_summary(self.log.summaries[number as usize].units),
                Move::In(block) => self.ledger.apply_move(Move::Out(block)),
                Move::Masked(block, _) | Move::Out(block) => self.ledger.apply_move(Move::In(block)),
                Move::Residue(episode, present) => self.ledger.apply_move(Move::Residue(episode, !present)),
            }
        }
    }

    /// Takes a block that comes in, or back, where everything of its kind has gone already: this is no step.
    ///
    /// The result of a call that has to stay stays with it, until both are released.
    pub fn strip_arrival(&mut self, block: BlockIdx, level: EvictionLevel) {
        let state = self.ledger.state(block);
        if state.is_sent() && !state.is_pinned() && !self.is_held(self.input.growth.head_of(block)) {
            self.ledger.apply_move(Move::Out(block));
            self.log.effects.push(TurnEffect::ArrivedStripped(block, level));
        }
    }

    /// Gives an episode another level and puts its residue in or out, because the harness has taken its last block or
    /// put one back: this is no step.
    pub fn set_level(&mut self, episode: EpisodeIdx, level: u8, residue: bool) {
        self.ledger.apply_move(Move::Residue(episode, residue));
        self.log.effects.push(TurnEffect::Releveled(episode, level, residue));
    }
}
