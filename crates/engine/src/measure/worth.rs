//! Worth: do inferred episodes keep more of what is needed later than shuffled ones do, on one session?
//!
//! A policy runs on the inferred episodes at half the size of the session, and at equal mean request on shuffles of
//! them: the same lengths in another order, kinds and edges worked out again. Edges come from lines up to an act's
//! start only: one that later use speaks for would be judged by itself.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{
    BlockIdx, Episode, EpisodeIdx, EpisodeKind, Facts, Growth, Hindsight, Material, OptionError, Overhead,
    Policy, PolicyOptions, Replay, ReplayInput, Segment, Session, TokenTable, TurnFacts, WEIGHTS, divide,
    infer_with, label_stretches, shuffled,
};

/// How many budgets are tried for one mean request.
const TRIES: usize = 12;

/// A session, ready to be played with other episodes than its own.
pub struct Scales<'a> {
    /// The session.
    pub session: &'a Session,
    /// Its facts.
    pub facts: &'a Facts,
    /// The names and uses by which a replay is measured.
    pub material: &'a Material,
    /// The sizes of its blocks.
    pub table: &'a TokenTable,
    /// Measures the descriptions of a graph's episodes.
    pub residues: &'a dyn Fn(&Growth) -> BTreeMap<EpisodeIdx, u32>,
}

/// Episodes of a session on trial.
pub struct Trial {
    /// The episodes.
    pub growth: Growth,
    /// The lengths of the stretches they come from, in turns.
    pub lengths: Vec<usize>,
    table: TokenTable,
}

impl Scales<'_> {
    /// Returns the inferred episodes; `None` where fewer than two of them are closed.
    pub fn inferred(&self) -> Option<Trial> {
        let trial = self.trial(|turns| divide(turns, &WEIGHTS));
        let is_closed = |episode: &Episode| episode.kind != EpisodeKind::Unannotated && !episode.is_open();
        let n_closed = trial.growth.graph.iter().filter(|(_, episode)| is_closed(episode)).count();
        (n_closed >= 2).then_some(trial)
    }

    /// Returns episodes of the same lengths in an order that a seed chooses.
    pub fn shuffled(&self, lengths: &[usize], seed: u64) -> Trial {
        self.trial(|turns| label_stretches(turns, &shuffled(lengths, seed), &WEIGHTS))
    }

    fn trial(&self, divide: impl FnOnce(&[TurnFacts]) -> Vec<Segment>) -> Trial {
        let mut lengths = Vec::new();
        let annotation = infer_with(self.session, self.facts, Hindsight::UpToStart, |turns| {
            let segments = divide(turns);
            lengths = segments.iter().map(|segment| segment.end - segment.first).collect();
            segments
        });
        let growth = Growth::annotated(self.session, &annotation).0;
        let table = self.table.clone().with_residues((self.residues)(&growth));
        Trial { growth, lengths, table }
    }

    /// Plays a policy with its usual options and without overhead, and measures the replay.
    ///
    /// # Errors
    /// Where the policy's own row of options is at fault.
    pub fn play<T>(
        &self,
        trial: &Trial,
        policy: &'static Policy,
        budget: u64,
        measure: impl FnOnce(&ReplayInput<'_>, &Replay) -> T,
    ) -> Result<T, OptionError> {
        let options = PolicyOptions::of(policy)?;
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

    /// Plays a policy at the budget at which its mean request comes nearest to a given one, in tokens.
    ///
    /// # Errors
    /// Those of [`Self::play`].
    pub fn play_at_mean<T>(
        &self,
        trial: &Trial,
        policy: &'static Policy,
        mean: u64,
        measure: impl FnOnce(&ReplayInput<'_>, &Replay) -> T,
    ) -> Result<T, OptionError> {
        let blocks = (0..self.session.blocks.len()).map(BlockIdx::new);
        let all = self.table.tokens(blocks.map(|block| self.table.units(block)).sum());
        let (mut low, mut high) = (0, all);
        let (mut best, mut apart) = (0, u64::MAX);
        for _ in 0..TRIES {
            let budget = u64::midpoint(low, high);
            let found = self.play(trial, policy, budget, |_, replay| replay.mean_request())?;
            if found.abs_diff(mean) < apart {
                (best, apart) = (budget, found.abs_diff(mean));
            }
            if found < mean { low = budget } else { high = budget }
        }
        self.play(trial, policy, best, measure)
    }
}
