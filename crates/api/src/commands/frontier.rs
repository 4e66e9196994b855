//! The frontier: which settings no other beats, and what that says of CWL, as a sentence.

use std::collections::BTreeSet;

use cwl_engine::{Policy, PolicyFamily, Tradeoff};

use crate::ApiError;
use crate::dto::{
    CompareColumnDto, FrontierDto, FrontierRequest, KeptByDto, MeasuredDto, OnFrontierDto, SettingDto,
    SweepPointDto, VerdictDto,
};
use crate::figures::{grouped, small};
use crate::host::inspector::Inspector;
use crate::measure::measured::{dollars, percent};

impl Inspector {
    /// Returns which of some settings no other beats.
    ///
    /// # Errors
    /// None: it is one only because commands of the host have one.
    pub fn frontier(&self, request: FrontierRequest) -> Result<FrontierDto, ApiError> {
        Ok(frontier(&request))
    }
}

/// Returns which of some settings no other beats, by money and by what they keep, and what that says of CWL.
///
/// A setting that takes no step is the same as no eviction, so that of these only one counts; of settings of one policy
/// that come to the same only the one with the lowest budget does.
pub fn frontier(request: &FrontierRequest) -> FrontierDto {
    frontier_among(request, "on this session")
}

/// Tells like [`frontier`]; `among` says where the verdict holds.
fn frontier_among(request: &FrontierRequest, among: &str) -> FrontierDto {
    let by = request.by;
    let told = told(request);
    let tradeoffs: Vec<Tradeoff> = told.iter().map(|one| one.tradeoff).collect();
    let on: Vec<&Told<'_>> = cwl_engine::frontier(&tradeoffs).into_iter().map(|at| &told[at]).collect();
    let current = request.current.and_then(|at| request.settings.get(at as usize));
    let (verdict, mut says) = match request.settings.iter().all(|setting| setting.cost.is_none()) {
        true if !request.settings.is_empty() => (None, UNPRICED.to_owned()),
        _ => verdict(by, &told, &on, current, among),
    };
    if let Some(more) = verdict.and_then(|_| of_current(by, current, &on)) {
        says.push_str(&more);
    }
    let on = on.into_iter().map(|one| OnFrontierDto {
        place: small(one.place),
        setting: one.setting.clone(),
        is_cwl: one.is_cwl,
    });
    FrontierDto { by, verdict, says, on: on.collect() }
}

/// The sentence about settings that have no cost.
const UNPRICED: &str =
    "No list of prices here names the model, so the picture cannot say what these settings cost";

/// A setting whose figures can be told.
struct Told<'a> {
    place: usize,
    setting: &'a SettingDto,
    tradeoff: Tradeoff,
    is_cwl: bool,
}

impl Told<'_> {
    /// Tells whether it evicts anything at all.
    fn acts(&self) -> bool {
        self.setting.n_steps > 0
    }
}

/// Lists the settings that count, in the order in which they were given.
fn told(request: &FrontierRequest) -> Vec<Told<'_>> {
    let mut all: Vec<Told<'_>> = request
        .settings
        .iter()
        .enumerate()
        .filter_map(|(place, setting)| {
            let tradeoff = tradeoff(request.by, setting)?;
            let is_cwl =
                Policy::find(&setting.policy).is_some_and(|policy| policy.family == PolicyFamily::Paper);
            Some(Told { place, setting, tradeoff, is_cwl })
        })
        .collect();
    // Of the same the one that stays comes first: no eviction by its own name, and the lowest budget.
    all.sort_by_key(|one| (one.setting.policy != "none", one.setting.budget, one.place));
    let mut seen = BTreeSet::new();
    all.retain(|one| {
        let policy = if one.acts() { Some(one.setting.policy.as_str()) } else { None };
        seen.insert((policy, one.tradeoff.cost, one.tradeoff.kept))
    });
    all.sort_by_key(|one| one.place);
    all
}

/// Returns what a setting costs and keeps, more being better; `None` where it cannot be told.
fn tradeoff(by: KeptByDto, setting: &SettingDto) -> Option<Tradeoff> {
    let kept = match by {
        KeptByDto::LookBack | KeptByDto::Probes => setting.kept?,
        KeptByDto::Regret => u64::MAX - setting.kept?,
    };
    Some(Tradeoff { cost: setting.cost?, kept })
}

/// Says whether the frontier speaks for CWL, with the figures that it was told from.
fn verdict(
    by: KeptByDto,
    told: &[Told<'_>],
    on: &[&Told<'_>],
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
    let is_of = |wanted: bool| move |one: &&Told<'_>| one.acts() && one.is_cwl == wanted;
    let acting: Vec<&Told<'_>> = told.iter().filter(|one| one.acts()).collect();
    let n_on = on.iter().filter(|one| one.acts()).count();
    if !acting.iter().copied().any(|one| is_of(true)(&one)) {
        return (None, "No form of CWL evicts anything here, so the picture says nothing of CWL".to_owned());
    }
    if !acting.iter().copied().any(|one| is_of(false)(&one)) {
        let says = format!(
            "{} of the {} settings that evict are on the frontier; all are forms of CWL, so they tell budgets \
             apart and say nothing of other policies",
            grouped(n_on as u64),
            grouped(acting.len() as u64)
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
    let own: Vec<&&Told<'_>> = on.iter().filter(|one| is_of(true)(one)).collect();
    let all = format!("the {} settings on the frontier that evict", grouped(n_on as u64));
    const ONLY: &str = "the only setting on the frontier that evicts is";
    // The cheapest that keeps no less than the setting in use stands for the others, else the one that keeps the most.
    let least = current.and_then(|current| tradeoff(by, current)).map(|current| current.kept);
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
        (n, _) => format!("{} of {all} are forms of CWL, such as", grouped(n as u64)),
    };
    // The setting in use is told with its figures by the words about it.
    let is_used = current.is_some_and(|current| same(current, best.setting));
    let best = if is_used { "the one in use".to_owned() } else { named(by, best.setting) };
    (Some(verdict), format!("{word} for CWL {among}: {are} {best}"))
}

fn same(one: &SettingDto, other: &SettingDto) -> bool {
    (&one.policy, one.cost, one.kept) == (&other.policy, other.cost, other.kept)
}

/// Says whether the setting in use is on the frontier, and what beats it if not; `None` where it cannot be told.
fn of_current(by: KeptByDto, current: Option<&SettingDto>, on: &[&Told<'_>]) -> Option<String> {
    let current = current?;
    let own = tradeoff(by, current)?;
    let in_use = named(by, current);
    // The cheapest of those that beat it.
    Some(match on.iter().find(|one| one.tradeoff.beats(&own)) {
        None => format!("; the setting in use, {in_use}, is on the frontier"),
        Some(other) => {
            format!("; the setting in use, {in_use}, is beaten by {}", named(by, other.setting))
        }
    })
}

/// Names a setting with its figures: `window at 80,000 ($24.50, look-back 86.9 %)`.
fn named(by: KeptByDto, setting: &SettingDto) -> String {
    let SettingDto { policy, budget, cost, kept, .. } = setting;
    let at = match budget {
        Some(budget) if policy != "none" => format!("{policy} at {}", grouped(*budget)),
        _ => "no eviction".to_owned(),
    };
    let kept = kept.unwrap_or(0);
    let kept = match by {
        KeptByDto::LookBack => format!("look-back {} %", percent(small_share(kept))),
        KeptByDto::Probes => format!("{} % of the probes answered", percent(small_share(kept))),
        KeptByDto::Regret => format!("{} tokens of regret", grouped(kept)),
    };
    format!("{at} ({}, {kept})", cost.map_or_else(|| "unpriced".to_owned(), dollars))
}

fn small_share(per_mille: u64) -> u32 {
    u32::try_from(per_mille).unwrap_or(1000)
}

/// Makes a setting of the measures of a policy and a budget.
fn setting(policy: &str, budget: Option<u64>, measured: &MeasuredDto, by: KeptByDto) -> SettingDto {
    let kept = match by {
        // A setting whose requests no model takes keeps nothing.
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

/// Finds the columns of a comparison that no other beats, and marks them; the first is the setting in use.
pub(crate) fn of_columns(columns: &mut [CompareColumnDto], by: KeptByDto) -> FrontierDto {
    let settings =
        columns.iter().map(|one| setting(&one.policy, Some(one.budget), &one.measured, by)).collect();
    let found = frontier_among(&FrontierRequest { by, settings, current: Some(0) }, "among these columns");
    for one in &found.on {
        if let Some(column) = columns.get_mut(one.place as usize) {
            column.frontier = true;
        }
    }
    found
}

/// Finds the points of a sweep that no other beats, and marks them; the points of one policy stand together.
pub(crate) fn of_points(points: &mut [(&str, &mut SweepPointDto)], by: KeptByDto) -> FrontierDto {
    let settings =
        points.iter().map(|(policy, point)| setting(policy, point.budget, &point.measured, by)).collect();
    let found = frontier(&FrontierRequest { by, settings, current: None });
    for one in &found.on {
        if let Some((_, point)) = points.get_mut(one.place as usize) {
            point.frontier = true;
        }
    }
    found
}
