//! `cwl reacquisitions` as people and scripts use it.

use serde_json::Value;

use crate::common::run;

#[test]
fn every_reacquisition_is_told_with_its_cause() {
    let (code, told, said) = run("reacquisitions", "pi/long", &["--limit", "8"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    insta::assert_snapshot!(told);
}

#[test]
fn marks_that_forget_something_are_told_what_would_have_helped() {
    let (code, told, _) = run("reacquisitions", "pi/forgotten", &["--budget", "900"]);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(told);
}

#[test]
fn inferred_episodes_are_called_so() {
    let (code, told, _) = run("reacquisitions", "claude-code/unmarked", &["--budget", "6k"]);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(told);
}

#[test]
fn json_has_all_of_them() {
    let (_, told, _) = run("reacquisitions", "pi/long", &["--json", "--tokenizer", "chars4"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["schema"]["name"], "reacquisitions");
    let stories = told["stories"].as_array().unwrap();
    assert_eq!(stories.len() as u64, told["n_stories"].as_u64().unwrap());
    let sum: u64 =
        told["causes"].as_array().unwrap().iter().map(|sum| sum["n_stories"].as_u64().unwrap()).sum();
    assert_eq!(sum, told["n_stories"].as_u64().unwrap(), "each has one cause");
}

#[test]
fn a_session_in_which_nothing_was_got_again_says_so() {
    let (code, told, _) = run("reacquisitions", "pi/quickstart", &[]);
    assert_eq!(code, Some(0));
    assert_eq!(told, "nothing was read again after cwl had evicted it\n");
}
