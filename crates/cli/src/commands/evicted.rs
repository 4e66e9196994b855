//! `cwl evicted`: prints the blocks that the model would not receive.

use std::process::ExitCode;

use cwl_api::commands;
use cwl_api::dto::{DocumentDto, EvictedDto, SortDto, WantedDto};
use cwl_api::{Extent, InPieces, grouped};
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
    let n_chars = if args.full || args.json { Extent::IN_FULL.n_chars } else { Extent::ALL.n_chars };
    let limit = args.limit.map_or(u32::MAX, |limit| u32::try_from(limit).unwrap_or(u32::MAX));
    let extent = Extent { offset: 0, limit, n_chars };
    let about = commands::about(&opened, &view, source)?;
    commands::evicted_in_pieces(&opened, &view, cut, (only.as_ref(), sort, extent), |evicted| {
        let n_items = evicted.answer.n_items;
        let code = if only.is_some() && n_items == 0 { ExitCode::from(1) } else { ExitCode::SUCCESS };
        if args.json {
            out.json(&DocumentDto::new(evicted).about(about))?;
        } else {
            text(&evicted, args.full, out)?;
        }
        Ok(code)
    })?
}

fn text(evicted: &InPieces<'_, EvictedDto>, is_full: bool, out: &mut Out) -> Result<(), Failure> {
    for item in evicted.items() {
        let item = item?;
        let tool = item.tool.as_deref().map(|tool| format!(" {}", clean(tool))).unwrap_or_default();
        let head = format!("{}  {}{tool}, {}", clean(&item.block), item.kind, item.size());
        out.line(format!("{}  {}", paint(head, Style::new().bold()), clean(&item.reason)))?;
        if is_full {
            out.line(clean(item.text.trim_end_matches('\n')))?;
        } else {
            out.line(format!("    {}", paint(one_line(&item.text, TEXT_CHARS), Style::new().dimmed())))?;
        }
    }
    let EvictedDto { n_items, tokens, .. } = evicted.answer;
    say(&format!("{} blocks, {} tokens", grouped(u64::from(n_items)), grouped(tokens)));
    Ok(())
}

/// Takes a regular expression as people type it: one without upper case matches both cases.
fn smart(text: &str) -> WantedDto {
    WantedDto { query: text.to_owned(), regex: true, case: text.chars().any(char::is_uppercase) }
}
