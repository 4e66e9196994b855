//! The watched folders and the log files found in them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use tokio::time::Instant;

use crate::stamp::FileStamp;
use crate::trail::Trail;
use crate::wanted::{EntryKind, LogFolder, PathFilter};
use crate::watches::entries_below;

/// A folder in which logs are looked for.
pub(crate) struct Folder {
    pub(crate) given: PathBuf,
    /// Tells which names count in it.
    wanted: PathFilter,
    /// The real path, if the folder is there.
    pub(crate) real: Option<PathBuf>,
    /// The trail by which the folder is looked for.
    pub(crate) trail: Trail,
}

/// A log file that is known.
pub(crate) struct KnownFile {
    /// As it was when it was last looked at.
    pub(crate) stamp: FileStamp,
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

    /// Tells whether `path` is at or below a root, and that root wants it.
    pub(crate) fn wants_path(&self, path: &Path, kind: EntryKind) -> bool {
        self.roots.iter().any(|root| {
            let rest = root.real.as_ref().and_then(|real| path.strip_prefix(real).ok());
            let is_root = |rest: &Path| rest.as_os_str().is_empty();
            rest.is_some_and(|rest| {
                if is_root(rest) { kind == EntryKind::Folder } else { (root.wanted)(rest, kind) }
            })
        })
    }

    pub(crate) fn is_root(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| root.real.as_deref() == Some(path))
    }

    /// Tells whether `path` is at or below a root.
    pub(crate) fn covers_path(&self, path: &Path) -> bool {
        self.root_of(path).is_some()
    }

    /// Spells a real path as the caller would: below a root as that was given.
    pub(crate) fn spell_as_given(&self, path: &Path) -> PathBuf {
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
        entries_below(&self.found, path).map(|(file, _)| file.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_files_are_spelled_below_the_given_folder() {
        let wanted: PathFilter =
            |below, kind| kind == EntryKind::Folder || below.extension().is_some_and(|it| it == "jsonl");
        let mut folders = Folders::new(vec![LogFolder { path: "logs".into(), wanted }]);
        folders.roots[0].real = Some("/real/logs".into());
        for (path, expected) in [
            ("/real/logs/p/a.jsonl", "logs/p/a.jsonl"),
            ("/real/logs", "logs"),
            ("/real/logs2/a.jsonl", "/real/logs2/a.jsonl"),
        ] {
            assert_eq!(folders.spell_as_given(Path::new(path)), PathBuf::from(expected), "{path}");
        }
        assert!(
            folders.covers_path(Path::new("/real/logs/x")) && !folders.covers_path(Path::new("/real/logs2"))
        );
        for (path, kind, expected) in [
            ("/real/logs", EntryKind::Folder, true),
            ("/real/logs", EntryKind::File, false),
            ("/real/logs/p", EntryKind::Folder, true),
            ("/real/logs/p", EntryKind::File, false),
            ("/real/logs/a.jsonl", EntryKind::File, true),
            ("/real/a.jsonl", EntryKind::File, false),
        ] {
            assert_eq!(folders.wants_path(Path::new(path), kind), expected, "{path} {kind:?}");
        }
    }
}
