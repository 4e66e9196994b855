//! The verdict on a session: all policies at the usual budgets, the CWL family against the others.
//!
//! Nothing that a person has chosen for a view's policy, budget or options takes part, so that every view of a
//! session has one verdict.

use cwl_engine::Policy;
use rayon::prelude::*;

use crate::ApiError;
use crate::commands::frontier::setting_from_measures;
use crate::commands::sweep::{by_default, usual_budgets};
use crate::dto::{KeptByDto, PolicyVerdictDto, SettingDto, VerdictRequest};
use crate::measure::measured::{MeasureInputs, Terms, n_requests};
use crate::measure::opened::SessionSnapshot;
use crate::present::verdict::{JudgedScope, judge_settings};

/// Compares the CWL family with the other policies on a session.
///
/// # Errors
/// If the view is invalid, or the log's texts cannot be read.
pub fn verdict(opened: &SessionSnapshot, request: &VerdictRequest) -> Result<PolicyVerdictDto, ApiError> {
    let view = &request.view;
    let budgets: Vec<u64> = usual_budgets(opened, view)?.into_iter().collect();
    let terms = Terms::look_up(opened, &request.cache);
    let lowest = budgets.first().copied().unwrap_or(1);
    // A preset is a rule with other numbers: several tries of one rule against one of another would be no fair choice.
    let rules = Policy::ALL.iter().filter(|policy| policy.preset_of.is_none());
    let (none, evicting): (Vec<&Policy>, Vec<&Policy>) = rules.partition(|policy| policy.name == "none");
    let prepare =
        |policy: &&Policy| MeasureInputs::prepare(opened, &by_default(view, policy.name, lowest), &terms);
    let inputs: Vec<MeasureInputs<'_>> = evicting.iter().map(prepare).collect::<Result<_, _>>()?;
    let uncapped: Vec<MeasureInputs<'_>> = none.iter().map(prepare).collect::<Result<_, _>>()?;
    let wanted: Vec<(&MeasureInputs<'_>, Option<u64>)> = uncapped
        .iter()
        .map(|input| (input, None))
        .chain(inputs.iter().flat_map(|input| budgets.iter().map(move |budget| (input, Some(*budget)))))
        .collect();
    let measured: Vec<(SettingDto, u64)> = wanted
        .into_par_iter()
        .map(|(input, budget)| {
            let policy = input.run.replay.policy.name;
            let measured = match budget {
                Some(budget) => input.measure_at(budget)?.measured,
                None => input.measure_own()?.measured,
            };
            let setting = setting_from_measures(policy, budget, &measured, KeptByDto::Recall);
            Ok((setting, measured.recall.uses))
        })
        .collect::<Result<_, ApiError>>()?;
    let n_uses = measured.iter().map(|(_, n_uses)| *n_uses).max().unwrap_or(0);
    let settings: Vec<SettingDto> = measured.into_iter().map(|(setting, _)| setting).collect();
    let run = opened.replay_view(&by_default(view, "none", lowest))?;
    let scope = JudgedScope {
        n_requests: n_requests(&run.branch.session),
        policies: evicting.iter().map(|policy| policy.name).collect(),
        budgets,
        counted_by: run.counted_by(),
        source: run.branch.growth.source.into(),
        n_uses,
        price: &terms.price,
    };
    Ok(PolicyVerdictDto { revision: opened.revision(), ..judge_settings(&settings, scope) })
}
