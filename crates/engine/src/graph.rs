//! The episode graph: episodes in start order and the edges exploration → act that the acts declare.

use alloc::vec::Vec;

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::{BlockIdx, Episode, EpisodeIdx, EpisodeKind, EpisodeState};

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
    pub fn get(&self, idx: EpisodeIdx) -> &Episode {
        &self.episodes[idx.at()]
    }

    /// Returns all episodes that are part of the graph, with their places, in start order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (EpisodeIdx, &Episode)> {
        self.episodes
            .iter()
            .enumerate()
            .filter(|(_, episode)| episode.state != EpisodeState::Vanished)
            .map(|(at, episode)| (EpisodeIdx::new(at), episode))
    }

    /// Returns the episode that holds a block.
    pub fn owner(&self, block: BlockIdx) -> Option<EpisodeIdx> {
        self.owners.get(block.at()).copied().flatten()
    }

    /// Tells whether a block stands before the first episode.
    pub fn in_prologue(&self, block: BlockIdx) -> bool {
        self.prologue_end.is_none_or(|end| block < end)
    }

    /// Returns the acts that declare an edge from an exploration, in start order (edges go exploration → act).
    pub fn dependents(&self, exploration: EpisodeIdx) -> Vec<EpisodeIdx> {
        self.neighbors(exploration, Direction::Outgoing)
    }

    /// Returns the explorations that an act declares, in start order (edges go exploration → act).
    pub fn dependencies(&self, act: EpisodeIdx) -> Vec<EpisodeIdx> {
        self.neighbors(act, Direction::Incoming)
    }

    /// Returns the acts that an unannotated stretch feeds without saying so: all that start after it.
    pub fn implicit_dependents(&self, stretch: EpisodeIdx) -> impl Iterator<Item = EpisodeIdx> {
        let episode = self.get(stretch);
        let is_stretch = episode.kind == EpisodeKind::Unannotated;
        let start = episode.start;
        self.iter()
            .filter(move |(_, other)| is_stretch && other.kind == EpisodeKind::Action && other.start > start)
            .map(|(idx, _)| idx)
    }

    /// Tells whether no chain of edges returns to its start; true by construction.
    pub fn is_acyclic(&self) -> bool {
        !petgraph::algo::is_cyclic_directed(&self.edges)
    }

    /// Returns every explicit edge as (exploration, act).
    pub fn edges(&self) -> impl Iterator<Item = (EpisodeIdx, EpisodeIdx)> {
        self.edges
            .edge_indices()
            .filter_map(|edge| self.edges.edge_endpoints(edge))
            .map(|(from, to)| (EpisodeIdx::new(from.index()), EpisodeIdx::new(to.index())))
    }

    fn neighbors(&self, idx: EpisodeIdx, direction: Direction) -> Vec<EpisodeIdx> {
        let mut found: Vec<_> = self
            .edges
            .neighbors_directed(NodeIndex::new(idx.at()), direction)
            .map(|node| EpisodeIdx::new(node.index()))
            .collect();
        found.sort_unstable();
        found
    }
}
