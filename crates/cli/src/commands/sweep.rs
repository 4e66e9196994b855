//! `cwl sweep`: prints cost, look-back and regret for each budget.

use cwl_api::commands;
use cwl_api::dto::{
    CostDto, DocumentDto, FrontierDto, JudgedDto, MeasuredDto, ProbesDto, SweepDto, SweepPointDto,
    SweepRequest, SweptDto, ViewDto,
};
use cwl_api::{dollars, grouped};
use owo_colors::Style;

use crate::args::SweepArgs;
use crate::commands::compare::view_of;
use crate::out::{Failure, Out, clean, paint, say_first};
use crate::progress::during;
use crate::table;

pub(crate) fn run(args: &SweepArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.view.view()?;
    let opened = args.input.load()?;
    let (view, source) = args.view.of(view, &opened);
    args.view.annotation.say(&opened, &view)?;
    let about = commands::about(&opened, &view, source)?;
    let beside = args.beside.iter().map(|name| beside_of(name, &view)).collect::<Result<Vec<_>, _>>()?;
    let request = SweepRequest {
        session: 0,
        view,
        budgets: args.budgets.clone(),
        cache: args.cache.rules(),
        beside,
        by: args.by.into(),
    };
    let sweep = during("trying budgets", |_| commands::sweep(&opened, &request))?;
    say_first(sweep.price.problems.iter().cloned(), " odd entries");
    if args.json { out.json(&DocumentDto::new(sweep).about(about)) } else { text(&sweep, out) }
}

/// Reads the name of a policy; the budgets are those of the sweep.
fn beside_of(name: &str, view: &ViewDto) -> Result<ViewDto, Failure> {
    if name.contains('@') {
        let why = format!("`{name}` has a budget of its own; every policy of a sweep has all of --budgets");
        return Err(Failure::Said(why));
    }
    view_of(name, view)
}

fn text(sweep: &SweepDto, out: &mut Out) -> Result<(), Failure> {
    let SweepDto { policy, counted_by, .. } = sweep;
    out.line(format!(
        "{policy} over {} requests, counted by {counted_by}",
        grouped(sweep.n_requests.into())
    ))?;
    out.line(clean(&sweep.price.says))?;
    out.line(format!("cache: {}", sweep.cache.says))?;
    out.line("")?;
    // A column that has nothing to say is left out.
    let columns =
        Columns { policy: !sweep.beside.is_empty(), probes: sweep.uncapped.measured.probes.asked > 0 };
    let mut titles = vec![
        "#budget",
        "#cost",
        "#cached",
        "#written",
        "#fresh",
        "#from cache",
        "#look-back",
        "#bound",
        "#regret",
        "#steps",
        "#over",
        "#found",
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
    let mut rows = table::begin(&titles);
    for point in sweep.points.iter().chain([&sweep.uncapped]) {
        let policy = if point.budget.is_some() { policy } else { "none" };
        rows.add_row(row(policy, point, columns));
    }
    for SweptDto { policy, points } in &sweep.beside {
        points.iter().for_each(|point| rows.add_row(row(policy, point, columns)));
    }
    table::print(&rows, out)?;
    let beside = sweep.beside.iter().flat_map(|swept| &swept.points);
    if sweep
        .points
        .iter()
        .chain([&sweep.uncapped])
        .chain(beside)
        .any(|point| point.measured.beyond_window > 0)
    {
        out.line(IMPOSSIBLE)?;
    }
    of_summaries(sweep, out)?;
    of_frontier(&sweep.frontier, out)?;
    if !sweep.claims.is_empty() {
        out.line("")?;
        out.line(paint("What the paper says, on this session", Style::new().bold()))?;
    }
    for claim in &sweep.claims {
        let verdict = match claim.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "cannot tell",
        };
        out.line(format!("{verdict:<14} {}: {}", claim.claim, claim.figures))?;
    }
    judged(sweep.judged.as_ref(), out)
}

/// Says how much of the cost is that of the policy's own summaries.
fn of_summaries(sweep: &SweepDto, out: &mut Out) -> Result<(), Failure> {
    let (mut said, mut own) =
        (Vec::new(), sweep.points.iter().filter_map(|point| Some((point.budget?, point))));
    for (budget, point) in own.by_ref().filter(|(_, point)| point.measured.cost.summary_calls > 0) {
        let cost = &point.measured.cost;
        let calls = if cost.summary_calls == 1 { "call" } else { "calls" };
        said.push(format!(
            "{} at {} ({} {calls})",
            money(cost, cost.summary_cost),
            grouped(budget),
            grouped(cost.summary_calls.into())
        ));
    }
    match said.as_slice() {
        [] => Ok(()),
        said => out.line(format!("of which summaries' own calls: {}", said.join(", "))),
    }
}

/// Compares the model of the cache with the usage that the log reports.
pub(crate) fn judged(judged: Option<&JudgedDto>, out: &mut Out) -> Result<(), Failure> {
    let Some(judged) = judged else { return Ok(()) };
    out.line("")?;
    out.line(format!("the model of the cache, judged: {}", judged.says))
}

/// Says what the frontier says of CWL.
pub(crate) fn of_frontier(frontier: &FrontierDto, out: &mut Out) -> Result<(), Failure> {
    out.line("")?;
    out.line(paint(format!("{}.", frontier.says), Style::new().bold()))
}

/// Writes that a setting is on the frontier.
pub(crate) fn on_frontier(frontier: bool) -> &'static str {
    if frontier { "yes" } else { "" }
}

/// Writes the share of probes that are answered.
pub(crate) fn of_probes(probes: &ProbesDto) -> String {
    probes.answered_per_mille.map_or_else(|| "none asked".to_owned(), share)
}

/// The columns that are not always there.
#[derive(Clone, Copy)]
struct Columns {
    policy: bool,
    probes: bool,
}

fn row(policy: &str, point: &SweepPointDto, columns: Columns) -> Vec<String> {
    let SweepPointDto { budget, over_budget_turns, frontier, measured } = point;
    let MeasuredDto { cost, look_back, probes, found, n_steps, mean_total, max_total, .. } = measured;
    let mut cells = vec![
        budget.map_or_else(|| "none".to_owned(), grouped),
        marked(money(cost, cost.total_cost), measured),
        grouped(cost.cached),
        grouped(cost.written),
        grouped(cost.fresh),
        share(cost.cached_per_mille),
        marked(share(look_back.hit_per_mille), measured),
        share(look_back.bound_per_mille),
        grouped(look_back.regret_tokens),
        grouped(*n_steps),
        grouped((*over_budget_turns).into()),
        grouped(found.verification.into()),
        grouped(found.doubts.into()),
        grouped(*mean_total),
        grouped(*max_total),
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

/// The words below figures that are marked.
pub(crate) const IMPOSSIBLE: &str =
    "* impossible: some of these requests are larger than the model's window, and would be refused";

/// Marks a figure of a session that cannot be, because the model would refuse some of its requests.
pub(crate) fn marked(figure: String, measured: &MeasuredDto) -> String {
    if measured.beyond_window > 0 { format!("{figure} *") } else { figure }
}

/// Writes an amount of a cost, which may be unpriced.
pub(crate) fn money(cost: &CostDto, amount: u64) -> String {
    if cost.unpriced { "unpriced".to_owned() } else { dollars(amount) }
}

/// Writes a share in per mille as per cent.
pub(crate) fn share(per_mille: u32) -> String {
    format!("{}.{} %", per_mille / 10, per_mille % 10)
}
