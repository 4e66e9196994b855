//! The store as several threads use it: one writer, a few readers that are given back.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use cwl_store::{ReadHandle, Store, StoreError};

use crate::ApiError;
use crate::recent::locked;

/// The store of this process.
pub(crate) struct Library {
    writer: Mutex<Store>,
    readers: Mutex<Vec<ReadHandle>>,
    path: PathBuf,
}

/// Readers that are kept open.
const READERS_KEPT: usize = 4;

impl Library {
    /// Opens the store of a folder, making it where it is missing.
    pub(crate) fn open(dir: &Path) -> Result<Self, ApiError> {
        let store = Store::open(dir)?;
        let path = store.path();
        // Opened ahead, so that a reader never waits for a writer that is busy.
        let readers = (0..READERS_KEPT).map(|_| store.read()).collect::<Result<_, _>>()?;
        Ok(Self { writer: Mutex::new(store), readers: Mutex::new(readers), path })
    }

    /// Returns the file of the store.
    pub(crate) fn path(&self) -> &Path {
        &self.path
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
        Ok(value?)
    }

    /// Runs a write; errors of the store are the caller's to tell apart.
    pub(crate) fn write<T>(
        &self,
        body: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        body(&mut locked(&self.writer))
    }
}
