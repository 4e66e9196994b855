//! `cwl captured`: compares the requests that the harness kept as it sent them with what the log gives.

use std::cmp::Reverse;

use cwl_api::dto::{
    BudgetSourceDto, CapturedBlockDto, CapturedDto, CapturedRequest, CapturedTurnDto, CutDto, DocumentDto,
};
use cwl_api::{commands, grouped};
use owo_colors::Style;

use crate::args::{CapturedArgs, CapturedSort};
use crate::out::{Failure, Out, clean, keep, one_line, paint};
use crate::table;

/// The most characters of a text.
const TEXT_CHARS: usize = 100;

pub(crate) fn run(args: &CapturedArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.recorded.view()?;
    let opened = args.input.load()?;
    commands::check_cut(&opened, &view, CutDto { turn: args.turn, step: None })?;
    let folder = args.bodies.as_ref().map(|folder| folder.display().to_string());
    let about = commands::about(&opened, &view, BudgetSourceDto::Default)?;
    let request = CapturedRequest { session: 0, view, folder, turn: args.turn };
    let mut captured = commands::captured(&opened, &request)?;
    match args.sort {
        CapturedSort::Turn => {}
        CapturedSort::Difference => {
            captured.turns.sort_by_key(|turn| Reverse(turn.only_log.saturating_add(turn.only_body)));
        }
    }
    keep(&mut captured.turns, args.limit);
    if args.json {
        return out.json(&DocumentDto::new(captured).about(about));
    }
    print(&captured, args.turn, out)
}

fn print(captured: &CapturedDto, wanted: Option<u32>, out: &mut Out) -> Result<(), Failure> {
    out.line(clean(&captured.says))?;
    if captured.folder.is_none() {
        return out.line(
            "--bodies FOLDER names a folder; Claude Code writes one with OTEL_LOG_RAW_API_BODIES=file:FOLDER, Codex below \
             CODEX_ROLLOUT_TRACE_ROOT",
        );
    }
    if captured.turns.is_empty() {
        return Ok(());
    }
    out.line("")?;
    let columns = ["#turn", "#system", "#tools", "#same", "#only log", "#only body", "file"];
    let mut rows = table::begin(&columns);
    for turn in &captured.turns {
        let CapturedTurnDto { system, tools, n_tools, same, only_log, only_body, .. } = turn;
        rows.add_row([
            turn.turn.to_string(),
            grouped(*system),
            format!("{} ({n_tools})", grouped(*tools)),
            grouped(*same),
            grouped(*only_log),
            grouped(*only_body),
            clean(&turn.file),
        ]);
    }
    table::print(&rows, out)?;
    if captured.n_without_turn > 0 {
        let n = grouped(captured.n_without_turn.into());
        out.line(format!("without a turn here, as titles, compactions and other branches: {n}"))?;
    }
    if captured.n_unreadable > 0 {
        let n = grouped(captured.n_unreadable.into());
        out.line(format!("without a file in the folder that is a request: {n}"))?;
    }
    let Some(wanted) = wanted else { return Ok(()) };
    out.line("")?;
    let mut of_turn = captured.turns.iter().filter(|turn| turn.turn == wanted).peekable();
    if of_turn.peek().is_none() {
        return out.line(format!("no request of turn {wanted} was captured"));
    }
    let mut differences = of_turn.flat_map(|turn| &turn.differences).peekable();
    if differences.peek().is_none() {
        return out.line(format!("the log and the body of turn {wanted} have the same blocks"));
    }
    for difference in differences {
        let CapturedBlockDto { block, role, kind, tokens, text } = difference;
        let side = block.as_deref().map_or_else(
            || "only in the body".to_owned(),
            |block| format!("only in the log, {}", clean(block)),
        );
        let head = format!("{side}: {role} {kind}, {} tokens", grouped(*tokens));
        out.line(paint(head, Style::new().bold()))?;
        out.line(format!("    {}", paint(one_line(text, TEXT_CHARS), Style::new().dimmed())))?;
    }
    Ok(())
}
