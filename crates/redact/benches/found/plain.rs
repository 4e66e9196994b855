//! How much of texts without secrets is marked.

use std::path::{Path, PathBuf};

use cwl_redact::{Learner, People};
use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct Marked {
    pub(crate) bytes: usize,
    pub(crate) taken: usize,
    pub(crate) marks: usize,
    pub(crate) examples: Vec<String>,
}

/// Lists files below a folder with one of these endings, sorted by path. TypeScript tests are skipped,
/// because those about headers and cookies are full of invented secrets.
pub(crate) fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() && name != "node_modules" {
                folders.push(path);
            } else if !name.contains(".test.") && ends.iter().any(|end| name.ends_with(end)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Redacts each file and counts marks. Email addresses are true finds and not counted.
pub(crate) fn look_through(files: &[PathBuf]) -> Marked {
    let mut marked = Marked::default();
    for path in files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        // In a log, only strings with more than one word are redacted, because exports contain nothing else.
        let texts: Vec<String> = if path.extension().is_some_and(|end| end == "jsonl" || end == "json") {
            let values = text.lines().map(serde_json::from_str::<Value>).chain([serde_json::from_str(&text)]);
            values.flatten().flat_map(|value| strings(&value)).collect()
        } else {
            vec![text]
        };
        marked.bytes += texts.iter().map(String::len).sum::<usize>();
        let mut learner = Learner::new(&People::default());
        texts.iter().for_each(|text| learner.text(text));
        let Ok(mut redactor) = learner.finish() else { continue };
        for text in texts {
            let written = redactor.text(&text);
            marked.count(path, &text, &written);
        }
    }
    marked
}

/// Lists strings in a value that have more than one word.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.contains([' ', '\n']) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(strings).collect(),
        Value::Object(object) => object.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

impl Marked {
    fn count(&mut self, path: &Path, text: &str, written: &str) {
        let mut at = 0;
        let mut pieces = written.split("[redacted:");
        at += pieces.next().map_or(0, str::len);
        for piece in pieces {
            let Some((kind, rest)) = piece.split_once(']') else { continue };
            // The text behind a mark shows where the secret ended.
            let until = rest.len().min(40);
            let behind = &rest[..rest.floor_char_boundary(until)];
            let from = text.ceil_char_boundary(at.min(text.len()));
            let end = if behind.is_empty() {
                text.len()
            } else {
                text[from..].find(behind).map_or(from, |n| from + n)
            };
            if !kind.starts_with("email") {
                self.marks += 1;
                self.taken += end - from;
                let before = text[..from].rfind('\n').map_or(0, |at| at + 1).max(from.saturating_sub(60));
                let line = &text
                    [text.floor_char_boundary(before)..text.floor_char_boundary((end + 10).min(text.len()))];
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                self.examples.push(format!("{kind} {name}: {}", line.chars().take(220).collect::<String>()));
            }
            at = end + rest.len();
        }
    }
}
