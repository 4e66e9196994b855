//! `cwl captured` as people and scripts use it.

use crate::common::run;

#[test]
fn captured_requests_are_beside_what_the_log_gives() {
    let (code, told, said) = run("captured", "claude-code/captured", &["--turn", "3"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    insta::assert_snapshot!(told);
    let (_, told, _) = run("captured", "claude-code/captured", &["--turn", "4"]);
    assert!(told.contains("no request of turn 4 was captured"), "{told}");
    let (_, told, _) = run("captured", "claude-code/captured", &["--json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&told).unwrap()["turns"][1]["n_tools"], 2);
}

#[test]
fn without_captured_requests_the_way_to_them_is_said() {
    let (code, told, _) = run("captured", "claude-code/quickstart", &[]);
    assert_eq!(code, Some(0));
    assert!(told.contains("no captured bodies lie beside this log") && told.contains("--bodies"), "{told}");
    let (_, told, _) = run("report", "claude-code/quickstart", &[]);
    assert!(!told.contains("Captured"), "{told}");
    let (_, told, _) = run("report", "claude-code/captured", &[]);
    assert!(told.contains("3 of 4 captured requests are of a turn here"), "{told}");
}

#[test]
fn requests_of_a_trace_of_codex_are_read_too() {
    let (code, told, said) = run("captured", "codex/traced", &["--turn", "2"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    insta::assert_snapshot!(told);
}
