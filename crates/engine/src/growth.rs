//! Growth: how messages and graph come into being turn by turn, computed once for all policies and budgets.
//!
//! An event of the agent counts from the turn on at which its result is known, at the place of its call.
//! Nearly always that is one and the same turn, and the graph grows at its end. Where a result comes late,
//! the walk is done again and the differences become changes of that turn. Names and descriptions are
//! always those of the whole log: a late result can change a number behind a name, never who is who.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::annotate::{Annotated, Annotator, applied_marks};
use crate::{
    BlockIdx, Dependency, Episode, EpisodeGraph, EpisodeIdx, EpisodeState, Problem, Session, TurnIdx,
};

/// One thing that happens to messages or graph before a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphChange {
    /// A block comes in.
    Arrived(BlockIdx),
    /// An episode begins.
    Opened(EpisodeIdx),
    /// A block is given to an episode, or taken out of all.
    Owned(BlockIdx, Option<EpisodeIdx>),
    /// An act draws on an exploration.
    Edge {
        /// The exploration.
        from: EpisodeIdx,
        /// The act.
        to: EpisodeIdx,
        /// False where a late result takes the edge away.
        added: bool,
    },
    /// What an exploration learned is known, or (by a late result) is not any more.
    Described(EpisodeIdx, bool),
    /// An episode ends.
    Closed(EpisodeIdx),
    /// A late result shows that an episode has not ended yet.
    Reopened(EpisodeIdx),
    /// A late result gave the whole stretch to another episode.
    Vanished(EpisodeIdx),
    /// The harness took a block out; the number is the place in [`Session::replacements`].
    Dropped(BlockIdx, u32),
    /// The harness put a block back.
    Restored(BlockIdx),
}

/// Everything that happens to messages and graph, turn by turn.
#[derive(Debug, Clone, Default)]
pub struct Growth {
    /// The graph as it is now.
    pub graph: EpisodeGraph,
    changes: Vec<GraphChange>,
    ends: Vec<usize>,
    members: Members,
    has_late_marks: bool,
}

impl Growth {
    /// Builds the growth of a session and reports every broken rule of the protocol.
    pub fn build(session: &Session) -> (Self, Vec<Problem>) {
        let marks = applied_marks(session);
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
            let arrived = blocks_between(session, from, turn.end);
            state.changes.extend(arrived.map(GraphChange::Arrived));
            sink.clear();
            if late.next_if_eq(&at).is_some() {
                walk = Annotator::new(session, &marks);
                walk.messages(0..turn.end, turn.end, &mut sink);
                state.diff(&walk, at_turn);
            } else {
                walk.messages(from..turn.end, turn.end, &mut sink);
                state.append(&walk, &sink, at_turn);
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
        walk.finish();
        let problems = core::mem::take(&mut walk.problems);
        let (graph, changes) = state.finish(&walk);
        let members = Members::of(&changes, graph.episodes.len());
        (Self { graph, changes, ends, members, has_late_marks }, problems)
    }

    /// Returns what happens before the request of a turn, in order.
    pub fn changes(&self, turn: TurnIdx) -> &[GraphChange] {
        let start = turn.at().checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(turn.at()).copied().unwrap_or(self.changes.len());
        &self.changes[start.min(end)..end]
    }

    /// Returns the blocks that an episode has ever held, in log order; late marks may have taken some away.
    pub fn members(&self, episode: EpisodeIdx) -> &[BlockIdx] {
        let Members { blocks, places } = &self.members;
        &blocks[places[episode.at()]..places[episode.at() + 1]]
    }

    /// Tells whether any delimiter call was answered after a later request; such marks move blocks.
    pub fn has_late_marks(&self) -> bool {
        self.has_late_marks
    }

    /// Returns the number of turns.
    pub fn n_turns(&self) -> usize {
        self.ends.len()
    }
}

/// The blocks that each episode has ever held, one after the other: `blocks[places[e]..places[e + 1]]`.
#[derive(Debug, Clone, Default)]
struct Members {
    blocks: Vec<BlockIdx>,
    places: Vec<usize>,
}

impl Members {
    fn of(changes: &[GraphChange], n_episodes: usize) -> Self {
        let mut owned: Vec<(EpisodeIdx, BlockIdx)> = changes
            .iter()
            .filter_map(|change| match change {
                GraphChange::Owned(block, Some(episode)) => Some((*episode, *block)),
                _ => None,
            })
            .collect();
        owned.sort_unstable();
        // A late result may give a block to an episode a second time.
        owned.dedup();
        let places =
            (0..=n_episodes).map(|at| owned.partition_point(|(episode, _)| episode.at() < at)).collect();
        Self { blocks: owned.into_iter().map(|(_, block)| block).collect(), places }
    }
}

fn blocks_between(session: &Session, from: usize, to: usize) -> impl Iterator<Item = BlockIdx> + use<> {
    let start =
        |message: usize| session.messages.get(message).map_or(session.blocks.len(), |m| m.blocks.start);
    (start(from)..start(to)).map(BlockIdx::new)
}

/// Finds the turns at which a result arrives for a delimiter call of an earlier turn's reply.
fn late_turns(session: &Session, marks: &BTreeMap<BlockIdx, crate::annotate::AppliedMark<'_>>) -> Vec<usize> {
    let mut turns: Vec<usize> = marks
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

/// All episodes that any version of the graph had, keyed by their first block.
struct Universe {
    episodes: Vec<Episode>,
    by_start: BTreeMap<BlockIdx, usize>,
    /// The walk's own indices to ours.
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

    fn append(&mut self, walk: &Annotator<'_>, sink: &[Annotated], turn: TurnIdx) {
        for annotated in sink {
            match *annotated {
                Annotated::Opened(local) => {
                    let place = self.place(walk, local, turn);
                    self.places.push(place);
                    self.changes.push(GraphChange::Opened(EpisodeIdx::new(place)));
                    let from = walk.episodes[local].dependencies.iter().filter_map(|(_, on)| *on);
                    self.changes.extend(from.map(|on| GraphChange::Edge {
                        from: EpisodeIdx::new(self.places[on]),
                        to: EpisodeIdx::new(place),
                        added: true,
                    }));
                }
                Annotated::Owned(block, local) => {
                    let owner = Some(EpisodeIdx::new(self.places[local]));
                    self.changes.push(GraphChange::Owned(block, owner));
                }
                Annotated::Closed(local) => {
                    let place = self.places[local];
                    self.episodes[place].state = EpisodeState::Closed;
                    self.episodes[place].closed_turn = Some(turn);
                    self.describe(place, walk.episodes[local].description.is_some());
                    self.changes.push(GraphChange::Closed(EpisodeIdx::new(place)));
                }
            }
        }
        let from = self.owners.len();
        self.owners.extend(walk.owners[from..].iter().map(|owner| owner.map(|local| self.places[local])));
    }

    /// Emits what differs between the graph so far and a walk over everything known at a late result.
    fn diff(&mut self, walk: &Annotator<'_>, turn: TurnIdx) {
        let before: Vec<(EpisodeState, Vec<EpisodeIdx>)> =
            self.episodes.iter().map(|e| (e.state, edges_of(e))).collect();
        self.places.clear();
        let mut locals: Vec<Option<usize>> = alloc::vec![None; self.episodes.len()];
        for local in 0..walk.episodes.len() {
            let place = self.place(walk, local, turn);
            self.places.push(place);
            locals.resize(self.episodes.len(), None);
            locals[place] = Some(local);
            if place >= before.len() {
                self.changes.push(GraphChange::Opened(EpisodeIdx::new(place)));
            }
        }
        for (at, owner) in walk.owners.iter().enumerate() {
            let owner = owner.map(|local| self.places[local]);
            let known = self.owners.get(at).copied().flatten();
            if owner != known {
                self.changes.push(GraphChange::Owned(BlockIdx::new(at), owner.map(EpisodeIdx::new)));
            }
        }
        self.owners = walk.owners.iter().map(|owner| owner.map(|local| self.places[local])).collect();
        for (place, local) in locals.iter().enumerate() {
            let idx = EpisodeIdx::new(place);
            let old = before.get(place).cloned().unwrap_or((EpisodeState::Open, Vec::new()));
            let state = match *local {
                Some(local) if walk.episodes[local].open => EpisodeState::Open,
                Some(_) => EpisodeState::Closed,
                None => EpisodeState::Vanished,
            };
            self.describe(place, local.is_some_and(|local| walk.episodes[local].description.is_some()));
            let edges = edges_of(&self.episodes[place]);
            let edge = |from: &EpisodeIdx, added| GraphChange::Edge { from: *from, to: idx, added };
            self.changes.extend(old.1.iter().filter(|on| !edges.contains(on)).map(|on| edge(on, false)));
            self.changes.extend(edges.iter().filter(|on| !old.1.contains(on)).map(|on| edge(on, true)));
            if state == old.0 {
                continue;
            }
            self.episodes[place].state = state;
            self.episodes[place].closed_turn = (state == EpisodeState::Closed).then_some(turn);
            self.changes.push(match state {
                EpisodeState::Open => GraphChange::Reopened(idx),
                EpisodeState::Closed => GraphChange::Closed(idx),
                EpisodeState::Vanished => GraphChange::Vanished(idx),
            });
        }
    }

    fn describe(&mut self, place: usize, described: bool) {
        if core::mem::replace(&mut self.described[place], described) != described {
            self.changes.push(GraphChange::Described(EpisodeIdx::new(place), described));
        }
    }

    /// Finds or makes the episode of a draft, and takes over what the draft says now.
    fn place(&mut self, walk: &Annotator<'_>, local: usize, turn: TurnIdx) -> usize {
        let draft = &walk.episodes[local];
        let known = self.by_start.get(&draft.start).copied();
        // An explicit episode and a stretch may begin at the same call, before and after its result is known.
        let known = known.filter(|place| self.episodes[*place].kind == draft.kind);
        let place = known.unwrap_or(self.episodes.len());
        let dependencies = draft
            .dependencies
            .iter()
            .map(|(declared, on)| Dependency {
                declared: declared.clone(),
                on: on.map(|on| EpisodeIdx::new(self.places[on])),
            })
            .collect();
        if known.is_none() {
            self.by_start.insert(draft.start, place);
            self.described.push(false);
            self.episodes.push(Episode {
                name: draft.name.clone(),
                kind: draft.kind,
                state: EpisodeState::Open,
                start: draft.start,
                end_call: None,
                cut_off: false,
                blocks: Vec::new(),
                description: None,
                dependencies: Vec::new(),
                first_turn: turn,
                closed_turn: None,
            });
        }
        let episode = &mut self.episodes[place];
        episode.name = draft.name.clone();
        episode.dependencies = dependencies;
        place
    }

    /// Takes over the final drafts and numbers all episodes in start order.
    fn finish(mut self, walk: &Annotator<'_>) -> (EpisodeGraph, Vec<GraphChange>) {
        for (local, draft) in walk.episodes.iter().enumerate() {
            let episode = &mut self.episodes[self.places[local]];
            episode.end_call = draft.end_call;
            episode.cut_off = draft.cut_off;
            episode.description = draft.description.clone();
        }
        for (at, owner) in self.owners.iter().enumerate() {
            if let Some(owner) = owner {
                self.episodes[*owner].blocks.push(BlockIdx::new(at));
            }
        }
        let mut order: Vec<usize> = (0..self.episodes.len()).collect();
        order.sort_by_key(|&at| {
            let episode = &self.episodes[at];
            (episode.state == EpisodeState::Vanished, episode.start, at)
        });
        let mut numbers = alloc::vec![EpisodeIdx::new(0); order.len()];
        for (number, &at) in order.iter().enumerate() {
            numbers[at] = EpisodeIdx::new(number);
        }
        let renumber = |idx: &mut EpisodeIdx| *idx = numbers[idx.at()];
        for change in &mut self.changes {
            match change {
                GraphChange::Opened(e)
                | GraphChange::Closed(e)
                | GraphChange::Reopened(e)
                | GraphChange::Vanished(e)
                | GraphChange::Described(e, _)
                | GraphChange::Owned(_, Some(e)) => renumber(e),
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
