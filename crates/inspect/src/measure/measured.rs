//! Measures of a replay on the wire: cost, recall of references, and reported usage against the cache model.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{
    Absences, CacheMatch, CacheOptions, CacheRead, CacheTurn, Cost, Facts, Material, Prices, ProbeCount,
    QualityGround, QualityInput, Rates, Replay, ReplayInput, ReportedRequest, Session, Thresholds, TurnIdx,
    TurnOutcome, cost_so_far, count_remarks_of_policy, find_absences, hit_upper_bound, is_miss,
    measure_recall, prefix_cache, reacquisition_stories, reported_turns, session_cost, summary_calls,
};

use crate::ApiError;
use crate::api::{
    CacheModelCheck, CacheRules, CacheRulesInForce, ContextFindings, CostFigures, MeasuredFigures,
    PolicyRunFigures, PriceInForce, ProbeCounts, RecallFigures, SweepPoint, ViewSettings,
};
use crate::asked::view::find_policy;
use crate::figures::{saturate_u32, with_commas};
use crate::measure::causes::SharedContents;
use crate::measure::findings::Watching;
use crate::measure::misses::cache_reads;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::measure::survival::SurvivalInputs;
use crate::tables::breakpoints::{BreakpointRow, breakpoint_row};
use crate::tables::prices::{PriceRow, PriceTable, write_rate};

pub struct MeasureInputs<'a> {
    pub run: ReplayRun,
    /// Built even if the policy needs none.
    material: Arc<Material>,
    facts: Arc<Facts>,
    shared: Arc<SharedContents>,
    /// The quality rules' input, independent of the budget.
    ground: QualityGround,
    watching: Watching,
    terms: &'a Terms,
    prices: Vec<Prices>,
}

pub struct MeasuredReplay {
    pub measured: MeasuredFigures,
    /// Cumulative cost per request, millionths of a dollar; empty in sweeps.
    pub(crate) cost_so_far: Vec<u64>,
    pub over_budget: Vec<u32>,
}

pub struct Terms {
    table: Arc<PriceTable>,
    prices: Option<Prices>,
    pub cache: CacheOptions,
    /// The harness's cache breakpoints, if the provider needs them.
    breakpoints: Option<&'static BreakpointRow>,
    pub price: PriceInForce,
}

impl Terms {
    pub fn look_up(opened: &SessionSnapshot, rules: &CacheRules) -> Self {
        let table = PriceTable::of_user(&*opened.access);
        let model = opened.last_model();
        let (row, assumed) = table.of_model(model.as_deref());
        // A log without model names is assumed to use the provider in the default price row.
        let named = model.as_deref().unwrap_or(&row.name);
        let breakpoints = breakpoint_row(opened.about.format, named);
        let cache = CacheOptions {
            minimum: rules.minimum.unwrap_or(row.cache.minimum),
            granularity: rules.granularity.unwrap_or(row.cache.granularity).max(1),
            lifetime_ms: rules.lifetime.map_or(row.cache.lifetime_ms, |seconds| seconds.saturating_mul(1000)),
            matching: breakpoints
                .map_or(CacheMatch::Prefix, |row| CacheMatch::Breakpoints(row.breakpoint_habit())),
        };
        let last_at_ms =
            opened.current_branch().session.messages.iter().filter_map(|message| message.at_ms).max();
        let price = price_in_force(row, assumed, model, last_at_ms, table.problems.clone());
        let prices = row.is_priced().then_some(row.prices);
        Self { prices, cache, breakpoints, price, table }
    }

    /// Returns a model's prices; `None` for `model` means the session's model.
    pub(crate) fn prices_of(&self, model: Option<&str>) -> Option<Prices> {
        let Some(model) = model else { return self.prices };
        let (row, _) = self.table.of_model(Some(model));
        row.is_priced().then_some(row.prices)
    }

    fn of_requests(&self, session: &Session) -> Vec<Prices> {
        let mut known: BTreeMap<Option<&str>, Prices> = BTreeMap::new();
        let models = session.turns.iter().map(|turn| session.messages[turn.message?.at()].model.as_deref());
        models
            .map(|model| *known.entry(model).or_insert_with(|| self.prices_of(model).unwrap_or_default()))
            .collect()
    }

    /// Returns the price to write tokens into a prompt once, millionths of a dollar; `None` if the model has no price.
    pub(crate) fn cost_of_writing(&self, tokens: u64) -> Option<u64> {
        let mut cost = Cost::default();
        cost.add_request(CacheTurn { cached: 0, written: tokens, fresh: 0 }, 0, &self.prices?);
        Some(cost.total_money())
    }

    pub(crate) fn cost_of_request(&self, request: &ReportedRequest, model: Option<&str>) -> CostFigures {
        let mut cost = Cost::default();
        cost.add_reported(request, &self.prices_of(model).unwrap_or_default());
        cost_figures(&cost, self.prices_of(model).is_some())
    }

    pub(crate) fn cache_used(&self) -> CacheRulesInForce {
        let CacheOptions { minimum, granularity, lifetime_ms, .. } = self.cache;
        let lifetime = lifetime_ms / 1000;
        let kept = match lifetime {
            0 => "for ever".to_owned(),
            seconds if seconds % 60 == 0 => format!("{} min", with_commas(seconds / 60)),
            seconds => format!("{} s", with_commas(seconds)),
        };
        let matching = self.breakpoints.map_or_else(
            || "the longest that the request before had too".to_owned(),
            |row| {
                let habit = row.describe_habit();
                format!(
                    "written at breakpoints ({habit}) and read where one ends at most 20 blocks back from such a point"
                )
            },
        );
        let says = format!(
            "prefixes of {} tokens and more, in steps of {}, kept {kept} after their last use; {matching}",
            with_commas(minimum),
            with_commas(granularity)
        );
        CacheRulesInForce { minimum, granularity, lifetime, says }
    }

    /// Returns the extra cost of tokens missed by the cache, compared to reading them from it, millionths of a dollar.
    /// Uses the prices of the model that answered.
    pub(crate) fn lost_money(&self, read: &CacheRead, model: Option<&str>) -> u64 {
        let prices = self.prices_of(model).unwrap_or_default();
        let rates = prices.rates_for_prompt(read.prompt.prompt_tokens());
        let instead = read.billed_instead();
        let more =
            |tokens: u64, rate: u64| u128::from(tokens) * u128::from(rate.saturating_sub(rates.cache_read));
        let request = ReportedRequest {
            prompt: read.prompt,
            for_an_hour: read.for_an_hour,
            ..ReportedRequest::default()
        };
        let exact = more(instead.written, request.price_of_writing(rates)) + more(instead.fresh, rates.input);
        u64::try_from((exact + 500_000) / 1_000_000).unwrap_or(u64::MAX)
    }

    pub(crate) fn judge_model(
        &self,
        opened: &SessionSnapshot,
        view: &ViewSettings,
    ) -> Result<Option<CacheModelCheck>, ApiError> {
        let run = opened.replay_view(&view.as_recorded())?;
        let known_turns = reported_turns(&run.branch.session);
        if known_turns.iter().all(Option::is_none) {
            return Ok(None);
        }
        let marked = opened.find_breakpoints(&run.branch.session)?;
        let turns =
            prefix_cache(&common_input(&run), &run.replay, run.branch.prompt_layout(|| marked), &self.cache);
        let prices = self.of_requests(&run.branch.session);
        let is_priced = prices.iter().any(|prices| *prices != Prices::default());
        let (mut reported, mut modelled, mut n_requests) = (Cost::default(), Cost::default(), 0u32);
        for ((known, turn), prices) in known_turns.into_iter().zip(&turns).zip(&prices) {
            let Some(known) = known else { continue };
            reported.add_reported(&known, prices);
            modelled.add_request(*turn, known.output, prices);
            n_requests += 1;
        }
        if n_requests == 0 {
            return Ok(None);
        }
        let (reported, modelled) = (cost_figures(&reported, is_priced), cost_figures(&modelled, is_priced));
        let (_, reads) = cache_reads(opened, run.selection(), self)?;
        let is_modelled_miss = |pair: &[CacheRead]| {
            let [before, now] = [pair.first()?, pair.last()?].map(|read| turns.get(read.turn.at()));
            let (before, now) = (before?, now?);
            Some(is_miss((before.cached + before.written).min(now.prompt_tokens()), now.cached))
        };
        // The first request has no predecessor to compare with.
        let compared = || {
            reads.windows(2).filter_map(|pair| Some((pair.last()?.cause.is_some(), is_modelled_miss(pair)?)))
        };
        let n_compared = saturate_u32(compared().count());
        let n_agreed = saturate_u32(compared().filter(|(reported, modelled)| reported == modelled).count());
        let agreed = format!(
            "; both agree for {} of {} requests whether the cache was missed",
            with_commas(n_agreed.into()),
            with_commas(n_compared.into())
        );
        let says = format!(
            "cache model: over {} requests the log reports {} % of the prompt as read from the cache and the model predicts {} %, \
             with {} and {} prompt tokens{}",
            with_commas(n_requests.into()),
            write_percent(reported.cached_per_mille),
            write_percent(modelled.cached_per_mille),
            with_commas(reported.cached + reported.written + reported.fresh),
            with_commas(modelled.cached + modelled.written + modelled.fresh),
            if n_compared > 0 { agreed } else { String::new() },
        );
        Ok(Some(CacheModelCheck { n_requests, reported, modelled, n_compared, n_agreed, says }))
    }
}

impl<'a> MeasureInputs<'a> {
    pub fn prepare(
        opened: &SessionSnapshot,
        view: &ViewSettings,
        terms: &'a Terms,
    ) -> Result<Self, ApiError> {
        let run = opened.replay_view(view)?;
        let chosen = opened.parse_view(view)?;
        let material = opened.material(&chosen)?;
        let facts = opened.quality_facts(&chosen.branch, chosen.unit.tokenizer())?;
        let watching = Watching::find(opened, &run)?;
        let (absences, thresholds) = (Absences::default(), Thresholds::default());
        let marked = opened.find_breakpoints(&run.branch.session)?;
        run.branch.prompt_layout(|| marked);
        let shared = opened.shared_contents(&chosen)?;
        let input = run.quality_input(&material, &facts, &absences, &[], &thresholds);
        let ground = QualityGround::from_input(&input);
        let prices = terms.of_requests(&run.branch.session);
        Ok(Self { run, material, facts, shared, ground, watching, terms, prices })
    }

    /// Measures the view's own replay.
    ///
    /// # Errors
    /// If a probe's regular expression takes too much work; likewise for the other measures.
    pub fn measure_own(&self) -> Result<MeasuredReplay, ApiError> {
        self.measure_replay(&self.run.replay_input(), &self.run.replay, true)
    }

    pub(crate) fn measure_at(&self, budget: Option<u64>) -> Result<SweepPoint, ApiError> {
        Ok(point_of(self.measure_run(budget, None)?))
    }

    pub(crate) fn run_at(
        &self,
        budget: Option<u64>,
        survival: &SurvivalInputs,
    ) -> Result<PolicyRunFigures, ApiError> {
        self.measure_run(budget, Some(survival))
    }

    fn measure_run(
        &self,
        budget: Option<u64>,
        survival: Option<&SurvivalInputs>,
    ) -> Result<PolicyRunFigures, ApiError> {
        let own = self.run.replay_input();
        let input = &match budget {
            Some(budget) => ReplayInput { budget, ..own },
            None => ReplayInput { budget: u64::MAX, policy: find_policy("none")?, pins: &[], ..own },
        };
        let replay = Replay::run(input);
        let found = self.measure_replay(input, &replay, false)?;
        Ok(PolicyRunFigures {
            policy: input.policy.name.to_owned(),
            options: String::new(),
            budget,
            over_budget_turns: saturate_u32(found.over_budget.len()),
            n_passes: saturate_u32(replay.turns.iter().filter(|turn| turn.n_steps > 0).count()),
            measured: found.measured,
            survival: survival.map(|survival| survival.measure(input, &replay)).unwrap_or_default(),
        })
    }

    fn measure_replay(
        &self,
        input: &ReplayInput<'_>,
        replay: &Replay,
        so_far: bool,
    ) -> Result<MeasuredReplay, ApiError> {
        // Costs are computed from the real sizes under every policy, however the policy counts.
        let billed = ReplayInput { table: &self.run.sizes.table, ..*input };
        let turns = prefix_cache(&billed, replay, self.run.branch.prompt_layout(Vec::new), &self.terms.cache);
        let calls = summary_calls(&billed, replay);
        let cost = session_cost(&billed, &turns, &calls, &self.prices);
        let cost_so_far =
            if so_far { cost_so_far(&billed, &turns, &calls, &self.prices) } else { Vec::new() };
        let verification = self.watching.verify_replay(input, replay)?;
        let input = ReplayInput { material: &self.material, ..*input };
        let found = measure_recall(&input, replay).total;
        let bound = hit_upper_bound(&input, replay);
        let numbered = (1u32..).zip(&replay.turns);
        let recall = RecallFigures {
            uses: found.uses,
            hits: found.hits,
            used_tokens: found.used_tokens,
            hit_tokens: found.hit_tokens,
            hit_per_mille: found.hit_per_mille(),
            bound_tokens: bound.hit_tokens,
            bound_per_mille: per_mille(bound.hit_tokens, found.used_tokens).unwrap_or(1000),
            reacquired_tokens: found.reacquired_tokens,
            harness_tokens: found.harness_tokens,
        };
        let measured = MeasuredFigures {
            cost: cost_figures(&cost, self.prices.iter().any(|prices| *prices != Prices::default())),
            recall,
            probes: probe_counts(verification.probes),
            found: ContextFindings {
                verification: saturate_u32(verification.findings.len()),
                doubts: saturate_u32(self.count_doubts(&input, replay)),
            },
            n_steps: replay.n_steps(),
            mean_total: replay.mean_request(),
            max_total: replay.largest_request(),
            beyond_window: saturate_u32(self.beyond_window(&billed, replay)),
        };
        let over_budget = numbered.filter(|(_, turn)| turn.over_budget).map(|(number, _)| number).collect();
        Ok(MeasuredReplay { measured, cost_so_far, over_budget })
    }

    /// Counts requests larger than the context window of the model asked. A window is at least as large as the largest
    /// reported prompt.
    fn beyond_window(&self, input: &ReplayInput<'_>, replay: &Replay) -> usize {
        let session = input.session;
        let reported = reported_turns(session);
        let proved =
            reported.iter().flatten().map(|request| request.prompt.prompt_tokens()).max().unwrap_or(0);
        let is_beyond = |(turn, outcome): &(TurnIdx, &TurnOutcome)| {
            let window = self.material.window_at(*turn).map(|window| window.max(proved));
            // Overhead is sent even if the policy does not count it.
            let overhead = if replay.policy.counts_overhead { 0 } else { input.overhead.tokens_at(*turn) };
            window.is_some_and(|window| outcome.after.saturating_add(overhead) > window)
        };
        let made = session.turns.iter().filter(|turn| turn.message.is_some()).count();
        let numbered = (1..).map(TurnIdx::new).zip(replay.turns.iter().take(made));
        numbered.filter(is_beyond).count()
    }

    fn count_doubts(&self, input: &ReplayInput<'_>, replay: &Replay) -> usize {
        let (absences, thresholds) = (find_absences(input, replay, &self.material), Thresholds::default());
        let same = self.shared.of_reacquisitions(&absences.reacquisitions);
        let stories = reacquisition_stories(input, replay, &self.facts, &absences.reacquisitions, &same);
        let own = self.run.quality_input(&self.material, &self.facts, &absences, &stories, &thresholds);
        let input = QualityInput { budget: input.budget, ..own };
        count_remarks_of_policy(&input, &self.ground)
    }
}

fn point_of(run: PolicyRunFigures) -> SweepPoint {
    let PolicyRunFigures { budget, over_budget_turns, measured, .. } = run;
    SweepPoint { budget, over_budget_turns, frontier: false, measured }
}

pub fn n_requests(session: &Session) -> u32 {
    saturate_u32(session.turns.iter().filter(|turn| turn.message.is_some()).count())
}

pub fn write_percent(per_mille: u32) -> String {
    format!("{}.{}", per_mille / 10, per_mille % 10)
}

/// Formats millionths of a dollar as dollars, rounded to the nearest cent.
pub fn write_dollars(millionths: u64) -> String {
    let cents = millionths.saturating_add(5000) / 10_000;
    format!("${}.{:02}", with_commas(cents / 100), cents % 100)
}

fn probe_counts(probes: ProbeCount) -> ProbeCounts {
    let ProbeCount { asked, answered, taken } = probes;
    ProbeCounts { asked, answered, taken, answered_per_mille: per_mille(answered, asked) }
}

fn per_mille(part: u64, whole: u64) -> Option<u32> {
    let share = (u128::from(part) * 1000).checked_div(u128::from(whole))?;
    Some(saturate_u32(share))
}

/// A run's input with the real sizes, which are equal under every policy.
pub(super) fn common_input(run: &ReplayRun) -> ReplayInput<'_> {
    ReplayInput { table: &run.sizes.table, ..run.replay_input() }
}

pub(crate) fn cost_figures(cost: &Cost, is_priced: bool) -> CostFigures {
    let (tokens, money) = (cost.tokens, cost.money_by_kind());
    let prompt =
        CacheTurn { cached: tokens.cached, written: tokens.written, fresh: tokens.fresh }.prompt_tokens();
    CostFigures {
        cached: tokens.cached,
        written: tokens.written,
        fresh: tokens.fresh,
        output: tokens.output,
        cached_per_mille: per_mille(tokens.cached, prompt).unwrap_or(0),
        cached_cost: money.cached,
        written_cost: money.written,
        fresh_cost: money.fresh,
        output_cost: money.output,
        summary_calls: saturate_u32(cost.summaries.n_calls),
        summary_input: cost.summaries.input,
        summary_output: cost.summaries.output,
        summary_cost: cost.summaries_money(),
        total_cost: cost.total_money(),
        unpriced: !is_priced,
    }
}

fn price_in_force(
    row: &PriceRow,
    assumed: bool,
    model: Option<String>,
    last_at_ms: Option<i64>,
    problems: Vec<String>,
) -> PriceInForce {
    let Rates { input, cache_read, cache_write, cache_write_hour, output } = row.prices.rates;
    let hour = if cache_write_hour == cache_write {
        String::new()
    } else {
        format!(" (${} where it is kept for an hour)", write_rate(cache_write_hour))
    };
    let [input, cache_read, cache_write, output] = [input, cache_read, cache_write, output].map(write_rate);
    let of = match (&model, assumed) {
        (Some(model), false) => format!("{model} ({})", row.name),
        (Some(model), true) => format!("{model} is in no price list here; taken for {}", row.name),
        (None, _) => format!("the log names no model; taken for {}", row.name),
    };
    let behind = last_at_ms.and_then(|at_ms| row.days_behind(at_ms));
    let old = behind.map(|days| {
        format!("; this price is {} days older than the session", with_commas(days.unsigned_abs()))
    });
    let above = row.prices.long.map(|(above, rates)| {
        let (input, output) = (write_rate(rates.input), write_rate(rates.output));
        format!("; of prompts above {} tokens ${input} input, ${output} output", with_commas(above))
    });
    let says = match (row.is_priced(), &model) {
        (true, _) => format!(
            "{of}: list price as of {}: ${input} input, ${cache_read} read from the cache, ${cache_write} written to \
             it{hour}, ${output} output per million tokens{}{}",
            row.as_of,
            above.unwrap_or_default(),
            old.unwrap_or_default()
        ),
        (false, Some(model)) => format!("{model} is in no price list here: its tokens have no price"),
        (false, None) => "the log names no model: its tokens have no price".to_owned(),
    };
    PriceInForce {
        model,
        row: row.name.clone(),
        assumed,
        priced: row.is_priced(),
        as_of: row.as_of.clone(),
        source: row.source.clone(),
        input,
        cache_read,
        cache_write,
        output,
        says,
        problems,
    }
}
