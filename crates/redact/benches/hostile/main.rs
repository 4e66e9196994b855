//! Redaction at its worst: time and peak memory for texts of 2 MB designed to be slow. `make secrets` prints
//! the table in docs/redaction.md.
#![allow(clippy::print_stdout)]

mod drawn;
mod texts;

use std::time::Instant;

use cwl_redact::{Learner, People};

struct Measured {
    name: String,
    mb: f64,
    seconds: f64,
    most_mb: f64,
    left_out: usize,
}

/// Learns from texts, writes them, and searches the output.
fn measure(name: &str, texts: &[String]) -> Measured {
    // On Linux this resets the peak memory; other systems report no peak.
    let _unsupported = std::fs::write("/proc/self/clear_refs", "5");
    let (start, worked) = (Instant::now(), worked_seconds());
    let mut learner = Learner::new(&People::default());
    texts.iter().for_each(|text| learner.text(text));
    let learned = start.elapsed();
    let mut left_out = 0;
    if let Ok(mut redactor) = learner.finish() {
        let built = start.elapsed();
        let written: Vec<String> = texts.iter().map(|text| redactor.text(text)).collect();
        let wrote = start.elapsed();
        let leaks = written.iter().filter(|text| redactor.first_leak(text).is_some()).count();
        left_out = redactor.n_left_out();
        if std::env::var_os("PHASES").is_some() {
            println!(
                "{name}: learned {learned:?}, built {built:?}, wrote {wrote:?}, checked {:?}",
                start.elapsed()
            );
        }
        if leaks > 0 {
            println!("{name}: {leaks} texts still hold a secret");
        }
    }
    let mb = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    Measured {
        name: name.to_owned(),
        mb,
        seconds: worked
            .map_or(start.elapsed().as_secs_f64(), |before| worked_seconds().unwrap_or(before) - before),
        most_mb: most_mb(),
        left_out,
    }
}

/// Returns the processor time of this single-threaded process, so other work on the machine does not count;
/// `None` outside Linux.
fn worked_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    stat.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

fn most_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    most.and_then(|most| most.trim().trim_end_matches(" kB").parse::<f64>().ok()).map_or(0.0, |kb| kb / 1e3)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    // Builds the rules once, before measuring.
    measure("nothing", &[String::new()]);
    println!("| texts | MB | seconds | most MB of memory | left out |\n|---|---:|---:|---:|---:|");
    let row = |one: &Measured| {
        println!(
            "| {} | {:.1} | {:.1} | {:.0} | {} |",
            one.name, one.mb, one.seconds, one.most_mb, one.left_out
        );
    };
    for (name, make) in texts::ALL {
        if is_wanted(name) {
            row(&measure(name, &make()));
        }
    }
    if !is_wanted("rule") {
        return;
    }
    // Repeated matches of every pattern, whole and truncated: only the slowest and the largest are shown.
    let mut all: Vec<Measured> = Vec::new();
    for (name, text) in drawn::texts() {
        all.push(measure(&name, &[text]));
    }
    let n = all.len();
    all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    println!("\nof {n} texts of what one rule finds, the slowest:");
    all.iter().take(12).for_each(row);
    all.sort_by(|a, b| b.most_mb.total_cmp(&a.most_mb));
    println!("\nand those that take the most memory:");
    all.iter().take(6).for_each(row);
}
