//! `cwl corpus`: messages, refusals, and private files.

use serde_json::Value;

use crate::common::{Cwl, sample};

#[test]
fn a_corpus_is_made_once_and_says_what_it_did() {
    let cwl = Cwl::new();
    cwl.file("odd.jsonl", b"no log at all\n");
    let log = sample("quickstart");
    let asked = ["corpus", &log, "odd.jsonl", "--out", "tables", "--runs", "cwl,none@4k,8k", "--json"];
    let document = || -> Value { serde_json::from_str(&cwl.ok(&asked)).unwrap() };
    let (first, again) = (document(), document());
    let n = |of: &Value, name: &str| of[name].as_u64().unwrap();
    assert_eq!((n(&first, "n_logs"), n(&first, "n_unread"), n(&first, "n_written")), (2, 1, 1));
    assert_eq!((n(&again, "n_written"), n(&again, "n_kept")), (0, 1));
    assert_eq!(first["tables"], again["tables"]);
    let rows = |name: &str| {
        let tables = first["tables"].as_array().unwrap();
        n(tables.iter().find(|table| table["name"] == name).unwrap(), "n_rows")
    };
    assert_eq!((rows("sessions"), rows("runs")), (2, 3));
    let graph: Value = serde_json::from_str(&cwl.ok(&["graph", &log, "--json"])).unwrap();
    assert_eq!(rows("episodes"), graph["episodes"].as_array().unwrap().len() as u64);
}

#[test]
fn what_does_not_fit_many_sessions_is_refused() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let refused = |args: &[&str], why: &str| {
        let said = cwl.refused(&[&["corpus", &log, "--out", "tables"], args].concat());
        assert!(said.contains(why), "{args:?}: {said}");
    };
    refused(&["--branch", "x"], "--branch names a branch of one session");
    refused(&["--pin", "x"], "--pin is about one session");
    refused(&["--annotation", "mine"], "of one session");
    refused(&["--no-redact"], "--i-know");
    refused(&["--shard", "3/2"], "write I/N");
    refused(&["--runs", "cwl"], "names no budget");
    refused(&["--runs", "cwl@50%"], "window");
    refused(&["no-such-log.jsonl"], "no such file");
    std::fs::create_dir(cwl.dir.path().join("tables")).ok();
    std::fs::write(cwl.dir.path().join("tables/corpus.json"), "{}").unwrap();
    refused(&[], "this is no corpus of this program");
}

#[cfg(unix)]
#[test]
fn the_tables_are_the_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let cwl = Cwl::new();
    cwl.ok(&["corpus", &sample("quickstart"), "--out", "tables"]);
    let mut open = vec![cwl.dir.path().join("tables")];
    while let Some(path) = open.pop() {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
}

#[test]
fn a_report_is_one_page_and_a_choice_is_explained() {
    let cwl = Cwl::new();
    let (log, other) = (sample("quickstart"), sample("forgotten"));
    cwl.ok(&["corpus", &log, &other, "--out", "tables", "--runs", "cwl,mask,none@4k,8k"]);
    cwl.ok(&["corpus", "report", "tables"]);
    let page = std::fs::read_to_string(cwl.dir.path().join("tables/report.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("<h1>2 sessions</h1>"), "{page}");
    assert_eq!(cwl.ok(&["corpus", "report", "tables", "--html", "-"]), page, "the same in every run");
    cwl.ok(&["corpus", "report", "tables"]);
    let said = cwl.refused(&["corpus", "report", "tables", "--html", "tables/key"]);
    assert!(said.contains("it is not written over"), "{said}");
    let said = cwl.refused(&["corpus", "report", "no-such-folder"]);
    assert!(said.contains("this folder is no corpus") && said.contains("--out DIR"), "{said}");

    let text = cwl.ok(&["choose", "tables", "--constraint", "recall>=0"]);
    for part in [
        "under recall>=0:",
        "policy",
        "meets",
        "pi-cwl",
        "clear",
        "Codex",
        "seed 16",
        "too few for the intervals",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = cwl.ok(&["choose", "tables", "--constraint", "recall>1"]);
    assert!(text.contains("nothing is chosen") && !text.contains("Codex"), "{text}");
    let said = cwl.refused(&["choose", "tables", "--constraint", "luck>1"]);
    assert!(said.contains("there is no figure `luck`"), "{said}");
    cwl.ok(&["corpus", &log, "--out", "bare"]);
    let said = cwl.refused(&["choose", "bare"]);
    assert!(said.contains("its table of runs is empty") && said.contains("--runs"), "{said}");
}
