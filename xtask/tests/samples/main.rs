//! The samples have what their READMEs promise, whatever their texts are.
#![allow(clippy::unwrap_used)]

mod claude;
mod codex;
mod gemini;
mod opencode;
mod pi;

use std::path::{Path, PathBuf};

use serde_json::Value;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples")
}

#[track_caller]
fn text(path: &str) -> String {
    std::fs::read_to_string(samples().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn cases(format: &str) -> Vec<String> {
    let folders = std::fs::read_dir(samples().join(format)).unwrap();
    let mut cases: Vec<String> =
        folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    cases.sort_unstable();
    cases
}

/// Parses the JSON values of a log, even several per line; counts incomplete ones.
fn values(log: &str) -> (Vec<Value>, usize) {
    let mut values = Vec::new();
    let mut n_torn = 0;
    for line in log.lines() {
        for value in serde_json::Deserializer::from_str(line).into_iter::<Value>() {
            match value {
                Ok(value) => values.push(value),
                Err(error) if error.is_eof() => n_torn += 1,
                Err(error) => panic!("{error}: {line}"),
            }
        }
    }
    (values, n_torn)
}

#[test]
fn every_case_says_what_it_shows() {
    let formats = cases(".").into_iter().filter(|format| samples().join(format).is_dir());
    for format in formats {
        for case in cases(&format) {
            let readme = text(&format!("{format}/{case}/README.md"));
            assert!(readme.lines().count() > 2, "{format}/{case}");
        }
    }
}
