//! Tables of `cwl compare`: policies side by side, budgets, and the Pareto frontier.

use cwl_host::api::{
    CacheModelCheck, CacheRulesInForce, ClaimCheck, CompareAnswer, CompareColumn, CostFigures,
    DetailSurvivalRow, FrontierMeasure, MeasuredFigures, PriceInForce, ProbeCounts, Provider, SweepAnswer,
    SweepPoint, VerdictAnswer, WithVerdict,
};
use cwl_host::{with_commas, write_dollars};
use owo_colors::Style;

use crate::out::{Failure, Stdout, clean_text, paint_text};
use crate::table;

pub(super) fn print_comparison(
    with_verdict: &WithVerdict<CompareAnswer>,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let WithVerdict { answer: compared, verdict } = with_verdict;
    let columns = &compared.columns;
    let counted_by = columns.first().map_or("", |column| column.counted_by.as_str());
    let is_now = u64::from(compared.turn) > u64::from(compared.n_requests);
    let turn = if is_now { "now".to_owned() } else { format!("turn {}", compared.turn) };
    out.write_line(format!(
        "{turn} of {} requests, counted in {counted_by}",
        with_commas(compared.n_requests.into())
    ))?;
    print_terms(&compared.price, &compared.cache, out)?;
    // As many policies per line as fit; the others below.
    let widest = columns.iter().map(|column| column.policy.chars().count() + 2).max().unwrap_or(0);
    let side_by_side = table::terminal_width()
        .map_or(usize::MAX, |width| (width.saturating_sub(NAMES) / widest.max(COLUMN)).max(1));
    for (at, columns) in columns.chunks(side_by_side.min(columns.len().max(1))).enumerate() {
        if at > 0 {
            out.write_line("")?;
        }
        print_side(compared, columns, &turn, out)?;
    }
    print_verdict(verdict, out)?;
    print_judged(compared.judged.as_ref(), out)
}

/// Width for figure names, and least width for a policy's column, in characters.
const NAMES: usize = 26;
const COLUMN: usize = 12;

fn print_side(
    compared: &CompareAnswer,
    columns: &[CompareColumn],
    turn: &str,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let titles: Vec<String> = columns.iter().map(|column| format!("#{}", column.policy)).collect();
    let mut all = vec![""];
    all.extend(titles.iter().map(String::as_str));
    let mut rows = table::begin_table(&all);
    let mut add = |what: &str, cell: &dyn Fn(&CompareColumn) -> String| {
        let cells = columns.iter().map(cell);
        rows.add_row(std::iter::once(what.to_owned()).chain(cells).collect::<Vec<_>>());
    };
    add("budget", &|column| with_commas(column.budget));
    add(&format!("total at {turn}"), &|column| with_commas(column.total));
    let bands = compared.columns.first().map_or(&[][..], |column| &column.bands);
    for (at, (band, _)) in bands.iter().enumerate() {
        let of_band = |column: &CompareColumn| column.bands.get(at).map_or(0, |(_, tokens)| *tokens);
        if compared.columns.iter().any(|column| of_band(column) > 0) {
            add(&format!("  {band}"), &|column| with_commas(of_band(column)));
        }
    }
    add("kept", &|column| with_commas(column.n_kept.into()));
    add("gone", &|column| with_commas(column.n_gone.into()));
    add("gone, tokens", &|column| with_commas(column.gone_tokens));
    for provider in Provider::ALL.iter().copied() {
        let of = |column: &CompareColumn| {
            column.violations.iter().find(|(name, _)| *name == provider).map_or(0, |(_, n)| *n)
        };
        if compared.columns.iter().any(|column| of(column) > 0) {
            add(&format!("refused by {provider}"), &|column| with_commas(of(column).into()));
        }
    }
    add("cost of the session", &|column| of_cost(&column.measured));
    if compared.columns.iter().any(|column| column.measured.cost.summary_calls > 0) {
        add("  summary calls (included)", &|column| {
            let cost = &column.measured.cost;
            match cost.summary_calls {
                0 => "none".to_owned(),
                n_calls => format!("{} ({n_calls})", cost_amount(cost, cost.summary_cost)),
            }
        });
    }
    add("  read from the cache", &|column| with_commas(column.measured.cost.cached));
    add("  written to the cache", &|column| with_commas(column.measured.cost.written));
    add("  neither", &|column| with_commas(column.measured.cost.fresh));
    add("  share from the cache", &|column| percent_share(column.measured.cost.cached_per_mille));
    add("recall", &|column| of_recall(&column.measured));
    add("  bound", &|column| percent_share(column.measured.recall.bound_per_mille));
    add("  uses", &|column| with_commas(column.measured.recall.uses));
    add("  uses found", &|column| with_commas(column.measured.recall.hits));
    add("read again, tokens", &|column| with_commas(column.measured.recall.reacquired_tokens));
    add("details needed", &|column| with_commas(count_needs(column, |kind| kind.n_needed)));
    add("  still there", &|column| with_commas(count_needs(column, |kind| kind.n_literal + kind.n_named)));
    if compared.columns.iter().any(|column| column.measured.probes.asked > 0) {
        add("probes, asked", &|column| with_commas(column.measured.probes.asked));
        add("  answered", &|column| of_probes(&column.measured.probes));
        add("  taken by the policy", &|column| with_commas(column.measured.probes.taken));
    }
    add("found by verification", &|column| with_commas(column.measured.found.verification.into()));
    add("doubts of the policy's", &|column| with_commas(column.measured.found.doubts.into()));
    add("on the Pareto frontier", &|column| on_frontier(column.frontier).to_owned());
    add("steps", &|column| with_commas(column.measured.n_steps));
    add("turns over budget", &|column| with_commas(column.over_budget.len() as u64));
    add("mean request", &|column| with_commas(column.measured.mean_total));
    add("largest request", &|column| with_commas(column.measured.max_total));
    let is_beyond = |column: &&CompareColumn| column.measured.beyond_window > 0;
    if columns.iter().any(|column| is_beyond(&column)) {
        add("beyond the model's window", &|column| with_commas(column.measured.beyond_window.into()));
    }
    table::print_table(&rows, out)?;
    match columns.iter().any(|column| is_beyond(&column)) {
        true => out.write_line(IMPOSSIBLE),
        false => Ok(()),
    }
}

fn count_needs(column: &CompareColumn, count: fn(&DetailSurvivalRow) -> u32) -> u64 {
    column.survival.iter().map(|kind| u64::from(count(kind))).sum()
}

pub(super) fn print_budgets(
    with_verdict: &WithVerdict<SweepAnswer>,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let WithVerdict { answer: swept, verdict } = with_verdict;
    out.write_line(format!(
        "{} over {} requests, counted in {}",
        swept.policy,
        with_commas(swept.n_requests.into()),
        swept.counted_by
    ))?;
    print_terms(&swept.price, &swept.cache, out)?;
    let without = if swept.beside.is_empty() { "policy" } else { "" };
    print_settings(swept, &settings_of(swept), without, out)?;
    print_summaries(swept, out)?;
    print_verdict(verdict, out)?;
    print_claims(&swept.claims, out)?;
    print_judged(swept.judged.as_ref(), out)
}

pub(super) fn print_frontier(
    with_verdict: &WithVerdict<SweepAnswer>,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let WithVerdict { answer: swept, verdict } = with_verdict;
    let settings = settings_of(swept);
    let on: Vec<PolicyPoint<'_>> =
        swept.frontier.on.iter().filter_map(|one| settings.get(one.place as usize).copied()).collect();
    let kept = match swept.frontier.by {
        FrontierMeasure::Recall => "recall",
        FrontierMeasure::Probes => "answered probes",
        FrontierMeasure::Reacquired => "tokens read again",
    };
    out.write_line(format!(
        "{} of {} settings are on the Pareto frontier of cost and {kept}, over {} requests, counted in {}",
        with_commas(on.len() as u64),
        with_commas(settings.len() as u64),
        with_commas(swept.n_requests.into()),
        swept.counted_by
    ))?;
    print_terms(&swept.price, &swept.cache, out)?;
    if on.is_empty() {
        let way_out = match swept.frontier.by {
            _ if swept.uncapped.measured.cost.unpriced => {
                "; `cwl models` names the file for prices of your own"
            }
            FrontierMeasure::Probes => "; --probe asks one",
            FrontierMeasure::Recall | FrontierMeasure::Reacquired => "",
        };
        out.write_line(format!("no setting has both a known cost and {kept}{way_out}"))?;
    } else {
        print_settings(swept, &on, "frontier", out)?;
    }
    print_verdict(verdict, out)?;
    print_judged(swept.judged.as_ref(), out)
}

fn print_terms(price: &PriceInForce, cache: &CacheRulesInForce, out: &mut Stdout) -> Result<(), Failure> {
    out.write_line(clean_text(&price.says))?;
    out.write_line(format!("cache: {}", cache.says))?;
    out.write_line("")
}

type PolicyPoint<'a> = (&'a str, &'a SweepPoint);

fn settings_of(swept: &SweepAnswer) -> Vec<PolicyPoint<'_>> {
    let own = swept.points.iter().map(|point| (swept.policy.as_str(), point));
    let beside = swept.beside.iter().flat_map(|other| {
        let policy = other.policy.as_str();
        other.points.iter().map(move |point| (policy, point))
    });
    own.chain([("none", &swept.uncapped)]).chain(beside).collect()
}

type PointColumn = (&'static str, fn(&str, &SweepPoint) -> String);

const COLUMNS: [PointColumn; 18] = [
    ("policy", |policy, _| policy.to_owned()),
    ("#budget", |_, point| point.budget.map_or_else(|| "none".to_owned(), with_commas)),
    ("#cost", |_, point| of_cost(&point.measured)),
    ("#cached", |_, point| with_commas(point.measured.cost.cached)),
    ("#written", |_, point| with_commas(point.measured.cost.written)),
    ("#fresh", |_, point| with_commas(point.measured.cost.fresh)),
    ("#from cache", |_, point| percent_share(point.measured.cost.cached_per_mille)),
    ("#recall", |_, point| of_recall(&point.measured)),
    ("#bound", |_, point| percent_share(point.measured.recall.bound_per_mille)),
    ("#read again", |_, point| with_commas(point.measured.recall.reacquired_tokens)),
    ("#steps", |_, point| with_commas(point.measured.n_steps)),
    ("#over", |_, point| with_commas(point.over_budget_turns.into())),
    ("#findings", |_, point| with_commas(point.measured.found.verification.into())),
    ("#doubts", |_, point| with_commas(point.measured.found.doubts.into())),
    ("#mean", |_, point| with_commas(point.measured.mean_total)),
    ("#largest", |_, point| with_commas(point.measured.max_total)),
    ("#probes", |_, point| of_probes(&point.measured.probes)),
    ("frontier", |_, point| on_frontier(point.frontier).to_owned()),
];

/// Prints a row for each setting. Columns without content are left out, and the column `without`.
fn print_settings(
    swept: &SweepAnswer,
    settings: &[PolicyPoint<'_>],
    without: &str,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let has_probes = swept.uncapped.measured.probes.asked > 0;
    let columns =
        || COLUMNS.iter().filter(|(title, _)| *title != without && (*title != "#probes" || has_probes));
    let mut rows = table::begin_table(&columns().map(|(title, _)| *title).collect::<Vec<_>>());
    for (policy, point) in settings {
        rows.add_row(columns().map(|(_, cell)| cell(policy, point)).collect::<Vec<_>>());
    }
    table::print_table(&rows, out)?;
    match settings.iter().any(|(_, point)| point.measured.beyond_window > 0) {
        true => out.write_line(IMPOSSIBLE),
        false => Ok(()),
    }
}

fn print_summaries(sweep: &SweepAnswer, out: &mut Stdout) -> Result<(), Failure> {
    let own = sweep.points.iter().filter_map(|point| Some((point.budget?, &point.measured.cost)));
    let with_calls = own.filter(|(_, cost)| cost.summary_calls > 0);
    let said: Vec<String> = with_calls
        .map(|(budget, cost)| {
            let calls = if cost.summary_calls == 1 { "call" } else { "calls" };
            let n_calls = with_commas(cost.summary_calls.into());
            let money = cost_amount(cost, cost.summary_cost);
            format!("{money} at {} ({n_calls} {calls})", with_commas(budget))
        })
        .collect();
    match said.as_slice() {
        [] => Ok(()),
        said => out.write_line(format!("summary calls, included above: {}", said.join(", "))),
    }
}

fn print_claims(claims: &[ClaimCheck], out: &mut Stdout) -> Result<(), Failure> {
    if !claims.is_empty() {
        out.write_line("")?;
        out.write_line(paint_text("What the paper says, on this session", Style::new().bold()))?;
    }
    claims.iter().try_for_each(|ClaimCheck { claim, holds, figures }| {
        let verdict = match holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "cannot tell",
        };
        out.write_line(format!("{verdict:<14} {claim}: {figures}"))
    })
}

pub(crate) fn print_judged(judged: Option<&CacheModelCheck>, out: &mut Stdout) -> Result<(), Failure> {
    let Some(judged) = judged else { return Ok(()) };
    out.write_line("")?;
    out.write_line(&judged.says)
}

pub(crate) fn print_verdict(verdict: &VerdictAnswer, out: &mut Stdout) -> Result<(), Failure> {
    out.write_line("")?;
    out.write_line(paint_text(format!("{}.", verdict.says), Style::new().bold()))?;
    out.write_line(clean_text(&format!("{}.", verdict.scope.says)))
}

fn on_frontier(frontier: bool) -> &'static str {
    if frontier { "yes" } else { "" }
}

fn of_probes(probes: &ProbeCounts) -> String {
    probes.answered_per_mille.map_or_else(|| "none asked".to_owned(), percent_share)
}

fn of_cost(measured: &MeasuredFigures) -> String {
    mark_impossible(cost_amount(&measured.cost, measured.cost.total_cost), measured)
}

fn of_recall(measured: &MeasuredFigures) -> String {
    mark_impossible(percent_share(measured.recall.hit_per_mille), measured)
}

const IMPOSSIBLE: &str =
    "* impossible: some of these requests are larger than the model's window, and would be refused";

/// Marks an unattainable figure: the model would refuse some of these requests.
fn mark_impossible(figure: String, measured: &MeasuredFigures) -> String {
    if measured.beyond_window > 0 { format!("{figure} *") } else { figure }
}

pub(crate) fn cost_amount(cost: &CostFigures, amount: u64) -> String {
    if cost.unpriced { "unpriced".to_owned() } else { write_dollars(amount) }
}

pub(crate) fn percent_share(per_mille: u32) -> String {
    format!("{}.{} %", per_mille / 10, per_mille % 10)
}
