//! Undeclared dependencies: explorations an act uses without declaring them.
//!
//! Only declared explorations are kept for an act. If the act's blocks use a path, command, rare number or
//! identifiers held by another exploration, this exploration may be evicted while the act still needs it.
//! The evidence is purely textual, so it is a doubt and no protocol breach: identifiers may be plain words
//! or common code (`collect`), and a few identifiers are not enough.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{RemarkKind, Threshold, Thresholds};
use crate::material::is_code;
use crate::{
    AnnotationSource, BlockIdx, BlockKind, EpisodeGraph, EpisodeIdx, EpisodeKind, GraphTimeline, Life,
    Material, NameKind, Session,
};

/// Evidence that an act uses an exploration, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clue {
    Path,
    Command,
    ErrorText,
    /// A number told by a single result.
    Number,
    Symbol,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndeclaredUse {
    pub clue: Clue,
    pub text: Arc<str>,
    pub held: BlockIdx,
    pub by: BlockIdx,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndeclaredExploration {
    pub act: EpisodeIdx,
    pub on: EpisodeIdx,
    pub uses: Vec<UndeclaredUse>,
    pub first: BlockIdx,
    /// Strength in per mille: roughly how often readers see a dependency given this much evidence.
    pub strength: u16,
    /// (holder, result) pairs for content the act read again, each result once.
    pub again: Vec<(BlockIdx, BlockIdx)>,
}

impl UndeclaredExploration {
    /// Returns the hint as rule Q003 words it.
    pub fn remark_kind(&self, growth: &GraphTimeline) -> RemarkKind {
        let (act, on) = (growth.graph.episode(self.act), growth.graph.episode(self.on));
        RemarkKind::DependencyForgotten {
            act: act.name.clone(),
            on: on.name.clone(),
            clue: self.strongest_clue(),
            name: self.uses.first().map_or_else(|| Arc::from(""), |one| Arc::clone(&one.text)),
            n_names: u32::try_from(self.uses.len()).unwrap_or(u32::MAX),
            inferred: growth.source_of(act) == AnnotationSource::Inferred,
        }
    }

    pub fn strongest_clue(&self) -> Clue {
        self.uses.first().map_or(Clue::Symbol, |one| one.clue)
    }

    /// Adds up the evidence. The weights were fitted to readers' edges (`docs/lints.md`): names from nearby
    /// explorations count more, and a single distant path counts little.
    fn evidence_points(&self) -> u64 {
        let n = |clue| self.uses.iter().filter(|one| one.clue == clue).count() as u64;
        let n_code =
            self.uses.iter().filter(|one| one.clue == Clue::Symbol && is_code(&one.text)).count() as u64;
        let n_words = n(Clue::Symbol) - n_code;
        let errors = n(Clue::ErrorText);
        let speaks_for = 16 * n(Clue::Path).min(3)
            + 20 * n(Clue::Command).min(1)
            + 5 * (n_code + errors).min(16)
            + 5 * errors.min(2)
            + 5 * n(Clue::Number).min(3)
            + n_words.min(24);
        let n_between = self.act.at().saturating_sub(self.on.at()) as u64;
        speaks_for.saturating_sub(5 * n_between.min(12))
    }
}

/// Finds the undeclared explorations of all acts, by act and exploration in start order.
///
/// A name counts for its last holder before the use, unless a declared exploration held it too.
pub fn find_undeclared(
    session: &Session,
    graph: &EpisodeGraph,
    material: &Material,
    thresholds: &Thresholds,
) -> Vec<UndeclaredExploration> {
    let mut holders: BTreeMap<u32, BTreeSet<EpisodeIdx>> = BTreeMap::new();
    let mut found: BTreeMap<(EpisodeIdx, EpisodeIdx), UndeclaredExploration> = BTreeMap::new();
    let declares = |act: EpisodeIdx, on: EpisodeIdx| {
        graph.episode(act).dependencies.iter().any(|known| known.on == Some(on))
    };
    let mut add = |act, on, one: UndeclaredUse, again: Option<BlockIdx>| {
        let (first, held) = (one.by, one.held);
        let begin =
            || UndeclaredExploration { act, on, uses: Vec::new(), first, strength: 0, again: Vec::new() };
        let row = found.entry((act, on)).or_insert_with(begin);
        row.first = row.first.min(first);
        row.again.extend(again.map(|result| (held, result)));
        if !row.uses.iter().any(|known| known.text == one.text) {
            row.uses.push(one);
        }
    };
    for one in &material.uses {
        let Some(on) = graph.owner_of(one.held) else { continue };
        let held_by = holders.entry(one.name).or_default();
        held_by.insert(on);
        let Some(act) = graph.owner_of(one.by) else { continue };
        let Some(name) = material.names.get(one.name as usize) else { continue };
        if !could_name(graph, act, on) || held_by.iter().any(|on| declares(act, *on)) {
            continue;
        }
        let clue = match name.kind {
            NameKind::Path => Clue::Path,
            NameKind::Command => Clue::Command,
            NameKind::Symbol if name.is_telling() && is_error(session, one.held) => Clue::ErrorText,
            NameKind::Symbol => Clue::Symbol,
        };
        let text = Arc::clone(&name.text);
        add(act, on, UndeclaredUse { clue, text, held: one.held, by: one.by }, one.again);
    }
    for one in &material.numbers {
        let (Some(on), Some(act)) = (graph.owner_of(one.held), graph.owner_of(one.by)) else { continue };
        if could_name(graph, act, on) && !declares(act, on) {
            let text = Arc::clone(&one.text);
            add(act, on, UndeclaredUse { clue: Clue::Number, text, held: one.held, by: one.by }, None);
        }
    }
    let weighed = |mut row: UndeclaredExploration| {
        row.uses.sort_by_key(|one| one.clue);
        let points = row.evidence_points();
        if points < thresholds.value(Threshold::Points).max(1) {
            return None;
        }
        row.strength = u16::try_from((650 + 10 * points).min(1000)).unwrap_or(1000);
        row.again.sort_unstable();
        row.again.dedup_by_key(|(_, result)| *result);
        Some(row)
    };
    found.into_values().filter_map(weighed).collect()
}

fn is_error(session: &Session, result: BlockIdx) -> bool {
    matches!(session.blocks.get(result.at()).map(|row| &row.kind), Some(BlockKind::Result(result)) if !result.ok)
}

pub(super) fn could_name(graph: &EpisodeGraph, act: EpisodeIdx, on: EpisodeIdx) -> bool {
    let (act, on) = (graph.episode(act), graph.episode(on));
    // A span without the agent's own marks has no end call.
    let is_behind = || on.end_call.is_none() && on.blocks.last().is_some_and(|last| *last < act.start);
    let is_over =
        on.end_call.is_some_and(|end| end < act.start) || (on.cut_off && on.start < act.start) || is_behind();
    act.kind == EpisodeKind::Action
        && on.kind == EpisodeKind::Exploratory
        && on.state == Life::Closed
        && is_over
}
