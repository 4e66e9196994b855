//! `cwl lint` as people and scripts use it.

use std::path::Path;

use serde_json::Value;

use crate::common::{Cwl, run};

fn sample(case: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
    std::fs::canonicalize(path).unwrap().display().to_string()
}

#[test]
fn findings_stand_with_their_places() {
    let (code, told, said) = run("lint", "pi/long", &[]);
    assert_eq!(code, Some(0), "findings alone are no failure");
    let first = told.lines().find(|line| line.contains(" P005 ")).unwrap();
    let (place, rest) = first.split_once(": ").unwrap();
    let (file, line) = place.rsplit_once(':').unwrap();
    assert!(file.ends_with("pi/long/input.jsonl") && line.parse::<u32>().is_ok(), "{first}");
    assert!(rest.starts_with("error P005 "), "{first}");
    assert!(said.contains("cwl: 2 errors, ") && said.trim_end().ends_with(" in 1 log"), "{said}");
}

#[test]
fn only_what_is_denied_ends_with_one() {
    let check = |args: &[&str], expected: i32, denied: &str| {
        let (code, _, said) = run("lint", "pi/long", args);
        assert_eq!(code, Some(expected), "{args:?}: {said}");
        assert!(said.contains(denied), "{args:?}: {said}");
    };
    check(&["--deny", "error"], 1, "; 2 denied");
    check(&["--deny", "P011"], 1, "; 1 denied");
    check(&["--deny", "L001"], 0, "");
    check(&["--deny", "error", "--allow", "P001,P005"], 0, "; 2 allowed");
    check(&["--deny", "grave"], 2, "no rule has the code `grave`");
    check(&["--allow", "P999"], 2, "docs/rules.md");
}

#[test]
fn a_baseline_takes_off_what_is_known() {
    let cwl = Cwl::new();
    let log = sample("pi/long");
    let output = cwl.run(&["lint", &log, "--write-baseline", "known.json"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let output = cwl.run(&["lint", &log, "--baseline", "known.json", "--deny", "info"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{said}");
    assert!(said.contains("0 errors, 0 warnings, 0 notes in 1 log") && said.contains("known from"), "{said}");
    assert!(cwl.refused(&["lint", &log, "--baseline", "none.json"]).contains("no such file"));
}

#[test]
fn settings_come_from_the_working_directory_or_a_named_file() {
    let cwl = Cwl::new();
    let log = sample("pi/long");
    std::fs::write(cwl.dir.path().join("cwl.toml"), "[lint]\nallow = [\"Q003\"]\ndeny = [\"P005\"]\n")
        .unwrap();
    let output = cwl.run(&["lint", &log]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(1) && !told.contains(" Q003 "), "{told}");
    std::fs::write(cwl.dir.path().join("mine.toml"), "[lint.Q003]\npoints = 1000\n").unwrap();
    let told = cwl.ok(&["lint", &log, "--config", "mine.toml"]);
    assert!(!told.contains(" Q003 ") && told.contains(" P005 "), "{told}");
    std::fs::write(cwl.dir.path().join("cwl.toml"), "[lint]\n\nallow = 3\n").unwrap();
    let said = cwl.refused(&["lint", &log]);
    assert!(said.contains("line 3: `allow` must be a list of texts; write allow"), "{said}");
    assert!(said.trim_end().ends_with("cwl.toml"), "{said}");
}

#[test]
fn other_forms_have_the_same_findings() {
    let n_lines = run("lint", "pi/long", &[]).1.lines().count();
    let (code, told, _) = run("lint", "pi/long", &["--json"]);
    let found: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((code, &found["schema"]["name"]), (Some(0), &Value::from("lint")));
    assert_eq!(found["logs"][0]["findings"].as_array().unwrap().len(), n_lines);
    let (_, told, _) = run("lint", "pi/long", &["--sarif"]);
    let log: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), n_lines);
    let (_, told, _) = run("lint", "pi/long", &["--github"]);
    assert_eq!(told.lines().count(), n_lines);
    let error = told.lines().find(|line| line.contains("title=P005 ")).unwrap();
    assert!(error.starts_with("::error file=") && error.contains(",line="), "{error}");
}

#[test]
fn of_inferred_episodes_there_are_doubts_which_are_not_denied() {
    let args = ["--annotation", "inferred", "--deny", "Q003,Q001,Q002,Q006,Q008,Q009"];
    let (code, told, said) = run("lint", "pi/long", &args);
    assert_eq!(code, Some(0), "{said}");
    assert!(told.contains(": doubt Q") && said.contains("about inferred episodes"), "{said}");
}
