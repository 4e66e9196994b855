//! Marks in the store, kept per log under names.

use std::path::Path;
use std::sync::Arc;

use cwl_discover::real_path;
use cwl_inspect::marks::NamedMarks;
use cwl_inspect::marks::read::read_marks;
use cwl_inspect::text_store::TextStore;
use cwl_store::{Overlay, copies_of_user};

use crate::data_dir::default_data_dir;
use crate::error::{is_of_user, store_error};
use crate::stored::library::Library;
use crate::stored::texts::StoredTexts;
use crate::{ApiError, ErrorCode};

pub(crate) struct MarksStore {
    library: Arc<Library>,
    path: String,
}

impl MarksStore {
    /// Finds the store with a log's marks: the one its texts came from, else the user's, which is created only if
    /// `make` is set. `None` if there is no store.
    pub(crate) fn find(
        stored: Option<&dyn TextStore>,
        log: &str,
        make: bool,
    ) -> Result<Option<Self>, ApiError> {
        if let Some(stored) = stored.filter(|stored| stored.is_kept()).and_then(StoredTexts::from_texts) {
            let path = stored.library.run_read(|reader| reader.source(stored.source))?.path;
            return Ok(Some(Self { library: Arc::clone(&stored.library), path }));
        }
        let path = real_path(Path::new(log)).display().to_string();
        let dir = default_data_dir()?;
        if !make && !dir.join("user.sqlite").exists() && copies_of_user(&dir).is_empty() {
            return Ok(None);
        }
        let library = match Library::open_folder(&dir) {
            // Marks are in `user.sqlite`, whatever became of the other file.
            Err(error) if !is_of_user(error.file_path()) && dir.join("user.sqlite").is_file() => {
                Library::open_notes(&dir).or(Err(error)).map_err(store_error)?
            }
            opened => opened.map_err(store_error)?,
        };
        Ok(Some(Self { library: Arc::new(library), path }))
    }

    pub(crate) fn find_marks(&self, name: &str) -> Result<Option<NamedMarks>, ApiError> {
        let found = self.library.run_read(|reader| reader.overlay_named(&self.path, name))?;
        found.map(|overlay| marks_of_overlay(&overlay)).transpose()
    }

    pub(crate) fn all_marks(&self) -> Result<Vec<(NamedMarks, i64)>, ApiError> {
        let all = self.library.run_read(|reader| reader.overlays_of_log(&self.path))?;
        all.iter().map(|overlay| Ok((marks_of_overlay(overlay)?, overlay.saved_ms))).collect()
    }

    /// Returns whether `marks` replaced marks with the same name.
    pub(crate) fn save_marks(&self, marks: &NamedMarks, saved_ms: i64) -> Result<bool, ApiError> {
        let overlay = Overlay {
            path: self.path.clone(),
            name: marks.name.clone(),
            made_by: marks.author_name().map(str::to_owned),
            marks: serde_json::to_string(&marks.marks).map_err(ApiError::from_internal)?,
            saved_ms,
        };
        self.library.run_write(|store| store.save_overlay(&overlay)).map_err(store_error)
    }

    /// Returns whether there were any.
    pub(crate) fn remove_marks(&self, name: &str) -> Result<bool, ApiError> {
        self.library.run_write(|store| store.remove_overlay(&self.path, name)).map_err(store_error)
    }
}

fn marks_of_overlay(overlay: &Overlay) -> Result<NamedMarks, ApiError> {
    let mut marks = read_marks(overlay.marks.as_bytes())?;
    marks.made_by.clone_from(&overlay.made_by);
    Ok(NamedMarks { name: overlay.name.clone(), marks })
}

pub(crate) fn find_stored(
    stored: Option<&dyn TextStore>,
    log: &str,
    name: &str,
) -> Result<NamedMarks, ApiError> {
    let shelf = MarksStore::find(stored, log, false)?;
    if let Some(found) = shelf.as_ref().map(|shelf| shelf.find_marks(name)).transpose()?.flatten() {
        return Ok(found);
    }
    let all = shelf.as_ref().map(MarksStore::all_marks).transpose()?.unwrap_or_default();
    let names: Vec<&str> = all.iter().map(|(written, _)| written.name.as_str()).collect();
    let stored = if names.is_empty() { String::new() } else { format!("; stored are {}", names.join(", ")) };
    Err(ApiError::new(ErrorCode::BadView, format!("no marks are stored as `{name}`{stored}"))
        .with_hint("an annotation is auto, declared, inferred, filled, the name of stored marks, or a file: ./MARKS.json"))
}
