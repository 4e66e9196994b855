//! Graph timeline: how messages and graph grow turn by turn, computed once for all policies and budgets.
//!
//! An agent's event counts from the turn that knows its result, at the place of its call. Usually both are
//! the same turn, and the graph grows at its end. If a result comes late, the walk is repeated, and the
//! differences become changes of this turn. Names and descriptions always come from the whole log: a late
//! result may change the number behind a name, but never the identity of an episode.

mod columns;
mod segment_facts;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

pub use self::columns::PairSide;
use self::columns::TimelineColumns;
pub(crate) use self::segment_facts::{MarkNames, MarkedResult, SegmentFacts, TakenBy, mark_of_call};
use crate::annotate::{Annotator, AnnotatorEvent, Marks};
use crate::grouped::BlocksByGroup;
use crate::{
    Annotation, AnnotationSource, BlockIdx, Dependency, Episode, EpisodeGraph, EpisodeIdx, EvictionLevel,
    Life, Problem, Session, TurnIdx,
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

    /// Returns positions in [`Session::blocks`].
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

/// Every turn's [`GraphChange`]s.
#[derive(Debug, Clone, Default)]
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
        let mut walk = Annotator::new(session, &marks);
        let mut state = Universe::new(session);
        let mut sink = Vec::new();
        let mut ends = Vec::with_capacity(session.turns.len());
        let (mut from, mut next_replacement) = (0, 0);
        let late = late_turns(session, &marks);
        let has_late_marks = !late.is_empty();
        let mut late = late.into_iter().peekable();
        for (at, turn) in session.turns.iter().enumerate() {
            let at_turn = TurnIdx::from_position(at);
            let block_of = |message: usize| {
                let start = session.messages.get(message).map(|message| message.blocks.start);
                BlockIdx::new(start.unwrap_or(session.blocks.len()))
            };
            let arrived = BlockRun { first: block_of(from), end: block_of(turn.end) };
            if arrived.first < arrived.end {
                state.changes.push(GraphChange::Arrived(arrived));
            }
            sink.clear();
            if late.next_if_eq(&at).is_some() {
                walk = Annotator::new(session, &marks);
                walk.walk_messages(0..turn.end, turn.end, &mut sink);
                state.diff_graph(&walk, at_turn);
            } else {
                walk.walk_messages(from..turn.end, turn.end, &mut sink);
                state.append_events(&walk, &sink, at_turn);
            }
            while let Some(replacement) =
                session.replacements.get(next_replacement).filter(|r| r.at <= turn.end)
            {
                let number = u32::try_from(next_replacement).unwrap_or(u32::MAX);
                state.changes.extend(replacement.drops.iter().map(|&b| GraphChange::Dropped(b, number)));
                state.changes.extend(replacement.restores.iter().map(|&b| GraphChange::Restored(b)));
                next_replacement += 1;
            }
            ends.push(state.changes.len());
            from = turn.end;
        }
        walk.finish_walk();
        let problems = core::mem::take(&mut walk.problems);
        let (graph, changes) = state.number_episodes(&walk);
        let members = members_of(&changes, graph.episodes.len());
        let (source, columns) = (annotation.source(), TimelineColumns::from_session(session));
        let n_episodes = graph.episodes.len();
        let members_by_level = columns.levels.each_ref().map(|levels| by_level(&members, n_episodes, levels));
        (Self { graph, source, changes, ends, members, members_by_level, has_late_marks, columns }, problems)
    }

    /// Returns all [`GraphChange`]s before a turn's request, in order.
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

    /// Returns where one episode's marks come from. In a mixed annotation, an episode with evidence is
    /// inferred and not yet accepted by a reader.
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

fn late_turns(session: &Session, marks: &Marks<'_>) -> Vec<usize> {
    let Marks::Calls(calls) = marks else { return Vec::new() };
    let mut turns: Vec<usize> = calls
        .iter()
        .filter_map(|(call, mark)| {
            let asked = session.turns.partition_point(|t| t.end <= session.blocks[call.at()].message.at());
            let answered = session.turns.partition_point(|t| t.end <= mark.answered_at);
            (asked < answered).then_some(answered)
        })
        .collect();
    turns.sort_unstable();
    turns.dedup();
    turns
}

/// All episodes in any version of the graph, keyed by first block.
struct Universe {
    episodes: Vec<Episode>,
    by_start: BTreeMap<BlockIdx, usize>,
    places: Vec<usize>,
    owners: Vec<Option<usize>>,
    described: Vec<bool>,
    changes: Vec<GraphChange>,
}

impl Universe {
    fn new(session: &Session) -> Self {
        Self {
            episodes: Vec::new(),
            by_start: BTreeMap::new(),
            places: Vec::new(),
            owners: Vec::new(),
            described: Vec::new(),
            changes: Vec::with_capacity(session.blocks.len() * 2 + 16),
        }
    }

    fn append_events(&mut self, walk: &Annotator<'_>, sink: &[AnnotatorEvent], turn: TurnIdx) {
        for annotated in sink {
            match *annotated {
                AnnotatorEvent::Opened(local) => {
                    let place = self.place_episode(walk, local, turn);
                    self.places.push(place);
                    self.changes.push(GraphChange::Lives(EpisodeIdx::new(place), Life::Open));
                    let (to, added) = (EpisodeIdx::new(place), true);
                    let edges = edges_of(&self.episodes[place]);
                    self.changes.extend(edges.into_iter().map(|from| GraphChange::Edge { from, to, added }));
                }
                AnnotatorEvent::Owned(block, local) => {
                    self.assign_owner(block, self.places[local]);
                }
                AnnotatorEvent::Closed(local) => {
                    let place = self.places[local];
                    self.episodes[place].state = Life::Closed;
                    self.episodes[place].closed_turn = Some(turn);
                    self.set_description(place, walk.episodes[local].description.is_some());
                    self.changes.push(GraphChange::Lives(EpisodeIdx::new(place), Life::Closed));
                }
            }
        }
        let from = self.owners.len();
        self.owners.extend(walk.owners[from..].iter().map(|owner| owner.map(|local| self.places[local])));
    }

    fn diff_graph(&mut self, walk: &Annotator<'_>, turn: TurnIdx) {
        let before: Vec<(Life, Vec<EpisodeIdx>)> =
            self.episodes.iter().map(|e| (e.state, edges_of(e))).collect();
        self.places.clear();
        let mut locals: Vec<Option<usize>> = alloc::vec![None; self.episodes.len()];
        for local in 0..walk.episodes.len() {
            let place = self.place_episode(walk, local, turn);
            self.places.push(place);
            locals.resize(self.episodes.len(), None);
            locals[place] = Some(local);
            if place >= before.len() {
                self.changes.push(GraphChange::Lives(EpisodeIdx::new(place), Life::Open));
            }
        }
        for (at, owner) in walk.owners.iter().enumerate() {
            let owner = owner.map(|local| self.places[local]);
            let known = self.owners.get(at).copied().flatten();
            if owner != known {
                let run = BlockRun { first: BlockIdx::new(at), end: BlockIdx::new(at + 1) };
                self.changes.push(GraphChange::Owned(run, owner.map(EpisodeIdx::new)));
            }
        }
        self.owners = walk.owners.iter().map(|owner| owner.map(|local| self.places[local])).collect();
        for (place, local) in locals.iter().enumerate() {
            let idx = EpisodeIdx::new(place);
            let old = before.get(place).cloned().unwrap_or((Life::Open, Vec::new()));
            let state = local.map_or(Life::Vanished, |local| walk.episodes[local].state);
            self.set_description(
                place,
                local.is_some_and(|local| walk.episodes[local].description.is_some()),
            );
            let edges = edges_of(&self.episodes[place]);
            let edge = |from: &EpisodeIdx, added| GraphChange::Edge { from: *from, to: idx, added };
            self.changes.extend(old.1.iter().filter(|on| !edges.contains(on)).map(|on| edge(on, false)));
            self.changes.extend(edges.iter().filter(|on| !old.1.contains(on)).map(|on| edge(on, true)));
            if state == old.0 {
                continue;
            }
            self.episodes[place].state = state;
            self.episodes[place].closed_turn = (state == Life::Closed).then_some(turn);
            self.changes.push(GraphChange::Lives(idx, state));
        }
    }

    /// Assigns a new block, merged into the previous run if the owner is the same.
    fn assign_owner(&mut self, block: BlockIdx, place: usize) {
        let owner = Some(EpisodeIdx::new(place));
        let end = BlockIdx::new(block.at() + 1);
        match self.changes.last_mut() {
            Some(GraphChange::Owned(run, known)) if *known == owner && run.end == block => run.end = end,
            _ => self.changes.push(GraphChange::Owned(BlockRun { first: block, end }, owner)),
        }
    }

    fn set_description(&mut self, place: usize, described: bool) {
        if core::mem::replace(&mut self.described[place], described) != described {
            self.changes.push(GraphChange::Described(EpisodeIdx::new(place), described));
        }
    }

    fn place_episode(&mut self, walk: &Annotator<'_>, local: usize, turn: TurnIdx) -> usize {
        let draft = &walk.episodes[local];
        let known = self.by_start.get(&draft.start).copied();
        // A stretch and a declared episode may begin at the same call, before and after its result
        // is known.
        let known = known.filter(|place| self.episodes[*place].kind == draft.kind);
        let place = known.unwrap_or(self.episodes.len());
        let dependencies = draft
            .dependencies
            .iter()
            .map(|Dependency { declared, on }| Dependency {
                declared: declared.clone(),
                on: on.map(|on| EpisodeIdx::new(self.places[on.at()])),
            })
            .collect();
        if known.is_none() {
            self.by_start.insert(draft.start, place);
            self.described.push(false);
            self.episodes.push(Episode::new_empty(draft.name.clone(), draft.kind, draft.start, turn));
        }
        let episode = &mut self.episodes[place];
        episode.name = draft.name.clone();
        episode.dependencies = dependencies;
        place
    }

    fn number_episodes(mut self, walk: &Annotator<'_>) -> (EpisodeGraph, Vec<GraphChange>) {
        for (local, draft) in walk.episodes.iter().enumerate() {
            let episode = &mut self.episodes[self.places[local]];
            episode.end_call = draft.end_call;
            episode.cut_off = draft.cut_off;
            episode.description = draft.description.clone();
            episode.evidence = draft.evidence.clone();
        }
        for (at, owner) in self.owners.iter().enumerate() {
            if let Some(owner) = owner {
                self.episodes[*owner].blocks.push(BlockIdx::new(at));
            }
        }
        let mut order: Vec<usize> = (0..self.episodes.len()).collect();
        order.sort_by_key(|&at| {
            let episode = &self.episodes[at];
            (episode.state == Life::Vanished, episode.start, at)
        });
        let mut numbers = alloc::vec![EpisodeIdx::new(0); order.len()];
        for (number, &at) in order.iter().enumerate() {
            numbers[at] = EpisodeIdx::new(number);
        }
        let renumber = |idx: &mut EpisodeIdx| *idx = numbers[idx.at()];
        for change in &mut self.changes {
            match change {
                GraphChange::Lives(e, _) | GraphChange::Described(e, _) | GraphChange::Owned(_, Some(e)) => {
                    renumber(e);
                }
                GraphChange::Edge { from, to, .. } => {
                    renumber(from);
                    renumber(to);
                }
                GraphChange::Arrived(_)
                | GraphChange::Owned(_, None)
                | GraphChange::Dropped(..)
                | GraphChange::Restored(_) => {}
            }
        }
        let mut episodes: Vec<Option<Episode>> = self.episodes.into_iter().map(Some).collect();
        let mut sorted = Vec::with_capacity(order.len());
        for at in order {
            sorted.extend(episodes[at].take().map(|mut episode| {
                episode.dependencies.iter_mut().filter_map(|d| d.on.as_mut()).for_each(renumber);
                episode
            }));
        }
        let owners = self.owners.iter().map(|owner| owner.map(|at| numbers[at])).collect();
        (EpisodeGraph::new(sorted, owners, walk.prologue_end), self.changes)
    }
}

fn edges_of(episode: &Episode) -> Vec<EpisodeIdx> {
    episode.dependencies.iter().filter_map(|dependency| dependency.on).collect()
}
