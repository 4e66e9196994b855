//! Blame: reacquisitions by the episode and the cause they are put down to, in the order in which
//! a reader should look at them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use strum::{Display, IntoStaticStr};

use super::{ReacquisitionCause, ReacquisitionStory, fuller_description};
use crate::{Edit, EpisodeGraph, EpisodeIdx, Material, TokenTable};

/// The remedies that reacquisitions have; the order of a [`Blame`] list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Display, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
pub enum BlameClass {
    Mendable,
    /// A mark is to blame, but a reader must decide how to mend it.
    Reader,
    /// No mark is to blame: the policy, τ, or the order of the work.
    NoMark,
    /// The content had changed, so the agent had to get it again under any policy.
    Changed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    pub class: BlameClass,
    /// The episode whose mark is to blame. If no mark is, the episode that the cause speaks of.
    /// `None` before the first episode.
    pub episode: Option<EpisodeIdx>,
    /// Positions in the list of stories, the largest reacquisition first.
    pub stories: Vec<usize>,
    /// Size of the reacquired content, units.
    pub units: u64,
    /// Edits that together mend it; empty unless [`BlameClass::Mendable`].
    pub edits: Vec<Edit>,
}

impl ReacquisitionStory {
    pub fn episode_to_blame(&self) -> Option<EpisodeIdx> {
        match self.cause {
            ReacquisitionCause::WrongKind { of } => Some(of),
            ReacquisitionCause::Undeclared
            | ReacquisitionCause::TooSmall { .. }
            | ReacquisitionCause::Unmarked { held: false } => self.again,
            ReacquisitionCause::Changed { .. }
            | ReacquisitionCause::Policy
            | ReacquisitionCause::Unmarked { held: true }
            | ReacquisitionCause::ClosedEarly
            | ReacquisitionCause::ReadInAct
            | ReacquisitionCause::ThinDescription { .. }
            | ReacquisitionCause::InDescription
            | ReacquisitionCause::StrippedBefore { .. }
            | ReacquisitionCause::NeededByExploration => self.first,
        }
    }

    pub fn blame_class(&self) -> BlameClass {
        match self.cause {
            ReacquisitionCause::Changed { .. } => BlameClass::Changed,
            ReacquisitionCause::Policy
            | ReacquisitionCause::TooSmall { .. }
            | ReacquisitionCause::InDescription
            | ReacquisitionCause::StrippedBefore { .. }
            | ReacquisitionCause::NeededByExploration => BlameClass::NoMark,
            _ if !self.changes.is_empty() => BlameClass::Mendable,
            ReacquisitionCause::Unmarked { .. }
            | ReacquisitionCause::Undeclared
            | ReacquisitionCause::WrongKind { .. }
            | ReacquisitionCause::ClosedEarly
            | ReacquisitionCause::ReadInAct
            | ReacquisitionCause::ThinDescription { .. } => BlameClass::Reader,
        }
    }
}

/// Groups reacquisitions by the episode and the cause to blame. Marks that can be mended come first, then
/// marks that cannot, then what no mark is to blame for; in each class, the most tokens come first.
pub fn rank_blame(
    graph: &EpisodeGraph,
    material: &Material,
    table: &TokenTable,
    stories: &[ReacquisitionStory],
) -> Vec<Blame> {
    let units = |at: usize| table.units(stories[at].reacquisition.again);
    let mut groups: BTreeMap<(BlameClass, &str, Option<EpisodeIdx>), Vec<usize>> = BTreeMap::new();
    for (at, story) in stories.iter().enumerate() {
        let key = (story.blame_class(), story.cause.name(), story.episode_to_blame());
        groups.entry(key).or_default().push(at);
    }
    let mut ranked: Vec<Blame> = groups
        .into_iter()
        .map(|((class, _, episode), mut of_group)| {
            of_group.sort_by_key(|at| Reverse(units(*at)));
            let units = of_group.iter().map(|at| units(*at)).sum();
            let edits = match class {
                BlameClass::Mendable => joint_edits(graph, material, of_group.iter().map(|at| &stories[*at])),
                BlameClass::Reader | BlameClass::NoMark | BlameClass::Changed => Vec::new(),
            };
            Blame { class, episode, stories: of_group, units, edits }
        })
        .collect();
    ranked.sort_by_key(|blame| (blame.class, Reverse(blame.units), blame.stories.first().copied()));
    ranked
}

fn joint_edits<'a>(
    graph: &EpisodeGraph,
    material: &Material,
    stories: impl Iterator<Item = &'a ReacquisitionStory>,
) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut lacks: Vec<&str> = Vec::new();
    let mut described = None;
    for story in stories {
        if let (ReacquisitionCause::ThinDescription { names }, Some(holder)) = (&story.cause, story.first) {
            described = Some(holder);
            for name in names.iter().filter_map(|name| material.names.get(*name as usize)) {
                if !lacks.contains(&&*name.text) {
                    lacks.push(&name.text);
                }
            }
            continue;
        }
        for edit in &story.changes {
            if !edits.contains(edit) {
                edits.push(edit.clone());
            }
        }
    }
    if let Some(holder) = described {
        let holder = graph.episode(holder);
        let text = fuller_description(holder.description.as_deref(), lacks);
        edits.extend(text.map(|text| Edit::Describe { of: holder.name.clone(), text }));
    }
    edits
}
