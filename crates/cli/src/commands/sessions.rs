//! `cwl sessions`: lists the sessions of the store and of this machine.

use cwl_api::dto::{AnnotationDto, SessionRowDto};
use cwl_api::grouped;

use super::{host, runtime};
use crate::args::SessionsArgs;
use crate::out::{Failure, Out, clean, one_line, say};
use crate::table;

/// The most characters of a title.
const TITLE_CHARS: usize = 48;

pub(crate) fn run(args: &SessionsArgs, out: &mut Out) -> Result<(), Failure> {
    let sessions =
        runtime()?.block_on(async { Ok::<_, Failure>(host(None).await?.all_sessions().await?) })?;
    if args.json {
        return out.json(&sessions);
    }
    for notice in &sessions.notices {
        let whose = if notice.harness.is_empty() { String::new() } else { format!("{}: ", notice.harness) };
        say(&format!("{whose}{}; {}: {}", notice.message, notice.hint, notice.path));
    }
    if sessions.rows.is_empty() {
        say(&format!("no sessions in {}; name a log, as in `cwl report FILE`", sessions.folders.join(", ")));
        return Ok(());
    }
    let mut table = table::begin(&[
        "#id",
        "title",
        "harness",
        "#turns",
        "#tokens",
        "#episodes",
        "#problems",
        "state",
        "path",
    ]);
    // Rows and how far they are indented; the host bounds how deep they nest.
    let mut open: Vec<(usize, &SessionRowDto)> = sessions.rows.iter().rev().map(|row| (0, row)).collect();
    while let Some((depth, row)) = open.pop() {
        table.add_row(cells(row, depth));
        open.extend(row.children.iter().rev().map(|child| (depth + 1, child)));
    }
    table::print(&table, out)
}

fn cells(row: &SessionRowDto, depth: usize) -> [String; 9] {
    let count = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), grouped);
    let indent = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
    let episodes = match row.annotation {
        AnnotationDto::Annotated => count(row.n_episodes.map(u64::from)),
        AnnotationDto::None => "none".to_owned(),
        AnnotationDto::Unknown => "?".to_owned(),
    };
    let state = match (row.live, row.gone, row.archived) {
        (_, true, _) => "gone",
        (_, false, true) => "archived",
        (true, false, false) => "live",
        (false, false, false) => "",
    };
    [
        row.session.map_or_else(String::new, |session| session.to_string()),
        format!("{indent}{}", one_line(&row.title, TITLE_CHARS)),
        row.harness.clone(),
        count(row.n_turns.map(u64::from)),
        count(row.tokens),
        episodes,
        count(row.n_problems),
        state.to_owned(),
        clean(&row.path),
    ]
}
