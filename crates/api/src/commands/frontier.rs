//! The Pareto frontier by cost and retention, among all settings and within each side of the verdict.

use std::collections::BTreeSet;

use cwl_engine::{Policy, PolicyFamily, Tradeoff};

use crate::ApiError;
use crate::dto::{
    CompareColumnDto, FrontierDto, FrontierRequest, KeptByDto, MeasuredDto, OnFrontierDto, SettingDto,
    SweepPointDto,
};
use crate::figures::saturate_u32;
use crate::host::inspector::Inspector;

impl Inspector {
    /// Host form of [`frontier()`].
    ///
    /// # Errors
    /// Never; host commands have this signature.
    pub fn frontier(&self, request: FrontierRequest) -> Result<FrontierDto, ApiError> {
        Ok(frontier(&request))
    }
}

/// Returns the Pareto frontier of `request.settings`, by money and by what they keep.
///
/// All settings without a step equal no eviction and count once. Among equal settings of one policy, only the
/// lowest budget counts.
pub fn frontier(request: &FrontierRequest) -> FrontierDto {
    let told = comparable_settings(request.by, &request.settings);
    let all: Vec<&FrontierSetting<'_>> = told.iter().collect();
    let on = on_frontier(&all).into_iter().map(|one| OnFrontierDto {
        place: saturate_u32(one.place),
        setting: one.setting.clone(),
        is_cwl: one.is_cwl,
    });
    let [cwl, others] = [true, false]
        .map(|is_cwl| best_of_side(&told, is_cwl).into_iter().map(|one| saturate_u32(one.place)).collect());
    FrontierDto { by: request.by, on: on.collect(), cwl, others }
}

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

fn on_frontier<'a, 'b>(told: &[&'b FrontierSetting<'a>]) -> Vec<&'b FrontierSetting<'a>> {
    let tradeoffs: Vec<Tradeoff> = told.iter().map(|one| one.tradeoff).collect();
    cwl_engine::pareto_frontier(&tradeoffs).into_iter().map(|at| told[at]).collect()
}

pub(crate) struct FrontierSetting<'a> {
    place: usize,
    pub(crate) setting: &'a SettingDto,
    pub(crate) tradeoff: Tradeoff,
    is_cwl: bool,
}

impl FrontierSetting<'_> {
    pub(crate) fn evicts_anything(&self) -> bool {
        self.setting.n_steps > 0
    }
}

/// Drops settings that do not count, and keeps the order.
pub(crate) fn comparable_settings(by: KeptByDto, settings: &[SettingDto]) -> Vec<FrontierSetting<'_>> {
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
fn tradeoff_of_setting(by: KeptByDto, setting: &SettingDto) -> Option<Tradeoff> {
    let kept = match by {
        KeptByDto::LookBack | KeptByDto::Probes => setting.kept?,
        KeptByDto::Regret => u64::MAX - setting.kept?,
    };
    Some(Tradeoff { cost: setting.cost?, kept })
}

pub(crate) fn setting_from_measures(
    policy: &str,
    budget: Option<u64>,
    measured: &MeasuredDto,
    by: KeptByDto,
) -> SettingDto {
    let kept = match by {
        // A setting keeps nothing if no model accepts its requests.
        _ if measured.beyond_window > 0 => None,
        KeptByDto::LookBack => Some(u64::from(measured.look_back.hit_per_mille)),
        KeptByDto::Probes => measured.probes.answered_per_mille.map(u64::from),
        KeptByDto::Regret => Some(measured.look_back.regret_tokens),
    };
    SettingDto {
        policy: policy.to_owned(),
        budget,
        cost: (!measured.cost.unpriced).then_some(measured.cost.total_cost),
        kept,
        n_steps: measured.n_steps,
    }
}

/// Marks the columns on the Pareto frontier.
pub(crate) fn of_columns(columns: &mut [CompareColumnDto], by: KeptByDto) -> FrontierDto {
    let settings = columns
        .iter()
        .map(|one| setting_from_measures(&one.policy, Some(one.budget), &one.measured, by))
        .collect();
    let found = frontier(&FrontierRequest { by, settings });
    for one in &found.on {
        if let Some(column) = columns.get_mut(one.place as usize) {
            column.frontier = true;
        }
    }
    found
}

/// Marks the points on the Pareto frontier; points with the same policy are adjacent.
pub(crate) fn of_points(points: &mut [(&str, &mut SweepPointDto)], by: KeptByDto) -> FrontierDto {
    let settings = points
        .iter()
        .map(|(policy, point)| setting_from_measures(policy, point.budget, &point.measured, by))
        .collect();
    let found = frontier(&FrontierRequest { by, settings });
    for one in &found.on {
        if let Some((_, point)) = points.get_mut(one.place as usize) {
            point.frontier = true;
        }
    }
    found
}
