//! Measures the waiting time per decision at 10,000 messages and 300,000 tokens: `make bench`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that measures and prints")]

use std::time::{Duration, Instant};

use cwl_host::Tools;
use cwl_live::LiveServer;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Same allocator as in the released programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const N_MESSAGES: usize = 10_000;
const N_MEASURED: usize = 400;
const LIMIT: Duration = Duration::from_millis(10);

fn main() {
    let list: Vec<String> = messages().iter().map(Value::to_string).collect();
    for policy in ["cwl+", "cwl", "window", "none"] {
        measure(policy, &list);
    }
}

/// Plays a session request by request and measures the last ones.
fn measure(policy: &str, list: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let mut server = LiveServer::new(folder.path().to_owned(), Tools::builtin_tables());
    let hello = json!({"type": "hello", "protocol": 1, "client": "bench", "harness": "pi", "session": policy,
        "policy": policy, "budget": "80k"});
    server.answer_line(&hello.to_string());
    let mut digests = vec![String::new()];
    for message in list {
        let digest = Sha256::digest(format!("{}{message}", digests[digests.len() - 1]));
        digests.push(digest.iter().map(|byte| format!("{byte:02x}")).collect());
    }
    let mut known = 0;
    let mut ask = |until: usize| {
        let messages = list[known..until].join(",");
        let line = format!(
            r#"{{"type":"decide","from":{known},"digest":"{}","messages":[{messages}]}}"#,
            digests[known]
        );
        known = until;
        let start = Instant::now();
        let answer = serde_json::to_string(&server.answer_line(&line)).unwrap();
        (start.elapsed(), answer)
    };
    let first = list.len() - 2 * N_MEASURED;
    let (half, _) = ask(first / 2);
    let at_half = resident();
    let (rest, _) = ask(first);
    let mut times = Vec::new();
    let mut last = String::new();
    for until in (first + 2..=list.len()).step_by(2) {
        let (time, answer) = ask(until);
        times.push(time);
        last = answer;
    }
    times.sort_unstable();
    let p95 = times[times.len() * 95 / 100];
    let answer: Value = serde_json::from_str(&last).unwrap();
    println!(
        "live, {policy}: {} messages, {} tokens, {} sent; p50 {:.2} ms, p95 {:.2} ms (limit {} ms: {}), most {:.2} ms; answer {} KiB; \
         the first {} messages at once {:.0} ms, as many again {:.0} ms; resident {} MiB, at half {} MiB",
        list.len(),
        answer["tokens"]["whole"],
        answer["tokens"]["sent"],
        ms(times[times.len() / 2]),
        ms(p95),
        LIMIT.as_millis(),
        if p95 <= LIMIT { "met" } else { "MISSED" },
        ms(times[times.len() - 1]),
        last.len() / 1024,
        first / 2,
        ms(half),
        ms(rest),
        resident() / 1024,
        at_half / 1024,
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Resident memory in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Rounds of an exploration and a dependent act, each call with its result.
fn messages() -> Vec<Value> {
    let mut list = vec![json!({"role": "user", "content": "the task", "timestamp": 0})];
    let words = "the quick brown fox jumps over the lazy dog and comes back at night ";
    let mut n = 0usize;
    let mut call = |list: &mut Vec<Value>, tool: &str, arguments: Value, size: usize| {
        n += 1;
        let id = format!("call-{n}");
        let say = json!({"type": "text", "text": format!("Step {n}: {}", &words[..n % 60])});
        list.push(json!({"role": "assistant", "content": [say, {"type": "toolCall", "id": id, "name": tool, "arguments": arguments}],
            "api": "openai-completions", "provider": "p", "model": "m", "stopReason": "toolUse", "timestamp": 2 * n}));
        let text = format!("{n} {}", words.repeat(size));
        list.push(json!({"role": "toolResult", "toolCallId": id, "toolName": tool, "isError": false,
            "content": [{"type": "text", "text": text}], "timestamp": 2 * n + 1}));
    };
    let mut round = 0;
    while list.len() < N_MESSAGES {
        round += 1;
        let look = format!("look-{round}");
        call(&mut list, "delimiter", json!({"action": "start", "name": look, "type": "expl"}), 0);
        for tool in ["grep", "read", "bash", "read", "grep", "read"] {
            call(&mut list, tool, json!({"path": format!("src/file-{round}.rs")}), 4);
        }
        call(
            &mut list,
            "delimiter",
            json!({"action": "end", "description": "it is in the file, at the end"}),
            0,
        );
        call(
            &mut list,
            "delimiter",
            json!({"action": "start", "name": format!("do-{round}"), "type": "act", "dependencies": [look]}),
            0,
        );
        for tool in ["edit", "bash", "edit", "bash"] {
            call(&mut list, tool, json!({"path": format!("src/file-{round}.rs")}), 3);
        }
        call(&mut list, "delimiter", json!({"action": "end"}), 0);
        if round % 20 == 0 {
            list.push(json!({"role": "user", "content": "go on", "timestamp": list.len()}));
        }
    }
    list.truncate(N_MESSAGES + 1);
    list
}
