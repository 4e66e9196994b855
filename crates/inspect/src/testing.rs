//! Logs for tests.

use std::path::Path;

use crate::ApiError;
use crate::load::load_log;
use crate::measure::opened::SessionSnapshot;
use crate::tables::tools::Tools;

pub(crate) fn load_file(path: &Path) -> Result<SessionSnapshot, ApiError> {
    let bytes = std::fs::read(path).map_err(ApiError::from_internal)?;
    load_log(&bytes, None, path, &Tools::builtin_tables())
}

#[allow(clippy::unwrap_used, reason = "only for tests")]
pub(crate) fn load_sample(name: &str) -> SessionSnapshot {
    load_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)).unwrap()
}
