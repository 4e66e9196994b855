//! Opening a session, and reading a log into the store.

use std::path::Path;
use std::sync::Arc;

use crate::ApiError;
use crate::commands::session as answer;
use crate::dto::{OpenRequest, SessionDto, SessionRequest};
use crate::host::inspector::Inspector;
use crate::reading::live::Live;

impl Inspector {
    /// Opens a session, reads its log to the present end, and follows it from then on.
    ///
    /// # Errors
    /// Where the log is missing, unreadable, empty, binary or of no known format.
    pub fn open(&self, request: OpenRequest) -> Result<SessionDto, ApiError> {
        let session = self.open_named(&request.target, request.format.as_deref())?.session();
        answer(&*self.find(session)?, &SessionRequest { session })
    }

    /// Reads a log into the store with all that is derived from it, as [`Self::open`] does.
    ///
    /// # Errors
    /// Those of opening, and of the store.
    pub async fn import(
        self: &Arc<Self>,
        target: String,
        format: Option<String>,
    ) -> Result<SessionDto, ApiError> {
        self.blocking(move |host| {
            let opened = host.open_named(&target, format.as_deref())?;
            host.with_live(Path::new(&opened.about.path), Live::save_derived).unwrap_or(Ok(()))?;
            answer(&opened, &SessionRequest { session: opened.session() })
        })
        .await
    }
}
