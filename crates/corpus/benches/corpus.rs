//! Speed and peak memory of making a corpus from generated logs, beside reading and counting alone; a second
//! run without changes; policy runs per second; and a trial of every policy. Run by `make bench`; `corpus --sessions N` sets the
//! number of sessions.
//!
//! Each phase has its own process, so that its peak memory is its own.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that measures and prints")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cwl_corpus::{CorpusAsked, Shard, TextsAs, make_corpus, run_trial, trial_runs};
use cwl_host::api::{ViewRequest, ViewSettings};
use cwl_host::commands::{self, RunsAsked};
use cwl_host::{OpenOnce, Tools, open_once, places_of_sessions};
use serde_json::json;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Sessions behind the recorded figures: 200 turns and about 200 kB each, 2 GB in total.
const N_SESSIONS: usize = 10_000;
const N_TURNS: usize = 200;
/// One in this many sessions is measured for runs, which is enough for timing.
const RUNS_OF: usize = 10;
const RUNS: &str = "cwl,mask,none@10k..40k:10k";
const TRIAL_BUDGETS: &str = "8k,16k,24k,32k,40k";
/// Cores assumed by the limits.
const N_THREADS: usize = 2;

#[derive(Debug, Clone, Copy)]
struct Measured {
    took: Duration,
    /// Processor time of all threads, which other programs disturb less than elapsed time.
    busy: Duration,
    /// In KiB.
    most_memory: u64,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let after = |flag: &str| args.iter().position(|arg| arg == flag).and_then(|at| args.get(at + 1));
    if let Some(phase) = after("--phase") {
        let base = PathBuf::from(after("--base").unwrap());
        phase_of(phase, &base);
        return;
    }
    let n_sessions = after("--sessions").map_or(N_SESSIONS, |n| n.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path();
    let n_bytes =
        generate(&base.join("logs"), n_sessions) + generate(&base.join("few"), n_sessions.div_ceil(RUNS_OF));
    println!(
        "{n_sessions} sessions of {N_TURNS} turns, {:.2} GB, on {N_THREADS} threads",
        n_bytes as f64 / 1e9
    );
    let measure = |phase: &str| in_child(phase, base);
    let (read, made, again) = (measure("read"), measure("tables"), measure("tables"));
    let (bare, runs) = (measure("few"), measure("runs"));
    let trial = measure("trial");
    let seconds = |measured: Measured| measured.took.as_secs_f64();
    let row = |what: &str, measured: String, limit: &str, is_met: Option<bool>| {
        let verdict = is_met.map_or("", |is_met| if is_met { "met" } else { "MISSED" });
        println!("{what:<46}{measured:>16}  {limit:<24}{verdict}");
    };
    let rate = |measured: Measured| format!("{:.0}/s", n_sessions as f64 / seconds(measured));
    let memory = |measured: Measured| format!("{:.0} MiB", measured.most_memory as f64 / 1024.0);
    row("reading and counting alone, sessions", rate(read), "", None);
    row("tables without runs, sessions", rate(made), "", None);
    row("their most memory", memory(made), "2 GiB", Some(made.most_memory <= 2 << 20));
    let by_read = seconds(made) / seconds(read);
    row("tables by reading and counting alone", format!("{by_read:.2} ×"), "1.5 ×", Some(by_read <= 1.5));
    let by_busy = made.busy.as_secs_f64() / read.busy.as_secs_f64().max(1e-3);
    row("the same by the time on the cores", format!("{by_busy:.2} ×"), "", None);
    let core = |measured: Measured, n: usize| n as f64 / measured.busy.as_secs_f64().max(1e-3);
    row("tables without runs, sessions for a core", format!("{:.0}/s", core(made, n_sessions)), "", None);
    let by_first = seconds(again) / seconds(made) * 100.0;
    row(
        "a second run with nothing changed",
        format!("{by_first:.2} %"),
        "2 % of the first",
        Some(by_first <= 2.0),
    );
    let n_runs = n_sessions.div_ceil(RUNS_OF) * 9;
    let run_rate = n_runs as f64 / (seconds(runs) - seconds(bare)).max(1e-3);
    row("runs, measured whole", format!("{run_rate:.0}/s"), "1,500/s", Some(run_rate >= 1500.0));
    let n_settings: usize = runs_of_trial().iter().map(RunsAsked::n_runs).sum();
    let n_trial_runs = n_sessions.div_ceil(RUNS_OF) * n_settings;
    let trial_rate = n_trial_runs as f64 / (seconds(trial) - seconds(bare)).max(1e-3);
    row("runs of a trial, compared", format!("{trial_rate:.0}/s"), "340/s", Some(trial_rate >= 340.0));
    row("the most memory with runs", memory(runs), "2 GiB", Some(runs.most_memory <= 2 << 20));
}

fn in_child(phase: &str, base: &Path) -> Measured {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args(["--phase", phase, "--base"]).arg(base).output().unwrap();
    assert!(output.status.success(), "{phase}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut words = text.split_whitespace().map(|word| word.parse::<u64>().unwrap());
    let mut micros = || Duration::from_micros(words.next().unwrap());
    let (took, busy) = (micros(), micros());
    Measured { took, busy, most_memory: words.next().unwrap() }
}

fn phase_of(phase: &str, base: &Path) {
    let begun = Instant::now();
    match phase {
        "read" => read_alone(&base.join("logs")),
        "tables" => make(&base.join("logs"), &base.join("tables"), &[]),
        "few" => make(&base.join("few"), &base.join("bare"), &[]),
        "trial" => {
            let folder = base.join("trial");
            make(&base.join("few"), &folder, &runs_of_trial());
            assert!(!run_trial(&folder).unwrap().groups.is_empty());
        }
        _ => make(&base.join("few"), &base.join("with-runs"), &[RunsAsked::parse_runs(RUNS).unwrap()]),
    }
    let took = begun.elapsed().as_micros();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
    println!("{took} {} {}", busy().as_micros(), most.unwrap_or("0"));
}

/// Every policy at five budgets, and no eviction.
fn runs_of_trial() -> Vec<RunsAsked> {
    [trial_runs(Some(TRIAL_BUDGETS)).as_str(), "none@80k"]
        .map(|text| RunsAsked::parse_runs(text).unwrap())
        .into()
}

fn busy() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the program's name, which may hold anything. Linux counts in hundredths of a second.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Reads all logs and counts their contexts, as every command does first.
fn read_alone(logs: &Path) {
    let places = places_of_sessions(&[logs.to_owned()]).unwrap();
    let tools = Tools::builtin_tables();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..N_THREADS {
            scope.spawn(|| {
                while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let once = OpenOnce {
                        format: None,
                        tools: &tools,
                        data_dir: None,
                        folders: Some(Vec::new()),
                        progress: &|_, _| {},
                    };
                    let opened = open_once(&place.name, &once).unwrap();
                    let view = ViewSettings { budget: "80k".into(), ..ViewSettings::counted("o200k") };
                    commands::history(&opened, &ViewRequest { view }).unwrap();
                }
            });
        }
    });
}

fn make(logs: &Path, folder: &Path, runs: &[RunsAsked]) {
    let asked = CorpusAsked {
        paths: vec![logs.to_owned()],
        folder: folder.to_owned(),
        view: ViewSettings::counted("o200k"),
        budget: None,
        runs: runs.to_vec(),
        texts: TextsAs::Hashed,
        key: None,
        shard: Shard::WHOLE,
        fresh: false,
        n_threads: N_THREADS,
    };
    let made = make_corpus(&asked, &|_, _| {}).unwrap();
    assert_eq!(made.n_unread, 0);
}

/// Writes sessions with alternating explorations and acts, each with distinct texts; returns their size in
/// bytes.
fn generate(folder: &Path, n_sessions: usize) -> u64 {
    std::fs::create_dir_all(folder).unwrap();
    (0..n_sessions)
        .map(|n| {
            let text = session(n);
            std::fs::write(folder.join(format!("{n:06}.jsonl")), &text).unwrap();
            text.len() as u64
        })
        .sum()
}

fn session(n: usize) -> String {
    let header =
        json!({"type": "session", "version": 3, "id": format!("{n:08}"), "cwd": "/home/dev/project"});
    let mut text = format!("{header}\n");
    let mut parent = None;
    let mut add = |message: serde_json::Value| {
        let id = format!("{:08x}", text.len());
        let row = json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-02T03:04:05.000Z", "message": message});
        text.push_str(&format!("{row}\n"));
        parent = Some(id);
    };
    add(
        json!({"role": "user", "content": [{"type": "text", "text": format!("Mend the retries of loader {n}.")}]}),
    );
    for turn in 0..N_TURNS {
        let (episode, step) = (turn / 8, turn % 8);
        let is_act = episode % 2 == 1;
        let name = format!("{}-{episode}", if is_act { "act" } else { "expl" });
        let call = match step {
            0 if is_act => {
                json!({"name": "delimiter", "arguments": {"action": "start", "type": "act", "name": name, "dependencies": [format!("expl-{}", episode - 1)]}})
            }
            0 => json!({"name": "delimiter", "arguments": {"action": "start", "type": "expl", "name": name}}),
            7 => {
                json!({"name": "delimiter", "arguments": {"action": "end", "name": name, "description": format!("loader {n} retries in step {episode}")}})
            }
            _ if is_act => {
                json!({"name": "edit", "arguments": {"path": format!("src/loader_{episode}.rs"), "oldText": "retry", "newText": format!("retry_{turn}")}})
            }
            _ if step % 2 == 0 => {
                json!({"name": "bash", "arguments": {"command": format!("rg retry_{n}_{turn}")}})
            }
            _ => {
                json!({"name": "read", "arguments": {"path": format!("src/loader_{}.rs", (episode + step) % 20)}})
            }
        };
        let id = format!("call-{turn}");
        add(
            json!({"role": "assistant", "provider": "anthropic", "model": "claude-sonnet-4", "stopReason": "toolUse", "content": [
            {"type": "toolCall", "id": id, "name": call["name"], "arguments": call["arguments"]}]}),
        );
        let n_lines = if step == 0 || step == 7 { 1 } else { 9 };
        let lines: Vec<String> = (0..n_lines)
            .map(|line| {
                format!(
                    "{line}: loader {n} of turn {turn} backs off for {} ms and tells its caller",
                    (n + turn * line) % 997
                )
            })
            .collect();
        add(json!({"role": "toolResult", "toolCallId": id, "toolName": call["name"], "isError": false,
            "content": [{"type": "text", "text": lines.join("\n")}]}));
    }
    text
}
