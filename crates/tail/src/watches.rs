use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::cursor::FileIdentity;

/// The watched folders.
///
/// Each folder is watched separately and not recursively: a recursive watch cannot be distinguished from a
/// single one on the same folder, and is partly lost if folders are renamed.
///
/// The system's watches are few and shared by all programs. Folders needed for a followed file are always
/// watched; of the folders only searched for logs, the most recently changed ones are, up to a limit.
pub(crate) struct Watches {
    watcher: RecommendedWatcher,
    folders: BTreeMap<PathBuf, FolderWatch>,
    /// Maximum number of folders watched only because they are searched for logs.
    limit: usize,
    /// Watched folders whose watch may be given up, least valuable first.
    spare: BTreeSet<(WatchPriority, PathBuf)>,
    reported: BTreeSet<PathBuf>,
    pub(crate) failures: Vec<(PathBuf, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WatchPriority {
    Since(SystemTime),
    Always,
}

#[derive(Default)]
struct FolderWatch {
    reasons: usize,
    /// Priority if the folder is searched for logs.
    fresh: Option<WatchPriority>,
    alive: Option<FileIdentity>,
}

impl Watches {
    pub(crate) fn new(watcher: RecommendedWatcher, limit: usize) -> Self {
        Self {
            watcher,
            folders: BTreeMap::new(),
            limit,
            spare: BTreeSet::new(),
            reported: BTreeSet::new(),
            failures: Vec::new(),
        }
    }

    pub(crate) fn acquire_watch(&mut self, folder: &Path) {
        let watch = self.folders.entry(folder.to_owned()).or_default();
        watch.reasons += 1;
        if let Some(fresh) = watch.fresh {
            self.spare.remove(&(fresh, folder.to_owned()));
        }
        self.ensure_watch(folder);
    }

    pub(crate) fn cover_folder(&mut self, folder: &Path, fresh: WatchPriority) {
        let watch = self.folders.entry(folder.to_owned()).or_default();
        // A folder's own time does not show that a file in it was written.
        let fresh = watch.fresh.map_or(fresh, |known| known.max(fresh));
        self.set_fresh(folder, fresh);
    }

    pub(crate) fn freshen_folder(&mut self, folder: &Path) {
        if let Some(known) = self.folders.get(folder).and_then(|watch| watch.fresh) {
            self.set_fresh(folder, known.max(WatchPriority::Since(SystemTime::now())));
        }
    }

    pub(crate) fn uncover_folder(&mut self, folder: &Path) {
        let Some(watch) = self.folders.get_mut(folder) else { return };
        if let Some(fresh) = watch.fresh.take() {
            self.spare.remove(&(fresh, folder.to_owned()));
        }
        self.drop_unneeded(folder);
    }

    fn set_fresh(&mut self, folder: &Path, fresh: WatchPriority) {
        let Some(watch) = self.folders.get_mut(folder) else { return };
        let before = watch.fresh.replace(fresh);
        if before.is_some_and(|before| self.spare.remove(&(before, folder.to_owned()))) {
            self.spare.insert((fresh, folder.to_owned()));
        }
        self.ensure_watch(folder);
    }

    pub(crate) fn release_watch(&mut self, folder: &Path) {
        let Some(watch) = self.folders.get_mut(folder) else { return };
        watch.reasons = watch.reasons.saturating_sub(1);
        if let (0, Some(fresh), true) = (watch.reasons, watch.fresh, watch.alive.is_some()) {
            // The watch stays, but may now have to give way to a more valuable one.
            self.spare.insert((fresh, folder.to_owned()));
            self.make_room(self.limit);
        }
        self.drop_unneeded(folder);
    }

    fn drop_unneeded(&mut self, folder: &Path) {
        if self.folders.get(folder).is_some_and(|watch| watch.reasons == 0 && watch.fresh.is_none()) {
            self.folders.remove(folder);
            self.reported.remove(folder);
            self.end_watch(folder);
        }
    }

    pub(crate) fn ensure_watch(&mut self, folder: &Path) {
        let Some(watch) = self.folders.get(folder).filter(|watch| watch.alive.is_none()) else { return };
        let spare = watch.fresh.filter(|_| watch.reasons == 0);
        if let Some(fresh) = spare {
            let is_full = self.spare.len() >= self.limit;
            if is_full && self.spare.first().is_none_or(|(stalest, _)| *stalest >= fresh) {
                return;
            }
            self.make_room(self.limit.saturating_sub(1));
        }
        let alive = self.begin_watch(folder);
        if let (Some(fresh), true) = (spare, alive.is_some()) {
            self.spare.insert((fresh, folder.to_owned()));
        }
        if let Some(watch) = self.folders.get_mut(folder) {
            watch.alive = alive;
        }
    }

    fn make_room(&mut self, left: usize) {
        while self.spare.len() > left {
            let Some((_, stalest)) = self.spare.pop_first() else { return };
            self.end_watch(&stalest);
            if let Some(watch) = self.folders.get_mut(&stalest) {
                watch.alive = None;
            }
        }
    }

    /// Restarts all watches at and below `path`: after a rename, the old watch is inactive or follows the
    /// moved folder.
    pub(crate) fn renew_below(&mut self, path: &Path) {
        let names = entries_below(&self.folders, path).map(|(name, _)| name.clone()).collect::<Vec<_>>();
        for folder in names {
            self.renew_watch(&folder);
        }
    }

    pub(crate) fn renew_stale(&mut self) {
        // A missing folder and a missing watch match: there is nothing to watch.
        let stale = self.folders.iter().filter(|(folder, watch)| {
            let is_spared = watch.reasons == 0 && watch.alive.is_none();
            !is_spared && watch.alive != folder_identity(folder)
        });
        for folder in stale.map(|(folder, _)| folder.clone()).collect::<Vec<_>>() {
            self.renew_watch(&folder);
        }
    }

    #[cfg(test)]
    pub(crate) fn alive(&self) -> Vec<PathBuf> {
        let alive = self.folders.iter().filter(|(_, watch)| watch.alive.is_some());
        alive.map(|(folder, _)| folder.clone()).collect()
    }

    fn renew_watch(&mut self, folder: &Path) {
        self.end_watch(folder);
        if let Some(watch) = self.folders.get_mut(folder) {
            watch.alive = None;
            if let Some(fresh) = watch.fresh {
                self.spare.remove(&(fresh, folder.to_owned()));
            }
        }
        self.ensure_watch(folder);
    }

    fn begin_watch(&mut self, folder: &Path) -> Option<FileIdentity> {
        // Read before the watch starts: if the folder is exchanged meanwhile, the next walk sees different
        // identities.
        let identity = folder_identity(folder)?;
        match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.reported.remove(folder);
                Some(identity)
            }
            Err(error) => {
                if !is_gone(&error) && self.reported.insert(folder.to_owned()) {
                    self.failures.push((folder.to_owned(), error_reason(&error)));
                }
                None
            }
        }
    }

    fn end_watch(&mut self, folder: &Path) {
        // The watcher drops a deleted folder's watch by itself, and then reports an unknown watch.
        drop(self.watcher.unwatch(folder));
    }
}

pub(crate) fn entries_below<'a, V>(
    map: &'a BTreeMap<PathBuf, V>,
    path: &'a Path,
) -> impl Iterator<Item = (&'a PathBuf, &'a V)> {
    // Paths are ordered by components, so everything below a path directly follows it.
    let from = (Bound::Included(path), Bound::Unbounded);
    map.range::<Path, _>(from).take_while(move |(name, _)| name.starts_with(path))
}

fn folder_identity(folder: &Path) -> Option<FileIdentity> {
    let metadata = std::fs::symlink_metadata(folder).ok()?;
    metadata.is_dir().then(|| FileIdentity::from_metadata(&metadata))
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => true,
        ErrorKind::Io(error) => crate::read::is_missing(error),
        ErrorKind::Generic(_) | ErrorKind::InvalidConfig(_) | ErrorKind::MaxFilesWatch => false,
    }
}

fn error_reason(error: &notify::Error) -> String {
    let why = match &error.kind {
        ErrorKind::MaxFilesWatch => "the system's limit of watched folders is reached".to_owned(),
        ErrorKind::Io(error) => error.to_string(),
        ErrorKind::Generic(why) => why.clone(),
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound | ErrorKind::InvalidConfig(_) => error.to_string(),
    };
    format!("changes are only noticed by looking again and again: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_is_by_parts_not_by_letters() {
        let map = ["/a", "/a/b", "/a/b/c", "/a/bb", "/a-b", "/b"]
            .into_iter()
            .map(|path| (PathBuf::from(path), ()))
            .collect::<BTreeMap<_, _>>();
        let check = |path: &str, expected: &[&str]| {
            let found =
                entries_below(&map, Path::new(path)).map(|(name, ())| name.clone()).collect::<Vec<_>>();
            assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "below {path}");
        };
        check("/a", &["/a", "/a/b", "/a/b/c", "/a/bb"]);
        check("/a/b", &["/a/b", "/a/b/c"]);
        check("/a/c", &[]);
        check("/", &["/a", "/a/b", "/a/b/c", "/a/bb", "/a-b", "/b"]);
    }
}
