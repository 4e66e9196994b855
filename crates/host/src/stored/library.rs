//! The store for use by several threads: one writer, and a pool of readers.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use cwl_inspect::recent::lock_unpoisoned;
use cwl_store::{ReadHandle, SourceId, Store, StoreError};

use crate::ApiError;
use crate::error::store_error;

/// Called with the error of each failed read or write, and with `None` after each write that changed something.
type HealthListener = Box<dyn Fn(Option<&StoreError>) + Send + Sync>;

pub(crate) struct Library {
    writer: Mutex<Store>,
    readers: Mutex<Vec<ReadHandle>>,
    path: PathBuf,
    is_kept: bool,
    hear: OnceLock<HealthListener>,
}

const READERS_KEPT: usize = 4;

/// Logs in memory have numbers above this, so they never clash with logs on disk.
const NUMBERED_FROM: i64 = 1 << 30;

impl Library {
    pub(crate) fn open_folder(dir: &Path) -> Result<Self, StoreError> {
        Self::new(Store::open(dir)?, true)
    }

    /// Opens only the file with user data, for a store whose other file is unusable.
    pub(crate) fn open_notes(dir: &Path) -> Result<Self, StoreError> {
        Self::new(Store::open_notes(dir)?, true)
    }

    pub(crate) fn in_memory() -> Result<Self, StoreError> {
        let mut store = Store::open_in_memory()?;
        store.number_sources_from(NUMBERED_FROM)?;
        Self::new(store, false)
    }

    fn new(store: Store, is_kept: bool) -> Result<Self, StoreError> {
        let path = store.file_path();
        // Opened ahead, so a reader never waits for a busy writer.
        let readers = (0..READERS_KEPT).map(|_| store.read_handle()).collect::<Result<_, _>>()?;
        Ok(Self {
            writer: Mutex::new(store),
            readers: Mutex::new(readers),
            path,
            is_kept,
            hear: OnceLock::new(),
        })
    }

    pub(crate) fn heard_by(&self, hear: impl Fn(Option<&StoreError>) + Send + Sync + 'static) {
        drop(self.hear.set(Box::new(hear)));
    }

    pub(crate) fn store_path(&self) -> &Path {
        &self.path
    }

    /// False for a store in memory.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    pub(crate) fn may_have(&self, source: SourceId) -> bool {
        (source.number() > NUMBERED_FROM) != self.is_kept
    }

    pub(crate) fn run_read<T>(
        &self,
        body: impl FnOnce(&ReadHandle) -> Result<T, StoreError>,
    ) -> Result<T, ApiError> {
        let pooled = lock_unpoisoned(&self.readers).pop();
        let reader = match pooled {
            Some(reader) => reader,
            None => lock_unpoisoned(&self.writer).read_handle().map_err(store_error)?,
        };
        let value = body(&reader);
        let mut readers = lock_unpoisoned(&self.readers);
        if readers.len() < READERS_KEPT {
            readers.push(reader);
        }
        drop(readers);
        if let (Err(error), Some(hear)) = (&value, self.hear.get()) {
            hear(Some(error));
        }
        value.map_err(store_error)
    }

    /// Runs a write. Callers tell the store's errors apart.
    pub(crate) fn run_write<T>(
        &self,
        body: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut writer = lock_unpoisoned(&self.writer);
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

    /// Runs a write that no request waits for and that is repeated anyway. A failure does not reach the health
    /// listener.
    pub(crate) fn write_behind<T>(
        &self,
        body: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        body(&mut lock_unpoisoned(&self.writer))
    }
}
