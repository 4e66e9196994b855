//! Solved and failed sessions: does a later turn need what a policy evicts more often where the task failed?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cwl_host::api::{TrialMeasure, TrialOutcome};

use super::session::{PolicyName, SessionCurves};
use super::{all_levels, saturate};
use crate::choice::estimate_range;
use crate::read_back::ReadTable;
use crate::stats::{difference_interval, mean_interval};

/// Compares what each policy lacks in solved and in failed sessions, at every level. A session counts if it reaches the level
/// and uses something again. Empty unless some policy has sessions of both kinds.
pub(super) fn compare_outcomes(
    sessions: &ReadTable,
    curves: &BTreeMap<&Arc<str>, &SessionCurves>,
) -> Vec<TrialOutcome> {
    let known: Vec<(&SessionCurves, bool)> = (0..sessions.n_rows)
        .filter_map(|row| {
            let of_log = curves.get(sessions.text_value("log", row)?)?;
            Some((*of_log, sessions.flag("solved", row)?))
        })
        .collect();
    let policies: BTreeSet<&PolicyName> =
        known.iter().flat_map(|(session, _)| session.curves.keys()).collect();
    all_levels()
        .flat_map(|(equal, per_mille)| {
            policies
                .iter()
                .filter_map(|policy| trial_outcome(policy, &known, equal, per_mille))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn trial_outcome(
    policy: &PolicyName,
    known: &[(&SessionCurves, bool)],
    equal: TrialMeasure,
    per_mille: u32,
) -> Option<TrialOutcome> {
    let lacking = |wanted: bool| -> Vec<f64> {
        let of_outcome = known.iter().filter(|(_, is_solved)| *is_solved == wanted);
        let points = of_outcome.filter_map(|(session, _)| session.at_level(policy, equal, per_mille));
        points.filter(|point| point.used > 0.0).map(|point| 1.0 - point.recall()).collect()
    };
    let (solved, failed) = (lacking(true), lacking(false));
    let difference = difference_interval(&failed, &solved)?;
    let (name, options) = policy;
    Some(TrialOutcome {
        equal,
        per_mille,
        policy: name.to_string(),
        options: options.to_string(),
        n_solved: saturate(solved.len()),
        n_failed: saturate(failed.len()),
        lacking_solved: estimate_range(mean_interval(&solved)),
        lacking_failed: estimate_range(mean_interval(&failed)),
        difference: estimate_range(Some(difference)),
    })
}
