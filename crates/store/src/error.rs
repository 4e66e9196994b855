//! Errors: disk and database only, each with its subject, its cause and, last, its path.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// An error of the store; kinds are told apart where a person can do something about them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder of the store could not be made.
    #[error("cannot make the folder of the store: {path}")]
    Folder {
        /// The error of the system.
        source: io::Error,
        /// The folder.
        path: PathBuf,
    },
    /// A file of the store could not be opened.
    #[error("cannot open the store: {path}")]
    Unopened {
        /// The error of SQLite.
        source: rusqlite::Error,
        /// The file.
        path: PathBuf,
    },
    /// The disk is full; nothing of the operation was kept.
    #[error("cannot {doing}: the disk is full: {path}")]
    DiskFull {
        /// The operation.
        doing: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
        /// The store.
        path: PathBuf,
    },
    /// Another process kept the store locked for longer than we wait; trying again is safe.
    #[error("cannot {doing}: another process keeps the store locked: {path}")]
    Locked {
        /// The operation.
        doing: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
        /// The store.
        path: PathBuf,
    },
    /// The store may not be written to.
    #[error("cannot {doing}: the store may not be written to: {path}")]
    ReadOnly {
        /// The operation.
        doing: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
        /// The store.
        path: PathBuf,
    },
    /// The file is damaged. Logs that still exist can be imported into a new store.
    #[error("cannot {doing}: the store is damaged: {path}")]
    Corrupt {
        /// The operation.
        doing: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
        /// The store.
        path: PathBuf,
    },
    /// A row does not say what this program writes there.
    #[error("cannot {doing}: the store is damaged: {what}: {path}")]
    Damaged {
        /// The operation.
        doing: &'static str,
        /// The row and what is wrong with it.
        what: String,
        /// The store.
        path: PathBuf,
    },
    /// A text or a number of rows is beyond what the store holds (1 GB per text).
    #[error("cannot {doing}: too large to store: {path}")]
    TooLarge {
        /// The operation.
        doing: &'static str,
        /// The store.
        path: PathBuf,
    },
    /// The file is a database, but not of this program.
    #[error("not a store of this program, left alone: {path}")]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// A released migration was changed, so the tables may not be what this program takes them for.
    #[error("the migration {migration} is not the one that made this store: {path}")]
    MigrationChanged {
        /// The migration's file name.
        migration: String,
        /// The store.
        path: PathBuf,
    },
    /// A newer program has changed the store.
    #[error("the store was changed by a newer program (migration {found}, this one knows {known}): {path}")]
    Newer {
        /// The last migration in the store.
        found: u32,
        /// The last migration that this program has.
        known: u32,
        /// The store.
        path: PathBuf,
    },
    /// Another process has read on in that log; nothing was written. Start again from the stored cursor.
    #[error(
        "the log was read on by another process (from byte {expected}, now at {found}); nothing written: {path}"
    )]
    Moved {
        /// Where the batch starts, bytes.
        expected: u64,
        /// Where the stored cursor is, bytes.
        found: u64,
        /// The store.
        path: PathBuf,
    },
    /// A batch contradicts itself; nothing was written.
    #[error("a batch that contradicts itself ({what}); nothing written: {path}")]
    Uneven {
        /// The contradiction.
        what: String,
        /// The store.
        path: PathBuf,
    },
    /// No log has that number.
    #[error("no log {source_id} in the store: {path}")]
    UnknownSource {
        /// The number.
        source_id: i64,
        /// The store.
        path: PathBuf,
    },
    /// Anything else that SQLite reports.
    #[error("cannot {doing}: {path}")]
    Database {
        /// The operation.
        doing: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
        /// The store.
        path: PathBuf,
    },
    /// Compressing or unpacking a text failed.
    #[error("cannot {doing}: a text does not unpack: {path}")]
    Codec {
        /// The operation.
        doing: &'static str,
        /// The error of the codec.
        source: io::Error,
        /// The store.
        path: PathBuf,
    },
}

impl StoreError {
    /// Returns the file or folder that it is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Folder { path, .. }
            | Self::Unopened { path, .. }
            | Self::DiskFull { path, .. }
            | Self::Locked { path, .. }
            | Self::ReadOnly { path, .. }
            | Self::Corrupt { path, .. }
            | Self::Damaged { path, .. }
            | Self::TooLarge { path, .. }
            | Self::NotAStore { path }
            | Self::MigrationChanged { path, .. }
            | Self::Newer { path, .. }
            | Self::Moved { path, .. }
            | Self::Uneven { path, .. }
            | Self::UnknownSource { path, .. }
            | Self::Database { path, .. }
            | Self::Codec { path, .. } => path,
        }
    }
}

/// A failure inside the crate, before it is known in which file and during what.
#[derive(Debug)]
pub(crate) enum Fault {
    Sql(rusqlite::Error),
    Codec(io::Error),
    Damaged(String),
    TooLarge,
    Moved { expected: u64, found: u64 },
    Uneven(String),
    UnknownSource(i64),
}

impl From<rusqlite::Error> for Fault {
    fn from(source: rusqlite::Error) -> Self {
        Self::Sql(source)
    }
}

impl Fault {
    /// Reports a value that this program never writes there.
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }

    /// Adds the operation and the file.
    pub(crate) fn during(self, doing: &'static str, path: &Path) -> StoreError {
        let path = path.to_owned();
        match self {
            Self::Codec(source) => StoreError::Codec { doing, source, path },
            Self::Damaged(what) => StoreError::Damaged { doing, what, path },
            Self::TooLarge => StoreError::TooLarge { doing, path },
            Self::Moved { expected, found } => StoreError::Moved { expected, found, path },
            Self::Uneven(what) => StoreError::Uneven { what, path },
            Self::UnknownSource(source_id) => StoreError::UnknownSource { source_id, path },
            Self::Sql(source) => match source.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => StoreError::DiskFull { doing, source, path },
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    StoreError::Locked { doing, source, path }
                }
                Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                    StoreError::ReadOnly { doing, source, path }
                }
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    StoreError::Corrupt { doing, source, path }
                }
                Some(ErrorCode::CannotOpen) => StoreError::Unopened { source, path },
                Some(ErrorCode::TooBig) => StoreError::TooLarge { doing, path },
                _ => match source {
                    // A column of another type than the tables have: edited from outside.
                    rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
                    | rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::Utf8Error(..) => {
                        StoreError::Damaged { doing, what: source.to_string(), path }
                    }
                    source => StoreError::Database { doing, source, path },
                },
            },
        }
    }
}
