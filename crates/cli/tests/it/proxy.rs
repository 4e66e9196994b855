//! `cwl proxy` as a program: what it prints, how it fails, how it ends, and that it tells no key.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::common::Cwl;

const KEY: &str = "sk-invented-0123456789";

/// A proxy as a program, with the line that it printed.
struct ProxyProcess {
    child: Child,
    line: String,
}

impl ProxyProcess {
    fn start(cwl: &Cwl, args: &[&str]) -> Self {
        let args = [&["proxy"], args].concat();
        let mut child = cwl.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { child, line: line.trim_end().to_owned() }
    }

    /// Sends a request with a key in its headers and its query, and returns the whole answer.
    fn ask(&self, address: &str) -> String {
        let host = address.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let head = format!(
            "POST /v1/messages?key={KEY} HTTP/1.1\r\nHost: {host}\r\nX-Api-Key: {KEY}\r\nConnection: close"
        );
        write!(stream, "{head}\r\nContent-Length: 2\r\n\r\n{{}}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Ends it as Ctrl+C does, and returns everything that it said.
    #[cfg(unix)]
    fn end(mut self) -> String {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let mut said = std::mem::take(&mut self.line);
        self.child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(self.child.wait().unwrap().success(), "{said}");
        said
    }
}

impl Drop for ProxyProcess {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Starts an upstream that answers one request with its own head and body.
fn echo_upstream() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            stream.read_line(&mut head).unwrap();
        }
        let mut body = [0; 2];
        stream.read_exact(&mut body).unwrap();
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{head}", head.len());
        stream.get_mut().write_all(answer.as_bytes()).unwrap();
    });
    address
}

#[test]
fn one_address_is_printed_and_the_key_reaches_the_upstream_alone() {
    let cwl = Cwl::new();
    let proxy = ProxyProcess::start(&cwl, &["--port", "0", "--upstream", &echo_upstream()]);
    let answer = proxy.ask(&proxy.line);
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert_eq!(answer.matches(KEY).count(), 2, "header and query: {answer}");
    // The upstream is gone now.
    let refused = proxy.ask(&proxy.line);
    assert!(refused.starts_with("HTTP/1.1 502 ") && !refused.contains(KEY), "{refused}");
    #[cfg(unix)]
    {
        let said = proxy.end();
        assert!(said.contains("go to http://127.0.0.1:") && !said.contains(KEY), "{said}");
    }
}

#[test]
fn the_address_is_a_document_too() {
    let cwl = Cwl::new();
    let proxy = ProxyProcess::start(&cwl, &["--port", "0", "--json", "--upstream", "http://localhost:9/v1/"]);
    let told: Value = serde_json::from_str(&proxy.line).unwrap();
    assert_eq!(told["schema"]["name"], "proxy");
    assert_eq!(told["upstream"], "http://localhost:9/v1");
    assert_eq!(told["address"], format!("http://127.0.0.1:{}", told["port"]));
    let port = told["port"].to_string();
    let said = cwl.refused(&["proxy", "--port", &port, "--upstream", "http://localhost:9"]);
    assert_eq!(
        said,
        format!(
            "cwl: port {port} is in use, perhaps by another cwl proxy; take another with --port, or any free one with \
             --port 0, and tell the harness\n"
        )
    );
}

#[test]
fn an_upstream_that_would_give_keys_away_is_refused() {
    let cwl = Cwl::new();
    for (upstream, expected) in [
        ("http://api.example", "http://api.example is not encrypted and not on this machine"),
        ("https://name:key@api.example", "the upstream has a name or a password in it"),
        ("api.example", "the upstream is no address"),
        ("https://api.example/?key=abc", "the upstream has a query"),
    ] {
        let said = cwl.refused(&["proxy", "--port", "0", "--upstream", upstream]);
        assert!(said.starts_with(&format!("cwl: {expected}")), "{said}");
    }
    let insecure = ["--port", "0", "--upstream", "http://api.example", "--insecure-upstream"];
    drop(ProxyProcess::start(&cwl, &insecure));
}

/// Starts an upstream that answers one request with the body that it got.
fn mirror_upstream() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        let (mut n_bytes, mut line) = (0, String::new());
        while stream.read_line(&mut line).unwrap() > 2 {
            let length = line.to_lowercase();
            n_bytes = length.strip_prefix("content-length: ").map_or(n_bytes, |n| n.trim().parse().unwrap());
            line.clear();
        }
        let mut body = vec![0; n_bytes];
        stream.read_exact(&mut body).unwrap();
        write!(stream.get_mut(), "HTTP/1.1 200 OK\r\nContent-Length: {n_bytes}\r\n\r\n").unwrap();
        stream.get_mut().write_all(&body).unwrap();
    });
    address
}

/// Lists the blocks of a request to Anthropic's API: role, kind, and text or name.
fn blocks(body: &Value) -> Vec<String> {
    let text_of = |content: &Value| match content {
        Value::Array(parts) => parts.iter().map(|part| part["text"].as_str().unwrap_or("?")).collect(),
        content => content.as_str().unwrap_or_default().to_owned(),
    };
    let mut blocks = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        let role = message["role"].as_str().unwrap();
        let Value::Array(parts) = &message["content"] else {
            blocks.push(format!("{role} text {}", message["content"].as_str().unwrap()));
            continue;
        };
        for part in parts {
            let kind = part["type"].as_str().unwrap();
            let told = match kind {
                "text" => part["text"].as_str().unwrap().to_owned(),
                "tool_use" => format!("{} {}", part["id"], part["input"]),
                _ => format!("{} {}", part["tool_use_id"], text_of(&part["content"])),
            };
            blocks.push(format!("{role} {kind} {told}"));
        }
    }
    blocks
}

#[test]
fn a_request_is_what_the_inspector_shows_for_it() {
    let cwl = Cwl::new();
    // A body of a session that marks its episodes, of the messages as the inspector writes them.
    let log = crate::common::sample("quickstart");
    let messages = cwl.ok(&["context", &log, "--policy", "none", "--turn", "33", "--as", "anthropic"]);
    let messages: Value = serde_json::from_str(&messages).unwrap();
    let body =
        serde_json::json!({"model": "m", "system": "You are invented.", "messages": messages}).to_string();
    cwl.file("body.json", body.as_bytes());
    let mut n_changed = 0;
    for budget in ["200k", "12k", "8k", "6k"] {
        let options = ["--policy", "cwl", "--budget", budget];
        let upstream = mirror_upstream();
        let proxy =
            ProxyProcess::start(&cwl, &[&["--port", "0", "--upstream", &upstream], &options[..]].concat());
        let host = proxy.line.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let head = format!(
            "POST /v1/messages HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}",
            body.len()
        );
        write!(stream, "{head}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let sent = answer.split_once("\r\n\r\n").unwrap().1;
        n_changed += usize::from(sent != body);
        let shown = [
            &[
                "context",
                "body.json",
                "--format",
                "anthropic",
                "--overhead",
                "0",
                "--set",
                "keep_last_turn=true",
                "--as",
                "anthropic",
            ],
            &options[..],
        ]
        .concat();
        let shown: Value = serde_json::from_str(&cwl.ok(&shown)).unwrap();
        assert_eq!(blocks(&serde_json::from_str(sent).unwrap()), blocks(&shown), "{budget}");
    }
    assert!(n_changed > 1, "a budget takes something");
}
