//! `cwl tail`: its output while a log is written, and after a rename.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::common::{Cwl, sample};

/// Kills the process on drop.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn tail_prints_a_line_per_turn_as_it_is_written() {
    let cwl = Cwl::new();
    let log = std::fs::read_to_string(sample("quickstart")).unwrap();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let file = cwl.file("live.jsonl", lines[..20].concat().as_bytes());
    let mut command = cwl.command(&["tail", &file]);
    let mut child = Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let printed = lines_of(child.0.stdout.take().unwrap());
    let told = lines_of(child.0.stderr.take().unwrap());
    let next = || printed.recv_timeout(Duration::from_secs(300)).expect("a line in time");
    assert!(next().starts_with("turn 1 "));
    let mut append = std::fs::OpenOptions::new().append(true).open(cwl.dir.path().join(&file)).unwrap();
    append.write_all(lines[20..].concat().as_bytes()).unwrap();
    let replay = cwl.ok(&["replay", "--json", &sample("quickstart")]);
    let n_turns =
        serde_json::from_str::<serde_json::Value>(&replay).unwrap()["turns"].as_array().unwrap().len();
    for turn in 2..n_turns {
        assert!(next().starts_with(&format!("turn {turn} ")), "turns come in order, each once");
    }
    let wait_for = |expected: &str| {
        let mut said = String::new();
        while !said.contains(expected) {
            said = told.recv_timeout(Duration::from_secs(300)).expect("a rename is told");
        }
    };
    let other = cwl.dir.path().join("other.jsonl");
    std::fs::rename(cwl.dir.path().join(&file), &other).unwrap();
    wait_for("other.jsonl");
    std::fs::remove_file(&other).unwrap();
    wait_for("the log is gone");
}

/// Reads the lines of a pipe on a separate thread.
fn lines_of(pipe: impl std::io::Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
