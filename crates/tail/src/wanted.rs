//! Which names below a watched folder count: the caller says it, by the path below that folder.

use std::path::{Path, PathBuf};

/// The kind of a name below a watched folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder, which would be watched and gone into.
    Folder,
    /// A file, or a link to one, which would be told.
    File,
}

/// Tells whether a folder is gone into, or whether a file is a log, by its path below the watched folder.
///
/// A folder is asked about only when the folders above it were wanted.
pub type PathFilter = fn(below: &Path, kind: EntryKind) -> bool;

/// A folder in which logs are looked for.
#[derive(Clone, Debug)]
pub struct LogFolder {
    /// The folder; it need not be there yet.
    pub path: PathBuf,
    /// Tells which names count in it.
    pub wanted: PathFilter,
}
