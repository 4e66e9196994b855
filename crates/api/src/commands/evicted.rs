//! The evicted: searched and sorted blocks that the model would not receive at a cut.

use cwl_engine::{Fate, GoneReason, TurnIdx};

use crate::ApiError;
use crate::dto::{CutDto, EvictedDto, ItemDto, SortDto, ViewDto, WantedDto};
use crate::figures::small;
use crate::measure::moment::Moment;
use crate::measure::opened::Opened;
use crate::measure::run::Run;
use crate::present::item::{ContextRow, Extent, rows};
use crate::present::pieces::InPieces;

/// Returns the blocks that the model would not receive at a cut; `only` keeps those whose text holds something.
///
/// # Errors
/// Where the pattern or the view is not understood, and those of the texts.
pub fn evicted(
    opened: &Opened,
    view: &ViewDto,
    cut: CutDto,
    only: Option<&WantedDto>,
    sort: SortDto,
    extent: Extent,
) -> Result<EvictedDto, ApiError> {
    let whole =
        |evicted: InPieces<'_, EvictedDto>| evicted.whole(|evicted, items| EvictedDto { items, ..evicted });
    evicted_in_pieces(opened, view, cut, (only, sort, extent), whole)?
}

/// Gives `tell` what [`evicted`] returns, with the items still to be made.
///
/// # Errors
/// Where the pattern or the view is not understood, and those of the texts.
pub fn evicted_in_pieces<R>(
    opened: &Opened,
    view: &ViewDto,
    cut: CutDto,
    (only, sort, extent): (Option<&WantedDto>, SortDto, Extent),
    tell: impl FnOnce(InPieces<'_, EvictedDto>) -> R,
) -> Result<R, ApiError> {
    let (run, moment) = opened.at(view, cut)?;
    let gone = gone_rows(opened, &run, &moment, only, sort)?;
    let sum: u64 = gone.iter().map(|row| row.tokens(&run)).sum();
    let absences = &opened.absences(&run)?.blocks;
    let finish = |row: &ContextRow<'_>, item: &mut ItemDto| {
        if let Some(absence) = row.block().and_then(|block| absences.get(block.at())) {
            item.first_turn = absence.first.map(TurnIdx::number);
            item.again_turn = absence.again.map(TurnIdx::number);
        }
    };
    let answer = EvictedDto {
        revision: opened.revision(),
        n_items: small(gone.len()),
        tokens: sum,
        items: Vec::new(),
    };
    Ok(tell(InPieces::new(answer, (opened, &run), (&gone, extent), moment.is_met(&run), &finish)))
}

/// Lists what the model would not receive, of texts that hold something only where that is asked for.
pub(crate) fn gone_rows<'a>(
    opened: &Opened,
    run: &Run,
    moment: &'a Moment,
    only: Option<&WantedDto>,
    sort: SortDto,
) -> Result<Vec<ContextRow<'a>>, ApiError> {
    let session = &run.branch.session;
    let mut gone: Vec<ContextRow<'a>> = rows(&moment.context).filter(|row| !row.is_kept()).collect();
    if let Some(only) = only.filter(|only| !only.query.is_empty()) {
        let counted = opened.tally(only)?;
        gone.retain(|row| {
            let at = row.block().map(|block| Opened::place_of(session, block));
            at.is_some_and(|at| counted.binary_search_by_key(&at, |(place, _)| *place).is_ok())
        });
    }
    match sort {
        SortDto::Log => gone.sort_by_key(ContextRow::block),
        SortDto::Size => gone.sort_by_key(|row| (std::cmp::Reverse(row.tokens(run)), row.block())),
        SortDto::Turn => gone.sort_by_key(|row| (std::cmp::Reverse(when(row)), row.block())),
    }
    Ok(gone)
}

/// When it was evicted; what no step took sorts as the earliest.
fn when(row: &ContextRow<'_>) -> (u32, usize) {
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
