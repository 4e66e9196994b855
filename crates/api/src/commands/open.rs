//! Opening a session, and reading a log into the store.

use std::path::Path;
use std::sync::Arc;

use crate::ApiError;
use crate::commands::session as answer;
use crate::dto::{OpenRequest, SessionDto, SessionRequest};
use crate::host::inspector::{Inspector, blocking};
use crate::reading::live::Live;

impl Inspector {
    /// Opens a session, reads its log to the present end, and follows it from then on.
    ///
    /// # Errors
    /// Where the log is missing, unreadable, empty, binary or of no known format.
    pub async fn open(self: &Arc<Self>, request: OpenRequest) -> Result<SessionDto, ApiError> {
        let session = self.open_target(request.target, request.format).await?.session();
        let opened = self.find(session)?;
        blocking(move || answer(&opened, &SessionRequest { session })).await
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
        let opened = self.open_target(target, format).await?;
        self.blocking(move |host| {
            host.with_live(Path::new(&opened.about.path), Live::save_derived).unwrap_or(Ok(()))?;
            answer(&opened, &SessionRequest { session: opened.session() })
        })
        .await
    }
}
