//! The verdict on a session: all policies at the usual budgets, the CWL family against the others.
//!
//! Nothing that a person has chosen for a view's policy, budget or options takes part, so that every view of a
//! session has one verdict.

use cwl_engine::Policy;

use crate::ApiError;
use crate::api::{FrontierMeasure, MeasuredSetting, SweepPoint, VerdictAnswer, VerdictRequest};
use crate::commands::frontier::setting_from_measures;
use crate::commands::sweep::{by_default, measure_settings, usual_budgets};
use crate::measure::measured::{MeasureInputs, Terms, n_requests};
use crate::measure::opened::SessionSnapshot;
use crate::present::verdict::{JudgedScope, judge_settings};
use crate::progress::ProgressWatch;

/// Compares the CWL family with the other policies on a session.
///
/// # Errors
/// If the view is invalid, or the log's texts cannot be read.
pub fn verdict(opened: &SessionSnapshot, request: &VerdictRequest) -> Result<VerdictAnswer, ApiError> {
    let view = &request.view;
    let budgets: Vec<u64> = usual_budgets(opened, view)?.into_iter().collect();
    let terms = Terms::look_up(opened, &request.cache);
    let lowest = budgets.first().copied().unwrap_or(1);
    // A preset is a rule with other numbers: several tries of one rule against one of another would be no fair choice.
    let evicting: Vec<&str> = Policy::ALL
        .iter()
        .filter(|policy| policy.preset_of.is_none() && policy.name != "none")
        .map(|policy| policy.name)
        .collect();
    let inputs: Vec<MeasureInputs<'_>> = evicting
        .iter()
        .map(|policy| MeasureInputs::prepare(opened, &by_default(view, policy, lowest), &terms))
        .collect::<Result<_, _>>()?;
    let mut wanted: Vec<(usize, Option<u64>)> = vec![(0, None)];
    wanted.extend((0..inputs.len()).flat_map(|at| budgets.iter().map(move |budget| (at, Some(*budget)))));
    let points = measure_settings(&inputs, &wanted, &ProgressWatch::unwatched())?;
    let n_uses = points.iter().map(|point| point.measured.recall.uses).max().unwrap_or(0);
    let setting = |((at, budget), point): (&(usize, Option<u64>), &SweepPoint)| {
        let policy = budget.map_or("none", |_| evicting[*at]);
        setting_from_measures(policy, *budget, &point.measured, FrontierMeasure::Recall)
    };
    let settings: Vec<MeasuredSetting> = wanted.iter().zip(&points).map(setting).collect();
    let run = &inputs[0].run;
    let scope = JudgedScope {
        n_requests: n_requests(&run.branch.session),
        policies: evicting,
        budgets,
        counted_by: run.counted_by(),
        source: run.branch.growth.source,
        n_uses,
        price: &terms.price,
    };
    Ok(VerdictAnswer { revision: opened.revision(), ..judge_settings(&settings, scope) })
}
