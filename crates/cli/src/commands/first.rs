//! `cwl` without a command: sessions on this machine, notable facts about the newest, and useful commands.

use cwl_host::{FirstLook, SessionSuggestion, count_noun, with_commas};

use super::sessions::time_ago;
use super::{build_runtime, host_anyway};
use crate::out::{Failure, Stdout, clean_text, one_line};
use crate::progress::with_progress;
use crate::table;

const NEWEST: usize = 5;
/// Longest title, and longest line below it if there is no terminal, in characters.
const TITLE_CHARS: usize = 60;
const LINE_CHARS: usize = 120;

pub(crate) fn run(out: &mut Stdout) -> Result<(), Failure> {
    let runtime = build_runtime()?;
    let look = async { Ok::<_, Failure>(host_anyway().await?.first_look(NEWEST).await?) };
    let found = with_progress("looking at the newest sessions", |_| runtime.block_on(look))?;
    out.write_line(summarize_sessions(&found))?;
    for SessionSuggestion { row, line } in &found.newest {
        let room = table::terminal_width().map_or(LINE_CHARS, |width| width.saturating_sub(4));
        let changed = row.changed_at_ms.map(time_ago).unwrap_or_default();
        let live = if row.live { ", live" } else { "" };
        let head = format!("{}  {}{live}  {}", clean_text(&row.name), changed, clean_text(&row.harness));
        out.write_line(format!("\n  {head}  {}", one_line(&row.title, TITLE_CHARS)))?;
        out.write_line(format!("    {}", one_line(&line.says, room)))?;
    }
    let of = if found.newest.is_empty() { "To begin" } else { "For the newest one" };
    out.write_line(format!("\n{of}:"))?;
    let width = found.commands.iter().map(|one| one.command.chars().count()).max().unwrap_or(0);
    for one in &found.commands {
        out.write_line(format!("  {:width$}  {}", clean_text(&one.command), one.shows))?;
    }
    out.write_line("\n`cwl sessions` lists all of them, `cwl --help` all commands.")
}

fn summarize_sessions(found: &FirstLook) -> String {
    let n: usize = found.harnesses.iter().map(|(_, n)| n).sum();
    if n == 0 {
        return format!("No sessions of coding agents in {}.", clean_text(&found.folders.join(", ")));
    }
    let each =
        found.harnesses.iter().map(|(name, n)| format!("{} of {}", with_commas(*n as u64), clean_text(name)));
    format!("{} on this machine: {}.", count_noun(n, "session"), each.collect::<Vec<_>>().join(", "))
}
