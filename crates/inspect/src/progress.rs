//! Progress of long work, and a way to cancel it.

use std::sync::atomic::{AtomicBool, Ordering};

pub struct ProgressWatch<'a> {
    /// Receives the amount done and the total.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    pub stopped: &'a AtomicBool,
}

impl ProgressWatch<'_> {
    /// A watch for work without progress that cannot be cancelled.
    pub fn unwatched() -> ProgressWatch<'static> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        ProgressWatch { progress: &|_, _| {}, stopped: &NEVER }
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
