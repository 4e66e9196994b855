//! Block lists at a cut: single pages, and all rows for finding.

use crate::ApiError;
use crate::commands::context::context;
use crate::commands::diff::{Sides, diff_contexts, visit_rows};
use crate::commands::evicted::{evicted, gone_rows};
use crate::dto::{CutDto, ListDto, PageDto, PageRequest, ViewDto};
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::present::item::{ContextRow, PageExtent, context_rows};

/// Returns a page of a list.
///
/// # Errors
/// If the pattern or a view is invalid, or the log's texts cannot be read.
pub fn page(opened: &SessionSnapshot, request: &PageRequest) -> Result<PageDto, ApiError> {
    let PageRequest { view, cut, offset, limit, .. } = request;
    let extent = PageExtent::with_limit(*offset, *limit);
    Ok(match &request.list {
        ListDto::Context { ghosts } => PageDto::Context(context(opened, view, *cut, *ghosts, extent)?),
        ListDto::Evicted { only, sort } => {
            PageDto::Evicted(evicted(opened, view, *cut, only.as_ref(), *sort, extent)?)
        }
        ListDto::Diff { against, open } => {
            PageDto::Diff(diff_contexts(opened, view, *cut, against, open, extent)?)
        }
    })
}

pub(crate) fn visit_list(
    opened: &SessionSnapshot,
    view: &ViewDto,
    cut: CutDto,
    list: &ListDto,
    mut visit: impl FnMut(usize, &ReplayRun, &ContextRow<'_>),
) -> Result<(), ApiError> {
    match list {
        ListDto::Context { ghosts } => {
            let (run, moment) = opened.replay_to_cut(view, cut)?;
            let listed = context_rows(&moment.context).filter(|row| *ghosts || row.is_sent());
            listed.enumerate().for_each(|(index, row)| visit(index, &run, &row));
        }
        ListDto::Evicted { only, sort } => {
            let (run, moment) = opened.replay_to_cut(view, cut)?;
            let gone = gone_rows(opened, &run, &moment, only.as_ref(), *sort)?;
            gone.iter().enumerate().for_each(|(index, row)| visit(index, &run, row));
        }
        ListDto::Diff { against, open } => {
            let sides = Sides::render(opened, view, cut, against)?;
            visit_rows(&sides, open, visit);
        }
    }
    Ok(())
}
