//! Errors: only disk and database can fail. A message names the subject, the cause and, last, the path.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rusqlite::types::FromSqlError;

#[derive(Debug)]
pub struct StoreError {
    pub fault: Fault,
    doing: &'static str,
    path: PathBuf,
}

/// A failure. Variants differ where a person can act on them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    #[error("cannot make the folder of the store")]
    Folder(#[source] io::Error),
    #[error("cannot open the store")]
    Unopened(#[source] rusqlite::Error),
    /// Nothing of the operation was kept.
    #[error("the disk is full")]
    DiskFull(#[source] rusqlite::Error),
    /// Another process held the lock longer than the timeout; retrying is safe.
    #[error("another process keeps the store locked")]
    Locked(#[source] rusqlite::Error),
    #[error("the store may not be written to")]
    ReadOnly(#[source] rusqlite::Error),
    /// SQLite found damage. Logs that still exist can be imported into a new store.
    #[error("the store is damaged")]
    Corrupt(#[source] rusqlite::Error),
    /// A value that this program never writes.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// A text or a number of rows exceeds the store's limits (1 GB per text).
    #[error("too large to store")]
    TooLarge,
    #[error("not a store of this program, left alone")]
    NotAStore,
    /// A released migration was changed, so the tables may differ from what this program expects.
    #[error("the migration {0} is not the one that made this store")]
    MigrationChanged(String),
    #[error("the store was changed by a newer program (migration {found}, this one knows {known})")]
    Newer { found: u32, known: u32 },
    /// Another process read on in the log; nothing was written. Start again from the stored cursor.
    #[error("the log was read on by another process (from byte {expected}, now at {found}); nothing written")]
    Moved { expected: u64, found: u64 },
    #[error("a batch that contradicts itself ({0}); nothing written")]
    Uneven(String),
    #[error("no log {0} in the store")]
    UnknownSource(i64),
    #[error("there is no sound copy")]
    NoCopy,
    #[error("SQLite failed")]
    Database(#[source] rusqlite::Error),
    #[error("a text does not unpack")]
    Codec(#[source] io::Error),
}

impl From<rusqlite::Error> for Fault {
    fn from(source: rusqlite::Error) -> Self {
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull(source),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked(source),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly(source),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt(source),
            Some(ErrorCode::CannotOpen) => Self::Unopened(source),
            Some(ErrorCode::TooBig) => Self::TooLarge,
            _ => match source {
                // The column has another type, so the file was edited by another program.
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..) => Self::Damaged(source.to_string()),
                source => Self::Database(source),
            },
        }
    }
}

impl From<FromSqlError> for Fault {
    fn from(error: FromSqlError) -> Self {
        rusqlite::Error::from(error).into()
    }
}

impl Fault {
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }

    pub(crate) fn with_context(self, doing: &'static str, path: &Path) -> StoreError {
        StoreError { fault: self, doing, path: path.to_owned() }
    }
}

impl StoreError {
    pub fn file_path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, doing, path } = self;
        match fault {
            Fault::DiskFull(_)
            | Fault::Locked(_)
            | Fault::ReadOnly(_)
            | Fault::Corrupt(_)
            | Fault::Damaged(_)
            | Fault::TooLarge
            | Fault::Codec(_) => write!(f, "cannot {doing}: {fault}: {}", path.display()),
            Fault::Database(_) => write!(f, "cannot {doing}: {}", path.display()),
            _ => write!(f, "{fault}: {}", path.display()),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.fault.source()
    }
}
