//! Opening a session, and reading a log into the store.

use std::path::Path;
use std::sync::Arc;

use cwl_formats::{HEAD, detect_format, plain_beginning};
use cwl_inspect::load::undetected_format;

use crate::ApiError;
use crate::api::{OpenRequest, SessionAnswer};
use crate::commands::session as answer;
use crate::host::inspector::Inspector;
use crate::host::named::path_of;
use crate::reading::live::{LogFollower, head_of};

impl Inspector {
    /// Opens a session, reads its log to the present end, and follows it.
    ///
    /// The request may name a format, which chooses between forms of logs but makes no log out of another
    /// file.
    ///
    /// # Errors
    /// If the log is missing, unreadable, empty, binary or in no known format.
    pub fn open(&self, request: OpenRequest) -> Result<SessionAnswer, ApiError> {
        if request.format.is_some() {
            let path = path_of(self, &request.target)?;
            if path.exists() {
                detect_format(&plain_beginning(&head_of(&path)?, HEAD))
                    .map_err(|why| undetected_format(&path, why))?;
            }
        }
        let session = self.open_named(&request.target, request.format.as_deref())?.session();
        answer(&*self.find_snapshot(session)?)
    }

    /// Reads a log and its derived rows into the store, as [`Self::open`] does.
    ///
    /// # Errors
    /// If the log cannot be opened or the store cannot be read.
    pub async fn import(
        self: &Arc<Self>,
        target: String,
        format: Option<String>,
    ) -> Result<SessionAnswer, ApiError> {
        self.run_blocking(move |host| {
            let opened = host.open_named(&target, format.as_deref())?;
            host.with_live(Path::new(&opened.about.path), LogFollower::save_derived).unwrap_or(Ok(()))?;
            answer(&opened)
        })
        .await
    }
}
