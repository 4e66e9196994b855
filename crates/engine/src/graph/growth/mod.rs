//! Graph timeline: how messages and graph grow turn by turn, computed once for all policies and budgets.
//!
//! An agent's event counts from the turn that knows its result, at the place of its call. Usually both are
//! the same turn, and the graph grows at its end. If a result comes late, the walk is repeated, and the
//! differences become changes of this turn. Names and descriptions always come from the whole log: a late
//! result may change the number behind a name, but never the identity of an episode.

mod columns;
mod growing;
mod segment_facts;
mod universe;
mod walked;

use alloc::vec::Vec;
use core::ops::Range;

pub use self::columns::PairSide;
use self::columns::TimelineColumns;
pub use self::growing::GrowingTimeline;
pub(crate) use self::segment_facts::{MarkNames, MarkedResult, SegmentFacts, TakenBy, mark_of_call};
use self::walked::WalkedTimeline;
use crate::graph::annotate::Marks;
use crate::graph::grouped::BlocksByGroup;
use crate::{
    Annotation, AnnotationSource, BlockIdx, Episode, EpisodeGraph, EpisodeIdx, EvictionLevel, Life, Problem,
    Session, TurnIdx,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRun {
    pub first: BlockIdx,
    /// Exclusive.
    pub end: BlockIdx,
}

impl BlockRun {
    pub fn blocks(self) -> impl Iterator<Item = BlockIdx> {
        self.range().map(BlockIdx::new)
    }

    pub fn range(self) -> Range<usize> {
        self.first.at()..self.end.at()
    }

    pub fn contains(self, block: BlockIdx) -> bool {
        self.first <= block && block < self.end
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphChange {
    /// Whole messages arrive: everything new at the turn, always as its first change.
    Arrived(BlockRun),
    Owned(BlockRun, Option<EpisodeIdx>),
    Lives(EpisodeIdx, Life),
    Edge {
        from: EpisodeIdx,
        to: EpisodeIdx,
        /// False if a late result removes the edge.
        added: bool,
    },
    Described(EpisodeIdx, bool),
    /// The harness removes a block; the number is a position in [`Session::replacements`].
    Dropped(BlockIdx, u32),
    Restored(BlockIdx),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphTimeline {
    pub graph: EpisodeGraph,
    pub source: AnnotationSource,
    changes: Vec<GraphChange>,
    ends: Vec<usize>,
    members: BlocksByGroup,
    /// `members` by eviction level, without and with `classify_shell`.
    members_by_level: [BlocksByGroup; 2],
    has_late_marks: bool,
    columns: TimelineColumns,
}

impl GraphTimeline {
    /// Builds the timeline from the agent's own marks and reports every broken protocol rule.
    pub fn build(session: &Session) -> (Self, Vec<Problem>) {
        Self::build_annotated(session, &Annotation::Declared)
    }

    /// Builds the timeline under `annotation`. Reports protocol rules only for the agent's own
    /// marks.
    pub fn build_annotated(session: &Session, annotation: &Annotation) -> (Self, Vec<Problem>) {
        let marks = Marks::from_annotation(session, annotation);
        let WalkedTimeline { timeline, past, .. } =
            WalkedTimeline::walk(session, &marks, annotation.source());
        let problems = past.all_problems(session, matches!(marks, Marks::Calls(_)));
        (timeline, problems)
    }

    pub fn changes_at(&self, turn: TurnIdx) -> &[GraphChange] {
        let start = turn.at().checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(turn.at()).copied().unwrap_or(self.changes.len());
        &self.changes[start.min(end)..end]
    }

    /// Returns all blocks `episode` ever held, in log order, including blocks lost to late marks.
    pub fn members_of(&self, episode: EpisodeIdx) -> &[BlockIdx] {
        self.members.blocks_in(episode.at()..episode.at() + 1)
    }

    /// Returns members by level ([`GraphTimeline::level_of`]), level by level; `levels` are
    /// positions in [`EvictionLevel::ALL`].
    pub(crate) fn members_at(
        &self,
        episode: EpisodeIdx,
        levels: Range<usize>,
        classify_shell: bool,
    ) -> &[BlockIdx] {
        let first = episode.at() * EvictionLevel::ALL.len();
        self.members_by_level[usize::from(classify_shell)].blocks_in(first + levels.start..first + levels.end)
    }

    /// In a mixed annotation, an episode with evidence is inferred and not yet accepted by a reader.
    pub fn source_of(&self, episode: &Episode) -> AnnotationSource {
        match self.source {
            AnnotationSource::Filled | AnnotationSource::Written if episode.evidence.is_some() => {
                AnnotationSource::Inferred
            }
            AnnotationSource::Filled => AnnotationSource::Declared,
            source => source,
        }
    }

    /// Returns `true` if a delimiter call was answered after a later request; such marks move
    /// blocks.
    pub fn has_late_marks(&self) -> bool {
        self.has_late_marks
    }

    pub fn n_turns(&self) -> usize {
        self.ends.len()
    }
}

fn members_of(changes: &[GraphChange], n_episodes: usize) -> BlocksByGroup {
    let mut owned: Vec<(usize, BlockIdx)> = Vec::new();
    for change in changes {
        if let GraphChange::Owned(run, Some(episode)) = change {
            owned.extend(run.blocks().map(|block| (episode.at(), block)));
        }
    }
    owned.sort_unstable();
    // A late result may assign a block to an episode twice.
    owned.dedup();
    BlocksByGroup::new(n_episodes, owned.into_iter())
}

fn by_level(members: &BlocksByGroup, n_episodes: usize, levels: &[EvictionLevel]) -> BlocksByGroup {
    let n_levels = EvictionLevel::ALL.len();
    let of_episode = |episode: usize| {
        let blocks = members.blocks_in(episode..episode + 1).iter();
        blocks.map(move |block| (episode * n_levels + levels[block.at()] as usize, *block))
    };
    BlocksByGroup::new(n_episodes * n_levels, (0..n_episodes).flat_map(of_episode))
}
