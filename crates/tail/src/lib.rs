//! Follows log files and emits their bytes.
//!
//! A log belongs to its agent: it is opened read-only, for one bounded read at a time, and its
//! bytes and times stay as they are. What is in it is not looked at; lines are found by the receiver.
//!
//! One thread does all of it. The file system's events only put paths in a set and ring a bell
//! (`pending.rs`); the thread then looks at each of those files once, however often it was written,
//! and compares it with the [`Cursor`]: what was read so far either still stands ([`decide_next`]), and
//! new bytes are sent, or is void. Events are not waited out, since an agent that writes without
//! pause would then never be seen, and not believed either: a stat walk every half minute finds
//! what they missed (network drives send none), and a full queue in the kernel starts one at once.
//!
//! Folders are watched each by itself, the most recently changed ones if there are more than [`TailConfig::watched`]; the
//! walk covers the rest. A file that is found is told with its size and time, and again when these change; its content is
//! read only when the caller follows it.
//!
//! A slow receiver slows the reading down and loses nothing: while the channel is full nothing is
//! read, and the unread bytes wait in the file. At most one chunk per place in the channel is held.
//!
//! `a_found_log_is_followed` in `tests/it/follow.rs` shows the use.

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

/// The files and folders to follow, and how.
#[derive(Clone, Debug)]
pub struct TailConfig {
    /// The files to follow from the start, each from its cursor or from byte 0.
    ///
    /// One that is not there yet is picked up when it appears; one that is not there any more
    /// (there is a cursor for it) is `Gone`.
    pub files: Vec<(PathBuf, Option<Cursor>)>,
    /// The folders in which logs are looked for, at any depth that is wanted.
    ///
    /// Each file there that is not followed is `Found`, also those of the start, so no gap is left
    /// between a listing and the watch. Links to folders are not gone into, except the given folder
    /// itself. A folder that is not there yet is awaited.
    pub folders: Vec<LogFolder>,
    /// The most folders watched for the logs in them. Beyond it those that changed longest ago are only walked.
    pub watched: usize,
    /// The longest chunk, in bytes; at least 1, at most 64 MiB.
    pub chunk: usize,
    /// How often everything is looked at, whatever the events say; at least 10 ms.
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

/// Why following could not start, or a file could not be read at once.
#[derive(Debug, thiserror::Error)]
pub enum TailError {
    /// The operating system gives no watcher (often: its limit of watchers is reached).
    #[error("cannot watch for changed files")]
    Watcher(#[source] notify::Error),
    /// The operating system gives no thread.
    #[error("cannot start the thread that reads logs")]
    Thread(#[source] io::Error),
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The path is not a regular file, so reading it may block or never end.
    #[error("is {what}, not a file: {}", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// The kind, with its article: "a folder", "a pipe".
        what: &'static str,
    },
}
