//! The store as several threads use it: one writer, a few readers that are given back.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use cwl_store::{ReadHandle, SourceId, Store, StoreError};

use crate::ApiError;
use crate::recent::locked;

/// A listener to the health of the store: the error of a failure, or `None` when something was written.
type Hear = Box<dyn Fn(Option<&StoreError>) + Send + Sync>;

/// The store of this process.
pub(crate) struct Library {
    writer: Mutex<Store>,
    readers: Mutex<Vec<ReadHandle>>,
    path: PathBuf,
    is_kept: bool,
    hear: OnceLock<Hear>,
}

/// Readers that are kept open.
const READERS_KEPT: usize = 4;

/// Logs in memory have numbers above this, so that they are never taken for those on disk.
const NUMBERED_FROM: i64 = 1 << 30;

impl Library {
    /// Opens the store of a folder, making it where it is missing.
    pub(crate) fn open(dir: &Path) -> Result<Self, StoreError> {
        Self::of(Store::open(dir)?, true)
    }

    /// Opens only what people made in the store of a folder, whose other file cannot be used.
    pub(crate) fn open_notes(dir: &Path) -> Result<Self, StoreError> {
        Self::of(Store::open_notes(dir)?, true)
    }

    /// Makes a store that lives as long as this process.
    pub(crate) fn in_memory() -> Result<Self, StoreError> {
        let mut store = Store::open_in_memory()?;
        store.number_sources_from(NUMBERED_FROM)?;
        Self::of(store, false)
    }

    fn of(store: Store, is_kept: bool) -> Result<Self, StoreError> {
        let path = store.path();
        // Opened ahead, so that a reader never waits for a writer that is busy.
        let readers = (0..READERS_KEPT).map(|_| store.read()).collect::<Result<_, _>>()?;
        Ok(Self {
            writer: Mutex::new(store),
            readers: Mutex::new(readers),
            path,
            is_kept,
            hear: OnceLock::new(),
        })
    }

    /// Sets the listener to the health of the store; only the first one counts.
    pub(crate) fn heard_by(&self, hear: impl Fn(Option<&StoreError>) + Send + Sync + 'static) {
        drop(self.hear.set(Box::new(hear)));
    }

    /// Returns the file of the store.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Tells whether writes outlive the process.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Tells whether a log of that number can be in it.
    pub(crate) fn has(&self, source: SourceId) -> bool {
        (source.number() > NUMBERED_FROM) != self.is_kept
    }

    /// Runs a short read.
    pub(crate) fn read<T>(
        &self,
        body: impl FnOnce(&ReadHandle) -> Result<T, StoreError>,
    ) -> Result<T, ApiError> {
        let pooled = locked(&self.readers).pop();
        let reader = match pooled {
            Some(reader) => reader,
            None => locked(&self.writer).read()?,
        };
        let value = body(&reader);
        let mut readers = locked(&self.readers);
        if readers.len() < READERS_KEPT {
            readers.push(reader);
        }
        drop(readers);
        if let (Err(error), Some(hear)) = (&value, self.hear.get()) {
            hear(Some(error));
        }
        Ok(value?)
    }

    /// Runs a write; errors of the store are the caller's to tell apart.
    pub(crate) fn write<T>(
        &self,
        body: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut writer = locked(&self.writer);
        let n_before = writer.n_changes();
        let value = body(&mut writer);
        let has_written = writer.n_changes() != n_before;
        drop(writer);
        match (&value, self.hear.get()) {
            (Err(error), Some(hear)) => hear(Some(error)),
            (Ok(_), Some(hear)) if has_written => hear(None),
            (Ok(_) | Err(_), _) => {}
        }
        value
    }

    /// Runs a write that no request waits for and that is tried again anyway; a failure is told to the caller only.
    pub(crate) fn write_behind<T>(
        &self,
        body: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        body(&mut locked(&self.writer))
    }
}
