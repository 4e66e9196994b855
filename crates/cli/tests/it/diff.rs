//! `cwl diff` as people and scripts use it.

use serde_json::Value;

use crate::common::{Cwl, sample};

#[test]
fn a_session_beside_itself_shows_no_difference() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let told = cwl.ok(&["diff", &log, &log]);
    assert!(told.contains("\nthere is no difference\n"), "{told}");
    assert!(!told.contains("Where one does"), "{told}");
}

#[test]
fn a_copy_with_another_edit_parts_there() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let text = std::fs::read_to_string(&log).unwrap();
    let copy = cwl.file("copy.jsonl", text.replace("cargo check", "cargo build").as_bytes());
    let told = cwl.ok(&["diff", &log, &copy, "--limit", "2"]).replace(&log, "LOG");
    insta::assert_snapshot!(told);
    let json: Value = serde_json::from_str(&cwl.ok(&["diff", &log, &copy, "--json"])).unwrap();
    assert_eq!(json["schema"]["name"], "diff");
    let row = &json["rows"][json["parting"]["row"].as_u64().unwrap() as usize];
    assert_eq!(row["differs"], "work");
    let n = |name: &str| json[name].as_u64().unwrap();
    assert_eq!(
        n("n_same") + n("n_texts") + n("n_marks") + n("n_work"),
        json["rows"].as_array().unwrap().len() as u64
    );
}
