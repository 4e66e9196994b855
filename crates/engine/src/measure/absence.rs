//! Absence: when each block first went, and when the agent first got the same again while it was gone.

use alloc::vec;
use alloc::vec::Vec;

use super::look_back::UsesByTurn;
use super::presence::{Passage, PresentBlocks};
use crate::{Material, Replay, ReplayInput, TurnIdx};

/// What a policy's replay tells of one block that it takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Absence {
    /// The first turn whose request misses it because the policy took it.
    pub first: Option<TurnIdx>,
    /// The first turn whose reply got the same again (of the same path or command) while the policy had taken it.
    pub again: Option<TurnIdx>,
}

/// Tells of every block when a policy first took it, and when the agent first got the same again, in one pass.
///
/// `material` may be another than that of the replay: most policies need none.
pub fn absences(input: &ReplayInput<'_>, replay: &Replay, material: &Material) -> Vec<Absence> {
    let mut present = PresentBlocks::new(input);
    let mut uses = UsesByTurn::new(input.session, &material.uses);
    let mut absences = vec![Absence::default(); input.session.blocks.len()];
    let mut left = Vec::new();
    for at in 0..replay.turns.len() {
        let turn = TurnIdx::from_position(at);
        left.clear();
        present.advance(input, replay, turn, |passage| {
            if let Passage::Leaves(block) = passage {
                left.push(block);
            }
        });
        for block in &left {
            // What comes in and goes at once, or goes and comes back, is told as it is at the end.
            if !present.is_there(*block) && !present.is_dropped(*block) {
                absences[block.at()].first.get_or_insert(turn);
            }
        }
        for one in uses.of_next_turn() {
            let taken =
                present.has_arrived(one.held) && !present.is_dropped(one.held) && !present.is_there(one.held);
            if taken && one.again.is_some() {
                absences[one.held.at()].again.get_or_insert(turn);
            }
        }
    }
    absences
}
