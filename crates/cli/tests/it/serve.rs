//! `cwl serve` as a program: its output, failures and end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::sample;

/// A folder with a page and a store.
struct TempStore(tempfile::TempDir);

impl TempStore {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("index.html"), "<!doctype html>page").unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cwl"));
        command.arg("serve").args(args).arg("--data-dir").arg(self.path().join("data"));
        // The test must not find the user's sessions.
        command.env("HOME", self.path()).env_remove("XDG_CONFIG_HOME").env_remove("XDG_DATA_HOME");
        command
    }

    fn start(&self, args: &[&str]) -> Serving {
        let ui = self.path().display().to_string();
        let mut child = self
            .command(args)
            .args(["--ui", &ui])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut address = String::new();
        stdout.read_line(&mut address).unwrap();
        Serving { child, stdout, address: address.trim_end().to_owned() }
    }

    fn check_refused(&self, args: &[&str], expected: &str) {
        let output = self.command(args).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said, format!("cwl: {expected}\n"), "{args:?}");
        assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()), "{args:?}");
    }
}

struct Serving {
    child: Child,
    stdout: BufReader<std::process::ChildStdout>,
    address: String,
}

impl Serving {
    fn port(&self) -> u16 {
        let (_, rest) = self.address.split_once("http://127.0.0.1:").unwrap();
        rest.split_once("/#token=").unwrap().0.parse().unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn one_address_is_printed_and_answers() {
    let store = TempStore::new();
    let serving = store.start(&["--port", "0"]);
    let token = serving.address.split_once("/#token=").unwrap().1;
    assert_eq!(token.len(), 32, "{}", serving.address);
    let port = serving.port();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("<!doctype html>page"), "{answer}");
}

#[test]
fn what_cannot_be_served_is_said_in_one_line() {
    let store = TempStore::new();
    let nothing = store.path().join("nothing").display().to_string();
    store.check_refused(
        &["--ui", &nothing],
        &format!("no built page; build it (`cd ui && npm run build`) and name its folder: {nothing}"),
    );
    let serving = store.start(&["--port", "0"]);
    let (port, ui) = (serving.port().to_string(), store.path().display().to_string());
    store.check_refused(
        &["--ui", &ui, "--port", &port],
        &format!("port {port} is in use; take another with --port, or any free one with --port 0"),
    );
    store.check_refused(
        &["--ui", &ui, "--policy", "nonsense"],
        &refusal(&store, &["replay", "-", "--policy", "nonsense"]),
    );
}

#[test]
fn a_turn_that_is_not_there_is_an_error_with_the_range() {
    let store = TempStore::new();
    let (log, ui) = (sample("quickstart"), store.path().display().to_string());
    store.check_refused(
        &["--ui", &ui, &log, "--turn", "900"],
        "there is no turn 900; write 1 to 33, or now, which is 34",
    );
    let without = store.command(&["--ui", &ui, "--turn", "3"]).output().unwrap();
    assert_eq!(without.status.code(), Some(2), "a turn is one of a session");
    drop(store.start(&["--port", "0", &log, "--turn", "33"]));
}

/// Returns another command's message about the same mistake.
fn refusal(store: &TempStore, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cwl"))
        .args(args)
        .env("HOME", store.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    said.strip_prefix("cwl: ").unwrap().trim_end().to_owned()
}

#[test]
fn the_usual_port_is_left_to_who_has_it() {
    let store = TempStore::new();
    let other = TempStore::new();
    let (one, two) = (store.start(&[]), other.start(&[]));
    assert_ne!(one.port(), two.port(), "the second takes a free one");
}

#[cfg(unix)]
#[test]
fn only_a_file_that_is_not_there_is_called_missing() {
    let check = |target: &str, is_missing: bool| {
        let store = TempStore::new();
        std::fs::write(store.path().join("state.db"), "").unwrap();
        let target = store.path().join(target).display().to_string();
        let mut serving = store.start(&["--port", "0", &target]);
        let pid = serving.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let mut said = String::new();
        serving.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said.contains(&format!("{target}: there is no such file")), is_missing, "{said}");
    };
    check("state.db#ses_1", false);
    check("other.db#ses_1", true);
    check("other.jsonl", true);
}

#[cfg(unix)]
#[test]
fn it_ends_when_it_is_told_to() {
    for signal in ["INT", "TERM"] {
        let store = TempStore::new();
        let mut serving = store.start(&["--port", "0"]);
        let pid = serving.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &pid]).status().unwrap().success());
        let code = serving.child.wait().unwrap().code();
        let mut rest = String::new();
        serving.stdout.read_to_string(&mut rest).unwrap();
        assert_eq!((code, rest.as_str()), (Some(0), ""), "{signal}");
    }
}

#[test]
fn a_port_is_a_number() {
    for port in ["-1", "65536", "http"] {
        let store = TempStore::new();
        let output = store.command(&[&format!("--port={port}")]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{port}");
    }
}
