//! Logs being read for a request: their progress, and a way to cancel.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cwl_inspect::progress::ProgressWatch;

use cwl_inspect::recent::lock_unpoisoned;

/// Shorter work reports no progress.
const SILENT_FOR: Duration = Duration::from_millis(500);
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

#[derive(Default)]
pub(crate) struct ReadsInProgress(Mutex<BTreeMap<PathBuf, Arc<ReadInProgress>>>);

#[derive(Default)]
pub(crate) struct ReadInProgress {
    /// The session's number; 0 until it is known.
    session: AtomicU32,
    pub(crate) stopped: AtomicBool,
}

/// One request's part in a read. All requests for the same log share the read until the first is answered.
pub(crate) struct Waiter<'a> {
    underway: &'a ReadsInProgress,
    path: PathBuf,
    pub(crate) reading: Arc<ReadInProgress>,
}

impl ReadsInProgress {
    pub(crate) fn join_reading(&self, path: &Path) -> Waiter<'_> {
        let reading = Arc::clone(lock_unpoisoned(&self.0).entry(path.to_owned()).or_default());
        Waiter { underway: self, path: path.to_owned(), reading }
    }

    pub(crate) fn is_any(&self) -> bool {
        !lock_unpoisoned(&self.0).is_empty()
    }

    pub(crate) fn is_under_way(&self, session: u32) -> bool {
        let readings = lock_unpoisoned(&self.0);
        readings.values().any(|reading| reading.session.load(Ordering::Relaxed) == session)
    }

    pub(crate) fn stop_all(&self) {
        for reading in lock_unpoisoned(&self.0).values() {
            reading.stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Cancels the read of a session's log for every request that waits for it. `false` if there is none.
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

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Runs long work under a watch. `say` receives its progress, throttled by [`Self::throttled_progress`].
    pub(crate) fn run_watched<T>(
        &self,
        say: impl Fn(u32, u64, u64) + Send,
        work: impl FnOnce(&ProgressWatch<'_>) -> T,
    ) -> T {
        let say = Mutex::new(self.throttled_progress(say));
        let progress = |done: u64, total: u64| lock_unpoisoned(&say)(done, total);
        work(&ProgressWatch { progress: &progress, stopped: &self.stopped })
    }

    /// Wraps `say` (session, bytes done, bytes in total): silent for half a second, then at most ten reports
    /// per second.
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
