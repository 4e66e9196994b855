use std::path::PathBuf;

use crate::cursor::FileIdentity;
use crate::stamp::FileStamp;

/// A change of a file.
///
/// A file's bytes come in order and without gaps: each `Appended` starts at the end of the one before, or at
/// 0 after `Truncated` and `Replaced`. Paths are spelled as given by the caller; a found file's path begins
/// with its folder as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TailMessage {
    /// New bytes; a chunk may end in the middle of a line.
    Appended {
        path: PathBuf,
        offset: u64,
        /// Never empty, at most [`TailConfig::chunk`](crate::TailConfig::chunk) bytes.
        bytes: Vec<u8>,
        identity: FileIdentity,
        /// Checked after reading.
        at_end: bool,
    },
    /// The file is shorter than the bytes read: everything read is void, bytes follow from 0.
    Truncated { path: PathBuf },
    /// Another file, or other bytes, under the same name: everything read is void, bytes follow from 0.
    Replaced { path: PathBuf },
    /// The file was deleted or renamed. A followed file is still looked for under its name.
    Gone {
        path: PathBuf,
        /// New name, if the rename was seen and the file is there.
        renamed_to: Option<PathBuf>,
    },
    /// A log file new in a watched folder or seen first at the start, or a change of an unfollowed one.
    /// Repeated at the earliest after [`crate::RETELL`].
    Found {
        /// Not followed unless the caller asks for it.
        path: PathBuf,
        stamp: FileStamp,
    },
    /// A file cannot be read, or a watched folder cannot be listed or watched. Retried at the next change.
    Unreadable { path: PathBuf, reason: String },
}
