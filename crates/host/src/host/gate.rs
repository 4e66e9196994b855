//! The gate for links: sessions in the list open at once, other files need the person's consent, and some
//! places never open.

use std::path::{Path, PathBuf};

use cwl_discover::{SessionSource, name_of_row, real_path, row_named};
use cwl_inspect::asked::place::{PathRefusal, is_path, plain_path, refuse_path, refuse_target};
use cwl_inspect::asked::view::file_of_marks;

use crate::api::{AdmitAnswer, AdmitRequest};
use crate::host::corpora::is_corpus;
use crate::host::inspector::Inspector;
use crate::host::named::{NameResolver, NameTarget};
use crate::{ApiError, ErrorCode};

impl Inspector {
    /// Decides whether a link may open its target at once or only after the person consents.
    ///
    /// # Errors
    /// If nothing has that name, or if the target or the marks file is on the network, a device, or no place
    /// at all.
    pub fn admit(&self, request: AdmitRequest) -> Result<AdmitAnswer, ApiError> {
        let admitted = self.admit_session(&request.session)?;
        let file = request.annotation.as_deref().and_then(file_of_marks);
        let marks = file.map(|file| Ok::<_, ApiError>(place_of(file)?.display().to_string())).transpose()?;
        Ok(AdmitAnswer { known: admitted.known && marks.is_none(), marks, ..admitted })
    }

    fn admit_session(&self, target: &str) -> Result<AdmitAnswer, ApiError> {
        // First, as the next line might already ask another machine.
        if let Some(refusal) = refuse_target(target, cfg!(windows)) {
            return Err(refusal_of(refusal, target));
        }
        if !is_path(target) {
            let (catalogue, data_dir) = (&self.catalogue, self.stores.store_folder());
            let names = NameResolver { catalogue, data_dir, stored: self.stores.all_sources()? };
            return Ok(AdmitAnswer {
                target: names.find_target(target)?.target_name(),
                known: true,
                marks: None,
            });
        }
        let Some(path) = plain_path(Path::new(target)) else {
            return Err(refusal_of(PathRefusal::Partial, target));
        };
        let admitted =
            |path: &Path, known| AdmitAnswer { target: path.display().to_string(), known, marks: None };
        if self.lists_path(&path)? {
            return Ok(admitted(&path, true));
        }
        let place = open_place(path, target)?;
        if self.lists_path(&place)? {
            return Ok(admitted(&place, true));
        }
        if is_corpus(&place) {
            return Ok(admitted(&place, false));
        }
        check_file(&place)?;
        Ok(admitted(&place, false))
    }

    /// Compares paths only; the file at `path` is not touched.
    fn lists_path(&self, path: &Path) -> Result<bool, ApiError> {
        let stored = self.stores.all_sources()?;
        if stored.iter().any(|row| row.n_events > 0 && Path::new(&row.path) == path) {
            return Ok(true);
        }
        let row = path.to_str().and_then(row_named);
        Ok(self.catalogue.all_sources().iter().any(|source| match source {
            SessionSource::Log(log) => log.path == path,
            SessionSource::Files(file) => file.path == path,
            SessionSource::Database(database) => row.is_some_and(|(file, id)| {
                let sessions = || self.catalogue.databases.list_sessions(database);
                database.path == file && sessions().iter().any(|session| session.id == id)
            }),
        }))
    }
}

impl NameTarget {
    fn target_name(self) -> String {
        match self {
            Self::Log(path) | Self::Files(path) => path.display().to_string(),
            Self::Row { database, id } => name_of_row(&database, &id),
        }
    }
}

fn place_of(target: &str) -> Result<PathBuf, ApiError> {
    if let Some(refusal) = refuse_target(target, cfg!(windows)) {
        return Err(refusal_of(refusal, target));
    }
    let path = plain_path(Path::new(target)).ok_or_else(|| refusal_of(PathRefusal::Partial, target))?;
    let place = open_place(path, target)?;
    check_file(&place)?;
    Ok(place)
}

/// Resolves symbolic links, and refuses a path if it or its target is closed.
fn open_place(path: PathBuf, target: &str) -> Result<PathBuf, ApiError> {
    let mounts = read_mounts();
    let mut place = path;
    // Once for the path as written, once for its target.
    for _ in 0..2 {
        if let Some(refusal) = refuse_path(&place, &mounts) {
            return Err(refusal_of(refusal, target));
        }
        place = real_or_parent(&place);
    }
    Ok(place)
}

fn check_file(place: &Path) -> Result<(), ApiError> {
    match file_of_target(place).metadata() {
        Ok(metadata) if !metadata.is_file() => {
            Err(ApiError::new(ErrorCode::NotAFile, "this is no file").with_path(place))
        }
        _ => Ok(()),
    }
}

fn refusal_of(refusal: PathRefusal, target: &str) -> ApiError {
    ApiError::new(ErrorCode::Refused, refusal.describe_refusal())
        .with_hint("if you mean it, open it by its path: in the window, or as an argument of the program")
        .with_path(Path::new(target))
}

/// Returns the file behind a target: the database if the session is stored in one.
pub fn file_of_target(path: &Path) -> &Path {
    path.to_str().and_then(row_named).map_or(path, |(database, _)| database)
}

fn real_or_parent(path: &Path) -> PathBuf {
    if let Some((database, id)) = path.to_str().and_then(row_named) {
        return PathBuf::from(name_of_row(&real_path(database), id));
    }
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), _, _) => real,
        (Err(_), Some(folder), Some(name)) => real_path(folder).join(name),
        _ => path.to_owned(),
    }
}

fn read_mounts() -> String {
    if cfg!(target_os = "linux") {
        std::fs::read_to_string("/proc/self/mounts").unwrap_or_default()
    } else {
        String::new()
    }
}
