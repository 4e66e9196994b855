//! `cwl diff`: prints two sessions side by side.

use cwl_host::api::{
    DivergencePoint, Document, FigureUnit, PairedFigure, RowDifference, SessionSide, SideBySideAnswer,
    SideBySideRequest, SideTurn, ViewSettings,
};
use cwl_host::commands;
use cwl_host::{with_commas, write_dollars};
use owo_colors::Style;

use crate::args::DiffArgs;
use crate::out::{Failure, Stdout, clean_text, one_line, paint_text, say_first};
use crate::progress::with_progress;
use crate::table;

/// Longest title, and longest description for a turn, in characters.
const TITLE_CHARS: usize = 80;
const WORK_CHARS: usize = 160;

pub(crate) fn run(args: &DiffArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let (a, b) = (args.input.load_log()?, args.other_input().load_log()?);
    let (view_a, source_a) = args.view.apply_budget_aloud(view.clone(), &a);
    let (view_b, source_b) =
        args.view.apply_budget_aloud(ViewSettings { branch: args.other_branch.clone(), ..view }, &b);
    args.view.annotation.warn_about_marks(&a, &view_a)?;
    args.view.annotation.warn_about_marks(&b, &view_b)?;
    let abouts = vec![commands::about(&a, &view_a, source_a)?, commands::about(&b, &view_b, source_b)?];
    let request = SideBySideRequest {
        session: 0,
        view: view_a,
        other: 0,
        other_view: view_b,
        cache: args.cache.cache_rules(),
    };
    let answer = with_progress("comparing sessions", |_| commands::side_by_side(&a, &b, &request))?;
    say_first(answer.a.price.problems.iter().cloned(), " odd entries");
    if args.json {
        return out.write_json(&Document::new(answer).about_each(abouts));
    }
    print_diff(&answer, args.limit, out)
}

fn print_diff(answer: &SideBySideAnswer, limit: usize, out: &mut Stdout) -> Result<(), Failure> {
    print_side("A", &answer.a, out)?;
    print_side("B", &answer.b, out)?;
    out.write_line("")?;
    out.write_line(clean_text(&answer.says))?;
    match (&answer.parting, &answer.first_difference) {
        (Some(parting), _) => print_parting("They diverge here:", parting, out)?,
        (None, Some(first)) => print_parting("The first turn that differs:", first, out)?,
        (None, None) => {}
    }
    out.write_line("")?;
    print_figures(answer, out)?;
    print_rows(answer, limit, out)
}

fn print_side(letter: &str, side: &SessionSide, out: &mut Stdout) -> Result<(), Failure> {
    let title = one_line(&side.title, TITLE_CHARS);
    out.write_line(format!(
        "{}  {}",
        paint_text(letter, Style::new().bold()),
        paint_text(title, Style::new().bold())
    ))?;
    let model = side.model.as_deref().map_or(String::new(), |model| format!(", {}", clean_text(model)));
    out.write_line(format!(
        "   {} ({}{model}; episodes {})",
        clean_text(&side.path),
        side.format,
        side.source
    ))
}

fn print_parting(title: &str, parting: &DivergencePoint, out: &mut Stdout) -> Result<(), Failure> {
    out.write_line(title)?;
    out.write_line(format!("  A  {}", clean_text(&parting.a)))?;
    out.write_line(format!("  B  {}", clean_text(&parting.b)))
}

fn print_figures(answer: &SideBySideAnswer, out: &mut Stdout) -> Result<(), Failure> {
    let mut rows = table::begin_table(&["", "#A", "#B", "#B − A"]);
    for figure in answer.figures.iter().filter(|figure| figure.a != Some(0) || figure.b != Some(0)) {
        let cell = |side: &SessionSide, value: Option<u64>| match value {
            Some(value) => write_amount(figure, value),
            None if figure.unit == FigureUnit::Money && !side.price.priced => "unpriced".to_owned(),
            None => "–".to_owned(),
        };
        rows.add_row([
            figure.title.clone(),
            cell(&answer.a, figure.a),
            cell(&answer.b, figure.b),
            write_difference(figure),
        ]);
    }
    table::print_table(&rows, out)?;
    let policy = |side: &SessionSide| format!("{} at τ {}", side.policy, with_commas(side.budget));
    out.write_line(paint_text(
        format!(
            "policy: A {}, B {}; counted in {}",
            policy(&answer.a),
            policy(&answer.b),
            answer.a.counted_by
        ),
        Style::new().dimmed(),
    ))
}

fn write_amount(figure: &PairedFigure, value: u64) -> String {
    match figure.unit {
        FigureUnit::Count => with_commas(value),
        FigureUnit::Tokens => format!("{} tokens", with_commas(value)),
        FigureUnit::Money => write_dollars(value),
        FigureUnit::Turn => format!("turn {}", with_commas(value)),
    }
}

fn write_difference(figure: &PairedFigure) -> String {
    let Some(more) = figure.more else { return String::new() };
    let size = match figure.unit {
        FigureUnit::Money => write_dollars(more.unsigned_abs()),
        FigureUnit::Count | FigureUnit::Tokens | FigureUnit::Turn => with_commas(more.unsigned_abs()),
    };
    match more {
        0 => "0".to_owned(),
        1.. => format!("+{size}"),
        _ => format!("−{size}"),
    }
}

fn print_rows(answer: &SideBySideAnswer, limit: usize, out: &mut Stdout) -> Result<(), Failure> {
    let differs = |differs: RowDifference| matches!(differs, RowDifference::Work | RowDifference::Marks);
    let n = answer.rows.iter().filter(|row| differs(row.differs)).count();
    if n == 0 {
        return Ok(());
    }
    out.write_line("")?;
    out.write_line("Where one does what the other does not, or marks it otherwise:")?;
    for row in answer.rows.iter().filter(|row| differs(row.differs)).take(limit) {
        out.write_line("")?;
        print_turn("A", row.a.as_ref(), out)?;
        print_turn("B", row.b.as_ref(), out)?;
    }
    match n.saturating_sub(limit) {
        0 => Ok(()),
        more => out.write_line(paint_text(
            format!("\n{} more; --limit prints them, --json has all turns", with_commas(more as u64)),
            Style::new().dimmed(),
        )),
    }
}

fn print_turn(letter: &str, turn: Option<&SideTurn>, out: &mut Stdout) -> Result<(), Failure> {
    let Some(turn) = turn else {
        return out.write_line(format!("  {letter}  {}", paint_text("no such turn", Style::new().dimmed())));
    };
    let number = format!("turn {}", with_commas(turn.turn.into()));
    for (at, unit) in turn.work.iter().enumerate() {
        let head = if at == 0 { format!("{letter}  {number}") } else { " ".repeat(number.len() + 3) };
        let said = one_line(&unit.says, WORK_CHARS);
        let said = if unit.shared { paint_text(said, Style::new().dimmed()) } else { said };
        out.write_line(format!("  {head} {said}"))?;
    }
    Ok(())
}
