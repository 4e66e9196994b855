//! `cwl` alone: says which sessions this machine has, what is interesting in the newest, and which commands show it.

use cwl_api::{FirstLook, Looked, counted, grouped};

use super::sessions::ago;
use super::{host_anyway, runtime};
use crate::out::{Failure, Out, clean, one_line};
use crate::progress::during;
use crate::table;

/// How many sessions are looked at.
const NEWEST: usize = 5;
/// The most characters of a title, and of the line below it where no terminal says how much fits.
const TITLE_CHARS: usize = 60;
const LINE_CHARS: usize = 120;

pub(crate) fn run(out: &mut Out) -> Result<(), Failure> {
    let runtime = runtime()?;
    let look = async { Ok::<_, Failure>(host_anyway().await?.first_look(NEWEST).await?) };
    let found = during("looking at the newest sessions", |_| runtime.block_on(look))?;
    out.line(summary(&found))?;
    for Looked { row, line } in &found.newest {
        let room = table::width().map_or(LINE_CHARS, |width| width.saturating_sub(4));
        let changed = row.changed_at_ms.map(ago).unwrap_or_default();
        let live = if row.live { ", live" } else { "" };
        let head = format!("{}  {}{live}  {}", clean(&row.name), changed, clean(&row.harness));
        out.line(format!("\n  {head}  {}", one_line(&row.title, TITLE_CHARS)))?;
        out.line(format!("    {}", one_line(&line.says, room)))?;
    }
    let of = if found.newest.is_empty() { "To begin" } else { "For the newest one" };
    out.line(format!("\n{of}:"))?;
    let width = found.commands.iter().map(|one| one.command.chars().count()).max().unwrap_or(0);
    for one in &found.commands {
        out.line(format!("  {:width$}  {}", clean(&one.command), one.shows))?;
    }
    out.line("\n`cwl sessions` lists all of them, `cwl --help` all commands.")
}

/// Says how many sessions there are, and of which harnesses.
fn summary(found: &FirstLook) -> String {
    let n: usize = found.harnesses.iter().map(|(_, n)| n).sum();
    if n == 0 {
        return format!("No sessions of coding agents in {}.", clean(&found.folders.join(", ")));
    }
    let each = found.harnesses.iter().map(|(name, n)| format!("{} of {}", grouped(*n as u64), clean(name)));
    format!("{} on this machine: {}.", counted(n, "session"), each.collect::<Vec<_>>().join(", "))
}
