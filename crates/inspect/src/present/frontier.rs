//! Settings that can be compared, and the frontier of each side of the verdict.

use std::collections::BTreeSet;

use cwl_engine::{Policy, PolicyFamily, Tradeoff};

use crate::api::{FrontierMeasure, MeasuredSetting};

/// Returns the frontier among the settings that evict: those of the CWL family, or those of other policies.
///
/// A setting that no eviction beats takes no part, unless that is so of the whole side.
pub(crate) fn best_of_side<'a, 'b>(
    told: &'b [FrontierSetting<'a>],
    is_cwl: bool,
) -> Vec<&'b FrontierSetting<'a>> {
    let none = told.iter().find(|one| !one.evicts_anything());
    let side: Vec<_> = told.iter().filter(|one| one.evicts_anything() && one.is_cwl == is_cwl).collect();
    let is_beaten =
        |one: &FrontierSetting<'_>| none.is_some_and(|none| none.tradeoff.dominates(&one.tradeoff));
    let worth: Vec<_> = side.iter().copied().filter(|one| !is_beaten(one)).collect();
    on_frontier(if worth.is_empty() { &side } else { &worth })
}

pub(crate) fn on_frontier<'a, 'b>(told: &[&'b FrontierSetting<'a>]) -> Vec<&'b FrontierSetting<'a>> {
    let tradeoffs: Vec<Tradeoff> = told.iter().map(|one| one.tradeoff).collect();
    cwl_engine::pareto_frontier(&tradeoffs).into_iter().map(|at| told[at]).collect()
}

pub(crate) struct FrontierSetting<'a> {
    pub place: usize,
    pub setting: &'a MeasuredSetting,
    pub(crate) tradeoff: Tradeoff,
    pub(crate) is_cwl: bool,
}

impl FrontierSetting<'_> {
    pub(crate) fn evicts_anything(&self) -> bool {
        self.setting.n_steps > 0
    }
}

pub(crate) fn comparable_settings(
    by: FrontierMeasure,
    settings: &[MeasuredSetting],
) -> Vec<FrontierSetting<'_>> {
    let mut all: Vec<FrontierSetting<'_>> = settings
        .iter()
        .enumerate()
        .filter_map(|(place, setting)| {
            let tradeoff = tradeoff_of_setting(by, setting)?;
            let is_cwl =
                Policy::find(&setting.policy).is_some_and(|policy| policy.family == PolicyFamily::Paper);
            Some(FrontierSetting { place, setting, tradeoff, is_cwl })
        })
        .collect();
    // The first among equal settings stays: `none` by name, else the lowest budget.
    all.sort_by_key(|one| (one.setting.policy != "none", one.setting.budget, one.place));
    let mut seen = BTreeSet::new();
    all.retain(|one| {
        let policy = if one.evicts_anything() { Some(one.setting.policy.as_str()) } else { None };
        seen.insert((policy, one.tradeoff.cost, one.tradeoff.kept))
    });
    all.sort_by_key(|one| one.place);
    all
}

/// A setting's cost and retention (for retention, more is better). `None` if unknown.
fn tradeoff_of_setting(by: FrontierMeasure, setting: &MeasuredSetting) -> Option<Tradeoff> {
    let kept = match by {
        FrontierMeasure::Recall | FrontierMeasure::Probes => setting.kept?,
        FrontierMeasure::Reacquired => u64::MAX - setting.kept?,
    };
    Some(Tradeoff { cost: setting.cost?, kept })
}
