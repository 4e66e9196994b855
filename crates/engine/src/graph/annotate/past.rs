//! The findings of a walk over a session, and the way back to an earlier point of it.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::{BlockIdx, Episode, EpisodeKind, EpisodeName, Problem, ProblemKind, Session};

#[derive(Debug, Clone, Default)]
pub(crate) struct WalkPast {
    pub(super) n_spans: usize,
    /// Dependencies refer to positions in this list.
    pub(crate) episodes: Vec<Episode>,
    /// Declared names, before reused names get a number.
    pub(super) declared: Vec<EpisodeName>,
    pub(crate) owners: Vec<Option<usize>>,
    pub(crate) prologue_end: Option<BlockIdx>,
    /// Without the changes by [`WalkPast::all_problems`].
    pub(super) problems: Vec<Problem>,
    pub(super) open: Option<usize>,
    pub(super) stretch: Option<usize>,
    pub(super) n_stretches: usize,
    pub(super) by_declared: BTreeMap<EpisodeName, usize>,
    pub(super) names: BTreeSet<EpisodeName>,
}

#[derive(Debug, Clone)]
pub(crate) struct WalkPoint {
    n_episodes: usize,
    n_owners: usize,
    n_problems: usize,
    prologue_end: Option<BlockIdx>,
    open: Option<usize>,
    stretch: Option<usize>,
    n_stretches: usize,
    /// The open episode or stretch as it was: the walk changes no earlier one.
    last: Option<Episode>,
}

impl WalkPoint {
    pub(crate) fn n_episodes(&self) -> usize {
        self.n_episodes
    }

    pub(crate) fn open_episode(&self) -> Option<usize> {
        self.open.or(self.stretch)
    }
}

impl WalkPast {
    pub(crate) fn point(&self) -> WalkPoint {
        WalkPoint {
            n_episodes: self.episodes.len(),
            n_owners: self.owners.len(),
            n_problems: self.problems.len(),
            prologue_end: self.prologue_end,
            open: self.open,
            stretch: self.stretch,
            n_stretches: self.n_stretches,
            last: self.open.or(self.stretch).map(|at| self.episodes[at].clone()),
        }
    }

    pub(crate) fn undo_to(&mut self, point: &WalkPoint) {
        for at in (point.n_episodes..self.episodes.len()).rev() {
            self.forget_name(at);
        }
        self.episodes.truncate(point.n_episodes);
        self.declared.truncate(point.n_episodes);
        self.owners.truncate(point.n_owners);
        self.problems.truncate(point.n_problems);
        (self.open, self.stretch, self.n_stretches) = (point.open, point.stretch, point.n_stretches);
        self.prologue_end = point.prologue_end;
        if let (Some(at), Some(last)) = (point.open_episode(), &point.last) {
            self.episodes[at] = last.clone();
        }
    }

    fn forget_name(&mut self, at: usize) {
        let is_declared = |at: &usize| self.episodes[*at].kind != EpisodeKind::Unannotated;
        if !is_declared(&at) {
            return;
        }
        let (name, declared) = (&self.episodes[at].name, &self.declared[at]);
        // A name in use is never given again without a number.
        let has_earlier = name != declared;
        let same = |at: &usize| self.declared[*at] == *declared && is_declared(at);
        match (0..at).rev().find(|at| has_earlier && same(at)) {
            Some(earlier) => self.by_declared.insert(declared.clone(), earlier),
            None => self.by_declared.remove(declared),
        };
        self.names.remove(name);
    }

    pub(crate) fn all_problems(&self, session: &Session, is_declared: bool) -> Vec<Problem> {
        let mut problems = self.problems.clone();
        if let Some(open) = self.open.filter(|_| is_declared) {
            let place = session.place_of(self.episodes[open].start);
            problems.push(Problem { place, kind: ProblemKind::NeverClosed });
        }
        for problem in &mut problems {
            if let ProblemKind::UnknownDependency { name } = &problem.kind
                && self.by_declared.contains_key(name)
            {
                problem.kind = ProblemKind::DependencyNotClosed { name: name.clone() };
            }
        }
        problems
    }
}
