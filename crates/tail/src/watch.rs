use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::Instant;

use crate::cursor::Cursor;
use crate::folder::Folders;
use crate::followed::{FollowedFile, NextLook};
use crate::pending::{Order, ReaderInbox, Touch};
use crate::queue::{Queue, QueueTask};
use crate::renames::Renames;
use crate::stamp::FileStamp;
use crate::trail::Trail;
use crate::wanted::{EntryKind, LogFolder};
use crate::watches::{Watches, entries_below};
use crate::{TailConfig, TailError, TailMessage};

/// Minimum time between two walks that the caller did not request.
const WALK_PAUSE: Duration = Duration::from_millis(250);
const WALK_EVERY_LEAST: Duration = Duration::from_millis(10);
/// How often a trail is looked up again because it changed while its watches were started.
const TRAIL_ATTEMPTS: usize = 8;

/// Starts to follow files and folders, and sends messages to `sender`.
///
/// The thread ends when the handle or the receiver is dropped.
///
/// # Errors
/// If the operating system provides no watcher or no thread; failures of single files come as messages.
pub fn spawn_tailer(config: TailConfig, sender: Sender<TailMessage>) -> Result<TailHandle, TailError> {
    let tailer = Tailer::new(config, sender).map_err(TailError::Watcher)?;
    let bell = Arc::clone(&tailer.bell);
    // The thread needs its own runtime, because its reads block.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(TailError::Thread)?;
    let thread = std::thread::Builder::new().name("cwl-tail".to_owned());
    let thread = thread.spawn(move || runtime.block_on(tailer.run())).map_err(TailError::Thread)?;
    Ok(TailHandle { bell, thread: Some(thread) })
}

/// Controls the reader thread; dropping it stops the thread and waits for its end.
///
/// The wait is at most as long as one read of a chunk, even if the receiver takes no messages.
#[derive(Debug)]
pub struct TailHandle {
    bell: Arc<ReaderInbox>,
    thread: Option<JoinHandle<()>>,
}

impl TailHandle {
    /// Follows a file from `cursor`, or from byte 0; a file already followed starts again.
    pub fn follow_file(&self, path: PathBuf, cursor: Option<Cursor>) {
        self.bell.leave_order(Order::Follow(path, cursor));
    }

    /// Stops following a file; messages already in the channel still arrive.
    pub fn unfollow_file(&self, path: &Path) {
        self.bell.leave_order(Order::Unfollow(path.to_owned()));
    }

    /// Watches one more folder; a path that is watched already stays as it is.
    pub fn watch_folder(&self, folder: LogFolder) {
        self.bell.leave_order(Order::Watch(folder));
    }

    /// Looks at all files and folders now, for example when a window gets the focus.
    pub fn walk_now(&self) {
        self.bell.leave_order(Order::Walk);
    }
}

impl Drop for TailHandle {
    fn drop(&mut self) {
        self.bell.request_stop();
        if let Some(thread) = self.thread.take() {
            // The thread itself has already printed its panic.
            drop(thread.join());
        }
    }
}

/// The handle or the receiver was dropped.
pub(crate) struct WatchStopped;

pub(crate) struct Tailer {
    bell: Arc<ReaderInbox>,
    sender: Sender<TailMessage>,
    pub(crate) watches: Watches,
    followed: BTreeMap<PathBuf, FollowedFile>,
    pub(crate) names: BTreeMap<PathBuf, BTreeSet<QueueTask>>,
    pub(crate) folders: Folders,
    pub(crate) renames: Renames,
    pub(crate) queue: Queue,
    chunk: usize,
    walk_every: Duration,
    next_walk: Instant,
    last_walk: Option<Instant>,
}

impl Tailer {
    fn new(config: TailConfig, sender: Sender<TailMessage>) -> notify::Result<Self> {
        let bell = Arc::new(ReaderInbox::default());
        let callback = Arc::clone(&bell);
        let watcher = notify::recommended_watcher(move |event| callback.leave_event(event))?;
        for (path, cursor) in config.files {
            bell.leave_order(Order::Follow(path, cursor));
        }
        Ok(Self {
            bell,
            sender,
            watches: Watches::new(watcher, config.watched),
            followed: BTreeMap::new(),
            names: BTreeMap::new(),
            folders: Folders::new(config.folders),
            renames: Renames::default(),
            queue: Queue::default(),
            chunk: config.chunk,
            walk_every: config.walk_every.max(WALK_EVERY_LEAST),
            next_walk: Instant::now(),
            last_walk: None,
        })
    }

    async fn run(mut self) {
        let bell = Arc::clone(&self.bell);
        while self.take_turn().await.is_ok() {}
        // Orders to an ended thread would pile up.
        bell.request_stop();
    }

    async fn take_turn(&mut self) -> Result<(), WatchStopped> {
        self.take_in()?;
        if let Some(work) = self.queue.pop_due(Instant::now()) {
            match work {
                QueueTask::Check(path) => self.check_file(path).await?,
                QueueTask::Root(number) => self.look_at_root(number).await?,
                QueueTask::Scan(folder) => self.scan_folder(&folder).await?,
                QueueTask::Look(path) => self.look_up_name(&path).await?,
            }
            return self.tell_failures().await;
        }
        let next = self.queue.next_at().map_or(self.next_walk, |at| at.min(self.next_walk));
        tokio::select! {
            () = self.bell.ring.notified() => Ok(()),
            () = self.sender.closed() => Err(WatchStopped),
            () = tokio::time::sleep_until(next) => Ok(()),
        }
    }

    fn take_in(&mut self) -> Result<(), WatchStopped> {
        let pending = self.bell.take_pending();
        if pending.stopped || self.sender.is_closed() {
            return Err(WatchStopped);
        }
        let now = Instant::now();
        for order in pending.orders {
            match order {
                Order::Follow(path, cursor) => self.start_following(path, cursor),
                Order::Unfollow(path) => self.stop_following(&path),
                Order::Watch(folder) => {
                    if let Some(number) = self.folders.add_root(folder) {
                        self.queue.push_back(QueueTask::Root(number));
                    }
                }
                Order::Walk => self.next_walk = now,
            }
        }
        if pending.lost {
            let soonest = self.last_walk.map_or(now, |last| now.max(last + WALK_PAUSE));
            self.next_walk = self.next_walk.min(soonest);
        }
        self.renames.note_renames(pending.renamed, now);
        for (path, touch) in pending.touched {
            match touch {
                Touch::Content => self.touch_content(path),
                Touch::Name => self.touch_name(path),
            }
        }
        if now >= self.next_walk {
            self.queue_changed(now);
        }
        Ok(())
    }

    fn start_following(&mut self, path: PathBuf, cursor: Option<Cursor>) {
        self.stop_following(&path);
        self.followed.insert(path.clone(), FollowedFile::new(path.clone(), cursor, self.chunk));
        self.queue.push_back(QueueTask::Check(path));
    }

    fn stop_following(&mut self, path: &Path) {
        if let Some(followed) = self.followed.remove(path) {
            self.leave_trail(&QueueTask::Check(path.to_owned()), &followed.trail, &Trail::default());
        }
    }

    fn touch_content(&mut self, path: PathBuf) {
        if let Some(works) = self.names.get(&path) {
            works.iter().cloned().for_each(|work| self.queue.push_back(work));
        } else if self.folders.unreadable.contains(&path) {
            self.queue.push_back(QueueTask::Scan(path));
        } else if self.folders.wants_path(&path, EntryKind::File) {
            self.queue.push_back(QueueTask::Look(path));
        }
    }

    fn touch_name(&mut self, path: PathBuf) {
        self.watches.renew_below(&path);
        for (_, works) in entries_below(&self.names, &path) {
            for work in works {
                if let QueueTask::Check(file) = work
                    && let Some(followed) = self.followed.get_mut(file)
                {
                    followed.moved = true;
                }
                self.queue.push_back(work.clone());
            }
        }
        self.folders
            .tree_below(&path)
            .into_iter()
            .for_each(|folder| self.queue.push_back(QueueTask::Scan(folder)));
        self.folders
            .found_below(&path)
            .into_iter()
            .for_each(|file| self.queue.push_back(QueueTask::Look(file)));
        if self.folders.covers_path(&path) {
            self.queue.push_back(QueueTask::Look(path));
        }
    }

    fn queue_changed(&mut self, now: Instant) {
        self.last_walk = Some(now);
        self.next_walk = now.checked_add(self.walk_every).unwrap_or(now + Duration::from_secs(86_400));
        self.watches.renew_stale();
        for (path, followed) in &mut self.followed {
            // Even if nothing seems changed, a link on the way may lead elsewhere.
            followed.moved = true;
            if !followed.is_settled() {
                self.queue.push_back(QueueTask::Check(path.clone()));
            }
        }
        (0..self.folders.roots.len()).for_each(|number| self.queue.push_back(QueueTask::Root(number)));
        self.folders.tree.iter().for_each(|folder| self.queue.push_back(QueueTask::Scan(folder.clone())));
        for (file, found) in &self.folders.found {
            let stamp = std::fs::metadata(file).ok().map(|metadata| FileStamp::from_metadata(&metadata));
            if stamp != Some(found.stamp) {
                self.queue.push_back(QueueTask::Look(file.clone()));
            }
        }
    }

    async fn check_file(&mut self, path: PathBuf) -> Result<(), WatchStopped> {
        let work = QueueTask::Check(path);
        let QueueTask::Check(path) = &work else { return Ok(()) };
        let Some(mut followed) = self.followed.remove(path) else { return Ok(()) };
        if std::mem::take(&mut followed.moved) {
            followed.trail = self.settle_trail(&work, path, std::mem::take(&mut followed.trail));
        }
        let (messages, next) = followed.read_chunk(&self.renames, Instant::now());
        self.followed.insert(path.clone(), followed);
        match next {
            NextLook::OnChange => {}
            NextLook::Soon => self.queue.push_back(work),
            NextLook::At(at) => self.queue.push_at(work, at),
        }
        for message in messages {
            self.send_message(message).await?;
        }
        Ok(())
    }

    /// Finds the present trail of `path` and watches it for `work` instead of the old `trail`.
    ///
    /// Repeated until it stays equal, because it may change before its watches are active.
    pub(crate) fn settle_trail(&mut self, work: &QueueTask, path: &Path, mut trail: Trail) -> Trail {
        for _ in 0..TRAIL_ATTEMPTS {
            let next = Trail::find(path);
            if next == trail {
                break;
            }
            for folder in next.folders.difference(&trail.folders) {
                self.watches.acquire_watch(folder);
            }
            for name in next.names.difference(&trail.names) {
                self.names.entry(name.clone()).or_default().insert(work.clone());
            }
            self.leave_trail(work, &trail, &next);
            trail = next;
        }
        trail.folders.iter().for_each(|folder| self.watches.ensure_watch(folder));
        trail
    }

    fn leave_trail(&mut self, work: &QueueTask, trail: &Trail, next: &Trail) {
        for folder in trail.folders.difference(&next.folders) {
            self.watches.release_watch(folder);
        }
        for name in trail.names.difference(&next.names) {
            if let Some(works) = self.names.get_mut(name) {
                works.remove(work);
                if works.is_empty() {
                    self.names.remove(name);
                }
            }
        }
    }

    async fn tell_failures(&mut self) -> Result<(), WatchStopped> {
        for (folder, reason) in std::mem::take(&mut self.watches.failures) {
            let path = self.folders.spell_as_given(&folder);
            self.send_message(TailMessage::Unreadable { path, reason }).await?;
        }
        Ok(())
    }

    /// Sends `message`; while the channel is full, only waits for room or the end.
    pub(crate) async fn send_message(&self, message: TailMessage) -> Result<(), WatchStopped> {
        match self.sender.try_send(message) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(_)) => Err(WatchStopped),
            Err(TrySendError::Full(message)) => tokio::select! {
                sent = self.sender.send(message) => sent.map_err(|_closed| WatchStopped),
                () = self.bell.stop.notified() => Err(WatchStopped),
            },
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
