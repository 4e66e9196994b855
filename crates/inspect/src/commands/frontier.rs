//! The Pareto frontier by cost and retention, among all settings and within each side of the verdict.

use crate::api::{
    FrontierMeasure, FrontierPoint, FrontierRequest, MeasuredFigures, MeasuredSetting, ParetoFrontier,
};
use crate::figures::saturate_u32;
use crate::present::frontier::{FrontierSetting, best_of_side, comparable_settings, on_frontier};

/// Returns the Pareto frontier of `request.settings`, by money and by what they keep.
///
/// All settings without a step equal no eviction and count once. Among equal settings of one policy, only the
/// lowest budget counts.
pub fn frontier(request: &FrontierRequest) -> ParetoFrontier {
    let told = comparable_settings(request.by, &request.settings);
    let all: Vec<&FrontierSetting<'_>> = told.iter().collect();
    let on = on_frontier(&all).into_iter().map(|one| FrontierPoint {
        place: saturate_u32(one.place),
        setting: one.setting.clone(),
        is_cwl: one.is_cwl,
    });
    let [cwl, others] = [true, false]
        .map(|is_cwl| best_of_side(&told, is_cwl).into_iter().map(|one| saturate_u32(one.place)).collect());
    ParetoFrontier { by: request.by, on: on.collect(), cwl, others }
}

pub(crate) fn setting_from_measures(
    policy: &str,
    budget: Option<u64>,
    measured: &MeasuredFigures,
    by: FrontierMeasure,
) -> MeasuredSetting {
    let kept = match by {
        // A setting keeps nothing if no model accepts its requests.
        _ if measured.beyond_window > 0 => None,
        FrontierMeasure::Recall => Some(u64::from(measured.recall.hit_per_mille)),
        FrontierMeasure::Probes => measured.probes.answered_per_mille.map(u64::from),
        FrontierMeasure::Reacquired => Some(measured.recall.reacquired_tokens),
    };
    MeasuredSetting {
        policy: policy.to_owned(),
        budget,
        cost: (!measured.cost.unpriced).then_some(measured.cost.total_cost),
        kept,
        n_steps: measured.n_steps,
    }
}

pub(crate) fn mark_frontier<'a>(
    by: FrontierMeasure,
    settings: impl Iterator<Item = (MeasuredSetting, &'a mut bool)>,
) -> ParetoFrontier {
    let (settings, mut marks): (Vec<MeasuredSetting>, Vec<&mut bool>) = settings.unzip();
    let found = frontier(&FrontierRequest { by, settings });
    for one in &found.on {
        if let Some(mark) = marks.get_mut(one.place as usize) {
            **mark = true;
        }
    }
    found
}
