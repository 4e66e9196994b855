//! Which folders are watched, for how many reasons, and whether the watch is still alive.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::cursor::FileIdentity;

/// The watched folders.
///
/// Each folder is watched by itself, not with what is below it: a recursive watch cannot be told
/// apart from a single one of the same folder, and is lost in parts when folders are renamed.
///
/// The system's watches are few and shared by all programs. What a followed file needs is always
/// watched; of the folders in which logs are looked for only the freshest are, up to a limit.
pub(crate) struct Watches {
    watcher: RecommendedWatcher,
    folders: BTreeMap<PathBuf, FolderWatch>,
    /// The most folders watched only because logs are looked for in them.
    limit: usize,
    /// Folders whose watches may be given up, the stalest first.
    spare: BTreeSet<(WatchPriority, PathBuf)>,
    reported: BTreeSet<PathBuf>,
    /// Folders that could not be watched, with the reason; each is told once.
    pub(crate) failures: Vec<(PathBuf, String)>,
}

/// How much a folder in which logs are looked for is worth watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WatchPriority {
    /// As much as one that last changed then.
    Since(SystemTime),
    /// More than any other.
    Always,
}

#[derive(Default)]
struct FolderWatch {
    /// How many followed files or given folders need it.
    reasons: usize,
    /// How much it is worth to watch it, where logs are looked for in it.
    fresh: Option<WatchPriority>,
    /// The folder that is watched; `None` while there is no live watch.
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

    /// Watches `folder` for one more reason.
    pub(crate) fn acquire_watch(&mut self, folder: &Path) {
        let watch = self.folders.entry(folder.to_owned()).or_default();
        watch.reasons += 1;
        if let Some(fresh) = watch.fresh {
            self.spare.remove(&(fresh, folder.to_owned()));
        }
        self.ensure_watch(folder);
    }

    /// Watches `folder` because logs are looked for in it, if there is room.
    pub(crate) fn cover_folder(&mut self, folder: &Path, fresh: WatchPriority) {
        let watch = self.folders.entry(folder.to_owned()).or_default();
        // A folder's own time does not tell that a file in it was written to.
        let fresh = watch.fresh.map_or(fresh, |known| known.max(fresh));
        self.set_fresh(folder, fresh);
    }

    /// Notes that something goes on in a covered folder, so it is watched rather than another.
    pub(crate) fn freshen_folder(&mut self, folder: &Path) {
        if let Some(known) = self.folders.get(folder).and_then(|watch| watch.fresh) {
            self.set_fresh(folder, known.max(WatchPriority::Since(SystemTime::now())));
        }
    }

    /// Takes back that logs are looked for in `folder`.
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

    /// Takes one reason back; without any the watch ends.
    pub(crate) fn release_watch(&mut self, folder: &Path) {
        let Some(watch) = self.folders.get_mut(folder) else { return };
        watch.reasons = watch.reasons.saturating_sub(1);
        if let (0, Some(fresh), true) = (watch.reasons, watch.fresh, watch.alive.is_some()) {
            // It stays watched, and may have to make room for a fresher one from now on.
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

    /// Starts the watch of a wanted folder if it is not alive.
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

    /// Ends the stalest of the watches that can be spared until `left` of them are left.
    fn make_room(&mut self, left: usize) {
        while self.spare.len() > left {
            let Some((_, stalest)) = self.spare.pop_first() else { return };
            self.end_watch(&stalest);
            if let Some(watch) = self.folders.get_mut(&stalest) {
                watch.alive = None;
            }
        }
    }

    /// Starts all watches at and below `path` anew: the name changed hands, so the old watch is
    /// dead or goes with a folder that is elsewhere now.
    pub(crate) fn renew_below(&mut self, path: &Path) {
        let names = entries_below(&self.folders, path).map(|(name, _)| name.clone()).collect::<Vec<_>>();
        for folder in names {
            self.renew_watch(&folder);
        }
    }

    pub(crate) fn renew_stale(&mut self) {
        // No live watch and no folder are the same: then there is nothing to watch.
        let stale = self.folders.iter().filter(|(folder, watch)| {
            let is_spared = watch.reasons == 0 && watch.alive.is_none();
            !is_spared && watch.alive != folder_identity(folder)
        });
        for folder in stale.map(|(folder, _)| folder.clone()).collect::<Vec<_>>() {
            self.renew_watch(&folder);
        }
    }

    /// Returns the folders with a live watch.
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
        // Asked before the watch starts: if the folder is exchanged in between, the next walk sees the identities differ.
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
        // The watcher drops the watch of a deleted folder by itself and then says it knows none.
        drop(self.watcher.unwatch(folder));
    }
}

/// Returns the entries of a map of paths that are at or below `path`.
pub(crate) fn entries_below<'a, V>(
    map: &'a BTreeMap<PathBuf, V>,
    path: &'a Path,
) -> impl Iterator<Item = (&'a PathBuf, &'a V)> {
    // Paths are ordered part by part, so everything below one stands together behind it.
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
