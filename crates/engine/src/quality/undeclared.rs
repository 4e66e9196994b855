//! Undeclared dependencies: explorations that an act uses and does not name.
//!
//! An act names the explorations it draws on, and only those are kept for it. Where its blocks use a path, a command,
//! a rare number or identifiers that another exploration held, that one may go while the act still works with it. It is
//! told from the texts alone, so it is a doubt and no breach of the protocol: identifiers may be plain words or what
//! every program has (`collect`), and a few of them are not enough.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Threshold, Thresholds};
use crate::material::is_code;
use crate::{BlockIdx, BlockKind, EpisodeGraph, EpisodeIdx, EpisodeKind, Life, Material, NameKind, Session};

/// The traces by which an act shows it draws on an exploration, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clue {
    /// A file's path.
    Path,
    /// A shell command.
    Command,
    /// An identifier out of an error's text.
    ErrorText,
    /// A number that one result alone told.
    Number,
    /// An identifier.
    Symbol,
}

/// One thing of an exploration an act uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndeclaredUse {
    /// The kind.
    pub clue: Clue,
    /// The text, normalised.
    pub text: Arc<str>,
    /// The result that held it.
    pub held: BlockIdx,
    /// The first block of the act that uses it.
    pub by: BlockIdx,
}

/// An exploration an act uses and does not name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndeclaredExploration {
    /// The act.
    pub act: EpisodeIdx,
    /// The exploration, which was closed before the act began.
    pub on: EpisodeIdx,
    /// The things the act uses, each once, the strongest first.
    pub uses: Vec<UndeclaredUse>,
    /// The first block of the act that uses one of them.
    pub first: BlockIdx,
    /// How strong the evidence is, per mille: about how often readers see a dependency if there is as much.
    pub strength: u16,
    /// The results by which the act got something of it again, each once.
    pub again: Vec<(BlockIdx, BlockIdx)>,
}

impl UndeclaredExploration {
    /// Returns the strongest kind of evidence.
    pub fn strongest_clue(&self) -> Clue {
        self.uses.first().map_or(Clue::Symbol, |one| one.clue)
    }

    /// Counts the points of the evidence. The weights were fitted to the edges of readers (`docs/lints.md`): the nearer
    /// the exploration, the more a name tells; and a path alone, far away, tells little.
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

/// Finds the explorations that acts use and do not name, by act and exploration in start order.
///
/// A name counts for the exploration that held it last before the use, unless an exploration the act names has held it too.
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

/// Tells whether an act could have named an exploration: it was closed when the act began.
pub(super) fn could_name(graph: &EpisodeGraph, act: EpisodeIdx, on: EpisodeIdx) -> bool {
    let (act, on) = (graph.episode(act), graph.episode(on));
    // A span no agent marked has no call at its end.
    let is_behind = || on.end_call.is_none() && on.blocks.last().is_some_and(|last| *last < act.start);
    let is_over =
        on.end_call.is_some_and(|end| end < act.start) || (on.cut_off && on.start < act.start) || is_behind();
    act.kind == EpisodeKind::Action
        && on.kind == EpisodeKind::Exploratory
        && on.state == Life::Closed
        && is_over
}
