//! Worth: do inferred episodes keep more of what is needed later than shuffled ones do, on one session?
//!
//! `cwl` runs at half the size of the session on the inferred episodes, and on twenty shuffles of them (the same lengths
//! in another order, kinds and edges worked out again) at equal mean request. Edges come from lines up to an act's
//! start only: one that later use speaks for would be judged by itself (docs/inference.md).

use std::sync::Arc;

use cwl_engine::{
    Facts, Growth, Hindsight, Material, Overhead, Policy, PolicyOptions, Replay, ReplayInput, Segment,
    Session, TokenTable, TurnFacts, WEIGHTS, divide, infer_with, label_stretches, look_back, shuffled,
};
use cwl_tokens::Tokenizer;

use crate::ApiError;
use crate::asked::view::{BranchKey, find_policy};
use crate::measure::opened::Opened;

/// How many shuffles there are.
pub(crate) const N_SHUFFLES: u64 = 20;
/// How many budgets are tried for one mean request.
const TRIES: usize = 12;

/// The figures of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Worth {
    /// Of the tokens that later turns use, those that `cwl` on inferred episodes still has, per mille.
    pub(crate) found: u64,
    /// The same of shuffled episodes, the mean.
    pub(crate) shuffled: u64,
    /// The mean request, tokens.
    pub(crate) mean_request: u64,
}

/// Weighs the inferred episodes of a branch; `None` where fewer than two are closed, or nothing is evicted at half the
/// size.
pub(crate) fn worth(
    opened: &Opened,
    key: &BranchKey,
    tokenizer: Tokenizer,
) -> Result<Option<Worth>, ApiError> {
    let declared = key.declared();
    let branch = opened.branch(&declared)?;
    let scales = Scales {
        opened,
        session: &branch.session,
        facts: opened.facts(&branch.session)?,
        table: opened.sizes(&declared, tokenizer)?.table.clone(),
        material: opened.material(&declared, tokenizer)?,
        tokenizer,
        cwl: find_policy("cwl")?,
        none: find_policy("none")?,
        most: opened.n_tokens(tokenizer)?,
    };
    scales.weigh()
}

/// Episodes, and the sizes with their descriptions.
type Marked<'a> = (&'a Growth, &'a TokenTable);

struct Scales<'a> {
    opened: &'a Opened,
    session: &'a Session,
    facts: Facts,
    table: TokenTable,
    material: Arc<Material>,
    tokenizer: Tokenizer,
    cwl: &'static Policy,
    none: &'static Policy,
    /// More than any request, tokens.
    most: u64,
}

impl Scales<'_> {
    fn weigh(&self) -> Result<Option<Worth>, ApiError> {
        let mut lengths = Vec::new();
        let inferred = self.growth(|turns| {
            let segments = divide(turns, &WEIGHTS);
            lengths = segments.iter().map(|segment| segment.end - segment.first).collect();
            segments
        });
        if inferred.graph.iter().filter(|(_, episode)| !episode.is_open()).count() < 2 {
            return Ok(None);
        }
        let table = self.table(&inferred);
        let inferred = (&inferred, &table);
        let whole = self.play(inferred, self.none, u64::MAX, |_, replay| {
            made(replay).iter().map(|turn| turn.after).max().unwrap_or(0)
        })?;
        let (mean_request, found, n_steps) = self.play(inferred, self.cwl, whole / 2, |input, replay| {
            (mean_of(replay), found_in(input, replay), replay.n_steps())
        })?;
        if n_steps == 0 {
            return Ok(None);
        }
        let mut sum = 0;
        for seed in 1..=N_SHUFFLES {
            let order = shuffled(&lengths, seed);
            let growth = self.growth(|turns| label_stretches(turns, &order, &WEIGHTS));
            let table = self.table(&growth);
            sum += self.found_at_mean((&growth, &table), mean_request)?;
        }
        Ok(Some(Worth { found, shuffled: sum / N_SHUFFLES, mean_request }))
    }

    fn growth(&self, divide: impl FnOnce(&[TurnFacts]) -> Vec<Segment>) -> Growth {
        let annotation = infer_with(self.session, &self.facts, Hindsight::UpToStart, divide);
        Growth::annotated(self.session, &annotation).0
    }

    fn table(&self, growth: &Growth) -> TokenTable {
        self.table.clone().with_residues(self.opened.residues(growth, self.tokenizer))
    }

    /// Returns what is found with the budget at which the mean request comes nearest to a given one.
    fn found_at_mean(&self, on: Marked<'_>, mean: u64) -> Result<u64, ApiError> {
        let (mut low, mut high) = (0u64, self.most);
        let (mut best, mut apart) = (0, u64::MAX);
        for _ in 0..TRIES {
            let budget = low.midpoint(high);
            let found = self.play(on, self.cwl, budget, |_, replay| mean_of(replay))?;
            if found.abs_diff(mean) < apart {
                (best, apart) = (budget, found.abs_diff(mean));
            }
            if found < mean { low = budget } else { high = budget }
        }
        self.play(on, self.cwl, best, found_in)
    }

    fn play<T>(
        &self,
        (growth, table): Marked<'_>,
        policy: &'static Policy,
        budget: u64,
        measure: impl FnOnce(&ReplayInput<'_>, &Replay) -> T,
    ) -> Result<T, ApiError> {
        let options = PolicyOptions::of(policy).map_err(ApiError::internal)?;
        let overhead = Overhead::default();
        let input = ReplayInput {
            session: self.session,
            growth,
            table,
            material: &self.material,
            pins: &[],
            overhead: &overhead,
            budget,
            policy,
            options: &options,
        };
        let replay = Replay::run(&input);
        Ok(measure(&input, &replay))
    }
}

/// The turns whose requests were made.
fn made(replay: &Replay) -> &[cwl_engine::TurnOutcome] {
    &replay.turns[..replay.turns.len().saturating_sub(1)]
}

fn mean_of(replay: &Replay) -> u64 {
    let made = made(replay);
    let sum: u64 = made.iter().map(|turn| turn.after).sum();
    sum.checked_div(made.len() as u64).unwrap_or(0)
}

fn found_in(input: &ReplayInput<'_>, replay: &Replay) -> u64 {
    let found = look_back(input, replay).total;
    (found.hit_tokens * 1000).checked_div(found.used_tokens).unwrap_or(1000)
}
