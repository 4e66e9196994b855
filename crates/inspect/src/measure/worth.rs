//! Worth: inferred episodes compared with shuffled ones and with `window`, which needs none (docs/inference.md).

use std::cell::OnceCell;
use std::collections::BTreeMap;

use cwl_engine::{GraphTimeline, Replay, ReplayInput, Scales, measure_recall};

use crate::ApiError;
use crate::asked::unit::TokenUnit;
use crate::asked::view::{BranchKey, find_policy};
use crate::measure::material::ScanDepth;
use crate::measure::opened::SessionSnapshot;

pub(crate) const N_SHUFFLES: u64 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Worth {
    /// Recall of references for `cwl` on inferred episodes, per mille by tokens.
    pub found: u32,
    /// Mean recall on shuffled episodes, per mille.
    pub(crate) shuffled: u32,
    /// Recall for `window`, per mille.
    pub(crate) window: u32,
    pub(crate) mean_request: u64,
}

impl Worth {
    pub(crate) fn helps(self) -> bool {
        self.found > self.shuffled && self.found >= self.window
    }
}

/// Compares inferred with shuffled episodes, and with `window`, at an equal mean request. Returns `None` if fewer than
/// two are closed, or if nothing is evicted at half the size.
pub(crate) fn weigh_inferred(
    opened: &SessionSnapshot,
    key: &BranchKey,
    unit: TokenUnit,
) -> Result<Option<Worth>, ApiError> {
    let declared = key.with_declared_marks();
    let branch = opened.branch(&declared)?;
    let scale = opened.size_scale(&declared, unit)?;
    // The engine has no errors of texts, so the first one waits here.
    let uncounted = OnceCell::new();
    let residues = |growth: &GraphTimeline| {
        opened.residue_sizes(growth, scale).unwrap_or_else(|error| {
            uncounted.get_or_init(|| error);
            BTreeMap::new()
        })
    };
    let scales = Scales {
        session: &branch.session,
        facts: &opened.inference_facts(&branch.session)?,
        material: &*opened.material_of(&declared, unit, ScanDepth::Names)?,
        table: &opened.sizes(&declared, unit)?.table,
        residues: &residues,
    };
    let (cwl, window, none) = (find_policy("cwl")?, find_policy("window")?, find_policy("none")?);
    let found =
        |input: &ReplayInput<'_>, replay: &Replay| measure_recall(input, replay).total.hit_per_mille();
    let Some(inferred) = scales.inferred_trial() else { return Ok(None) };
    let whole = scales.replay_trial(&inferred, none, u64::MAX, |_, replay| replay.largest_request());
    let whole = whole.map_err(ApiError::from_internal)?;
    let played = scales.replay_trial(&inferred, cwl, whole / 2, |input, replay| {
        (replay.n_steps(), replay.mean_request(), found(input, replay))
    });
    let (n_steps, mean_request, own) = played.map_err(ApiError::from_internal)?;
    if n_steps == 0 && uncounted.get().is_none() {
        return Ok(None);
    }
    let by_window = scales.play_at_mean(&inferred, window, mean_request, found);
    let mut sum = 0;
    for seed in 1..=N_SHUFFLES {
        let trial = scales.shuffled_trial(&inferred.lengths, seed);
        let found = scales.play_at_mean(&trial, cwl, mean_request, found).map_err(ApiError::from_internal)?;
        sum += u64::from(found);
    }
    if let Some(error) = uncounted.get() {
        return Err(error.clone());
    }
    let shuffled = u32::try_from(sum / N_SHUFFLES).unwrap_or(u32::MAX);
    Ok(Some(Worth {
        found: own,
        shuffled,
        window: by_window.map_err(ApiError::from_internal)?,
        mean_request,
    }))
}
