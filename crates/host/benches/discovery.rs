//! Time of the list of sessions (first rows and whole list, cold, over generated logs), and the cost of an
//! idle host. Run by `make bench`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that measures and prints")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cwl_host::api::{DefaultsAnswer, EmptyRequest, SessionsAnswer};
use cwl_host::{Inspector, InspectorConfig};
use serde_json::json;

/// Idle time, long enough for a walk over all folders.
const IDLE: Duration = Duration::from_secs(40);

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--idle") {
        idle(Path::new(&args[at + 1]));
        return;
    }
    let base = tempfile::tempdir().unwrap();
    println!("{:<46}{:>14}  {:<12}{:<8}on", "what", "measured", "goal", "");
    for (n_sessions, n_bytes) in [(500, 120_000), (5_000, 40_000)] {
        let folder = base.path().join(n_sessions.to_string());
        generate(&folder, n_sessions, n_bytes);
        let on = format!("{n_sessions} logs of {} kB, half as many of subagents", n_bytes / 1000);
        cold(&folder, &on, n_sessions);
        if n_sessions == 500 {
            stored(&folder, &on);
        }
        idle_in_child(&folder, &on);
    }
}

/// Writes sessions of 25 projects; every other one has a subagent.
fn generate(base: &Path, n_sessions: usize, n_bytes: usize) {
    for n in 0..n_sessions {
        let project = base.join(format!("logs/--home-dev-project-{}--", n % 25));
        let name = format!("2026-01-02T03-04-05-{n:06}_0");
        write(&project.join(format!("{name}.jsonl")), n, n_bytes);
        if n % 2 == 0 {
            write(&project.join(format!("{name}/{n:06x}/run-0/session.jsonl")), n, n_bytes / 4);
        }
    }
}

fn write(path: &Path, n: usize, n_bytes: usize) {
    let header =
        json!({"type": "session", "version": 3, "id": format!("{n:08}"), "cwd": "/home/dev/project"});
    let mut text = format!("{header}\n");
    let mut parent = None;
    for at in 0.. {
        let id = format!("{at:08x}");
        let words =
            "the retries of the loader back off and are told to whoever waits for them ".repeat(1 + at % 9);
        let message = match at % 3 {
            0 => {
                json!({"role": "user", "content": [{"type": "text", "text": format!("Task {n}, step {at}: {words}")}]})
            }
            1 => {
                json!({"role": "assistant", "provider": "p", "model": "m", "stopReason": "toolUse", "content": [
                {"type": "toolCall", "id": id, "name": "bash", "arguments": {"command": format!("rg {at}")}}]})
            }
            _ => json!({"role": "toolResult", "toolCallId": parent, "toolName": "bash", "isError": false,
                "content": [{"type": "text", "text": words}]}),
        };
        text.push_str(&format!(
            "{}\n",
            json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-02T03:04:05.000Z", "message": message})
        ));
        if text.len() >= n_bytes {
            break;
        }
        parent = Some(id);
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

async fn start(base: &Path, data: &str) -> Arc<Inspector> {
    let config = InspectorConfig {
        data_dir: base.join(data),
        defaults: DefaultsAnswer::default(),
        folders: Some(vec![base.join("logs")]),
        corpora: None,
    };
    Inspector::start(config).await.unwrap()
}

async fn ask(host: &Arc<Inspector>) -> SessionsAnswer {
    host.sessions(EmptyRequest {}).unwrap()
}

/// Times a host without a store: to its first answer, and until the list is complete.
fn cold(base: &Path, on: &str, n_sessions: usize) {
    let (mut first_times, mut n_first) = (Vec::new(), 0);
    let mut whole_times = Vec::new();
    for round in 0..5 {
        runtime().block_on(async {
            let begun = Instant::now();
            let host = start(base, &format!("cold-{round}")).await;
            let first = ask(&host).await;
            first_times.push(begun.elapsed());
            n_first = first.rows.len();
            assert!(n_first > 0, "there are rows in the first answer");
            let mut list = first;
            while list.n_pending > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
                list = ask(&host).await;
            }
            whole_times.push(begun.elapsed());
            assert_eq!(list.rows.len(), n_sessions, "and all of them in the end, none of a subagent");
            // A repeated list costs what its rows cost.
            if round == 4 {
                let again = Instant::now();
                ask(&host).await;
                row("the list again", again.elapsed(), None, on);
            }
        });
    }
    let what = format!("cold start to first rows ({n_first} of {n_sessions})");
    row(&what, median(&first_times), (n_sessions == 500).then_some(300), on);
    row("cold start to the whole list", median(&whole_times), None, on);
}

/// Times a host with every session in its store.
fn stored(base: &Path, on: &str) {
    runtime().block_on(async {
        let host = start(base, "stored").await;
        for session in host.all_sessions().await.unwrap().rows {
            host.open_target(session.path, None).await.unwrap();
        }
    });
    let mut times = Vec::new();
    for _ in 0..5 {
        runtime().block_on(async {
            let begun = Instant::now();
            let host = start(base, "stored").await;
            assert_eq!(ask(&host).await.rows.len(), 500, "all at once");
            times.push(begun.elapsed());
        });
    }
    row("the same, when the store holds all sessions", median(&times), Some(300), on);
}

/// Measures a host in its own process, and so its own memory.
fn idle_in_child(base: &Path, on: &str) {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).arg("--idle").arg(base).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.split_whitespace().map(|number| number.parse::<f64>().unwrap());
    let (Some(percent), Some(megabytes)) = (numbers.next(), numbers.next()) else { panic!("{text}") };
    let verdict = if percent < 1.0 { "within" } else { "ABOVE" };
    let on = format!("{on}, watched for {} s", IDLE.as_secs());
    println!("{:<46}{:>14}  {:<12}{verdict:<8}{on}", "idle: CPU", format!("{percent:.2} %"), "< 1 %");
    println!("{:<46}{:>14}  {:<12}{:<8}{on}", "idle: RssAnon", format!("{megabytes:.0} MB"), "", "");
}

fn idle(base: &Path) {
    runtime().block_on(async {
        let host = start(base, "idle").await;
        while ask(&host).await.n_pending > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        // One session is open, as in a background window.
        let newest = ask(&host).await.rows.swap_remove(0);
        host.open_target(newest.path, None).await.unwrap();
        tokio::time::sleep(Duration::from_secs(3)).await;
        let before = cpu_seconds();
        tokio::time::sleep(IDLE).await;
        let percent = 100.0 * (cpu_seconds() - before) / IDLE.as_secs_f64();
        println!("{percent} {}", anonymous_megabytes());
        drop(host);
    });
}

/// Processor time of this process in seconds; a tick is a hundredth of a second on Linux.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let behind_name = &stat[stat.rfind(')').unwrap() + 2..];
    let fields: Vec<&str> = behind_name.split(' ').collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

fn anonymous_megabytes() -> f64 {
    let status = std::fs::read_to_string(PathBuf::from("/proc/self/status")).unwrap();
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB"));
    kilobytes.unwrap().trim().parse::<f64>().unwrap() / 1000.0
}

fn row(what: &str, took: Duration, goal_ms: Option<u64>, on: &str) {
    let ms = took.as_secs_f64() * 1000.0;
    let measured = if ms < 10.0 { format!("{ms:.2} ms") } else { format!("{ms:.0} ms") };
    let goal = goal_ms.map_or_else(String::new, |goal| format!("≤ {goal} ms"));
    let verdict = match goal_ms {
        Some(goal) if took <= Duration::from_millis(goal) => "within",
        Some(_) => "ABOVE",
        None => "",
    };
    println!("{what:<46}{measured:>14}  {goal:<12}{verdict:<8}{on}");
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    sorted[sorted.len() / 2]
}
