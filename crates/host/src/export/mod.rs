//! Exports: a session as one page to give away.
//!
//! The page holds the session and the engine, and computes ([`session`]). All content of a log is redacted ([`clean`]),
//! and the finished data is searched again: if a learned secret remains, the export fails. Without an engine there is
//! no page ([`engine`]).

pub(crate) mod clean;
mod engine;
mod marks_report;
mod page;
mod session;

use std::path::PathBuf;

pub use clean::Cleaner;
pub use engine::find_engine;
pub use marks_report::marks_report;
pub use page::{PageTemplate, escape_html, file_name};
pub use session::{PackedData, SessionExport, export_session};

use crate::ApiError;
use crate::api::ExportRequest;
use crate::host::inspector::Inspector;

impl Inspector {
    /// Lets this host take the engine of exported pages from `file`. Later calls change nothing.
    pub fn use_page_engine(&self, file: PathBuf) {
        self.page_engine.get_or_init(|| file);
    }

    /// Exports a session as data for its page, with progress if it takes long.
    ///
    /// # Errors
    /// If there is no engine, the view is invalid, the export is cancelled, the session cannot be opened, or a
    /// secret remains in the result.
    pub fn export(&self, session: u32, request: &ExportRequest) -> Result<Vec<u8>, ApiError> {
        let engine = find_engine(self.page_engine.get().map(PathBuf::as_path))?;
        self.run_watched(session, &self.exports, |opened, watch| {
            Ok(session::export_watched(opened, request, watch)?.page_data(&engine))
        })
    }
}
