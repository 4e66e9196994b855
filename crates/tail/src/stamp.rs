//! Stamps: the facts the file system gives about a file without opening it.

use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::cursor::FileIdentity;

/// A file as its folder shows it; when the stamp is the same, so is the file, as far as that can be told
/// without reading it.
///
/// Stamps are compared for equality only: the time may go back, and the length may shrink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// Which file it is.
    pub identity: FileIdentity,
    /// The length in bytes.
    pub length: u64,
    /// When it was last written to, where the file system tells.
    pub modified: Option<SystemTime>,
}

impl FileStamp {
    /// Reads the stamp from a file's metadata.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            identity: FileIdentity::from_metadata(metadata),
            length: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }

    /// Returns when it was last written to, milliseconds since 1970; negative before.
    pub fn modified_ms(&self) -> Option<i64> {
        let modified = self.modified?;
        let (sign, distance) = match modified.duration_since(UNIX_EPOCH) {
            Ok(after) => (1, after),
            Err(before) => (-1, before.duration()),
        };
        i64::try_from(distance.as_millis()).ok().map(|ms| sign * ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_before_1970_are_negative() {
        let stamp = |modified| FileStamp { identity: FileIdentity::UNKNOWN, length: 0, modified };
        assert_eq!(stamp(None).modified_ms(), None);
        assert_eq!(stamp(Some(UNIX_EPOCH + Duration::from_millis(1500))).modified_ms(), Some(1500));
        assert_eq!(stamp(Some(UNIX_EPOCH - Duration::from_millis(1500))).modified_ms(), Some(-1500));
    }
}
