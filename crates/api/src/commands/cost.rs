//! The cost of a session as the provider reported it, and why the prompt cache was missed.

use std::collections::BTreeMap;

use cwl_engine::MissCause;

use crate::ApiError;
use crate::dto::{CostRequest, MissDto, MissesDto, SessionCostDto};
use crate::figures::{grouped, small};
use crate::measure::measured::{Terms, n_requests};
use crate::measure::misses::{for_more, misses, reads, words};
use crate::measure::opened::Opened;
use crate::measure::spent::Spending;

/// Returns what a session cost and why the prompt cache was missed, as the provider reported it.
///
/// # Errors
/// Where the view is not understood, and those of the texts.
pub fn cost(opened: &Opened, request: &CostRequest) -> Result<SessionCostDto, ApiError> {
    let terms = Terms::of(opened, &request.cache);
    let judged = terms.judged(opened, &request.view)?;
    Ok(SessionCostDto { judged, ..reported_cost(opened, request)? })
}

/// Returns the same without the comparison with the model of the cache, which replays the whole history once more.
///
/// # Errors
/// As [`cost`].
pub fn reported_cost(opened: &Opened, request: &CostRequest) -> Result<SessionCostDto, ApiError> {
    let terms = Terms::of(opened, &request.cache);
    let chosen = opened.chosen(&request.view)?;
    let (branch, reads) = reads(opened, &chosen, &terms)?;
    let misses = misses(opened, &branch, &reads, &terms);
    let mut by_cause: BTreeMap<MissCause, (u32, u64, u64)> = BTreeMap::new();
    for (cause, miss) in reads.iter().filter_map(|read| read.cause).zip(&misses) {
        let (n, tokens, cost) = by_cause.entry(cause).or_default();
        *n += 1;
        *tokens = tokens.saturating_add(miss.tokens);
        *cost = cost.saturating_add(miss.cost);
    }
    let of_cause = |(cause, (n, tokens, cost)): (MissCause, (u32, u64, u64))| MissesDto {
        cause: cause.into(),
        n,
        tokens,
        cost,
        says: words(cause).to_owned(),
    };
    let mut causes: Vec<MissesDto> = by_cause.into_iter().map(of_cause).collect();
    causes.sort_by_key(|misses| std::cmp::Reverse((misses.cost, misses.tokens)));
    let sum = |of: fn(&MissDto) -> u64| misses.iter().map(of).fold(0, u64::saturating_add);
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
            "{} of {} requests missed the prompt cache; of {} tokens that should have been read from it {} were not{}",
            grouped(misses.len() as u64),
            grouped(n as u64),
            grouped(expected),
            grouped(missed),
            for_more(missed_cost, !spending.cost().unpriced)
        ),
    };
    Ok(SessionCostDto {
        revision: opened.revision(),
        cache: terms.cache_used(),
        n_requests: n_requests(&branch.session),
        n_reported: small(n_reported),
        n_copied: small(spending.n_copied),
        n_summaries: small(spending.n_summaries),
        of_totals: spending.is_of_totals,
        reported: spending.cost(),
        unpriced: spending.unpriced(),
        stated: spending.stated(),
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
