//! `cwl evicted`: prints the blocks that the model would not receive.

use std::process::ExitCode;

use cwl_api::commands;
use cwl_api::dto::{DocumentDto, SortDto, WantedDto};
use cwl_api::{Extent, grouped};
use owo_colors::Style;

use crate::args::{EvictedArgs, Sort};
use crate::out::{Failure, Out, clean, one_line, paint, say};

/// The most characters of a text without `--full`.
const TEXT_CHARS: usize = 100;

/// Prints the blocks; where a pattern is in none of them, the exit code is 1.
pub(crate) fn run(args: &EvictedArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let view = args.view.view()?;
    let opened = args.input.load()?;
    let (view, source) = args.view.said(view, &opened);
    args.view.annotation.say(&opened, &view)?;
    let cut = args.cut.cut(&opened, &view)?;
    let sort = match args.sort {
        Sort::Log => SortDto::Log,
        Sort::Size => SortDto::Size,
        Sort::Turn => SortDto::Turn,
    };
    let only = args.grep.as_deref().map(smart);
    let extent = if args.full || args.json { Extent::IN_FULL } else { Extent::ALL };
    let mut evicted = commands::evicted(&opened, &view, cut, only.as_ref(), sort, extent)?;
    let code = if only.is_some() && evicted.n_items == 0 { ExitCode::from(1) } else { ExitCode::SUCCESS };
    if args.json {
        if let Some(limit) = args.limit {
            evicted.items.truncate(limit);
        }
        let about = commands::about(&opened, &view)?;
        out.json(&DocumentDto::new(evicted).about(about).budget_from(source))?;
        return Ok(code);
    }
    for item in evicted.items.iter().take(args.limit.unwrap_or(usize::MAX)) {
        let tool = item.tool.as_deref().map(|tool| format!(" {}", clean(tool))).unwrap_or_default();
        let head = format!("{}  {}{tool}, {}", clean(&item.block), item.kind, item.size());
        out.line(format!("{}  {}", paint(head, Style::new().bold()), clean(&item.reason)))?;
        if args.full {
            out.line(clean(item.text.trim_end_matches('\n')))?;
        } else {
            out.line(format!("    {}", paint(one_line(&item.text, TEXT_CHARS), Style::new().dimmed())))?;
        }
    }
    say(&format!("{} blocks, {} tokens", grouped(u64::from(evicted.n_items)), grouped(evicted.tokens)));
    Ok(code)
}

/// Takes a regular expression as people type it: one without upper case matches both cases.
fn smart(text: &str) -> WantedDto {
    WantedDto { query: text.to_owned(), regex: true, case: text.chars().any(char::is_uppercase) }
}
