//! Evicted blocks at a cut, filtered and sorted.

use cwl_engine::{Fate, GoneReason, TurnIdx};

use crate::ApiError;
use crate::api::{ContextItem, EvictedAnswer, EvictedOrder, TextPattern, ViewCut, ViewSettings};
use crate::figures::saturate_u32;
use crate::measure::moment::CutContext;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::present::item::{ContextRow, PageExtent, context_rows};
use crate::present::pieces::InPieces;

/// Returns blocks that the model would not receive at a cut; `only` filters them by text.
///
/// # Errors
/// If the pattern or `view` is invalid, or the log's texts cannot be read.
pub fn evicted(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    cut: ViewCut,
    only: Option<&TextPattern>,
    sort: EvictedOrder,
    extent: PageExtent,
) -> Result<EvictedAnswer, ApiError> {
    let whole = |evicted: InPieces<'_, EvictedAnswer>| {
        evicted.make_whole(|evicted, items| EvictedAnswer { items, ..evicted })
    };
    evicted_in_pieces(opened, view, cut, (only, sort, extent), whole)?
}

/// Like [`evicted`], but `tell` receives the items lazily.
///
/// # Errors
/// If the pattern or `view` is invalid, or the log's texts cannot be read.
pub fn evicted_in_pieces<R>(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    cut: ViewCut,
    (only, sort, extent): (Option<&TextPattern>, EvictedOrder, PageExtent),
    tell: impl FnOnce(InPieces<'_, EvictedAnswer>) -> R,
) -> Result<R, ApiError> {
    let (run, moment) = opened.replay_to_cut(view, cut)?;
    let gone = gone_rows(opened, &run, &moment, only, sort)?;
    let sum: u64 = gone.iter().map(|row| row.row_tokens(&run)).sum();
    let absences = &opened.find_absences(&run)?.blocks;
    let finish = |row: &ContextRow<'_>, item: &mut ContextItem| {
        if let Some(absence) = row.block_idx().and_then(|block| absences.get(block.at())) {
            item.first_turn = absence.first.map(TurnIdx::number);
            item.again_turn = absence.again.map(TurnIdx::number);
        }
    };
    let answer = EvictedAnswer {
        revision: opened.revision(),
        n_items: saturate_u32(gone.len()),
        tokens: sum,
        items: Vec::new(),
    };
    Ok(tell(InPieces::new(answer, (opened, &run), (&gone, extent), moment.is_met(&run), &finish)))
}

pub fn gone_rows<'a>(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    moment: &'a CutContext,
    only: Option<&TextPattern>,
    sort: EvictedOrder,
) -> Result<Vec<ContextRow<'a>>, ApiError> {
    let session = &run.branch.session;
    let mut gone: Vec<ContextRow<'a>> = context_rows(&moment.context).filter(|row| !row.is_kept()).collect();
    if let Some(only) = only.filter(|only| !only.query.is_empty()) {
        let counted = opened.tally_matches(only)?;
        gone.retain(|row| {
            let at = row.block_idx().map(|block| SessionSnapshot::place_of(session, block));
            at.is_some_and(|at| counted.binary_search_by_key(&at, |(place, _)| *place).is_ok())
        });
    }
    match sort {
        EvictedOrder::Log => gone.sort_by_key(ContextRow::block_idx),
        EvictedOrder::Size => {
            gone.sort_by_key(|row| (std::cmp::Reverse(row.row_tokens(run)), row.block_idx()))
        }
        EvictedOrder::Turn => {
            gone.sort_by_key(|row| (std::cmp::Reverse(eviction_time(row)), row.block_idx()))
        }
    }
    Ok(gone)
}

fn eviction_time(row: &ContextRow<'_>) -> (u32, usize) {
    match row {
        ContextRow::Block {
            fate:
                Fate::Gone(GoneReason::Evicted { turn, step, .. })
                | Fate::Masked(_, GoneReason::Evicted { turn, step, .. }),
            ..
        } => (turn.number(), *step),
        ContextRow::Block { .. } | ContextRow::Residue { .. } | ContextRow::Summary { .. } => (0, 0),
    }
}
