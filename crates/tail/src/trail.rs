//! The trail of a name: the folders to watch for it and the names that events will carry.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf, absolute};

/// The most symbolic links followed for one name, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// The folders and names to watch, to notice every change behind a path.
///
/// All paths are free of symbolic links up to their last part, as the watcher's events are:
/// a watch follows folders, not the links that led to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trail {
    /// The folders to watch: of the file, of each link on the way, or the nearest that is there.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// The names in those folders whose change may change what the path leads to.
    pub(crate) names: BTreeSet<PathBuf>,
}

impl Trail {
    /// Finds the trail of `path` as the file system is now; never fails, a missing folder has the
    /// name of its first missing part.
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
        // An empty relative path joins to a trailing slash, which compares equal.
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
