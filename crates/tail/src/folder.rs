//! The watched folders and the log files that were found in them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use tokio::time::Instant;

use crate::cursor::FileIdentity;
use crate::place::Place;
use crate::watches::below;

/// A folder in which logs are looked for.
#[derive(Default)]
pub(crate) struct Folder {
    /// As it was given.
    pub(crate) given: PathBuf,
    /// Where it leads, if it is there.
    pub(crate) real: Option<PathBuf>,
    /// Where it is to be looked for.
    pub(crate) place: Place,
}

/// A log file that is known.
pub(crate) struct Found {
    pub(crate) identity: FileIdentity,
    /// Since when it is missing, if it is.
    pub(crate) missing: Option<Instant>,
}

/// The watched folders, everything below them that is watched too, and what was found.
///
/// All paths but the given ones are real: free of symbolic links.
#[derive(Default)]
pub(crate) struct Folders {
    pub(crate) roots: Vec<Folder>,
    /// The folders at and below the roots.
    pub(crate) tree: BTreeSet<PathBuf>,
    pub(crate) found: BTreeMap<PathBuf, Found>,
    /// The folders that were told to be unreadable.
    pub(crate) unreadable: BTreeSet<PathBuf>,
}

impl Folders {
    pub(crate) fn new(given: Vec<PathBuf>) -> Self {
        let roots = given.into_iter().map(|given| Folder { given, ..Folder::default() }).collect();
        Self { roots, ..Self::default() }
    }

    /// Whether a path is at or below a root.
    pub(crate) fn cover(&self, path: &Path) -> bool {
        self.root_of(path).is_some()
    }

    /// Spells a real path as the caller would: below a root as that was given.
    pub(crate) fn spelled(&self, path: &Path) -> PathBuf {
        let below_root = self.root_of(path).map(|(given, rest)| {
            if rest.as_os_str().is_empty() { given.to_owned() } else { given.join(rest) }
        });
        below_root.unwrap_or_else(|| path.to_owned())
    }

    fn root_of<'a>(&'a self, path: &'a Path) -> Option<(&'a Path, &'a Path)> {
        self.roots.iter().find_map(|root| {
            let rest = path.strip_prefix(root.real.as_ref()?).ok()?;
            Some((root.given.as_path(), rest))
        })
    }

    /// Returns the folders of the tree at and below `path`.
    pub(crate) fn tree_below(&self, path: &Path) -> Vec<PathBuf> {
        let from = (Bound::Included(path), Bound::Unbounded);
        let tree = self.tree.range::<Path, _>(from);
        tree.take_while(|folder| folder.starts_with(path)).cloned().collect()
    }

    /// Returns the found files at and below `path`.
    pub(crate) fn found_below(&self, path: &Path) -> Vec<PathBuf> {
        below(&self.found, path).map(|(file, _)| file.clone()).collect()
    }
}

/// Whether the name is one of a log.
pub(crate) fn is_log_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_known_by_their_name() {
        for (name, expected) in [
            ("/a/b.jsonl", true),
            ("/a/B.JSONL", true),
            ("/a/b.json", false),
            ("/a/b.jsonl.tmp", false),
            ("/a/.jsonl", false),
            ("/a/jsonl", false),
        ] {
            assert_eq!(is_log_name(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn found_files_are_spelled_below_the_given_folder() {
        let root = Folder { given: "logs".into(), real: Some("/real/logs".into()), ..Folder::default() };
        let folders = Folders { roots: vec![root], ..Folders::default() };
        for (path, expected) in [
            ("/real/logs/p/a.jsonl", "logs/p/a.jsonl"),
            ("/real/logs", "logs"),
            ("/real/logs2/a.jsonl", "/real/logs2/a.jsonl"),
        ] {
            assert_eq!(folders.spelled(Path::new(path)), PathBuf::from(expected), "{path}");
        }
        assert!(folders.cover(Path::new("/real/logs/x")) && !folders.cover(Path::new("/real/logs2")));
    }
}
