//! Commands of the book and the README: each shell line that begins with `cwl` is run.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::Cwl;

/// Commands that run until they are ended: one line of output is enough.
const ENDLESS: [&str; 3] = ["proxy", "serve", "tail"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the README and all of docs, each with its text.
fn pages() -> Vec<(String, String)> {
    let root = root();
    let mut paths = vec![root.join("README.md")];
    paths.extend(std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    let text = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
    paths.iter().map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), text(path))).collect()
}

/// Returns the shell lines of a page that call `cwl`.
fn calls(page: &str) -> Vec<&str> {
    let mut in_shell = false;
    let mut calls = Vec::new();
    for line in page.lines() {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            in_shell = matches!(kind.trim(), "sh" | "console");
        } else if in_shell && line.starts_with("cwl ") {
            calls.push(line);
        }
    }
    calls
}

/// Splits a line as a shell does, up to a comment, a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for char in line.chars() {
        match (quote, char) {
            (Some(open), _) if char == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, '#' | '|' | '>') if word.is_none() => return words,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

fn sample_of_pi(name: &str) -> String {
    std::fs::read_to_string(root().join("samples/pi").join(name).join("input.jsonl")).unwrap()
}

/// Replaces a sample's id by the id in the pages.
fn with_id(sample: &str, id: &str) -> String {
    let log = sample_of_pi(sample);
    let first: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    log.replace(first["id"].as_str().unwrap(), id)
}

/// Lays out the files that the pages name.
fn laid_out() -> Cwl {
    let cwl = Cwl::new();
    let copy = |from: &str, to: &str| {
        let to = cwl.dir.path().join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(root().join("samples").join(from).join("input.jsonl"), to).unwrap();
    };
    for name in ["session.jsonl", "with-delimiter.jsonl", "logs/a.jsonl"] {
        copy("pi/quickstart", name);
    }
    for name in ["without.jsonl", "logs/b.jsonl"] {
        copy("pi/branches", name);
    }
    copy("pi/compacted", "compacted.jsonl");
    copy("claude-code/captured", "captured.jsonl");
    let known = cwl.dir.path().join("agent/sessions/--home-dev-tidewater--");
    std::fs::create_dir_all(&known).unwrap();
    for (sample, id) in [
        ("long", "0a789f64-0000-4000-8000-000000000001"),
        ("branches", "19cec831-0000-4000-8000-000000000002"),
    ] {
        std::fs::write(known.join(format!("2026-01-01T00-00-00-000Z_{id}.jsonl")), with_id(sample, id))
            .unwrap();
    }
    // The branch that the pages name.
    let branches = sample_of_pi("branches").replace("fd7fd0a5", "0c5e1f");
    cwl.file("branches.jsonl", branches.as_bytes());
    cwl.file("marks.json", MARKS.as_bytes());
    cwl.file("engine.wasm", b"\0asm");
    cwl.ok(&["annotate", "0a789f64", "--apply", "marks.json", "--name", "my marks", "--partial"]);
    cwl
}

/// Returns the fault of a line. A program built before the page cannot serve or export it, which is no fault.
fn told(is_fine: bool, said: &[u8]) -> Option<String> {
    let said = String::from_utf8_lossy(said).into_owned();
    (!is_fine && !said.contains("built without the page")).then_some(said)
}

/// Runs one line and returns its fault, if any.
fn fault(cwl: &Cwl, line: &str) -> Option<String> {
    let mut words = words(line);
    words.remove(0);
    let command = words.first().cloned().unwrap_or_default();
    let of_its_own = match command.as_str() {
        "compactions" => Some("compacted.jsonl"),
        "captured" => Some("captured.jsonl"),
        "diff" => Some("branches.jsonl"),
        _ => None,
    };
    let logs = ["logs/a.jsonl", "logs/b.jsonl"].map(str::to_owned);
    let mut args = Vec::new();
    for word in words {
        match word.as_str() {
            // A shell expands it before the program sees it.
            "logs/*.jsonl" => args.extend(logs.clone()),
            "session.jsonl" => args.push(of_its_own.unwrap_or("session.jsonl").to_owned()),
            _ => args.push(word),
        }
    }
    if command == "export" {
        // A released program has the engine inside.
        args.extend(["--engine", "engine.wasm"].map(str::to_owned));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if ENDLESS.contains(&command.as_str()) {
        let mut child = cwl.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        return told(!first.is_empty(), &output.stderr);
    }
    let output = cwl.run(&args);
    // 1 is an answer, such as a search without matches; 2 is a fault of the line.
    let is_fine = matches!(output.status.code(), Some(0 | 1));
    told(is_fine, &output.stderr)
}

#[test]
fn words_are_those_of_a_shell() {
    let check = |line: &str, expected: &[&str]| assert_eq!(words(line), expected, "{line}");
    check("cwl sessions   --limit 5  # the newest", &["cwl", "sessions", "--limit", "5"]);
    check("cwl evicted a --grep 'x.*y z'", &["cwl", "evicted", "a", "--grep", "x.*y z"]);
    check("cwl graph a --dot > graph.dot", &["cwl", "graph", "a", "--dot"]);
    check("cwl sessions --json | jq -r .x", &["cwl", "sessions", "--json"]);
    check("cwl context 'opencode.db#ses_1' \"\"", &["cwl", "context", "opencode.db#ses_1", ""]);
    check("cwl diff a#1 b", &["cwl", "diff", "a#1", "b"]);
}

#[test]
fn blocks_of_shell_are_found() {
    let page = "cwl no\n```sh\ncwl yes  # a\nmake no\n```\n```\ncwl no\n```\n```json\ncwl no\n```\n";
    assert_eq!(calls(page), ["cwl yes  # a"]);
}

/// Runs the commands of each page from top to bottom in a folder of its own, and returns their number.
#[track_caller]
fn check_pages(pages: &[(String, String)]) -> usize {
    let mut n_calls = 0;
    let mut faults = Vec::new();
    for (name, text) in pages {
        // The reference page has the help of every command and no example of its own.
        let calls = calls(text);
        if calls.is_empty() {
            continue;
        }
        let cwl = laid_out();
        for call in calls {
            n_calls += 1;
            faults.extend(fault(&cwl, call).map(|fault| format!("{name}: {call}\n  {}", fault.trim())));
        }
    }
    assert!(faults.is_empty(), "{} of {n_calls} do not work:\n{}", faults.len(), faults.join("\n"));
    n_calls
}

#[test]
fn every_command_that_a_new_user_reads_works() {
    let mut pages = pages();
    pages.retain(|(name, _)| matches!(name.as_str(), "README.md" | "start.md"));
    assert!(check_pages(&pages) > 5);
}

#[test]
fn the_examples_of_a_comparison_work() {
    let examples = |command: &str| {
        let help = Cwl::new().ok(&[command, "--help"]);
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        let lines: Vec<&str> = examples.lines().map(str::trim).collect();
        (command.to_owned(), format!("```sh\n{}\n```\n", lines.join("\n")))
    };
    assert!(check_pages(&["compare", "sweep"].map(examples)) > 5);
}

mod slow {
    #[test]
    fn every_command_of_the_book_works() {
        assert!(super::check_pages(&super::pages()) > 40);
    }
}

const MARKS: &str = r#"{"made_by": "Ada", "episodes": [
  {"name": "look-around", "type": "expl", "first": 3, "last": 6, "description": "The handler drops the last row."}
]}"#;
