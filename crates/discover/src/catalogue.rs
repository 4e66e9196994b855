//! The log catalogue: folders are walked once, and then the file follower reports changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use cwl_tail::{FileIdentity, FileStamp, Listing, LogFolder, TailMessage, list_logs};

use crate::head::Heads;
use crate::lock_unpoisoned;
use crate::notices::{Notice, logs_left_out, unreadable_folder, unreadable_log};
use crate::opencode::listed::{Databases, FoundDatabase};
use crate::opencode::storage::{StorageFile, Storages, storage_file, storage_of};
use crate::roots::{ResolvedFolders, Roots};
use cwl_formats::layout::{is_log_name, name_of, uncompressed_name};

const FILES_LISTED: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionSource {
    Log(FoundLog),
    /// A database with sessions as rows, such as `opencode.db`.
    Database(FoundDatabase),
    /// A session's main file; its messages are in other files.
    Files(FoundLog),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLog {
    pub path: PathBuf,
    pub stamp: FileStamp,
}

#[derive(Debug)]
pub struct Catalogue {
    roots: Roots,
    pub heads: Heads,
    pub databases: Databases,
    pub storages: Storages,
    most: usize,
    state: Mutex<CatalogueState>,
}

#[derive(Debug, Default)]
struct CatalogueState {
    listed: bool,
    /// Files left out because all listed ones are newer.
    n_older: usize,
    /// Oldest modification time in a full list; `None` until it is needed.
    oldest: Option<SystemTime>,
    files: BTreeMap<PathBuf, FileStamp>,
    unreadable: Vec<PathBuf>,
    /// Real folders by the follower's spelling.
    folders: BTreeMap<PathBuf, PathBuf>,
    /// Old name → new name, for logs followed under a new name.
    moved: BTreeMap<PathBuf, PathBuf>,
}

impl Catalogue {
    /// Makes a catalogue that walks its folders on first use.
    pub fn new(roots: Roots) -> Self {
        Self {
            roots,
            heads: Heads::default(),
            databases: Databases::default(),
            storages: Storages::default(),
            most: FILES_LISTED,
            state: Mutex::default(),
        }
    }

    /// Like [`Self::new`], without a limit on files.
    pub fn of_all(roots: Roots) -> Self {
        Self { most: usize::MAX, ..Self::new(roots) }
    }

    pub fn watched_folders(&self) -> Vec<LogFolder> {
        self.roots.watched_folders()
    }

    /// Returns true if the watched folders include `path`, as they spell it.
    pub fn watches_file(&self, path: &Path) -> bool {
        self.roots.watches_file(path)
    }

    pub fn shown_folders(&self) -> Vec<String> {
        self.roots.displayed_folders()
    }

    pub fn list_notices(&self) -> Vec<Notice> {
        let mut notices = self.roots.list_notices();
        let mut state = lock_unpoisoned(&self.state);
        state.list_files(&self.roots, self.most);
        notices.extend((state.n_older > 0).then(|| logs_left_out(state.n_older, state.files.len())));
        notices.extend(state.unreadable.iter().filter_map(|folder| unreadable_folder(None, folder)));
        drop(state);
        notices.extend(self.heads.unreadable_logs().iter().map(|log| unreadable_log(log)));
        notices.extend(self.databases.list_notices());
        notices.extend(self.storages.list_notices());
        notices
    }

    pub fn harness_folders(&self) -> ResolvedFolders {
        self.roots.resolve_links()
    }

    /// Returns everything found, last changed first. Folders are walked at the first call only, and no file
    /// is opened.
    pub fn all_sources(&self) -> Vec<SessionSource> {
        let mut state = lock_unpoisoned(&self.state);
        state.list_files(&self.roots, self.most);
        let mut files: Vec<(&PathBuf, &FileStamp)> = state.files.iter().collect();
        files.sort_by(|a, b| b.1.modified.cmp(&a.1.modified).then_with(|| a.0.cmp(b.0)));
        files.into_iter().filter_map(|(path, stamp)| state.classify_file(path, *stamp)).collect()
    }

    /// Returns the found logs, last changed first.
    pub fn found_logs(&self) -> Vec<FoundLog> {
        let log = |found| match found {
            SessionSource::Log(log) => Some(log),
            SessionSource::Database(_) | SessionSource::Files(_) => None,
        };
        self.all_sources().into_iter().filter_map(log).collect()
    }

    /// Logs with that file identity; none if `identity` is unknown.
    pub fn with_identity(&self, identity: FileIdentity) -> Vec<PathBuf> {
        let mut state = lock_unpoisoned(&self.state);
        state.list_files(&self.roots, self.most);
        let is_it = |stamp: &FileStamp| stamp.identity == identity && identity != FileIdentity::UNKNOWN;
        state.files.iter().filter(|(_, stamp)| is_it(stamp)).map(|(path, _)| path.clone()).collect()
    }

    /// Applies a report from the file follower. Returns `true` if the session list changes.
    pub fn apply_message(&self, message: &TailMessage) -> bool {
        match message {
            // A message file whose session is already listed.
            TailMessage::Found { path, .. }
                if matches!(storage_file(path), Some(StorageFile::Message(_))) =>
            {
                false
            }
            TailMessage::Found { path, stamp } => {
                lock_unpoisoned(&self.state).update_file(path, *stamp, self.most)
            }
            TailMessage::Gone { path, .. } => {
                let mut state = lock_unpoisoned(&self.state);
                let real = state.real_path(path);
                self.heads.forget_log(&real);
                self.storages.forget_file(&real);
                state.files.remove(&real).is_some()
            }
            TailMessage::Appended { .. }
            | TailMessage::Truncated { .. }
            | TailMessage::Replaced { .. }
            | TailMessage::Unreadable { .. } => false,
        }
    }

    pub fn note_move(&self, from: &Path, to: &Path) {
        let mut state = lock_unpoisoned(&self.state);
        // After several moves, the first name is the one known to the store.
        let first = state.moved.iter().find(|(_, now)| now.as_path() == from).map(|(first, _)| first.clone());
        state.moved.insert(first.unwrap_or_else(|| from.to_owned()), to.to_owned());
    }

    pub fn end_move(&self, from: &Path) -> Option<PathBuf> {
        lock_unpoisoned(&self.state).moved.remove(from)
    }

    /// Moved logs' new names, by their first names.
    pub fn moved_names(&self) -> BTreeMap<PathBuf, PathBuf> {
        lock_unpoisoned(&self.state).moved.clone()
    }
}

impl CatalogueState {
    fn list_files(&mut self, roots: &Roots, most: usize) {
        if !self.listed {
            self.listed = true;
            let Listing { logs, n_older, unreadable } = list_logs(&roots.listed_folders(), most);
            self.n_older = n_older;
            self.files.extend(logs.into_iter().map(|file| (file.path, file.stamp)));
            self.unreadable = unreadable;
        }
    }

    /// Classifies a file. A compressed log beside the plain one does not count.
    fn classify_file(&self, path: &Path, stamp: FileStamp) -> Option<SessionSource> {
        let name = name_of(path);
        if name.ends_with(".db") {
            let log = self.files.get(&path.with_extension("db-wal")).copied();
            return Some(SessionSource::Database(FoundDatabase {
                path: path.to_owned(),
                stamps: (stamp, log),
            }));
        }
        if let (Some(StorageFile::Session(_)), Some(storage)) = (storage_file(path), storage_of(path)) {
            // If there is a database, OpenCode has migrated the files into it.
            let is_taken_over = self.files.contains_key(&storage.with_file_name("opencode.db"));
            let file = FoundLog { path: path.to_owned(), stamp };
            return (!is_taken_over).then_some(SessionSource::Files(file));
        }
        let is_doubled = || match uncompressed_name(path) {
            // Antigravity writes a short and a full form of the same log.
            None if name == "transcript.jsonl" => {
                self.files.contains_key(&path.with_file_name("transcript_full.jsonl"))
            }
            Some(plain) => self.files.contains_key(&plain),
            // An old chat that continued was rewritten as lines.
            None => !is_log_name(name) && self.files.contains_key(&path.with_extension("jsonl")),
        };
        let is_log = !name.ends_with(".db-wal") && !is_doubled();
        is_log.then(|| SessionSource::Log(FoundLog { path: path.to_owned(), stamp }))
    }

    fn update_file(&mut self, path: &Path, stamp: FileStamp, most: usize) -> bool {
        let real = self.real_path(path);
        let known = self.files.get(&real).copied();
        if known == Some(stamp) || (known.is_none() && self.is_older_than_all(stamp, most)) {
            return false;
        }
        // A link gets its target's stamp.
        let real = std::fs::canonicalize(&real).unwrap_or(real);
        // The report may be older than the list, with a stamp from a file still being copied.
        let stamp = look_up_file(&real).map_or(stamp, |log| log.stamp);
        let is_new = self.files.insert(real, stamp) != Some(stamp);
        if self.files.len() > most {
            self.drop_oldest();
        }
        is_new
    }

    fn is_older_than_all(&mut self, stamp: FileStamp, most: usize) -> bool {
        if self.files.len() < most {
            return false;
        }
        if self.oldest.is_none() {
            self.oldest = self.files.values().filter_map(|stamp| stamp.modified).min();
        }
        stamp.modified <= self.oldest
    }

    fn drop_oldest(&mut self) {
        let oldest = self.files.iter().min_by_key(|(_, stamp)| stamp.modified).map(|(path, _)| path.clone());
        if let Some(oldest) = oldest {
            self.files.remove(&oldest);
            self.n_older += 1;
            self.oldest = None;
        }
    }

    fn real_path(&mut self, path: &Path) -> PathBuf {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
        if let Some(real) = self.folders.get(folder) {
            return real.join(name);
        }
        let Ok(real) = folder.canonicalize() else { return path.to_owned() };
        if self.folders.len() >= FILES_LISTED {
            self.folders.clear();
        }
        self.folders.insert(folder.to_owned(), real.clone());
        real.join(name)
    }
}

/// The name under which a log is known: its real path, if it exists.
pub fn real_path(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

pub fn look_up_file(path: &Path) -> Option<FoundLog> {
    let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some(FoundLog { path: path.to_owned(), stamp: FileStamp::from_metadata(&metadata) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_full_list_takes_a_newer_log_and_leaves_the_oldest_out() {
        let dir = tempfile::tempdir().unwrap();
        let at = |secs: u64| SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 + secs);
        let write = |name: &str, secs: u64| {
            let path = dir.path().join(name);
            let file = std::fs::File::create(&path).unwrap();
            file.set_modified(at(secs)).unwrap();
            TailMessage::Found { stamp: look_up_file(&path).unwrap().stamp, path }
        };
        for (name, secs) in [("z.jsonl", 3), ("a.jsonl", 1), ("m.jsonl", 2)] {
            write(name, secs);
        }
        let roots = Roots::from_folders(vec![dir.path().to_owned()]);
        let catalogue = Catalogue { most: 2, ..Catalogue::new(roots) };
        let names = || -> Vec<String> {
            catalogue.found_logs().iter().map(|log| name_of(&log.path).to_owned()).collect()
        };
        assert_eq!(names(), ["z.jsonl", "m.jsonl"]);
        assert!(!catalogue.apply_message(&write("o.jsonl", 0)), "an older one changes nothing");
        assert!(catalogue.apply_message(&write("n.jsonl", 9)));
        assert_eq!(names(), ["n.jsonl", "z.jsonl"]);
        let told: Vec<String> = catalogue.list_notices().into_iter().map(|notice| notice.message).collect();
        assert_eq!(told, ["2 logs are not listed: only the 2 that changed last are"]);
    }

    #[test]
    fn a_late_message_does_not_bring_an_old_stamp_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        std::fs::write(&path, "").unwrap();
        let empty = look_up_file(&path).unwrap().stamp;
        std::fs::write(&path, "{}\n").unwrap();
        let catalogue = Catalogue::new(Roots::from_folders(vec![dir.path().to_owned()]));
        let lengths = || catalogue.found_logs().iter().map(|log| log.stamp.length).collect::<Vec<_>>();
        assert_eq!(lengths(), [3]);
        let late = TailMessage::Found { path: path.clone(), stamp: empty };
        assert!(!catalogue.apply_message(&late), "the list is as it was");
        assert_eq!(lengths(), [3]);
        std::fs::write(&path, "{}\n{}\n").unwrap();
        let new = TailMessage::Found { path: path.clone(), stamp: look_up_file(&path).unwrap().stamp };
        assert!(catalogue.apply_message(&new));
        assert_eq!(lengths(), [6]);
        // A file that is gone keeps the message's stamp until its removal is reported.
        std::fs::remove_file(&path).unwrap();
        catalogue.apply_message(&late);
        assert_eq!(lengths(), [0]);
    }
}
