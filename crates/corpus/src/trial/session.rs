//! The sessions of a trial: each with the curves of all policies, and the levels at which they are asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cwl_host::api::TrialMeasure;

use super::curve::{CurvePoint, PolicyCurve};
use crate::read_back::ReadTable;
use crate::settings::{Runs, policy_label};

pub(super) type PolicyName = (Arc<str>, Arc<str>);

pub(super) struct SessionCurves {
    pub(super) whole: CurvePoint,
    /// Mean tokens of a request that the log does not hold, such as the system prompt and the tools.
    pub(super) unlogged: f64,
    pub(super) curves: BTreeMap<PolicyName, PolicyCurve>,
}

impl SessionCurves {
    /// True if a setting of some policy makes requests smaller.
    pub(super) fn is_touched(&self) -> bool {
        self.curves.values().any(|curve| curve.at_request(self.whole.request - 1.0).is_some())
    }

    pub(super) fn at_level(
        &self,
        policy: &PolicyName,
        equal: TrialMeasure,
        per_mille: u32,
    ) -> Option<CurvePoint> {
        let share = f64::from(per_mille) / 1000.0;
        let curve = self.curves.get(policy)?;
        match equal {
            // No policy can take what the log does not hold, so a share of the whole request may be out of reach.
            TrialMeasure::MeanRequest => {
                curve.at_request(self.unlogged + (self.whole.request - self.unlogged) * share)
            }
            TrialMeasure::Cost => curve.at_cost(self.whole.cost? * share),
        }
    }
}

/// Gathers the runs by session and policy. Sessions without a run of `none` are left out. `turns` has the columns `log` and
/// `unlogged`.
pub(super) fn session_curves<'a>(runs: &'a Runs, turns: &ReadTable) -> BTreeMap<&'a Arc<str>, SessionCurves> {
    let unlogged = mean_unlogged(turns);
    let whole = runs.iter().filter(|(setting, _)| setting.budget.is_none()).flat_map(|(_, of_logs)| of_logs);
    let mut found: BTreeMap<&Arc<str>, SessionCurves> = whole
        .map(|(log, run)| {
            let whole = CurvePoint::from_run(run);
            let unlogged = unlogged.get(log).map_or(0.0, |unlogged| unlogged.min(whole.request));
            (log, SessionCurves { whole, unlogged, curves: BTreeMap::new() })
        })
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

fn mean_unlogged(turns: &ReadTable) -> BTreeMap<Arc<str>, f64> {
    let mut sums: BTreeMap<Arc<str>, (f64, f64)> = BTreeMap::new();
    for row in 0..turns.n_rows {
        let Some(log) = turns.text_value("log", row) else { continue };
        let sum = sums.entry(Arc::clone(log)).or_default();
        sum.0 += turns.real_number("unlogged", row).unwrap_or(0.0);
        sum.1 += 1.0;
    }
    sums.into_iter().map(|(log, (tokens, n))| (log, tokens / n)).collect()
}

/// Writes the runs as `--runs` takes them: policies with equal budgets together. `none` needs no budget and is always
/// there.
pub(super) fn write_runs(runs: &Runs) -> Vec<String> {
    let mut budgets: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for setting in runs.keys() {
        let Some(budget) = setting.budget else { continue };
        budgets.entry(policy_label(&setting.policy, &setting.options)).or_default().insert(budget);
    }
    let mut policies: BTreeMap<BTreeSet<u64>, Vec<String>> = BTreeMap::new();
    for (policy, budgets) in budgets {
        policies.entry(budgets).or_default().push(policy);
    }
    let write = |(budgets, policies): (BTreeSet<u64>, Vec<String>)| {
        let budgets: Vec<String> = budgets.iter().map(u64::to_string).collect();
        format!("{}@{}", policies.join(","), budgets.join(","))
    };
    policies.into_iter().map(write).collect()
}
