//! Cursors: how far a file was read, and whether that still fits the file as it is now.
//!
//! Pure: nothing here opens a file. A log is only ever appended to, so a file that is shorter,
//! is another file, or no longer holds the bytes that were read, has been written anew.
//! Size and time alone cannot tell: a truncation that was filled up again, a rewrite of the same
//! length and a `touch` all look like an append to a watcher.

use std::fs::Metadata;

use crate::fingerprint::{Fingerprint, HEAD_LIMIT, TAIL_LIMIT, last_bytes};

/// Which file it is on this machine, whatever its name: device and inode, 0 if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// The device that holds the file.
    pub dev: u64,
    /// The number of the file on that device; a deleted file's number may be given out again.
    pub inode: u64,
}

impl FileIdentity {
    /// The identity on a platform that does not tell files apart.
    pub const UNKNOWN: Self = Self { dev: 0, inode: 0 };

    /// Reads the identity from a file's metadata.
    #[cfg(unix)]
    pub fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { dev: metadata.dev(), inode: metadata.ino() }
    }

    /// Reads the identity from a file's metadata: not known on this platform.
    #[cfg(not(unix))]
    pub fn from_metadata(_metadata: &Metadata) -> Self {
        Self::UNKNOWN
    }

    /// Tells whether the two can be names of one file; an unknown identity can be any file.
    pub fn may_be(self, other: Self) -> bool {
        self == other || self == Self::UNKNOWN || other == Self::UNKNOWN
    }
}

/// A reader's memory of a file.
///
/// The store keeps it in the transaction that holds the rows made from the bytes before `offset`,
/// so after a crash reading goes on exactly behind the last row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The number of bytes that were read: the position of the first unread byte.
    pub offset: u64,
    /// The file they were read from.
    pub identity: FileIdentity,
    /// The fingerprint of the first bytes, at most [`HEAD_LIMIT`] and never beyond `offset`.
    pub head: Fingerprint,
    /// The fingerprint of the last bytes before `offset`, at most [`TAIL_LIMIT`].
    pub tail: Fingerprint,
}

impl Cursor {
    /// Returns the cursor of a file of which nothing was read yet.
    pub fn at_start(identity: FileIdentity) -> Self {
        Self { offset: 0, identity, head: Fingerprint::EMPTY, tail: Fingerprint::EMPTY }
    }

    /// Moves the cursor over `bytes`, which stand at `offset` in the file.
    ///
    /// The bytes of one chunk may be given in any pieces (line by line, say): the head does not
    /// depend on the pieces. The tail then covers as many whole pieces as fit.
    pub fn advance(&mut self, bytes: &[u8]) {
        let fits = self.tail.len as usize + bytes.len() <= TAIL_LIMIT;
        let tail = if fits {
            self.tail.followed_by(bytes)
        } else {
            Fingerprint::from_bytes(last_bytes(bytes, TAIL_LIMIT))
        };
        self.pass_bytes(bytes, tail);
    }

    /// Moves the cursor over `bytes` when the bytes before it are at hand, so the tail is as long as it can be.
    pub(crate) fn advance_behind(&mut self, before: &[u8], bytes: &[u8]) {
        let of_before = last_bytes(before, TAIL_LIMIT.saturating_sub(bytes.len()));
        let tail = Fingerprint::from_bytes(of_before).followed_by(last_bytes(bytes, TAIL_LIMIT));
        self.pass_bytes(bytes, tail);
    }

    fn pass_bytes(&mut self, bytes: &[u8], tail: Fingerprint) {
        let missing = HEAD_LIMIT.saturating_sub(self.head.len as usize).min(bytes.len());
        // The head is complete or ends at `offset`; only then may it be continued.
        if u64::from(self.head.len) == self.offset {
            self.head = self.head.followed_by(&bytes[..missing]);
        }
        if !bytes.is_empty() {
            self.tail = tail;
        }
        self.offset = self.offset.saturating_add(bytes.len() as u64);
    }

    /// Tells whether the fingerprints can be of bytes before `offset`; a stored cursor may be damaged.
    fn is_sound(&self) -> bool {
        let within = |print: Fingerprint, limit: usize| {
            print.len as usize <= limit && u64::from(print.len) <= self.offset
        };
        let covers = self.offset == 0 || (self.head.len > 0 && self.tail.len > 0);
        within(self.head, HEAD_LIMIT) && within(self.tail, TAIL_LIMIT) && covers
    }
}

/// A file as it is now, looked at with a cursor in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileObservation {
    /// The file under the name.
    pub identity: FileIdentity,
    /// The length in bytes.
    pub length: u64,
    /// The fingerprint of the first bytes, as many as the cursor's head covers.
    pub head: Fingerprint,
    /// The fingerprint of the bytes before the cursor's offset, as many as the cursor's tail covers; `None` if the file is
    /// shorter than that offset.
    pub tail: Option<Fingerprint>,
}

/// The next action for a file looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// All of it has been read.
    Nothing,
    /// There are unread bytes from here on.
    Read {
        /// The position of the first one.
        from: u64,
    },
    /// The file is shorter than what was read: start again at 0.
    Truncated,
    /// Another file, or other bytes, stand under the name: start again at 0.
    Replaced,
}

/// Decides what `seen` means for a reader that stands at `cursor`.
///
/// Where nothing was read nothing can be void, so an offset of 0 never says `Replaced`.
/// A device number alone may differ from one start of the machine to the next; when inode, head
/// and tail are the same it is the same file.
/// Not noticed: a rewrite in place that keeps the inode, the first [`HEAD_LIMIT`] bytes, the last
/// bytes before the offset and at least the length.
pub fn decide_next(cursor: &Cursor, seen: &FileObservation) -> Decision {
    let same_file = cursor.identity.may_be(seen.identity) || cursor.identity.inode == seen.identity.inode;
    if !cursor.is_sound() {
        Decision::Replaced
    } else if cursor.offset == 0 {
        if seen.length == 0 { Decision::Nothing } else { Decision::Read { from: 0 } }
    } else if !same_file {
        Decision::Replaced
    } else if seen.length < cursor.offset {
        Decision::Truncated
    } else if seen.head != cursor.head || seen.tail != Some(cursor.tail) {
        Decision::Replaced
    } else if seen.length == cursor.offset {
        Decision::Nothing
    } else {
        Decision::Read { from: cursor.offset }
    }
}
