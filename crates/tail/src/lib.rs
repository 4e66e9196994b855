//! Follows log files and sends their bytes.
//!
//! Logs belong to their agents: each is opened read-only for one bounded read at a time, and its bytes and
//! times stay unchanged. This crate does not interpret the bytes; the receiver finds the lines.
//!
//! A single thread does all the work. File system events only add paths to a set and wake the thread
//! (`pending.rs`). The thread looks at each changed file once, however often it was written, and compares it
//! with its [`Cursor`] ([`decide_next`]): either the bytes read so far are still there and new bytes are
//! sent, or everything read is void. The thread does not wait for events to settle, because it would never
//! see an agent that writes without pause. It does not trust events either: a walk every half minute finds
//! missed changes (network drives send no events), and an overflow of the kernel's queue starts a walk at
//! once.
//!
//! Each folder is watched separately, and beyond [`TailConfig::watched`] only the most recently changed ones;
//! the walk covers the rest. A found file is reported with its size and time, and again when they change; its
//! content is read only if the caller follows it.
//!
//! A slow receiver slows reading down and loses nothing: while the channel is full, nothing is read and the
//! bytes wait in the file. Memory holds at most one chunk per place in the channel.
//!
//! `a_found_log_is_followed` in `tests/it/follow.rs` is an example.

mod cursor;
mod discover;
mod fingerprint;
mod folder;
mod followed;
mod listing;
mod message;
mod pending;
mod trail;
mod queue;
mod read;
mod renames;
mod stamp;
mod wanted;
mod watch;
mod watches;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use cursor::{Cursor, Decision, FileIdentity, FileObservation, decide_next};
pub use discover::RETELL;
pub use fingerprint::{Fingerprint, HEAD_LIMIT, TAIL_LIMIT};
pub use listing::{Listing, LogFile, list_logs};
pub use message::TailMessage;
pub use read::{continues, is_missing, open_log, read_once, read_until};
pub use stamp::FileStamp;
pub use wanted::{EntryKind, LogFolder, PathFilter};
pub use watch::{TailHandle, spawn_tailer};

#[derive(Clone, Debug)]
pub struct TailConfig {
    /// Files to follow from the start, each from its cursor or from byte 0.
    ///
    /// A file that does not exist yet is followed once it appears; a file with a cursor that no longer exists
    /// is reported as [`TailMessage::Gone`].
    pub files: Vec<(PathBuf, Option<Cursor>)>,
    /// Folders searched for logs, at any depth the filter accepts.
    ///
    /// Every unfollowed file is reported as [`TailMessage::Found`], including those present at the start, so
    /// there is no gap between a listing and the watch. Links to folders are not entered, except the given
    /// folder itself. A folder that does not exist yet is awaited.
    pub folders: Vec<LogFolder>,
    /// Maximum number of folders watched only to find logs. Beyond it, the least recently changed ones are
    /// only walked.
    pub watched: usize,
    /// Maximum length of a chunk, in bytes; from 1 to 64 MiB.
    pub chunk: usize,
    /// Interval between walks over everything, whatever the events say; at least 10 ms.
    pub walk_every: Duration,
}

impl Default for TailConfig {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            folders: Vec::new(),
            watched: 4096,
            chunk: 4 << 20,
            walk_every: Duration::from_secs(30),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum TailError {
    /// The operating system provides no watcher, often because its limit is reached.
    #[error("cannot watch for changed files")]
    Watcher(#[source] notify::Error),
    #[error("cannot start the thread that reads logs")]
    Thread(#[source] io::Error),
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// The path is not a regular file, so reading it may block or never end.
    #[error("is {what}, not a file: {}", path.display())]
    NotAFile { path: PathBuf, what: &'static str },
}
