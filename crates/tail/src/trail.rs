//! The trail of a path: which folders to watch, and which names appear in events.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf, absolute};

/// Maximum number of symbolic links followed, the same as in Linux.
const MAX_LINKS: usize = 40;

/// Folders and names to watch so every change behind a path is noticed.
///
/// Paths contain no symbolic links before their last part, like the paths in events: a watch follows folders,
/// not the links to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trail {
    /// Folders of the file and of each link on the way, or else the nearest existing folder.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// Names in these folders whose change may change the path's target.
    pub(crate) names: BTreeSet<PathBuf>,
}

impl Trail {
    /// Finds the trail of `path`. Never fails: for a missing folder, it holds the name of the first missing
    /// part.
    pub(crate) fn find(path: &Path) -> Self {
        let mut trail = Self::default();
        let Ok(mut current) = absolute(path) else { return trail };
        for _ in 0..MAX_LINKS {
            let (Some(parent), Some(name)) = (current.parent(), current.file_name()) else { break };
            let Some(folder) = real_folder(parent) else {
                trail.await_first_missing(&current);
                break;
            };
            let named = folder.join(name);
            let target = std::fs::read_link(&named);
            trail.names.insert(named);
            trail.folders.insert(folder.clone());
            match target {
                Ok(target) => current = folder.join(target),
                Err(_) => break,
            }
        }
        trail
    }

    fn await_first_missing(&mut self, path: &Path) {
        let mut missing = path;
        while let Some(parent) = missing.parent() {
            if let Some(folder) = real_folder(parent) {
                let next = missing.components().next_back().unwrap_or(Component::CurDir);
                self.names.insert(folder.join(next));
                self.folders.insert(folder);
                return;
            }
            missing = parent;
        }
    }
}

fn real_folder(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().filter(|real| real.is_dir())
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::symlink;

    fn check(base: &Path, path: &str, folders: &[&str], names: &[&str]) {
        let base = base.canonicalize().unwrap();
        let trail = Trail::find(&base.join(path));
        let below = |paths: &[&str]| paths.iter().map(|path| base.join(path)).collect::<BTreeSet<_>>();
        // Joining an empty relative path adds a trailing slash, which compares equal.
        assert_eq!(trail.folders, below(folders), "folders of {path}");
        assert_eq!(trail.names, below(names), "names of {path}");
    }

    #[test]
    fn every_link_and_the_nearest_folder_is_watched() {
        let base = tempfile::tempdir().unwrap();
        let at = |path: &str| base.path().join(path);
        std::fs::create_dir_all(at("real/deep")).unwrap();
        std::fs::create_dir_all(at("links")).unwrap();
        std::fs::write(at("real/deep/a.jsonl"), "").unwrap();
        symlink("../real/deep/a.jsonl", at("links/one")).unwrap();
        symlink(at("links/one"), at("two")).unwrap();
        symlink("real/deep", at("folder")).unwrap();
        symlink("loop", at("loop")).unwrap();

        check(base.path(), "real/deep/a.jsonl", &["real/deep"], &["real/deep/a.jsonl"]);
        check(base.path(), "real/deep/new", &["real/deep"], &["real/deep/new"]);
        check(base.path(), "folder/a.jsonl", &["real/deep"], &["real/deep/a.jsonl"]);
        check(base.path(), "links/one", &["links", "real/deep"], &["links/one", "real/deep/a.jsonl"]);
        check(base.path(), "two", &["", "links", "real/deep"], &["two", "links/one", "real/deep/a.jsonl"]);
        check(base.path(), "real/no/such/file", &["real"], &["real/no"]);
        check(base.path(), "real/deep/a.jsonl/below", &["real/deep"], &["real/deep/a.jsonl"]);
        check(base.path(), "loop", &[""], &["loop"]);
    }

    #[test]
    fn odd_paths_have_a_place_or_none() {
        for path in ["", "/", "..", "/..", "relative"] {
            let trail = Trail::find(Path::new(path));
            assert!(trail.folders.len() <= 1, "{path:?} leads to {trail:?}");
        }
    }
}
