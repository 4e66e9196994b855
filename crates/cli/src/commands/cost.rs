//! `cwl cost`: prints a session's reported cost, and why the prompt cache was missed.

use std::cmp::Reverse;

use cwl_host::api::{CostAnswer, CostFigures, CostRequest, Document, MissSum};
use cwl_host::commands;
use cwl_host::{with_commas, write_dollars};
use owo_colors::Style;

use super::compare_table::{cost_amount, percent_share, print_judged};
use crate::args::{CostArgs, MissesSort};
use crate::out::{Failure, Stdout, clean_text, paint_text, say_first};
use crate::table;

pub(crate) fn run(args: &CostArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let opened = args.input.load_log()?;
    let (view, source) = args.view.apply_budget(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let about = commands::about(&opened, &view, source)?;
    let mut cost = commands::cost(&opened, &CostRequest { view, cache: args.cache.cache_rules() })?;
    say_first(cost.price.problems.iter().cloned(), " odd entries");
    let n_misses = cost.misses.len();
    let limit = args.limit.or((!args.json).then_some(LISTED)).unwrap_or(n_misses);
    cost.misses.sort_by_key(|miss| Reverse((miss.cost, miss.tokens)));
    cost.misses.truncate(limit);
    match args.sort {
        MissesSort::Turn => cost.misses.sort_by_key(|miss| miss.turn),
        MissesSort::Cost => {}
    }
    if args.json {
        out.write_json(&Document::new(cost).with_about(about))
    } else {
        print_cost(&cost, n_misses, out)
    }
}

/// Listed requests without `--limit`.
const LISTED: usize = 20;

fn print_cost(cost: &CostAnswer, n_misses: usize, out: &mut Stdout) -> Result<(), Failure> {
    let reported = &cost.reported;
    out.write_line(describe_reports(cost))?;
    out.write_line(clean_text(&cost.price.says))?;
    for said in describe_unpriced(cost) {
        out.write_line(clean_text(&said))?;
    }
    out.write_line(format!("cache: {}", cost.cache.says))?;
    if cost.n_reported > 0 || cost.of_totals {
        print_billed(reported, out)?;
    }
    print_misses(cost, out)?;
    let n_listed = cost.misses.len();
    if n_misses > n_listed {
        let (listed, all) = (with_commas(n_listed as u64), with_commas(n_misses as u64));
        out.write_line(format!("… the {listed} dearest of {all}; --limit lists more"))?;
    }
    print_judged(cost.judged.as_ref(), out)
}

fn describe_reports(cost: &CostAnswer) -> String {
    let CostAnswer { n_requests, n_reported, n_summaries, reported, .. } = cost;
    let money = cost_amount(reported, reported.total_cost);
    let summaries = match n_summaries {
        0 => String::new(),
        1 => ", and 1 call for a summary".to_owned(),
        n => format!(", and {} calls for summaries", with_commas((*n).into())),
    };
    if cost.of_totals {
        return format!("no request reports its usage, but the log states totals: {money}");
    }
    let [reported, made] = [n_reported, n_requests].map(|n| with_commas((*n).into()));
    let copied = match cost.n_copied {
        0 => String::new(),
        n => format!("; {} were copied from another log and paid for there", with_commas(n.into())),
    };
    format!("{reported} of {made} requests report their usage{summaries}: {money}{copied}")
}

pub(super) fn describe_unpriced(cost: &CostAnswer) -> impl Iterator<Item = String> {
    let unpriced = cost.unpriced.iter().map(|unpriced| unpriced.says.clone());
    unpriced.chain(cost.stated.iter().map(|stated| stated.says.clone()))
}

fn print_billed(cost: &CostFigures, out: &mut Stdout) -> Result<(), Failure> {
    let mut rows = table::begin_table(&["billed as", "#tokens", "#cost"]);
    let CostFigures { cached, written, fresh, output, .. } = *cost;
    for (name, tokens, amount) in [
        ("read from the cache", cached, cost.cached_cost),
        ("written to the cache", written, cost.written_cost),
        ("other prompt", fresh, cost.fresh_cost),
        ("replies", output, cost.output_cost),
    ] {
        rows.add_row([name.to_owned(), with_commas(tokens), cost_amount(cost, amount)]);
    }
    out.write_line("")?;
    table::print_table(&rows, out)?;
    out.write_line(format!("{} of the prompts was read from the cache", percent_share(cost.cached_per_mille)))
}

fn print_misses(cost: &CostAnswer, out: &mut Stdout) -> Result<(), Failure> {
    out.write_line("")?;
    out.write_line(paint_text("Why the prompt cache was missed", Style::new().bold()))?;
    out.write_line(&cost.says)?;
    if cost.causes.is_empty() {
        return Ok(());
    }
    by_cause(cost, out)?;
    out.write_line("")?;
    for miss in &cost.misses {
        out.write_line(format!("turn {:<5} {}", miss.turn, miss.says))?;
    }
    Ok(())
}

pub(super) fn by_cause(answer: &CostAnswer, out: &mut Stdout) -> Result<(), Failure> {
    let mut rows = table::begin_table(&["cause", "#requests", "#tokens", "#cost"]);
    for MissSum { n, tokens, cost, says, .. } in &answer.causes {
        let money = if answer.reported.unpriced { "unpriced".to_owned() } else { write_dollars(*cost) };
        rows.add_row([says.clone(), with_commas((*n).into()), with_commas(*tokens), money]);
    }
    table::print_table(&rows, out)
}
