//! One process per session: a lock file per session id, released by the system when the process ends.

use std::fs::{File, TryLockError};
use std::path::Path;

use cwl_host::{live_folder, live_name, private};

#[derive(Debug)]
pub struct SessionLock {
    _file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LockFailure {
    #[error("another process decides for this session already; end that one first")]
    Held,
    #[error("the session's lock cannot be taken ({0})")]
    Disk(#[from] std::io::Error),
}

impl SessionLock {
    /// Takes the session's lock, a file in `data_dir/live`.
    ///
    /// # Errors
    /// Returns [`LockFailure`] if another process holds the lock, or the file cannot be created or locked.
    pub fn take_lock(data_dir: &Path, session: &str) -> Result<Self, LockFailure> {
        let folder = live_folder(data_dir);
        private::make_folder(&folder)?;
        let name = live_name(session) + ".lock";
        let file = private::private_options().create(true).truncate(false).open(folder.join(name))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(LockFailure::Held),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}
