//! A trial: all policies of a corpus's runs at equal mean request and at equal cost.
//!
//! Policies at one budget are not alike: one keeps every request just below τ, another one clears half of it. So each
//! session is asked at levels of its own figure without eviction, and a policy's figures at a level lie on the line
//! between its two nearest budgets ([`curve`]). Every policy is compared with [`REFERENCE`], session by session.

mod curve;
mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use cwl_host::dto::{TrialDto, TrialGroupDto, TrialLevelDto, TrialMeasureDto, TrialPolicyDto};
use cwl_host::{commands, count_noun, with_commas};

use crate::choice::estimate_dto;
use crate::make::CorpusError;
use crate::read_back::{ReadTable, check_folder, read_table};
use crate::settings::{Runs, read_runs};
use crate::stats::{N_RESAMPLES, SEED, mean_interval, ratio_interval};
use crate::table::SESSIONS;

pub use page::write_trial_page;

use curve::{CurvePoint, PolicyCurve};

const REFERENCE: &str = "cwl";
/// Levels of equal mean request, in per mille of the mean request without eviction.
const REQUEST_LEVELS: [u32; 3] = [400, 600, 800];
/// Levels of equal cost, in per mille of the cost without eviction.
const COST_LEVELS: [u32; 2] = [600, 800];
/// Bounds of the groups by length, in turns.
const LENGTHS: [(i64, i64, &str); 3] =
    [(0, 100, "fewer than 100 turns"), (100, 400, "100 to 399 turns"), (400, i64::MAX, "400 turns and more")];
/// Fewer sessions give little evidence.
const FEW: usize = 20;

const TRIAL_BUDGETS: &str = "20k,40k,60k,80k,120k";

/// Returns the runs of a trial without `--runs`: every policy at five budgets.
pub fn trial_runs() -> String {
    let names: Vec<String> = commands::choices().policies.into_iter().map(|policy| policy.name).collect();
    format!("{}@{TRIAL_BUDGETS}", names.join(","))
}

type PolicyName = (Arc<str>, Arc<str>);

struct SessionCurves {
    whole: CurvePoint,
    curves: BTreeMap<PolicyName, PolicyCurve>,
}

/// Compares the policies in the table `runs`.
///
/// # Errors
/// If the folder is no corpus, a table is unreadable, or the runs lack `none` or every other policy.
pub fn run_trial(folder: &Path) -> Result<TrialDto, CorpusError> {
    let n_unfinished = check_folder(folder)?;
    let no_runs = |why: &str| CorpusError::NoRuns { path: folder.to_owned(), why: why.to_owned() };
    let runs = read_runs(folder)?;
    if runs.is_empty() {
        return Err(no_runs("its table of runs is empty"));
    }
    let all = session_curves(&runs);
    if all.is_empty() {
        return Err(no_runs("no session has a run of `none`, with which the others are compared"));
    }
    let sessions = read_table(folder, &SESSIONS, &["log", "problem", "harness", "n_turns"])?;
    let touched: BTreeMap<&Arc<str>, &SessionCurves> =
        all.iter().filter(|(_, curves)| curves.is_touched()).map(|(log, curves)| (*log, curves)).collect();
    let n_untouched = all.len() - touched.len();
    let groups = groups_of(&sessions, touched.keys().copied());
    let groups = groups.into_iter().map(|(name, logs)| {
        let of_group: Vec<&SessionCurves> = logs.iter().filter_map(|log| touched.get(log).copied()).collect();
        group_dto(name, &of_group)
    });
    let mut limits = vec![
        format!("A level is a share of the session's own figure without eviction. A policy's figures there lie on the line between its two nearest budgets; a session in which it does not get there is left out of its row (column sessions). The difference to `{REFERENCE}` is over the sessions that both reach."),
        "A replay says what a model would have been sent, and what of it was used later. It does not say what the agent would have done with another context, and no log tells whether the task was done well. The sessions are those that were given, and stand for no others.".to_owned(),
        "Where a rule calls a model for a summary, an extractive stand-in takes its place: its recall is that of the kept blocks, and the price of its calls is counted.".to_owned(),
    ];
    if touched.len() < FEW {
        limits.push(format!(
            "{} say something here, which is too few for the intervals to be relied on.",
            count_noun(touched.len(), "session")
        ));
    }
    let n_unread = (0..sessions.n_rows).filter(|row| sessions.text_value("problem", *row).is_some()).count();
    if n_unread > 0 {
        limits.push(format!("{} could not be read and are in no figure.", count_noun(n_unread, "log")));
    }
    if n_unfinished > 0 {
        limits.push(
            "Some parts of the corpus are not finished and are left out; run `cwl trial` again.".into(),
        );
    }
    if n_untouched > 0 {
        limits.push(format!(
            "{} lose nothing under any of the settings, and are in no figure.",
            count_noun(n_untouched, "session")
        ));
    }
    Ok(TrialDto {
        folder: folder.display().to_string(),
        reference: REFERENCE.to_owned(),
        seed: SEED,
        n_resamples: N_RESAMPLES,
        n_untouched: saturate(n_untouched),
        groups: groups.collect(),
        limits,
    })
}

impl SessionCurves {
    /// True if a setting of some policy makes requests smaller.
    fn is_touched(&self) -> bool {
        self.curves.values().any(|curve| curve.at_request(self.whole.request - 1.0).is_some())
    }

    fn at_level(&self, policy: &PolicyName, equal: TrialMeasureDto, per_mille: u32) -> Option<CurvePoint> {
        let share = f64::from(per_mille) / 1000.0;
        let curve = self.curves.get(policy)?;
        match equal {
            TrialMeasureDto::MeanRequest => curve.at_request(self.whole.request * share),
            TrialMeasureDto::Cost => curve.at_cost(self.whole.cost? * share),
        }
    }
}

/// Gathers the runs by session and policy. Sessions without a run of `none` are left out.
fn session_curves(runs: &Runs) -> BTreeMap<&Arc<str>, SessionCurves> {
    let whole = runs.iter().filter(|(setting, _)| setting.budget.is_none()).flat_map(|(_, of_logs)| of_logs);
    let mut found: BTreeMap<&Arc<str>, SessionCurves> = whole
        .map(|(log, run)| (log, SessionCurves { whole: CurvePoint::from_run(run), curves: BTreeMap::new() }))
        .collect();
    let mut points: BTreeMap<(&Arc<str>, PolicyName), Vec<CurvePoint>> = BTreeMap::new();
    for (setting, of_logs) in runs.iter().filter(|(setting, _)| setting.budget.is_some()) {
        let name: PolicyName = (Arc::clone(&setting.policy), Arc::clone(&setting.options));
        for (log, run) in of_logs {
            points.entry((log, name.clone())).or_default().push(CurvePoint::from_run(run));
        }
    }
    for ((log, name), points) in points {
        if let Some(session) = found.get_mut(log) {
            session.curves.insert(name, PolicyCurve::new(points, session.whole));
        }
    }
    found.retain(|_, session| !session.curves.is_empty());
    found
}

/// Groups sessions: all of them, each harness, each range of turns. Leaves out empty groups and repeats of the first.
fn groups_of<'a>(
    sessions: &ReadTable,
    logs: impl Iterator<Item = &'a Arc<str>>,
) -> Vec<(String, BTreeSet<Arc<str>>)> {
    let all: BTreeSet<Arc<str>> = logs.cloned().collect();
    let mut by_harness: BTreeMap<String, BTreeSet<Arc<str>>> = BTreeMap::new();
    let mut by_length: Vec<BTreeSet<Arc<str>>> = vec![BTreeSet::new(); LENGTHS.len()];
    for row in 0..sessions.n_rows {
        let Some(log) = sessions.text_value("log", row).filter(|log| all.contains(*log)) else { continue };
        let harness = sessions.text_value("harness", row).map_or("unknown", |harness| harness.as_ref());
        by_harness.entry(harness.to_owned()).or_default().insert(Arc::clone(log));
        let n_turns = sessions.whole_number("n_turns", row).unwrap_or(0);
        for ((from, to, _), group) in LENGTHS.iter().zip(&mut by_length) {
            if (*from..*to).contains(&n_turns) {
                group.insert(Arc::clone(log));
            }
        }
    }
    let n_all = all.len();
    let mut groups = vec![("all".to_owned(), all)];
    let lengths = LENGTHS.iter().zip(by_length).map(|((_, _, name), logs)| ((*name).to_owned(), logs));
    groups.extend(
        by_harness.into_iter().chain(lengths).filter(|(_, logs)| !logs.is_empty() && logs.len() < n_all),
    );
    groups
}

fn group_dto(name: String, sessions: &[&SessionCurves]) -> TrialGroupDto {
    let policies: BTreeSet<&PolicyName> = sessions.iter().flat_map(|session| session.curves.keys()).collect();
    let levels = REQUEST_LEVELS.map(|level| (TrialMeasureDto::MeanRequest, level)).into_iter();
    let levels = levels.chain(COST_LEVELS.map(|level| (TrialMeasureDto::Cost, level)));
    let levels = levels.map(|(equal, per_mille)| {
        let mut rows: Vec<TrialPolicyDto> =
            policies.iter().filter_map(|policy| policy_dto(policy, sessions, equal, per_mille)).collect();
        let recall = |row: &TrialPolicyDto| row.recall.value.unwrap_or(0.0);
        rows.sort_by(|one, other| {
            let by_recall = recall(other).total_cmp(&recall(one));
            by_recall.then_with(|| (&one.policy, &one.options).cmp(&(&other.policy, &other.options)))
        });
        TrialLevelDto { equal, per_mille, policies: rows }
    });
    TrialGroupDto { name, n_sessions: saturate(sessions.len()), levels: levels.collect() }
}

/// Returns `None` if the policy reaches the level in no session.
fn policy_dto(
    policy: &PolicyName,
    sessions: &[&SessionCurves],
    equal: TrialMeasureDto,
    per_mille: u32,
) -> Option<TrialPolicyDto> {
    let reference: PolicyName = (REFERENCE.into(), "".into());
    let reached: Vec<(&SessionCurves, CurvePoint)> = sessions
        .iter()
        .filter_map(|session| Some((*session, session.at_level(policy, equal, per_mille)?)))
        .collect();
    if reached.is_empty() {
        return None;
    }
    let differences: Vec<f64> = reached
        .iter()
        .filter_map(|(session, point)| {
            Some(point.recall() - session.at_level(&reference, equal, per_mille)?.recall())
        })
        .collect();
    // Less than this is rounding.
    const SAME: f64 = 1e-9;
    let costs: Vec<f64> = reached
        .iter()
        .filter_map(|(session, point)| {
            let whole = session.whole.cost.filter(|whole| *whole > 0.0)?;
            Some(point.cost? / whole)
        })
        .collect();
    let requests: Vec<f64> =
        reached.iter().map(|(session, point)| point.request / session.whole.request).collect();
    let regrets: Vec<f64> = reached.iter().map(|(_, point)| point.regret).collect();
    let (name, options) = policy;
    Some(TrialPolicyDto {
        policy: name.to_string(),
        options: options.to_string(),
        n_sessions: saturate(reached.len()),
        recall: estimate_dto(ratio_interval(
            reached.iter().map(|(_, point)| (point.found, point.used)).collect(),
        )),
        reacquired: estimate_dto(mean_interval(&regrets)),
        cost_share: estimate_dto(mean_interval(&costs)),
        request_share: estimate_dto(mean_interval(&requests)),
        recall_difference: estimate_dto(mean_interval(&differences)),
        n_better: saturate(differences.iter().filter(|difference| **difference > SAME).count()),
        n_worse: saturate(differences.iter().filter(|difference| **difference < -SAME).count()),
    })
}

fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Writes a level for people: `at 60 % of the mean request`.
pub fn level_name(equal: TrialMeasureDto, per_mille: u32) -> String {
    let of_what = match equal {
        TrialMeasureDto::MeanRequest => "mean request",
        TrialMeasureDto::Cost => "cost",
    };
    format!("at {} % of the {of_what} without eviction", with_commas((per_mille / 10).into()))
}
