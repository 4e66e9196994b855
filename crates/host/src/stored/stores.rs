//! The store on disk, and a spare one in memory: a window opens logs whatever the disk's state.
//!
//! If the store cannot be opened (its folder is a file, another program locks it, it is damaged or from a newer
//! program), everything goes into memory. If it can be read but not written (the disk is full), its content is shown,
//! and only logs missing from it go into memory. In both cases the window shows the trouble until a write to disk
//! succeeds. Notes never go into memory, because they would be lost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use cwl_formats::title::session_title;
use cwl_inspect::recent::lock_unpoisoned;
use cwl_store::{Fault, ReadHandle, SessionFigures, SourceId, SourceRow, StoreError};
use tokio::sync::broadcast::Sender;

use crate::api::{Push, StoreTroubleKind, StoreTroubleReport};
use crate::error::{USER_DAMAGED, is_of_user, store_error};
use crate::stored::library::Library;
use crate::{ApiError, ErrorCode};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithoutStore {
    /// Refuses to start, and to open logs that cannot be stored (used by imports).
    Fail,
    /// Continues in memory, and reports the trouble.
    GoOn,
}

pub(crate) struct Stores {
    dir: PathBuf,
    without: WithoutStore,
    pushes: Sender<Push>,
    main: Mutex<Arc<Library>>,
    spare: Mutex<Option<Arc<Library>>>,
    trouble: Mutex<Option<StoreTroubleReport>>,
}

impl Stores {
    /// Opens a folder's store; waits some seconds if another process has locked it.
    pub(crate) fn open_folder(
        dir: &Path,
        without: WithoutStore,
        pushes: Sender<Push>,
    ) -> Result<Arc<Self>, ApiError> {
        let (main, spare, trouble) = match Library::open_folder(dir) {
            Ok(main) => (Arc::new(main), None, None),
            Err(error) if without == WithoutStore::Fail => return Err(store_error(error)),
            Err(error) => {
                let spare = Arc::new(Library::in_memory().map_err(store_error)?);
                (Arc::clone(&spare), Some(spare), Some(trouble_of(&error, true)))
            }
        };
        let stores = Arc::new(Self {
            dir: dir.to_owned(),
            without,
            pushes,
            main: Mutex::new(Arc::clone(&main)),
            spare: Mutex::new(spare),
            trouble: Mutex::new(trouble),
        });
        stores.listen_to(&main);
        Ok(stores)
    }

    fn listen_to(self: &Arc<Self>, library: &Library) {
        if !library.is_kept() {
            return;
        }
        let stores: Weak<Self> = Arc::downgrade(self);
        library.heard_by(move |heard| {
            let Some(stores) = stores.upgrade() else { return };
            match heard {
                Some(error) if is_trouble(error) => stores.set_trouble(Some(trouble_of(error, false))),
                Some(_) => {}
                None => stores.set_trouble(None),
            }
        });
    }

    fn set_trouble(&self, trouble: Option<StoreTroubleReport>) {
        let mut known = lock_unpoisoned(&self.trouble);
        // A repeated trouble of the same kind is no news.
        if known.as_ref().map(|known| known.kind) == trouble.as_ref().map(|trouble| trouble.kind) {
            return;
        }
        known.clone_from(&trouble);
        drop(known);
        drop(self.pushes.send(Push::Store { trouble }));
    }

    pub(crate) fn store_folder(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn main(&self) -> Arc<Library> {
        Arc::clone(&lock_unpoisoned(&self.main))
    }

    /// The store for a log that `main` refused, if it may go into memory.
    pub(crate) fn spare_library(&self) -> Option<Arc<Library>> {
        if self.without == WithoutStore::Fail || self.current_trouble().is_none() {
            return None;
        }
        let mut spare = lock_unpoisoned(&self.spare);
        if spare.is_none() {
            *spare = Library::in_memory().ok().map(Arc::new);
        }
        spare.clone().filter(|spare| !Arc::ptr_eq(spare, &self.main()))
    }

    pub(crate) fn library_of(&self, source: SourceId) -> Arc<Library> {
        let spare = lock_unpoisoned(&self.spare).clone();
        let spare = spare.filter(|spare| spare.may_have(source));
        spare.unwrap_or_else(|| self.main())
    }

    pub(crate) fn session_figures(
        &self,
        version: u32,
    ) -> Result<BTreeMap<SourceId, SessionFigures>, ApiError> {
        let (mut figures, in_memory) = self.read_all(|reader| reader.session_figures(version))?;
        figures.extend(in_memory);
        Ok(figures)
    }

    /// Lists logs in all stores. A log in memory is listed only if it is not on disk.
    pub(crate) fn all_sources(&self) -> Result<Vec<SourceRow>, ApiError> {
        let (mut rows, in_memory) = self.read_all(|reader| reader.all_sources())?;
        let known: BTreeSet<String> =
            rows.iter().filter(|row| row.n_events > 0).map(|row| row.path.clone()).collect();
        rows.extend(in_memory.into_iter().filter(|row| !known.contains(&row.path)));
        Ok(rows)
    }

    /// Reads from the store on disk and from the spare one. If there is a spare one, failures of the disk are ignored.
    fn read_all<T: Default>(
        &self,
        body: impl Fn(&ReadHandle) -> Result<T, StoreError>,
    ) -> Result<(T, T), ApiError> {
        let main = self.main();
        let on_disk = match main.run_read(&body) {
            Err(_) if self.spare_library().is_some() => T::default(),
            found => found?,
        };
        let spare = lock_unpoisoned(&self.spare).clone().filter(|spare| !Arc::ptr_eq(spare, &main));
        Ok((on_disk, spare.map_or_else(|| Ok(T::default()), |spare| spare.run_read(&body))?))
    }

    pub(crate) fn current_trouble(&self) -> Option<StoreTroubleReport> {
        lock_unpoisoned(&self.trouble).clone()
    }

    /// True if the host shows the store's trouble itself, so callers need not.
    pub(crate) fn is_told(&self) -> bool {
        self.without == WithoutStore::GoOn && self.current_trouble().is_some()
    }

    /// The store for user data.
    ///
    /// # Errors
    /// If the data would be lost with the process.
    pub(crate) fn for_keeps(&self) -> Result<Arc<Library>, ApiError> {
        let main = self.main();
        if main.is_kept() { Ok(main) } else { Err(self.not_kept()) }
    }

    pub(crate) fn not_kept(&self) -> ApiError {
        let trouble = self.current_trouble();
        let why = trouble.as_ref().map_or("the store cannot be used", |trouble| trouble.what.as_str());
        let mut error = ApiError::new(ErrorCode::Store, format!("cannot be kept now: {why}"));
        if let Some(trouble) = trouble {
            error = error.with_hint(trouble.hint).with_path(Path::new(&trouble.path));
        }
        error
    }

    /// Tries the store on disk again. Logs in memory stay there until opened again.
    pub(crate) fn retry_store(self: &Arc<Self>) -> Option<StoreTroubleReport> {
        let main = self.main();
        if main.is_kept() {
            // The health listener reports both outcomes.
            drop(main.run_write(|store| store.try_writing()));
            return self.current_trouble();
        }
        match Library::open_folder(&self.dir) {
            Ok(library) => {
                self.listen_to(&library);
                *lock_unpoisoned(&self.main) = Arc::new(library);
                self.set_trouble(None);
            }
            Err(error) => self.set_trouble(Some(trouble_of(&error, true))),
        }
        self.current_trouble()
    }
}

/// Tells whether `error` concerns the whole store, not one query.
fn is_trouble(error: &StoreError) -> bool {
    use Fault as E;
    !matches!(error.fault, E::Moved { .. } | E::Uneven { .. } | E::UnknownSource { .. } | E::TooLarge)
}

fn trouble_of(error: &StoreError, in_memory: bool) -> StoreTroubleReport {
    use Fault as E;
    use StoreTroubleKind as Kind;
    let is_of_user = is_of_user(error.file_path());
    let (kind, what) = match error.fault {
        E::DiskFull { .. } => (Kind::Full, "the disk is full"),
        E::Locked { .. } => (Kind::Locked, "another program keeps the store locked"),
        E::ReadOnly { .. } => (Kind::ReadOnly, "the store may not be written to"),
        E::Folder { .. } => (Kind::Unreachable, "the folder of the store cannot be made"),
        E::Unopened { .. } => (Kind::Unreachable, "the file of the store cannot be opened"),
        E::Corrupt { .. } | E::Damaged { .. } if is_of_user => {
            (Kind::Damaged, "the file of notes and marks is damaged")
        }
        E::Corrupt { .. } | E::Damaged { .. } | E::Codec { .. } => (Kind::Damaged, "the store is damaged"),
        E::NotAStore => (Kind::Damaged, "the file is no store of this program"),
        E::MigrationChanged { .. } => (Kind::Newer, "another release of this program made the store"),
        E::Newer { .. } => (Kind::Newer, "a newer release of this program has changed the store"),
        _ => (Kind::Unreachable, "the store does not answer"),
    };
    StoreTroubleReport {
        kind,
        what: what.to_owned(),
        effect: trouble_effect(in_memory),
        hint: if is_of_user && kind == Kind::Damaged { USER_DAMAGED } else { trouble_hint(kind) }.to_owned(),
        detail: crate::error::whole_message(error),
        path: error.file_path().display().to_string(),
        in_memory,
    }
}

fn trouble_effect(in_memory: bool) -> String {
    if in_memory {
        "logs open as usual, but are read anew each time; notes, bookmarks and pins cannot be saved"
    } else {
        "logs that the store has not read yet are read into memory; followed ones stand still and go on by themselves \
         when it can be written to again; new notes, bookmarks and pins cannot be saved"
    }
    .to_owned()
}

fn trouble_hint(kind: StoreTroubleKind) -> &'static str {
    match kind {
        StoreTroubleKind::Full => "make room on the disk, or choose another folder with CWL_DATA_DIR",
        StoreTroubleKind::Locked => "close the other program, or wait until it is done, then try again",
        StoreTroubleKind::ReadOnly => {
            "give yourself write access to the file and its folder, or choose another folder with CWL_DATA_DIR"
        }
        StoreTroubleKind::Damaged => {
            "move the file away and try again: logs that still exist are read anew, and notes are in user.sqlite beside it"
        }
        StoreTroubleKind::Newer => "use that release, or choose another folder with CWL_DATA_DIR",
        StoreTroubleKind::Unreachable => {
            "check the folder and its disk, or choose another one with CWL_DATA_DIR"
        }
    }
}

pub(crate) fn title_of(row: &SourceRow) -> String {
    session_title(row.title.as_deref(), row.opening.as_deref(), Path::new(&row.path))
}

#[cfg(test)]
mod tests;
