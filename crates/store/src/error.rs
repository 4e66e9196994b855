//! Errors: disk and database only, each with its subject, its cause and, last, its path.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rusqlite::types::FromSqlError;

/// An error of the store.
#[derive(Debug)]
pub struct StoreError {
    /// The failure.
    pub fault: Fault,
    /// The operation that failed.
    doing: &'static str,
    /// The file or folder.
    path: PathBuf,
}

/// A failure; kinds are told apart where a person can do something about them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The folder of the store could not be made.
    #[error("cannot make the folder of the store")]
    Folder(#[source] io::Error),
    /// A file of the store could not be opened.
    #[error("cannot open the store")]
    Unopened(#[source] rusqlite::Error),
    /// The disk is full; nothing of the operation was kept.
    #[error("the disk is full")]
    DiskFull(#[source] rusqlite::Error),
    /// Another process kept the store locked for longer than we wait; trying again is safe.
    #[error("another process keeps the store locked")]
    Locked(#[source] rusqlite::Error),
    /// The store may not be written to.
    #[error("the store may not be written to")]
    ReadOnly(#[source] rusqlite::Error),
    /// The file is damaged. Logs that still exist can be imported into a new store.
    #[error("the store is damaged")]
    Corrupt(#[source] rusqlite::Error),
    /// A row does not say what this program writes there.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// A text or a number of rows is beyond what the store holds (1 GB per text).
    #[error("too large to store")]
    TooLarge,
    /// The file is a database, but not of this program.
    #[error("not a store of this program, left alone")]
    NotAStore,
    /// A released migration was changed, so the tables may not be what this program takes them for.
    #[error("the migration {0} is not the one that made this store")]
    MigrationChanged(String),
    /// A newer program has changed the store.
    #[error("the store was changed by a newer program (migration {found}, this one knows {known})")]
    Newer {
        /// The last migration in the store.
        found: u32,
        /// The last migration this program has.
        known: u32,
    },
    /// Another process has read on in that log; nothing was written. Start again from the stored cursor.
    #[error("the log was read on by another process (from byte {expected}, now at {found}); nothing written")]
    Moved {
        /// The batch's start, bytes.
        expected: u64,
        /// The stored cursor, bytes.
        found: u64,
    },
    /// A batch contradicts itself; nothing was written.
    #[error("a batch that contradicts itself ({0}); nothing written")]
    Uneven(String),
    /// No log has that number.
    #[error("no log {0} in the store")]
    UnknownSource(i64),
    /// There is no copy of what people make that could be put back.
    #[error("there is no sound copy")]
    NoCopy,
    /// Anything else that SQLite reports.
    #[error("SQLite failed")]
    Database(#[source] rusqlite::Error),
    /// Compressing or unpacking a text failed.
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
                // A column of another type than the tables have: edited from outside.
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
    /// Reports a value this program never writes there.
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }

    /// Adds the operation and the file.
    pub(crate) fn with_context(self, doing: &'static str, path: &Path) -> StoreError {
        StoreError { fault: self, doing, path: path.to_owned() }
    }
}

impl StoreError {
    /// Returns the file or folder that it is about.
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
