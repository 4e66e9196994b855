//! Figures: an annotation in a few numbers, each with the parts that it is made of.
//!
//! `docs/lints.md` has the definitions in the same words. No figure judges an agent by more than its own marks: of inferred
//! episodes all of them are about the inference.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::course::Course;
use super::need::UsedNames;
use super::{QualityInput, Remark, RemarkKind};
use crate::{AnnotationSource, BlockIdx, BlockKind, EpisodeIdx, EpisodeKind, Material, Severity, ToolClass};

/// A breach of the protocol: the episode that it is about, where it is about one, and how grave it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breach {
    /// The episode.
    pub episode: Option<EpisodeIdx>,
    /// How grave it is.
    pub severity: Severity,
}

/// An annotation in figures; sizes are in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnnotationFigures {
    /// The episodes that are marked.
    pub n_episodes: u32,
    /// Sound ones: no breach and no remark of a warning or an error speaks against them.
    pub n_sound: u32,
    /// The stretches without an episode.
    pub n_stretches: u32,
    /// The size of the sound episodes.
    pub sound: u64,
    /// The size of the other marked episodes.
    pub doubtful: u64,
    /// The size of the stretches without an episode.
    pub unmarked: u64,
    /// Breaches of the protocol that are warnings or errors.
    pub n_breaches: u32,
    /// The dependencies.
    pub edges: EdgeFigures,
    /// The calls that mark episodes, and their results; `None` if no agent made the marks.
    pub spent: Option<MarkingCost>,
    /// Content that was evicted too early.
    pub early: EarlyEviction,
    /// Content that was kept too long.
    pub late: LateRetention,
}

/// The dependencies that acts name, judged by the evidence in the texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EdgeFigures {
    /// Named, and something of the exploration comes back in the act.
    pub used: u32,
    /// Named, and nothing of it comes back, though the act takes names from elsewhere (Q004).
    pub unused: u32,
    /// Named, and the act takes too little from anywhere to tell.
    pub untold: u32,
    /// Not named, and the act uses the exploration (Q003).
    pub forgotten: u32,
}

impl EdgeFigures {
    /// Precision in per mille: `used` / (`used` + `unused`) declared dependencies. `None` if none can be judged.
    pub fn precision(&self) -> Option<u32> {
        per_mille(self.used.into(), u64::from(self.used) + u64::from(self.unused))
    }

    /// Recall in per mille: the share of used dependencies that are declared. `None` if none is used.
    pub fn recall(&self) -> Option<u32> {
        per_mille(self.used.into(), u64::from(self.used) + u64::from(self.forgotten))
    }
}

/// The cost of marks: calls of the delimiter, and their results, each counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MarkingCost {
    /// How many calls.
    pub n_calls: u32,
    /// The calls' size.
    pub calls: u64,
    /// The size of their results.
    pub results: u64,
    /// The size of everything on the branch, for comparison.
    pub of: u64,
}

/// Early evictions: content that the policy took and the agent got again, though no call had changed it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EarlyEviction {
    /// How many times.
    pub n: u32,
    /// The size of what came back.
    pub tokens: u64,
    /// How many times something came back that a call had changed meanwhile; in no other figure here.
    pub n_changed: u32,
}

/// Late retention: content that the marks keep though nothing uses it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LateRetention {
    /// Kept for one act alone that uses nothing of it (Q004).
    pub unused: u64,
    /// Held by an episode that was left open (Q010).
    pub open: u64,
}

impl AnnotationFigures {
    /// Puts an annotation in figures. `remarks` are those of the same input, `breaches` those of the protocol.
    pub fn measure(input: &QualityInput<'_>, remarks: &[Remark], breaches: &[Breach]) -> Self {
        let course = Course::from_input(*input);
        let mut figures = Self::default();
        let is_grave = |severity: Severity| severity >= Severity::Warning;
        let grave: Vec<&Breach> = breaches.iter().filter(|breach| is_grave(breach.severity)).collect();
        let spoken_of: BTreeSet<EpisodeIdx> = grave
            .iter()
            .filter_map(|breach| breach.episode)
            .chain(remarks.iter().filter(|one| is_grave(one.kind.rule().severity)).map(|one| one.episode))
            .collect();
        for (idx, episode) in course.graph.episodes() {
            let tokens = course.tokens_of(episode.blocks.iter().copied());
            if episode.kind == EpisodeKind::Unannotated {
                figures.n_stretches += 1;
                figures.unmarked += tokens;
                continue;
            }
            figures.n_episodes += 1;
            if spoken_of.contains(&idx) {
                figures.doubtful += tokens;
            } else {
                figures.n_sound += 1;
                figures.sound += tokens;
            }
        }
        figures.n_breaches = count_u32(grave.len());
        figures.edges = count_edges(&course, remarks);
        let has_marks = matches!(input.growth.source, AnnotationSource::Declared | AnnotationSource::Filled);
        figures.spent = has_marks.then(|| marking_cost(&course));
        figures.early = early_evictions(&course);
        for remark in remarks {
            let cost = remark.cost.unwrap_or(0);
            match remark.kind {
                RemarkKind::DependencyUnused { .. } => figures.late.unused += cost,
                RemarkKind::LeftOpen { .. } => figures.late.open += cost,
                _ => {}
            }
        }
        figures
    }

    /// Returns the share of tokens under sound annotation, per mille; `None` of nothing.
    pub fn sound_share(&self) -> Option<u32> {
        per_mille(self.sound, self.sound + self.doubtful + self.unmarked)
    }

    /// Returns the breaches of the protocol per hundred episodes, in tenths; `None` without an episode.
    pub fn breaches_per_hundred(&self) -> Option<u32> {
        per_mille(self.n_breaches.into(), self.n_episodes.into())
    }
}

/// A dependency of an act on an exploration, judged by the evidence in the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedEdge {
    /// The act.
    pub act: EpisodeIdx,
    /// The exploration.
    pub on: EpisodeIdx,
    /// Whether the act names it and uses it.
    pub usage: EdgeUse,
}

/// Whether an act names an exploration and uses it; [`EdgeFigures`] counts each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeUse {
    /// Named, and something of it comes back.
    Used,
    /// Named, and nothing of it comes back (Q004).
    Unused,
    /// Named, and the act takes too little from anywhere to tell.
    Untold,
    /// Not named, and used (Q003).
    Forgotten,
}

/// Judges the dependencies of all acts, in the order of the acts: first those that they name, then those that they forgot.
/// `remarks` are those of the same input.
pub fn judged_edges(input: &QualityInput<'_>, remarks: &[Remark]) -> Vec<JudgedEdge> {
    judge_edges(&Course::from_input(*input), remarks)
}

fn judge_edges(course: &Course<'_>, remarks: &[Remark]) -> Vec<JudgedEdge> {
    let used = UsedNames::from_course(course);
    let unused: BTreeSet<(EpisodeIdx, Option<EpisodeIdx>)> = remarks
        .iter()
        .filter(|one| matches!(one.kind, RemarkKind::DependencyUnused { .. }))
        .map(|one| (one.episode, one.on))
        .collect();
    let mut edges = Vec::new();
    for (act, _) in course.graph.episodes().filter(|(_, episode)| episode.kind == EpisodeKind::Action) {
        for on in course.graph.dependencies(act) {
            let usage = match (used.uses_edge(act, on), unused.contains(&(act, Some(on)))) {
                (true, _) => EdgeUse::Used,
                (false, true) => EdgeUse::Unused,
                (false, false) => EdgeUse::Untold,
            };
            edges.push(JudgedEdge { act, on, usage });
        }
    }
    let forgotten = remarks.iter().filter(|one| matches!(one.kind, RemarkKind::DependencyForgotten { .. }));
    edges.extend(
        forgotten
            .filter_map(|one| Some(JudgedEdge { act: one.episode, on: one.on?, usage: EdgeUse::Forgotten })),
    );
    edges.sort_by_key(|edge| edge.act);
    edges
}

fn count_edges(course: &Course<'_>, remarks: &[Remark]) -> EdgeFigures {
    let mut found = EdgeFigures::default();
    for edge in judge_edges(course, remarks) {
        let n = match edge.usage {
            EdgeUse::Used => &mut found.used,
            EdgeUse::Unused => &mut found.unused,
            EdgeUse::Untold => &mut found.untold,
            EdgeUse::Forgotten => &mut found.forgotten,
        };
        *n += 1;
    }
    found
}

fn marking_cost(course: &Course<'_>) -> MarkingCost {
    let session = course.input.session;
    let of_marks = |is_call: bool| {
        let blocks = (0..session.blocks.len()).map(BlockIdx::new);
        blocks.filter(move |block| {
            let row = &session.blocks[block.at()];
            let is_mark = row.class == Some(ToolClass::Delimiter) && row.stands_for.is_none();
            is_mark && matches!(row.kind, BlockKind::Call(_)) == is_call
        })
    };
    MarkingCost {
        n_calls: count_u32(of_marks(true).count()),
        calls: course.tokens_of(of_marks(true)),
        results: course.tokens_of(of_marks(false)),
        of: course.tokens_of((0..session.blocks.len()).map(BlockIdx::new)),
    }
}

fn early_evictions(course: &Course<'_>) -> EarlyEviction {
    let material: &Material = course.input.material;
    let is_changed = |regret: &&crate::Regret| {
        material.changes.iter().any(|change| {
            regret.names.contains(&change.name) && (regret.held..regret.again).contains(&change.by)
        })
    };
    let (changed, same): (Vec<_>, Vec<_>) = course.input.absences.regrets.iter().partition(is_changed);
    EarlyEviction {
        n: count_u32(same.len()),
        tokens: course.tokens_of(same.iter().map(|regret| regret.again)),
        n_changed: count_u32(changed.len()),
    }
}

fn count_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn per_mille(part: u64, whole: u64) -> Option<u32> {
    let share = part.saturating_mul(1000).checked_div(whole)?;
    Some(u32::try_from(share).unwrap_or(u32::MAX))
}
