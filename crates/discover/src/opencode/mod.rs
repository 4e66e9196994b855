//! OpenCode, which keeps sessions as database rows, and up to 1.1 as folders with small files.

pub(crate) mod database;
pub(crate) mod listed;
pub(crate) mod files;
pub(crate) mod storage;

use std::path::{Path, PathBuf};

use cwl_tail::{EntryKind, LogFolder};

pub const OPENCODE: &str = "opencode";

/// Names a session in `database`: `DATABASE#ID`.
pub fn name_of_row(database: &Path, id: &str) -> String {
    format!("{}#{id}", database.display())
}

pub fn row_named(target: &str) -> Option<(&Path, &str)> {
    let (database, id) = target.rsplit_once('#')?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let fits = database.ends_with(".db") && !id.is_empty() && id.bytes().all(is_plain);
    fits.then(|| (Path::new(database), id))
}

/// Returns the database that a changed file belongs to: the file itself, or the one whose write-ahead log it is.
pub fn database_of(changed: &Path) -> Option<PathBuf> {
    let name = changed.to_str()?;
    let database = name.strip_suffix("-wal").unwrap_or(name);
    database.ends_with(".db").then(|| PathBuf::from(database))
}

/// The folder of a database, filtered for databases and their write-ahead logs.
pub fn folder_of_database(database: &Path) -> Option<LogFolder> {
    let wanted = |below: &Path, kind| {
        kind == EntryKind::File && below.components().count() == 1 && database_of(below).is_some()
    };
    Some(LogFolder { path: database.parent()?.to_owned(), wanted })
}
