//! Store maintenance from the command line.

use std::path::{Path, PathBuf};

use cwl_store::{Fault, VacuumOutcome, restore_user};

use crate::ApiError;
use crate::error::store_error;
use crate::stored::library::Library;

/// Returns the store's file, creating it if missing.
///
/// # Errors
/// If the store cannot be opened.
pub fn store_path(data_dir: &Path) -> Result<PathBuf, ApiError> {
    Ok(Library::open_folder(data_dir).map_err(store_error)?.store_path().to_owned())
}

/// Removes texts used by no log and shrinks the file; returns a sentence about the result.
///
/// # Errors
/// If the store cannot be opened or is in use.
pub fn vacuum_store(data_dir: &Path) -> Result<String, ApiError> {
    let VacuumOutcome { n_texts, bytes_before, bytes_after } = Library::open_folder(data_dir)
        .map_err(store_error)?
        .run_write(|store| store.vacuum())
        .map_err(store_error)?;
    let grouped = cwl_inspect::figures::with_commas;
    Ok(format!(
        "{} texts removed; {} bytes before, {} after",
        grouped(n_texts),
        grouped(bytes_before),
        grouped(bytes_after)
    ))
}

/// Checks the store; returns one sentence per finding.
///
/// # Errors
/// If the store cannot be opened.
pub fn check_store(data_dir: &Path) -> Result<Vec<String>, ApiError> {
    let library = match Library::open_folder(data_dir) {
        // Damage is the expected finding, not a failure of the check.
        Err(error) if matches!(error.fault, Fault::Corrupt(_) | Fault::Damaged(_)) => {
            let error = store_error(error);
            return Ok(vec![match &error.hint {
                Some(hint) => format!("{}; {hint}", error.message),
                None => error.message,
            }]);
        }
        opened => opened.map_err(store_error)?,
    };
    let findings = library.run_read(|reader| reader.check_integrity())?;
    Ok(findings.iter().map(ToString::to_string).collect())
}

/// Replaces the file with notes and marks by its last sound copy. The old file is kept under another name. Returns a
/// sentence about both.
///
/// # Errors
/// If there is no sound copy, or the disk refuses to rename or copy.
pub fn restore_notes(data_dir: &Path) -> Result<String, ApiError> {
    let (copy, aside) = restore_user(data_dir).map_err(store_error)?;
    Ok(format!("{} is in place; the file before it is {}", copy.display(), aside.display()))
}
