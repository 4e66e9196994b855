//! Runs: some policies at some budgets over one session, measured as a sweep and a comparison measure them.

use std::collections::BTreeSet;

use crate::asked::view::find_policy;
use crate::commands::sweep::read_budgets;
use crate::dto::{CacheRulesDto, RunDto, ViewDto, ViewRequest};
use crate::measure::measured::{Measures, Terms};
use crate::measure::opened::Opened;
use crate::{ApiError, ErrorCode};

/// Policies with the budgets at which each of them is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunsAsked {
    /// The names of the policies.
    pub policies: Vec<String>,
    /// The budgets, tokens.
    pub budgets: BTreeSet<u64>,
}

impl RunsAsked {
    /// Reads `POLICY,…@BUDGET,…`, where a budget is as in a sweep: `cwl,mask@40k..160k:40k`.
    ///
    /// # Errors
    /// Where a policy is not known, and where a budget is none or a share of a window, which differs from log to log.
    pub fn read(text: &str) -> Result<Self, ApiError> {
        let Some((policies, budgets)) = text.split_once('@') else {
            return Err(ApiError::new(ErrorCode::BadRequest, format!("`{text}` names no budget"))
                .hint("write POLICY,…@BUDGET,…, as cwl,mask@40k..160k:40k"));
        };
        let policies: Vec<String> = policies.split(',').map(|name| name.trim().to_owned()).collect();
        for name in &policies {
            find_policy(name)?;
        }
        let budgets: Vec<String> = budgets.split(',').map(str::to_owned).collect();
        Ok(Self { policies, budgets: read_budgets(&budgets, None)? })
    }
}

/// Runs some policies at some budgets, in the order in which they were asked for. `none`, which evicts nothing, is run once.
///
/// The options and the budget of the view are left aside; pins, probes, tokenizer and annotation hold for all.
///
/// # Errors
/// Where the view is not understood, and those of the texts.
pub fn runs(opened: &Opened, request: &ViewRequest, asked: &[RunsAsked]) -> Result<Vec<RunDto>, ApiError> {
    let terms = Terms::of(opened, &CacheRulesDto::default());
    let mut found = Vec::new();
    for RunsAsked { policies, budgets } in asked {
        for policy in policies {
            let view = ViewDto {
                policy: policy.clone(),
                budget: "1".into(),
                options: Default::default(),
                ..request.view.clone()
            };
            let measures = Measures::of(opened, &view, &terms)?;
            let none = find_policy("none")?;
            if policy == none.name {
                found.push(measures.run_uncapped(none)?);
                continue;
            }
            for budget in budgets {
                found.push(measures.run_at(*budget)?);
            }
        }
    }
    Ok(found)
}
