//! Marks in the store: kept per log by name, and found again by that name.

use std::path::Path;
use std::sync::Arc;

use cwl_discover::real;
use cwl_store::{Overlay, copies_of_user};

use crate::error::is_of_user;
use crate::marks::Written;
use crate::marks::read::read_marks;
use crate::stored::library::Library;
use crate::stored::texts::Texts;
use crate::tables::tools::default_data_dir;
use crate::{ApiError, ErrorCode};

/// The store of a log's marks, and the path by which it knows the log.
pub(crate) struct Shelf {
    library: Arc<Library>,
    path: String,
}

impl Shelf {
    /// Finds where the marks of a log are kept: in the store that its texts came from, else in the user's own, which is
    /// made only where `make` says so. `None` where there is no store.
    pub(crate) fn of(texts: &Texts, log: &str, make: bool) -> Result<Option<Self>, ApiError> {
        if let Some(stored) = texts.stored.as_ref().filter(|_| texts.is_kept()) {
            let path = stored.library.read(|reader| reader.source(stored.source))?.path;
            return Ok(Some(Self { library: Arc::clone(&stored.library), path }));
        }
        let path = real(Path::new(log)).display().to_string();
        let dir = default_data_dir()?;
        if !make && !dir.join("user.sqlite").exists() && copies_of_user(&dir).is_empty() {
            return Ok(None);
        }
        let library = match Library::open(&dir) {
            // Marks are there, whatever became of the file of logs.
            Err(error) if !is_of_user(error.path()) && dir.join("user.sqlite").is_file() => {
                Library::open_notes(&dir).or(Err(error))?
            }
            opened => opened?,
        };
        Ok(Some(Self { library: Arc::new(library), path }))
    }

    /// Returns the marks of a name.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Written>, ApiError> {
        let found = self.library.read(|reader| reader.overlay(&self.path, name))?;
        found.map(|overlay| written(&overlay)).transpose()
    }

    /// Lists the marks of the log, by name, each with when it was saved.
    pub(crate) fn all(&self) -> Result<Vec<(Written, i64)>, ApiError> {
        let all = self.library.read(|reader| reader.overlays(&self.path))?;
        all.iter().map(|overlay| Ok((written(overlay)?, overlay.saved_ms))).collect()
    }

    /// Saves marks; tells whether there were marks of that name.
    pub(crate) fn save(&self, marks: &Written, saved_ms: i64) -> Result<bool, ApiError> {
        let overlay = Overlay {
            path: self.path.clone(),
            name: marks.name.clone(),
            made_by: marks.by().map(str::to_owned),
            marks: serde_json::to_string(&marks.marks).map_err(ApiError::internal)?,
            saved_ms,
        };
        Ok(self.library.write(|store| store.save_overlay(&overlay))?)
    }

    /// Removes the marks of a name; tells whether there were any.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, ApiError> {
        Ok(self.library.write(|store| store.remove_overlay(&self.path, name))?)
    }
}

fn written(overlay: &Overlay) -> Result<Written, ApiError> {
    let mut marks = read_marks(overlay.marks.as_bytes())?;
    marks.made_by.clone_from(&overlay.made_by);
    Ok(Written { name: overlay.name.clone(), marks })
}

/// Finds the marks of a log that are stored under a name.
///
/// # Errors
/// Where there are none; the names that there are are told.
pub(crate) fn find_stored(texts: &Texts, log: &str, name: &str) -> Result<Written, ApiError> {
    let shelf = Shelf::of(texts, log, false)?;
    if let Some(found) = shelf.as_ref().map(|shelf| shelf.find(name)).transpose()?.flatten() {
        return Ok(found);
    }
    let all = shelf.as_ref().map(Shelf::all).transpose()?.unwrap_or_default();
    let names: Vec<&str> = all.iter().map(|(written, _)| written.name.as_str()).collect();
    let stored = if names.is_empty() { String::new() } else { format!("; stored are {}", names.join(", ")) };
    Err(ApiError::new(ErrorCode::BadView, format!("no marks are stored as `{name}`{stored}"))
        .hint("an annotation is auto, declared, inferred, filled, the name of stored marks, or a file: ./MARKS.json"))
}
