//! `cwl sessions`: lists sessions in the store and on this machine.

use cwl_host::api::{AnnotationPresence, Document, SessionListRow};
use cwl_host::{wanted_sessions, with_commas};

use super::{build_runtime, host_anyway};
use crate::args::SessionsArgs;
use crate::out::{Failure, Stdout, clean_text, one_line, warn_user};
use crate::progress::with_progress;
use crate::table;

/// Longest title if there is no terminal, in characters.
const TITLE_CHARS: usize = 48;
const NOTICES: usize = 20;
/// Shortest useful title, in characters.
const LEAST_TITLE: usize = 16;

pub(crate) fn run(args: &SessionsArgs, out: &mut Stdout) -> Result<(), Failure> {
    let runtime = build_runtime()?;
    let find = async { Ok::<_, Failure>(host_anyway().await?.all_sessions().await?) };
    let mut sessions = with_progress("looking for sessions", |_| runtime.block_on(find))?;
    let n_known = sessions.rows.len();
    let n_left_out = wanted_sessions(&mut sessions, &args.wanted_sessions())?;
    if args.json {
        return out.write_json(&Document::new(sessions));
    }
    for notice in sessions.notices.iter().take(NOTICES) {
        let whose = if notice.harness.is_empty() { String::new() } else { format!("{}: ", notice.harness) };
        let place = if notice.path.is_empty() { String::new() } else { format!(": {}", notice.path) };
        warn_user(&format!("{whose}{}; {}{place}", notice.message, notice.hint));
    }
    if let Some(more) = sessions.notices.len().checked_sub(NOTICES).filter(|more| *more > 0) {
        warn_user(&format!("and {} more; `--json` has all", with_commas(more as u64)));
    }
    if sessions.rows.is_empty() {
        warn_user(&match n_known {
            0 => {
                format!("no sessions in {}; name a log, as in `cwl report FILE`", sessions.folders.join(", "))
            }
            n => format!("none of {} sessions is meant", with_commas(n as u64)),
        });
        return Ok(());
    }
    let mut titles = vec!["session", "changed", "harness", "#turns", "#tokens", "#episodes"];
    if args.long {
        titles.extend(["#problems", "model", "folder", "log"]);
    }
    titles.push("title");
    // Rows with their indentation; the host limits how deep they nest.
    let mut open: Vec<(usize, &SessionListRow)> = sessions.rows.iter().rev().map(|row| (0, row)).collect();
    let mut listed: Vec<Vec<String>> = Vec::new();
    while let Some((depth, row)) = open.pop() {
        listed.push(row_cells(row, depth, args.long));
        open.extend(row.children.iter().rev().map(|child| (depth + 1, child)));
    }
    let room = room_for_titles(&titles, &listed);
    let mut table = table::begin_table(&titles);
    for mut cells in listed {
        if let Some(title) = cells.last_mut() {
            *title = one_line_indented(title, room);
        }
        table.add_row(cells);
    }
    table::print_table(&table, out)?;
    if n_left_out > 0 {
        warn_user(&format!("and {} more", with_commas(n_left_out as u64)));
    }
    Ok(())
}

fn room_for_titles(titles: &[&str], listed: &[Vec<String>]) -> usize {
    let Some(width) = table::terminal_width() else { return TITLE_CHARS };
    let of_column = |at: usize| {
        let cells = listed.iter().filter_map(|cells| cells.get(at)).map(|cell| cell.chars().count());
        // Two spaces separate columns.
        2 + cells.chain([titles[at].trim_start_matches('#').len()]).max().unwrap_or(0)
    };
    let others: usize = (0..titles.len().saturating_sub(1)).map(of_column).sum();
    match width.saturating_sub(others) {
        room if room < LEAST_TITLE => TITLE_CHARS.min(width.saturating_sub(9)),
        room => room - 2,
    }
}

fn one_line_indented(title: &str, n_chars: usize) -> String {
    let words = title.trim_start();
    let indent = title.len() - words.len();
    format!("{}{}", &title[..indent], one_line(words, n_chars.saturating_sub(indent)))
}

fn row_cells(row: &SessionListRow, depth: usize, is_long: bool) -> Vec<String> {
    let count = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), with_commas);
    let indent = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
    let episodes = match row.annotation {
        AnnotationPresence::Annotated => count(row.n_episodes.map(u64::from)),
        AnnotationPresence::None => "none".to_owned(),
        AnnotationPresence::Unknown => "?".to_owned(),
    };
    let changed = row.changed_at_ms.map(time_ago);
    let state = match (row.live, row.gone, row.archived) {
        (_, true, _) if row.name.is_empty() => Some("never read"),
        (_, true, _) => Some("gone"),
        (_, false, true) => Some("archived"),
        (true, false, false) => Some("live"),
        (false, false, false) => None,
    };
    let changed: Vec<&str> = changed.as_deref().into_iter().chain(state).collect();
    let mut cells = vec![
        if row.name.is_empty() { "—".to_owned() } else { clean_text(&row.name) },
        changed.join(", "),
        row.harness.clone(),
        count(row.n_turns.map(u64::from)),
        count(row.tokens),
        episodes,
    ];
    if is_long {
        let text = |text: &Option<String>| clean_text(text.as_deref().unwrap_or_default());
        cells.extend([count(row.n_problems), text(&row.model), text(&row.cwd), clean_text(&row.path)]);
    }
    cells.push(format!("{indent}{}", one_line(&row.title, TITLE_CHARS * 4)));
    cells
}

/// Formats how long ago a time was (milliseconds since 1970), in the largest unit.
pub(super) fn time_ago(at_ms: i64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let minutes = i64::try_from(now.as_millis()).unwrap_or(i64::MAX).saturating_sub(at_ms) / 60_000;
    match minutes {
        ..1 => "now".to_owned(),
        1..60 => format!("{minutes} min"),
        60..2880 => format!("{} h", minutes / 60),
        2880..1_051_200 => format!("{} d", minutes / 1440),
        _ => format!("{} y", minutes / 525_600),
    }
}
