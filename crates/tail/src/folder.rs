//! The watched folders and the log files that were found in them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use tokio::time::Instant;

use crate::stamp::Stamp;
use crate::trail::Trail;
use crate::wanted::{Kind, LogFolder, Wanted};
use crate::watches::below;

/// A folder in which logs are looked for.
pub(crate) struct Folder {
    /// As it was given.
    pub(crate) given: PathBuf,
    /// Tells which names count in it.
    wanted: Wanted,
    /// Where it leads, if it is there.
    pub(crate) real: Option<PathBuf>,
    /// Where it is to be looked for.
    pub(crate) trail: Trail,
}

/// A log file that is known.
pub(crate) struct KnownFile {
    /// As it was when it was last looked at.
    pub(crate) stamp: Stamp,
    /// When it was last told, if it was.
    pub(crate) told: Option<Instant>,
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
    pub(crate) found: BTreeMap<PathBuf, KnownFile>,
    /// The folders that were told to be unreadable.
    pub(crate) unreadable: BTreeSet<PathBuf>,
}

impl Folders {
    pub(crate) fn new(given: Vec<LogFolder>) -> Self {
        let root =
            |LogFolder { path: given, wanted }| Folder { given, wanted, real: None, trail: Trail::default() };
        Self { roots: given.into_iter().map(root).collect(), ..Self::default() }
    }

    /// Tells whether a path is at or below a root, and that root wants it.
    pub(crate) fn want(&self, path: &Path, kind: Kind) -> bool {
        self.roots.iter().any(|root| {
            let rest = root.real.as_ref().and_then(|real| path.strip_prefix(real).ok());
            let is_root = |rest: &Path| rest.as_os_str().is_empty();
            rest.is_some_and(
                |rest| if is_root(rest) { kind == Kind::Folder } else { (root.wanted)(rest, kind) },
            )
        })
    }

    /// Tells whether a real path is that of a root.
    pub(crate) fn is_root(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| root.real.as_deref() == Some(path))
    }

    /// Tells whether a path is at or below a root.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_files_are_spelled_below_the_given_folder() {
        let wanted: Wanted =
            |below, kind| kind == Kind::Folder || below.extension().is_some_and(|it| it == "jsonl");
        let mut folders = Folders::new(vec![LogFolder { path: "logs".into(), wanted }]);
        folders.roots[0].real = Some("/real/logs".into());
        for (path, expected) in [
            ("/real/logs/p/a.jsonl", "logs/p/a.jsonl"),
            ("/real/logs", "logs"),
            ("/real/logs2/a.jsonl", "/real/logs2/a.jsonl"),
        ] {
            assert_eq!(folders.spelled(Path::new(path)), PathBuf::from(expected), "{path}");
        }
        assert!(folders.cover(Path::new("/real/logs/x")) && !folders.cover(Path::new("/real/logs2")));
        for (path, kind, expected) in [
            ("/real/logs", Kind::Folder, true),
            ("/real/logs", Kind::File, false),
            ("/real/logs/p", Kind::Folder, true),
            ("/real/logs/p", Kind::File, false),
            ("/real/logs/a.jsonl", Kind::File, true),
            ("/real/a.jsonl", Kind::File, false),
        ] {
            assert_eq!(folders.want(Path::new(path), kind), expected, "{path} {kind:?}");
        }
    }
}
