//! Worth: whether inferred episodes keep more of what is needed later than shuffled ones.
//!
//! A policy runs on the inferred episodes at half the session's size, and at an equal mean request on
//! shuffled episodes: the same lengths in another order, with kinds and edges inferred again. Edges use only
//! evidence before an act's start, because later uses are also the measure.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{
    BlockIdx, Episode, EpisodeIdx, EpisodeKind, Facts, GraphTimeline, Hindsight, LabeledSegment, Material,
    OptionError, Overhead, Policy, PolicyOptions, Replay, ReplayInput, Session, TokenTable, TurnFacts,
    WEIGHTS, divide_weighted, infer_with, label_stretches, shuffle_lengths,
};

const TRIES: usize = 12;

/// A session, ready for replays with other episodes.
pub struct Scales<'a> {
    pub session: &'a Session,
    pub facts: &'a Facts,
    pub material: &'a Material,
    pub table: &'a TokenTable,
    pub residues: &'a dyn Fn(&GraphTimeline) -> BTreeMap<EpisodeIdx, u32>,
}

pub struct Trial {
    pub growth: GraphTimeline,
    pub lengths: Vec<usize>,
    table: TokenTable,
}

impl Scales<'_> {
    /// Returns the inferred episodes; `None` if fewer than two are closed.
    pub fn inferred_trial(&self) -> Option<Trial> {
        let trial = self.new_trial(|turns| divide_weighted(turns, &WEIGHTS));
        let is_closed = |episode: &Episode| episode.kind != EpisodeKind::Unannotated && !episode.is_open();
        let n_closed = trial.growth.graph.episodes().filter(|(_, episode)| is_closed(episode)).count();
        (n_closed >= 2).then_some(trial)
    }

    pub fn shuffled_trial(&self, lengths: &[usize], seed: u64) -> Trial {
        self.new_trial(|turns| label_stretches(turns, &shuffle_lengths(lengths, seed), &WEIGHTS))
    }

    fn new_trial(&self, divide: impl FnOnce(&[TurnFacts]) -> Vec<LabeledSegment>) -> Trial {
        let mut lengths = Vec::new();
        let annotation = infer_with(self.session, self.facts, Hindsight::UpToStart, |turns| {
            let segments = divide(turns);
            lengths = segments.iter().map(|segment| segment.end - segment.first).collect();
            segments
        });
        let growth = GraphTimeline::build_annotated(self.session, &annotation).0;
        let table = self.table.clone().with_residues((self.residues)(&growth));
        Trial { growth, lengths, table }
    }

    /// Replays `policy` with default options and without overhead, and measures the result.
    ///
    /// # Errors
    /// Returns an error if the policy's default options are invalid.
    pub fn replay_trial<T>(
        &self,
        trial: &Trial,
        policy: &'static Policy,
        budget: u64,
        measure: impl FnOnce(&ReplayInput<'_>, &Replay) -> T,
    ) -> Result<T, OptionError> {
        let options = PolicyOptions::defaults(policy)?;
        let overhead = Overhead::default();
        let input = ReplayInput {
            session: self.session,
            growth: &trial.growth,
            table: &trial.table,
            material: self.material,
            pins: &[],
            overhead: &overhead,
            budget,
            policy,
            options: &options,
        };
        let replay = Replay::run(&input);
        Ok(measure(&input, &replay))
    }

    /// Replays `policy` at the budget with the mean request nearest to `mean`, in tokens.
    ///
    /// # Errors
    /// Fails like [`Self::replay_trial`].
    pub fn play_at_mean<T>(
        &self,
        trial: &Trial,
        policy: &'static Policy,
        mean: u64,
        measure: impl FnOnce(&ReplayInput<'_>, &Replay) -> T,
    ) -> Result<T, OptionError> {
        let blocks = (0..self.session.blocks.len()).map(BlockIdx::new);
        let all = self.table.tokens_from_units(blocks.map(|block| self.table.units(block)).sum());
        let (mut low, mut high) = (0, all);
        let (mut best, mut apart) = (0, u64::MAX);
        for _ in 0..TRIES {
            let budget = u64::midpoint(low, high);
            let found = self.replay_trial(trial, policy, budget, |_, replay| replay.mean_request())?;
            if found.abs_diff(mean) < apart {
                (best, apart) = (budget, found.abs_diff(mean));
            }
            if found < mean { low = budget } else { high = budget }
        }
        self.replay_trial(trial, policy, best, measure)
    }
}
