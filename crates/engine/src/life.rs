//! One life of a block: it comes in; a policy takes it, puts a placeholder in its place or puts it back; the harness
//! takes it out or puts it back. And the transitions of such lives, which everything else is a listener to.
//!
//! The harness lies over the policy. While it has taken a block, the block is gone whatever the policy does; when it
//! puts the block back, the block is as the policy has left it.

use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockRun, EpisodeIdx, GraphChange, GraphTimeline, Life, Move, Placeholder, Replay, ReplayInput,
    TokenTable, TurnIdx,
};

const ARRIVED: u8 = 1;
const DROPPED: u8 = 2;
const TAKEN: u8 = 4;
const PINNED: u8 = 8;
/// From this bit on stands the placeholder: 0 for none, else one more than its position in [`Placeholder::ALL`].
const MASK_SHIFT: u32 = 4;
const MASK: u8 = 0xf0;

/// The part of a block that stands in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockForm {
    /// Nothing of it.
    Nothing,
    /// The block to the letter.
    Whole,
    /// A placeholder in its place.
    Placeholder(Placeholder),
}

impl BlockForm {
    /// Returns the size of a block's form, units.
    pub fn units_of(self, table: &TokenTable, block: BlockIdx) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Whole => table.units(block),
            Self::Placeholder(placeholder) => table.placeholder_units(placeholder),
        }
    }
}

/// A block's state: one bit for each of the things that can have happened to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockState(u8);

impl BlockState {
    /// Tells whether the block is in the context to the letter.
    #[inline]
    pub fn is_there(self) -> bool {
        self.0 & !PINNED == ARRIVED
    }

    /// Tells whether the block is in the context to the letter and a policy may take it.
    pub fn may_go(self) -> bool {
        self.0 == ARRIVED
    }

    /// Tells whether the block or a placeholder for it is in the context.
    pub fn is_sent(self) -> bool {
        self.0 & (ARRIVED | DROPPED | TAKEN) == ARRIVED
    }

    /// Returns what is in the context of the block.
    #[inline]
    pub fn form(self) -> BlockForm {
        if self.is_there() {
            return BlockForm::Whole;
        }
        let mask = usize::from(self.0 >> MASK_SHIFT);
        match mask.checked_sub(1).and_then(|at| Placeholder::ALL.get(at)) {
            Some(placeholder) if self.is_sent() => BlockForm::Placeholder(*placeholder),
            _ => BlockForm::Nothing,
        }
    }

    /// Tells whether a placeholder is in the context in place of the block.
    pub fn is_masked(self) -> bool {
        matches!(self.form(), BlockForm::Placeholder(_))
    }

    /// Tells whether the block has come in, wherever it is now.
    pub fn has_arrived(self) -> bool {
        self.0 & ARRIVED != 0
    }

    /// Tells whether the harness has taken the block.
    pub fn is_dropped(self) -> bool {
        self.0 & DROPPED != 0
    }

    /// Tells whether the policy has taken the block.
    pub fn is_taken(self) -> bool {
        self.0 & TAKEN != 0
    }

    /// Tells whether the human has pinned the block: no policy may take it.
    pub fn is_pinned(self) -> bool {
        self.0 & PINNED != 0
    }

    /// Returns the size of what is in the context of `block`, units.
    #[inline]
    pub fn units_of(self, table: &TokenTable, block: BlockIdx) -> u64 {
        // Nearly every block is there to the letter, or not at all.
        match self.0 {
            state if state & !PINNED == ARRIVED => table.units(block),
            state if state & MASK == 0 => 0,
            _ => self.form().units_of(table, block),
        }
    }
}

/// The side that changes a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedBy {
    /// The policy.
    Policy,
    /// The harness, by the replacement at that position in [`crate::Session::replacements`], or by putting it back.
    Harness(u32),
}

/// One change of a replay's state: of a block, an episode, or a message that a policy puts into the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// Whole messages come in.
    Arrived(BlockRun),
    /// A block that has come in goes, comes back, or gets a placeholder in its place.
    Changed {
        /// The block.
        block: BlockIdx,
        /// The state before.
        was: BlockState,
        /// The state from here on.
        is: BlockState,
        /// The side that did it.
        by: ChangedBy,
    },
    /// Blocks are given to an episode, or taken out of all.
    Owned(BlockRun, Option<EpisodeIdx>),
    /// An episode begins, ends, goes on after all, or is given up to another one.
    Lives(EpisodeIdx, Life),
    /// An act draws on an exploration, or (by a late result) does not.
    Edge {
        /// The exploration.
        from: EpisodeIdx,
        /// The act.
        to: EpisodeIdx,
        /// False if the edge goes.
        added: bool,
    },
    /// An exploration's description is known, or (by a late result) is not any more.
    Described(EpisodeIdx, bool),
    /// The description of an exploration comes into the context, or goes.
    Residue(EpisodeIdx, bool),
    /// A summary comes into the context; the number is its place in [`Replay::summary_numbered`].
    Placed(u32),
    /// A summary goes.
    Lifted(u32),
}

impl Transition {
    /// Returns the block the harness takes or puts back, with its state from there on.
    pub fn by_harness(self) -> Option<(BlockIdx, BlockState)> {
        match self {
            Self::Changed { block, is, by: ChangedBy::Harness(_), .. } => Some((block, is)),
            _ => None,
        }
    }
}

/// The states of all blocks of a session: the fold over growth and moves that tells transitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockStates(Vec<BlockState>);

impl BlockStates {
    /// Begins before anything has come in.
    pub fn new(n_blocks: usize) -> Self {
        Self(alloc::vec![BlockState::default(); n_blocks])
    }

    /// Pins blocks, before anything comes in.
    pub fn pin_blocks(&mut self, blocks: &[BlockIdx]) {
        for block in blocks {
            self.0[block.at()].0 |= PINNED;
        }
    }

    /// Returns a block's state.
    #[inline]
    pub fn state(&self, block: BlockIdx) -> BlockState {
        self.0[block.at()]
    }

    pub(crate) fn n_dropped(&self, run: BlockRun) -> usize {
        self.0[run.range()].iter().filter(|state| state.is_dropped()).count()
    }

    /// Tells whether all blocks of a run are in the context to the letter.
    pub(crate) fn are_there(&self, run: BlockRun) -> bool {
        self.0[run.range()].iter().all(|state| state.is_there())
    }

    pub(crate) fn catch_up_run(&mut self, with: &Self, run: BlockRun) {
        self.0[run.range()].copy_from_slice(&with.0[run.range()]);
    }

    pub(crate) fn catch_up(&mut self, with: &Self, blocks: impl Iterator<Item = BlockIdx>) {
        blocks.for_each(|block| self.0[block.at()] = with.state(block));
    }

    pub(crate) fn take_over(&mut self, with: &Self, block: BlockIdx) -> BlockState {
        core::mem::replace(&mut self.0[block.at()], with.state(block))
    }

    /// Takes over a change of messages or graph, and tells what happens by it.
    #[inline]
    pub fn apply_change(&mut self, change: &GraphChange) -> Option<Transition> {
        Some(match *change {
            GraphChange::Arrived(run) => {
                self.0[run.range()].iter_mut().for_each(|state| state.0 |= ARRIVED);
                Transition::Arrived(run)
            }
            GraphChange::Dropped(block, by) => {
                return self.change_state(block, ChangedBy::Harness(by), |state| state | DROPPED);
            }
            GraphChange::Restored(block) => {
                return self.change_state(block, ChangedBy::Harness(u32::MAX), |state| state & !DROPPED);
            }
            GraphChange::Owned(run, owner) => Transition::Owned(run, owner),
            GraphChange::Lives(idx, life) => Transition::Lives(idx, life),
            GraphChange::Edge { from, to, added } => Transition::Edge { from, to, added },
            GraphChange::Described(idx, described) => Transition::Described(idx, described),
        })
    }

    /// Takes over a move of a policy, and tells what happens by it; nothing happens to a pinned block.
    ///
    /// The placeholder of a block that goes is kept, for a policy that changes its mind.
    #[inline]
    pub fn apply_move(&mut self, one: Move) -> Option<Transition> {
        match one {
            Move::Out(block) => self.change_state(block, ChangedBy::Policy, |state| state | TAKEN),
            Move::In(block) => self.change_state(block, ChangedBy::Policy, |state| state & !(TAKEN | MASK)),
            Move::Masked(block, placeholder) => {
                let mask = (placeholder as u8 + 1) << MASK_SHIFT;
                self.change_state(block, ChangedBy::Policy, |state| state & !(TAKEN | MASK) | mask)
            }
            Move::Placed(number) => Some(Transition::Placed(number)),
            Move::Lifted(number) => Some(Transition::Lifted(number)),
            Move::Residue(idx, present) => Some(Transition::Residue(idx, present)),
        }
    }

    /// Takes `block` for a policy if the block is in the context to the letter and may go; tells whether it was.
    #[inline]
    pub(crate) fn take_whole(&mut self, block: BlockIdx) -> bool {
        let state = &mut self.0[block.at()];
        let may_go = state.may_go();
        if may_go {
            state.0 |= TAKEN;
        }
        may_go
    }

    /// Takes back that a policy has taken `block`: a placeholder that stood in its place stands there again.
    pub(crate) fn untake_block(&mut self, block: BlockIdx) -> Option<Transition> {
        self.change_state(block, ChangedBy::Policy, |state| state & !TAKEN)
    }

    /// Goes on to the request of a replay's next turn, and tells everything that happens on the way.
    #[inline]
    pub fn advance_to(
        &mut self,
        input: &ReplayInput<'_>,
        replay: &Replay,
        turn: TurnIdx,
        mut tell: impl FnMut(&Self, Transition),
    ) {
        self.grow_to(input.growth, turn, &mut tell);
        self.apply_policy(replay, turn, &mut tell);
    }

    /// Takes over what comes in, and what the harness does, before a turn's request.
    pub fn grow_to(
        &mut self,
        growth: &GraphTimeline,
        turn: TurnIdx,
        mut tell: impl FnMut(&Self, Transition),
    ) {
        for change in growth.changes_at(turn) {
            if let Some(transition) = self.apply_change(change) {
                tell(self, transition);
            }
        }
    }

    /// Takes over what the policy does before a turn's request.
    #[inline]
    pub fn apply_policy(&mut self, replay: &Replay, turn: TurnIdx, mut tell: impl FnMut(&Self, Transition)) {
        replay.moves_of(turn, |one| {
            if let Some(transition) = self.apply_move(one) {
                tell(self, transition);
            }
        });
    }

    #[inline]
    fn change_state(
        &mut self,
        block: BlockIdx,
        by: ChangedBy,
        change: impl Fn(u8) -> u8,
    ) -> Option<Transition> {
        let was = self.state(block);
        let is = BlockState(change(was.0));
        if is == was || was.is_pinned() && by == ChangedBy::Policy {
            return None;
        }
        self.0[block.at()] = is;
        Some(Transition::Changed { block, was, is, by })
    }
}
