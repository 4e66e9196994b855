//! A block's life: arrival, eviction or masking by a policy, removal by the harness, and return.
//! Every change is a [`Transition`], and everything else listens to transitions.
//!
//! The harness overrides the policy. A block removed by the harness is absent whatever the policy
//! does; once restored, it is as the policy left it.

use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockRun, EpisodeIdx, GraphChange, GraphTimeline, Life, Move, Placeholder, Replay, ReplayInput,
    TokenTable, TurnIdx,
};

const ARRIVED: u8 = 1;
const DROPPED: u8 = 2;
const TAKEN: u8 = 4;
const PINNED: u8 = 8;
/// The upper bits hold the placeholder: 0 for none, else 1 + its position in [`Placeholder::ALL`].
const MASK_SHIFT: u32 = 4;
const MASK: u8 = 0xf0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockForm {
    Nothing,
    Whole,
    Placeholder(Placeholder),
}

impl BlockForm {
    pub fn units_of(self, table: &TokenTable, block: BlockIdx) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Whole => table.units(block),
            Self::Placeholder(placeholder) => table.placeholder_units(placeholder),
        }
    }
}

/// A bit set: arrived, dropped by the harness, taken by the policy, pinned, and the placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockState(u8);

impl BlockState {
    /// Returns `true` if the block is in the context unchanged ([`BlockForm::Whole`]).
    #[inline]
    pub fn is_there(self) -> bool {
        self.0 & !PINNED == ARRIVED
    }

    /// Returns `true` if the block is in the context unchanged and not pinned.
    pub fn may_go(self) -> bool {
        self.0 == ARRIVED
    }

    /// Returns `true` if the block or its placeholder is in the context.
    pub fn is_sent(self) -> bool {
        self.0 & (ARRIVED | DROPPED | TAKEN) == ARRIVED
    }

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

    pub fn is_masked(self) -> bool {
        matches!(self.form(), BlockForm::Placeholder(_))
    }

    /// Returns `true` once the block has arrived, even if it is absent now.
    pub fn has_arrived(self) -> bool {
        self.0 & ARRIVED != 0
    }

    pub fn is_dropped(self) -> bool {
        self.0 & DROPPED != 0
    }

    pub fn is_taken(self) -> bool {
        self.0 & TAKEN != 0
    }

    /// Returns `true` if the policy took or masked the block, even if the harness has removed it, too.
    pub fn is_evicted(self) -> bool {
        self.0 & (TAKEN | MASK) != 0
    }

    pub fn is_pinned(self) -> bool {
        self.0 & PINNED != 0
    }

    #[inline]
    pub fn units_of(self, table: &TokenTable, block: BlockIdx) -> u64 {
        // Shortcut: nearly every block is either unchanged or absent.
        match self.0 {
            state if state & !PINNED == ARRIVED => table.units(block),
            state if state & MASK == 0 => 0,
            _ => self.form().units_of(table, block),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedBy {
    Policy,
    /// The position in [`crate::Session::replacements`]; `u32::MAX` for a restored block.
    Harness(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    Arrived(BlockRun),
    Changed {
        block: BlockIdx,
        was: BlockState,
        is: BlockState,
        by: ChangedBy,
    },
    Owned(BlockRun, Option<EpisodeIdx>),
    Lives(EpisodeIdx, Life),
    Edge {
        from: EpisodeIdx,
        to: EpisodeIdx,
        added: bool,
    },
    /// An exploration's description becomes known, or unknown again after a late result.
    Described(EpisodeIdx, bool),
    Residue(EpisodeIdx, bool),
    /// A summary enters the context; see [`Replay::summary_numbered`].
    Placed(u32),
    Lifted(u32),
}

impl Transition {
    pub fn by_harness(self) -> Option<(BlockIdx, BlockState)> {
        match self {
            Self::Changed { block, is, by: ChangedBy::Harness(_), .. } => Some((block, is)),
            _ => None,
        }
    }
}

/// All block states: a fold over graph changes and policy moves, with transitions as output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockStates(Vec<BlockState>);

impl BlockStates {
    pub fn new(n_blocks: usize) -> Self {
        Self(alloc::vec![BlockState::default(); n_blocks])
    }

    /// Must be called before any arrival.
    pub fn pin_blocks(&mut self, blocks: &[BlockIdx]) {
        for block in blocks {
            self.0[block.at()].0 |= PINNED;
        }
    }

    #[inline]
    pub fn state(&self, block: BlockIdx) -> BlockState {
        self.0[block.at()]
    }

    pub(crate) fn n_dropped(&self, run: BlockRun) -> usize {
        self.0[run.range()].iter().filter(|state| state.is_dropped()).count()
    }

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

    /// Applies a policy's move and returns its transition, `None` if the block is pinned or stays
    /// the same.
    ///
    /// An evicted block remembers its placeholder, in case the policy reverts the eviction.
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

    #[inline]
    pub(crate) fn take_whole(&mut self, block: BlockIdx) -> bool {
        let state = &mut self.0[block.at()];
        let may_go = state.may_go();
        if may_go {
            state.0 |= TAKEN;
        }
        may_go
    }

    /// Reverts a take. If a placeholder stood there before, it returns.
    pub(crate) fn untake_block(&mut self, block: BlockIdx) -> Option<Transition> {
        self.change_state(block, ChangedBy::Policy, |state| state & !TAKEN)
    }

    /// Advances to the next turn's request; `tell` gets every [`Transition`].
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
