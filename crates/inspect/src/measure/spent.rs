//! Spending: a session's cost by reported usage, at the prices of the models that answered, and the cost stated by the
//! harness.

use std::collections::BTreeSet;

use cwl_engine::{
    CacheTurn, Cost, MessageClass, Prices, ReportedRequest, Session, UsageScope, reported_turns,
};

use crate::api::{CostFigures, StatedCost, UnpricedUsage};
use crate::figures::{saturate_u32, with_commas};
use crate::measure::measured::{Terms, cost_figures, write_dollars};

#[derive(Default)]
pub(crate) struct Spending {
    pub(crate) n_reported: usize,
    pub(crate) n_copied: usize,
    pub n_summaries: usize,
    /// True if the log states only totals, not each request's usage.
    pub(crate) is_of_totals: bool,
    cost: Cost,
    n_priced: usize,
    unpriced: UnpricedRequests,
    /// Cost by the price table, for requests whose cost the harness states.
    ours: Cost,
    /// Like `ours`, millionths of a dollar, but billing cached tokens as fresh input in each request whose stated cost does
    /// so. OpenClaw counts Gemini's cached tokens like this (openclaw/openclaw#15265).
    ours_as_stated: u64,
    n_twice: usize,
    stated: u64,
    n_stated: usize,
    stated_total: Option<u64>,
}

#[derive(Default)]
struct UnpricedRequests {
    models: BTreeSet<String>,
    n_requests: usize,
    tokens: u64,
}

impl Spending {
    pub(crate) fn add_up(session: &Session, terms: &Terms) -> Self {
        let mut spending = Self::default();
        let made = session.turns.iter().filter_map(|turn| turn.message);
        let mut last_model = None;
        for (reply, request) in made.zip(reported_turns(session)) {
            let model = session.messages[reply.at()].model.as_deref();
            last_model = model.or(last_model);
            if let Some(request) = request {
                if request.copied {
                    spending.n_copied += 1;
                    continue;
                }
                spending.n_reported += 1;
                spending.add_request(&request, model, terms);
            }
        }
        let is_summary = |class| class == MessageClass::Summary;
        for summary in session.messages.iter().filter(|message| is_summary(message.class)) {
            if let Some(usage) = summary.usage.filter(|usage| !usage.is_empty() && !usage.copied) {
                spending.n_summaries += 1;
                spending.add_request(
                    &ReportedRequest::from(&usage),
                    summary.model.as_deref().or(last_model),
                    terms,
                );
            }
        }
        let has_requests = spending.n_reported + spending.n_copied > 0;
        for run in session.totals.iter().filter(|total| total.of == UsageScope::Run) {
            if let Some(usage) = run.usage.filter(|_| !has_requests) {
                spending.is_of_totals = true;
                spending.add_request(&ReportedRequest::from(&usage), run.model.as_deref(), terms);
            }
        }
        let totals = session.totals.iter().filter(|total| total.of == UsageScope::Session);
        spending.stated_total = totals.filter_map(|total| total.usage?.stated_cost).next_back();
        spending
    }

    fn add_request(&mut self, request: &ReportedRequest, model: Option<&str>, terms: &Terms) {
        let Some(prices) = terms.prices_of(model) else {
            self.unpriced.n_requests += 1;
            let prompts = request.prompt.prompt_tokens().saturating_add(request.beside.prompt_tokens());
            self.unpriced.tokens =
                self.unpriced.tokens.saturating_add(prompts).saturating_add(request.output);
            self.unpriced.models.extend(model.map(str::to_owned));
            // The tokens count, at a price of 0.
            self.cost.add_reported(request, &Prices::default());
            return;
        };
        self.cost.add_reported(request, &prices);
        self.n_priced += 1;
        if let Some(stated) = request.stated_cost {
            self.ours.add_reported(request, &prices);
            let ours = cost_of_one(request, &prices);
            // Apart, since a prompt of twice the size may have the price of long ones.
            let again = CacheTurn { fresh: request.prompt.cached, ..CacheTurn::default() };
            let again = ReportedRequest { prompt: again, ..ReportedRequest::default() };
            let twice = ours.saturating_add(cost_of_one(&again, &prices));
            let is_twice = twice != ours && !is_near(ours, stated) && is_near(twice, stated);
            self.n_twice += usize::from(is_twice);
            self.ours_as_stated = self.ours_as_stated.saturating_add(if is_twice { twice } else { ours });
            self.stated = self.stated.saturating_add(stated);
            self.n_stated += 1;
        }
    }

    pub(crate) fn cost_figures(&self) -> CostFigures {
        cost_figures(&self.cost, self.n_priced > 0 || self.unpriced.n_requests == 0)
    }

    pub(crate) fn unpriced_requests(&self) -> Option<UnpricedUsage> {
        let UnpricedRequests { models, n_requests, tokens } = &self.unpriced;
        let of = match models.len() {
            0 => "a model that the log does not name".to_owned(),
            _ => models.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
        };
        (*n_requests > 0).then(|| UnpricedUsage {
            models: models.iter().cloned().collect(),
            n_requests: saturate_u32(*n_requests),
            tokens: *tokens,
            says: format!(
                "{} of {of} with {} tokens are unpriced: no list of prices here names the model, and no sum holds them",
                count_requests(*n_requests),
                with_commas(*tokens)
            ),
        })
    }

    pub(crate) fn stated_cost(&self) -> Option<StatedCost> {
        let (cost, ours, of) = match (self.n_stated, self.stated_total) {
            (0, None) => return None,
            (0, Some(total)) => (total, self.cost.total_money(), "the session".to_owned()),
            (n, _) => (self.stated, self.ours.total_money(), count_requests(n)),
        };
        let difference = per_mille_more(ours, cost);
        let counts_cache_twice = self.n_twice > 0 && is_near(self.ours_as_stated, cost);
        let why = match (counts_cache_twice, self.n_twice == self.n_stated) {
            (false, _) => String::new(),
            (true, true) => {
                ", as the harness counts what was read from the cache as sent afresh too".to_owned()
            }
            (true, false) => format!(
                ", as the harness counts what {} read from the cache as sent afresh too",
                count_requests(self.n_twice)
            ),
        };
        let beside = match difference {
            None => "this table of prices gives another sum".to_owned(),
            Some(0) => "this table of prices gives the same".to_owned(),
            Some(more) => {
                let (sign, share) = if more > 0 { ("more", more) } else { ("less", -more) };
                format!(
                    "this table of prices gives {}, {}.{} % {sign}{why}",
                    write_dollars(ours),
                    share / 10,
                    share % 10
                )
            }
        };
        let says = format!("the harness itself states {} for {of}; {beside}", write_dollars(cost));
        Some(StatedCost {
            cost,
            ours,
            n_requests: saturate_u32(self.n_stated),
            difference,
            counts_cache_twice,
            says,
        })
    }
}

/// Maximum difference of sums considered equal, per mille.
const NEAR: i32 = 20;

fn is_near(ours: u64, stated: u64) -> bool {
    ours.abs_diff(stated) <= 2 || per_mille_more(ours, stated).is_some_and(|more| more.abs() <= NEAR)
}

fn cost_of_one(request: &ReportedRequest, prices: &Prices) -> u64 {
    let mut cost = Cost::default();
    cost.add_reported(request, prices);
    cost.total_money()
}

/// Returns (`ours` − `stated`) / `stated`, per mille; `None` if `stated` is 0.
fn per_mille_more(ours: u64, stated: u64) -> Option<i32> {
    let more = (i128::from(ours) - i128::from(stated)) * 1000;
    i32::try_from(more.checked_div(i128::from(stated))?).ok()
}

fn count_requests(n: usize) -> String {
    match n {
        1 => "1 request".to_owned(),
        n => format!("{} requests", with_commas(n as u64)),
    }
}
