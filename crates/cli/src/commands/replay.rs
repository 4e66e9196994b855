//! `cwl replay`: runs a policy over all turns.

use cwl_api::commands;
use cwl_api::dto::{StepsRequest, ViewRequest};
use cwl_api::{grouped, trace, write_spaced};
use owo_colors::Style;

use super::context::found;
use crate::args::ReplayArgs;
use crate::out::{Failure, Out, Sourced, clean, paint, say};

pub(crate) fn run(args: &ReplayArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.view.view()?;
    let opened = args.input.load()?;
    let (view, source) = args.view.said(view, &opened);
    let request = ViewRequest { session: 0, view };
    if args.json {
        write_spaced(&Sourced::unless_given(trace(&opened, &request)?, source), out.writer())?;
        return Ok(());
    }
    let history = commands::history(&opened, &request)?;
    let replay = commands::replay(&opened, &request)?;
    let (policy, budget, counted_by) = (&replay.policy, grouped(replay.budget), &history.counted_by);
    let (overhead, of) = (grouped(history.overhead.last().copied().unwrap_or(0)), history.overhead_source);
    out.line(format!("{policy} at {budget} tokens, counted by {counted_by}, overhead {overhead} ({of})"))?;
    if let Some(drift) = &history.drift {
        out.line(&drift.says)?;
    }
    let width = grouped(history.full.iter().chain(&replay.before).copied().max().unwrap_or(0)).len();
    let now = replay.before.len();
    for (at, ((before, after), n_steps)) in
        replay.before.iter().zip(&replay.after).zip(&replay.n_steps).enumerate()
    {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let over = replay.over_budget.binary_search(&number).is_ok();
        let name = if at + 1 == now { "now".to_owned() } else { format!("turn {number}") };
        let mut line = format!("{name:<10} {:>width$}", grouped(*before));
        if before != after {
            line.push_str(&format!(" → {:>width$}", grouped(*after)));
        }
        if over {
            line.push_str(&paint("  over the budget", Style::new().red()));
        }
        out.line(line)?;
        if *n_steps > 0 {
            let turn = Some(number);
            let steps =
                commands::steps(&opened, &StepsRequest { session: 0, view: request.view.clone(), turn })?;
            for (nth, step) in (1..).zip(&steps.steps) {
                out.line(format!(
                    "           {} {}",
                    paint(format!("{nth}."), Style::new().dimmed()),
                    clean(&step.sentence)
                ))?;
            }
        }
    }
    for finding in commands::findings(&opened, &request)?.findings.iter().filter(|finding| finding.watched) {
        say(&found(finding));
    }
    Ok(())
}
