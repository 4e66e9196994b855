//! Finding a text: the blocks of a list that contain it, its positions in a block, and a block's position in
//! a list.

use cwl_engine::BlockPlace;

use crate::ApiError;
use crate::api::{
    EvictedOrder, FindAnswer, FindRequest, ListKind, MatchesAnswer, MatchesRequest, PlaceAnswer, PlaceRequest,
};
use crate::asked::needle::Needle;
use crate::commands::list::visit_list;
use crate::figures::saturate_u32;
use crate::measure::opened::{SessionSnapshot, find_named};
use crate::present::item::{ContextRow, context_rows};

/// Finds the blocks of a list that contain a text.
///
/// # Errors
/// If the pattern or `request.view` is invalid, or the log's texts cannot be read.
pub fn find(opened: &SessionSnapshot, request: &FindRequest) -> Result<FindAnswer, ApiError> {
    let needle = Needle::parse_needle(&request.wanted, opened.begin_search())?;
    let counted = opened.tally_matches(&request.wanted)?;
    let n_in = |at: BlockPlace| {
        let found = counted.binary_search_by_key(&at, |(place, _)| *place).ok();
        found.map_or(0, |found| counted[found].1)
    };
    let as_sent = matches!(request.list, ListKind::Context { ghosts: false });
    let mut answer =
        FindAnswer { revision: opened.revision(), n_matches: 0, at: Vec::new(), counts: Vec::new() };
    visit_list(opened, &request.view, request.cut, &request.list, |index, run, row| {
        let made = row.policy_text().filter(|_| as_sent || !matches!(row, ContextRow::Block { .. }));
        let n = match (made, row) {
            (Some(made), _) => needle.count_matches(made),
            (None, ContextRow::Block { block, .. }) => {
                n_in(SessionSnapshot::place_of(&run.branch.session, *block))
            }
            (None, ContextRow::Residue { .. } | ContextRow::Summary { .. }) => 0,
        };
        if n > 0 {
            answer.n_matches += u64::from(n);
            answer.at.push(saturate_u32(index));
            answer.counts.push(n);
        }
    })?;
    needle.end_search().map(|()| answer)
}

/// Returns the positions of a text in one block; none if the block is missing at the cut.
///
/// # Errors
/// If the pattern or `request.view` is invalid, or the log's texts cannot be read.
pub fn matches(opened: &SessionSnapshot, request: &MatchesRequest) -> Result<MatchesAnswer, ApiError> {
    let needle = Needle::parse_needle(&request.wanted, opened.begin_search())?;
    let (run, moment) = opened.replay_to_cut(&request.view, request.cut)?;
    let named = |row: &ContextRow<'_>| row.row_name(&run) == request.block;
    let made = context_rows(&moment.context)
        .filter(|row| row.policy_text().is_some())
        .filter(|row| request.as_sent || !matches!(row, ContextRow::Block { .. }))
        .find(named);
    if let Some(made) = made {
        let marks = needle.find_marks(made.policy_text().unwrap_or_default());
        return needle.end_search().map(|()| marks);
    }
    let session = &run.branch.session;
    let Some(block) = find_named(session, &request.block) else { return Ok(MatchesAnswer::default()) };
    let marks = needle.find_marks(&opened.block_content(session, block)?.text);
    needle.end_search().map(|()| marks)
}

/// Returns a block's position in a list, or its nearest neighbour's.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn place(opened: &SessionSnapshot, request: &PlaceRequest) -> Result<PlaceAnswer, ApiError> {
    let mut exact = None;
    let mut nearest: Option<(u64, usize)> = None;
    let wanted = request.line;
    // A list in another order than the log's has no neighbours.
    let in_order = !matches!(&request.list, ListKind::Evicted { sort, .. } if *sort != EvictedOrder::Log);
    visit_list(opened, &request.view, request.cut, &request.list, |index, run, row| {
        if exact.is_some() {
            return;
        }
        let line = row.line_number(opened, run);
        if line == wanted || !matches!(row, ContextRow::Block { .. }) {
            exact = (row.row_name(run) == request.block).then_some(index);
        }
        let away = line.abs_diff(wanted);
        if in_order && nearest.is_none_or(|(least, _)| away < least) {
            nearest = Some((away, index));
        }
    })?;
    let index = exact.or(nearest.map(|(_, index)| index));
    Ok(PlaceAnswer { index: index.and_then(|index| u32::try_from(index).ok()), exact: exact.is_some() })
}
