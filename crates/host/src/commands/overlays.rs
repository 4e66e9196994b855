//! Window commands for saved marks: list, save, export, remove.

use cwl_inspect::figures::saturate_u32;

use crate::commands::annotate::{kept_marks, marks_of_name, remove_marks, save_marks};
use crate::dto::{
    KeptMarksRequest, MarksJsonDto, OverlayDto, OverlaysDto, PushDto, RemovedDto, SaveMarksRequest,
    SavedMarksDto, SessionRequest,
};
use crate::{ApiError, ErrorCode, Inspector};

impl Inspector {
    /// Lists a session's saved marks.
    ///
    /// # Errors
    /// If there is no such session, or the store fails.
    pub fn overlays(&self, request: SessionRequest) -> Result<OverlaysDto, ApiError> {
        let opened = self.snapshot_or_open(request.session)?;
        let overlays = kept_marks(&opened)?.into_iter().map(|kept| OverlayDto {
            name: kept.name,
            by: kept.by,
            based_on: kept.based_on,
            n_marks: saturate_u32(kept.n_marks),
            saved_ms: kept.saved_ms,
        });
        Ok(OverlaysDto { overlays: overlays.collect() })
    }

    /// Checks marks and saves them under a name.
    ///
    /// # Errors
    /// If the JSON has another form or gives no episode, the name is not allowed, or the store cannot be
    /// written.
    pub fn save_marks(&self, request: SaveMarksRequest) -> Result<SavedMarksDto, ApiError> {
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
        self.send_push(PushDto::Marks { session: request.session });
        Ok(SavedMarksDto {
            name: saved.name,
            n_episodes: saturate_u32(saved.n_episodes),
            problems: saved.problems,
        })
    }

    /// Returns saved marks as JSON.
    ///
    /// # Errors
    /// If no marks have that name.
    pub fn marks_json(&self, request: KeptMarksRequest) -> Result<MarksJsonDto, ApiError> {
        let opened = self.snapshot_or_open(request.session)?;
        Ok(MarksJsonDto { json: marks_of_name(&opened, &request.name)? })
    }

    /// Removes saved marks.
    ///
    /// # Errors
    /// If no marks have that name.
    pub fn remove_marks(&self, request: KeptMarksRequest) -> Result<RemovedDto, ApiError> {
        let opened = self.snapshot_or_open(request.session)?;
        remove_marks(&opened, &request.name)?;
        self.send_push(PushDto::Marks { session: request.session });
        Ok(RemovedDto { removed: true })
    }
}
