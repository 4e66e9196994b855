//! Undeclared dependencies: explorations that an act uses and does not name.
//!
//! An act names the explorations it draws on, and only those are kept for it. Where its blocks use a path, a command
//! or symbols that another exploration held, that one may go while the act still works with it. It is told from
//! the texts alone, so it is a hint and no breach of the protocol: symbols may be plain words or what every
//! program has (`collect`), and a few of them are not enough.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::{BlockIdx, EpisodeGraph, EpisodeIdx, EpisodeKind, Life, Material, NameKind};

/// The least number of symbols of one exploration that count as a use of it, where no path and no command is among
/// the names.
pub const SYMBOLS_THAT_TELL: usize = 8;

/// An exploration that an act uses and does not name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undeclared {
    /// The act.
    pub act: EpisodeIdx,
    /// The exploration, which was closed before the act began.
    pub on: EpisodeIdx,
    /// The names that the act uses, as places in [`Material::names`]: paths, then commands, then symbols.
    pub names: Vec<u32>,
    /// The first block of the act that uses one of them.
    pub first: BlockIdx,
}

/// Finds the explorations that acts use and do not name, by act and exploration in start order.
///
/// A name counts for the exploration that held it last before the use, unless an exploration that the act names
/// has held it too.
pub fn undeclared(graph: &EpisodeGraph, material: &Material) -> Vec<Undeclared> {
    let mut holders: BTreeMap<u32, BTreeSet<EpisodeIdx>> = BTreeMap::new();
    let mut found: BTreeMap<(EpisodeIdx, EpisodeIdx), Undeclared> = BTreeMap::new();
    for one in &material.uses {
        let Some(on) = graph.owner(one.held) else { continue };
        let held_by = holders.entry(one.name).or_default();
        held_by.insert(on);
        let Some(act) = graph.owner(one.by) else { continue };
        if !could_name(graph, act, on) {
            continue;
        }
        let declares = |on: EpisodeIdx| graph.get(act).dependencies.iter().any(|known| known.on == Some(on));
        if held_by.iter().any(|on| declares(*on)) {
            continue;
        }
        let row = found.entry((act, on)).or_insert_with(|| Undeclared {
            act,
            on,
            names: Vec::new(),
            first: one.by,
        });
        row.names.push(one.name);
    }
    let kind = |name: u32| material.names.get(name as usize).map(|name| name.kind);
    let mut rows: Vec<Undeclared> = found.into_values().collect();
    rows.retain_mut(|row| {
        row.names.sort_unstable_by_key(|name| (kind(*name), *name));
        row.names.dedup();
        let is_named = row.names.iter().any(|name| kind(*name).is_some_and(|kind| kind != NameKind::Symbol));
        is_named || row.names.len() >= SYMBOLS_THAT_TELL
    });
    rows
}

/// Tells whether an act could have named an exploration: it was closed when the act began.
fn could_name(graph: &EpisodeGraph, act: EpisodeIdx, on: EpisodeIdx) -> bool {
    let (act, on) = (graph.get(act), graph.get(on));
    let is_over = on.end_call.is_some_and(|end| end < act.start) || (on.cut_off && on.start < act.start);
    act.kind == EpisodeKind::Action
        && on.kind == EpisodeKind::Exploratory
        && on.state == Life::Closed
        && is_over
}
