//! Block lists at a cut: single pages, and all rows for finding.

use crate::ApiError;
use crate::api::{ListKind, PageAnswer, PageRequest, ViewCut, ViewSettings};
use crate::commands::context::context;
use crate::commands::diff::{Sides, diff_contexts, visit_rows};
use crate::commands::evicted::{evicted, gone_rows};
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::present::item::{ContextRow, PageExtent, context_rows};

/// Returns a page of a list.
///
/// # Errors
/// If the pattern or a view is invalid, or the log's texts cannot be read.
pub fn page(opened: &SessionSnapshot, request: &PageRequest) -> Result<PageAnswer, ApiError> {
    let PageRequest { view, cut, offset, limit, .. } = request;
    let extent = PageExtent::with_limit(*offset, *limit);
    Ok(match &request.list {
        ListKind::Context { ghosts } => PageAnswer::Context(context(opened, view, *cut, *ghosts, extent)?),
        ListKind::Evicted { only, sort } => {
            PageAnswer::Evicted(evicted(opened, view, *cut, only.as_ref(), *sort, extent)?)
        }
        ListKind::Diff { against, open } => {
            PageAnswer::Diff(diff_contexts(opened, view, *cut, against, open, extent)?)
        }
    })
}

pub(crate) fn visit_list(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    cut: ViewCut,
    list: &ListKind,
    mut visit: impl FnMut(usize, &ReplayRun, &ContextRow<'_>),
) -> Result<(), ApiError> {
    match list {
        ListKind::Context { ghosts } => {
            let (run, moment) = opened.replay_to_cut(view, cut)?;
            let listed = context_rows(&moment.context).filter(|row| *ghosts || row.is_sent());
            listed.enumerate().for_each(|(index, row)| visit(index, &run, &row));
        }
        ListKind::Evicted { only, sort } => {
            let (run, moment) = opened.replay_to_cut(view, cut)?;
            let gone = gone_rows(opened, &run, &moment, only.as_ref(), *sort)?;
            gone.iter().enumerate().for_each(|(index, row)| visit(index, &run, row));
        }
        ListKind::Diff { against, open } => {
            let sides = Sides::render(opened, view, cut, against)?;
            visit_rows(&sides, open, visit);
        }
    }
    Ok(())
}
