//! Cost: the price of requests, from billed tokens and the caller's price table.
//!
//! All figures are integers. Prices are in millionths of a dollar per million tokens. Sums are exact and
//! rounded once, at the end, to millionths of a dollar.

use alloc::vec::Vec;

use super::{CacheTurn, SummaryCall};
use crate::{BlockIdx, ReplayInput, Session, TokenTable, Usage};

/// Prices in millionths of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rates {
    pub input: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// For prompt tokens written to a cache with an hour's lifetime.
    pub cache_write_hour: u64,
    pub output: u64,
}

impl Rates {
    fn of_writing(&self, written: u64, for_an_hour: u64) -> u64 {
        let hour = u128::from(for_an_hour.min(written));
        let short = u128::from(written) - hour;
        let exact = hour * u128::from(self.cache_write_hour) + short * u128::from(self.cache_write);
        let rate = exact.checked_div(u128::from(written)).unwrap_or(self.cache_write.into());
        u64::try_from(rate).unwrap_or(u64::MAX)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Prices {
    pub rates: Rates,
    pub long: Option<(u64, Rates)>,
}

impl Prices {
    pub fn rates_for_prompt(&self, prompt: u64) -> &Rates {
        match &self.long {
            Some((above, rates)) if prompt > *above => rates,
            _ => &self.rates,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BillingBreakdown<T> {
    pub cached: T,
    pub written: T,
    pub fresh: T,
    pub output: T,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    pub tokens: BillingBreakdown<u64>,
    /// Unrounded, in 10⁻¹² dollars.
    exact: BillingBreakdown<u128>,
    pub summaries: SummaryTokens,
    exact_summaries: u128,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SummaryTokens {
    pub n_calls: u64,
    pub input: u64,
    pub output: u64,
}

impl Cost {
    pub fn add_request(&mut self, prompt: CacheTurn, output: u64, prices: &Prices) {
        let CacheTurn { cached, written, fresh } = prompt;
        let rates = prices.rates_for_prompt(prompt.prompt_tokens());
        let add = |tokens: &mut u64, exact: &mut u128, more: u64, rate: u64| {
            *tokens = tokens.saturating_add(more);
            *exact = exact.saturating_add(u128::from(more) * u128::from(rate));
        };
        add(&mut self.tokens.cached, &mut self.exact.cached, cached, rates.cache_read);
        add(&mut self.tokens.written, &mut self.exact.written, written, rates.cache_write);
        add(&mut self.tokens.fresh, &mut self.exact.fresh, fresh, rates.input);
        add(&mut self.tokens.output, &mut self.exact.output, output, rates.output);
    }

    pub fn add_reported(&mut self, request: &ReportedRequest, prices: &Prices) {
        let rates = prices.rates_for_prompt(request.prompt.prompt_tokens());
        let hour = request.for_an_hour.min(request.prompt.written.saturating_add(request.beside.written));
        let dearer = u128::from(hour) * u128::from(rates.cache_write_hour.saturating_sub(rates.cache_write));
        self.add_request(request.prompt, request.output, prices);
        self.add_request(request.beside, 0, prices);
        self.exact.written = self.exact.written.saturating_add(dearer);
    }

    /// The common prefix with the previous request is read from the cache.
    pub fn add_summary(&mut self, call: &SummaryCall, prices: &Prices) {
        let rates = prices.rates_for_prompt(call.prompt);
        let SummaryTokens { n_calls, input, output } = &mut self.summaries;
        *n_calls += 1;
        *input = input.saturating_add(call.input);
        *output = output.saturating_add(call.output);
        let price = |tokens: u64, rate: u64| u128::from(tokens) * u128::from(rate);
        let cached = call.cached.min(call.prompt);
        for part in [
            price(cached, rates.cache_read),
            price(call.prompt - cached, rates.input),
            price(call.output, rates.output),
        ] {
            self.exact_summaries = self.exact_summaries.saturating_add(part);
        }
    }

    pub fn summaries_money(&self) -> u64 {
        round_money(self.exact_summaries)
    }

    pub fn money_by_kind(&self) -> BillingBreakdown<u64> {
        BillingBreakdown {
            cached: round_money(self.exact.cached),
            written: round_money(self.exact.written),
            fresh: round_money(self.exact.fresh),
            output: round_money(self.exact.output),
        }
    }

    pub fn total_money(&self) -> u64 {
        let BillingBreakdown { cached, written, fresh, output } = self.money_by_kind();
        [written, fresh, output, self.summaries_money()].into_iter().fold(cached, u64::saturating_add)
    }
}

fn round_money(exact: u128) -> u64 {
    u64::try_from(exact.saturating_add(500_000) / 1_000_000).unwrap_or(u64::MAX)
}

/// Returns each reply's size in tokens: as reported, else as counted.
pub fn output_tokens(session: &Session, table: &TokenTable) -> Vec<u64> {
    let made = session.turns.iter().filter_map(|turn| turn.message);
    made.map(|reply| {
        let message = &session.messages[reply.at()];
        let reported = message.usage.map(|usage| usage.output).filter(|output| *output > 0);
        reported.unwrap_or_else(|| {
            table.tokens_from_units(
                message.blocks.clone().map(|block| table.units(BlockIdx::new(block))).sum(),
            )
        })
    })
    .collect()
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReportedRequest {
    pub prompt: CacheTurn,
    pub for_an_hour: u64,
    pub beside: CacheTurn,
    pub output: u64,
    pub stated_cost: Option<u64>,
    pub copied: bool,
}

impl ReportedRequest {
    /// Returns the average price of cache writes, millionths of a dollar per million tokens.
    pub fn price_of_writing(&self, rates: &Rates) -> u64 {
        rates.of_writing(self.prompt.written, self.for_an_hour)
    }
}

impl From<&Usage> for ReportedRequest {
    fn from(usage: &Usage) -> Self {
        Self {
            prompt: CacheTurn { cached: usage.cache_read, written: usage.cache_write, fresh: usage.input },
            for_an_hour: usage.cache_write_hour,
            beside: CacheTurn {
                cached: usage.beside_cache_read,
                written: usage.beside_cache_write,
                fresh: usage.beside_input,
            },
            output: usage.output,
            stated_cost: usage.stated_cost,
            copied: usage.copied,
        }
    }
}

pub fn reported_turns(session: &Session) -> Vec<Option<ReportedRequest>> {
    let made = session.turns.iter().filter_map(|turn| turn.message);
    made.map(|reply| {
        let usage = session.messages[reply.at()].usage.filter(|usage| usage.prompt_tokens() > 0)?;
        Some(ReportedRequest::from(&usage))
    })
    .collect()
}

/// Returns the cost of all requests made and all `calls` for summaries.
///
/// `cache` comes from [`super::prefix_cache`]; its last turn, `now`, was never requested and costs nothing.
/// `calls` come from [`super::summary_calls`]. `prices` are per request; the last one applies to all further
/// requests.
pub fn session_cost(
    input: &ReplayInput<'_>,
    cache: &[CacheTurn],
    calls: &[SummaryCall],
    prices: &[Prices],
) -> Cost {
    let mut cost = Cost::default();
    add_up(&mut cost, input, cache, calls, prices, |_| {});
    cost
}

/// Returns the accumulated cost after each request, millionths of a dollar, like [`session_cost`].
pub fn cost_so_far(
    input: &ReplayInput<'_>,
    cache: &[CacheTurn],
    calls: &[SummaryCall],
    prices: &[Prices],
) -> Vec<u64> {
    let (mut cost, mut so_far) = (Cost::default(), Vec::new());
    add_up(&mut cost, input, cache, calls, prices, |cost| so_far.push(cost.total_money()));
    so_far
}

fn add_up(
    cost: &mut Cost,
    input: &ReplayInput<'_>,
    cache: &[CacheTurn],
    calls: &[SummaryCall],
    prices: &[Prices],
    mut tell: impl FnMut(&Cost),
) {
    let mut calls = calls.iter().peekable();
    let replies = output_tokens(input.session, input.table);
    for (at, (prompt, output)) in cache.iter().zip(replies).enumerate() {
        let prices = prices.get(at).or(prices.last()).copied().unwrap_or_default();
        while let Some(call) = calls.next_if(|call| call.turn.at() <= at) {
            cost.add_summary(call, &prices);
        }
        cost.add_request(*prompt, output, &prices);
        tell(cost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TurnIdx;

    const SMALL: Rates = Rates {
        input: 3_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        cache_write_hour: 6_000_000,
        output: 15_000_000,
    };

    fn check(prices: &Prices, requests: &[(u64, u64, u64, u64)], expected: (BillingBreakdown<u64>, u64)) {
        let mut cost = Cost::default();
        for (cached, written, fresh, output) in requests {
            let prompt = CacheTurn { cached: *cached, written: *written, fresh: *fresh };
            cost.add_request(prompt, *output, prices);
        }
        assert_eq!((cost.money_by_kind(), cost.total_money()), expected, "{requests:?}");
    }

    #[test]
    fn money_is_tokens_times_price() {
        let flat = Prices { rates: SMALL, long: None };
        let billed = |cached, written, fresh, output| BillingBreakdown { cached, written, fresh, output };
        check(&flat, &[], (billed(0, 0, 0, 0), 0));
        check(&flat, &[(1_000_000, 0, 0, 0)], (billed(300_000, 0, 0, 0), 300_000));
        check(&flat, &[(0, 1000, 1000, 1000)], (billed(0, 3750, 3000, 15_000), 21_750));
        // One read token costs 0.3 millionths of a dollar; rounding waits for the sum.
        check(&flat, &[(1, 0, 0, 0)], (billed(0, 0, 0, 0), 0));
        check(&flat, &[(1, 0, 0, 0), (1, 0, 0, 0)], (billed(1, 0, 0, 0), 1));
        let double = Rates {
            input: 6_000_000,
            cache_read: 600_000,
            cache_write: 7_500_000,
            cache_write_hour: 12_000_000,
            output: 22_500_000,
        };
        let tiered = Prices { rates: SMALL, long: Some((200_000, double)) };
        check(&tiered, &[(200_000, 0, 0, 100)], (billed(60_000, 0, 0, 1500), 61_500));
        check(&tiered, &[(200_000, 0, 1, 100)], (billed(120_000, 0, 6, 2250), 122_256));
        let dear = Prices { rates: Rates { input: u64::MAX, ..SMALL }, long: None };
        check(&dear, &[(0, 0, u64::MAX, 0)], (billed(0, 0, u64::MAX, 0), u64::MAX));
    }

    #[test]
    fn what_is_kept_for_an_hour_is_written_at_a_price_of_its_own() {
        let flat = Prices { rates: SMALL, long: None };
        let request = |written, for_an_hour| ReportedRequest {
            prompt: CacheTurn { cached: 0, written, fresh: 0 },
            for_an_hour,
            ..ReportedRequest::default()
        };
        let check = |request: ReportedRequest, expected: u64| {
            let mut cost = Cost::default();
            cost.add_reported(&request, &flat);
            assert_eq!(cost.total_money(), expected, "{request:?}");
            let written = request.prompt.written;
            let at_one_price = u128::from(written) * u128::from(request.price_of_writing(&SMALL)) / 1_000_000;
            assert_eq!(at_one_price, u128::from(expected), "{request:?}");
        };
        check(request(1000, 0), 3750);
        check(request(1000, 1000), 6000);
        check(request(1000, 400), 4650);
        check(request(1000, 5000), 6000);
    }

    #[test]
    fn a_summary_costs_what_it_reads_and_what_it_writes() {
        let mut cost = Cost::default();
        let call = |input| SummaryCall { turn: TurnIdx::FIRST, input, prompt: input, cached: 0, output: 100 };
        let mut reused = Cost::default();
        reused.add_summary(
            &SummaryCall { prompt: 3000, cached: 2000, ..call(500) },
            &Prices { rates: SMALL, long: None },
        );
        assert_eq!(reused.summaries_money(), 600 + 3000 + 1500, "most of it is read from the cache");
        cost.add_summary(&call(1000), &Prices { rates: SMALL, long: None });
        assert_eq!((cost.summaries_money(), cost.total_money()), (4500, 4500), "no cache has it");
        let double = Rates { input: 6_000_000, output: 30_000_000, ..SMALL };
        cost.add_summary(&call(1000), &Prices { rates: SMALL, long: Some((999, double)) });
        assert_eq!((cost.summaries_money(), cost.total_money()), (13_500, 13_500), "a long prompt is dearer");
        assert_eq!(cost.summaries, SummaryTokens { n_calls: 2, input: 2000, output: 200 });
        assert_eq!(cost.money_by_kind(), BillingBreakdown::default(), "requests are apart");
    }
}
