//! The thread that looks at files when the bell rings, and the handle that stops it.

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
use crate::followed::{Followed, Next};
use crate::pending::{Doorbell, Order, Touch};
use crate::queue::{Queue, Work};
use crate::renames::Renames;
use crate::stamp::Stamp;
use crate::trail::Trail;
use crate::wanted::Kind;
use crate::watches::{Watches, below};
use crate::{TailConfig, TailError, TailMessage};

/// The shortest time between two walks that were not asked for.
const WALK_PAUSE: Duration = Duration::from_millis(250);
/// The shortest `walk_every`.
const WALK_EVERY_LEAST: Duration = Duration::from_millis(10);
/// How often a trail is looked up anew because it changed while its watches were started.
const TRAIL_ATTEMPTS: usize = 8;

/// Starts to follow files and folders and sends what is noticed to `sender`.
///
/// Returns an error when the operating system gives no watcher or no thread; everything about
/// single files comes as a message. The thread also ends when the receiver is dropped.
pub fn spawn(config: TailConfig, sender: Sender<TailMessage>) -> Result<TailHandle, TailError> {
    let tailer = Tailer::new(config, sender).map_err(TailError::Watcher)?;
    let bell = Arc::clone(&tailer.bell);
    // A runtime of its own, for one thread: the reads block, so they may not share one.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(TailError::Thread)?;
    let thread = std::thread::Builder::new().name("cwl-tail".to_owned());
    let thread = thread.spawn(move || runtime.block_on(tailer.run())).map_err(TailError::Thread)?;
    Ok(TailHandle { bell, thread: Some(thread) })
}

/// Gives orders to the thread; dropping it stops the thread and waits for its end.
///
/// The wait is as long as one read of a chunk at most, also while the receiver takes nothing.
#[derive(Debug)]
pub struct TailHandle {
    bell: Arc<Doorbell>,
    thread: Option<JoinHandle<()>>,
}

impl TailHandle {
    /// Follows a file from `cursor`, or from byte 0; a file that is followed already starts anew.
    pub fn follow(&self, path: PathBuf, cursor: Option<Cursor>) {
        self.bell.order(Order::Follow(path, cursor));
    }

    /// Stops following a file; messages already in the channel still come.
    pub fn unfollow(&self, path: &Path) {
        self.bell.order(Order::Unfollow(path.to_owned()));
    }

    /// Looks at every file and folder now, as when the window gets the focus.
    pub fn walk_now(&self) {
        self.bell.order(Order::Walk);
    }
}

impl Drop for TailHandle {
    fn drop(&mut self) {
        self.bell.stop();
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was printed by it; nothing can be added here.
            drop(thread.join());
        }
    }
}

/// The handle or the receiver was dropped.
pub(crate) struct Stopped;

/// The state of the thread.
pub(crate) struct Tailer {
    bell: Arc<Doorbell>,
    sender: Sender<TailMessage>,
    pub(crate) watches: Watches,
    followed: BTreeMap<PathBuf, Followed>,
    /// Which work looks at a name; the names are real, as in events.
    pub(crate) names: BTreeMap<PathBuf, BTreeSet<Work>>,
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
        let bell = Arc::new(Doorbell::default());
        let callback = Arc::clone(&bell);
        let watcher = notify::recommended_watcher(move |event| callback.note(event))?;
        for (path, cursor) in config.files {
            bell.order(Order::Follow(path, cursor));
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
        while self.turn().await.is_ok() {}
        // Orders to a thread that is not there would pile up.
        bell.stop();
    }

    /// Takes in what is pending, then does one piece of work or waits for some.
    async fn turn(&mut self) -> Result<(), Stopped> {
        self.take_in()?;
        if let Some(work) = self.queue.pop(Instant::now()) {
            match work {
                Work::Check(path) => self.check(path).await?,
                Work::Root(number) => self.look_at_root(number).await?,
                Work::Scan(folder) => self.scan(&folder).await?,
                Work::Look(path) => self.look(&path).await?,
            }
            return self.tell_failures().await;
        }
        let next = self.queue.next_at().map_or(self.next_walk, |at| at.min(self.next_walk));
        tokio::select! {
            () = self.bell.ring.notified() => Ok(()),
            () = self.sender.closed() => Err(Stopped),
            () = tokio::time::sleep_until(next) => Ok(()),
        }
    }

    fn take_in(&mut self) -> Result<(), Stopped> {
        let pending = self.bell.take();
        if pending.stopped || self.sender.is_closed() {
            return Err(Stopped);
        }
        let now = Instant::now();
        for order in pending.orders {
            match order {
                Order::Follow(path, cursor) => self.follow(path, cursor),
                Order::Unfollow(path) => self.unfollow(&path),
                Order::Walk => self.next_walk = now,
            }
        }
        if pending.lost {
            let soonest = self.last_walk.map_or(now, |last| now.max(last + WALK_PAUSE));
            self.next_walk = self.next_walk.min(soonest);
        }
        self.renames.note(pending.renamed, now);
        for (path, touch) in pending.touched {
            match touch {
                Touch::Content => self.touch_content(path),
                Touch::Name => self.touch_name(path),
            }
        }
        if now >= self.next_walk {
            self.walk(now);
        }
        Ok(())
    }

    fn follow(&mut self, path: PathBuf, cursor: Option<Cursor>) {
        self.unfollow(&path);
        self.followed.insert(path.clone(), Followed::new(path.clone(), cursor, self.chunk));
        self.queue.push(Work::Check(path));
    }

    fn unfollow(&mut self, path: &Path) {
        if let Some(followed) = self.followed.remove(path) {
            self.leave(&Work::Check(path.to_owned()), &followed.trail, &Trail::default());
        }
    }

    fn touch_content(&mut self, path: PathBuf) {
        if let Some(works) = self.names.get(&path) {
            works.iter().cloned().for_each(|work| self.queue.push(work));
        } else if self.folders.unreadable.contains(&path) {
            self.queue.push(Work::Scan(path));
        } else if self.folders.want(&path, Kind::File) {
            self.queue.push(Work::Look(path));
        }
    }

    fn touch_name(&mut self, path: PathBuf) {
        self.watches.renew_below(&path);
        for (_, works) in below(&self.names, &path) {
            for work in works {
                if let Work::Check(file) = work
                    && let Some(followed) = self.followed.get_mut(file)
                {
                    followed.moved = true;
                }
                self.queue.push(work.clone());
            }
        }
        self.folders.tree_below(&path).into_iter().for_each(|folder| self.queue.push(Work::Scan(folder)));
        self.folders.found_below(&path).into_iter().for_each(|file| self.queue.push(Work::Look(file)));
        if self.folders.cover(&path) {
            self.queue.push(Work::Look(path));
        }
    }

    /// Puts everything in the queue that is not as it was left.
    fn walk(&mut self, now: Instant) {
        self.last_walk = Some(now);
        self.next_walk = now.checked_add(self.walk_every).unwrap_or(now + Duration::from_secs(86_400));
        self.watches.renew_stale();
        for (path, followed) in &mut self.followed {
            // Also where nothing seems to have changed: a link on the way may lead elsewhere.
            followed.moved = true;
            if !followed.is_settled() {
                self.queue.push(Work::Check(path.clone()));
            }
        }
        (0..self.folders.roots.len()).for_each(|number| self.queue.push(Work::Root(number)));
        self.folders.tree.iter().for_each(|folder| self.queue.push(Work::Scan(folder.clone())));
        for (file, found) in &self.folders.found {
            let stamp = std::fs::metadata(file).ok().map(|metadata| Stamp::of(&metadata));
            if stamp != Some(found.stamp) {
                self.queue.push(Work::Look(file.clone()));
            }
        }
    }

    /// Looks at a followed file and sends at most one chunk of it.
    async fn check(&mut self, path: PathBuf) -> Result<(), Stopped> {
        let work = Work::Check(path);
        let Work::Check(path) = &work else { return Ok(()) };
        let Some(mut followed) = self.followed.remove(path) else { return Ok(()) };
        if std::mem::take(&mut followed.moved) {
            followed.trail = self.settle(&work, path, std::mem::take(&mut followed.trail));
        }
        let (messages, next) = followed.look(&self.renames, Instant::now());
        self.followed.insert(path.clone(), followed);
        match next {
            Next::OnChange => {}
            Next::Soon => self.queue.push(work),
            Next::At(at) => self.queue.push_at(work, at),
        }
        for message in messages {
            self.send(message).await?;
        }
        Ok(())
    }

    /// Finds where `path` leads now and watches that, for `work`, instead of `trail`.
    ///
    /// Looked up again until it stays the same, as it may change before its watches are alive.
    pub(crate) fn settle(&mut self, work: &Work, path: &Path, mut trail: Trail) -> Trail {
        for _ in 0..TRAIL_ATTEMPTS {
            let next = Trail::of(path);
            if next == trail {
                break;
            }
            for folder in next.folders.difference(&trail.folders) {
                self.watches.acquire(folder);
            }
            for name in next.names.difference(&trail.names) {
                self.names.entry(name.clone()).or_default().insert(work.clone());
            }
            self.leave(work, &trail, &next);
            trail = next;
        }
        trail.folders.iter().for_each(|folder| self.watches.ensure(folder));
        trail
    }

    /// Ends the watches of `trail` that `next` does not need.
    fn leave(&mut self, work: &Work, trail: &Trail, next: &Trail) {
        for folder in trail.folders.difference(&next.folders) {
            self.watches.release(folder);
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

    async fn tell_failures(&mut self) -> Result<(), Stopped> {
        for (folder, reason) in std::mem::take(&mut self.watches.failures) {
            let path = self.folders.spelled(&folder);
            self.send(TailMessage::Unreadable { path, reason }).await?;
        }
        Ok(())
    }

    /// Sends a message; while the channel is full nothing else is done but waiting for the end.
    pub(crate) async fn send(&self, message: TailMessage) -> Result<(), Stopped> {
        match self.sender.try_send(message) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(_)) => Err(Stopped),
            Err(TrySendError::Full(message)) => tokio::select! {
                sent = self.sender.send(message) => sent.map_err(|_closed| Stopped),
                () = self.bell.stop.notified() => Err(Stopped),
            },
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
