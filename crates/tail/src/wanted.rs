use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder that would be watched and entered.
    Folder,
    /// A file, or a link to one, that would be reported.
    File,
}

/// Returns true if a folder should be entered, or if a file is a log; `below` is the path below the watched
/// folder.
///
/// Called for a folder only if all folders above it are wanted.
pub type PathFilter = fn(below: &Path, kind: EntryKind) -> bool;

#[derive(Clone, Debug)]
pub struct LogFolder {
    pub path: PathBuf,
    pub wanted: PathFilter,
}
