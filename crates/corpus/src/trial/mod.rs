//! A trial: all policies of a corpus's runs at equal mean request and at equal cost.
//!
//! Policies at one budget are not alike: one keeps every request just below τ, another one clears half of it, and a third
//! one stays above τ. So each session is asked at levels of its own figure without eviction ([`session`]), and a policy's
//! figures at a level lie on the line between its two nearest budgets ([`curve`]). Every policy is compared with
//! [`REFERENCE`], session by session.

mod curve;
mod outcome;
mod page;
mod session;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use cwl_host::api::{TrialAnswer, TrialGroup, TrialLevel, TrialMeasure, TrialPolicy, TrialSurvival};
use cwl_host::{commands, count_noun, with_commas};

use crate::choice::estimate_range;
use crate::make::CorpusError;
use crate::part::inputs_of;
use crate::read_back::{ReadTable, check_folder, read_table};
use crate::settings::{NeedCounts, SURVIVAL_COLUMNS, gather_runs};
use crate::stats::{N_RESAMPLES, SEED, mean_interval, ratio_interval};

pub use page::{trial_pictures, write_trial_page};
pub use tables::{NoTrial, TrialTables};

use curve::CurvePoint;
use outcome::compare_outcomes;
use session::{PolicyName, SessionCurves, session_curves, write_runs};

const REFERENCE: &str = "cwl";
/// Levels of equal mean request, in per mille of the logged part of the mean request without eviction.
const REQUEST_LEVELS: [u32; 4] = [200, 400, 600, 800];
/// Levels of equal cost, in per mille of the cost without eviction.
const COST_LEVELS: [u32; 3] = [600, 800, 900];
/// Bounds of the groups by length, in turns.
const LENGTHS: [(i64, i64, &str); 3] =
    [(0, 100, "fewer than 100 turns"), (100, 400, "100 to 399 turns"), (400, i64::MAX, "400 turns and more")];
/// Fewer sessions give little evidence.
const FEW: usize = 20;

const TRIAL_BUDGETS: &str = "20k,40k,60k,80k,120k";

/// Returns the runs of every policy at `budgets`, or at five of ours.
pub fn trial_runs(budgets: Option<&str>) -> String {
    let names: Vec<String> = commands::choices().policies.into_iter().map(|policy| policy.name).collect();
    format!("{}@{}", names.join(","), budgets.unwrap_or(TRIAL_BUDGETS))
}

/// Compares the policies in the table `runs` of a corpus.
///
/// # Errors
/// If the folder is no corpus, a table is unreadable, or the runs lack `none` or every other policy.
pub fn run_trial(folder: &Path) -> Result<TrialAnswer, CorpusError> {
    let n_unfinished = check_folder(folder)?;
    let tables = TrialTables::read_with(|table, names| read_table(folder, table, names))?;
    let trial = compare_policies(&tables, n_unfinished)
        .map_err(|why| CorpusError::NoRuns { path: folder.to_owned(), why: why.to_string() })?;
    let (n_logs, inputs) =
        inputs_of(folder).map_or((trial.n_logs, None), |(n, hash)| (saturate(n), Some(hash)));
    Ok(TrialAnswer { folder: folder.display().to_string(), n_logs, inputs, ..trial })
}

/// Compares the policies in tables in memory. `n_unfinished` is the number of parts whose rows are missing.
///
/// # Errors
/// If the runs lack `none` or every other policy, or their logs are not those of the other tables.
pub fn compare_policies(tables: &TrialTables, n_unfinished: usize) -> Result<TrialAnswer, NoTrial> {
    let TrialTables { turns, sessions, .. } = tables;
    let runs = gather_runs(&tables.runs);
    if runs.is_empty() {
        return Err(NoTrial::NoRuns);
    }
    tables.check_logs(&runs)?;
    let all = session_curves(&runs, turns);
    if all.is_empty() {
        return Err(NoTrial::NoReference);
    }
    let touched: BTreeMap<&Arc<str>, &SessionCurves> =
        all.iter().filter(|(_, curves)| curves.is_touched()).map(|(log, curves)| (*log, curves)).collect();
    let n_untouched = all.len() - touched.len();
    let groups = groups_of(sessions, touched.keys().copied());
    let outcomes = compare_outcomes(sessions, &touched);
    let groups = groups.into_iter().map(|(name, logs)| {
        let of_group: Vec<&SessionCurves> = logs.iter().filter_map(|log| touched.get(log).copied()).collect();
        trial_group(name, &of_group)
    });
    let mut limits = vec![
        format!("A level is a share of the session's own figure without eviction; of the mean request, a share of the part that the log holds, because no policy can take the rest. A policy's figures there lie on the line between its two nearest budgets; a session in which it does not get there is left out of its row (column sessions). The difference to `{REFERENCE}` is over the sessions that both reach."),
        "A replay says what a model would have been sent, and what of it was used later. It does not say what the agent would have done with another context, and few logs tell whether the task was done well. The sessions are those that were given, and stand for no others.".to_owned(),
        "Where a rule calls a model for a summary, an extractive stand-in takes its place: its recall is that of the kept blocks, and the price of its calls is counted.".to_owned(),
    ];
    if !outcomes.is_empty() {
        limits.push(format!("Solved and failed sessions differ in more than in what was evicted: in their tasks, models and lengths. A policy that lacks more in failed sessions did not make them fail, because it did not run in them. Rows with fewer than {FEW} sessions of one outcome say little, and their intervals are too narrow."));
    }
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
    Ok(TrialAnswer {
        folder: String::new(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        n_logs: saturate(sessions.n_rows),
        inputs: None,
        runs: write_runs(&runs),
        reference: REFERENCE.to_owned(),
        seed: SEED,
        n_resamples: N_RESAMPLES,
        n_untouched: saturate(n_untouched),
        groups: groups.collect(),
        outcomes,
        limits,
    })
}

/// Groups sessions: all of them, each harness, each range of turns, each outcome. Leaves out empty groups and repeats of the first.
fn groups_of<'a>(
    sessions: &ReadTable,
    logs: impl Iterator<Item = &'a Arc<str>>,
) -> Vec<(String, BTreeSet<Arc<str>>)> {
    let all: BTreeSet<Arc<str>> = logs.cloned().collect();
    let mut by_harness: BTreeMap<String, BTreeSet<Arc<str>>> = BTreeMap::new();
    let mut by_length: Vec<BTreeSet<Arc<str>>> = vec![BTreeSet::new(); LENGTHS.len()];
    let mut by_outcome: [BTreeSet<Arc<str>>; 2] = Default::default();
    for row in 0..sessions.n_rows {
        let Some(log) = sessions.text_value("log", row).filter(|log| all.contains(*log)) else { continue };
        if let Some(is_solved) = sessions.flag("solved", row) {
            by_outcome[usize::from(!is_solved)].insert(Arc::clone(log));
        }
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
    let outcomes = ["solved", "failed"].map(str::to_owned).into_iter().zip(by_outcome);
    groups.extend(
        by_harness
            .into_iter()
            .chain(lengths)
            .chain(outcomes)
            .filter(|(_, logs)| !logs.is_empty() && logs.len() < n_all),
    );
    groups
}

fn all_levels() -> impl Iterator<Item = (TrialMeasure, u32)> {
    let requests = REQUEST_LEVELS.map(|level| (TrialMeasure::MeanRequest, level));
    requests.into_iter().chain(COST_LEVELS.map(|level| (TrialMeasure::Cost, level)))
}

fn trial_group(name: String, sessions: &[&SessionCurves]) -> TrialGroup {
    let policies: BTreeSet<&PolicyName> = sessions.iter().flat_map(|session| session.curves.keys()).collect();
    let levels = all_levels().map(|(equal, per_mille)| {
        let mut rows: Vec<TrialPolicy> =
            policies.iter().filter_map(|policy| trial_policy(policy, sessions, equal, per_mille)).collect();
        // Each row is over the sessions that it reaches, so recall alone gives no order, and a row of few sessions says
        // little about the group.
        let is_rare = |row: &TrialPolicy| saturate(sessions.len()) > row.n_sessions.saturating_mul(2);
        let gain = |row: &TrialPolicy| row.recall_difference.value.unwrap_or(f64::NEG_INFINITY);
        rows.sort_by(|one, other| {
            let by_gain = is_rare(one).cmp(&is_rare(other)).then(gain(other).total_cmp(&gain(one)));
            by_gain.then_with(|| (&one.policy, &one.options).cmp(&(&other.policy, &other.options)))
        });
        TrialLevel { equal, per_mille, policies: rows }
    });
    let unlogged: Vec<(f64, f64)> =
        sessions.iter().map(|session| (session.unlogged, session.whole.request)).collect();
    TrialGroup {
        name,
        n_sessions: saturate(sessions.len()),
        unlogged_share: estimate_range(ratio_interval(unlogged)),
        levels: levels.collect(),
    }
}

/// Returns `None` if the policy reaches the level in no session.
fn trial_policy(
    policy: &PolicyName,
    sessions: &[&SessionCurves],
    equal: TrialMeasure,
    per_mille: u32,
) -> Option<TrialPolicy> {
    let reference: PolicyName = (REFERENCE.into(), "".into());
    let reached: Vec<(&SessionCurves, CurvePoint)> = sessions
        .iter()
        .filter_map(|session| Some((*session, session.at_level(policy, equal, per_mille)?)))
        .collect();
    if reached.is_empty() {
        return None;
    }
    // Without a later use there is no recall to compare.
    let has_uses = reached.iter().any(|(_, point)| point.used > 0.0);
    let differences: Vec<f64> = reached
        .iter()
        .filter(|_| has_uses)
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
    let reacquisitions: Vec<f64> = reached.iter().map(|(_, point)| point.reacquired).collect();
    let survival_of = |counts: &dyn Fn(&CurvePoint) -> NeedCounts| {
        let pairs = reached.iter().map(|(_, point)| counts(point));
        estimate_range(ratio_interval(pairs.map(|counts| (counts.kept, counts.needed)).collect()))
    };
    let by_kind = SURVIVAL_COLUMNS.iter().enumerate().map(|(at, (kind, ..))| TrialSurvival {
        kind: *kind,
        survival: survival_of(&|point| point.survival[at]),
    });
    let (name, options) = policy;
    Some(TrialPolicy {
        policy: name.to_string(),
        options: options.to_string(),
        n_sessions: saturate(reached.len()),
        recall: estimate_range(ratio_interval(
            reached.iter().map(|(_, point)| (point.found, point.used)).collect(),
        )),
        bound: estimate_range(ratio_interval(
            reached.iter().map(|(_, point)| (point.bound, point.used)).collect(),
        )),
        reacquired: estimate_range(mean_interval(&reacquisitions)),
        survival: survival_of(&CurvePoint::all_needs),
        survival_by_kind: by_kind.collect(),
        cost_share: estimate_range(mean_interval(&costs)),
        request_share: estimate_range(mean_interval(&requests)),
        recall_difference: estimate_range(mean_interval(&differences)),
        n_better: saturate(differences.iter().filter(|difference| **difference > SAME).count()),
        n_worse: saturate(differences.iter().filter(|difference| **difference < -SAME).count()),
    })
}

fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Writes a level for people: `at 60 % of the mean request`.
pub fn level_name(equal: TrialMeasure, per_mille: u32) -> String {
    let of_what = match equal {
        TrialMeasure::MeanRequest => "what the log holds of the mean request",
        TrialMeasure::Cost => "the cost",
    };
    format!("at {} % of {of_what} without eviction", with_commas((per_mille / 10).into()))
}
