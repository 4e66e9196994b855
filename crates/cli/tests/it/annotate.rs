//! `cwl annotate`: the brief, and marks saved and found by name.

use std::path::Path;

use serde_json::Value;

use crate::common::Cwl;

/// Marks of the sample `claude-code/compaction`, with one odd mark.
const MARKS: &str = r#"{"made_by": "someone else", "episodes": [
  {"name": "read-log", "type": "expl", "first": 4, "last": 12, "description": "Every slow poll ends after 30 s."},
  {"name": "fix-pool", "type": "act", "first": 21, "last": 28, "dependencies": ["read-log", "never-made"]},
  {"name": "beyond", "type": "act", "first": 900, "last": 901}]}"#;

fn log() -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    samples.join("claude-code/compaction/input.jsonl").display().to_string()
}

#[test]
fn marks_are_saved_and_found_by_their_name() {
    let cwl = Cwl::new();
    let (log, marks) = (log(), cwl.file("look.json", MARKS.as_bytes()));
    assert_eq!(cwl.ok(&["annotate", &log, "--list"]), "", "nothing is saved yet");
    let said = cwl.refused(&["graph", &log, "--annotation", "second"]);
    assert!(said.contains("no marks are stored as `second`"), "{said}");

    let strict = ["annotate", &log, "--apply", &marks, "--name", "second", "--by", "Ada"];
    let said = cwl.refused(&strict);
    let odd = [
        "line 13: 1 call on line 16 belongs to no episode",
        "line 900: mark 3 (beyond): ",
        "line 900: mark 3 (beyond): it has no `dependencies`",
        "line 21: mark 2 (fix-pool): ",
        "never-made",
    ];
    let odd: Vec<&str> = odd.into_iter().map(|part| part.trim_start_matches("line 13: ")).collect();
    for part in odd.iter().chain(&["nothing was saved: ", "--partial"]) {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(cwl.ok(&["annotate", &log, "--list"]), "", "nothing is saved in half");
    let applied = cwl.run(&[&strict[..], &["--partial"]].concat());
    let said = String::from_utf8(applied.stderr).unwrap();
    for part in odd.iter().chain(&["saved: 2 episodes as second, with 4 of 6 calls"]) {
        assert!(said.contains(part), "{part}: {said}");
    }
    let gains = String::from_utf8(applied.stdout).unwrap();
    assert!(applied.status.success(), "{said}");
    assert!(gains.trim_start().starts_with("budget") && gains.lines().count() == 4, "{gains}");
    cwl.ok(&["annotate", &log, "--apply", &marks, "--partial"]);
    assert_eq!(
        cwl.ok(&["annotate", &log, "--list"]),
        "look  3 marks, by someone else\nsecond  3 marks, by Ada\n"
    );

    let graph: Value =
        serde_json::from_str(&cwl.ok(&["graph", &log, "--annotation", "second", "--json"])).unwrap();
    let named =
        |name: &str| graph["episodes"].as_array().unwrap().iter().any(|episode| episode["name"] == name);
    assert!(named("read-log") && named("fix-pool") && !named("beyond"), "{graph}");
    // Marks are still found once the log is in the store.
    cwl.ok(&["import", &log]);
    assert_eq!(cwl.ok(&["graph", &log, "--annotation", "second"]).matches("fix-pool").count(), 1);

    let exported: Value = serde_json::from_str(&cwl.ok(&["annotate", &log, "--export", "second"])).unwrap();
    assert_eq!((&exported["made_by"], exported["episodes"].as_array().unwrap().len()), (&"Ada".into(), 3));
    cwl.ok(&["annotate", &log, "--delete", "second"]);
    assert_eq!(cwl.ok(&["annotate", &log, "--list"]), "look  3 marks, by someone else\n");
}

#[test]
fn what_cannot_be_saved_is_refused_in_words() {
    let cwl = Cwl::new();
    let log = log();
    let marks = cwl.file("look.json", MARKS.as_bytes());
    let elsewhere =
        cwl.file("elsewhere.json", br#"{"episodes":[{"name":"a","type":"act","first":900,"last":901}]}"#);
    let other = cwl.file("other.json", b"[1]");
    let check = |args: &[&str], expected: &str| {
        let mut all = vec!["annotate", log.as_str()];
        all.extend(args);
        let said = cwl.refused(&all);
        assert!(said.contains(expected), "{args:?}: {said}");
    };
    check(&["--apply", &elsewhere, "--partial"], "these marks give no episode; line 900");
    check(&["--apply", &elsewhere], "line 900: mark 1 (a): line 900 is outside the log");
    check(&["--apply", &other], "not of the known form");
    check(&["--apply", "gone.json"], "the marks cannot be read");
    check(&["--apply", &marks, "--partial", "--name", "inferred"], "marks cannot be called `inferred`");
    check(&["--apply", &marks, "--partial", "--name", "a/b"], "marks cannot be called `a/b`");
    check(&["--reader", "x", "--partial"], "cannot be used with");
    check(&["--apply", &marks, "--dry-run"], "cannot be used with");
    check(&["--export", "nothing"], "no marks are stored as `nothing`");
    check(&["--delete", "nothing"], "no marks are stored as `nothing`");
    check(&["--brief", "--page", "9"], "no page 9");
    check(&[], "required");
    check(&["--brief", "--list"], "cannot be used with");
}

#[test]
fn the_brief_has_the_guide_on_its_first_page() {
    let page = Cwl::new().ok(&["annotate", &log(), "--brief"]);
    assert!(page.starts_with("How to mark the episodes of this session\n"), "{page}");
    assert!(
        page.contains("\nturn 10, lines 23 to 24\n  23 call Edit: ~/tidewater/src/ingest/fetcher.rs"),
        "{page}"
    );
}
