//! Cursors: how far a file was read, and whether the read bytes are still in the file.
//!
//! Nothing here opens a file. Logs are only appended to, so a file was rewritten if it is shorter, is another
//! file, or no longer holds the bytes already read. Size and time are not enough: a truncated and refilled
//! file, a rewrite with the same length and a `touch` all look like an append to a watcher.

use std::fs::Metadata;

use crate::fingerprint::{Fingerprint, HEAD_LIMIT, TAIL_LIMIT, last_bytes};

/// Identifies a file on this machine, whatever its name; file systems may reuse a deleted file's `inode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    pub dev: u64,
    pub inode: u64,
}

impl FileIdentity {
    pub const UNKNOWN: Self = Self { dev: 0, inode: 0 };

    #[cfg(unix)]
    pub fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { dev: metadata.dev(), inode: metadata.ino() }
    }

    #[cfg(not(unix))]
    pub fn from_metadata(_metadata: &Metadata) -> Self {
        Self::UNKNOWN
    }

    /// Returns true if both may be the same file; an unknown identity matches any file.
    pub fn may_be(self, other: Self) -> bool {
        self == other || self == Self::UNKNOWN || other == Self::UNKNOWN
    }
}

/// How far a file was read.
///
/// The store writes the cursor in the same transaction as the rows made from the bytes before `offset`, so
/// after a crash reading continues exactly behind the last row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub offset: u64,
    pub identity: FileIdentity,
    /// Fingerprint of the file's first bytes, at most [`HEAD_LIMIT`] and never beyond `offset`.
    pub head: Fingerprint,
    /// Fingerprint of the last bytes before `offset`, at most [`TAIL_LIMIT`].
    pub tail: Fingerprint,
}

impl Cursor {
    pub fn at_start(identity: FileIdentity) -> Self {
        Self { offset: 0, identity, head: Fingerprint::EMPTY, tail: Fingerprint::EMPTY }
    }

    /// Moves the cursor over `bytes`, which start at `offset`.
    ///
    /// A chunk may be passed in any pieces, for example by line: the head does not depend on the pieces, and
    /// the tail covers as many whole pieces as fit.
    pub fn advance(&mut self, bytes: &[u8]) {
        let fits = self.tail.len as usize + bytes.len() <= TAIL_LIMIT;
        let tail = if fits {
            self.tail.followed_by(bytes)
        } else {
            Fingerprint::from_bytes(last_bytes(bytes, TAIL_LIMIT))
        };
        self.pass_bytes(bytes, tail);
    }

    /// Moves the cursor over `bytes`; with the bytes before them, the tail is as long as possible.
    pub(crate) fn advance_behind(&mut self, before: &[u8], bytes: &[u8]) {
        let of_before = last_bytes(before, TAIL_LIMIT.saturating_sub(bytes.len()));
        let tail = Fingerprint::from_bytes(of_before).followed_by(last_bytes(bytes, TAIL_LIMIT));
        self.pass_bytes(bytes, tail);
    }

    fn pass_bytes(&mut self, bytes: &[u8], tail: Fingerprint) {
        let missing = HEAD_LIMIT.saturating_sub(self.head.len as usize).min(bytes.len());
        // An incomplete head can only be continued if it ends at `offset`.
        if u64::from(self.head.len) == self.offset {
            self.head = self.head.followed_by(&bytes[..missing]);
        }
        if !bytes.is_empty() {
            self.tail = tail;
        }
        self.offset = self.offset.saturating_add(bytes.len() as u64);
    }

    /// Returns false for a damaged cursor, whose fingerprints cannot be of bytes before `offset`.
    fn is_sound(&self) -> bool {
        let within = |print: Fingerprint, limit: usize| {
            print.len as usize <= limit && u64::from(print.len) <= self.offset
        };
        let covers = self.offset == 0 || (self.head.len > 0 && self.tail.len > 0);
        within(self.head, HEAD_LIMIT) && within(self.tail, TAIL_LIMIT) && covers
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileObservation {
    pub identity: FileIdentity,
    pub length: u64,
    /// Fingerprint of as many first bytes as the cursor's head covers.
    pub head: Fingerprint,
    /// Fingerprint of as many bytes before the cursor's offset as its tail covers; `None` if the file is
    /// shorter.
    pub tail: Option<Fingerprint>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Nothing,
    Read {
        from: u64,
    },
    /// The file is shorter than the bytes read: start again at 0.
    Truncated,
    /// Another file, or other bytes: start again at 0.
    Replaced,
}

/// Compares a file with the `cursor` of its reader.
///
/// Never returns `Replaced` at offset 0, where nothing was read. A different device number alone does not
/// matter, because it may change at a restart: with equal inode, head and tail it is the same file.
///
/// Unnoticed: a rewrite in place that keeps the inode, the first [`HEAD_LIMIT`] bytes, the last bytes before
/// the offset and at least the length.
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
