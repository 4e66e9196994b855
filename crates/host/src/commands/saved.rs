//! Bookmarks: named places in a session.

use crate::api::{
    Push, RemoveAnswer, RemoveRequest, SaveAnswer, SaveViewRequest, SavedViewRow, SavedViewsAnswer,
    SessionRequest,
};
use crate::error::store_error;
use crate::reading::lately::now_ms;
use crate::{ApiError, ErrorCode, Inspector};

/// Longest name and longest link, in bytes.
const MOST_BYTES: usize = 64 << 10;

impl Inspector {
    /// Lists a session's bookmarks, oldest first.
    ///
    /// # Errors
    /// If there is no such session, or the store fails.
    pub fn saved_views(&self, request: SessionRequest) -> Result<SavedViewsAnswer, ApiError> {
        let opened = self.snapshot_or_open(request.session)?;
        if !opened.texts.is_kept() {
            return Ok(SavedViewsAnswer { views: Vec::new() });
        }
        let path = self.path_in_store(request.session)?;
        let views = self.stores.main().run_read(|reader| reader.saved_views(&path))?;
        let views = views.into_iter().map(|view| SavedViewRow {
            id: view.id,
            name: view.name,
            query: view.query,
            saved_ms: view.saved_ms,
        });
        Ok(SavedViewsAnswer { views: views.collect() })
    }

    /// Saves a bookmark, synced to disk.
    ///
    /// # Errors
    /// If the bookmark has no name, or the store cannot be written.
    pub fn save_view(&self, request: SaveViewRequest) -> Result<SaveAnswer, ApiError> {
        if request.name.trim().is_empty() {
            return Err(ApiError::new(ErrorCode::BadRequest, "a bookmark without a name")
                .with_hint("give it a name, or remove it"));
        }
        if request.name.len().max(request.query.len()) > MOST_BYTES {
            return Err(ApiError::new(ErrorCode::BadRequest, "a bookmark that is too long")
                .with_hint("give it a shorter name"));
        }
        drop(self.snapshot_or_open(request.session)?);
        let SaveViewRequest { session, id, name, query, saved_ms } = request;
        let store = self.stores.for_keeps()?;
        let path = self.path_in_store(session)?;
        let saved_ms = saved_ms.unwrap_or_else(now_ms);
        let id = store
            .run_write(|store| store.save_view(id, &path, name.trim(), &query, saved_ms))
            .map_err(store_error)?;
        self.send_push(Push::Notes { session });
        Ok(SaveAnswer { id })
    }

    /// Removes a bookmark.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn remove_view(&self, request: RemoveRequest) -> Result<RemoveAnswer, ApiError> {
        let removed =
            self.stores.for_keeps()?.run_write(|store| store.remove_view(request.id)).map_err(store_error)?;
        self.made_elsewhere();
        Ok(RemoveAnswer { removed })
    }
}
