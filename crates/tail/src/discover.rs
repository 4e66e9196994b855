//! Finds log files in the watched folders, one folder at a time.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::TailMessage;
use crate::folder::KnownFile;
use crate::followed::{GRACE, is_there};
use crate::queue::QueueTask;
use crate::read::is_missing;
use crate::stamp::FileStamp;
use crate::wanted::EntryKind;
use crate::watch::{Tailer, WatchStopped};
use crate::watches::WatchPriority;

/// Minimum time between two messages about the same unfollowed file, however often it changes.
pub const RETELL: Duration = Duration::from_millis(500);
impl Tailer {
    pub(crate) async fn look_at_root(&mut self, number: usize) -> Result<(), WatchStopped> {
        let Some(root) = self.folders.roots.get_mut(number) else { return Ok(()) };
        let (given, trail) = (root.given.clone(), std::mem::take(&mut root.trail));
        let trail = self.settle_trail(&QueueTask::Root(number), &given, trail);
        let (real, failure) = match given.canonicalize() {
            Ok(real) if real.is_dir() => (Some(real), None),
            Ok(_) => (None, Some("is not a folder".to_owned())),
            Err(error) => (None, (!is_missing(&error)).then(|| error.to_string())),
        };
        let root = &mut self.folders.roots[number];
        root.trail = trail;
        let left = std::mem::replace(&mut root.real, real.clone()).filter(|left| Some(left) != real.as_ref());
        // Files below the old target are no longer covered; scanning it drops them.
        left.into_iter().chain(real).for_each(|folder| self.queue.push_back(QueueTask::Scan(folder)));
        self.tell_unreadable(&given, given.clone(), failure).await
    }

    /// Watches and lists one folder; subfolders are queued, so depth needs no stack.
    pub(crate) async fn scan_folder(&mut self, folder: &Path) -> Result<(), WatchStopped> {
        let metadata = fs::symlink_metadata(folder).ok().filter(Metadata::is_dir);
        let Some(metadata) = metadata.filter(|_| self.folders.wants_path(folder, EntryKind::Folder)) else {
            self.abandon_folder(folder);
            return Ok(());
        };
        // Watched before it is listed, so a file created in between is seen twice rather than never.
        self.folders.tree.insert(folder.to_owned());
        let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        // New sessions start with a name directly in a root folder, so its watch is never given up.
        let fresh =
            if self.folders.is_root(folder) { WatchPriority::Always } else { WatchPriority::Since(changed) };
        self.watches.cover_folder(folder, fresh);
        let mut failure = None;
        match fs::read_dir(folder) {
            Ok(entries) => {
                for entry in entries {
                    match entry.and_then(|entry| Ok((entry.file_type()?.is_dir(), entry.path()))) {
                        Ok((true, path)) => {
                            if !self.folders.tree.contains(&path)
                                && self.folders.wants_path(&path, EntryKind::Folder)
                            {
                                self.queue.push_back(QueueTask::Scan(path));
                            }
                        }
                        Ok((false, path)) if self.folders.wants_path(&path, EntryKind::File) => {
                            self.report_appeared(&path).await?;
                        }
                        Ok(_) => {}
                        Err(error) => failure = (!is_missing(&error)).then(|| error.to_string()),
                    }
                }
            }
            Err(error) => failure = (!is_missing(&error)).then(|| error.to_string()),
        }
        self.tell_unreadable(folder, self.folders.spell_as_given(folder), failure).await
    }

    pub(crate) async fn look_up_name(&mut self, path: &Path) -> Result<(), WatchStopped> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                if self.folders.wants_path(path, EntryKind::Folder) {
                    self.queue.push_back(QueueTask::Scan(path.to_owned()));
                }
                Ok(())
            }
            Ok(_) if self.folders.wants_path(path, EntryKind::File) => self.report_appeared(path).await,
            Ok(_) => Ok(()),
            Err(_) => self.report_vanished(path).await,
        }
    }

    async fn report_appeared(&mut self, path: &Path) -> Result<(), WatchStopped> {
        // A link counts if it leads to a file; a folder or a pipe with this name is not a log.
        let Some(metadata) = fs::metadata(path).ok().filter(Metadata::is_file) else { return Ok(()) };
        let (stamp, now) = (FileStamp::from_metadata(&metadata), Instant::now());
        let is_followed = self.is_followed(path);
        if let Some(found) = self.folders.found.get_mut(path) {
            found.missing = None;
            if found.stamp == stamp {
                return Ok(());
            }
            if let Some(folder) = path.parent() {
                // The folder is in use, so its watch takes precedence over others.
                self.watches.freshen_folder(folder);
            }
            if let Some(told) = found.told.filter(|told| !is_followed && now < *told + RETELL) {
                self.queue.push_at(QueueTask::Look(path.to_owned()), told + RETELL);
                return Ok(());
            }
        }
        let told = (!is_followed).then_some(now);
        self.folders.found.insert(path.to_owned(), KnownFile { stamp, told, missing: None });
        if is_followed {
            return Ok(());
        }
        self.send_message(TailMessage::Found { path: self.folders.spell_as_given(path), stamp }).await
    }

    async fn report_vanished(&mut self, path: &Path) -> Result<(), WatchStopped> {
        let Some(found) = self.folders.found.get_mut(path) else { return Ok(()) };
        let now = Instant::now();
        let since = *found.missing.get_or_insert(now);
        let identity = found.stamp.identity;
        let renamed_to = self.renames.destination(path).filter(|to| is_there(to, identity));
        if renamed_to.is_none() && now < since + GRACE {
            self.queue.push_at(QueueTask::Look(path.to_owned()), since + GRACE);
            return Ok(());
        }
        self.folders.found.remove(path);
        if self.is_followed(path) {
            return Ok(());
        }
        let renamed_to = renamed_to.map(|to| self.folders.spell_as_given(&to));
        self.send_message(TailMessage::Gone { path: self.folders.spell_as_given(path), renamed_to }).await
    }

    fn abandon_folder(&mut self, folder: &Path) {
        for gone in self.folders.tree_below(folder) {
            self.folders.tree.remove(&gone);
            self.folders.unreadable.remove(&gone);
            self.watches.uncover_folder(&gone);
        }
        for file in self.folders.found_below(folder) {
            if self.folders.wants_path(&file, EntryKind::File) || fs::symlink_metadata(&file).is_err() {
                self.queue.push_back(QueueTask::Look(file));
            } else {
                self.folders.found.remove(&file);
            }
        }
    }

    pub(crate) fn is_followed(&self, path: &Path) -> bool {
        self.names.get(path).is_some_and(|works| works.iter().any(|work| matches!(work, QueueTask::Check(_))))
    }

    async fn tell_unreadable(
        &mut self,
        folder: &Path,
        path: PathBuf,
        failure: Option<String>,
    ) -> Result<(), WatchStopped> {
        match failure {
            None => {
                self.folders.unreadable.remove(folder);
                Ok(())
            }
            Some(reason) if self.folders.unreadable.insert(folder.to_owned()) => {
                self.send_message(TailMessage::Unreadable { path, reason }).await
            }
            Some(_) => Ok(()),
        }
    }
}
