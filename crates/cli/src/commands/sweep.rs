//! `cwl sweep`: prints cost, look-back and regret for each budget.

use cwl_api::commands;
use cwl_api::dto::{DocumentDto, JudgedDto, MeasuredDto, SweepDto, SweepPointDto, SweepRequest};
use cwl_api::{dollars, grouped};
use owo_colors::Style;

use crate::args::SweepArgs;
use crate::out::{Failure, Out, clean, paint, say};
use crate::progress::during;
use crate::table;

pub(crate) fn run(args: &SweepArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.view.view()?;
    let opened = args.input.load()?;
    args.view.annotation.say(&opened, &view)?;
    let about = commands::about(&opened, &view)?;
    let request = SweepRequest { session: 0, view, budgets: args.budgets.clone(), cache: args.cache.rules() };
    let sweep = during("trying budgets", |_| commands::sweep(&opened, &request))?;
    sweep.price.problems.iter().for_each(|problem| say(problem));
    if args.json { out.json(&DocumentDto::new(sweep).about(about)) } else { text(&sweep, out) }
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
    let mut rows = table::begin(&[
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
        "#mean",
        "#largest",
    ]);
    for point in sweep.points.iter().chain([&sweep.uncapped]) {
        rows.add_row(row(point));
    }
    table::print(&rows, out)?;
    of_summaries(sweep, out)?;
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
            dollars(cost.summary_cost),
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

fn row(point: &SweepPointDto) -> Vec<String> {
    let SweepPointDto { budget, over_budget_turns, measured } = point;
    let MeasuredDto { cost, look_back, n_steps, mean_total, max_total } = measured;
    vec![
        budget.map_or_else(|| "none".to_owned(), grouped),
        dollars(cost.total_cost),
        grouped(cost.cached),
        grouped(cost.written),
        grouped(cost.fresh),
        share(cost.cached_per_mille),
        share(look_back.hit_per_mille),
        share(look_back.bound_per_mille),
        grouped(look_back.regret_tokens),
        grouped(*n_steps),
        grouped((*over_budget_turns).into()),
        grouped(*mean_total),
        grouped(*max_total),
    ]
}

/// Writes a share in per mille as per cent.
pub(crate) fn share(per_mille: u32) -> String {
    format!("{}.{} %", per_mille / 10, per_mille % 10)
}
