use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use tokio::time::Instant;

use crate::stamp::FileStamp;
use crate::trail::Trail;
use crate::wanted::{EntryKind, LogFolder, PathFilter};
use crate::watches::entries_below;

pub(crate) struct Folder {
    pub(crate) given: PathBuf,
    wanted: PathFilter,
    pub(crate) real: Option<PathBuf>,
    pub(crate) trail: Trail,
}

impl Folder {
    fn new(LogFolder { path: given, wanted }: LogFolder) -> Self {
        Self { given, wanted, real: None, trail: Trail::default() }
    }
}

pub(crate) struct KnownFile {
    pub(crate) stamp: FileStamp,
    pub(crate) told: Option<Instant>,
    pub(crate) missing: Option<Instant>,
}

/// The roots, all watched folders below them, and the files found.
///
/// All paths except the given ones are real, without symbolic links.
#[derive(Default)]
pub(crate) struct Folders {
    pub(crate) roots: Vec<Folder>,
    pub(crate) tree: BTreeSet<PathBuf>,
    pub(crate) found: BTreeMap<PathBuf, KnownFile>,
    pub(crate) unreadable: BTreeSet<PathBuf>,
}

impl Folders {
    pub(crate) fn new(given: Vec<LogFolder>) -> Self {
        Self { roots: given.into_iter().map(Folder::new).collect(), ..Self::default() }
    }

    /// Returns the number of the new root, or `None` if a root has this path already.
    pub(crate) fn add_root(&mut self, folder: LogFolder) -> Option<usize> {
        if self.roots.iter().any(|root| root.given == folder.path) {
            return None;
        }
        self.roots.push(Folder::new(folder));
        Some(self.roots.len() - 1)
    }

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

    pub(crate) fn covers_path(&self, path: &Path) -> bool {
        self.root_of(path).is_some()
    }

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

    pub(crate) fn tree_below(&self, path: &Path) -> Vec<PathBuf> {
        let from = (Bound::Included(path), Bound::Unbounded);
        let tree = self.tree.range::<Path, _>(from);
        tree.take_while(|folder| folder.starts_with(path)).cloned().collect()
    }

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
