//! The Pareto frontier by cost and retention, and a verdict on CWL in words.

use std::collections::BTreeSet;

use cwl_engine::{Policy, PolicyFamily, Tradeoff};

use crate::ApiError;
use crate::dto::{
    CompareColumnDto, FrontierDto, FrontierRequest, KeptByDto, MeasuredDto, OnFrontierDto, SettingDto,
    SweepPointDto, VerdictDto,
};
use crate::figures::{saturate_u32, with_commas};
use crate::host::inspector::Inspector;
use crate::measure::measured::{write_dollars, write_percent};

impl Inspector {
    /// Host form of [`frontier()`].
    ///
    /// # Errors
    /// Never; host commands have this signature.
    pub fn frontier(&self, request: FrontierRequest) -> Result<FrontierDto, ApiError> {
        Ok(frontier(&request))
    }
}

/// Returns the Pareto frontier of `request.settings`, by money and by what they keep, and a verdict on the
/// policy `cwl`.
///
/// All settings without a step equal no eviction and count once. Among equal settings of one policy, only the
/// lowest budget counts.
pub fn frontier(request: &FrontierRequest) -> FrontierDto {
    frontier_among(request, "on this session")
}

/// Like [`frontier()`]; `among` says in words for which settings the verdict holds.
fn frontier_among(request: &FrontierRequest, among: &str) -> FrontierDto {
    let by = request.by;
    let told = comparable_settings(request);
    let tradeoffs: Vec<Tradeoff> = told.iter().map(|one| one.tradeoff).collect();
    let on: Vec<&FrontierSetting<'_>> =
        cwl_engine::pareto_frontier(&tradeoffs).into_iter().map(|at| &told[at]).collect();
    let current = request.current.and_then(|at| request.settings.get(at as usize));
    let (verdict, mut says) = match request.settings.iter().all(|setting| setting.cost.is_none()) {
        true if !request.settings.is_empty() => (None, UNPRICED.to_owned()),
        _ => verdict_on_cwl(by, &told, &on, current, among),
    };
    if let Some(more) = verdict.and_then(|_| of_current(by, current, &on)) {
        says.push_str(&more);
    }
    let on = on.into_iter().map(|one| OnFrontierDto {
        place: saturate_u32(one.place),
        setting: one.setting.clone(),
        is_cwl: one.is_cwl,
    });
    FrontierDto { by, verdict, says, on: on.collect() }
}

const UNPRICED: &str =
    "No list of prices here names the model, so the picture cannot say what these settings cost";

struct FrontierSetting<'a> {
    place: usize,
    setting: &'a SettingDto,
    tradeoff: Tradeoff,
    is_cwl: bool,
}

impl FrontierSetting<'_> {
    fn evicts_anything(&self) -> bool {
        self.setting.n_steps > 0
    }
}

/// Drops settings that do not count, and keeps the order.
fn comparable_settings(request: &FrontierRequest) -> Vec<FrontierSetting<'_>> {
    let mut all: Vec<FrontierSetting<'_>> = request
        .settings
        .iter()
        .enumerate()
        .filter_map(|(place, setting)| {
            let tradeoff = tradeoff_of_setting(request.by, setting)?;
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

fn verdict_on_cwl(
    by: KeptByDto,
    told: &[FrontierSetting<'_>],
    on: &[&FrontierSetting<'_>],
    current: Option<&SettingDto>,
    among: &str,
) -> (Option<VerdictDto>, String) {
    if told.is_empty() {
        return (
            None,
            match by {
                KeptByDto::Probes => {
                    "No probe is asked, so the picture cannot say how many of them are answered".to_owned()
                }
                KeptByDto::LookBack | KeptByDto::Regret => "There is no setting to compare".to_owned(),
            },
        );
    }
    let is_of =
        |wanted: bool| move |one: &&FrontierSetting<'_>| one.evicts_anything() && one.is_cwl == wanted;
    let acting: Vec<&FrontierSetting<'_>> = told.iter().filter(|one| one.evicts_anything()).collect();
    let n_on = on.iter().filter(|one| one.evicts_anything()).count();
    if !acting.iter().copied().any(|one| is_of(true)(&one)) {
        return (None, "No form of CWL evicts anything here, so the picture says nothing of CWL".to_owned());
    }
    if !acting.iter().copied().any(|one| is_of(false)(&one)) {
        let says = format!(
            "{} of the {} settings that evict are on the Pareto frontier; all are forms of CWL, so they tell budgets \
             apart and say nothing of other policies",
            with_commas(n_on as u64),
            with_commas(acting.len() as u64)
        );
        return (None, says);
    }
    if n_on == 0 {
        let says = format!(
            "Bad for CWL {among}, and for every other policy: no eviction costs no more than any of \
                    them and keeps no less"
        );
        return (Some(VerdictDto::Bad), says);
    }
    let own: Vec<&&FrontierSetting<'_>> = on.iter().filter(|one| is_of(true)(one)).collect();
    let all = format!("the {} settings on the Pareto frontier that evict", with_commas(n_on as u64));
    const ONLY: &str = "the only setting on the Pareto frontier that evicts is";
    // Names the cheapest setting that keeps no less than the current one, else the one that keeps most.
    let least = current.and_then(|current| tradeoff_of_setting(by, current)).map(|current| current.kept);
    let as_good = least.and_then(|least| own.iter().find(|one| one.tradeoff.kept >= least));
    let Some(best) = as_good.or_else(|| own.iter().max_by_key(|one| one.tradeoff.kept)) else {
        let none = if n_on == 1 { format!("{ONLY} no form") } else { format!("none of {all} is a form") };
        let says = format!(
            "Bad for CWL {among}: {none} of CWL; each form of CWL is beaten by a setting that costs no more \
             and keeps no less"
        );
        return (Some(VerdictDto::Bad), says);
    };
    let (verdict, word) =
        if own.len() * 2 >= n_on { (VerdictDto::Good, "Good") } else { (VerdictDto::Mixed, "Mixed") };
    let are = match (own.len(), n_on) {
        (1, 1) => format!("{ONLY} a form of CWL:"),
        (1, _) => format!("1 of {all} is a form of CWL:"),
        (n, _) => format!("{} of {all} are forms of CWL, such as", with_commas(n as u64)),
    };
    // The sentence about the current setting already gives its figures.
    let is_used = current.is_some_and(|current| same_setting(current, best.setting));
    let best = if is_used { "the one in use".to_owned() } else { describe_setting(by, best.setting) };
    (Some(verdict), format!("{word} for CWL {among}: {are} {best}"))
}

fn same_setting(one: &SettingDto, other: &SettingDto) -> bool {
    (&one.policy, one.cost, one.kept) == (&other.policy, other.cost, other.kept)
}

/// Says whether the current setting is on the frontier, or else which setting beats it. `None` if unknown.
fn of_current(by: KeptByDto, current: Option<&SettingDto>, on: &[&FrontierSetting<'_>]) -> Option<String> {
    let current = current?;
    let own = tradeoff_of_setting(by, current)?;
    let in_use = describe_setting(by, current);
    // Cheapest setting that dominates the current one.
    Some(match on.iter().find(|one| one.tradeoff.dominates(&own)) {
        None => format!("; the setting in use, {in_use}, is on the Pareto frontier"),
        Some(other) => {
            format!("; the setting in use, {in_use}, is beaten by {}", describe_setting(by, other.setting))
        }
    })
}

/// Formats a setting with its figures: `window at 80,000 ($24.50, recall 86.9 %)`.
fn describe_setting(by: KeptByDto, setting: &SettingDto) -> String {
    let SettingDto { policy, budget, cost, kept, .. } = setting;
    let at = match budget {
        Some(budget) if policy != "none" => format!("{policy} at {}", with_commas(*budget)),
        _ => "no eviction".to_owned(),
    };
    let kept = kept.unwrap_or(0);
    let kept = match by {
        KeptByDto::LookBack => format!("recall {} %", write_percent(small_share(kept))),
        KeptByDto::Probes => format!("{} % of the probes answered", write_percent(small_share(kept))),
        KeptByDto::Regret => format!("{} tokens of regret", with_commas(kept)),
    };
    format!("{at} ({}, {kept})", cost.map_or_else(|| "unpriced".to_owned(), write_dollars))
}

fn small_share(per_mille: u64) -> u32 {
    u32::try_from(per_mille).unwrap_or(1000)
}

fn setting_from_measures(
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

/// Marks the columns on the Pareto frontier; the first column is the current setting.
pub(crate) fn of_columns(columns: &mut [CompareColumnDto], by: KeptByDto) -> FrontierDto {
    let settings = columns
        .iter()
        .map(|one| setting_from_measures(&one.policy, Some(one.budget), &one.measured, by))
        .collect();
    let found = frontier_among(&FrontierRequest { by, settings, current: Some(0) }, "among these columns");
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
    let found = frontier(&FrontierRequest { by, settings, current: None });
    for one in &found.on {
        if let Some((_, point)) = points.get_mut(one.place as usize) {
            point.frontier = true;
        }
    }
    found
}
