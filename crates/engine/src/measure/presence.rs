//! Which blocks each request of a replay holds, from one request to the next.

use alloc::vec::Vec;

use crate::{BlockIdx, GraphChange, Move, Replay, ReplayInput, TurnIdx};

const ARRIVED: u8 = 1;
/// The harness took it.
const DROPPED: u8 = 2;
/// The policy took it, or put something else in its place.
const TAKEN: u8 = 4;

/// Which blocks the request of a replay holds to the letter, at the turn to which it was advanced.
#[derive(Debug)]
pub(super) struct PresentBlocks {
    flags: Vec<u8>,
}

/// What happens to a block between two requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passage {
    /// It comes into the context: for the first time, or back.
    Enters(BlockIdx),
    /// It leaves the context.
    Leaves(BlockIdx),
    /// The harness put it back: whoever has not evicted it has it again.
    Restored(BlockIdx),
}

impl PresentBlocks {
    /// Begins before the first request.
    pub(super) fn new(input: &ReplayInput<'_>) -> Self {
        Self { flags: alloc::vec![0; input.session.blocks.len()] }
    }

    /// Goes on to the request of the next turn and tells `each` what happens on the way; a block may come and go.
    pub(super) fn advance(
        &mut self,
        input: &ReplayInput<'_>,
        replay: &Replay,
        turn: TurnIdx,
        mut each: impl FnMut(Passage),
    ) {
        for change in input.growth.changes(turn) {
            match *change {
                GraphChange::Arrived(block) => self.set(block, ARRIVED, 0, &mut each),
                GraphChange::Dropped(block, _) => self.set(block, DROPPED, 0, &mut each),
                GraphChange::Restored(block) => {
                    self.set(block, 0, DROPPED, &mut each);
                    each(Passage::Restored(block));
                }
                GraphChange::Opened(_)
                | GraphChange::Owned(..)
                | GraphChange::Edge { .. }
                | GraphChange::Described(..)
                | GraphChange::Closed(_)
                | GraphChange::Reopened(_)
                | GraphChange::Vanished(_) => {}
            }
        }
        replay.moves_of(turn, |one| match one {
            Move::Out(block) | Move::Masked(block, _) => self.set(block, TAKEN, 0, &mut each),
            Move::In(block) => self.set(block, 0, TAKEN, &mut each),
            Move::Placed(_) | Move::Lifted(_) | Move::Residue(..) => {}
        });
    }

    /// Tells whether the request holds a block.
    pub(super) fn is_there(&self, block: BlockIdx) -> bool {
        self.flags[block.at()] == ARRIVED
    }

    /// Tells whether a block has come in.
    pub(super) fn has_arrived(&self, block: BlockIdx) -> bool {
        self.flags[block.at()] & ARRIVED != 0
    }

    /// Tells whether the harness took a block out.
    pub(super) fn is_dropped(&self, block: BlockIdx) -> bool {
        self.flags[block.at()] & DROPPED != 0
    }

    fn set(&mut self, block: BlockIdx, on: u8, off: u8, each: &mut impl FnMut(Passage)) {
        let flags = &mut self.flags[block.at()];
        let was = *flags == ARRIVED;
        *flags = (*flags | on) & !off;
        match (was, *flags == ARRIVED) {
            (false, true) => each(Passage::Enters(block)),
            (true, false) => each(Passage::Leaves(block)),
            _ => {}
        }
    }
}
