//! `cwl compare`: prints policies side by side.

use std::collections::BTreeMap;

use cwl_host::commands;
use cwl_host::dto::{
    BandsByDto, CompareColumnDto, CompareDto, CompareRequest, DetailSurvivalDto, DocumentDto, FrontierDto,
    PolicyVerdictDto, ProviderDto, VerdictRequest, ViewDto, WithVerdictDto,
};
use cwl_host::{check_view, with_commas};

use crate::args::{CompareArgs, CompareSort};
use crate::commands::sweep::{
    IMPOSSIBLE, cost_amount, mark_impossible, of_probes, on_frontier, percent_share, print_judged,
    print_verdict,
};
use crate::out::{Failure, Stdout, clean_text, say_first};
use crate::progress::with_progress;
use crate::table;

pub(crate) fn run(args: &CompareArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let opened = args.input.load_log()?;
    let (view, source) = args.view.apply_budget_aloud(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let views = args.policies.iter().map(|text| view_of(text, &view)).collect::<Result<Vec<_>, _>>()?;
    // Policies take different numbers of steps: the first policy's steps count.
    let cut = args.cut.parse_cut(&opened, views.first().unwrap_or(&view))?;
    let about = commands::about(&opened, &view, source)?;
    let asked = VerdictRequest { view, cache: args.cache.cache_rules() };
    let request = CompareRequest {
        views,
        cut,
        cache: args.cache.cache_rules(),
        by: args.by.into(),
        bands: BandsByDto::default(),
    };
    let mut compared = with_progress("comparing policies", |_| commands::compare(&opened, &request))?;
    let verdict = with_progress("judging policies", |_| commands::verdict(&opened, &asked))?;
    sort_columns(&mut compared, args.sort);
    say_first(compared.price.problems.iter().cloned(), " odd entries");
    if args.json {
        out.write_json(&DocumentDto::new(WithVerdictDto { answer: compared, verdict }).with_about(about))
    } else {
        print_comparison(&compared, &verdict, out)
    }
}

fn sort_columns(compared: &mut CompareDto, by: CompareSort) {
    let mut columns: Vec<(usize, CompareColumnDto)> = compared.columns.drain(..).enumerate().collect();
    columns.sort_by_key(|(_, column)| match by {
        CompareSort::Given => 0,
        CompareSort::Cost => column.measured.cost.total_cost,
        CompareSort::Reacquired => column.measured.recall.reacquired_tokens,
        CompareSort::Mean => column.measured.mean_total,
    });
    let place_of = |before: u32| {
        let place = columns.iter().position(|(at, _)| *at == before as usize);
        place.and_then(|place| u32::try_from(place).ok()).unwrap_or(before)
    };
    let FrontierDto { on, cwl, others, .. } = &mut compared.frontier;
    on.iter_mut().map(|one| &mut one.place).chain(cwl).chain(others).for_each(|at| *at = place_of(*at));
    compared.columns = columns.into_iter().map(|(_, column)| column).collect();
}

/// Parses `NAME` or `NAME@BUDGET`. Each policy takes the set options that it knows.
pub(crate) fn view_of(text: &str, view: &ViewDto) -> Result<ViewDto, Failure> {
    let (policy, budget) = text.trim().split_once('@').unwrap_or((text.trim(), view.budget.as_str()));
    let bare = ViewDto {
        policy: policy.to_owned(),
        budget: budget.to_owned(),
        options: BTreeMap::new(),
        ..view.clone()
    };
    check_view(&bare)?;
    let mut options = view.options.clone();
    options.retain(|key, value| {
        let one = BTreeMap::from([(key.clone(), value.clone())]);
        policy == view.policy || check_view(&ViewDto { options: one, ..bare.clone() }).is_ok()
    });
    Ok(ViewDto { options, ..bare })
}

fn print_comparison(
    compared: &CompareDto,
    verdict: &PolicyVerdictDto,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let columns = &compared.columns;
    let counted_by = columns.first().map_or("", |column| column.counted_by.as_str());
    let is_now = u64::from(compared.turn) > u64::from(compared.n_requests);
    let turn = if is_now { "now".to_owned() } else { format!("turn {}", compared.turn) };
    out.write_line(format!(
        "{turn} of {} requests, counted in {counted_by}",
        with_commas(compared.n_requests.into())
    ))?;
    out.write_line(clean_text(&compared.price.says))?;
    out.write_line(format!("cache: {}", compared.cache.says))?;
    out.write_line("")?;
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
    compared: &CompareDto,
    columns: &[CompareColumnDto],
    turn: &str,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let titles: Vec<String> = columns.iter().map(|column| format!("#{}", column.policy)).collect();
    let mut all = vec![""];
    all.extend(titles.iter().map(String::as_str));
    let mut rows = table::begin_table(&all);
    let mut add = |what: &str, cell: &dyn Fn(&CompareColumnDto) -> String| {
        let cells = columns.iter().map(cell);
        rows.add_row(std::iter::once(what.to_owned()).chain(cells).collect::<Vec<_>>());
    };
    add("budget", &|column| with_commas(column.budget));
    add(&format!("total at {turn}"), &|column| with_commas(column.total));
    let bands = compared.columns.first().map_or(&[][..], |column| &column.bands);
    for (at, (band, _)) in bands.iter().enumerate() {
        let of_band = |column: &CompareColumnDto| column.bands.get(at).map_or(0, |(_, tokens)| *tokens);
        if compared.columns.iter().any(|column| of_band(column) > 0) {
            add(&format!("  {band}"), &|column| with_commas(of_band(column)));
        }
    }
    add("kept", &|column| with_commas(column.n_kept.into()));
    add("gone", &|column| with_commas(column.n_gone.into()));
    add("gone, tokens", &|column| with_commas(column.gone_tokens));
    for provider in ProviderDto::ALL.iter().copied() {
        let of = |column: &CompareColumnDto| {
            column.violations.iter().find(|(name, _)| *name == provider).map_or(0, |(_, n)| *n)
        };
        if compared.columns.iter().any(|column| of(column) > 0) {
            add(&format!("refused by {provider}"), &|column| with_commas(of(column).into()));
        }
    }
    add("cost of the session", &|column| {
        mark_impossible(cost_amount(&column.measured.cost, column.measured.cost.total_cost), &column.measured)
    });
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
    add("recall", &|column| {
        mark_impossible(percent_share(column.measured.recall.hit_per_mille), &column.measured)
    });
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
    let is_beyond = |column: &&CompareColumnDto| column.measured.beyond_window > 0;
    if columns.iter().any(|column| is_beyond(&column)) {
        add("beyond the model's window", &|column| with_commas(column.measured.beyond_window.into()));
    }
    table::print_table(&rows, out)?;
    match columns.iter().any(|column| is_beyond(&column)) {
        true => out.write_line(IMPOSSIBLE),
        false => Ok(()),
    }
}

fn count_needs(column: &CompareColumnDto, count: fn(&DetailSurvivalDto) -> u32) -> u64 {
    column.survival.iter().map(|kind| u64::from(count(kind))).sum()
}
