//! Files that lie beside a log and are read in one piece.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A longer file is left alone, bytes.
const LONGEST: u64 = 64 << 20;

/// Reads a file.
///
/// # Errors
/// If it is missing or cannot be read, is no file, or is too long.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    // To open a pipe or a device would wait for ever.
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return Err(io::Error::other("it is no file, or too long"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}
