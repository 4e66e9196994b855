//! One process a session: a lock on a file of the session's name, which the system lets go when the process ends.

use std::fs::{File, TryLockError};
use std::path::Path;

use cwl_api::private;
use sha2::{Digest, Sha256};

/// The lock of a session.
#[derive(Debug)]
pub struct SessionLock {
    _file: File,
}

/// Why a session's lock was not got.
#[derive(Debug, thiserror::Error)]
pub enum LockFailure {
    /// Another process has it.
    #[error("another `cwl live` decides for this session already; end that one first")]
    Held,
    /// The disk does not let it be taken.
    #[error("the session's lock cannot be taken ({0})")]
    Disk(#[from] std::io::Error),
}

impl SessionLock {
    /// Takes the lock of a session, in the folder of the program's data.
    ///
    /// # Errors
    /// If another process has it, or the disk is in the way.
    pub fn take_lock(data_dir: &Path, session: &str) -> Result<Self, LockFailure> {
        let folder = data_dir.join("live");
        private::make_folder(&folder)?;
        let name: String =
            Sha256::digest(session).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let file =
            private::private_options().create(true).truncate(false).open(folder.join(name + ".lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(LockFailure::Held),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}
