//! A session's cost as the provider reported it, and why the prompt cache was missed.

use std::collections::BTreeMap;

use cwl_engine::MissCause;

use crate::ApiError;
use crate::api::{CostAnswer, CostRequest, MissRow, MissSum};
use crate::figures::{saturate_u32, with_commas};
use crate::measure::measured::{Terms, n_requests};
use crate::measure::misses::{cache_reads, describe_cause, find_misses, for_more};
use crate::measure::opened::SessionSnapshot;
use crate::measure::spent::Spending;

/// Returns a session's reported cost, with the causes of prompt cache misses.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn cost(opened: &SessionSnapshot, request: &CostRequest) -> Result<CostAnswer, ApiError> {
    let terms = Terms::look_up(opened, &request.cache);
    let judged = terms.judge_model(opened, &request.view)?;
    Ok(CostAnswer { judged, ..reported_cost(opened, request)? })
}

/// Like [`cost()`], without the comparison with the cache model, which needs another replay of the whole
/// history.
///
/// # Errors
/// Like [`cost()`].
pub fn reported_cost(opened: &SessionSnapshot, request: &CostRequest) -> Result<CostAnswer, ApiError> {
    let terms = Terms::look_up(opened, &request.cache);
    let chosen = opened.parse_view(&request.view)?;
    let (branch, reads) = cache_reads(opened, &chosen, &terms)?;
    let misses = find_misses(opened, &branch, &reads, &terms);
    let mut by_cause: BTreeMap<MissCause, (u32, u64, u64)> = BTreeMap::new();
    for (cause, miss) in reads.iter().filter_map(|read| read.cause).zip(&misses) {
        let (n, tokens, cost) = by_cause.entry(cause).or_default();
        *n += 1;
        *tokens = tokens.saturating_add(miss.tokens);
        *cost = cost.saturating_add(miss.cost);
    }
    let of_cause = |(cause, (n, tokens, cost)): (MissCause, (u32, u64, u64))| MissSum {
        cause,
        n,
        tokens,
        cost,
        says: describe_cause(cause).to_owned(),
    };
    let mut causes: Vec<MissSum> = by_cause.into_iter().map(of_cause).collect();
    causes.sort_by_key(|misses| std::cmp::Reverse((misses.cost, misses.tokens)));
    let sum = |of: fn(&MissRow) -> u64| misses.iter().map(of).fold(0, u64::saturating_add);
    let (missed, missed_cost) = (sum(|miss| miss.tokens), sum(|miss| miss.cost));
    let own = || reads.iter().filter(|read| !read.copied);
    let expected = own().map(|read| read.expected).fold(0, u64::saturating_add);
    let spending = Spending::add_up(&branch.session, &terms);
    let n_reported = spending.n_reported;
    let says = match (n_reported, own().count()) {
        (0, _) if spending.is_of_totals => {
            "the log reports totals, and no usage of single requests".to_owned()
        }
        (0, _) => "the log reports no usage".to_owned(),
        (_, 0) => "the log reports nothing that was read from a prompt cache or written to it".to_owned(),
        (_, n) => format!(
            "{} of {} requests missed the prompt cache; {} of {} tokens expected from it were not read from it{}",
            with_commas(misses.len() as u64),
            with_commas(n as u64),
            with_commas(missed),
            with_commas(expected),
            for_more(missed_cost, !spending.cost_figures().unpriced)
        ),
    };
    Ok(CostAnswer {
        revision: opened.revision(),
        cache: terms.cache_used(),
        n_requests: n_requests(&branch.session),
        n_reported: saturate_u32(n_reported),
        n_copied: saturate_u32(spending.n_copied),
        n_summaries: saturate_u32(spending.n_summaries),
        of_totals: spending.is_of_totals,
        reported: spending.cost_figures(),
        unpriced: spending.unpriced_requests(),
        stated: spending.stated_cost(),
        expected,
        missed,
        missed_cost,
        causes,
        misses,
        judged: None,
        says,
        price: terms.price,
    })
}
