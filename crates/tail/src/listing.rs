//! Lists folders once, without watching them or opening a file.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::stamp::FileStamp;
use crate::wanted::{EntryKind, LogFolder, PathFilter};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// Real path, without symbolic links.
    pub path: PathBuf,
    pub stamp: FileStamp,
}

/// How many times `limit` logs are kept while walking.
const HELD: usize = 4;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Sorted by path.
    pub logs: Vec<LogFile>,
    /// Number of logs omitted because they are older than the listed ones.
    pub n_older: usize,
    pub unreadable: Vec<PathBuf>,
}

/// Lists the logs in `folders`; of more than `limit`, those changed last.
///
/// Each folder is read once and each wanted file's metadata once; no file is opened. Links to folders are not
/// entered, except the given folders themselves; a link to a file counts as the file.
pub fn list_logs(folders: &[LogFolder], limit: usize) -> Listing {
    let mut listing = Listing::default();
    for folder in folders {
        if let Ok(real) = folder.path.canonicalize() {
            list_one(&real, folder.wanted, limit, &mut listing);
        }
    }
    listing.drop_oldest(limit);
    listing
}

impl Listing {
    fn add_log(&mut self, log: LogFile, limit: usize) {
        self.logs.push(log);
        if self.logs.len() / HELD > limit.max(1) {
            self.drop_oldest(limit);
        }
    }

    fn drop_oldest(&mut self, limit: usize) {
        let by_path = |a: &LogFile, b: &LogFile| a.path.cmp(&b.path);
        self.logs.sort_unstable_by(by_path);
        self.logs.dedup_by(|a, b| a.path == b.path);
        if self.logs.len() > limit {
            self.logs.sort_by_key(|log| std::cmp::Reverse(log.stamp.modified));
            self.n_older += self.logs.len() - limit;
            self.logs.truncate(limit);
            self.logs.sort_unstable_by(by_path);
        }
    }
}

fn list_one(root: &Path, wanted: PathFilter, limit: usize, listing: &mut Listing) {
    // Depth needs memory, not stack.
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let entries = match fs::read_dir(root.join(&below)) {
            Ok(entries) => entries,
            // The folder may have been deleted meanwhile; a root folder is the caller's concern.
            Err(error) if error.kind() == ErrorKind::NotFound || below.as_os_str().is_empty() => continue,
            Err(_unreadable) => {
                listing.unreadable.push(root.join(&below));
                continue;
            }
        };
        for entry in entries.flatten() {
            let (Ok(kind), name) = (entry.file_type(), below.join(entry.file_name())) else { continue };
            if kind.is_dir() {
                if wanted(&name, EntryKind::Folder) {
                    open.push(name);
                }
                continue;
            }
            if !wanted(&name, EntryKind::File) {
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
                listing.add_log(LogFile { path, stamp: FileStamp::from_metadata(&metadata) }, limit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn of_more_logs_than_are_listed_the_newest_are() {
        let dir = tempfile::tempdir().unwrap();
        for nth in 0..40_u64 {
            // Spread over folders, so neither the folders' nor the names' order is the order of times.
            let folder = dir.path().join(format!("{}", nth % 7));
            fs::create_dir_all(&folder).unwrap();
            let file = fs::File::create(folder.join(format!("{:02}.jsonl", (nth * 13) % 40))).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + nth)).unwrap();
        }
        let folder = LogFolder { path: dir.path().to_owned(), wanted: |_, _| true };
        for limit in [1, 5, 39, 40, 100] {
            let listing = list_logs(std::slice::from_ref(&folder), limit);
            let oldest = listing.logs.iter().filter_map(|log| log.stamp.modified_ms()).min().unwrap();
            let n_listed = listing.logs.len();
            assert_eq!((n_listed, listing.n_older), (limit.min(40), 40 - limit.min(40)));
            assert_eq!(oldest, (1_000_000 + 40 - n_listed as i64) * 1000, "limit {limit}");
            assert!(listing.logs.is_sorted_by(|a, b| a.path < b.path));
        }
    }
}
