//! `cwl evicted`: prints blocks that the model would not receive.

use std::process::ExitCode;

use cwl_host::api::{Document, EvictedAnswer, EvictedOrder, TextPattern};
use cwl_host::commands;
use cwl_host::{InPieces, PageExtent, with_commas};
use owo_colors::Style;

use crate::args::{EvictedArgs, Sort};
use crate::out::{Failure, Stdout, clean_text, one_line, paint_text, warn_user};

/// Longest text without `--full`, in characters.
const TEXT_CHARS: usize = 100;

/// The exit code is 1 if a pattern matches no block.
pub(crate) fn run(args: &EvictedArgs, out: &mut Stdout) -> Result<ExitCode, Failure> {
    let view = args.view.parse_view()?;
    let opened = args.input.load_log()?;
    let (view, source) = args.view.apply_budget_aloud(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let cut = args.cut.parse_cut(&opened, &view)?;
    let sort = match args.sort {
        Sort::Log => EvictedOrder::Log,
        Sort::Size => EvictedOrder::Size,
        Sort::Turn => EvictedOrder::Turn,
    };
    let only = args.grep.as_deref().map(parse_pattern);
    let n_chars = if args.full || args.json { PageExtent::IN_FULL.n_chars } else { PageExtent::ALL.n_chars };
    let limit = args.limit.map_or(u32::MAX, |limit| u32::try_from(limit).unwrap_or(u32::MAX));
    let extent = PageExtent { offset: 0, limit, n_chars };
    let about = commands::about(&opened, &view, source)?;
    commands::evicted_in_pieces(&opened, &view, cut, (only.as_ref(), sort, extent), |evicted| {
        let n_items = evicted.answer.n_items;
        let code = if only.is_some() && n_items == 0 { ExitCode::from(1) } else { ExitCode::SUCCESS };
        if args.json {
            out.write_json(&Document::new(evicted).with_about(about))?;
        } else {
            print_evicted(&evicted, args.full, out)?;
        }
        Ok(code)
    })?
}

fn print_evicted(
    evicted: &InPieces<'_, EvictedAnswer>,
    is_full: bool,
    out: &mut Stdout,
) -> Result<(), Failure> {
    for item in evicted.make_items() {
        let item = item?;
        let head =
            format!("{}  {}, {}", clean_text(&item.block), clean_text(&item.kind_label()), item.size_label());
        out.write_line(format!("{}  {}", paint_text(head, Style::new().bold()), clean_text(&item.reason)))?;
        if is_full {
            out.write_line(clean_text(item.text.trim_end_matches('\n')))?;
        } else {
            out.write_line(format!(
                "    {}",
                paint_text(one_line(&item.text, TEXT_CHARS), Style::new().dimmed())
            ))?;
        }
    }
    let EvictedAnswer { n_items, tokens, .. } = evicted.answer;
    warn_user(&format!("{} blocks, {} tokens", with_commas(u64::from(n_items)), with_commas(tokens)));
    Ok(())
}

/// Parses a typed regular expression, which ignores case unless it has upper case.
fn parse_pattern(text: &str) -> TextPattern {
    TextPattern { query: text.to_owned(), regex: true, case: text.chars().any(char::is_uppercase) }
}
