//! Sessions that are rows of a database (OpenCode's).
//!
//! A row is opened as the document that `opencode export` would print of it. That is written beside the store,
//! and written again when the database changes, so that from there on it is a log like any other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cwl_formats::{OpencodeMessage, OpencodePart, OpencodeSession, opencode_export};
use cwl_tail::{OpencodeRow, OpencodeRows, Stamp, opencode_session, opencode_sessions};

use crate::dto::NoticeDto;
use crate::recent::locked;
use crate::{ApiError, ErrorCode, Inspector};

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

/// Returns where the documents of the sessions are written that a database or a folder of files holds.
pub(super) fn folder(host: &Inspector, source: &Path) -> PathBuf {
    let data_dir = host.stores.dir();
    let of_source = &blake3::hash(source.as_os_str().as_encoded_bytes()).to_hex()[..16];
    crate::sessions::list::real(&data_dir.join(HARNESS).join(of_source))
}

/// Returns where the document of a session is written.
pub(crate) fn document_path(host: &Inspector, source: &Path, id: &str) -> PathBuf {
    folder(host, source).join(format!("{id}.json"))
}

/// Says of OpenCode's own file that it could not be read.
pub(super) fn unreadable(path: &Path, message: String, hint: &str) -> NoticeDto {
    let path = path.display().to_string();
    NoticeDto { harness: HARNESS.to_owned(), path, message, hint: hint.to_owned() }
}

/// Writes the document of a session as it is now, unless it is that already; returns where it is.
///
/// # Errors
/// Where the database cannot be read or has no such session, and where the document cannot be written.
pub(crate) fn write_document(host: &Inspector, database: &Path, id: &str) -> Result<PathBuf, ApiError> {
    let read = opencode_session(database, id).map_err(|error| {
        ApiError::new(ErrorCode::Unreadable, error.to_string())
            .hint("try again; or open what `opencode export` prints of the session")
    })?;
    let Some(rows) = read else {
        return Err(ApiError::new(ErrorCode::Missing, format!("no session {id} in the database"))
            .hint("look at the list of sessions")
            .at(database));
    };
    put_document(host, database, &rows)
}

/// Writes the document of rows, unless it is that already; returns where it is.
pub(super) fn put_document(
    host: &Inspector,
    source: &Path,
    rows: &OpencodeRows,
) -> Result<PathBuf, ApiError> {
    // Its real name is known only when the folder is there.
    std::fs::create_dir_all(folder(host, source)).map_err(|error| unwritten(host, &error))?;
    let path = document_path(host, source, &rows.session.id);
    let document = export(rows);
    if std::fs::read(&path).is_ok_and(|known| known == document.as_bytes()) {
        return Ok(path);
    }
    let unfinished = path.with_extension("json.tmp");
    std::fs::write(&unfinished, document).map_err(|error| unwritten(host, &error))?;
    std::fs::rename(&unfinished, &path).map_err(|error| unwritten(host, &error))?;
    Ok(path)
}

fn unwritten(host: &Inspector, error: &std::io::Error) -> ApiError {
    ApiError::new(ErrorCode::Store, format!("the session cannot be written beside the store ({error})"))
        .hint("make room there, or choose another folder with CWL_DATA_DIR")
        .at(host.stores.dir())
}

fn export(rows: &OpencodeRows) -> String {
    let row = &rows.session;
    let session = OpencodeSession {
        id: &row.id,
        project: &row.project,
        parent: row.parent.as_deref(),
        slug: &row.slug,
        directory: &row.directory,
        title: &row.title,
        version: &row.version,
        revert: row.revert.as_deref(),
        created_ms: row.created_ms,
        updated_ms: row.updated_ms,
    };
    let messages: Vec<OpencodeMessage<'_>> =
        rows.messages.iter().map(|(id, data)| OpencodeMessage { id, data }).collect();
    let parts: Vec<OpencodePart<'_>> =
        rows.parts.iter().map(|(id, message, data)| OpencodePart { id, message, data }).collect();
    opencode_export(&session, &messages, &parts)
}

/// Writes the documents of the sessions that are open again, after their database changed.
pub(crate) fn refresh_open(host: &Inspector, changed: &Path) {
    let name = changed.to_string_lossy();
    let database = PathBuf::from(name.strip_suffix("-wal").unwrap_or(&name));
    if database.extension().is_none_or(|extension| extension != "db") {
        return;
    }
    let database = crate::sessions::list::real(&database);
    let folder = folder(host, &database);
    let open: Vec<PathBuf> =
        locked(&host.lives).keys().filter(|path| path.starts_with(&folder)).cloned().collect();
    for path in open {
        let Some(id) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        if let Err(error) = write_document(host, &database, id) {
            tracing::warn!(%error, "an open session is not as its database has it");
        }
    }
}
