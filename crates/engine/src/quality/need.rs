//! Needs: dependencies that acts forgot (Q003), do not use (Q004), or find stripped (Q005).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::course::{Course, per_mille};
use super::undeclared::{UndeclaredExploration, find_undeclared};
use super::{Remark, RemarkKind, Threshold};
use crate::{BlockIdx, EpisodeIdx, EpisodeKind, Life};

pub(super) fn find_remarks(course: &Course<'_>, found: &mut Vec<Remark>) {
    let forgotten =
        find_undeclared(course.input.session, course.graph, course.input.material, course.input.thresholds);
    found.extend(forgotten.iter().map(|one| of_forgotten(course, one)));
    let used = UsedNames::from_course(course);
    for (act, episode) in course.graph.episodes().filter(|(_, episode)| episode.kind == EpisodeKind::Action) {
        for on in course.graph.dependencies(act) {
            found.extend(stripped_remark(course, act, on));
            if episode.state == Life::Closed {
                found.extend(unused_remark(course, act, on, &used));
            }
        }
    }
}

pub(super) fn remarks_of_policy(course: &Course<'_>, found: &mut Vec<Remark>) {
    for (act, _) in course.graph.episodes().filter(|(_, episode)| episode.kind == EpisodeKind::Action) {
        found.extend(
            course.graph.dependencies(act).into_iter().filter_map(|on| stripped_remark(course, act, on)),
        );
    }
}

fn of_forgotten(course: &Course<'_>, one: &UndeclaredExploration) -> Remark {
    let turn = |block: BlockIdx| course.turn_of(block);
    let missed = one.again.iter().filter(|(held, again)| course.is_gone(*held, turn(*again)));
    let evidence = one.uses.iter().take(5).flat_map(|one| [one.held, one.by]);
    let remark =
        course.new_remark(one.act, evidence, one.strength.into(), one.remark_kind(course.input.growth));
    let cost = Some(course.tokens_of(missed.map(|(_, again)| *again)));
    Remark { at: one.first, on: Some(one.on), cost, ..remark }
}

/// Names used by acts, joined to every exploration that ever held them.
pub(super) struct UsedNames {
    pairs: BTreeSet<(EpisodeIdx, EpisodeIdx)>,
    n_names: BTreeMap<EpisodeIdx, u64>,
}

impl UsedNames {
    pub(super) fn from_course(course: &Course<'_>) -> Self {
        let mut holders: BTreeMap<u32, BTreeSet<EpisodeIdx>> = BTreeMap::new();
        let mut used = Self { pairs: BTreeSet::new(), n_names: BTreeMap::new() };
        for one in &course.input.material.uses {
            let Some(on) = course.graph.owner_of(one.held) else { continue };
            let held_by = holders.entry(one.name).or_default();
            held_by.insert(on);
            let Some(act) = course.graph.owner_of(one.by) else { continue };
            used.pairs.extend(held_by.iter().map(|on| (act, *on)));
            if on != act {
                *used.n_names.entry(act).or_insert(0) += 1;
            }
        }
        for one in &course.input.material.numbers {
            let owners = (course.graph.owner_of(one.by), course.graph.owner_of(one.held));
            if let (Some(act), Some(on)) = owners {
                used.pairs.insert((act, on));
            }
        }
        used
    }

    pub(super) fn uses_edge(&self, act: EpisodeIdx, on: EpisodeIdx) -> bool {
        self.pairs.contains(&(act, on))
    }
}

fn unused_remark(course: &Course<'_>, act: EpisodeIdx, on: EpisodeIdx, used: &UsedNames) -> Option<Remark> {
    let n_names = used.n_names.get(&act).copied().unwrap_or(0);
    if used.uses_edge(act, on) || n_names < course.threshold(Threshold::NamesElsewhere) {
        return None;
    }
    let (graph, closed) = (course.graph, course.graph.episode(act).closed_turn?);
    let kind = RemarkKind::DependencyUnused {
        act: graph.episode(act).name.clone(),
        on: graph.episode(on).name.clone(),
    };
    // Without another dependent, the exploration is kept for nothing.
    let is_only = graph.dependents(on).len() == 1;
    let kept = graph.episode(on).blocks.iter().copied().filter(|block| !course.is_gone(*block, closed));
    let cost = if is_only { course.tokens_of(kept) } else { 0 };
    let strength = 300 + 20 * n_names.min(20);
    let remark = course.new_remark(act, [graph.episode(act).start, graph.episode(on).start], strength, kind);
    Some(Remark { at: graph.episode(act).start, on: Some(on), cost: Some(cost), ..remark })
}

fn stripped_remark(course: &Course<'_>, act: EpisodeIdx, on: EpisodeIdx) -> Option<Remark> {
    let graph = course.graph;
    let opened = graph.episode(act).first_turn;
    let blocks = || graph.episode(on).blocks.iter().copied();
    let gone = || blocks().filter(|block| course.is_gone(*block, opened));
    let (n_gone, n_all) = (course.tokens_of(gone()), course.tokens_of(blocks()));
    let share = per_mille(n_gone, n_all);
    if n_gone < course.threshold(Threshold::StrippedTokens)
        || share < course.threshold(Threshold::StrippedShare).max(1)
    {
        return None;
    }
    let kind = RemarkKind::DependencyStripped {
        act: graph.episode(act).name.clone(),
        on: graph.episode(on).name.clone(),
        gone: n_gone,
        all: n_all,
    };
    let mut largest: Vec<BlockIdx> = gone().collect();
    largest.sort_by_key(|block| core::cmp::Reverse(course.input.table.units(*block)));
    largest.truncate(4);
    let remark = course.new_remark(act, largest, share, kind);
    Some(Remark { at: graph.episode(act).start, on: Some(on), cost: Some(n_gone), ..remark })
}
