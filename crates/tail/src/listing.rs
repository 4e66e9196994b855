//! Listing folders once, without watching and without opening a file.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::stamp::Stamp;
use crate::wanted::{Kind, LogFolder, Wanted};

/// A log file in one of the folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its real path, free of symbolic links.
    pub path: PathBuf,
    /// Its size and time, from its folder.
    pub stamp: Stamp,
}

/// Everything that a listing found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The logs, in the order of their paths.
    pub logs: Vec<Listed>,
    /// The folders below the given ones that cannot be looked into, by their real paths.
    pub unreadable: Vec<PathBuf>,
}

/// Lists the logs in some folders, at most `limit`.
///
/// Each folder is read once and each wanted file is asked for its metadata once; nothing is opened.
/// Links to folders are not gone into, except the given folders themselves; a link to a file counts
/// as that file.
pub fn list(folders: &[LogFolder], limit: usize) -> Listing {
    let mut listing = Listing::default();
    for folder in folders {
        if let Ok(real) = folder.path.canonicalize() {
            list_one(&real, folder.wanted, limit, &mut listing);
        }
    }
    listing.logs.sort_by(|a, b| a.path.cmp(&b.path));
    listing.logs.dedup_by(|a, b| a.path == b.path);
    listing
}

fn list_one(root: &Path, wanted: Wanted, limit: usize, listing: &mut Listing) {
    // Depth costs memory, not stack.
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let entries = match fs::read_dir(root.join(&below)) {
            Ok(entries) => entries,
            // It may have gone meanwhile; a root is the caller's to look at.
            Err(error) if error.kind() == ErrorKind::NotFound || below.as_os_str().is_empty() => continue,
            Err(_unreadable) => {
                listing.unreadable.push(root.join(&below));
                continue;
            }
        };
        for entry in entries.flatten() {
            let (Ok(kind), name) = (entry.file_type(), below.join(entry.file_name())) else { continue };
            if kind.is_dir() {
                if wanted(&name, Kind::Folder) {
                    open.push(name);
                }
                continue;
            }
            if !wanted(&name, Kind::File) {
                continue;
            }
            let found = if kind.is_symlink() {
                entry.path().canonicalize().and_then(|path| Ok((fs::metadata(&path)?, path)))
            } else {
                entry.metadata().map(|metadata| (metadata, root.join(&name)))
            };
            if let Ok((metadata, path)) = found
                && metadata.is_file()
            {
                listing.logs.push(Listed { path, stamp: Stamp::of(&metadata) });
            }
            if listing.logs.len() >= limit {
                return;
            }
        }
    }
}
