//! Runs: several policies at several budgets over one session, measured as in sweep and comparison.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::{CacheRules, PolicyRunFigures, ViewRequest, ViewSettings};
use crate::asked::options::{options_said, read_option};
use crate::asked::view::{check_view, find_policy};
use crate::commands::sweep::read_budgets;
use crate::measure::measured::{MeasureInputs, Terms};
use crate::measure::opened::SessionSnapshot;
use crate::measure::survival::SurvivalInputs;
use crate::{ApiError, ErrorCode};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicyAsked {
    pub policy: String,
    /// Options in canonical spelling.
    pub options: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunsAsked {
    pub policies: Vec<PolicyAsked>,
    pub budgets: BTreeSet<u64>,
}

impl PolicyAsked {
    /// Makes a policy from a view's options.
    ///
    /// # Errors
    /// If the policy or an option is unknown.
    pub fn parse(policy: &str, options: &BTreeMap<String, String>) -> Result<Self, ApiError> {
        let mut one = Self { policy: find_policy(policy)?.name.to_owned(), options: BTreeMap::new() };
        options.iter().try_for_each(|(key, value)| one.set_option(key, value))?;
        Ok(one)
    }

    /// Parses a comma-separated policy list with options: `cwl,mask:keep=5,until_met=1,none`. A part with `=`
    /// but without `:` is a further option for the policy before it.
    fn read_all(text: &str) -> Result<Vec<Self>, ApiError> {
        let mut all: Vec<Self> = Vec::new();
        for part in text.split(',').map(str::trim) {
            let (name, option) = match part.split_once(':') {
                Some((name, option)) => (Some(name.trim()), Some(option)),
                None if part.contains('=') && !all.is_empty() => (None, Some(part)),
                None => (Some(part), None),
            };
            if let Some(name) = name {
                all.push(Self::parse(name, &BTreeMap::new())?);
            }
            let Some((one, option)) = all.last_mut().zip(option) else { continue };
            let Some((key, value)) = option.split_once('=') else {
                let message = format!("`{}` is no option of {}", option.trim(), one.policy);
                return Err(ApiError::new(ErrorCode::BadRequest, message)
                    .with_hint("write POLICY:KEY=VALUE,KEY=VALUE, as mask:keep=5,until_met=1"));
            };
            one.set_option(key.trim(), value.trim())?;
        }
        Ok(all)
    }

    fn set_option(&mut self, key: &str, value: &str) -> Result<(), ApiError> {
        let policy = find_policy(&self.policy)?;
        let options = BTreeMap::from([(key.to_owned(), value.to_owned())]);
        check_view(&ViewSettings { policy: self.policy.clone(), options, ..ViewSettings::default() })
            .map_err(|error| error.with_hint(format!("`cwl policies {}` lists its options", policy.name)))?;
        match read_option(policy, key, value) {
            Some(value) => drop(self.options.insert(key.to_owned(), value)),
            None => drop(self.options.remove(key)),
        }
        Ok(())
    }
}

impl RunsAsked {
    pub fn n_runs(&self) -> usize {
        self.policies.len() * self.budgets.len()
    }

    /// Parses `POLICY,…@BUDGET,…`, with budgets as in a sweep: `cwl,mask@40k..160k:40k`. A policy may have
    /// options: `mask:keep=5,until_met=1@80k`.
    ///
    /// # Errors
    /// If a policy or an option is unknown, or a budget is invalid. A budget in per cent is invalid, since it
    /// differs from log to log.
    pub fn parse_runs(text: &str) -> Result<Self, ApiError> {
        let Some((policies, budgets)) = text.split_once('@') else {
            return Err(ApiError::new(ErrorCode::BadRequest, format!("`{text}` names no budget"))
                .with_hint("write POLICY,…@BUDGET,…, as cwl,mask:keep=5@40k..160k:40k"));
        };
        let budgets: Vec<String> = budgets.split(',').map(str::to_owned).collect();
        Ok(Self { policies: PolicyAsked::read_all(policies)?, budgets: read_budgets(&budgets, None)? })
    }
}

/// Runs each policy at each budget once, in the given order. `none` runs without a budget.
///
/// The view's options and budget are ignored; its pins, probes, tokenizer and annotation apply to all runs.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn runs(
    opened: &SessionSnapshot,
    request: &ViewRequest,
    asked: &[RunsAsked],
) -> Result<Vec<PolicyRunFigures>, ApiError> {
    let terms = Terms::look_up(opened, &CacheRules::default());
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for RunsAsked { policies, budgets } in asked {
        for one in policies {
            let is_none = one.policy == "none";
            let budgets: Vec<Option<u64>> =
                if is_none { vec![None] } else { budgets.iter().copied().map(Some).collect() };
            let budgets: Vec<Option<u64>> =
                budgets.into_iter().filter(|budget| seen.insert((one, *budget))).collect();
            if budgets.is_empty() {
                continue;
            }
            let view = ViewSettings {
                policy: one.policy.clone(),
                budget: "1".into(),
                options: one.options.clone(),
                ..request.view.clone()
            };
            // The needs read the whole digest, which serves the other measures, too.
            let survival = SurvivalInputs::prepare(opened, &opened.parse_view(&view)?)?;
            let measures = MeasureInputs::prepare(opened, &view, &terms)?;
            let options = options_said(&one.options);
            for budget in budgets {
                found.push(PolicyRunFigures {
                    options: options.clone(),
                    ..measures.run_at(budget, &survival)?
                });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn policies_are_read_with_their_options() {
        let check = |text: &str, expected: &[&str]| {
            let read = RunsAsked::parse_runs(text).unwrap();
            let said: Vec<String> = read
                .policies
                .iter()
                .map(|one| format!("{}:{}", one.policy, options_said(&one.options)))
                .collect();
            assert_eq!(said, expected, "{text}");
        };
        check("cwl,mask,none@40k", &["cwl:", "mask:", "none:"]);
        check("mask:keep=5@40k", &["mask:keep=5"]);
        check("mask:until_met=1,keep=5,cwl@40k", &["mask:keep=5,until_met=1", "cwl:"]);
        check(" cwl : low_water = 600 , levels = 21 , none @ 40k", &["cwl:levels=12,low_water=600", "none:"]);
        check("mask,mask:keep=5,mask:keep=07@40k", &["mask:", "mask:keep=5", "mask:keep=7"]);
        // A default value is no option, however it is spelled.
        check("mask:keep=10,keep_tokens=00,cwl:levels=4321@40k", &["mask:", "cwl:"]);
        check("mask:keep=5,keep=10@40k", &["mask:"]);
    }

    #[test]
    fn odd_runs_say_the_way_out() {
        let check = |text: &str, says: &str, hint: &str| {
            let error = RunsAsked::parse_runs(text).unwrap_err();
            assert!(error.message.contains(says), "{text}: {}", error.message);
            assert!(error.hint.as_deref().unwrap_or_default().contains(hint), "{text}: {:?}", error.hint);
        };
        check("cwl", "names no budget", "POLICY");
        check("magic@40k", "unknown policy `magic`", "known policies");
        check("keep=5@40k", "unknown policy", "known policies");
        check("mask:keep@40k", "`keep` is no option of mask", "mask:keep=5");
        check("mask:magic=5@40k", "mask has no option `magic`", "cwl policies mask");
        check("mask:keep=x@40k", "`keep` takes 0..100000, not `x`", "cwl policies mask");
        check("mask:keep=5,@40k", "unknown policy ``", "known policies");
    }
}
