//! A progress line on standard error that disappears at the end; only on a terminal, and only for longer
//! work.

use std::fmt::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::out::{clean_text, is_quiet};

/// Shorter work shows nothing.
const SILENT_FOR: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(200);

/// A command's progress line, removed on drop.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
}

pub(crate) fn with_progress<T>(doing: &str, work: impl FnOnce(&ProgressLine) -> T) -> T {
    let progress = ProgressLine::begin_line(doing);
    work(&progress)
}

impl ProgressLine {
    fn begin_line(doing: &str) -> Self {
        // The bar draws on standard error, and nothing if that is no terminal.
        let bar = if is_quiet() { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
        let doing = clean_text(doing);
        let told = move |state: &ProgressState, line: &mut dyn Write| {
            // Writing to a string cannot fail.
            line.write_str(&line_of(&doing, state.pos(), state.len(), state.elapsed())).ok();
        };
        if let Ok(style) = ProgressStyle::with_template("{told}") {
            bar.set_style(style.with_key("told", told));
        }
        bar.enable_steady_tick(EVERY);
        Self { bar }
    }

    pub(crate) fn update_line(&self, done: u64, total: Option<u64>) {
        if let Some(total) = total.filter(|total| self.bar.length() != Some(*total)) {
            self.bar.set_length(total);
        }
        self.bar.set_position(done);
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn line_of(doing: &str, done: u64, total: Option<u64>, elapsed: Duration) -> String {
    if elapsed < SILENT_FOR {
        return String::new();
    }
    let so_far = match (done, total) {
        (0, None) => String::new(),
        (done, None | Some(0)) => format!(", {:.1} MB", done as f64 / 1e6),
        (done, Some(total)) => format!(", {} %", done.min(total).saturating_mul(100) / total),
    };
    format!("{doing}{so_far}, {} s", elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        let check = |done: u64, total: Option<u64>, millis: u64, expected: &str| {
            let line = line_of("reading a.jsonl", done, total, Duration::from_millis(millis));
            assert_eq!(line, expected);
        };
        check(4_200_000, Some(8_400_000), 999, "");
        check(0, None, 2500, "reading a.jsonl, 2 s");
        check(4_200_000, None, 2500, "reading a.jsonl, 4.2 MB, 2 s");
        check(4_200_000, Some(0), 2500, "reading a.jsonl, 4.2 MB, 2 s");
        check(4_200_000, Some(8_400_000), 2500, "reading a.jsonl, 50 %, 2 s");
        check(9_000_000, Some(8_400_000), 61_000, "reading a.jsonl, 100 %, 61 s");
    }
}
