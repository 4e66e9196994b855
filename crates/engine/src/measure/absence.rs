//! Absences: when each block first left the context, and what the agent reacquired meanwhile.
//!
//! A *reacquisition* is a result with which the agent got the same path or command again after the
//! policy had evicted the earlier holder. Their sizes add up to
//! [`super::RecallTurn::reacquired_tokens`].

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::recall::UsesByTurn;
use crate::{
    BlockIdx, BlockState, BlockStates, Material, Move, Replay, ReplayInput, Session, Transition, TurnIdx,
};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Absence {
    /// First turn whose request lacks the block because of the policy.
    pub first: Option<TurnIdx>,
    /// First turn whose reply reacquired the block's path or command while it was evicted.
    pub again: Option<TurnIdx>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reacquisition {
    pub turn: TurnIdx,
    pub again: BlockIdx,
    /// The latest block of `missed`.
    pub held: BlockIdx,
    /// The turn before whose request the policy evicted `held`. The harness may have removed and restored the block since.
    pub gone: TurnIdx,
    /// Positions in [`Material::names`], paths before commands.
    pub names: Vec<u32>,
    /// All former holders of `names`, in log order.
    pub missed: Vec<BlockIdx>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Absences {
    pub blocks: Vec<Absence>,
    pub reacquisitions: Vec<Reacquisition>,
}

/// `material` may differ from `input.material`, which most policies leave empty.
pub fn find_absences(input: &ReplayInput<'_>, replay: &Replay, material: &Material) -> Absences {
    let n_blocks = input.session.blocks.len();
    let mut states = BlockStates::new(n_blocks);
    let mut uses = UsesByTurn::new(input.session, &material.uses);
    let mut found = Absences { blocks: vec![Absence::default(); n_blocks], reacquisitions: Vec::new() };
    let mut last_evicted = vec![TurnIdx::FIRST; n_blocks];
    let mut left = Vec::new();
    let mut evicted = Vec::new();
    for at in 0..replay.turns.len() {
        let turn = TurnIdx::from_position(at);
        // The harness may give back a dropped block that the policy has evicted meanwhile.
        let is_missed = |state: BlockState| state.has_arrived() && !state.is_dropped() && state.is_evicted();
        left.clear();
        evicted.clear();
        states.advance_to(input, replay, turn, |_, transition| {
            let Transition::Changed { block, was, .. } = transition else { return };
            if !is_missed(was) {
                left.push(block);
            }
            if !was.is_evicted() {
                evicted.push(block);
            }
        });
        // Only the turn's final state counts, not brief changes.
        for block in left.iter().filter(|block| is_missed(states.state(**block))) {
            found.blocks[block.at()].first.get_or_insert(turn);
        }
        for block in evicted.iter().filter(|block| states.state(**block).is_evicted()) {
            last_evicted[block.at()] = turn;
        }
        // Content is not missed if any of its names still has a holder in the context.
        let mut got: BTreeMap<BlockIdx, Option<Reacquisition>> = BTreeMap::new();
        for one in uses.of_next_turn() {
            let (Some(again), state) = (one.again, states.state(one.held)) else { continue };
            if state.is_there() {
                got.insert(again, None);
            } else if is_missed(state) {
                let begin = || {
                    Some(Reacquisition {
                        turn,
                        again,
                        held: one.held,
                        gone: turn,
                        names: vec![],
                        missed: vec![],
                    })
                };
                if let Some(reacquisition) = got.entry(again).or_insert_with(begin) {
                    reacquisition.names.push(one.name);
                    reacquisition.missed.push(one.held);
                }
            }
        }
        for mut reacquisition in got.into_values().flatten() {
            reacquisition
                .names
                .sort_unstable_by_key(|name| (material.names.get(*name as usize).map(|one| one.kind), *name));
            reacquisition.names.dedup();
            reacquisition.missed.sort_unstable();
            reacquisition.missed.dedup();
            for block in &reacquisition.missed {
                found.blocks[block.at()].again.get_or_insert(turn);
                reacquisition.held = reacquisition.held.max(*block);
            }
            reacquisition.gone = last_evicted[reacquisition.held.at()];
            found.reacquisitions.push(reacquisition);
        }
    }
    found
}

/// Returns the number, from 1, of the step at `turn` that evicts or masks `block`.
pub fn step_that_takes(
    input: &ReplayInput<'_>,
    replay: &Replay,
    turn: TurnIdx,
    block: BlockIdx,
) -> Option<usize> {
    let pass = replay.steps_of(input, turn);
    let is_taken = |step: &&crate::EvictionStep| {
        pass.blocks_of(step).binary_search(&block).is_ok()
            || pass.moves_of(step).iter().any(|one| match *one {
                Move::Out(taken) | Move::Masked(taken, _) => taken == block,
                _ => false,
            })
    };
    let steps: &[crate::EvictionStep] = &pass.steps;
    steps.iter().zip(1..).find(|(step, _)| is_taken(step)).map(|(_, number)| number)
}

/// Returns the turn whose reply brought `block`; for a result, its call's turn. Blocks before the first
/// reply belong to the first turn.
pub fn turn_that_got(session: &Session, block: BlockIdx) -> TurnIdx {
    let by = session.blocks[block.at()].pair.unwrap_or(block);
    let after = session.turn_after(session.blocks[by.at()].message);
    TurnIdx::new(after.number().saturating_sub(1))
}
