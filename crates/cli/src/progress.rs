//! How far work is, as a line on standard error that goes when the work is done: on a terminal, and only for what takes
//! longer than a moment.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::out::{clean, is_quiet};

/// Work that takes less says nothing.
const SILENT_FOR: Duration = Duration::from_secs(1);
/// How often the line is written.
const EVERY: Duration = Duration::from_millis(200);

/// The progress of a command; the line goes with it.
#[derive(Default)]
pub(crate) struct Progress {
    shown: Arc<Shown>,
    shower: Option<(Sender<()>, JoinHandle<()>)>,
}

/// The state that the line shows.
#[derive(Default)]
struct Shown {
    doing: Mutex<String>,
    done: AtomicU64,
    /// 0 where it is not known.
    total: AtomicU64,
}

/// Does work under a line that says what it is.
pub(crate) fn during<T>(doing: &str, work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::begin(doing);
    work(&progress)
}

impl Progress {
    /// Begins to show progress, where a terminal shows it.
    fn begin(doing: &str) -> Self {
        let shown = Arc::new(Shown { doing: Mutex::new(clean(doing)), ..Shown::default() });
        if is_quiet() || !io::stderr().is_terminal() {
            return Self { shown, shower: None };
        }
        let (stop, stopped) = channel();
        let state = Arc::clone(&shown);
        let shower = std::thread::spawn(move || {
            let began = Instant::now();
            let mut wait = SILENT_FOR;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                write(&format!("\r\x1b[K{}", state.line(began.elapsed())));
                wait = EVERY;
            }
            if wait == EVERY {
                write("\r\x1b[K");
            }
        });
        Self { shown, shower: Some((stop, shower)) }
    }

    /// Notes how much is done, and of how much where that is known.
    pub(crate) fn at(&self, done: u64, total: Option<u64>) {
        self.shown.done.store(done, Ordering::Relaxed);
        self.shown.total.store(total.unwrap_or(0), Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, shower)) = self.shower.take() {
            drop(stop);
            // It ends at once; a panic there has written its own message.
            drop(shower.join());
        }
    }
}

impl Shown {
    fn line(&self, elapsed: Duration) -> String {
        let doing = self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let so_far = match (done, total) {
            (0, 0) => String::new(),
            (done, 0) => format!(", {:.1} MB", done as f64 / 1e6),
            (done, total) => format!(", {} %", done.min(total).saturating_mul(100) / total),
        };
        format!("{doing}{so_far}, {} s", elapsed.as_secs())
    }
}

fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    drop(stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        let shown = Shown { doing: Mutex::new("reading a.jsonl".to_owned()), ..Shown::default() };
        let line = || shown.line(Duration::from_millis(2500));
        assert_eq!(line(), "reading a.jsonl, 2 s");
        shown.done.store(4_200_000, Ordering::Relaxed);
        assert_eq!(line(), "reading a.jsonl, 4.2 MB, 2 s");
        shown.total.store(8_400_000, Ordering::Relaxed);
        assert_eq!(line(), "reading a.jsonl, 50 %, 2 s");
    }
}
