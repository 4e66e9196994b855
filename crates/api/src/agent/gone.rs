//! The gone: searched, listed, and brought back.

use std::fmt::Write;

use cwl_engine::BlockIdx;

use crate::agent::status::source;
use crate::asked::needle::Needle;
use crate::brief::{harmless, indented, one_line};
use crate::commands::evicted::gone_rows;
use crate::dto::{CutDto, SortDto, ViewDto, WantedDto};
use crate::export::clean::Cleaner;
use crate::figures::grouped;
use crate::measure::moment::Moment;
use crate::measure::opened::Opened;
use crate::measure::run::Run;
use crate::present::item::{ContextRow, Extent, items, rows};
use crate::present::sentence::tokens;
use crate::{ApiError, ErrorCode};

/// The blocks that one answer lists.
const LISTED: u32 = 20;
/// How much of a text a list shows, and how much of it is looked at for that, characters.
const SHOWN: usize = 200;
const LOOKED_AT: usize = 20_000;
/// How many texts are held at once while they are searched.
const CLEANED_AT_ONCE: usize = 64;
/// The most of a block that is brought back at once, characters.
const BROUGHT: usize = 12_000;

/// Lists what is gone, of texts that hold something only where that is asked for; from the item `offset` on.
pub(super) fn listed(
    opened: &Opened,
    cleaner: &mut Cleaner,
    view: &ViewDto,
    only: Option<&WantedDto>,
    offset: u32,
) -> Result<String, ApiError> {
    let (run, moment) = opened.at(view, CutDto::default())?;
    let gone = gone_that_show(opened, cleaner, &run, &moment, only)?;
    let sum: u64 = gone.iter().map(|row| row.tokens(&run)).sum();
    let mut text = match (gone.len(), only) {
        (0, Some(only)) => {
            // As it was asked: with marks in it, the answer would tell which letters are a secret's.
            let query = harmless(&only.query);
            return Ok(format!(
                "nothing that is gone holds `{query}`; what is still in the context is not searched\n"
            ));
        }
        (0, None) => {
            let room = tokens(run.replay.budget);
            return Ok(format!(
                "nothing is gone at τ {room}: the next request carries {}\n",
                tokens(moment.context.total)
            ));
        }
        (n, _) => {
            let source = source(opened, view)?;
            format!("{} blocks, {}; the last evicted first\n{source}", grouped(n as u64), tokens(sum))
        }
    };
    let part = Extent { offset, limit: LISTED, n_chars: LOOKED_AT };
    let needle = only.map(Needle::read).transpose()?;
    for item in items(opened, &run, part.of(&gone), part.n_chars, moment.is_met(&run))? {
        let clean = harmless(&cleaner.text(&item.text));
        let tool = item.tool.as_deref().map(|tool| format!(" of {tool}")).unwrap_or_default();
        let path = item.path.as_deref().map(|path| format!(", {path}")).unwrap_or_default();
        let about = harmless(&cleaner.text(&format!("{}{tool}{path}", item.kind)));
        let reason = one_line(&harmless(&cleaner.text(&item.reason)), SHOWN);
        let _infallible = writeln!(
            text,
            "{} line {}, {}: {reason}\n    {}: {}",
            one_line(&harmless(&item.block), SHOWN),
            item.line,
            tokens(item.tokens),
            one_line(&about, SHOWN),
            one_line(around(&clean, needle.as_ref()), SHOWN),
        );
    }
    let shown = offset.saturating_add(LISTED) as usize;
    if shown < gone.len() {
        let _infallible =
            writeln!(text, "{} more from offset {shown} on", grouped((gone.len() - shown) as u64));
    }
    Ok(text)
}

/// Lists what is gone, the last evicted first; `only` keeps the blocks whose text holds something as it is shown. A search of
/// the texts as they were would give away what is redacted in them, letter by letter.
fn gone_that_show<'a>(
    opened: &Opened,
    cleaner: &mut Cleaner,
    run: &Run,
    moment: &'a Moment,
    only: Option<&WantedDto>,
) -> Result<Vec<ContextRow<'a>>, ApiError> {
    let gone = gone_rows(opened, run, moment, None, SortDto::Turn)?;
    let Some(only) = only.filter(|only| !only.query.is_empty()) else { return Ok(gone) };
    let needle = Needle::read(only)?;
    let mut found = Vec::new();
    for rows in gone.chunks(CLEANED_AT_ONCE) {
        let place = |row: &ContextRow<'_>| Some(Opened::place_of(&run.branch.session, row.block()?));
        let with_text: Vec<_> = rows.iter().filter_map(|row| Some((row, place(row)?))).collect();
        let places: Vec<_> = with_text.iter().map(|(_, place)| *place).collect();
        for ((row, _), content) in with_text.into_iter().zip(opened.texts.contents(&places)?) {
            if needle.first(&harmless(&cleaner.text(&content.text))).is_some() {
                found.push(*row);
            }
        }
    }
    needle.end()?;
    Ok(found)
}

/// Returns the part of a text from a little before the first match on.
fn around<'a>(text: &'a str, needle: Option<&Needle>) -> &'a str {
    let first = needle.and_then(|needle| needle.first(text));
    let from =
        first.map_or(0, |first| text[..first].char_indices().rev().nth(SHOWN / 4).map_or(0, |(at, _)| at));
    &text[from..]
}

/// Brings back the one block that is gone and holds something; several are listed.
pub(super) fn recalled(
    opened: &Opened,
    cleaner: &mut Cleaner,
    view: &ViewDto,
    only: &WantedDto,
) -> Result<String, ApiError> {
    let (run, moment) = opened.at(view, CutDto::default())?;
    let gone = gone_that_show(opened, cleaner, &run, &moment, Some(only))?;
    match gone.as_slice() {
        [row] if row.block().is_some() => brought(opened, cleaner, view, &row.name(&run), 0),
        _ => listed(opened, cleaner, view, Some(only), 0),
    }
}

/// Brings back a block from the character `offset` on.
pub(super) fn brought(
    opened: &Opened,
    cleaner: &mut Cleaner,
    view: &ViewDto,
    block: &str,
    offset: usize,
) -> Result<String, ApiError> {
    let (branch, idx, content) =
        opened.block_named(view.branch.as_deref(), block).map_err(|error| match error.code {
            ErrorCode::UnknownBlock => error.hint("cwl_evicted lists the blocks with their names"),
            _ => error,
        })?;
    let (run, moment) = opened.at(view, CutDto::default())?;
    let state = state_of(opened, &run, &moment, idx)?;
    let clean = harmless(&cleaner.text(&content.text));
    let n_chars = clean.chars().count();
    let part: String = clean.chars().skip(offset).take(BROUGHT).collect();
    let end = offset + part.chars().count();
    let line = opened.line_of(&branch.session, idx);
    let state = one_line(&harmless(&cleaner.text(&state)), SHOWN);
    let block = one_line(&harmless(block), SHOWN);
    let mut text = format!("{block} line {line}, {} characters; {state}\n", grouped(n_chars as u64));
    let _infallible = writeln!(text, "    {}", indented(&part, 4));
    if end < n_chars {
        let _infallible =
            writeln!(text, "{} more characters from offset {end} on", grouped((n_chars - end) as u64));
    }
    Ok(text)
}

/// Says where a block is.
fn state_of(opened: &Opened, run: &Run, moment: &Moment, block: BlockIdx) -> Result<String, ApiError> {
    let row = rows(&moment.context).find(|row| row.block() == Some(block));
    let row: Vec<ContextRow<'_>> = row.into_iter().collect();
    let item = items(opened, run, &row, 1, moment.is_met(run))?.pop();
    Ok(item.map_or_else(|| "not in the history any more".to_owned(), |item| item.reason))
}
