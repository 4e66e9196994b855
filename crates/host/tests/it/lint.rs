//! Lint of the samples: all findings in one list, and as SARIF.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use cwl_host::api::{
    BudgetOrigin, EditMarksRequest, LintAnswer, LintCounts, LintFinding, ViewRequest, ViewSettings,
};
use cwl_host::{
    Baseline, LintConfig, LogInput, Tools, commands, lint_log, lint_report, load_file, sarif_report,
};
use serde_json::{Value, json};

use crate::common::{Log, end, reply, result, start, user};

fn sample(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl")
}

fn lint(case: &str, view: ViewSettings) -> LintAnswer {
    let opened = load_file(&LogInput::File(sample(case)), None, &Tools::builtin_tables()).unwrap();
    commands::lint(&opened, &ViewRequest { view }).unwrap()
}

fn told(found: &LintAnswer) -> String {
    let mut text = String::new();
    let mut n_of: BTreeMap<&str, usize> = BTreeMap::new();
    found.findings.iter().for_each(|one| *n_of.entry(&one.code).or_insert(0) += 1);
    writeln!(text, "{n_of:?} {:?}", found.counts).unwrap();
    for one in found.findings.iter().filter(|one| one.code.starts_with('Q')) {
        let LintFinding { code, severity, line, strength, cost, evidence, message, .. } = one;
        let (line, strength) = (line.unwrap(), strength.unwrap());
        let cost = cost.map(|cost| format!(" costs {cost}")).unwrap_or_default();
        let evidence: Vec<String> = evidence.iter().map(|place| place.line.to_string()).collect();
        writeln!(text, "{line}: {severity} {code} ({strength}{cost}) {message} [{}]", evidence.join(" "))
            .unwrap();
    }
    text
}

#[test]
fn findings_of_the_samples() {
    let mut text = String::new();
    let small = || ViewSettings { budget: "12k".into(), ..ViewSettings::counted("o200k") };
    for (case, view) in [
        ("pi/quickstart", ViewSettings::counted("o200k")),
        ("pi/quickstart", small()),
        ("pi/long", ViewSettings::counted("o200k")),
        ("claude-code/unmarked", small()),
    ] {
        writeln!(text, "== {case} at {}", view.budget).unwrap();
        text += &told(&lint(case, view));
    }
    insta::assert_snapshot!(text);
}

/// Applies the suggestion of each rule's first finding, and checks that the finding disappears.
fn check_settled(log: PathBuf, budget: &str, codes: &[&str]) {
    let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
    let lint = |annotation: String| {
        let view = ViewSettings { annotation, budget: budget.into(), ..ViewSettings::counted("o200k") };
        commands::lint(&opened, &ViewRequest { view }).unwrap()
    };
    let found = lint("declared".to_owned());
    let key = |one: &LintFinding| (one.code.clone(), one.name.clone(), one.on);
    let mut asked: BTreeMap<&str, &LintFinding> = BTreeMap::new();
    for one in found.findings.iter().filter(|one| !one.edits.is_empty()) {
        asked.entry(&one.code).or_insert(one);
    }
    for code in codes {
        assert!(asked.contains_key(code), "{code}: {:?}", asked.keys());
    }
    for one in asked.into_values() {
        let annotation = "declared".to_owned();
        let view = ViewSettings { annotation, budget: budget.into(), ..ViewSettings::counted("o200k") };
        let request = EditMarksRequest { view, edits: one.edits.clone() };
        let edited = commands::edit_marks(&opened, &request).unwrap();
        let after = lint(serde_json::to_string(&edited.after).unwrap());
        assert!(!after.findings.iter().any(|other| key(other) == key(one)), "{}: {}", one.code, one.message);
    }
}

#[test]
fn a_change_that_a_finding_suggests_settles_it() {
    check_settled(sample("pi/long"), "80k", &["Q003"]);
    check_settled(sample("pi/forgotten"), "900", &["Q007"]);
}

#[test]
fn a_task_that_changes_inside_an_episode_is_split_where_the_human_speaks() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = Log::new(dir.path().join("two-tasks.jsonl"));
    log.header("s-1");
    log.add(user("Please make the retries back off."));
    let open = json!({"action": "start", "name": "fix-retries", "type": "act"});
    log.add(reply("Now the change.", &[("d1", "delimiter", open)]));
    log.add(start("d1", "fix-retries", "act", None));
    let edit = |log: &mut Log, id: &str, path: &str| {
        log.add(reply("Editing.", &[(id, "edit", json!({"path": path}))]));
        log.add(result(id, "edit", "ok"));
    };
    edit(&mut log, "e1", "src/retry.rs");
    edit(&mut log, "e2", "src/backoff.rs");
    log.add(user("And now please change the colours of the page."));
    edit(&mut log, "e3", "ui/page.css");
    log.add(reply("Done.", &[("d2", "delimiter", json!({"action": "end"}))]));
    log.add(end("d2", "fix-retries", "act", None));
    check_settled(log.path, "80k", &["Q011"]);
}

#[test]
fn all_kinds_are_in_one_list() {
    let found = lint("pi/long", ViewSettings { budget: "20k".into(), ..ViewSettings::counted("o200k") });
    for letter in ['P', 'Q', 'V'] {
        assert!(found.findings.iter().any(|one| one.code.starts_with(letter)), "{letter}");
    }
    assert_eq!(found.counts, LintCounts::from_findings(&found.findings));
    for one in &found.findings {
        assert!(found.codes.iter().any(|code| code.code == one.code), "{} is explained", one.code);
        assert!(one.block.is_none() || one.turn.is_some(), "{one:?} has a turn");
    }
}

#[test]
fn of_inferred_episodes_they_are_doubts_and_no_warnings() {
    let log = sample("pi/long");
    let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
    let view = ViewSettings { annotation: "inferred".into(), ..ViewSettings::counted("o200k") };
    let found = commands::lint(&opened, &ViewRequest { view }).unwrap();
    let doubts = || found.findings.iter().filter(|one| one.code.starts_with('Q'));
    assert!(doubts().count() > 0 && doubts().all(|one| one.doubt && one.severity.to_string() == "info"));
    assert_eq!(found.counts.doubts as usize, doubts().count());
    assert!(
        !doubts().any(|one| ["Q007", "Q010", "Q012"].contains(&one.code.as_str())),
        "no words of an agent"
    );
}

/// Validates a value against the parts of JSON Schema that SARIF's schema uses.
fn check_schema(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    if let Some(target) = schema["$ref"].as_str() {
        let target = root.pointer(target.trim_start_matches('#')).unwrap();
        return check_schema(root, target, value, at, faults);
    }
    for kind in ["anyOf", "oneOf"] {
        let Some(choices) = schema[kind].as_array() else { continue };
        let fits = |choice: &&Value| {
            let mut of_choice = Vec::new();
            check_schema(root, choice, value, at, &mut of_choice);
            of_choice.is_empty()
        };
        let n_fit = choices.iter().filter(fits).count();
        if n_fit == 0 || kind == "oneOf" && n_fit > 1 {
            faults.push(format!("{at} fits {n_fit} of {kind}"));
        }
    }
    let is_type = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other} is not understood"),
    };
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_type(name)) {
        faults.push(format!("{at} is no {types:?}"));
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        faults.push(format!("{at} is none of {values:?}"));
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_i64(), value.as_i64())
        && number < least
    {
        faults.push(format!("{at} is less than {least}"));
    }
    if let Some(items) = value.as_array() {
        if (items.len() as u64) < schema["minItems"].as_u64().unwrap_or(0) {
            faults.push(format!("{at} has too few items"));
        }
        let is_twice = |at: usize| items[..at].contains(&items[at]);
        if schema["uniqueItems"] == true && (0..items.len()).any(is_twice) {
            faults.push(format!("{at} has an item twice"));
        }
        for (number, item) in items.iter().enumerate() {
            check_schema(root, &schema["items"], item, &format!("{at}/{number}"), faults);
        }
    }
    let Some(members) = value.as_object() else { return };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !members.contains_key(name) {
            faults.push(format!("{at} has no {name}"));
        }
    }
    for (name, member) in members {
        let at = format!("{at}/{name}");
        match (&schema["properties"][name], &schema["additionalProperties"]) {
            (Value::Null, Value::Bool(false)) => faults.push(format!("{at} is not known")),
            (Value::Null, Value::Object(_)) => {
                check_schema(root, &schema["additionalProperties"], member, &at, faults);
            }
            (Value::Null, _) => {}
            (known, _) => check_schema(root, known, member, &at, faults),
        }
    }
}

#[test]
fn sarif_is_as_its_schema_says() {
    let schema = include_str!("../sarif/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let config = LintConfig::default();
    let mut logs = Vec::new();
    for case in ["pi/long", "claude-code/torn-tree", "claude-code/unmarked"] {
        let opened = load_file(&LogInput::File(sample(case)), None, &Tools::builtin_tables()).unwrap();
        let view = ViewSettings { budget: "12k".into(), ..ViewSettings::counted("o200k") };
        let about = commands::about(&opened, &view, BudgetOrigin::User).unwrap();
        logs.push(lint_log(&opened, &format!("logs/{case} x.jsonl"), &view, &about, &config).unwrap());
    }
    let report = lint_report(logs, &config, &Baseline::default());
    let written = sarif_report(&report);
    let mut faults = Vec::new();
    check_schema(&schema, &schema, &written, "", &mut faults);
    assert_eq!(faults, Vec::<String>::new());
    let results = written["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), report.logs.iter().map(|log| log.findings.len()).sum::<usize>());
    for result in results {
        let rule =
            &written["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    // The validator itself finds faults.
    let broken = serde_json::json!({"version": "2.0", "runs": [{"tool": {"driver": {}}, "colour": 1}]});
    check_schema(&schema, &schema, &broken, "", &mut faults);
    assert_eq!(faults.len(), 3, "{faults:?}");
}
