use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::cursor::FileIdentity;

/// Identity, length and time of a file; equal stamps mean an unchanged file, as far as one can tell without
/// reading it.
///
/// Only equality has a meaning: times may go back and lengths may shrink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    pub identity: FileIdentity,
    pub length: u64,
    pub modified: Option<SystemTime>,
}

impl FileStamp {
    pub fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            identity: FileIdentity::from_metadata(metadata),
            length: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }

    /// Returns the last modification in milliseconds since 1970, negative before.
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
