//! Logs that are being read right now because a request opened them: how far that is, and a way to stop it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::recent::lock_unpoisoned;

/// Work that takes longer than this says how far it is.
const SILENT_FOR: Duration = Duration::from_millis(500);
/// How often it says so.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// The logs that are being read, by path.
#[derive(Default)]
pub(crate) struct ReadsInProgress(Mutex<BTreeMap<PathBuf, Arc<ReadInProgress>>>);

/// One log that is being read.
#[derive(Default)]
pub(crate) struct ReadInProgress {
    /// The number of its session; 0 until it has one.
    session: AtomicU32,
    /// True when the user has stopped it.
    pub(crate) stopped: AtomicBool,
}

/// The part of one request in a reading, which all requests for that log share until the first is answered.
pub(crate) struct Waiter<'a> {
    underway: &'a ReadsInProgress,
    path: PathBuf,
    pub(crate) reading: Arc<ReadInProgress>,
}

/// Who wants to know how far some work is, and who may stop it.
pub(crate) struct ProgressWatch<'a> {
    /// Is told how much is done, and of how much.
    pub(crate) progress: &'a (dyn Fn(u64, u64) + Sync),
    /// True when the user has stopped it.
    pub(crate) stopped: &'a AtomicBool,
}

impl ProgressWatch<'_> {
    /// Returns a watch that hears nothing and stops nothing.
    pub(crate) fn unwatched() -> ProgressWatch<'static> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        ProgressWatch { progress: &|_, _| {}, stopped: &NEVER }
    }

    /// Tells whether the user has stopped it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl ReadsInProgress {
    /// Takes part in the reading of a log.
    pub(crate) fn join_reading(&self, path: &Path) -> Waiter<'_> {
        let reading = Arc::clone(lock_unpoisoned(&self.0).entry(path.to_owned()).or_default());
        Waiter { underway: self, path: path.to_owned(), reading }
    }

    /// Tells whether any log is being read.
    pub(crate) fn is_any(&self) -> bool {
        !lock_unpoisoned(&self.0).is_empty()
    }

    /// Stops the reading of a session's log, for everybody who waits for it; tells whether there is one.
    pub(crate) fn stop_reading(&self, session: u32) -> bool {
        let readings = lock_unpoisoned(&self.0);
        let reading = readings.values().find(|reading| reading.session.load(Ordering::Relaxed) == session);
        if let Some(reading) = reading {
            reading.stopped.store(true, Ordering::Relaxed);
        }
        reading.is_some()
    }
}

impl ReadInProgress {
    pub(crate) fn set_session(&self, session: u32) {
        self.session.store(session, Ordering::Relaxed);
    }

    /// Tells whether the user has stopped it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Does long work under a watch; `say` is told how far it is, as [`Self::throttled_progress`] tells it.
    pub(crate) fn run_watched<T>(
        &self,
        say: impl Fn(u32, u64, u64) + Send,
        work: impl FnOnce(&ProgressWatch<'_>) -> T,
    ) -> T {
        let say = Mutex::new(self.throttled_progress(say));
        let progress = |done: u64, total: u64| lock_unpoisoned(&say)(done, total);
        work(&ProgressWatch { progress: &progress, stopped: &self.stopped })
    }

    /// Returns what is told of every step, and gives some of that to `say`: session, bytes done and in all; nothing
    /// in the first half second, then ten times a second.
    pub(crate) fn throttled_progress(&self, say: impl Fn(u32, u64, u64)) -> impl Fn(u64, u64) {
        let (started, last) = (Instant::now(), Cell::new(Duration::ZERO));
        move |done, total| {
            let now = started.elapsed();
            if now >= SILENT_FOR && now.saturating_sub(last.get()) >= PROGRESS_EVERY {
                last.set(now);
                say(self.session.load(Ordering::Relaxed), done, total);
            }
        }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut readings = lock_unpoisoned(&self.underway.0);
        if readings.get(&self.path).is_some_and(|reading| Arc::ptr_eq(reading, &self.reading)) {
            readings.remove(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_for_everybody_who_waits_and_for_nobody_later() {
        let underway = ReadsInProgress::default();
        let path = Path::new("a");
        let (first, waiting) = (underway.join_reading(path), underway.join_reading(path));
        assert!(!underway.stop_reading(7), "it has no number yet");
        first.reading.set_session(7);
        assert!(!underway.stop_reading(8), "another session");
        assert!(underway.stop_reading(7));
        assert!(first.reading.is_stopped() && waiting.reading.is_stopped());
        drop(first);
        let later = underway.join_reading(path);
        assert!(!later.reading.is_stopped());
        drop(waiting);
        assert!(!underway.stop_reading(7), "that reading is over");
        later.reading.set_session(7);
        assert!(underway.stop_reading(7), "and this one is its own");
    }
}
