//! Working sets: what an episode worked with, to tell a budget that is too small from a mark at fault.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::Reacquisition;
use crate::{
    BlockIdx, BlockStates, ChangedBy, EpisodeGraph, EpisodeIdx, Material, NameKind, ReplayInput, Transition,
    TurnIdx, Use,
};

/// Minimum number of symbols from one exploration that count as its use, without a path or command.
pub const SYMBOLS_THAT_TELL: usize = 8;

/// Returns for each reacquisition the tokens that Y needed at that turn: Y's blocks so far, the blocks outside
/// that Y used, and what may never go.
pub(super) fn working_sets(input: &ReplayInput<'_>, reacquisitions: &[Reacquisition]) -> Vec<u64> {
    let ReplayInput { session, growth, table, material, .. } = *input;
    let graph = &growth.graph;
    let mut by_episode: BTreeMap<EpisodeIdx, Vec<Use>> = BTreeMap::new();
    let wanted: BTreeSet<EpisodeIdx> =
        reacquisitions.iter().filter_map(|reacquisition| graph.owner_of(reacquisition.again)).collect();
    for one in &material.uses {
        if let Some(y) = graph.owner_of(one.by).filter(|y| wanted.contains(y)) {
            by_episode.entry(y).or_default().push(*one);
        }
    }
    let may_go = |block: BlockIdx| session.is_evictable(block) && !graph.in_prologue(block);
    let mut states = BlockStates::new(session.blocks.len());
    let (mut fixed, mut at) = (0u64, 0usize);
    let mut sizes = Vec::with_capacity(reacquisitions.len());
    for reacquisition in reacquisitions {
        while at <= reacquisition.turn.at() {
            states.grow_to(growth, TurnIdx::from_position(at), |_, transition| match transition {
                Transition::Arrived(run) => {
                    let blocks = run.range().map(BlockIdx::new).filter(|block| !may_go(*block));
                    fixed += blocks.map(|block| table.units(block)).sum::<u64>();
                }
                Transition::Changed { block, is, by: ChangedBy::Harness(_), .. } if !may_go(block) => {
                    let units = table.units(block);
                    fixed = if is.is_dropped() { fixed.saturating_sub(units) } else { fixed + units };
                }
                _ => {}
            });
            at += 1;
        }
        let Some(y) = graph.owner_of(reacquisition.again) else {
            sizes.push(0);
            continue;
        };
        let is_there = |block: &BlockIdx| {
            let state = states.state(*block);
            may_go(*block) && state.has_arrived() && !state.is_dropped()
        };
        let own = graph.episode(y).blocks.iter().filter(|block| is_there(block));
        let units: u64 = own.map(|block| table.units(*block)).sum();
        let used = by_episode.get(&y).map_or(&[][..], Vec::as_slice);
        let used = used_outside(used, reacquisition.again, graph, y, material);
        let outside: u64 = used.iter().filter(|block| is_there(block)).map(|block| table.units(*block)).sum();
        sizes.push(
            table
                .tokens_from_units(fixed + units + outside)
                .saturating_add(input.overhead.tokens_at(reacquisition.turn)),
        );
    }
    sizes
}

fn used_outside(
    uses: &[Use],
    until: BlockIdx,
    graph: &EpisodeGraph,
    y: EpisodeIdx,
    material: &Material,
) -> BTreeSet<BlockIdx> {
    let mut symbols: BTreeMap<BlockIdx, BTreeSet<u32>> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for one in uses.iter().filter(|one| one.by <= until && graph.owner_of(one.held) != Some(y)) {
        match material.names.get(one.name as usize).map(|name| name.kind) {
            Some(NameKind::Symbol) => {
                let known = symbols.entry(one.held).or_default();
                known.insert(one.name);
                if known.len() >= SYMBOLS_THAT_TELL {
                    used.insert(one.held);
                }
            }
            Some(NameKind::Path | NameKind::Command) => {
                used.insert(one.held);
            }
            None => {}
        }
    }
    used
}
