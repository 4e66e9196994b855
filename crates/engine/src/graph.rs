//! The episode graph: episodes in start order and the edges exploration → act that the acts declare.
//!
//! Questions that follow edges (what an episode draws on, what could go if it went) are walks of petgraph over the
//! declared edges and the implicit ones from every stretch to every later act. There may be as many of those as pairs
//! of episodes, so they are worked out where a walk comes by and are never stored.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::{IntoIter, Vec};

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{
    DfsPostOrder, GraphBase, GraphRef, IntoNeighbors, IntoNeighborsDirected, Reversed, Visitable, Walker,
};

use crate::{BlockIdx, Episode, EpisodeIdx, EpisodeKind, Life};

/// Episodes and their dependencies; append-only, and never changed by a policy (paper 4.3).
#[derive(Debug, Clone, Default)]
pub struct EpisodeGraph {
    /// All episodes in start order; vanished stretches come after the others.
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
        let mut edges = DiGraph::with_capacity(episodes.len(), episodes.len());
        for at in 0..episodes.len() {
            edges.add_node(EpisodeIdx::new(at));
        }
        for (at, episode) in episodes.iter().enumerate() {
            for on in episode.dependencies.iter().filter_map(|dependency| dependency.on) {
                edges.update_edge(NodeIndex::new(on.at()), NodeIndex::new(at), ());
            }
        }
        Self { episodes, owners, edges, prologue_end }
    }

    /// Returns one episode.
    pub fn episode(&self, idx: EpisodeIdx) -> &Episode {
        &self.episodes[idx.at()]
    }

    /// Returns all episodes that are part of the graph, with their places, in start order.
    pub fn episodes(&self) -> impl DoubleEndedIterator<Item = (EpisodeIdx, &Episode)> {
        self.episodes
            .iter()
            .enumerate()
            .filter(|(_, episode)| episode.state != Life::Vanished)
            .map(|(at, episode)| (EpisodeIdx::new(at), episode))
    }

    /// Returns the episode that holds `block`.
    pub fn owner_of(&self, block: BlockIdx) -> Option<EpisodeIdx> {
        self.owners.get(block.at()).copied().flatten()
    }

    /// Tells whether `block` stands before the first episode.
    pub fn in_prologue(&self, block: BlockIdx) -> bool {
        self.prologue_end.is_none_or(|end| block < end)
    }

    /// Returns the acts that declare an edge from `exploration`, in start order (edges go exploration → act).
    pub fn dependents(&self, exploration: EpisodeIdx) -> Vec<EpisodeIdx> {
        self.neighbors(exploration, Direction::Outgoing)
    }

    /// Returns the explorations an act declares, in start order (edges go exploration → act).
    pub fn dependencies(&self, act: EpisodeIdx) -> Vec<EpisodeIdx> {
        self.neighbors(act, Direction::Incoming)
    }

    /// Returns the acts an unannotated stretch feeds without saying so: all that start after it.
    pub fn implicit_dependents(&self, stretch: EpisodeIdx) -> impl Iterator<Item = EpisodeIdx> {
        let episode = self.episode(stretch);
        let is_stretch = episode.kind == EpisodeKind::Unannotated;
        let start = episode.start;
        // The latest first: it is the one that is not gone, if any is left.
        self.episodes()
            .rev()
            .take_while(move |(_, other)| is_stretch && other.start > start)
            .filter(|(_, other)| other.kind == EpisodeKind::Action)
            .map(|(idx, _)| idx)
    }

    /// Returns the stretches that feed an act without its saying so: all that start before it.
    fn implicit_dependencies(&self, act: EpisodeIdx) -> impl Iterator<Item = EpisodeIdx> {
        let is_act = self.episode(act).kind == EpisodeKind::Action;
        let start = self.episode(act).start;
        self.episodes()
            .take_while(move |(_, other)| is_act && other.start < start)
            .filter(|(_, other)| other.kind == EpisodeKind::Unannotated)
            .map(|(idx, _)| idx)
    }

    /// Returns everything that an episode draws on, declared or implicit, directly or through others; in start order.
    pub fn ancestors(&self, idx: EpisodeIdx) -> Vec<EpisodeIdx> {
        let mut found = self.ancestors_first(idx);
        found.pop();
        found.sort_unstable();
        found
    }

    /// Returns the longest chain of dependencies that ends in an episode, the episode itself last.
    ///
    /// If several chains have that length, returns the one whose last steps are the latest episodes.
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

    /// Returns the episodes that would have no dependent left if an episode went: directly, or because another of them
    /// then could go too. `is_gone` tells which have gone already. In start order.
    pub fn freed_by(&self, idx: EpisodeIdx, is_gone: impl Fn(EpisodeIdx) -> bool) -> Vec<EpisodeIdx> {
        if is_gone(idx) {
            return Vec::new();
        }
        let mut going = BTreeSet::from([idx]);
        // An episode comes after all that draw on it.
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

    /// Tells whether no chain of edges returns to its start; true by construction.
    pub fn is_acyclic(&self) -> bool {
        !petgraph::algo::is_cyclic_directed(&self.edges)
    }

    /// Returns every explicit edge as (exploration, act).
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

fn node_index(idx: EpisodeIdx) -> NodeIndex {
    NodeIndex::new(idx.at())
}

fn episode_of(node: NodeIndex) -> EpisodeIdx {
    EpisodeIdx::new(node.index())
}

/// The declared and the implicit edges of a graph together, as petgraph walks them.
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
