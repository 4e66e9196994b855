//! Exports: a session that is given away as one page.
//!
//! The page has no engine. What it will be asked is asked here, at every place in time that it can be moved to, and
//! stored as changes ([`view`], [`track`]); the texts of the blocks are stored once for all views ([`rows`]). What has
//! no room in a page is left out, and that is said with figures, in the page as well. Everything that
//! came out of a log goes through redaction ([`clean`]), and the finished text is looked through once more: where a
//! secret that was learned still stands in it, there is no export.

mod clean;
mod page;
mod rows;
mod track;
mod view;

pub use page::{PageTemplate, file_name};

use crate::commands::session::session;
use crate::dto::{ExportDto, ExportRequest, RedactedDto, SessionRequest};
use crate::opened::Opened;
use crate::{ApiError, ErrorCode};

use clean::Cleaner;
use rows::RowTable;

/// The form of what is written here.
const FORM: u32 = 1;
/// More views make a page too large to be sent.
const MOST_VIEWS: usize = 12;

/// Returns an export as the JSON that stands in a page: `<` never stands in it, so that no text can end its element.
///
/// # Errors
/// Where a view is not understood, and where a secret is found in what is finished.
pub(crate) fn export(opened: &Opened, request: &ExportRequest) -> Result<Vec<u8>, ApiError> {
    exported(opened, request).map(|exported| exported.json)
}

/// An export, and what is to be said of it.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The JSON that stands in a page.
    pub json: Vec<u8>,
    /// What was redacted; `None` where nothing was to be.
    pub redacted: Option<RedactedDto>,
    /// What is not in it, as sentences.
    pub left_out: Vec<String>,
}

/// Is the command `export`, with what is to be said of it.
///
/// # Errors
/// As there.
pub fn exported(opened: &Opened, request: &ExportRequest) -> Result<Exported, ApiError> {
    let export = export_of(opened, request)?;
    let json = page::embeddable(&export)?;
    Ok(Exported { json, redacted: export.redacted, left_out: export.left_out })
}

fn export_of(opened: &Opened, request: &ExportRequest) -> Result<ExportDto, ApiError> {
    if request.views.is_empty() || request.views.len() > MOST_VIEWS {
        return Err(ApiError::new(
            ErrorCode::BadRequest,
            format!("an export has 1 to {MOST_VIEWS} views, and not {}", request.views.len()),
        ));
    }
    let first = opened.chosen(&request.views[0])?.branch;
    let mut table = RowTable::new(opened, first);
    let mut views = Vec::with_capacity(request.views.len());
    let mut left_out = Vec::new();
    let mut episodes = Vec::new();
    let room = view::Room::OF_PAGE.shared_by(request.views.len());
    for view in &request.views {
        if opened.chosen(view)?.branch != first {
            return Err(ApiError::new(ErrorCode::BadRequest, "the views of an export are of one branch"));
        }
        let (view, of_view) = view::exported(opened, view, room, &mut table, &mut left_out)?;
        views.push(view);
        episodes = of_view;
    }
    let mut of_session = session(opened, &SessionRequest { session: opened.session() })?;
    of_session.path = file_name(&of_session.path).to_owned();
    of_session.live = false;
    let is_in = |name: &str| request.views.iter().any(|view| view.policy == name);
    of_session.choices.policies.retain(|policy| is_in(&policy.name));
    of_session.choices.providers.clear();
    of_session.branches.truncate(1);

    let mut cleaner = if request.redact { Cleaner::learned(opened)? } else { Cleaner::off() };
    let (rows, words) = table.finish(opened, &mut cleaner, &mut views, &mut left_out)?;
    let of_session = cleaner.all_of(&of_session)?;
    let episodes = cleaner.all_of(&episodes)?;
    for view in &mut views {
        cleaner.view(view)?;
    }
    left_out.sort_unstable();
    left_out.dedup();
    let made_by = format!("CWL Inspector {}", env!("CARGO_PKG_VERSION"));
    let redacted = cleaner.redacted();
    let export = ExportDto {
        form: FORM,
        made_by,
        session: of_session,
        views,
        cut: request.cut,
        episodes,
        rows,
        words,
        redacted,
        left_out,
    };
    cleaner.check(&export)?;
    Ok(export)
}
