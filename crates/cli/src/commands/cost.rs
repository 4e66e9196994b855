//! `cwl cost`: prints what a session cost and why the prompt cache was missed, as the provider reported it.

use std::cmp::Reverse;

use cwl_api::commands;
use cwl_api::dto::{CostDto, CostRequest, DocumentDto, MissesDto, SessionCostDto};
use cwl_api::{dollars, grouped};
use owo_colors::Style;

use super::sweep::{judged, money, share};
use crate::args::{CostArgs, MissesSort};
use crate::out::{Failure, Out, clean, paint, say_first};
use crate::table;

pub(crate) fn run(args: &CostArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.view.view()?;
    let opened = args.input.load()?;
    let (view, source) = args.view.of(view, &opened);
    args.view.annotation.say(&opened, &view)?;
    let about = commands::about(&opened, &view, source)?;
    let mut cost = commands::cost(&opened, &CostRequest { session: 0, view, cache: args.cache.rules() })?;
    say_first(cost.price.problems.iter().cloned(), " odd entries");
    let n_misses = cost.misses.len();
    let limit = args.limit.or((!args.json).then_some(LISTED)).unwrap_or(n_misses);
    cost.misses.sort_by_key(|miss| Reverse((miss.cost, miss.tokens)));
    cost.misses.truncate(limit);
    match args.sort {
        MissesSort::Turn => cost.misses.sort_by_key(|miss| miss.turn),
        MissesSort::Cost => {}
    }
    if args.json { out.json(&DocumentDto::new(cost).about(about)) } else { text(&cost, n_misses, out) }
}

/// How many requests are listed without `--limit`.
const LISTED: usize = 20;

/// Prints the answer, which lists the dearest of so many misses.
fn text(cost: &SessionCostDto, n_misses: usize, out: &mut Out) -> Result<(), Failure> {
    let reported = &cost.reported;
    out.line(reports(cost))?;
    out.line(clean(&cost.price.says))?;
    for said in spent(cost) {
        out.line(clean(&said))?;
    }
    out.line(format!("cache: {}", cost.cache.says))?;
    if cost.n_reported > 0 || cost.of_totals {
        billed(reported, out)?;
    }
    missed(cost, out)?;
    let n_listed = cost.misses.len();
    if n_misses > n_listed {
        let (listed, all) = (grouped(n_listed as u64), grouped(n_misses as u64));
        out.line(format!("… the {listed} dearest of {all}; --limit lists more"))?;
    }
    judged(cost.judged.as_ref(), out)
}

/// Says how many requests report their usage, and what all of them cost.
fn reports(cost: &SessionCostDto) -> String {
    let SessionCostDto { n_requests, n_reported, n_summaries, reported, .. } = cost;
    let money = money(reported, reported.total_cost);
    let summaries = match n_summaries {
        0 => String::new(),
        1 => ", and 1 call for a summary".to_owned(),
        n => format!(", and {} calls for summaries", grouped((*n).into())),
    };
    if cost.of_totals {
        return format!("no request reports its usage, but the log states totals: {money}");
    }
    let [reported, made] = [n_reported, n_requests].map(|n| grouped((*n).into()));
    let copied = match cost.n_copied {
        0 => String::new(),
        n => format!("; {} were copied from another log and paid for there", grouped(n.into())),
    };
    format!("{reported} of {made} requests report their usage{summaries}: {money}{copied}")
}

/// Says what has no price, and what the harness itself states.
pub(super) fn spent(cost: &SessionCostDto) -> impl Iterator<Item = String> {
    let unpriced = cost.unpriced.iter().map(|unpriced| unpriced.says.clone());
    unpriced.chain(cost.stated.iter().map(|stated| stated.says.clone()))
}

fn billed(cost: &CostDto, out: &mut Out) -> Result<(), Failure> {
    let mut rows = table::begin(&["billed as", "#tokens", "#cost"]);
    let CostDto { cached, written, fresh, output, .. } = *cost;
    for (name, tokens, amount) in [
        ("read from the cache", cached, cost.cached_cost),
        ("written to the cache", written, cost.written_cost),
        ("other prompt", fresh, cost.fresh_cost),
        ("replies", output, cost.output_cost),
    ] {
        rows.add_row([name.to_owned(), grouped(tokens), money(cost, amount)]);
    }
    out.line("")?;
    table::print(&rows, out)?;
    out.line(format!("{} of the prompts was read from the cache", share(cost.cached_per_mille)))
}

/// Prints why the cache was missed: by cause, and miss by miss.
fn missed(cost: &SessionCostDto, out: &mut Out) -> Result<(), Failure> {
    out.line("")?;
    out.line(paint("Why the prompt cache was missed", Style::new().bold()))?;
    out.line(&cost.says)?;
    if cost.causes.is_empty() {
        return Ok(());
    }
    by_cause(cost, out)?;
    out.line("")?;
    for miss in &cost.misses {
        out.line(format!("turn {:<5} {}", miss.turn, miss.says))?;
    }
    Ok(())
}

/// Prints the causes of misses, with what each cost.
pub(super) fn by_cause(told: &SessionCostDto, out: &mut Out) -> Result<(), Failure> {
    let mut rows = table::begin(&["cause", "#requests", "#tokens", "#cost"]);
    for MissesDto { n, tokens, cost, says, .. } in &told.causes {
        let money = if told.reported.unpriced { "unpriced".to_owned() } else { dollars(*cost) };
        rows.add_row([says.clone(), grouped((*n).into()), grouped(*tokens), money]);
    }
    table::print(&rows, out)
}
