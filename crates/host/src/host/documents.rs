//! Documents of sessions that live in a database or in many files.
//!
//! A session opens as the document that its harness would export. The document lies beside the store and
//! is rewritten when its source changes, so it is a log like any other.

use std::path::{Path, PathBuf};

use cwl_discover::{
    OPENCODE, SessionRows, StorageFile, database_hint, database_of, database_session, read_storage,
    real_path, storage_file, storage_of,
};
use cwl_inspect::recent::lock_unpoisoned;
use cwl_store::private;

use crate::host::inspector::Inspector;
use crate::{ApiError, ErrorCode};

fn documents_folder(data_dir: &Path, source: &Path) -> PathBuf {
    let of_source = &blake3::hash(source.as_os_str().as_encoded_bytes()).to_hex()[..16];
    real_path(&data_dir.join(OPENCODE).join(of_source))
}

pub(crate) fn document_path(data_dir: &Path, source: &Path, id: &str) -> PathBuf {
    documents_folder(data_dir, source).join(format!("{id}.json"))
}

/// Writes the document of a session in a database, unless it is up to date, and returns its path.
///
/// # Errors
/// If the database is unreadable or has no such session, or the document cannot be written.
pub(crate) fn write_document(host: &Inspector, database: &Path, id: &str) -> Result<PathBuf, ApiError> {
    put_document(host, database, &rows_of(database, id)?)
}

pub(crate) fn rows_of(database: &Path, id: &str) -> Result<SessionRows, ApiError> {
    let read = database_session(database, id).map_err(|error| {
        let (_, hint) = database_hint(database);
        ApiError::new(ErrorCode::Unreadable, error.to_string()).with_hint(format!("try again; or {hint}"))
    })?;
    read.ok_or_else(|| {
        ApiError::new(ErrorCode::Missing, format!("no session {id} in the database"))
            .with_hint("look at the list of sessions")
            .with_path(database)
    })
}

fn put_document(host: &Inspector, source: &Path, rows: &SessionRows) -> Result<PathBuf, ApiError> {
    // The real name is known only once the folder exists.
    private::make_folder(&documents_folder(host.stores.store_folder(), source))
        .map_err(|error| unwritten_error(host, &error))?;
    let path = document_path(host.stores.store_folder(), source, rows.id());
    let document = rows.document();
    if std::fs::read(&path).is_ok_and(|known| known == document.as_bytes()) {
        return Ok(path);
    }
    let unfinished = path.with_extension("json.tmp");
    private::write_private(&unfinished, document.as_bytes())
        .map_err(|error| unwritten_error(host, &error))?;
    std::fs::rename(&unfinished, &path).map_err(|error| unwritten_error(host, &error))?;
    Ok(path)
}

fn unwritten_error(host: &Inspector, error: &std::io::Error) -> ApiError {
    ApiError::new(ErrorCode::Store, format!("the session cannot be written beside the store ({error})"))
        .with_hint("make room there, or choose another folder with CWL_DATA_DIR")
        .with_path(host.stores.store_folder())
}

pub(crate) fn write_files(host: &Inspector, file: &Path) -> Result<PathBuf, ApiError> {
    let (rows, storage) = rows_of_files(file)?;
    put_document(host, storage, &rows)
}

pub(crate) fn rows_of_files(file: &Path) -> Result<(SessionRows, &Path), ApiError> {
    let read = read_storage(file).map_err(|error| {
        ApiError::new(ErrorCode::Unreadable, error.to_string())
            .with_hint("try again; or open what `opencode export` prints of the session")
            .with_path(file)
    })?;
    read.map(SessionRows::Opencode).zip(storage_of(file)).ok_or_else(|| {
        ApiError::new(ErrorCode::Missing, "the session's file is not there any more")
            .with_hint("look at the list of sessions")
            .with_path(file)
    })
}

pub(crate) fn refresh_files(host: &Inspector, changed: &Path) {
    let Some(StorageFile::Session(id) | StorageFile::Message(id)) = storage_file(changed) else { return };
    let name = format!("{id}.json");
    let is_named = |path: &Path| path.file_name().is_some_and(|of_path| *of_path == *name);
    // Most files that change belong to no open session.
    if !lock_unpoisoned(&host.lives).keys().any(|path| is_named(path)) {
        return;
    }
    let changed = real_path(changed);
    let Some(storage) = storage_of(&changed) else { return };
    let document = documents_folder(host.stores.store_folder(), storage).join(&name);
    if !lock_unpoisoned(&host.lives).contains_key(&document) {
        return;
    }
    let projects = std::fs::read_dir(storage.join("session")).into_iter().flatten().flatten();
    let file = projects.map(|project| project.path().join(&name)).find(|file| file.is_file());
    // A document that is still being written is read again once it is complete.
    if let Some(Err(error)) = file.map(|file| write_files(host, &file)) {
        tracing::warn!(%error, "an open session is not as its files have it");
    }
}

pub(crate) fn refresh_open(host: &Inspector, changed: &Path) {
    let Some(database) = database_of(changed) else { return };
    let database = real_path(&database);
    let folder = documents_folder(host.stores.store_folder(), &database);
    let open: Vec<PathBuf> =
        lock_unpoisoned(&host.lives).keys().filter(|path| path.starts_with(&folder)).cloned().collect();
    for path in open {
        let Some(id) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        if let Err(error) = write_document(host, &database, id) {
            tracing::warn!(%error, "an open session is not as its database has it");
        }
    }
}
