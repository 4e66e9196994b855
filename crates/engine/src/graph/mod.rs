//! The episode graph: episodes in start order, with an edge exploration → act for every declared
//! dependency.
//!
//! Besides declared edges, an implicit edge leads from every unannotated stretch to every later
//! act. There may be as many implicit edges as pairs of episodes, so petgraph's walks compute them
//! on the way instead of storing them.

pub(crate) mod annotation;
pub(crate) mod episode;
pub(crate) mod annotate;
pub(crate) mod growth;
pub(crate) mod grouped;
pub(crate) mod level;
pub(crate) mod growing_branch;
pub(crate) mod edit;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::{IntoIter, Vec};

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{
    DfsPostOrder, GraphBase, GraphRef, IntoNeighbors, IntoNeighborsDirected, Reversed, Visitable, Walker,
};

use crate::{BlockIdx, Episode, EpisodeIdx, EpisodeKind, Life};

/// Append-only, never changed by a policy (paper 4.3).
#[derive(Debug, Clone, Default)]
pub struct EpisodeGraph {
    /// In start order, vanished stretches last.
    pub episodes: Vec<Episode>,
    owners: Vec<Option<EpisodeIdx>>,
    edges: DiGraph<EpisodeIdx, ()>,
    prologue_end: Option<BlockIdx>,
}

impl EpisodeGraph {
    pub(crate) fn new(
        episodes: Vec<Episode>,
        owners: Vec<Option<EpisodeIdx>>,
        prologue_end: Option<BlockIdx>,
    ) -> Self {
        let edges = DiGraph::with_capacity(episodes.len(), episodes.len());
        let mut graph = Self { episodes, owners, edges, prologue_end };
        graph.add_nodes(0);
        graph
    }

    pub(crate) fn replace_from(
        &mut self,
        first_episode: usize,
        first_block: usize,
        owners: &[Option<usize>],
    ) {
        self.owners.truncate(first_block);
        self.owners.extend(owners[first_block..].iter().map(|owner| owner.map(EpisodeIdx::new)));
        for at in (first_episode..self.edges.node_count()).rev() {
            self.edges.remove_node(NodeIndex::new(at));
        }
        self.add_nodes(first_episode);
    }

    pub(crate) fn set_prologue_end(&mut self, prologue_end: Option<BlockIdx>) {
        self.prologue_end = prologue_end;
    }

    fn add_nodes(&mut self, first: usize) {
        for at in first..self.episodes.len() {
            self.edges.add_node(EpisodeIdx::new(at));
        }
        for (at, episode) in self.episodes.iter().enumerate().skip(first) {
            for on in episode.dependencies.iter().filter_map(|dependency| dependency.on) {
                self.edges.update_edge(NodeIndex::new(on.at()), NodeIndex::new(at), ());
            }
        }
    }

    pub fn episode(&self, idx: EpisodeIdx) -> &Episode {
        &self.episodes[idx.at()]
    }

    pub fn episodes(&self) -> impl DoubleEndedIterator<Item = (EpisodeIdx, &Episode)> {
        self.episodes
            .iter()
            .enumerate()
            .filter(|(_, episode)| episode.state != Life::Vanished)
            .map(|(at, episode)| (EpisodeIdx::new(at), episode))
    }

    pub fn owner_of(&self, block: BlockIdx) -> Option<EpisodeIdx> {
        self.owners.get(block.at()).copied().flatten()
    }

    pub fn in_prologue(&self, block: BlockIdx) -> bool {
        self.prologue_end.is_none_or(|end| block < end)
    }

    /// Returns the acts that declare `exploration`, in start order.
    pub fn dependents(&self, exploration: EpisodeIdx) -> Vec<EpisodeIdx> {
        self.neighbors(exploration, Direction::Outgoing)
    }

    pub fn dependencies(&self, act: EpisodeIdx) -> Vec<EpisodeIdx> {
        self.neighbors(act, Direction::Incoming)
    }

    /// Returns the acts after an unannotated stretch, latest first: each depends on the stretch implicitly.
    /// Empty for other episodes.
    pub fn implicit_dependents(&self, stretch: EpisodeIdx) -> impl Iterator<Item = EpisodeIdx> {
        let episode = self.episode(stretch);
        let is_stretch = episode.kind == EpisodeKind::Unannotated;
        let start = episode.start;
        // The latest act is evicted last, so callers that look for any remaining act stop early.
        self.episodes()
            .rev()
            .take_while(move |(_, other)| is_stretch && other.start > start)
            .filter(|(_, other)| other.kind == EpisodeKind::Action)
            .map(|(idx, _)| idx)
    }

    fn implicit_dependencies(&self, act: EpisodeIdx) -> impl Iterator<Item = EpisodeIdx> {
        let is_act = self.episode(act).kind == EpisodeKind::Action;
        let start = self.episode(act).start;
        self.episodes()
            .take_while(move |(_, other)| is_act && other.start < start)
            .filter(|(_, other)| other.kind == EpisodeKind::Unannotated)
            .map(|(idx, _)| idx)
    }

    /// Returns an episode's direct and indirect dependencies, declared or implicit, in start order.
    pub fn ancestors(&self, idx: EpisodeIdx) -> Vec<EpisodeIdx> {
        let mut found = self.ancestors_first(idx);
        found.pop();
        found.sort_unstable();
        found
    }

    /// Returns the longest chain of dependencies, which ends with the episode itself.
    ///
    /// Among equally long chains, prefers later episodes, compared from the end.
    pub fn longest_chain(&self, idx: EpisodeIdx) -> Vec<EpisodeIdx> {
        let mut best: BTreeMap<EpisodeIdx, (u32, Option<EpisodeIdx>)> = BTreeMap::new();
        for episode in self.ancestors_first(idx) {
            let before = Dependencies(self).neighbors_directed(node_index(episode), Direction::Incoming);
            let longest =
                before.map(episode_of).map(|on| (best.get(&on).map_or(0, |known| known.0), on)).max();
            let (length, through) = longest.map_or((0, None), |(length, on)| (length, Some(on)));
            best.insert(episode, (length + 1, through));
        }
        let through = |last: &EpisodeIdx| best.get(last).and_then(|(_, through)| *through);
        let mut chain: Vec<EpisodeIdx> = core::iter::successors(Some(idx), through).collect();
        chain.reverse();
        chain
    }

    /// Returns the episodes without a remaining dependent if `idx` were evicted, directly or one
    /// after the other, in start order. `is_gone` tells which episodes are already evicted.
    pub fn freed_by(&self, idx: EpisodeIdx, is_gone: impl Fn(EpisodeIdx) -> bool) -> Vec<EpisodeIdx> {
        if is_gone(idx) {
            return Vec::new();
        }
        let mut going = BTreeSet::from([idx]);
        // The reversed order visits dependents before their dependencies.
        for episode in self.ancestors_first(idx).into_iter().rev().skip(1) {
            let may_go = |act: EpisodeIdx| going.contains(&act) || is_gone(act);
            let mut implicit = self.implicit_dependents(episode);
            if !is_gone(episode) && self.dependents(episode).into_iter().all(may_go) && implicit.all(may_go) {
                going.insert(episode);
            }
        }
        going.remove(&idx);
        going.into_iter().collect()
    }

    fn ancestors_first(&self, idx: EpisodeIdx) -> Vec<EpisodeIdx> {
        let edges = Reversed(Dependencies(self));
        DfsPostOrder::new(edges, node_index(idx)).iter(edges).map(episode_of).collect()
    }

    pub fn is_acyclic(&self) -> bool {
        !petgraph::algo::is_cyclic_directed(&self.edges)
    }

    /// Returns every declared edge as (exploration, act).
    pub fn explicit_edges(&self) -> impl Iterator<Item = (EpisodeIdx, EpisodeIdx)> {
        self.edges
            .edge_indices()
            .filter_map(|edge| self.edges.edge_endpoints(edge))
            .map(|(from, to)| (episode_of(from), episode_of(to)))
    }

    fn neighbors(&self, idx: EpisodeIdx, direction: Direction) -> Vec<EpisodeIdx> {
        let mut found: Vec<_> =
            self.edges.neighbors_directed(node_index(idx), direction).map(episode_of).collect();
        found.sort_unstable();
        found
    }
}

impl PartialEq for EpisodeGraph {
    fn eq(&self, other: &Self) -> bool {
        (&self.episodes, &self.owners, self.prologue_end)
            == (&other.episodes, &other.owners, other.prologue_end)
            && self.explicit_edges().eq(other.explicit_edges())
    }
}

fn node_index(idx: EpisodeIdx) -> NodeIndex {
    NodeIndex::new(idx.at())
}

fn episode_of(node: NodeIndex) -> EpisodeIdx {
    EpisodeIdx::new(node.index())
}

#[derive(Clone, Copy)]
struct Dependencies<'a>(&'a EpisodeGraph);

impl GraphBase for Dependencies<'_> {
    type NodeId = NodeIndex;
    type EdgeId = ();
}

impl GraphRef for Dependencies<'_> {}

impl Visitable for Dependencies<'_> {
    type Map = <DiGraph<EpisodeIdx, ()> as Visitable>::Map;

    fn visit_map(&self) -> Self::Map {
        self.0.edges.visit_map()
    }

    fn reset_map(&self, map: &mut Self::Map) {
        self.0.edges.reset_map(map);
    }
}

impl IntoNeighbors for Dependencies<'_> {
    type Neighbors = IntoIter<NodeIndex>;

    fn neighbors(self, from: NodeIndex) -> Self::Neighbors {
        self.neighbors_directed(from, Direction::Outgoing)
    }
}

impl IntoNeighborsDirected for Dependencies<'_> {
    type NeighborsDirected = IntoIter<NodeIndex>;

    fn neighbors_directed(self, of: NodeIndex, direction: Direction) -> Self::NeighborsDirected {
        let Self(graph) = self;
        let mut found = graph.neighbors(episode_of(of), direction);
        match direction {
            Direction::Outgoing => found.extend(graph.implicit_dependents(episode_of(of))),
            Direction::Incoming => found.extend(graph.implicit_dependencies(episode_of(of))),
        }
        found.into_iter().map(node_index).collect::<Vec<_>>().into_iter()
    }
}
