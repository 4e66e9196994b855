//! Absence: when each block first went, and when the agent first got the same again while it was gone.

use alloc::vec;
use alloc::vec::Vec;

use super::look_back::UsesByTurn;
use crate::{BlockState, BlockStates, Material, Replay, ReplayInput, Transition, TurnIdx};

/// The absence of one block that a policy takes: when a request first misses it, and when the agent got it again.
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
    let mut states = BlockStates::new(input.session.blocks.len());
    let mut uses = UsesByTurn::new(input.session, &material.uses);
    let mut absences = vec![Absence::default(); input.session.blocks.len()];
    let mut left = Vec::new();
    for at in 0..replay.turns.len() {
        let turn = TurnIdx::from_position(at);
        left.clear();
        states.advance(input, replay, turn, |_, transition| {
            if let Transition::Changed { block, was, .. } = transition
                && was.is_there()
            {
                left.push(block);
            }
        });
        let is_missed = |state: BlockState| state.has_arrived() && !state.is_dropped() && !state.is_there();
        // A block that comes in and goes at once, or goes and comes back, is told as it is at the end.
        for block in left.iter().filter(|block| is_missed(states.of(**block))) {
            absences[block.at()].first.get_or_insert(turn);
        }
        for one in uses.of_next_turn() {
            if one.again.is_some() && is_missed(states.of(one.held)) {
                absences[one.held.at()].again.get_or_insert(turn);
            }
        }
    }
    absences
}
