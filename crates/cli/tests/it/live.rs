//! `cwl live` as a program, seen and steered by `cwl live status` and `cwl live set`.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::common::Cwl;

/// A running process, and what it answers.
struct LiveProcess {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl LiveProcess {
    fn start(cwl: &Cwl, session: &str) -> Self {
        let mut child = cwl.command(&["live"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut process = Self { child, answers };
        let answer = process.ask(&json!({"type": "hello", "protocol": 1, "client": "test 1.0", "session": session,
            "harness": "pi 1.6.0", "budget": "80k", "policy": "window", "tokenizer": "chars4", "system": "x".repeat(400), "tools": "[]"}));
        assert_eq!(answer["type"], "ready", "{answer}");
        process
    }

    fn ask(&mut self, line: &Value) -> Value {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    /// Asks for a decision about `n` replies of some hundred tokens.
    fn decide(&mut self, n: usize) -> Value {
        let mut list = vec![json!({"role": "user", "content": "the task", "timestamp": 0})];
        for at in 0..n {
            let text = format!("reply {at} {}", "word ".repeat(300));
            list.push(json!({"role": "assistant", "content": [{"type": "text", "text": text}],
                "api": "anthropic-messages", "provider": "p", "model": "m", "stopReason": "stop", "timestamp": 0}));
            list.push(json!({"role": "user", "content": "go on", "timestamp": 0}));
        }
        self.ask(&json!({"type": "decide", "from": 0, "digest": "", "messages": list}))
    }

    /// Ends the input, as an agent that ends does.
    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for LiveProcess {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn status(cwl: &Cwl) -> Value {
    serde_json::from_str(&cwl.ok(&["live", "status", "--json"])).unwrap()
}

#[test]
fn a_running_process_is_shown_and_steered() {
    let cwl = Cwl::new();
    assert_eq!(cwl.ok(&["live", "status"]), "", "none runs");
    let mut process = LiveProcess::start(&cwl, "0a789f64-1");
    assert_eq!(process.decide(12)["verdict"], "keep");
    let told = status(&cwl);
    assert_eq!(told["schema"]["name"], "live");
    let one = &told["processes"][0];
    assert_eq!(
        (&one["session"], &one["harness"], &one["budget"]),
        (&json!("0a789f64-1"), &json!("pi 1.6.0"), &json!(80_000))
    );
    assert_eq!(one["process"], process.child.id());
    let said =
        cwl.ok(&["live", "set", "0a789f64", "--budget", "2k", "--policy", "window", "--set", "keep_turns=1"]);
    assert!(said.contains("window at 2,000") && said.contains("from the next request on"), "{said}");
    let decision = process.decide(12);
    assert_eq!((&decision["verdict"], &decision["settings"]["budget"]), (&json!("evict"), &json!(2000)));
    let text = cwl.ok(&["live", "status", "0a789f64"]);
    assert!(text.contains("in force: window, τ 2,000 tokens of chars4"), "{text}");
    assert!(text.contains("set from outside: window at 2,000"), "{text}");
    assert!(text.contains("parts evicted") && text.contains("the oldest turns"), "{text}");
    process.end();
    assert_eq!(status(&cwl)["processes"], json!([]));
}

#[test]
fn what_cannot_be_set_is_refused() {
    let cwl = Cwl::new();
    let refused = |args: &[&str], words: &str| {
        let said = cwl.refused(&[&["live", "set"], args].concat());
        assert!(said.contains(words), "{args:?}: {said}");
    };
    refused(&["--budget", "60k"], "no live process runs");
    refused(&[], "the following required arguments");
    let process = LiveProcess::start(&cwl, "one");
    refused(&["--budget", "100"], "the smallest that works is 102");
    refused(&["--policy", "summary"], "makes summaries of texts");
    refused(&["--set", "keep_turns"], "write KEY=VALUE");
    refused(&["--set", "keep_turns=many"], "`keep_turns` takes");
    refused(&["another", "--budget", "60k"], "no live process decides for `another`; there are one");
    assert_eq!(status(&cwl)["processes"][0]["budget"], 80_000);
    process.end();
}

#[test]
fn several_processes_are_listed_and_named() {
    let cwl = Cwl::new();
    let (one, other) = (LiveProcess::start(&cwl, "0a78"), LiveProcess::start(&cwl, "0b11"));
    let listed = cwl.ok(&["live", "status"]);
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let said = cwl.refused(&["live", "set", "--budget", "60k"]);
    assert!(said.contains("name one of them: 0a78, 0b11"), "{said}");
    let said = cwl.refused(&["live", "status", "0"]);
    assert!(said.contains("several live sessions begin with `0`"), "{said}");
    cwl.ok(&["live", "set", "0b", "--budget", "60k"]);
    let told = status(&cwl);
    let budgets: Vec<&Value> =
        told["processes"].as_array().unwrap().iter().map(|one| &one["budget"]).collect();
    assert_eq!(budgets, [&json!(80_000), &json!(60_000)]);
    one.end();
    other.end();
}

#[test]
fn a_process_is_named_by_its_log() {
    let cwl = Cwl::new();
    let log = crate::common::sample("quickstart");
    let first = std::fs::read_to_string(&log).unwrap();
    let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let process = LiveProcess::start(&cwl, first["id"].as_str().unwrap());
    let text = cwl.ok(&["live", "status", &log]);
    assert!(text.starts_with(&format!("session {}", first["id"].as_str().unwrap())), "{text}");
    process.end();
}

#[test]
fn the_socket_of_a_killed_process_harms_nobody() {
    let cwl = Cwl::new();
    let killed = LiveProcess::start(&cwl, "s");
    let sockets = || -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(cwl.dir.path().join("data/live")).unwrap();
        entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().unwrap() == "sock")
            .collect()
    };
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(sockets().iter().map(|path| mode(path)).collect::<Vec<_>>(), [0o600]);
    drop(killed);
    assert_eq!(sockets().len(), 1, "it was killed and could not clean up");
    assert_eq!(status(&cwl)["processes"], json!([]));
    let next = LiveProcess::start(&cwl, "s");
    assert_eq!(status(&cwl)["processes"][0]["process"], next.child.id());
    next.end();
    assert_eq!(sockets(), Vec::<std::path::PathBuf>::new());
}
