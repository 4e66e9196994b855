//! Absence: when each block first went, and what the agent got again while it was gone.
//!
//! A *regret* is a result by which the agent got again what it had before (of the same path or command), after the
//! policy had evicted the block that held it. Look-back counts its tokens, and here it is told one by one: the sizes
//! of all regrets together are those of [`super::LookBackTurn::regret_tokens`].

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::look_back::UsesByTurn;
use crate::{
    BlockIdx, BlockState, BlockStates, Material, Move, Replay, ReplayInput, Session, Transition, TurnIdx,
};

/// The absence of one block a policy takes: when a request first misses it, and when the agent got it again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Absence {
    /// The first turn whose request misses it because the policy took it.
    pub first: Option<TurnIdx>,
    /// The first turn whose reply got the same again (of the same path or command) while the policy had taken it.
    pub again: Option<TurnIdx>,
}

/// A reacquisition: the agent got something again after the policy had evicted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regret {
    /// The turn whose reply got it again.
    pub turn: TurnIdx,
    /// The result by which the agent got it again.
    pub again: BlockIdx,
    /// The block that held it before: the latest of `missed`.
    pub held: BlockIdx,
    /// The first request without that block, since it was last there.
    pub gone: TurnIdx,
    /// The names that were missed, as places in [`Material::names`]: paths before commands.
    pub names: Vec<u32>,
    /// All blocks that held these names, in log order.
    pub missed: Vec<BlockIdx>,
}

/// The absences of a replay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Absences {
    /// One row for each block of the session.
    pub blocks: Vec<Absence>,
    /// Everything that was got again, in the order of the turns.
    pub regrets: Vec<Regret>,
}

/// Tells for every block when a policy first took it, and of everything that the agent got again, in one pass.
///
/// `material` may be another than that of the replay: most policies need none.
pub fn find_absences(input: &ReplayInput<'_>, replay: &Replay, material: &Material) -> Absences {
    let n_blocks = input.session.blocks.len();
    let mut states = BlockStates::new(n_blocks);
    let mut uses = UsesByTurn::new(input.session, &material.uses);
    let mut found = Absences { blocks: vec![Absence::default(); n_blocks], regrets: Vec::new() };
    let mut last_gone = vec![TurnIdx::FIRST; n_blocks];
    let mut left = Vec::new();
    for at in 0..replay.turns.len() {
        let turn = TurnIdx::from_position(at);
        left.clear();
        states.advance_to(input, replay, turn, |_, transition| {
            if let Transition::Changed { block, was, .. } = transition
                && was.is_there()
            {
                left.push(block);
            }
        });
        let is_missed = |state: BlockState| state.has_arrived() && !state.is_dropped() && !state.is_there();
        // A block that comes in and goes at once, or goes and comes back, is told as it is at the end.
        for block in left.iter().filter(|block| is_missed(states.state(**block))) {
            found.blocks[block.at()].first.get_or_insert(turn);
            last_gone[block.at()] = turn;
        }
        // Content that was still there by one of its names was not missed.
        let mut got: BTreeMap<BlockIdx, Option<Regret>> = BTreeMap::new();
        for one in uses.of_next_turn() {
            let (Some(again), state) = (one.again, states.state(one.held)) else { continue };
            if state.is_there() {
                got.insert(again, None);
            } else if is_missed(state) {
                let begin = || {
                    Some(Regret { turn, again, held: one.held, gone: turn, names: vec![], missed: vec![] })
                };
                if let Some(regret) = got.entry(again).or_insert_with(begin) {
                    regret.names.push(one.name);
                    regret.missed.push(one.held);
                }
            }
        }
        for mut regret in got.into_values().flatten() {
            regret
                .names
                .sort_unstable_by_key(|name| (material.names.get(*name as usize).map(|one| one.kind), *name));
            regret.names.dedup();
            regret.missed.sort_unstable();
            regret.missed.dedup();
            for block in &regret.missed {
                found.blocks[block.at()].again.get_or_insert(turn);
                regret.held = regret.held.max(*block);
            }
            regret.gone = last_gone[regret.held.at()];
            found.regrets.push(regret);
        }
    }
    found
}

/// Finds the step of `turn` by which a block goes, or a placeholder takes its place, from 1; `None` if no step of it does.
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

/// Returns the turn whose reply brought a block about: that of its call, where it is a result. What came before the
/// first reply belongs to the first turn.
pub fn turn_that_got(session: &Session, block: BlockIdx) -> TurnIdx {
    let by = session.blocks[block.at()].pair.unwrap_or(block);
    let after = session.turn_after(session.blocks[by.at()].message);
    TurnIdx::new(after.number().saturating_sub(1))
}
