//! Worth: the inferred episodes of a session weighed against shuffled ones (docs/inference.md).

use cwl_engine::{Growth, Replay, ReplayInput, Scales, look_back};
use cwl_tokens::Tokenizer;

use crate::ApiError;
use crate::asked::view::{BranchKey, find_policy};
use crate::measure::material::ScanDepth;
use crate::measure::opened::Opened;

/// How many shuffles there are.
pub(crate) const N_SHUFFLES: u64 = 20;

/// The figures of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Worth {
    /// Of the tokens that later turns use, those that `cwl` on inferred episodes still has, per mille.
    pub(crate) found: u32,
    /// The same of shuffled episodes, the mean.
    pub(crate) shuffled: u32,
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
        session: &branch.session,
        facts: &opened.facts(&branch.session)?,
        material: &*opened.material_of(&declared, tokenizer, ScanDepth::Names)?,
        table: &opened.sizes(&declared, tokenizer)?.table,
        residues: &|growth: &Growth| opened.residues(growth, tokenizer),
    };
    let (cwl, none) = (find_policy("cwl")?, find_policy("none")?);
    let found = |input: &ReplayInput<'_>, replay: &Replay| look_back(input, replay).total.hit_per_mille();
    let Some(inferred) = scales.inferred() else { return Ok(None) };
    let whole = scales.play(&inferred, none, u64::MAX, |_, replay| replay.largest_request());
    let whole = whole.map_err(ApiError::internal)?;
    let played = scales.play(&inferred, cwl, whole / 2, |input, replay| {
        (replay.n_steps(), replay.mean_request(), found(input, replay))
    });
    let (n_steps, mean_request, own) = played.map_err(ApiError::internal)?;
    if n_steps == 0 {
        return Ok(None);
    }
    let mut sum = 0;
    for seed in 1..=N_SHUFFLES {
        let trial = scales.shuffled(&inferred.lengths, seed);
        let found = scales.play_at_mean(&trial, cwl, mean_request, found).map_err(ApiError::internal)?;
        sum += u64::from(found);
    }
    let shuffled = u32::try_from(sum / N_SHUFFLES).unwrap_or(u32::MAX);
    Ok(Some(Worth { found: own, shuffled, mean_request }))
}
