//! The schema and the example in docs/live.md match the program.

use std::path::{Path, PathBuf};

use cwl_live::protocol_schema;
use serde_json::Value;

use crate::Client;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Fails if a file in docs differs; writes the file if `CWL_GEN` is set.
fn check_file(path: &Path, text: &str) {
    if std::env::var_os("CWL_GEN").is_some() {
        std::fs::write(path, text).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == text, "{} is out of date: run `make gen` and commit the file", path.display());
}

#[test]
fn the_schema_is_that_of_the_docs() {
    let schema = serde_json::to_string_pretty(&protocol_schema()).unwrap() + "\n";
    check_file(&docs().join("schemas/live-protocol.json"), &schema);
}

/// Client lines begin with `> `, answers with `< `.
#[test]
fn the_example_is_answered_as_the_docs_say() {
    let page = docs().join("live.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once("```live\n").unwrap();
    let (example, after) = rest.split_once("```").unwrap();
    let mut client = Client::new();
    let mut answered = String::new();
    for line in example.lines().filter_map(|line| line.strip_prefix("> ")) {
        let mut answer = client.ask(&serde_json::from_str::<Value>(line).unwrap());
        if let Some(version) = answer.get_mut("version") {
            *version = "0.1.0".into();
        }
        answered.push_str(&format!("> {line}\n< {answer}\n"));
    }
    assert!(answered.contains("\"verdict\":\"evict\""), "{answered}");
    check_file(&page, &format!("{before}```live\n{answered}```{after}"));
}
