//! OpenCode, which keeps its sessions as rows of a database, and up to 1.1 as folders of small files.

pub(crate) mod database;
pub(crate) mod listed;
pub(crate) mod files;
pub(crate) mod storage;

use std::path::Path;

/// The harness, which is also the name of its format.
pub const OPENCODE: &str = "opencode";

/// Names a session of `database`.
pub fn name_of_row(database: &Path, id: &str) -> String {
    format!("{}#{id}", database.display())
}

/// Takes the name of a session of a database apart.
pub fn row_named(target: &str) -> Option<(&Path, &str)> {
    let (database, id) = target.rsplit_once('#')?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let fits = database.ends_with(".db") && !id.is_empty() && id.bytes().all(is_plain);
    fits.then(|| (Path::new(database), id))
}
