//! Places of many sessions: logs, folders and databases, each session with the name that opens it and a stamp
//! that tells whether it changed.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use cwl_discover::{Catalogue, Roots, SessionSource, name_of_row, real_path, row_named, storage_file};
use cwl_formats::layout::is_copy;
use cwl_formats::{HEAD, detect_format, plain_beginning};
use cwl_tail::{EntryKind, LogFolder, list_logs, open_log};

use crate::ApiError;
use crate::error::{ErrorCode, tail_error, unreadable_file};
use crate::host::documents::{rows_of, rows_of_files};
use crate::host::named::{NameTarget, at_place};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionPlace {
    /// The name that opens the session: a log's real path, or `DATABASE#ID`.
    pub name: PathBuf,
}

/// Lists the sessions in `paths`: logs themselves, all logs in or below folders, and all sessions in
/// databases. No path means the harnesses' folders. Sorted by name and without duplicates; copies that a
/// harness made are left out.
///
/// # Errors
/// If a path is missing or unreadable.
pub fn places_of_sessions(paths: &[PathBuf]) -> Result<Vec<SessionPlace>, ApiError> {
    let mut names = BTreeSet::new();
    let mut folders = Vec::new();
    for path in paths {
        let text = path.to_string_lossy();
        if let Some((database, id)) = row_named(&text).filter(|(database, _)| database.is_file()) {
            names.insert(PathBuf::from(name_of_row(&real_path(database), id)));
            continue;
        }
        let metadata = std::fs::metadata(path).map_err(|error| unreadable_file(path, &error))?;
        let has_extension = |wanted: &str| path.extension().is_some_and(|extension| extension == wanted);
        if metadata.is_file() && has_extension("parquet") {
            return Err(ApiError::new(ErrorCode::UnknownFormat, "this is a data set and no log")
                .with_hint(
                    "write its rows as logs with `cwl corpus unpack FILE --out DIR`, and name that folder",
                )
                .with_path(path));
        }
        let is_database = has_extension("db");
        match (metadata.is_dir(), is_database) {
            (true, _) => folders.push(path.clone()),
            (false, true) => {
                let folder = real_path(path).parent().map(Path::to_owned).unwrap_or_default();
                let all = Catalogue::of_all(Roots::from_folders(vec![folder]));
                names.extend(sessions_of(&all, Some(&real_path(path))));
            }
            (false, false) => {
                names.insert(real_path(path));
            }
        }
    }
    let roots = match (paths.is_empty(), folders.is_empty()) {
        (true, _) => Some(Roots::of_user()),
        (false, true) => None,
        (false, false) => Some(Roots::from_folders(folders.clone())),
    };
    if let Some(roots) = roots {
        names.extend(sessions_of(&Catalogue::of_all(roots), None));
    }
    let of_folder = |path: PathBuf| LogFolder { path, wanted: may_be_document };
    let documents = list_logs(&folders.into_iter().map(of_folder).collect::<Vec<_>>(), usize::MAX);
    names.extend(documents.logs.into_iter().map(|log| log.path).filter(|path| is_document(path)));
    Ok(names.into_iter().map(|name| SessionPlace { name }).collect())
}

fn sessions_of(catalogue: &Catalogue, only: Option<&Path>) -> Vec<PathBuf> {
    let mut names = Vec::new();
    for source in catalogue.all_sources() {
        match source {
            SessionSource::Database(database) => {
                if only.is_none_or(|only| only == database.path) {
                    let sessions = catalogue.databases.list_sessions(&database);
                    names.extend(sessions.iter().map(|one| name_of_row(&database.path, &one.id).into()));
                }
            }
            SessionSource::Log(log) if only.is_none() && !is_copy(&log.path) => names.push(log.path),
            SessionSource::Files(file) if only.is_none() => names.push(file.path),
            SessionSource::Log(_) | SessionSource::Files(_) => {}
        }
    }
    names
}

/// Tells whether the file may hold a session in one document, as benchmarks and libraries write them.
fn may_be_document(below: &Path, kind: EntryKind) -> bool {
    let name = below.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match kind {
        EntryKind::Folder => !["tool-results", "node_modules", ".git", "storage"].contains(&name),
        EntryKind::File => {
            let ends = [".json", ".traj", ".json.gz", ".traj.gz"];
            ends.iter().any(|end| name.ends_with(end)) && storage_file(below).is_none()
        }
    }
}

/// Tells whether the file begins like a log. Other documents lie beside logs.
fn is_document(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = open_log(path).map(|file| file.take(HEAD as u64).read_to_end(&mut head));
    matches!(read, Ok(Ok(_))) && detect_format(&plain_beginning(&head, HEAD)).is_ok()
}

impl SessionPlace {
    /// Size in bytes, and time of change in nanoseconds since 1970. `None` if the file is unreadable, and for
    /// a session in a database or in several files, where only [`Self::hash`] tells.
    pub fn log_stamp(&self) -> Option<(u64, i64)> {
        match at_place(&self.name) {
            Ok(Some(NameTarget::Log(path))) => {
                let metadata = std::fs::metadata(path).ok().filter(Metadata::is_file)?;
                let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
                Some((metadata.len(), i64::try_from(modified.as_nanos()).ok()?))
            }
            _ => None,
        }
    }

    /// Returns the content's size in bytes, and its hash. A session in a database or in several files is
    /// hashed as a document.
    ///
    /// # Errors
    /// If the session cannot be read.
    pub fn hash(&self) -> Result<(u64, String), ApiError> {
        let mut hasher = blake3::Hasher::new();
        let mut n_bytes = 0;
        match at_place(&self.name)? {
            Some(NameTarget::Row { database, id }) => {
                let document = rows_of(&database, &id)?.document();
                n_bytes = document.len() as u64;
                hasher.update(document.as_bytes());
            }
            Some(NameTarget::Files(file)) => {
                let document = rows_of_files(&file)?.0.document();
                n_bytes = document.len() as u64;
                hasher.update(document.as_bytes());
            }
            Some(NameTarget::Log(path)) => {
                let mut log = open_log(&path).map_err(tail_error)?;
                // On the stack: a corpus has many logs, and an allocation for each would cost more than the
                // hash.
                let mut chunk = [0; 1 << 15];
                loop {
                    match log.read(&mut chunk) {
                        Ok(0) => break,
                        Ok(n) => {
                            hasher.update(&chunk[..n]);
                            n_bytes += n as u64;
                        }
                        Err(error) => return Err(unreadable_file(&path, &error)),
                    }
                }
            }
            None => return Err(unreadable_file(&self.name, &std::io::ErrorKind::NotFound.into())),
        }
        Ok((n_bytes, hasher.finalize().to_hex()[..32].to_owned()))
    }
}
