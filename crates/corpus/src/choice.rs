//! Chooses a policy, options and a budget under constraints: chosen on one half of the sessions, reported on
//! the other.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use cwl_host::api::{ChoiceHalf, ChoiceObjection, ChoiceSetting, ChooseAnswer, EstimateRange};
use cwl_host::{with_commas, write_dollars};

use crate::constraint::Constraint;
use crate::live::live_settings;
use crate::make::CorpusError;
use crate::read_back::{check_folder, read_table};
use crate::settings::{RunFigures, Runs, Setting, mean_cost, read_runs};
use crate::stats::{ConfidenceInterval, N_RESAMPLES, SEED};
use crate::table::SESSIONS;

const LISTED: usize = 20;
/// A smaller half gives little evidence.
const FEW: usize = 20;

/// Ranks the settings in the table `runs` by mean cost under constraints.
///
/// Hashes of the names decide the halves, so all runs over the same tables agree.
///
/// # Errors
/// If the folder is no corpus, a table is unreadable, or there is no run.
pub fn choose_setting(folder: &Path, constraints: &[Constraint]) -> Result<ChooseAnswer, CorpusError> {
    let n_unfinished = check_folder(folder)?;
    let runs = read_runs(folder)?;
    let no_runs = |why: &str| CorpusError::NoRuns { path: folder.to_owned(), why: why.to_owned() };
    if runs.is_empty() {
        return Err(no_runs("its table of runs is empty"));
    }
    let sessions = read_table(folder, &SESSIONS, &["log", "path", "problem", "price_row"])?;
    let n_unpriced = (0..sessions.n_rows)
        .filter(|row| {
            sessions.text_value("problem", *row).is_none() && sessions.text_value("price_row", *row).is_none()
        })
        .count();
    let mut chosen =
        choose_best(&runs, constraints).ok_or_else(|| no_runs("no session has a run of every setting"))?;
    let paths: BTreeMap<&Arc<str>, &Arc<str>> = (0..sessions.n_rows)
        .filter_map(|row| Some((sessions.text_value("log", row)?, sessions.text_value("path", row)?)))
        .collect();
    for against in &mut chosen.against {
        against.path =
            paths.get(&Arc::from(against.log.as_str())).map_or_else(String::new, ToString::to_string);
    }
    chosen.folder = folder.display().to_string();
    if n_unfinished > 0 {
        chosen.limits.push(
            "Some parts of the corpus are not finished and are left out; run `cwl corpus` again.".into(),
        );
    }
    if n_unpriced > 0 {
        chosen.limits.push(format!(
            "{} sessions have a model without a known price; no figure of money holds them.",
            with_commas(n_unpriced as u64)
        ));
    }
    Ok(chosen)
}

/// Splits sessions into a half for the choice and a half for the report, by the order of their names' hashes.
/// With two sessions or more, neither half is empty.
fn split_halves(mut logs: Vec<&Arc<str>>) -> (Vec<&Arc<str>>, Vec<&Arc<str>>) {
    logs.sort_by_key(|log| *blake3::hash(log.as_bytes()).as_bytes());
    let second = logs.split_off(logs.len().div_ceil(2));
    (logs, second)
}

fn choose_best(runs: &Runs, constraints: &[Constraint]) -> Option<ChooseAnswer> {
    let mut logs: Vec<&Arc<str>> = runs.values().flat_map(BTreeMap::keys).collect();
    logs.sort();
    logs.dedup();
    let n_logs = logs.len();
    // Settings are compared on the same sessions.
    logs.retain(|log| runs.values().all(|of_logs| of_logs.contains_key(*log)));
    let n_left_out = n_logs - logs.len();
    let (first, second) = split_halves(logs);
    if first.is_empty() {
        return None;
    }
    let half = |of_logs: &BTreeMap<Arc<str>, RunFigures>, logs: &[&Arc<str>]| {
        let runs: Vec<&RunFigures> = logs.iter().filter_map(|log| of_logs.get(*log)).collect();
        let figures: Vec<Option<ConfidenceInterval>> =
            constraints.iter().map(|one| one.figure_of(&runs)).collect();
        let all = |met: &dyn Fn(&Constraint, ConfidenceInterval) -> bool| {
            !runs.is_empty()
                && constraints
                    .iter()
                    .zip(&figures)
                    .all(|(one, figure)| figure.is_some_and(|figure| met(one, figure)))
        };
        ChoiceHalf {
            cost: estimate_range(mean_cost(runs.iter().copied())),
            meets: all(&|one, figure| one.is_met_by(figure.value)),
            meets_surely: all(&|one, figure| one.is_met_by(figure.low) && one.is_met_by(figure.high)),
            constrained: figures.into_iter().map(estimate_range).collect(),
        }
    };
    let mut ranked: Vec<(&Setting, ChoiceSetting)> = runs
        .iter()
        .map(|(setting, of_logs)| {
            let Setting { policy, options, budget } = setting;
            let one = ChoiceSetting {
                policy: policy.to_string(),
                options: options.to_string(),
                budget: *budget,
                chosen_on: half(of_logs, &first),
                reported_on: half(of_logs, &second),
            };
            (setting, one)
        })
        .collect();
    let price = |one: &ChoiceSetting| one.chosen_on.cost.value.unwrap_or(f64::INFINITY);
    ranked.sort_by(|(a, one), (b, other)| {
        let by_constraint = other.chosen_on.meets.cmp(&one.chosen_on.meets);
        by_constraint.then(price(one).total_cmp(&price(other))).then(a.cmp(b))
    });
    // A setting without a known cost cannot be the cheapest.
    let is_choice = |half: &ChoiceHalf| half.meets && half.cost.value.is_some();
    let chosen = ranked.first().filter(|(_, one)| is_choice(&one.chosen_on)).map(|(setting, _)| *setting);
    let mut against =
        chosen.map_or_else(Vec::new, |setting| sessions_against(runs, setting, constraints, &second));
    let n_against = against.len();
    against.truncate(LISTED);
    let mut limits = vec![
        "Only the policies, options and budgets of the runs are ranked; another one may be better.".to_owned(),
        "A replay says what a model would have been sent. It does not say what the agent would have done with another context.".to_owned(),
        "Nothing is written into the settings of a harness.".to_owned(),
    ];
    if first.len().min(second.len()) < FEW {
        limits.push(format!(
            "A half has {} sessions only, which is too few for the intervals to be relied on.",
            first.len().min(second.len())
        ));
    }
    let n = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Some(ChooseAnswer {
        folder: String::new(),
        constraints: constraints.iter().map(Constraint::write_constraint).collect(),
        seed: SEED,
        n_resamples: N_RESAMPLES,
        n_chosen_on: n(first.len()),
        n_reported_on: n(second.len()),
        n_left_out: n(n_left_out),
        is_chosen: chosen.is_some(),
        live: chosen.map_or_else(Vec::new, live_settings),
        settings: ranked.into_iter().map(|(_, one)| one).collect(),
        against,
        n_against: n(n_against),
        limits,
    })
}

pub(crate) fn estimate_range(figure: Option<ConfidenceInterval>) -> EstimateRange {
    EstimateRange {
        value: figure.map(|figure| figure.value),
        low: figure.map(|figure| figure.low),
        high: figure.map(|figure| figure.high),
    }
}

/// Lists sessions that contradict `setting`: first those that break a constraint by themselves, worst first;
/// then those that cost more than without eviction, most expensive first.
fn sessions_against(
    runs: &Runs,
    setting: &Setting,
    constraints: &[Constraint],
    logs: &[&Arc<str>],
) -> Vec<ChoiceObjection> {
    let Some(of_logs) = runs.get(setting) else { return Vec::new() };
    let without =
        runs.iter().find(|(one, _)| one.policy.as_ref() == "none" && *one != setting).map(|(_, runs)| runs);
    let mut found: Vec<(f64, f64, ChoiceObjection)> = Vec::new();
    for log in logs {
        let Some(run) = of_logs.get(*log) else { continue };
        let mut why = Vec::new();
        let mut worst = 0.0_f64;
        for constraint in constraints {
            let Some(value) = constraint.figure_of_one(run) else { continue };
            if !constraint.is_met_by(value) {
                worst = worst.max(constraint.relative_excess(value));
                why.push(format!("{} is broken: {value:.3}", constraint.write_constraint()));
            }
        }
        let without = without.and_then(|runs| runs.get(*log)?.cost);
        let dearer = run.cost.zip(without).map_or(0.0, |(cost, without)| cost - without);
        if dearer > 0.0 {
            why.push(format!("it costs {} more than without eviction", write_dollars(dearer.round() as u64)));
        }
        if !why.is_empty() {
            found.push((worst, dearer, ChoiceObjection { log: log.to_string(), path: String::new(), why }));
        }
    }
    found.sort_by(|(a, dear_a, one), (b, dear_b, other)| {
        b.total_cmp(a).then(dear_b.total_cmp(dear_a)).then(one.log.cmp(&other.log))
    });
    found.into_iter().map(|(_, _, one)| one).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn run(cost: f64, found: f64) -> RunFigures {
        let cost = cost * 1e6;
        RunFigures {
            cost: Some(cost),
            used: 100.0,
            found,
            reacquired: 0.0,
            over: 0.0,
            n_requests: 10.0,
            bound: 1.0,
            mean_request: 0.0,
            survival: Default::default(),
        }
    }

    fn odd_one() -> usize {
        let names: Vec<Arc<str>> = (0..40).map(|n| Arc::from(format!("log {n}"))).collect();
        let (_, second) = split_halves(names.iter().collect());
        names.iter().position(|name| second.contains(&name)).unwrap()
    }

    /// Runs of forty sessions. The larger budget costs more and finds more, except in one session; `none`
    /// costs most.
    fn runs() -> Runs {
        let of = |policy: &str, budget: Option<u64>, of: &dyn Fn(usize) -> RunFigures| {
            let logs = (0..40).map(|n| (Arc::from(format!("log {n}")), of(n))).collect();
            (Setting { policy: policy.into(), options: "".into(), budget }, logs)
        };
        [
            of("cwl", Some(40_000), &|_| run(10.0, 60.0)),
            of("cwl", Some(80_000), &|n| if n == odd_one() { run(60.0, 10.0) } else { run(20.0, 95.0) }),
            of("none", None, &|_| run(50.0, 100.0)),
        ]
        .into_iter()
        .collect()
    }

    fn check(constraints: &[&str]) -> ChooseAnswer {
        let constraints: Vec<Constraint> =
            constraints.iter().map(|text| Constraint::parse_constraint(text).unwrap()).collect();
        choose_best(&runs(), &constraints).unwrap()
    }

    #[test]
    fn the_cheapest_that_meets_the_constraint_is_first() {
        let order = |choice: &ChooseAnswer| -> Vec<Option<u64>> {
            choice.settings.iter().map(|one| one.budget).collect()
        };
        assert_eq!(order(&check(&["recall>=0.5"])).first(), Some(&Some(40_000)));
        assert_eq!(order(&check(&["recall>=0.85"])).first(), Some(&Some(80_000)));
        assert_eq!(order(&check(&["recall>=0.999"])).first(), Some(&None));
        let none = check(&["recall>=1.1"]);
        assert!(!none.is_chosen && none.live.is_empty() && none.against.is_empty());
        assert_eq!((none.n_chosen_on, none.n_reported_on), (20, 20));
    }

    #[test]
    fn sessions_speak_against_a_choice_only_on_the_half_that_was_not_chosen_on() {
        let choice = check(&["recall>=0.7"]);
        assert_eq!(choice.settings[0].budget, Some(80_000));
        let [one] = choice.against.as_slice() else { panic!("{:?}", choice.against) };
        assert_eq!(one.log, format!("log {}", odd_one()));
        assert_eq!(one.why, ["recall>=0.7 is broken: 0.100", "it costs $10.00 more than without eviction"]);
    }

    #[test]
    fn nothing_is_chosen_by_costs_that_are_not_known() {
        let mut runs = runs();
        for of_logs in runs.values_mut() {
            of_logs.values_mut().for_each(|run| run.cost = None);
        }
        let choice = choose_best(&runs, &[]).unwrap();
        assert!(!choice.is_chosen && choice.against.is_empty());
        let costs = |one: &ChoiceSetting| (one.chosen_on.cost.value, one.reported_on.cost.value);
        assert!(choice.settings.iter().all(|one| costs(one) == (None, None)));
    }

    #[test]
    fn a_session_without_every_run_is_left_out() {
        let mut runs = runs();
        let setting = Setting { policy: "none".into(), options: "".into(), budget: None };
        runs.get_mut(&setting).unwrap().remove("log 3");
        let choice = choose_best(&runs, &[]).unwrap();
        assert_eq!((choice.n_left_out, choice.n_chosen_on + choice.n_reported_on), (1, 39));
        assert!(choose_best(&Runs::new(), &[]).is_none());
    }
}
