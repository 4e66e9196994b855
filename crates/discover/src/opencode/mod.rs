//! OpenCode, which keeps sessions as database rows, and up to 1.1 as folders with small files.

pub(crate) mod database;
pub(crate) mod listed;
pub(crate) mod files;
pub(crate) mod storage;

use std::path::Path;

/// The harness's name, and its format's.
pub const OPENCODE: &str = "opencode";

/// Names a session in `database`: `DATABASE#ID`.
pub fn name_of_row(database: &Path, id: &str) -> String {
    format!("{}#{id}", database.display())
}

/// Splits a name made by [`name_of_row`].
pub fn row_named(target: &str) -> Option<(&Path, &str)> {
    let (database, id) = target.rsplit_once('#')?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let fits = database.ends_with(".db") && !id.is_empty() && id.bytes().all(is_plain);
    fits.then(|| (Path::new(database), id))
}
