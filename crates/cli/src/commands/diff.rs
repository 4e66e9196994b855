//! `cwl diff`: prints two sessions side by side.

use cwl_api::commands;
use cwl_api::dto::{
    DiffersDto, DocumentDto, FigureUnitDto, PairedFigureDto, PartingDto, SessionSideDto, SideBySideDto,
    SideBySideRequest, SideTurnDto, ViewDto,
};
use cwl_api::{dollars, grouped};
use owo_colors::Style;

use crate::args::DiffArgs;
use crate::out::{Failure, Out, clean, one_line, paint, say_first};
use crate::progress::during;
use crate::table;

/// The most characters of a title or of what a turn does.
const TITLE_CHARS: usize = 80;
const WORK_CHARS: usize = 160;

pub(crate) fn run(args: &DiffArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.view.view()?;
    let (a, b) = (args.input.load()?, args.other().load()?);
    let (view_a, source_a) = args.view.said(view.clone(), &a);
    let (view_b, source_b) = args.view.said(ViewDto { branch: args.other_branch.clone(), ..view }, &b);
    args.view.annotation.say(&a, &view_a)?;
    args.view.annotation.say(&b, &view_b)?;
    let abouts = vec![commands::about(&a, &view_a, source_a)?, commands::about(&b, &view_b, source_b)?];
    let request = SideBySideRequest {
        session: 0,
        view: view_a,
        other: 0,
        other_view: view_b,
        cache: args.cache.rules(),
    };
    let told = during("comparing sessions", |_| commands::side_by_side(&a, &b, &request))?;
    say_first(told.a.price.problems.iter().cloned(), " odd entries");
    if args.json {
        return out.json(&DocumentDto::new(told).about_each(abouts));
    }
    text(&told, args.limit, out)
}

fn text(told: &SideBySideDto, limit: usize, out: &mut Out) -> Result<(), Failure> {
    side("A", &told.a, out)?;
    side("B", &told.b, out)?;
    out.line("")?;
    out.line(clean(&told.says))?;
    match (&told.parting, &told.first_difference) {
        (Some(parting), _) => place("They part here:", parting, out)?,
        (None, Some(first)) => place("The first turn that differs:", first, out)?,
        (None, None) => {}
    }
    out.line("")?;
    figures(told, out)?;
    rows(told, limit, out)
}

fn side(letter: &str, side: &SessionSideDto, out: &mut Out) -> Result<(), Failure> {
    let title = one_line(&side.title, TITLE_CHARS);
    out.line(format!("{}  {}", paint(letter, Style::new().bold()), paint(title, Style::new().bold())))?;
    let model = side.model.as_deref().map_or(String::new(), |model| format!(", {}", clean(model)));
    out.line(format!("   {} ({}{model}; episodes {})", clean(&side.path), side.format, side.source))
}

fn place(title: &str, parting: &PartingDto, out: &mut Out) -> Result<(), Failure> {
    out.line(title)?;
    out.line(format!("  A  {}", clean(&parting.a)))?;
    out.line(format!("  B  {}", clean(&parting.b)))
}

fn figures(told: &SideBySideDto, out: &mut Out) -> Result<(), Failure> {
    let mut rows = table::begin(&["", "#A", "#B", "#B − A"]);
    for figure in told.figures.iter().filter(|figure| figure.a != Some(0) || figure.b != Some(0)) {
        let cell = |side: &SessionSideDto, value: Option<u64>| match value {
            Some(value) => amount(figure, value),
            None if figure.unit == FigureUnitDto::Money && !side.price.priced => "unpriced".to_owned(),
            None => "–".to_owned(),
        };
        rows.add_row([figure.title.clone(), cell(&told.a, figure.a), cell(&told.b, figure.b), more(figure)]);
    }
    table::print(&rows, out)?;
    let policy = |side: &SessionSideDto| format!("{} at τ {}", side.policy, grouped(side.budget));
    out.line(paint(
        format!("policy: A {}, B {}; counted by {}", policy(&told.a), policy(&told.b), told.a.counted_by),
        Style::new().dimmed(),
    ))
}

fn amount(figure: &PairedFigureDto, value: u64) -> String {
    match figure.unit {
        FigureUnitDto::Count => grouped(value),
        FigureUnitDto::Tokens => format!("{} tokens", grouped(value)),
        FigureUnitDto::Money => dollars(value),
        FigureUnitDto::Turn => format!("turn {}", grouped(value)),
    }
}

fn more(figure: &PairedFigureDto) -> String {
    let Some(more) = figure.more else { return String::new() };
    let size = match figure.unit {
        FigureUnitDto::Money => dollars(more.unsigned_abs()),
        FigureUnitDto::Count | FigureUnitDto::Tokens | FigureUnitDto::Turn => grouped(more.unsigned_abs()),
    };
    match more {
        0 => "0".to_owned(),
        1.. => format!("+{size}"),
        _ => format!("−{size}"),
    }
}

/// Prints the turns where one side does what the other does not.
fn rows(told: &SideBySideDto, limit: usize, out: &mut Out) -> Result<(), Failure> {
    let differs = |differs: DiffersDto| matches!(differs, DiffersDto::Work | DiffersDto::Marks);
    let n = told.rows.iter().filter(|row| differs(row.differs)).count();
    if n == 0 {
        return Ok(());
    }
    out.line("")?;
    out.line("Where one does what the other does not, or marks it otherwise:")?;
    for row in told.rows.iter().filter(|row| differs(row.differs)).take(limit) {
        out.line("")?;
        turn("A", row.a.as_ref(), out)?;
        turn("B", row.b.as_ref(), out)?;
    }
    match n.saturating_sub(limit) {
        0 => Ok(()),
        more => out.line(paint(
            format!("\n{} more; --limit prints them, --json has all turns", grouped(more as u64)),
            Style::new().dimmed(),
        )),
    }
}

fn turn(letter: &str, turn: Option<&SideTurnDto>, out: &mut Out) -> Result<(), Failure> {
    let Some(turn) = turn else {
        return out.line(format!("  {letter}  {}", paint("no such turn", Style::new().dimmed())));
    };
    let number = format!("turn {}", grouped(turn.turn.into()));
    for (at, unit) in turn.work.iter().enumerate() {
        let head = if at == 0 { format!("{letter}  {number}") } else { " ".repeat(number.len() + 3) };
        let said = one_line(&unit.says, WORK_CHARS);
        let said = if unit.shared { paint(said, Style::new().dimmed()) } else { said };
        out.line(format!("  {head} {said}"))?;
    }
    Ok(())
}
