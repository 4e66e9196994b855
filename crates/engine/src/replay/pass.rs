//! A pass: a policy's input before one request, and its only way to change the context.
//!
//! A policy takes blocks, puts them back, and places or lifts summaries; the pass updates the
//! ledger and logs each move. [`Pass::end_step`] turns all moves since the last step into one step
//! with the totals before and after. [`Pass::undo_step`] reverts them.

use alloc::vec::Vec;

use crate::replay::tool_loop::HeldLoops;
use crate::{
    Action, BlockIdx, BlockRun, BlockState, EpisodeIdx, EvictionLevel, EvictionStep, GraphChange, Ledger,
    Memory, Move, PairSide, Placeholder, ReplayInput, StepLog, Subject, Summary, Transition, TurnEffect,
    TurnIdx,
};

/// Number of blocks to check per pair: a pair is evicted as a whole, so more are not needed.
const SEARCHED: usize = 64;

#[derive(Debug)]
pub struct Pass<'a> {
    pub input: ReplayInput<'a>,
    pub turn: TurnIdx,
    pub(crate) ledger: Ledger<'a>,
    pub(crate) log: StepLog,
    of_turn: (usize, usize),
    before: u64,
    first_block: usize,
    first_move: usize,
    loops: HeldLoops,
    /// Blocks in the last reply and its results, sorted, as long as they must stay.
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
                true => HeldLoops::default(),
                false => HeldLoops::new(input.session, input.options),
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

    /// Finds the blocks that must stay in this turn's request and returns the released ones.
    ///
    /// If a loop is reopened, its evicted blocks are restored.
    pub(crate) fn hold_blocks(&mut self) -> Vec<BlockIdx> {
        let ReplayInput { session, growth, policy, .. } = self.input;
        let held = self.loops.held_blocks(session, growth, self.ledger.states(), self.turn);
        // A policy without memory decides anew and respects held blocks by itself.
        if matches!(policy.memory, Memory::Carried) && self.is_reopened(&held) {
            held.iter().for_each(|block| self.restore_block(*block));
        }
        let mut released = core::mem::replace(&mut self.held, held);
        // A late result may have arrived after the request that needed its call.
        for at in 0..released.len() {
            let block = released[at];
            released.extend(growth.blocks_of_pair(block));
        }
        released.retain(|block| self.ledger.state(*block).has_arrived() && !self.is_held(*block));
        released.sort_unstable();
        released.dedup();
        released
    }

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

    pub fn is_held(&self, block: BlockIdx) -> bool {
        self.held.binary_search(&block).is_ok()
    }

    pub(crate) fn begin_steps(&mut self) {
        self.of_turn = (self.log.blocks.len(), self.log.moves.len());
        self.begin_step();
    }

    fn begin_step(&mut self) {
        self.before = self.ledger.total();
        (self.first_block, self.first_move) = (self.log.blocks.len(), self.log.moves.len());
    }

    pub fn total(&self) -> u64 {
        self.ledger.total()
    }

    pub fn is_over(&self) -> bool {
        self.ledger.total() > self.budget()
    }

    /// Returns τ plus the history before the log's start, tokens.
    pub fn budget(&self) -> u64 {
        self.input.budget.saturating_add(self.history())
    }

    pub(crate) fn share_of_budget(&self, per_mille: u64) -> u64 {
        self.input.share_of_budget(per_mille).saturating_add(self.history())
    }

    /// Returns the history before the log's start, which no policy can evict, tokens.
    pub(crate) fn history(&self) -> u64 {
        match self.input.policy.counts_overhead {
            true => self.input.overhead.history_at(self.turn),
            false => 0,
        }
    }

    pub fn state(&self, block: BlockIdx) -> BlockState {
        self.ledger.state(block)
    }

    pub(crate) fn n_dropped(&self, run: BlockRun) -> usize {
        self.ledger.states().n_dropped(run)
    }

    pub fn may_take(&self, block: BlockIdx) -> bool {
        self.ledger.state(block).may_go() && !self.is_held(block)
    }

    /// Returns `true` if the policy has taken a part of the block's pair. Providers refuse half a pair, so a
    /// late or restored part must be evicted too.
    pub fn has_lost_half(&self, block: BlockIdx) -> bool {
        let arrived =
            self.input.growth.blocks_of_pair(block).take_while(|other| self.state(*other).has_arrived());
        arrived.take(SEARCHED).any(|other| self.state(other).is_taken())
    }

    /// Returns `true` if `block` is a result whose call is in the context. If a policy left the call
    /// there, because it is protected or pinned, a late result stays too.
    pub fn has_call(&self, block: BlockIdx) -> bool {
        let growth = self.input.growth;
        let head = growth.head_of(block);
        head != block && growth.side_of(block) == PairSide::Result && self.state(head).is_there()
    }

    pub fn has_residue(&self, episode: EpisodeIdx) -> bool {
        self.ledger.has_residue(episode)
    }

    pub fn take_block(&mut self, block: BlockIdx) {
        self.ledger.take_block(block);
        self.log.blocks.push(block);
    }

    pub fn taken_blocks(&self) -> &[BlockIdx] {
        &self.log.blocks[self.first_block..]
    }

    /// Returns `true` if any move other than taking blocks happened since the last step.
    pub fn has_moved(&self) -> bool {
        self.log.moves.len() > self.first_move
    }

    pub fn removed_blocks(&self) -> impl Iterator<Item = BlockIdx> {
        let moves = self.log.moves[self.of_turn.1..].iter();
        let moved = moves.filter_map(|one| match one {
            Move::Out(block) | Move::Masked(block, _) => Some(*block),
            _ => None,
        });
        self.log.blocks[self.of_turn.0..].iter().copied().chain(moved)
    }

    pub fn put_back(&mut self, block: BlockIdx) {
        self.apply_move(Move::In(block));
    }

    pub fn mask_block(&mut self, block: BlockIdx, placeholder: Placeholder) {
        self.apply_move(Move::Masked(block, placeholder));
    }

    pub fn place_summary(&mut self, summary: Summary) -> u32 {
        self.ledger.place_summary(summary.units);
        let number = self.log.keep_summary(summary);
        self.log.moves.push(Move::Placed(number));
        number
    }

    pub fn lift_summary(&mut self, number: u32) {
        self.ledger.lift_summary(self.log.summaries[number as usize].units);
        self.log.moves.push(Move::Lifted(number));
    }

    fn apply_move(&mut self, one: Move) {
        self.ledger.apply_move(one);
        self.log.moves.push(one);
    }

    pub fn end_step(&mut self, subject: Subject, action: Action) {
        self.step_on_episode(subject, action, true, false);
    }

    /// Records all moves since the last step as one step on an episode. `reached` tells whether
    /// the action's level was reached, `residue` whether the description stays.
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

    /// Evicts an arriving or restored block whose kind was already evicted; not counted as a step.
    ///
    /// A result whose call is held stays until both are released.
    pub fn strip_arrival(&mut self, block: BlockIdx, level: EvictionLevel) {
        let state = self.ledger.state(block);
        if state.is_sent() && !state.is_pinned() && !self.is_held(self.input.growth.head_of(block)) {
            self.ledger.apply_move(Move::Out(block));
            self.log.effects.push(TurnEffect::ArrivedStripped(block, level));
        }
    }

    /// Sets an episode's level and residue after the harness removed its last block or restored
    /// one; not counted as a step.
    pub fn set_level(&mut self, episode: EpisodeIdx, level: u8, residue: bool) {
        self.ledger.apply_move(Move::Residue(episode, residue));
        self.log.effects.push(TurnEffect::Releveled(episode, level, residue));
    }
}
