//! `cwl compactions` as people and scripts use it.

use serde_json::Value;

use crate::common::run;

#[test]
fn every_compaction_is_audited() {
    let (code, told, said) = run("compactions", "pi/compacted", &[]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    insta::assert_snapshot!(told);
}

#[test]
fn json_has_the_same() {
    let (_, told, _) = run("compactions", "pi/compacted", &["--json", "--tokenizer", "chars4"]);
    let audited: Value = serde_json::from_str(&told).unwrap();
    assert!(audited["counted_by"].as_str().unwrap().starts_with("chars4"));
    assert_eq!(audited["compactions"].as_array().unwrap().len(), 2);
    assert_eq!(audited["compactions"][0]["needed"]["n_names"], 4);
}

#[test]
fn a_recovery_text_is_printed_alone() {
    let (code, told, said) = run("compactions", "pi/compacted", &["--recovery", "1"]);
    assert_eq!(code, Some(0));
    assert!(told.starts_with("# Taken by the compaction before turn 9"), "{told}");
    assert!(said.contains("4 outputs"), "{said}");
    let (code, told, said) = run("compactions", "pi/compacted", &["--recovery", "7"]);
    assert_eq!((code, told.as_str()), (Some(2), ""));
    assert!(said.contains("no compaction 7") && said.contains("there are 1 to 2"), "{said}");
}

#[test]
fn a_log_without_compactions_says_so() {
    let (code, told, _) = run("compactions", "pi/quickstart", &[]);
    assert_eq!(code, Some(0));
    assert_eq!(told, "no compaction: the log records none on this branch\n");
}
