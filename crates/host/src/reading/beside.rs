//! Small files beside a log, read in one piece.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Longest file that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// Reads a regular file whole.
///
/// # Errors
/// If `path` is missing, unreadable, no regular file, or longer than [`LONGEST`].
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a pipe or a device could block for ever.
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return Err(io::Error::other("it is no file, or too long"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}
