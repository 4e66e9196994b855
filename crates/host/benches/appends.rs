//! The host's work for a line that is appended to a followed log: processor time, and the time to the push. `make bench` runs
//! `appends LOG…`, from the shortest log to the longest, whose figures should be equal.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that measures and prints")]

mod common;
mod page;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cwl_host::api::Push;
use serde_json::json;

use common::{Table, median, milliseconds, processor_time, within};
use page::{ask, ask_frame, first_paint, start_host};

/// The allocator of the released programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Pause between lines of a slow agent.
const NOW_AND_THEN: Duration = Duration::from_millis(250);
/// Pause between lines of a hurried agent.
const ALL_THE_TIME: Duration = Duration::from_millis(20);

fn main() {
    let logs: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).map(Into::into).collect();
    if logs.is_empty() {
        println!("appends LOG…; `make bench` generates the logs");
        return;
    }
    let mut table = Table::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let costs: Vec<Duration> =
        logs.iter().map(|log| runtime.block_on(time_appends(&mut table, log))).collect();
    if let [first, .., last] = costs[..] {
        let growth = last.as_secs_f64() / first.as_secs_f64().max(1e-9);
        let verdict = if growth <= 1.2 { "within" } else { "ABOVE" };
        table.push(
            "of the longest log to the shortest",
            "processor time",
            &format!("{growth:.2} ×"),
            "≤ 1.20 ×",
            verdict,
        );
    }
    table.print();
}

/// Appends to a copy of `log`, which a host follows, and returns the host's processor time for a line.
async fn time_appends(table: &mut Table, log: &Path) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let followed = folder.path().join("followed.jsonl");
    std::fs::copy(log, &followed).unwrap();
    let inspector = start_host(&folder.path().join("data")).await;
    let opened = first_paint(&inspector, &followed).await;
    let shape = format!("{} messages, {} turns", opened.n_messages, opened.n_turns);
    let mut writer = LogWriter {
        pushes: inspector.subscribe(),
        file: followed,
        parent: opened.last_entry.clone(),
        n_written: 0,
    };
    // The search index is built behind the opening of a session.
    until_idle().await;
    let p95 = |times: &[Duration]| times[times.len() * 95 / 100];
    let mut cost = Duration::ZERO;
    for (n_lines, pause) in [(100, NOW_AND_THEN), (300, ALL_THE_TIME)] {
        let before = processor_time();
        let times = writer.append(n_lines, pause).await;
        let spent = processor_time().saturating_sub(before) / n_lines;
        let shape = format!("{n_lines} lines after {shape}, {} after each", milliseconds(pause));
        table.row("processor time of the host for a line", &shape, spent, "≤ 3 ms", within(spent, 3.0));
        let on = format!("{shape}; median {}", milliseconds(median(&times)));
        table.row("append to push (p95)", &on, p95(&times), "≤ 30 ms", within(p95(&times), 30.0));
        cost = spent;
    }
    let n_lines = 100;
    let whole = ask_frame(&inspector, &opened.session, 0).await;
    let (mut held, mut sizes) = (whole.number, Vec::new());
    let before = processor_time();
    for _ in 0..n_lines {
        writer.append(1, ALL_THE_TIME).await;
        ask(&inspector, "session", json!({ "session": opened.session })).await;
        let frame = ask_frame(&inspector, &opened.session, held).await;
        held = frame.number;
        sizes.push(frame.n_bytes);
    }
    let spent = processor_time().saturating_sub(before) / n_lines;
    let on = format!("{n_lines} lines after {shape}");
    table.plain("the same with the questions of a page", &on, &milliseconds(spent));
    sizes.sort_unstable();
    let size = format!("{} KB of {} KB", sizes[sizes.len() / 2] / 1000, whole.n_bytes / 1000);
    table.plain("the part of a frame that is sent (median)", &on, &size);
    cost
}

/// Waits until this process has done nothing for three seconds: work behind the opening begins once a log is quiet.
async fn until_idle() {
    let mut n_idle = 0;
    while n_idle < 12 {
        let before = processor_time();
        tokio::time::sleep(NOW_AND_THEN).await;
        n_idle = if processor_time() == before { n_idle + 1 } else { 0 };
    }
}

/// An agent that writes to the end of a log, with the host's pushes about it.
struct LogWriter {
    pushes: tokio::sync::broadcast::Receiver<Push>,
    file: PathBuf,
    /// Last entry of the log.
    parent: String,
    n_written: u32,
}

impl LogWriter {
    /// Appends lines, each after the push of the last one and a pause. Returns the delays from append to
    /// push, shortest first.
    async fn append(&mut self, n_lines: u32, pause: Duration) -> Vec<Duration> {
        let mut times = Vec::with_capacity(n_lines as usize);
        for _ in 0..n_lines {
            self.n_written += 1;
            let number = self.n_written;
            let entry = format!("note-{number:07x}");
            let line = json!({
                "type": "message", "id": entry, "parentId": self.parent, "timestamp": "2026-03-02T10:00:00.000Z",
                "message": { "role": "user", "content": [{ "type": "text", "text": format!("note {number}") }] },
            });
            let mut file = std::fs::OpenOptions::new().append(true).open(&self.file).unwrap();
            let start = Instant::now();
            file.write_all(format!("{line}\n").as_bytes()).unwrap();
            loop {
                let push = tokio::time::timeout(Duration::from_secs(10), self.pushes.recv()).await;
                if matches!(push.unwrap().unwrap(), Push::Session { .. }) {
                    break;
                }
            }
            times.push(start.elapsed());
            self.parent = entry;
            tokio::time::sleep(pause).await;
        }
        times.sort();
        times
    }
}
