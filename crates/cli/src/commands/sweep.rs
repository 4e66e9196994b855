//! `cwl sweep`: prints cost, recall and reacquisition for each budget.

use cwl_host::commands;
use cwl_host::dto::{
    CostDto, DocumentDto, JudgedDto, MeasuredDto, PolicyVerdictDto, ProbesDto, SweepDto, SweepPointDto,
    SweepRequest, SweptDto, VerdictRequest, ViewDto, WithVerdictDto,
};
use cwl_host::{with_commas, write_dollars};
use owo_colors::Style;

use crate::args::SweepArgs;
use crate::commands::compare::view_of;
use crate::out::{Failure, Stdout, clean_text, paint_text, say_first};
use crate::progress::with_progress;
use crate::table;

pub(crate) fn run(args: &SweepArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let opened = args.input.load_log()?;
    let (view, source) = args.view.apply_budget(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let about = commands::about(&opened, &view, source)?;
    let beside = args.beside.iter().map(|name| beside_of(name, &view)).collect::<Result<Vec<_>, _>>()?;
    let asked = VerdictRequest { view: view.clone(), cache: args.cache.cache_rules() };
    let request = SweepRequest {
        view,
        budgets: args.budgets.clone(),
        cache: args.cache.cache_rules(),
        beside,
        by: args.by.into(),
    };
    let sweep = with_progress("trying budgets", |_| commands::sweep(&opened, &request))?;
    let verdict = with_progress("judging policies", |_| commands::verdict(&opened, &asked))?;
    say_first(sweep.price.problems.iter().cloned(), " odd entries");
    if args.json {
        out.write_json(&DocumentDto::new(WithVerdictDto { answer: sweep, verdict }).with_about(about))
    } else {
        print_sweep(&sweep, &verdict, out)
    }
}

/// Parses a policy's name; the budgets come from the sweep.
fn beside_of(name: &str, view: &ViewDto) -> Result<ViewDto, Failure> {
    if name.contains('@') {
        let why = format!("`{name}` has a budget of its own; every policy of a sweep has all of --budgets");
        return Err(Failure::Said(why));
    }
    view_of(name, view)
}

fn print_sweep(sweep: &SweepDto, verdict: &PolicyVerdictDto, out: &mut Stdout) -> Result<(), Failure> {
    let SweepDto { policy, counted_by, .. } = sweep;
    out.write_line(format!(
        "{policy} over {} requests, counted in {counted_by}",
        with_commas(sweep.n_requests.into())
    ))?;
    out.write_line(clean_text(&sweep.price.says))?;
    out.write_line(format!("cache: {}", sweep.cache.says))?;
    out.write_line("")?;
    // Columns without content are left out.
    let columns =
        SweepColumns { policy: !sweep.beside.is_empty(), probes: sweep.uncapped.measured.probes.asked > 0 };
    let mut titles = vec![
        "#budget",
        "#cost",
        "#cached",
        "#written",
        "#fresh",
        "#from cache",
        "#recall",
        "#bound",
        "#read again",
        "#steps",
        "#over",
        "#findings",
        "#doubts",
        "#mean",
        "#largest",
        "frontier",
    ];
    if columns.probes {
        titles.insert(titles.len() - 1, "#probes");
    }
    if columns.policy {
        titles.insert(0, "policy");
    }
    let mut rows = table::begin_table(&titles);
    for point in sweep.points.iter().chain([&sweep.uncapped]) {
        let policy = if point.budget.is_some() { policy } else { "none" };
        rows.add_row(sweep_row(policy, point, columns));
    }
    for SweptDto { policy, points } in &sweep.beside {
        points.iter().for_each(|point| rows.add_row(sweep_row(policy, point, columns)));
    }
    table::print_table(&rows, out)?;
    let beside = sweep.beside.iter().flat_map(|swept| &swept.points);
    if sweep
        .points
        .iter()
        .chain([&sweep.uncapped])
        .chain(beside)
        .any(|point| point.measured.beyond_window > 0)
    {
        out.write_line(IMPOSSIBLE)?;
    }
    of_summaries(sweep, out)?;
    print_verdict(verdict, out)?;
    if !sweep.claims.is_empty() {
        out.write_line("")?;
        out.write_line(paint_text("What the paper says, on this session", Style::new().bold()))?;
    }
    for claim in &sweep.claims {
        let verdict = match claim.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "cannot tell",
        };
        out.write_line(format!("{verdict:<14} {}: {}", claim.claim, claim.figures))?;
    }
    print_judged(sweep.judged.as_ref(), out)
}

/// Says how much the policy's own summaries cost.
fn of_summaries(sweep: &SweepDto, out: &mut Stdout) -> Result<(), Failure> {
    let (mut said, mut own) =
        (Vec::new(), sweep.points.iter().filter_map(|point| Some((point.budget?, point))));
    for (budget, point) in own.by_ref().filter(|(_, point)| point.measured.cost.summary_calls > 0) {
        let cost = &point.measured.cost;
        let calls = if cost.summary_calls == 1 { "call" } else { "calls" };
        said.push(format!(
            "{} at {} ({} {calls})",
            cost_amount(cost, cost.summary_cost),
            with_commas(budget),
            with_commas(cost.summary_calls.into())
        ));
    }
    match said.as_slice() {
        [] => Ok(()),
        said => out.write_line(format!("summary calls, included above: {}", said.join(", "))),
    }
}

/// Compares the cache model with the usage reported in the log.
pub(crate) fn print_judged(judged: Option<&JudgedDto>, out: &mut Stdout) -> Result<(), Failure> {
    let Some(judged) = judged else { return Ok(()) };
    out.write_line("")?;
    out.write_line(format!("the model of the cache, judged: {}", judged.says))
}

pub(crate) fn print_verdict(verdict: &PolicyVerdictDto, out: &mut Stdout) -> Result<(), Failure> {
    out.write_line("")?;
    out.write_line(paint_text(format!("{}.", verdict.says), Style::new().bold()))?;
    out.write_line(clean_text(&format!("{}.", verdict.scope.says)))
}

pub(crate) fn on_frontier(frontier: bool) -> &'static str {
    if frontier { "yes" } else { "" }
}

pub(crate) fn of_probes(probes: &ProbesDto) -> String {
    probes.answered_per_mille.map_or_else(|| "none asked".to_owned(), percent_share)
}

#[derive(Clone, Copy)]
struct SweepColumns {
    policy: bool,
    probes: bool,
}

fn sweep_row(policy: &str, point: &SweepPointDto, columns: SweepColumns) -> Vec<String> {
    let SweepPointDto { budget, over_budget_turns, frontier, measured } = point;
    let MeasuredDto { cost, recall, probes, found, n_steps, mean_total, max_total, .. } = measured;
    let mut cells = vec![
        budget.map_or_else(|| "none".to_owned(), with_commas),
        mark_impossible(cost_amount(cost, cost.total_cost), measured),
        with_commas(cost.cached),
        with_commas(cost.written),
        with_commas(cost.fresh),
        percent_share(cost.cached_per_mille),
        mark_impossible(percent_share(recall.hit_per_mille), measured),
        percent_share(recall.bound_per_mille),
        with_commas(recall.reacquired_tokens),
        with_commas(*n_steps),
        with_commas((*over_budget_turns).into()),
        with_commas(found.verification.into()),
        with_commas(found.doubts.into()),
        with_commas(*mean_total),
        with_commas(*max_total),
        on_frontier(*frontier).to_owned(),
    ];
    if columns.probes {
        cells.insert(cells.len() - 1, of_probes(probes));
    }
    if columns.policy {
        cells.insert(0, policy.to_owned());
    }
    cells
}

pub(crate) const IMPOSSIBLE: &str =
    "* impossible: some of these requests are larger than the model's window, and would be refused";

/// Marks an unattainable figure: the model would refuse some of these requests.
pub(crate) fn mark_impossible(figure: String, measured: &MeasuredDto) -> String {
    if measured.beyond_window > 0 { format!("{figure} *") } else { figure }
}

pub(crate) fn cost_amount(cost: &CostDto, amount: u64) -> String {
    if cost.unpriced { "unpriced".to_owned() } else { write_dollars(amount) }
}

pub(crate) fn percent_share(per_mille: u32) -> String {
    format!("{}.{} %", per_mille / 10, per_mille % 10)
}
