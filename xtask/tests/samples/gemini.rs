//! Logs of Gemini CLI, in both generations of its format.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::text;

/// Folds the records of a recording by the rule that the last one of each id wins.
fn last_of_each(log: &str) -> Vec<Value> {
    let mut places = BTreeMap::new();
    let mut last: Vec<Value> = Vec::new();
    for line in log.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let Some(id) = row["id"].as_str() else { continue };
        match places.get(id) {
            Some(&place) => last[place] = row,
            None => {
                places.insert(id.to_owned(), last.len());
                last.push(row);
            }
        }
    }
    last
}

#[test]
fn both_generations_tell_the_same_story() {
    let lines = last_of_each(&text("gemini-cli/quickstart/input.jsonl"));
    let document: Value = serde_json::from_str(&text("gemini-cli/document/input.json")).unwrap();
    let document = document["messages"].as_array().unwrap();
    // The lines begin with the harness's context.
    assert_eq!(lines.len(), document.len() + 1);
    for (new, old) in lines[1..].iter().zip(document) {
        assert_eq!(new["type"], old["type"]);
        let calls = |row: &Value| row["toolCalls"].as_array().map_or(0, Vec::len);
        assert_eq!(calls(new), calls(old));
    }
}

#[test]
fn a_message_is_written_again_when_something_comes_to_it() {
    let log = text("gemini-cli/quickstart/input.jsonl");
    let n_rows = log.lines().filter(|line| line.starts_with("{\"id\"")).count();
    assert_eq!(n_rows, last_of_each(&log).len() + 4);
    assert!(log.contains("\"tokens\":null"));
}

#[test]
fn a_compression_puts_in_the_whole_list() {
    let log = text("gemini-cli/branches/input.jsonl");
    assert_eq!(log.matches("{\"$rewindTo\":").count(), 1);
    assert_eq!(log.matches("{\"$set\":{\"messages\":[").count(), 1);
    assert!(log.contains("<state_snapshot>"));
}
