//! Shared parts of the benches: the printed table and the formats of figures.
#![allow(dead_code, reason = "each bench uses some")]

use std::time::Duration;

/// Rows of: what, measured, limit, verdict, on what.
#[derive(Default)]
pub(crate) struct Table(Vec<[String; 5]>);

impl Table {
    pub(crate) fn row(&mut self, what: &str, on: &str, measured: Duration, limit: &str, verdict: &str) {
        self.push(what, on, &milliseconds(measured), limit, verdict);
    }

    /// Adds a row without a limit.
    pub(crate) fn plain(&mut self, what: &str, on: &str, measured: &str) {
        self.push(what, on, measured, "", "");
    }

    /// Adds a row with a formatted figure.
    pub(crate) fn push(&mut self, what: &str, on: &str, measured: &str, limit: &str, verdict: &str) {
        self.0.push([what, measured, limit, verdict, on].map(str::to_owned));
    }

    /// Prints all rows below a line about the machine.
    pub(crate) fn print(&self) {
        println!("{}\n", machine());
        let widths: Vec<usize> = (0..4)
            .map(|column| self.0.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        for row in &self.0 {
            let cells: Vec<String> = row
                .iter()
                .enumerate()
                .map(|(at, cell)| {
                    let width = widths.get(at).copied().unwrap_or(0);
                    format!("{cell}{}", " ".repeat(width.saturating_sub(cell.chars().count())))
                })
                .collect();
            println!("{}", cells.join("  ").trim_end());
        }
    }
}

/// Describes the machine.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let cpu = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()));
    let memory = read("/proc/meminfo");
    let memory = memory.lines().next().and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    let load = read("/proc/loadavg");
    format!(
        "machine: {}, {} cores, {} GiB, load {}; release build of {}",
        cpu.unwrap_or(std::env::consts::ARCH),
        std::thread::available_parallelism().map_or(0, usize::from),
        memory.unwrap_or(0) / (1 << 20),
        load.split_whitespace().next().unwrap_or("unknown"),
        env!("CARGO_PKG_VERSION"),
    )
}

pub(crate) fn anonymous_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB"));
    kilobytes
        .and_then(|number| number.trim().parse::<u64>().ok())
        .map_or_else(|| "not known on this system".into(), |kb| format!("{} MB", kb / 1000))
}

/// Returns the processor time that this process has spent, in ticks of 10 ms; zero on systems other than Linux.
pub(crate) fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may hold spaces. After it, `utime` and `stime` are the 12th and 13th field.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.sum::<u64>())
}

pub(crate) fn within(measured: Duration, limit_ms: f64) -> &'static str {
    if measured.as_secs_f64() * 1000.0 <= limit_ms { "within" } else { "ABOVE" }
}

pub(crate) fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    sorted[sorted.len() / 2]
}

pub(crate) fn milliseconds(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    if ms < 10.0 { format!("{ms:.2} ms") } else { format!("{ms:.0} ms") }
}

pub(crate) fn mb(n_bytes: usize) -> f64 {
    n_bytes as f64 / 1e6
}

pub(crate) fn megabytes_per_second(n_bytes: usize, time: Duration) -> f64 {
    mb(n_bytes) / time.as_secs_f64().max(1e-9)
}
