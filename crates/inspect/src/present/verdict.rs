//! The verdict on settings that are measured: the CWL family against the other policies, in one sentence.
//!
//! The two are compared by their Pareto frontiers, so every number of budgets and every order of settings gives
//! the same verdict on the same best settings.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use cwl_engine::{EqualRange, MEAN_PARTS, Tradeoff, frontier_gap};

use crate::api::{
    AnnotationSource, FrontierMeasure, MeasuredSetting, PriceInForce, VerdictAnswer, VerdictOutcome,
    VerdictRange, VerdictScope,
};
use crate::figures::{count_noun, with_commas};
use crate::measure::measured::{write_dollars, write_percent};
use crate::present::frontier::{FrontierSetting, best_of_side, comparable_settings};

/// A smaller gap in recall is no difference, per mille.
const MARGIN_RECALL: u32 = 10;
/// A smaller gap in cost is no difference, per mille of the other policies' cost.
const MARGIN_COST: u32 = 20;
const MOST_NAMED: usize = 3;

pub(crate) struct JudgedScope<'a> {
    pub n_requests: u32,
    pub policies: Vec<&'static str>,
    pub budgets: Vec<u64>,
    pub counted_by: String,
    pub source: AnnotationSource,
    /// Uses of earlier content; without any, recall tells nothing.
    pub n_uses: u64,
    pub price: &'a PriceInForce,
}

/// Judges the CWL family against the other policies; `settings` include no eviction.
pub(crate) fn judge_settings(settings: &[MeasuredSetting], scope: JudgedScope<'_>) -> VerdictAnswer {
    let n_uses = scope.n_uses;
    let told = if n_uses > 0 { comparable_settings(FrontierMeasure::Recall, settings) } else { Vec::new() };
    let [cwl, others] = [true, false].map(|is_cwl| best_of_side(&told, is_cwl));
    let owned = |side: &[&FrontierSetting<'_>]| side.iter().map(|one| one.setting.clone()).collect();
    let undecided = VerdictAnswer {
        revision: 0,
        outcome: None,
        says: String::new(),
        equal_cost: None,
        equal_recall: None,
        cwl: owned(&cwl),
        others: owned(&others),
        scope: verdict_scope(scope),
    };
    let tradeoffs = |side: &[&FrontierSetting<'_>]| side.iter().map(|one| one.tradeoff).collect::<Vec<_>>();
    let Some(gap) = frontier_gap(&tradeoffs(&cwl), &tradeoffs(&others)) else {
        let says = why_undecided(settings, n_uses, &cwl).to_owned();
        return VerdictAnswer { says, ..undecided };
    };
    let (equal_cost, equal_recall) = (verdict_range(gap.equal_cost), verdict_range(gap.equal_kept));
    let gap = SideGap::from_ranges(&equal_cost, &equal_recall);
    let uncapped = told.iter().find(|one| !one.evicts_anything());
    let cheapest = cwl.iter().chain(&others).map(|one| one.tradeoff.cost).min();
    let (outcome, says) = match uncapped {
        Some(none) if Some(none.tradeoff.cost) <= cheapest => {
            (VerdictOutcome::NoEviction, say_no_eviction(none.tradeoff.cost))
        }
        _ => {
            let [cwl, others] = [&cwl, &others].map(|side| name_best(side, &equal_cost, &equal_recall));
            (gap.outcome(), gap.say(&cwl, &others))
        }
    };
    VerdictAnswer {
        outcome: Some(outcome),
        says,
        equal_cost: Some(equal_cost),
        equal_recall: Some(equal_recall),
        ..undecided
    }
}

fn verdict_range(range: EqualRange) -> VerdictRange {
    let whole = |mean: u128| u64::try_from((mean + MEAN_PARTS / 2) / MEAN_PARTS).unwrap_or(u64::MAX);
    VerdictRange { from: range.from, to: range.to, cwl: whole(range.first), others: whole(range.second) }
}

fn why_undecided(settings: &[MeasuredSetting], n_uses: u64, cwl: &[&FrontierSetting<'_>]) -> &'static str {
    if settings.iter().all(|setting| setting.cost.is_none()) {
        "No list of prices here names the model, so policies cannot be compared by what they cost"
    } else if settings.iter().all(|setting| setting.n_steps == 0) {
        "No policy evicts anything in this session, so there is nothing to compare"
    } else if n_uses == 0 {
        "The log shows no use of earlier content, so recall says nothing and policies can only be compared by cost"
    } else if cwl.is_empty() {
        "No form of CWL evicts anything in this session, so there is nothing to compare"
    } else {
        "No other policy evicts anything in this session, so there is nothing to compare with CWL"
    }
}

fn say_no_eviction(cost: u64) -> String {
    format!(
        "No policy pays on this session: without eviction it costs {}, no more than under any policy, and keeps \
         everything",
        write_dollars(cost)
    )
}

#[derive(Debug, Clone, Copy)]
struct SideGap {
    /// Recall at equal cost, per mille.
    recall: i64,
    /// Cost at equal recall, per mille of the others' cost.
    cost: i64,
}

impl SideGap {
    fn from_ranges(equal_cost: &VerdictRange, equal_recall: &VerdictRange) -> Self {
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let more = i128::from(equal_recall.cwl) - i128::from(equal_recall.others);
        let cost = more.saturating_mul(1000) / i128::from(equal_recall.others.max(1));
        Self {
            recall: signed(equal_cost.cwl) - signed(equal_cost.others),
            cost: i64::try_from(cost).unwrap_or(i64::MAX),
        }
    }

    fn outcome(self) -> VerdictOutcome {
        let recall = beyond_margin(self.recall, MARGIN_RECALL);
        let cost = beyond_margin(-self.cost, MARGIN_COST);
        match (recall.min(cost), recall.max(cost)) {
            (0, 0) => VerdictOutcome::NoDifference,
            (-1, 1) => VerdictOutcome::Mixed,
            (_, 1) => VerdictOutcome::Better,
            _ => VerdictOutcome::Worse,
        }
    }

    fn say(self, cwl: &str, others: &str) -> String {
        let head = match self.outcome() {
            VerdictOutcome::Better => "CWL does better than the other policies on this session",
            VerdictOutcome::Worse => "CWL does worse than the other policies on this session",
            VerdictOutcome::Mixed => "CWL does better in one respect and worse in the other on this session",
            VerdictOutcome::NoDifference | VerdictOutcome::NoEviction => {
                "CWL and the other policies do alike on this session"
            }
        };
        let write = |gap: i64| write_percent(u32::try_from(gap.unsigned_abs()).unwrap_or(u32::MAX));
        let recall = match beyond_margin(self.recall, MARGIN_RECALL) {
            0 => "as much recall as".to_owned(),
            1 => format!("{} points more recall than", write(self.recall)),
            _ => format!("{} points less recall than", write(self.recall)),
        };
        let cost = match beyond_margin(self.cost, MARGIN_COST) {
            0 => "cost the same".to_owned(),
            1 => format!("cost {} % more", write(self.cost)),
            _ => format!("cost {} % less", write(self.cost)),
        };
        format!(
            "{head}: at equal cost its best settings ({cwl}) keep {recall} the best of the others ({others}), and at \
             equal recall they {cost}"
        )
    }
}

fn beyond_margin(gap: i64, margin: u32) -> i64 {
    if gap.unsigned_abs() < u64::from(margin) { 0 } else { gap.signum() }
}

/// Names the policies of the settings that were compared, those with most settings first.
fn name_best(
    side: &[&FrontierSetting<'_>],
    equal_cost: &VerdictRange,
    equal_recall: &VerdictRange,
) -> String {
    let is_within = |one: &Tradeoff| {
        (equal_cost.from..=equal_cost.to).contains(&one.cost)
            || (equal_recall.from..=equal_recall.to).contains(&one.kept)
    };
    let compared: Vec<_> = side.iter().filter(|one| is_within(&one.tradeoff)).collect();
    let named = if compared.is_empty() { side.iter().collect() } else { compared };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in named {
        *counts.entry(&one.setting.policy).or_default() += 1;
    }
    let mut names: Vec<(&str, usize)> = counts.into_iter().collect();
    names.sort_by_key(|(_, n_settings)| Reverse(*n_settings));
    names.iter().take(MOST_NAMED).map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn verdict_scope(scope: JudgedScope<'_>) -> VerdictScope {
    let JudgedScope { n_requests, policies, budgets, counted_by, source, price, n_uses: _ } = scope;
    let mut amounts: Vec<String> = budgets.iter().copied().map(with_commas).collect();
    let last = amounts.pop().unwrap_or_default();
    let amounts = if amounts.is_empty() { last } else { format!("{} and {last}", amounts.join(", ")) };
    let money = if price.priced {
        format!("list prices of {} as of {} with the model of the prompt cache", price.row, price.as_of)
    } else {
        "no price".to_owned()
    };
    let says = format!(
        "Compared: {} of this session with {} episodes, {} with their default options at budgets of {amounts} tokens \
         counted in {counted_by}, {money}; less than {} point of recall or {} % of cost is no difference",
        count_noun(n_requests, "request"),
        source.name(),
        count_noun(policies.len(), "policy"),
        MARGIN_RECALL / 10,
        MARGIN_COST / 10,
    );
    VerdictScope {
        n_requests,
        policies: policies.into_iter().map(str::to_owned).collect(),
        budgets,
        counted_by,
        source,
        price: price.row.clone(),
        as_of: price.as_of.clone(),
        margin_recall: MARGIN_RECALL,
        margin_cost: MARGIN_COST,
        says,
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
