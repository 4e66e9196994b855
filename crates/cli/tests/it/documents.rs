//! Every JSON output is a document of docs/schemas, and names its session and view.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::common::{Cwl, sample};

/// Names under a key of a schema.
fn names(of: &Value) -> BTreeSet<&str> {
    match of {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        Value::Object(object) => object.keys().map(String::as_str).collect(),
        _ => BTreeSet::new(),
    }
}

/// Fails if a value lacks a required member or has an unknown one.
fn check_members(value: &Value, schema: &Value, what: &str) {
    let (has, required, known) = (names(value), names(&schema["required"]), names(&schema["properties"]));
    assert_eq!(required.difference(&has).collect::<Vec<_>>(), Vec::<&&str>::new(), "{what} lacks them");
    assert_eq!(has.difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new(), "{what} has them besides");
}

/// Checks a document and returns its schema's name; `n_about` is its number of sessions.
fn check(what: &str, text: &str, n_about: usize) -> String {
    let document: Value =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{what}: {error}: {text}"));
    let name = document["schema"]["name"].as_str().unwrap_or_else(|| panic!("{what}: no schema")).to_owned();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schemas/{name}.json"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let title = format!("{name}, version {}", document["schema"]["version"]);
    assert_eq!(schema["title"], title.as_str(), "{what}");
    check_members(&document, &schema, what);
    let about: Vec<&Value> = match document.get("about_each") {
        Some(each) => each.as_array().unwrap().iter().collect(),
        None => document.get("about").into_iter().collect(),
    };
    assert_eq!(about.len(), n_about, "{what}");
    for about in about {
        check_members(about, &schema["$defs"]["DocumentSubject"], what);
        for member in
            ["log", "format", "session", "policy", "budget_source", "tokenizer", "annotation", "source"]
        {
            assert!(about[member].is_string(), "{what}: {member} of {about}");
        }
        assert!(about["options"].is_object() && about["budget"].is_u64(), "{what}: {about}");
    }
    assert_eq!(document.get("budget_source").is_some(), document.get("about").is_some(), "{what}");
    name
}

#[test]
fn every_document_says_its_form_and_what_it_is_about() {
    let cwl = Cwl::new();
    let (log, other) = (sample("quickstart"), sample("branches"));
    let compacted = sample("compacted");
    let captured = log.replace("/pi/quickstart/", "/claude-code/captured/");
    let mut seen = BTreeSet::new();
    for (n_about, args) in [
        (1, &["graph", &log][..]),
        (1, &["replay", &log]),
        (1, &["replay", &log, "--policy", "window", "--set", "keep_turns=2", "--budget", "8k"]),
        (1, &["context", &log]),
        (1, &["evicted", &log, "--budget", "8k"]),
        (1, &["reacquisitions", &log, "--budget", "8k"]),
        (1, &["compactions", &compacted]),
        (1, &["compactions", &compacted, "--recovery", "1"]),
        (1, &["captured", &captured]),
        (1, &["cost", &log]),
        (1, &["sweep", &log, "--budgets", "8k,20k"]),
        (1, &["compare", &log, "--budget", "8k"]),
        (1, &["compare", &log, "--view", "frontier", "--policies", "cwl,mask"]),
        (1, &["report", &log]),
        (1, &["branches", &other]),
        (1, &["lint", &log]),
        (2, &["lint", &log, &other, "--budget", "8k"]),
        (2, &["diff", &log, &other]),
        (0, &["corpus", &log, "--out", "tables", "--runs", "cwl,none@8k"]),
        (0, &["choose", "tables", "--constraint", "recall>=0.5"]),
        (0, &["trial", &log, "--out", "trial", "--runs", "cwl,mask@8k,20k"]),
        (0, &["sessions"]),
        (0, &["policies"]),
        (0, &["policies", "mask"]),
        (0, &["formats"]),
        (0, &["models"]),
        (0, &["db", "tables"]),
        (0, &["db", "tables", "tools"]),
        (0, &["import", &log]),
        (0, &["live", "status"]),
    ] {
        let text = cwl.ok(&[args, &["--json"]].concat());
        for line in text.lines() {
            seen.insert(check(&format!("{args:?}"), line, n_about));
        }
    }
    for (n_about, args) in [
        (1, &["tail", &log, "--json"][..]),
        (0, &["proxy", "--upstream", "http://localhost:9", "--port", "0", "--json"]),
    ] {
        let mut child = cwl.command(args).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        seen.insert(check(args[0], &line, n_about));
    }
    let known: BTreeSet<String> = cwl.ok(&["schema"]).lines().map(str::to_owned).collect();
    assert_eq!(seen, known, "every document of `cwl schema` is printed by a command");
}
