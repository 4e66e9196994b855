//! Lists of blocks at a cut: a page of a list, and all of its rows for finding in it.

use crate::ApiError;
use crate::commands::context::context;
use crate::commands::diff::{Sides, diff, visit_rows};
use crate::commands::evicted::{evicted, gone_rows};
use crate::dto::{CutDto, ListDto, PageDto, PageRequest, ViewDto};
use crate::measure::opened::Opened;
use crate::measure::run::Run;
use crate::present::item::{ContextRow, Extent, rows};

/// Returns a page of a list.
///
/// # Errors
/// Where the pattern or a view is not understood, and those of the texts.
pub fn page(opened: &Opened, request: &PageRequest) -> Result<PageDto, ApiError> {
    let PageRequest { view, cut, offset, limit, .. } = request;
    let extent = Extent::page(*offset, *limit);
    Ok(match &request.list {
        ListDto::Context { ghosts } => PageDto::Context(context(opened, view, *cut, *ghosts, extent)?),
        ListDto::Evicted { only, sort } => {
            PageDto::Evicted(evicted(opened, view, *cut, only.as_ref(), *sort, extent)?)
        }
        ListDto::Diff { against, open } => PageDto::Diff(diff(opened, view, *cut, against, open, extent)?),
    })
}

/// Gives the rows of a list to `visit`, each with its place and the run that it is of.
pub(crate) fn visit(
    opened: &Opened,
    view: &ViewDto,
    cut: CutDto,
    list: &ListDto,
    mut visit: impl FnMut(usize, &Run, &ContextRow<'_>),
) -> Result<(), ApiError> {
    match list {
        ListDto::Context { ghosts } => {
            let (run, moment) = opened.at(view, cut)?;
            let listed = rows(&moment.context).filter(|row| *ghosts || row.is_sent());
            listed.enumerate().for_each(|(index, row)| visit(index, &run, &row));
        }
        ListDto::Evicted { only, sort } => {
            let (run, moment) = opened.at(view, cut)?;
            let gone = gone_rows(opened, &run, &moment, only.as_ref(), *sort)?;
            gone.iter().enumerate().for_each(|(index, row)| visit(index, &run, row));
        }
        ListDto::Diff { against, open } => {
            let sides = Sides::of(opened, view, cut, against)?;
            visit_rows(&sides, open, visit);
        }
    }
    Ok(())
}
