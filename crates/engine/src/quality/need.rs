//! Needs: dependencies that acts forget (Q003), do not use (Q004), or find stripped (Q005).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::course::{Course, per_mille};
use super::undeclared::{Undeclared, undeclared};
use super::{Remark, RemarkKind, Threshold};
use crate::{AnnotationSource, BlockIdx, EpisodeIdx, EpisodeKind, Life};

pub(super) fn remarks(course: &Course<'_>, found: &mut Vec<Remark>) {
    let forgotten =
        undeclared(course.input.session, course.graph, course.input.material, course.input.thresholds);
    found.extend(forgotten.iter().map(|one| of_forgotten(course, one)));
    let used = Used::of(course);
    for (act, episode) in course.graph.iter().filter(|(_, episode)| episode.kind == EpisodeKind::Action) {
        for on in course.graph.dependencies(act) {
            found.extend(stripped(course, act, on));
            if episode.state == Life::Closed {
                found.extend(unused(course, act, on, &used));
            }
        }
    }
}

/// Finds the doubts of [`remarks`] that depend on what a policy took.
pub(super) fn remarks_of_policy(course: &Course<'_>, found: &mut Vec<Remark>) {
    for (act, _) in course.graph.iter().filter(|(_, episode)| episode.kind == EpisodeKind::Action) {
        found.extend(course.graph.dependencies(act).into_iter().filter_map(|on| stripped(course, act, on)));
    }
}

fn of_forgotten(course: &Course<'_>, one: &Undeclared) -> Remark {
    let graph = course.graph;
    let turn = |block: BlockIdx| course.turn_of(block);
    let missed = one.again.iter().filter(|(held, again)| course.is_gone(*held, turn(*again)));
    let kind = RemarkKind::DependencyForgotten {
        act: graph.get(one.act).name.clone(),
        on: graph.get(one.on).name.clone(),
        clue: one.clue(),
        name: one.uses.first().map_or_else(|| Arc::from(""), |one| Arc::clone(&one.text)),
        n_names: u32::try_from(one.uses.len()).unwrap_or(u32::MAX),
        inferred: course.input.growth.source_of(graph.get(one.act)) == AnnotationSource::Inferred,
    };
    let evidence = one.uses.iter().take(5).flat_map(|one| [one.held, one.by]);
    let remark = course.remark(one.act, evidence, one.strength.into(), kind);
    let cost = Some(course.tokens(missed.map(|(_, again)| *again)));
    Remark { at: one.first, on: Some(one.on), cost, ..remark }
}

/// The names that acts used, by the explorations that held them at any time.
pub(super) struct Used {
    pairs: BTreeSet<(EpisodeIdx, EpisodeIdx)>,
    /// How many names each act took from other episodes.
    n_names: BTreeMap<EpisodeIdx, u64>,
}

impl Used {
    pub(super) fn of(course: &Course<'_>) -> Self {
        let mut holders: BTreeMap<u32, BTreeSet<EpisodeIdx>> = BTreeMap::new();
        let mut used = Self { pairs: BTreeSet::new(), n_names: BTreeMap::new() };
        for one in &course.input.material.uses {
            let Some(on) = course.graph.owner(one.held) else { continue };
            let held_by = holders.entry(one.name).or_default();
            held_by.insert(on);
            let Some(act) = course.graph.owner(one.by) else { continue };
            used.pairs.extend(held_by.iter().map(|on| (act, *on)));
            if on != act {
                *used.n_names.entry(act).or_insert(0) += 1;
            }
        }
        for one in &course.input.material.numbers {
            let owners = (course.graph.owner(one.by), course.graph.owner(one.held));
            if let (Some(act), Some(on)) = owners {
                used.pairs.insert((act, on));
            }
        }
        used
    }

    /// Tells whether an act used anything of an exploration.
    pub(super) fn has(&self, act: EpisodeIdx, on: EpisodeIdx) -> bool {
        self.pairs.contains(&(act, on))
    }
}

fn unused(course: &Course<'_>, act: EpisodeIdx, on: EpisodeIdx, used: &Used) -> Option<Remark> {
    let n_names = used.n_names.get(&act).copied().unwrap_or(0);
    if used.has(act, on) || n_names < course.least(Threshold::NamesElsewhere) {
        return None;
    }
    let (graph, closed) = (course.graph, course.graph.get(act).closed_turn?);
    let kind =
        RemarkKind::DependencyUnused { act: graph.get(act).name.clone(), on: graph.get(on).name.clone() };
    // It is kept for nothing where no other act needs it.
    let is_only = graph.dependents(on).len() == 1;
    let kept = graph.get(on).blocks.iter().copied().filter(|block| !course.is_gone(*block, closed));
    let cost = if is_only { course.tokens(kept) } else { 0 };
    let strength = 300 + 20 * n_names.min(20);
    let remark = course.remark(act, [graph.get(act).start, graph.get(on).start], strength, kind);
    Some(Remark { at: graph.get(act).start, on: Some(on), cost: Some(cost), ..remark })
}

fn stripped(course: &Course<'_>, act: EpisodeIdx, on: EpisodeIdx) -> Option<Remark> {
    let graph = course.graph;
    let opened = graph.get(act).first_turn;
    let blocks = || graph.get(on).blocks.iter().copied();
    let gone = || blocks().filter(|block| course.is_gone(*block, opened));
    let (n_gone, n_all) = (course.tokens(gone()), course.tokens(blocks()));
    let share = per_mille(n_gone, n_all);
    if n_gone < course.least(Threshold::StrippedTokens)
        || share < course.least(Threshold::StrippedShare).max(1)
    {
        return None;
    }
    let kind = RemarkKind::DependencyStripped {
        act: graph.get(act).name.clone(),
        on: graph.get(on).name.clone(),
        gone: n_gone,
        all: n_all,
    };
    let mut largest: Vec<BlockIdx> = gone().collect();
    largest.sort_by_key(|block| core::cmp::Reverse(course.input.table.units(*block)));
    largest.truncate(4);
    let remark = course.remark(act, largest, share, kind);
    Some(Remark { at: graph.get(act).start, on: Some(on), cost: Some(n_gone), ..remark })
}
