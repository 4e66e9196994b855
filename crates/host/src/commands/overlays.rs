//! Window commands for saved marks: list, save, export, remove.

use cwl_inspect::figures::saturate_u32;

use crate::api::{
    KeptMarksRequest, MarksJsonAnswer, OverlayRow, OverlaysAnswer, Push, RemoveAnswer, SaveMarksAnswer,
    SaveMarksRequest, SessionRequest,
};
use crate::commands::annotate::{kept_marks, marks_of_name, remove_marks, save_marks};
use crate::{ApiError, ErrorCode, Inspector};

impl Inspector {
    /// Lists a session's saved marks.
    ///
    /// # Errors
    /// If there is no such session, or the store fails.
    pub fn overlays(&self, request: SessionRequest) -> Result<OverlaysAnswer, ApiError> {
        let opened = self.snapshot_or_open(request.session)?;
        let overlays = kept_marks(&opened)?.into_iter().map(|kept| OverlayRow {
            name: kept.name,
            by: kept.by,
            based_on: kept.based_on,
            n_marks: saturate_u32(kept.n_marks),
            saved_ms: kept.saved_ms,
        });
        Ok(OverlaysAnswer { overlays: overlays.collect() })
    }

    /// Checks marks and saves them under a name.
    ///
    /// # Errors
    /// If the JSON has another form or gives no episode, the name is not allowed, or the store cannot be
    /// written.
    pub fn save_marks(&self, request: SaveMarksRequest) -> Result<SaveMarksAnswer, ApiError> {
        let opened = self.snapshot_or_open(request.session)?;
        // An unwritable store is reported before anything else.
        self.stores.for_keeps()?;
        let is_known =
            || Ok::<_, ApiError>(kept_marks(&opened)?.iter().any(|kept| kept.name == request.name.trim()));
        if request.fresh && is_known()? {
            let message = format!("marks are stored as `{}` already", request.name.trim());
            return Err(ApiError::new(ErrorCode::BadRequest, message)
                .with_hint("choose another name, or remove them first"));
        }
        let saved = save_marks(&opened, request.json.as_bytes(), &request.name, None)?;
        self.send_push(Push::Marks { session: request.session });
        Ok(SaveMarksAnswer {
            name: saved.name,
            n_episodes: saturate_u32(saved.n_episodes),
            problems: saved.problems,
        })
    }

    /// Returns saved marks as JSON.
    ///
    /// # Errors
    /// If no marks have that name.
    pub fn marks_json(&self, request: KeptMarksRequest) -> Result<MarksJsonAnswer, ApiError> {
        let opened = self.snapshot_or_open(request.session)?;
        Ok(MarksJsonAnswer { json: marks_of_name(&opened, &request.name)? })
    }

    /// Removes saved marks.
    ///
    /// # Errors
    /// If no marks have that name.
    pub fn remove_marks(&self, request: KeptMarksRequest) -> Result<RemoveAnswer, ApiError> {
        let opened = self.snapshot_or_open(request.session)?;
        remove_marks(&opened, &request.name)?;
        self.send_push(Push::Marks { session: request.session });
        Ok(RemoveAnswer { removed: true })
    }
}
