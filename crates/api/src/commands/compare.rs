//! Comparison: policies side by side at one cut and over all turns, and the blocks in which two of them differ.

use std::collections::BTreeMap;

use cwl_engine::{BandsBy, BlockIdx, EventIdx, composition_at};

use crate::commands::frontier;
use crate::dto::{
    CompareAtDto, CompareBlocksDto, CompareBlocksRequest, CompareColumnDto, CompareDto, CompareRequest,
    DifferenceDto, ItemDto,
};
use crate::figures::small;
use crate::measure::measured::{Measures, Terms, n_requests};
use crate::measure::moment::Moment;
use crate::measure::opened::Opened;
use crate::measure::run::Run;
use crate::present::item::{ContextRow, Extent, items, rows};
use crate::{ApiError, ErrorCode};

/// How many views stand side by side at the most.
pub(crate) const MOST_VIEWS: usize = 64;

/// The policies that people compare most, the most likely first. A first comparison has the first of them.
pub const LIKELY: [&str; 5] = ["cwl", "summary", "mask", "none", "pi-cwl"];

/// Puts some views side by side.
///
/// # Errors
/// Where there are none or too many, where a view is not understood, and those of the texts.
pub fn compare(opened: &Opened, request: &CompareRequest) -> Result<CompareDto, ApiError> {
    let Some(first) = request.views.first().filter(|_| request.views.len() <= MOST_VIEWS) else {
        return Err(ApiError::new(
            ErrorCode::BadRequest,
            format!("{} views cannot be compared", request.views.len()),
        )
        .hint(format!("ask for 1 to {MOST_VIEWS}")));
    };
    let terms = Terms::of(opened, &request.cache);
    let mut columns = Vec::with_capacity(request.views.len());
    let (mut turn, mut n_made) = (1, 0);
    for view in &request.views {
        let measures = Measures::of(opened, view, &terms)?;
        let column = column(opened, request, &measures)?;
        turn = measures.run.cut(request.cut).turn.number().max(turn);
        n_made = n_requests(&measures.run.branch.session).max(n_made);
        columns.push(column);
    }
    let frontier = frontier::of_columns(&mut columns, request.by);
    Ok(CompareDto {
        revision: opened.revision(),
        turn,
        n_requests: n_made,
        columns,
        cache: terms.cache_used(),
        judged: terms.judged(opened, first)?,
        frontier,
        price: terms.price,
    })
}

fn column(
    opened: &Opened,
    request: &CompareRequest,
    measures: &Measures<'_>,
) -> Result<CompareColumnDto, ApiError> {
    let run = &measures.run;
    let at = compared_at(run, &*opened.moment(run, request.cut)?, request.bands.into());
    let measured = measures.own()?;
    Ok(CompareColumnDto {
        policy: run.replay.policy.name.to_owned(),
        budget: run.replay.budget,
        counted_by: run.counted_by(),
        overhead: at.overhead,
        step: at.step,
        total: at.total,
        bands: at.bands,
        n_kept: at.n_kept,
        n_gone: at.n_gone,
        gone_tokens: at.gone_tokens,
        violations: at.violations,
        over_budget: measured.over_budget,
        frontier: false,
        measured: measured.measured,
        after: run.replay.turns.iter().map(|turn| turn.after).collect(),
        cost_so_far: measured.cost_so_far,
    })
}

/// Returns the figures of a column that are about a cut.
pub(crate) fn compared_at(run: &Run, moment: &Moment, by: BandsBy) -> CompareAtDto {
    let context = &moment.context;
    let gone = || rows(context).filter(|row| !row.is_kept());
    let bands = composition_at(&run.input(), context, by);
    CompareAtDto {
        overhead: context.overhead,
        step: small(context.step),
        total: context.total,
        bands: by.bands().iter().map(|band| ((*band).into(), bands[*band as usize])).collect(),
        n_kept: small(rows(context).filter(ContextRow::is_kept).count()),
        n_gone: small(gone().count()),
        gone_tokens: gone().map(|row| row.tokens(run)).sum(),
        violations: moment
            .refused(&run.branch.session)
            .map(|(provider, violations)| (provider, small(violations.len())))
            .collect(),
    }
}

/// The identity of a row under every policy: its block's place in the log, which is also the order of rows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// The block, or the one that something synthetic stands before.
    event: EventIdx,
    part: u32,
    /// The text of something synthetic; it comes before the block.
    text: Option<String>,
}

/// Lists the blocks, descriptions and summaries that only one of two views sends, in the order of the log.
///
/// # Errors
/// Where a view is not understood, and those of the texts.
pub fn compare_blocks(opened: &Opened, request: &CompareBlocksRequest) -> Result<CompareBlocksDto, ApiError> {
    let (run_a, at_a) = opened.at(&request.a, request.cut)?;
    let (run_b, at_b) = opened.at(&request.b, request.cut)?;
    let (rows_a, rows_b) = (keyed(&run_a, &at_a), keyed(&run_b, &at_b));
    let only = |these: &BTreeMap<Key, ContextRow<'_>>, others: &BTreeMap<Key, ContextRow<'_>>| -> Vec<Key> {
        let is_sent = |key: &Key| others.get(key).is_some_and(ContextRow::is_kept);
        these.iter().filter(|(key, row)| row.is_kept() && !is_sent(key)).map(|(key, _)| key.clone()).collect()
    };
    let (only_a, only_b) = (only(&rows_a, &rows_b), only(&rows_b, &rows_a));
    let tokens = |keys: &[Key], rows: &BTreeMap<Key, ContextRow<'_>>, run: &Run| -> u64 {
        keys.iter().filter_map(|key| rows.get(key)).map(|row| row.tokens(run)).sum()
    };
    let (n_only_a, n_only_b) = (small(only_a.len()), small(only_b.len()));
    let (only_a_tokens, only_b_tokens) = (tokens(&only_a, &rows_a, &run_a), tokens(&only_b, &rows_b, &run_b));
    let mut all: Vec<(Key, bool)> = only_a.into_iter().map(|key| (key, true)).collect();
    all.extend(only_b.into_iter().map(|key| (key, false)));
    all.sort();
    let extent = Extent::page(request.offset, request.limit);
    let page = extent.of(&all);
    let of_page = |run: &Run, at: &Moment, rows: &BTreeMap<Key, ContextRow<'_>>| -> Result<_, ApiError> {
        let wanted: Vec<(&Key, ContextRow<'_>)> =
            page.iter().filter_map(|(key, _)| Some((key, *rows.get(key)?))).collect();
        let shown: Vec<ContextRow<'_>> = wanted.iter().map(|(_, row)| *row).collect();
        let made = items(opened, run, &shown, extent.n_chars, at.is_met(run))?;
        Ok(wanted.into_iter().map(|(key, _)| key.clone()).zip(made).collect::<BTreeMap<Key, ItemDto>>())
    };
    let (mut items_a, mut items_b) = (of_page(&run_a, &at_a, &rows_a)?, of_page(&run_b, &at_b, &rows_b)?);
    let items = page.iter().filter_map(|(key, in_a)| {
        let (sent, other) = if *in_a { (&mut items_a, &items_b) } else { (&mut items_b, &items_a) };
        let item = sent.remove(key)?;
        let why_not = other.get(key).map(|item| item.reason.clone()).unwrap_or_default();
        Some(DifferenceDto { in_a: *in_a, item, why_not })
    });
    Ok(CompareBlocksDto {
        revision: opened.revision(),
        n_items: small(all.len()),
        n_only_a,
        n_only_b,
        only_a_tokens,
        only_b_tokens,
        items: items.collect(),
    })
}

fn keyed<'a>(run: &Run, moment: &'a Moment) -> BTreeMap<Key, ContextRow<'a>> {
    let session = &run.branch.session;
    let place = |block: BlockIdx| {
        let row = &session.blocks[block.at()];
        (row.event, row.part)
    };
    let mut keyed = BTreeMap::new();
    let mut waiting: Vec<(String, ContextRow<'a>)> = Vec::new();
    for row in rows(&moment.context) {
        match row {
            ContextRow::Residue { text, .. } | ContextRow::Summary { text, .. } => {
                waiting.push((text.to_owned(), row))
            }
            ContextRow::Block { block, .. } => {
                let (event, part) = place(block);
                let beside =
                    waiting.drain(..).map(|(text, row)| (Key { event, part, text: Some(text) }, row));
                keyed.extend(beside);
                keyed.insert(Key { event, part, text: None }, row);
            }
        }
    }
    let end = EventIdx::new(usize::MAX);
    keyed.extend(waiting.into_iter().map(|(text, row)| (Key { event: end, part: 0, text: Some(text) }, row)));
    keyed
}
