//! `cwl sessions`: what is stored and what was found.

use std::process::ExitCode;

use cwl_api::dto::{AnnotationDto, SessionsRequest};
use cwl_api::grouped;

use super::{host, runtime};
use crate::args::SessionsArgs;
use crate::out::{Failure, Out, clean, one_line, say};
use crate::table;

/// How much of a title is shown.
const TITLE_CHARS: usize = 48;

pub(crate) fn run(args: &SessionsArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let sessions = runtime()?
        .block_on(async { Ok::<_, Failure>(host(None).await?.sessions(SessionsRequest {}).await?) })?;
    if args.json {
        out.json(&sessions)?;
        return Ok(ExitCode::SUCCESS);
    }
    if sessions.rows.is_empty() {
        say(&format!("no sessions in {}; name a log, as in `cwl report FILE`", sessions.folders.join(", ")));
        return Ok(ExitCode::SUCCESS);
    }
    let mut table =
        table::begin(&["#id", "title", "format", "#turns", "#tokens", "episodes", "state", "path"]);
    let count = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), grouped);
    for row in &sessions.rows {
        table.add_row([
            row.session.map_or_else(String::new, |session| session.to_string()),
            one_line(&row.title, TITLE_CHARS),
            row.format.clone(),
            count(row.n_turns.map(u64::from)),
            count(row.tokens),
            match row.annotation {
                AnnotationDto::Annotated => "annotated",
                AnnotationDto::None => "none",
                AnnotationDto::Unknown => "?",
            }
            .to_owned(),
            match (row.live, row.gone) {
                (_, true) => "gone",
                (true, false) => "live",
                (false, false) => "",
            }
            .to_owned(),
            clean(&row.path),
        ]);
    }
    for line in table::lines(&table) {
        out.line(line)?;
    }
    Ok(ExitCode::SUCCESS)
}
