//! Sessions that are rows of a database (OpenCode's).
//!
//! A row is opened as the document that `opencode export` would print of it. That is written beside the store,
//! and written again when the database changes, so that from there on it is a log like any other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cwl_tail::{OpencodeRow, Stamp, opencode_sessions};

use crate::dto::NoticeDto;
use crate::recent::locked;

/// The harness, which is also the name of its format.
pub(crate) const HARNESS: &str = "opencode";

/// A database of sessions, as its folder shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundDatabase {
    /// Its real path.
    pub(crate) path: PathBuf,
    /// Of the database, and of its log of writes.
    pub(crate) stamps: (Stamp, Option<Stamp>),
}

/// A list of sessions, and of which state of the database.
type Listed = (FoundDatabase, Arc<Vec<OpencodeRow>>);

/// What databases held when they were last read.
#[derive(Debug, Default)]
pub(crate) struct Databases {
    listed: Mutex<BTreeMap<PathBuf, Listed>>,
    /// Why one could not be read when it was tried last.
    failed: Mutex<BTreeMap<PathBuf, String>>,
}

impl Databases {
    /// Lists the sessions of a database, read again only where it has changed. What cannot be read just now is as
    /// it was.
    pub(crate) fn sessions(&self, database: &FoundDatabase) -> Arc<Vec<OpencodeRow>> {
        let known = locked(&self.listed).get(&database.path).cloned();
        if let Some((_, rows)) = known.as_ref().filter(|(then, _)| then == database) {
            return Arc::clone(rows);
        }
        match opencode_sessions(&database.path) {
            Ok(rows) => {
                let rows = Arc::new(rows);
                let listed = (database.clone(), Arc::clone(&rows));
                locked(&self.listed).insert(database.path.clone(), listed);
                locked(&self.failed).remove(&database.path);
                rows
            }
            Err(error) => {
                tracing::warn!(%error, "sessions are not listed");
                locked(&self.failed).insert(database.path.clone(), error.to_string());
                known.map_or_else(Arc::default, |(_, rows)| rows)
            }
        }
    }

    /// Says which databases could not be read.
    pub(crate) fn notices(&self) -> Vec<NoticeDto> {
        let hint = "open what `opencode export ID` prints, as in `opencode export ID > session.json`";
        let failed = locked(&self.failed);
        let there = failed.iter().filter(|(path, _)| path.exists());
        there.map(|(path, why)| unreadable(path, why.clone(), hint)).collect()
    }
}

/// Names a session of a database.
pub(crate) fn name_of_row(database: &Path, id: &str) -> String {
    format!("{}#{id}", database.display())
}

/// Takes the name of a session of a database apart.
pub(crate) fn row_named(target: &str) -> Option<(&Path, &str)> {
    let (database, id) = target.rsplit_once('#')?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let fits = database.ends_with(".db") && !id.is_empty() && id.bytes().all(is_plain);
    fits.then(|| (Path::new(database), id))
}

/// Says of OpenCode's own file that it could not be read.
pub(super) fn unreadable(path: &Path, message: String, hint: &str) -> NoticeDto {
    let path = path.display().to_string();
    NoticeDto { harness: HARNESS.to_owned(), path, message, hint: hint.to_owned() }
}
