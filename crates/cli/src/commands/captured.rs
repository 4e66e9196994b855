//! `cwl captured`: compares captured requests with the contexts that the log gives.

use std::cmp::Reverse;

use cwl_host::api::{
    BudgetOrigin, CapturedAnswer, CapturedBlock, CapturedRequest, CapturedTurn, Document, ViewCut,
};
use cwl_host::{commands, with_commas};
use owo_colors::Style;

use crate::args::{CapturedArgs, CapturedSort};
use crate::out::{Failure, Stdout, clean_text, keep_first, one_line, paint_text};
use crate::table;

const TEXT_CHARS: usize = 100;

pub(crate) fn run(args: &CapturedArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.recorded.parse_view()?;
    let opened = args.input.load_log()?;
    commands::check_cut(&opened, &view, ViewCut { turn: args.turn, step: None })?;
    let folder = args.bodies.as_ref().map(|folder| folder.display().to_string());
    let about = commands::about(&opened, &view, BudgetOrigin::Default)?;
    let request = CapturedRequest { view, folder, turn: args.turn };
    let mut captured = commands::captured(&opened, &request)?;
    match args.sort {
        CapturedSort::Turn => {}
        CapturedSort::Difference => {
            captured.turns.sort_by_key(|turn| Reverse(turn.only_log.saturating_add(turn.only_body)));
        }
    }
    keep_first(&mut captured.turns, args.limit);
    if args.json {
        return out.write_json(&Document::new(captured).with_about(about));
    }
    print_captured(&captured, args.turn, out)
}

fn print_captured(captured: &CapturedAnswer, wanted: Option<u32>, out: &mut Stdout) -> Result<(), Failure> {
    out.write_line(clean_text(&captured.says))?;
    if captured.folder.is_none() {
        return out.write_line(
            "--bodies FOLDER names a folder; Claude Code writes one with OTEL_LOG_RAW_API_BODIES=file:FOLDER, Codex below \
             CODEX_ROLLOUT_TRACE_ROOT, and `cwl proxy --capture` one for every harness",
        );
    }
    if captured.turns.is_empty() {
        return Ok(());
    }
    out.write_line("")?;
    let columns = ["#turn", "#system", "#tools", "#same", "#only log", "#only body", "file"];
    let mut rows = table::begin_table(&columns);
    for turn in &captured.turns {
        let CapturedTurn { system, tools, n_tools, same, only_log, only_body, .. } = turn;
        rows.add_row([
            turn.turn.to_string(),
            with_commas(*system),
            format!("{} ({n_tools})", with_commas(*tools)),
            with_commas(*same),
            with_commas(*only_log),
            with_commas(*only_body),
            clean_text(&turn.file),
        ]);
    }
    table::print_table(&rows, out)?;
    if captured.n_without_turn > 0 {
        let n = with_commas(captured.n_without_turn.into());
        out.write_line(format!("without a turn here, as titles, compactions and other branches: {n}"))?;
    }
    if captured.n_unreadable > 0 {
        let n = with_commas(captured.n_unreadable.into());
        out.write_line(format!("without a file in the folder that is a request: {n}"))?;
    }
    let Some(wanted) = wanted else { return Ok(()) };
    out.write_line("")?;
    let mut of_turn = captured.turns.iter().filter(|turn| turn.turn == wanted).peekable();
    if of_turn.peek().is_none() {
        return out.write_line(format!("no request of turn {wanted} was captured"));
    }
    let mut differences = of_turn.flat_map(|turn| &turn.differences).peekable();
    if differences.peek().is_none() {
        return out.write_line(format!("the log and the body of turn {wanted} have the same blocks"));
    }
    for difference in differences {
        let CapturedBlock { block, role, kind, tokens, text } = difference;
        let side = block.as_deref().map_or_else(
            || "only in the body".to_owned(),
            |block| format!("only in the log, {}", clean_text(block)),
        );
        let head = format!("{side}: {role} {kind}, {} tokens", with_commas(*tokens));
        out.write_line(paint_text(head, Style::new().bold()))?;
        out.write_line(format!("    {}", paint_text(one_line(text, TEXT_CHARS), Style::new().dimmed())))?;
    }
    Ok(())
}
