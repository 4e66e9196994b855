//! Evicted blocks for agents: search, list and recall.

use std::fmt::Write;

use cwl_engine::BlockIdx;
use cwl_inspect::asked::needle::Needle;
use cwl_inspect::figures::with_commas;
use cwl_inspect::measure::moment::CutContext;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::measure::run::ReplayRun;
use cwl_inspect::present::item::{ContextRow, PageExtent, context_rows, make_items};
use cwl_inspect::present::sentence::write_tokens;

use crate::agent::status::source;
use crate::api::{EvictedOrder, TextPattern, ViewCut, ViewSettings};
use crate::brief::{harmless_text, indent_text, one_line};
use crate::commands::evicted::gone_rows;
use crate::export::clean::Cleaner;
use crate::{ApiError, ErrorCode};

const LISTED: u32 = 20;
/// Text shown in a list, and text scanned for it, in characters.
const SHOWN: usize = 200;
const LOOKED_AT: usize = 20_000;
const CLEANED_AT_ONCE: usize = 64;
/// Longest recalled piece, in characters.
const BROUGHT: usize = 12_000;

pub(super) fn list_gone(
    opened: &SessionSnapshot,
    cleaner: &mut Cleaner,
    view: &ViewSettings,
    only: Option<&TextPattern>,
    offset: u32,
) -> Result<String, ApiError> {
    let (run, moment) = opened.replay_to_cut(view, ViewCut::default())?;
    let gone = gone_that_show(opened, cleaner, &run, &moment, only)?;
    let sum: u64 = gone.iter().map(|row| row.row_tokens(&run)).sum();
    let mut text = match (gone.len(), only) {
        (0, Some(only)) => {
            // The query as typed: with redaction marks in it, the answer would reveal which letters belong to
            // a secret.
            let query = harmless_text(&only.query);
            return Ok(format!(
                "nothing that is gone holds `{query}`; what is still in the context is not searched\n"
            ));
        }
        (0, None) => {
            let room = write_tokens(run.replay.budget);
            return Ok(format!(
                "nothing is gone at τ {room}: the next request carries {}\n",
                write_tokens(moment.context.total)
            ));
        }
        (n, _) => {
            let source = source(opened, view)?;
            format!(
                "{} blocks, {}; the last evicted first\n{source}",
                with_commas(n as u64),
                write_tokens(sum)
            )
        }
    };
    let part = PageExtent { offset, limit: LISTED, n_chars: LOOKED_AT };
    let needle = only.map(|only| Needle::parse_needle(only, opened.begin_search())).transpose()?;
    for item in make_items(opened, &run, part.page(&gone), part.n_chars, moment.is_met(&run))? {
        let clean = harmless_text(&cleaner.clean_text(&item.text));
        let tool = item.tool.as_deref().map(|tool| format!(" of {tool}")).unwrap_or_default();
        let path = item.path.as_deref().map(|path| format!(", {path}")).unwrap_or_default();
        let about = harmless_text(&cleaner.clean_text(&format!("{}{tool}{path}", item.kind)));
        let reason = one_line(&harmless_text(&cleaner.clean_text(&item.reason)), SHOWN);
        let _infallible = writeln!(
            text,
            "{} line {}, {}: {reason}\n    {}: {}",
            one_line(&harmless_text(&item.block), SHOWN),
            item.line,
            write_tokens(item.tokens),
            one_line(&about, SHOWN),
            one_line(text_from_match(&clean, needle.as_ref()), SHOWN),
        );
    }
    let shown = offset.saturating_add(LISTED) as usize;
    if shown < gone.len() {
        let _infallible =
            writeln!(text, "{} more from offset {shown} on", with_commas((gone.len() - shown) as u64));
    }
    Ok(text)
}

/// Evicted blocks, last evicted first. `only` filters by the redacted text: a search of the original would
/// reveal secrets letter by letter.
fn gone_that_show<'a>(
    opened: &SessionSnapshot,
    cleaner: &mut Cleaner,
    run: &ReplayRun,
    moment: &'a CutContext,
    only: Option<&TextPattern>,
) -> Result<Vec<ContextRow<'a>>, ApiError> {
    let gone = gone_rows(opened, run, moment, None, EvictedOrder::Turn)?;
    let Some(only) = only.filter(|only| !only.query.is_empty()) else { return Ok(gone) };
    let needle = Needle::parse_needle(only, opened.begin_search())?;
    let mut found = Vec::new();
    for rows in gone.chunks(CLEANED_AT_ONCE) {
        let place =
            |row: &ContextRow<'_>| Some(SessionSnapshot::place_of(&run.branch.session, row.block_idx()?));
        let with_text: Vec<_> = rows.iter().filter_map(|row| Some((row, place(row)?))).collect();
        let places: Vec<_> = with_text.iter().map(|(_, place)| *place).collect();
        for ((row, _), content) in with_text.into_iter().zip(opened.texts.block_contents(&places)?) {
            if needle.first_match(&harmless_text(&cleaner.clean_text(&content.text))).is_some() {
                found.push(*row);
            }
        }
    }
    needle.end_search()?;
    Ok(found)
}

fn text_from_match<'a>(text: &'a str, needle: Option<&Needle>) -> &'a str {
    let first = needle.and_then(|needle| needle.first_match(text));
    let from =
        first.map_or(0, |first| text[..first].char_indices().rev().nth(SHOWN / 4).map_or(0, |(at, _)| at));
    &text[from..]
}

pub(super) fn recall_only(
    opened: &SessionSnapshot,
    cleaner: &mut Cleaner,
    view: &ViewSettings,
    only: &TextPattern,
) -> Result<String, ApiError> {
    let (run, moment) = opened.replay_to_cut(view, ViewCut::default())?;
    let gone = gone_that_show(opened, cleaner, &run, &moment, Some(only))?;
    match gone.as_slice() {
        [row] if row.block_idx().is_some() => recall_named(opened, cleaner, view, &row.row_name(&run), 0),
        _ => list_gone(opened, cleaner, view, Some(only), 0),
    }
}

pub(super) fn recall_named(
    opened: &SessionSnapshot,
    cleaner: &mut Cleaner,
    view: &ViewSettings,
    block: &str,
    offset: usize,
) -> Result<String, ApiError> {
    let (branch, idx, content) =
        opened.block_named(view.branch.as_deref(), block).map_err(|error| match error.code {
            ErrorCode::UnknownBlock => error.with_hint("cwl_evicted lists the blocks with their names"),
            _ => error,
        })?;
    let (run, moment) = opened.replay_to_cut(view, ViewCut::default())?;
    let state = state_of(opened, &run, &moment, idx)?;
    let clean = harmless_text(&cleaner.clean_text(&content.text));
    let n_chars = clean.chars().count();
    let part: String = clean.chars().skip(offset).take(BROUGHT).collect();
    let end = offset + part.chars().count();
    let line = opened.line_of(&branch.session, idx);
    let state = one_line(&harmless_text(&cleaner.clean_text(&state)), SHOWN);
    let block = one_line(&harmless_text(block), SHOWN);
    let mut text = format!("{block} line {line}, {} characters; {state}\n", with_commas(n_chars as u64));
    let _infallible = writeln!(text, "    {}", indent_text(&part, 4));
    if end < n_chars {
        let _infallible =
            writeln!(text, "{} more characters from offset {end} on", with_commas((n_chars - end) as u64));
    }
    Ok(text)
}

fn state_of(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    moment: &CutContext,
    block: BlockIdx,
) -> Result<String, ApiError> {
    let row = context_rows(&moment.context).find(|row| row.block_idx() == Some(block));
    let row: Vec<ContextRow<'_>> = row.into_iter().collect();
    let item = make_items(opened, run, &row, 1, moment.is_met(run))?.pop();
    Ok(item.map_or_else(|| "not in the history any more".to_owned(), |item| item.reason))
}
