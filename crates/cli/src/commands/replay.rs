//! `cwl replay`: runs a policy over all turns.

use cwl_host::api::{AnnotationSource, Document, HistoryAnswer, ReplayAnswer, TraceAnswer, ViewRequest};
use cwl_host::commands;
use cwl_host::{ReplayTrace, count_noun, with_commas, write_spaced};
use owo_colors::Style;

use super::context::write_finding;
use crate::args::ReplayArgs;
use crate::out::{Failure, Stdout, clean_text, paint_text, say_first};

/// A replay with at most this many turns and steps is listed in full.
const LISTED: u64 = 400;
const PASSES: usize = 20;

pub(crate) fn run(args: &ReplayArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let opened = args.input.load_log()?;
    let (view, source) = args.view.apply_budget_aloud(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let request = ViewRequest { view };
    if args.json {
        let about = commands::about(&opened, &request.view, source)?;
        let trace =
            Document::from_stream::<TraceAnswer>(ReplayTrace::replay(&opened, &request)?).with_about(about);
        write_spaced(&trace, out.writer())?;
        return Ok(());
    }
    let history = commands::history(&opened, &request)?;
    let replay = commands::replay(&opened, &request)?;
    let (policy, budget, counted_by) = (&replay.policy, with_commas(replay.budget), &history.counted_by);
    let (overhead, of) =
        (with_commas(history.overhead.last().copied().unwrap_or(0)), history.overhead_source);
    out.write_line(format!(
        "{policy} at {budget} tokens, counted in {counted_by}, overhead {overhead} ({of})"
    ))?;
    let from = commands::episodes_from(&opened, &request.view)?;
    if from.source != AnnotationSource::Declared {
        out.write_line(format!("episodes {}", clean_text(&from.says)))?;
    }
    if let Some(drift) = &history.drift {
        out.write_line(&drift.says)?;
    }
    let rows = ReplayRows { replay: &replay, width: width_of(&history, &replay) };
    let n_lines = replay.before.len() as u64 + u64::from(replay.n_steps_in_all);
    if args.steps || n_lines <= LISTED {
        let passes = commands::Passes::replay(&opened, &request)?;
        for number in rows.turn_numbers() {
            out.write_line(rows.row_at_turn(number))?;
            if rows.n_steps(number) > 0 {
                for (nth, step) in (1..).zip(&passes.steps_at(number).steps) {
                    let nth = paint_text(format!("{nth}."), Style::new().dimmed());
                    out.write_line(format!("           {nth} {}", clean_text(&step.sentence)))?;
                }
            }
        }
    } else {
        print_summary(&rows, out)?;
    }
    let findings = commands::findings(&opened, &request)?;
    let watched = findings.findings.iter().filter(|finding| finding.watched);
    say_first(watched.map(write_finding), " of what is watched; `cwl report FILE --json` lists all");
    Ok(())
}

struct ReplayRows<'a> {
    replay: &'a ReplayAnswer,
    /// Digits in the longest total, with commas.
    width: usize,
}

impl ReplayRows<'_> {
    fn turn_numbers(&self) -> impl Iterator<Item = u32> {
        (1u32..).zip(&self.replay.before).map(|(number, _)| number)
    }

    fn n_steps(&self, number: u32) -> u32 {
        self.replay.n_steps.get(number as usize - 1).copied().unwrap_or(0)
    }

    fn row_at_turn(&self, number: u32) -> String {
        let Self { replay, width } = self;
        let at = number as usize - 1;
        let (before, after) = (replay.before[at], replay.after[at]);
        let is_next = at + 1 == replay.before.len();
        let name = if is_next { "now".to_owned() } else { format!("turn {number}") };
        let mut line = format!("{name:<10} {:>width$}", with_commas(before));
        if before != after {
            line.push_str(&format!(" → {:>width$}", with_commas(after)));
        }
        if replay.over_budget.binary_search(&number).is_ok() {
            line.push_str(&paint_text("  over the budget", Style::new().red()));
        }
        line
    }
}

fn width_of(history: &HistoryAnswer, replay: &ReplayAnswer) -> usize {
    with_commas(history.full.iter().chain(&replay.before).copied().max().unwrap_or(0)).len()
}

fn print_summary(rows: &ReplayRows<'_>, out: &mut Stdout) -> Result<(), Failure> {
    let replay = rows.replay;
    let saved = |number: &u32| {
        let at = *number as usize - 1;
        replay.before[at].saturating_sub(replay.after[at])
    };
    let mut passes: Vec<u32> = rows.turn_numbers().filter(|number| rows.n_steps(*number) > 0).collect();
    let (n_passes, n_turns) = (passes.len() as u64, replay.before.len() as u64);
    out.write_line(format!(
        "{}, {} in {} {}; {} over the budget",
        count_noun(n_turns, "turn"),
        count_noun(replay.n_steps_in_all, "step"),
        with_commas(n_passes),
        if n_passes == 1 { "pass" } else { "passes" },
        count_noun(replay.over_budget.len() as u64, "turn"),
    ))?;
    passes.sort_by_key(|number| (std::cmp::Reverse(saved(number)), *number));
    passes.truncate(PASSES);
    passes.sort_unstable();
    for number in &passes {
        let n_steps = rows.n_steps(*number);
        let steps = if n_steps == 1 { "step" } else { "steps" };
        out.write_line(format!("{}  {} {steps}", rows.row_at_turn(*number), with_commas(n_steps.into())))?;
    }
    let last = u32::try_from(n_turns).unwrap_or(u32::MAX);
    if !passes.contains(&last) {
        out.write_line(rows.row_at_turn(last))?;
    }
    let others = match n_passes - passes.len() as u64 {
        0 => String::new(),
        more => format!("and {} passes that saved less; ", with_commas(more)),
    };
    out.write_line(format!("{others}`--steps` lists every turn and every step"))
}
