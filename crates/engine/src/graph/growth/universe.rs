//! All episodes in any version of a graph, as the walk over a session finds them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use super::walked::{NowPoint, first_block_of};
use super::{BlockRun, GraphChange};
use crate::graph::annotate::{Annotator, AnnotatorEvent};
use crate::{BlockIdx, Dependency, Episode, EpisodeGraph, EpisodeIdx, Life, Session, TurnIdx};

#[derive(Debug, Clone, Default)]
pub(super) struct Universe {
    pub(super) episodes: Vec<Episode>,
    pub(super) by_start: BTreeMap<BlockIdx, usize>,
    pub(super) places: Vec<usize>,
    pub(super) owners: Vec<Option<usize>>,
    pub(super) described: Vec<bool>,
    pub(super) changes: Vec<GraphChange>,
}

impl Universe {
    pub(super) fn new(session: &Session) -> Self {
        Self { changes: Vec::with_capacity(session.blocks.len() * 2 + 16), ..Self::default() }
    }

    pub(super) fn add_arrival(&mut self, session: &Session, messages: Range<usize>) {
        let [first, end] =
            [messages.start, messages.end].map(|at| BlockIdx::new(first_block_of(session, at)));
        if first < end {
            self.changes.push(GraphChange::Arrived(BlockRun { first, end }));
        }
    }

    pub(super) fn add_replacements(&mut self, session: &Session, turn_end: usize, next: &mut usize) {
        while let Some(replacement) = session.replacements.get(*next).filter(|one| one.at <= turn_end) {
            let number = u32::try_from(*next).unwrap_or(u32::MAX);
            self.changes.extend(replacement.drops.iter().map(|&block| GraphChange::Dropped(block, number)));
            self.changes.extend(replacement.restores.iter().map(|&block| GraphChange::Restored(block)));
            *next += 1;
        }
    }

    pub(super) fn append_events(&mut self, walk: &Annotator<'_>, sink: &[AnnotatorEvent], turn: TurnIdx) {
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
                    self.set_description(place, walk.past.episodes[local].description.is_some());
                    self.changes.push(GraphChange::Lives(EpisodeIdx::new(place), Life::Closed));
                }
            }
        }
        let from = self.owners.len();
        self.owners
            .extend(walk.past.owners[from..].iter().map(|owner| owner.map(|local| self.places[local])));
    }

    pub(super) fn diff_graph(&mut self, walk: &Annotator<'_>, turn: TurnIdx) {
        let before: Vec<(Life, Vec<EpisodeIdx>)> =
            self.episodes.iter().map(|e| (e.state, edges_of(e))).collect();
        self.places.clear();
        let mut locals: Vec<Option<usize>> = alloc::vec![None; self.episodes.len()];
        for local in 0..walk.past.episodes.len() {
            let place = self.place_episode(walk, local, turn);
            self.places.push(place);
            locals.resize(self.episodes.len(), None);
            locals[place] = Some(local);
            if place >= before.len() {
                self.changes.push(GraphChange::Lives(EpisodeIdx::new(place), Life::Open));
            }
        }
        for (at, owner) in walk.past.owners.iter().enumerate() {
            let owner = owner.map(|local| self.places[local]);
            let known = self.owners.get(at).copied().flatten();
            if owner != known {
                let run = BlockRun { first: BlockIdx::new(at), end: BlockIdx::new(at + 1) };
                self.changes.push(GraphChange::Owned(run, owner.map(EpisodeIdx::new)));
            }
        }
        self.owners = walk.past.owners.iter().map(|owner| owner.map(|local| self.places[local])).collect();
        for (place, local) in locals.iter().enumerate() {
            let idx = EpisodeIdx::new(place);
            let old = before.get(place).cloned().unwrap_or((Life::Open, Vec::new()));
            let state = local.map_or(Life::Vanished, |local| walk.past.episodes[local].state);
            self.set_description(
                place,
                local.is_some_and(|local| walk.past.episodes[local].description.is_some()),
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
        let draft = &walk.past.episodes[local];
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

    pub(super) fn undo_to(&mut self, now: &NowPoint) {
        let n_episodes = now.point.walk.n_episodes();
        for episode in self.episodes.drain(n_episodes..) {
            self.by_start.remove(&episode.start);
        }
        self.places.truncate(n_episodes);
        self.described.truncate(n_episodes);
        self.owners.truncate(now.first_block);
        self.changes.truncate(now.point.n_changes);
        if let Some(open) = now.point.walk.open_episode() {
            let episode = &mut self.episodes[open];
            (episode.state, episode.closed_turn) = (Life::Open, None);
            let n_blocks = episode.blocks.partition_point(|block| block.at() < now.first_block);
            episode.blocks.truncate(n_blocks);
            self.described[open] = false;
        }
    }

    pub(super) fn finish_episodes(&mut self, walk: &Annotator<'_>, first: usize) {
        for (local, draft) in walk.past.episodes.iter().enumerate().skip(first) {
            let episode = &mut self.episodes[self.places[local]];
            episode.end_call = draft.end_call;
            episode.cut_off = draft.cut_off;
            episode.description = draft.description.clone();
            episode.evidence = draft.evidence.clone();
        }
    }

    pub(super) fn hand_out_blocks(&mut self, first: usize) {
        for (at, owner) in self.owners.iter().enumerate().skip(first) {
            if let Some(owner) = owner {
                self.episodes[*owner].blocks.push(BlockIdx::new(at));
            }
        }
    }

    pub(super) fn number_episodes(&mut self, walk: &Annotator<'_>) -> EpisodeGraph {
        self.finish_episodes(walk, 0);
        self.hand_out_blocks(0);
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
        let mut episodes: Vec<Option<Episode>> =
            core::mem::take(&mut self.episodes).into_iter().map(Some).collect();
        let mut sorted = Vec::with_capacity(order.len());
        for at in order {
            sorted.extend(episodes[at].take().map(|mut episode| {
                episode.dependencies.iter_mut().filter_map(|d| d.on.as_mut()).for_each(renumber);
                episode
            }));
        }
        let owners = self.owners.iter().map(|owner| owner.map(|at| numbers[at])).collect();
        EpisodeGraph::new(sorted, owners, walk.past.prologue_end)
    }
}

fn edges_of(episode: &Episode) -> Vec<EpisodeIdx> {
    episode.dependencies.iter().filter_map(|dependency| dependency.on).collect()
}
