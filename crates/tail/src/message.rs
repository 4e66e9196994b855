//! The tail's messages, a closed set, in the order in which things were noticed.

use std::path::PathBuf;

use crate::cursor::FileIdentity;
use crate::stamp::FileStamp;

/// Something that was noticed about a file.
///
/// The bytes of one file come in order and without gaps: the `offset` of each `Appended` is the end
/// of the one before, or 0 after `Truncated` and `Replaced`. Paths are spelled as the caller gave
/// them; a found file is spelled below its folder as that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TailMessage {
    /// New bytes stand at `offset` of the file; a chunk may end in the middle of a line.
    Appended {
        /// The followed file.
        path: PathBuf,
        /// The chunk's start, in bytes from the file's start.
        offset: u64,
        /// The chunk, never empty, at most as long as the configured chunk.
        bytes: Vec<u8>,
        /// The file the bytes were read from.
        identity: FileIdentity,
        /// True when the chunk reached the end the file had after it was read.
        at_end: bool,
    },
    /// The file is shorter than what was read: everything read so far is void, bytes follow from 0.
    Truncated {
        /// The followed file.
        path: PathBuf,
    },
    /// Another file, or other bytes, under the same name: everything is void, bytes follow from 0.
    Replaced {
        /// The followed file.
        path: PathBuf,
    },
    /// The file is not there any more: deleted, or renamed away.
    ///
    /// A followed file goes on being looked for under its name.
    Gone {
        /// The followed or found file.
        path: PathBuf,
        /// The new name, if it was seen to get one and is still there.
        renamed_to: Option<PathBuf>,
    },
    /// A log file is in a watched folder that was not there before, or not known yet at the start; or
    /// a known one that is not followed is not as it was told last.
    ///
    /// However fast a file is written, it is told again only after a while ([`crate::RETELL`]).
    Found {
        /// The file; it is not followed unless the caller asks.
        path: PathBuf,
        /// The size and time, from its folder: its bytes were not looked at.
        stamp: FileStamp,
    },
    /// Reading failed; it is tried again on the next change.
    ///
    /// Also for a watched folder that cannot be listed or watched.
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why, as a phrase for people.
        reason: String,
    },
}
