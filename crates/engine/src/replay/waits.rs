//! Waiting acts: the acts that block an episode's eviction, for many episodes at one cut.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::ops::Deref;

use crate::{EpisodeIdx, EpisodeKind, GraphTimeline, Life, PolicyOptions, Session, StateAt, protected_from};

/// Acts that block an episode's eviction, in start order. Episodes share one list, because every
/// unannotated stretch waits for all later acts.
#[derive(Debug, Clone)]
pub struct WaitingActs {
    all: Arc<[EpisodeIdx]>,
    from: usize,
}

impl Deref for WaitingActs {
    type Target = [EpisodeIdx];

    fn deref(&self) -> &[EpisodeIdx] {
        self.all.get(self.from..).unwrap_or_default()
    }
}

impl PartialEq for WaitingActs {
    fn eq(&self, other: &Self) -> bool {
        let is_shared = Arc::ptr_eq(&self.all, &other.all) && self.from == other.from;
        is_shared || **self == **other
    }
}

impl Eq for WaitingActs {}

impl FromIterator<EpisodeIdx> for WaitingActs {
    fn from_iter<I: IntoIterator<Item = EpisodeIdx>>(acts: I) -> Self {
        Self { all: acts.into_iter().collect(), from: 0 }
    }
}

pub struct Waits<'a> {
    pub(crate) growth: &'a GraphTimeline,
    pub(crate) state: &'a StateAt,
    acts: OnceCell<Arc<[EpisodeIdx]>>,
    protected: OnceCell<usize>,
}

impl<'a> Waits<'a> {
    pub fn new(growth: &'a GraphTimeline, state: &'a StateAt) -> Self {
        Self { growth, state, acts: OnceCell::new(), protected: OnceCell::new() }
    }

    pub fn state(&self) -> &'a StateAt {
        self.state
    }

    pub(crate) fn protected_start(&self, session: &Session, options: &PolicyOptions) -> usize {
        *self.protected.get_or_init(|| protected_from(session, options.protected_turns, self.state.cut.turn))
    }

    pub fn waiting_acts(&self, idx: EpisodeIdx) -> WaitingActs {
        let graph = &self.growth.graph;
        match graph.episode(idx).kind {
            EpisodeKind::Action => WaitingActs::from_iter([]),
            EpisodeKind::Exploratory => self
                .state
                .edges
                .range((idx, EpisodeIdx::new(0))..)
                .take_while(|(from, _)| *from == idx)
                .map(|(_, act)| *act)
                .filter(|act| self.is_there(*act))
                .collect(),
            EpisodeKind::Unannotated => {
                let all = self.acts.get_or_init(|| self.unevicted_explorations());
                let start = graph.episode(idx).start;
                let from = all.partition_point(|act| graph.episode(*act).start <= start);
                WaitingActs { all: all.clone(), from }
            }
        }
    }

    fn is_there(&self, act: EpisodeIdx) -> bool {
        let StateAt { levels, lives, .. } = self.state;
        levels[act.at()] < 4 && matches!(lives[act.at()], Life::Open | Life::Closed)
    }

    fn unevicted_explorations(&self) -> Arc<[EpisodeIdx]> {
        let graph = &self.growth.graph;
        let acts = graph
            .episodes()
            .filter(|(idx, episode)| episode.kind == EpisodeKind::Action && self.is_there(*idx));
        let mut acts: Vec<EpisodeIdx> = acts.map(|(idx, _)| idx).collect();
        // Episodes are in start order except for later vanished ones.
        acts.sort_by_key(|act| graph.episode(*act).start);
        acts.into()
    }
}
