//! The folder of the store.

use std::path::PathBuf;

use cwl_discover::project_dirs;

use crate::{ApiError, ErrorCode};

/// Returns the store's folder: `CWL_DATA_DIR`, else the platform's data directory.
///
/// # Errors
/// If the platform has none, for example because the user has no home.
pub fn default_data_dir() -> Result<PathBuf, ApiError> {
    let chosen = std::env::var_os("CWL_DATA_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    chosen.or_else(|| project_dirs().map(|dirs| dirs.data_dir().to_owned())).ok_or_else(|| {
        ApiError::new(ErrorCode::Store, "this user has no home folder for the store")
            .with_hint("name a folder with CWL_DATA_DIR")
    })
}
