//! Find: which blocks of a list hold a text, where in each it stands, and where in a list a block stands.

use cwl_store::BlockPlace;

use crate::ApiError;
use crate::asked::needle::Needle;
use crate::commands::list::visit;
use crate::dto::{FindDto, FindRequest, ListDto, MarksDto, MarksRequest, PlaceDto, PlaceRequest, SortDto};
use crate::figures::small;
use crate::measure::opened::{Opened, find_named};
use crate::present::item::{ContextRow, rows};

/// Returns which blocks of a list hold a text.
///
/// # Errors
/// Where the pattern or the view is not understood, and those of the texts.
pub fn find(opened: &Opened, request: &FindRequest) -> Result<FindDto, ApiError> {
    let needle = Needle::read(&request.wanted)?;
    let counted = opened.tally(&request.wanted)?;
    let n_in = |at: BlockPlace| {
        let found = counted.binary_search_by_key(&at, |(place, _)| *place).ok();
        found.map_or(0, |found| counted[found].1)
    };
    let as_sent = matches!(request.list, ListDto::Context { ghosts: false });
    let mut answer =
        FindDto { revision: opened.revision(), n_matches: 0, at: Vec::new(), counts: Vec::new() };
    visit(opened, &request.view, request.cut, &request.list, |index, run, row| {
        let made = row.made().filter(|_| as_sent || !matches!(row, ContextRow::Block { .. }));
        let n = match (made, row) {
            (Some(made), _) => needle.count(made),
            (None, ContextRow::Block { block, .. }) => n_in(Opened::place_of(&run.branch.session, *block)),
            (None, ContextRow::Residue { .. } | ContextRow::Summary { .. }) => 0,
        };
        if n > 0 {
            answer.n_matches += u64::from(n);
            answer.at.push(small(index));
            answer.counts.push(n);
        }
    })?;
    needle.end().map(|()| answer)
}

/// Returns where in one block a text stands; nothing where there is no such block at the cut.
///
/// # Errors
/// Where the pattern or the view is not understood, and those of the texts.
pub fn marks(opened: &Opened, request: &MarksRequest) -> Result<MarksDto, ApiError> {
    let needle = Needle::read(&request.wanted)?;
    let (run, moment) = opened.at(&request.view, request.cut)?;
    let named = |row: &ContextRow<'_>| row.name(&run) == request.block;
    let made = rows(&moment.context)
        .filter(|row| row.made().is_some())
        .filter(|row| request.as_sent || !matches!(row, ContextRow::Block { .. }))
        .find(named);
    if let Some(made) = made {
        let marks = needle.marks(made.made().unwrap_or_default());
        return needle.end().map(|()| marks);
    }
    let session = &run.branch.session;
    let Some(block) = find_named(session, &request.block) else { return Ok(MarksDto::default()) };
    let marks = needle.marks(&opened.content(session, block)?.text);
    needle.end().map(|()| marks)
}

/// Returns where in a list a block stands, or else its nearest neighbour.
///
/// # Errors
/// Where the view is not understood, and those of the texts.
pub fn place(opened: &Opened, request: &PlaceRequest) -> Result<PlaceDto, ApiError> {
    let mut exact = None;
    let mut nearest: Option<(u64, usize)> = None;
    let wanted = request.line;
    // In an order of its own a list has no neighbours in the log.
    let in_order = !matches!(&request.list, ListDto::Evicted { sort, .. } if *sort != SortDto::Log);
    visit(opened, &request.view, request.cut, &request.list, |index, run, row| {
        if exact.is_some() {
            return;
        }
        let line = row.line(opened, run);
        if line == wanted || !matches!(row, ContextRow::Block { .. }) {
            exact = (row.name(run) == request.block).then_some(index);
        }
        let away = line.abs_diff(wanted);
        if in_order && nearest.is_none_or(|(least, _)| away < least) {
            nearest = Some((away, index));
        }
    })?;
    let index = exact.or(nearest.map(|(_, index)| index));
    Ok(PlaceDto { index: index.and_then(|index| u32::try_from(index).ok()), exact: exact.is_some() })
}
