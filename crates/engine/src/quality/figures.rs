//! Figures: key numbers of an annotation, each with its parts.
//!
//! `docs/lints.md` has the same definitions. The figures judge an agent by its own marks only; for
//! inferred episodes, they judge the inference.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use strum::{Display, IntoStaticStr};

use super::course::Course;
use super::need::UsedNames;
use super::{QualityInput, Remark, RemarkKind};
use crate::{AnnotationSource, BlockIdx, BlockKind, EpisodeIdx, EpisodeKind, Severity, ToolClass};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breach {
    pub episode: Option<EpisodeIdx>,
    pub severity: Severity,
}

/// Sizes are in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnnotationFigures {
    pub n_episodes: u32,
    /// Marked episodes without a breach or remark above severity info.
    pub n_sound: u32,
    pub n_stretches: u32,
    pub sound: u64,
    pub doubtful: u64,
    pub unmarked: u64,
    /// Protocol breaches above severity info.
    pub n_breaches: u32,
    pub edges: EdgeFigures,
    /// Cost of delimiter calls; `None` if no agent made the marks.
    pub spent: Option<MarkingCost>,
    pub early: EarlyEviction,
    pub late: LateRetention,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EdgeFigures {
    /// Declared, with content of the exploration used in the act.
    pub used: u32,
    /// Declared but unused, although the act uses names from elsewhere (Q004).
    pub unused: u32,
    /// Declared, but the act uses too little from anywhere to judge.
    pub untold: u32,
    /// Used but not declared (Q003).
    pub forgotten: u32,
}

impl EdgeFigures {
    /// Precision in per mille: `used` / (`used` + `unused`) declared dependencies. `None` if none
    /// can be judged.
    pub fn precision(&self) -> Option<u32> {
        per_mille(self.used.into(), u64::from(self.used) + u64::from(self.unused))
    }

    /// Recall in per mille: the share of used dependencies that are declared. `None` if none is
    /// used.
    pub fn recall(&self) -> Option<u32> {
        per_mille(self.used.into(), u64::from(self.used) + u64::from(self.forgotten))
    }
}

/// Size of delimiter calls and their results, each counted once, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MarkingCost {
    pub n_calls: u32,
    pub calls: u64,
    pub results: u64,
    /// Size of the whole branch, for comparison.
    pub of: u64,
}

/// Reacquisitions of unchanged content the policy had evicted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EarlyEviction {
    pub n: u32,
    pub tokens: u64,
    /// Reacquisitions of content changed in the meantime; not counted elsewhere.
    pub n_changed: u32,
}

/// Content the marks keep although nothing uses it, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LateRetention {
    /// Kept for a single act that does not use it (Q004).
    pub unused: u64,
    /// Kept by an episode left open (Q010).
    pub open: u64,
}

impl AnnotationFigures {
    /// `remarks` and `breaches` must belong to the same input.
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

    /// Returns the share of tokens in sound episodes, per mille; `None` without tokens.
    pub fn sound_share(&self) -> Option<u32> {
        per_mille(self.sound, self.sound + self.doubtful + self.unmarked)
    }

    /// Returns protocol breaches per hundred episodes, in tenths; `None` without episodes.
    pub fn breaches_per_hundred(&self) -> Option<u32> {
        per_mille(self.n_breaches.into(), self.n_episodes.into())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedEdge {
    pub act: EpisodeIdx,
    pub on: EpisodeIdx,
    pub usage: EdgeUse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
pub enum EdgeUse {
    Used,
    Unused,
    Untold,
    Forgotten,
}

/// Judges all acts' dependencies, in act order: first the declared ones, then the forgotten ones. `remarks`
/// must belong to the same input.
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
    let (changed, same): (Vec<_>, Vec<_>) =
        course.input.stories.iter().partition(|story| story.cause.is_of_change());
    EarlyEviction {
        n: count_u32(same.len()),
        tokens: course.tokens_of(same.iter().map(|story| story.reacquisition.again)),
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
