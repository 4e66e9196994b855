//! Listing folders once, without watching and without opening a file.

use std::fs;
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

/// Lists the logs in some folders, at most `limit`, in the order of their paths.
///
/// Each folder is read once and each wanted file is asked for its metadata once; nothing is opened.
/// Links to folders are not gone into, except the given folders themselves; a link to a file counts
/// as that file. What cannot be read is left out: the follower tells it.
pub fn list(folders: &[LogFolder], limit: usize) -> Vec<Listed> {
    let mut listed = Vec::new();
    for folder in folders {
        if let Ok(real) = folder.path.canonicalize() {
            list_one(&real, folder.wanted, limit, &mut listed);
        }
    }
    listed.sort_by(|a, b| a.path.cmp(&b.path));
    listed.dedup_by(|a, b| a.path == b.path);
    listed
}

fn list_one(root: &Path, wanted: Wanted, limit: usize, listed: &mut Vec<Listed>) {
    // Depth costs memory, not stack.
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let Ok(entries) = fs::read_dir(root.join(&below)) else { continue };
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
                listed.push(Listed { path, stamp: Stamp::of(&metadata) });
            }
            if listed.len() >= limit {
                return;
            }
        }
    }
}
