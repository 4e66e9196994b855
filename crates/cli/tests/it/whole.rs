//! Nothing is lost silently: unread parts are reported, and missing things are errors that list what exists.

use crate::common::{Cwl, sample};

#[test]
fn what_was_not_read_is_said_with_the_way_to_the_list() {
    let cwl = Cwl::new();
    let log = std::fs::read_to_string(sample("quickstart")).unwrap();
    let (first, rest) = log.split_once('\n').unwrap();
    let broken = format!("{first}\n{{half\n{{\"type\":\"brand_new\",\"id\":\"x\"}}\n{rest}");
    cwl.file("broken.jsonl", broken.as_bytes());
    for command in ["replay", "context", "graph"] {
        let output = cwl.run(&[command, "broken.jsonl"]);
        assert!(output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        let line = "cwl: 1 line was skipped (L001), 1 record or part of one is not understood (L007); \
                    `cwl report --problems` lists them\n";
        assert!(said.contains(line), "{command}: {said}");
    }
    let list = cwl.ok(&["report", "--problems", "broken.jsonl"]);
    assert!(list.starts_with("L001 error   line 2"), "{list}");
    assert!(list.contains("L007 warning line 3"), "{list}");
    let output = cwl.run(&["replay", &sample("quickstart")]);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "all of it was read");
}

#[test]
fn a_turn_or_step_that_is_not_there_is_an_error_with_the_range() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let check = |args: &[&str], expected: &str| {
        let mut all = vec![args[0], &log, "--budget", "8k"];
        all.extend(&args[1..]);
        assert_eq!(cwl.refused(&all), format!("cwl: {expected}\n"), "{args:?}");
    };
    let range = "write 1 to 33, or now, which is 34";
    for command in ["context", "evicted", "compare"] {
        check(&[command, "--turn", "900"], &format!("there is no turn 900; {range}"));
        check(&[command, "--turn", "0"], &format!("there is no turn 0; {range}"));
    }
    assert_eq!(
        cwl.refused(&["captured", &log, "--turn", "35"]),
        format!("cwl: there is no turn 35; {range}\n")
    );
    check(
        &["context", "--turn", "1", "--step", "1"],
        "there is no step 1: cwl takes no step at turn 1; write 0 or end",
    );
    check(
        &["context", "--turn", "20", "--step", "9"],
        "there is no step 9: cwl takes 2 steps at turn 20; write 0 to 2, or end",
    );
    for turn in ["1", "33", "34", "now"] {
        cwl.ok(&["context", &log, "--turn", turn]);
    }
    assert!(cwl.refused(&["context", &log, "--turn", "-1"]).contains("write a number or now"));
}

/// A forced format that reads nothing is an error, and nothing is stored.
#[test]
fn a_format_that_reads_nothing_is_an_error() {
    let cwl = Cwl::new();
    let log = std::fs::canonicalize(sample("quickstart")).unwrap().display().to_string();
    let refusal =
        format!("cwl: nothing in it reads as codex; it begins like pi: leave --format out: {log}\n");
    for command in ["report", "import", "tail"] {
        assert_eq!(cwl.refused(&[command, &log, "--format", "codex"]), refusal, "{command}");
    }
    let empty = cwl.file("empty.jsonl", b"");
    for command in ["report", "import", "tail"] {
        let said = cwl.refused(&[command, &empty, "--format", "codex"]);
        assert!(said.contains("there is nothing in it yet"), "{command}: {said}");
    }
    let list: serde_json::Value = serde_json::from_str(&cwl.ok(&["sessions", "--json"])).unwrap();
    assert_eq!(list["rows"], serde_json::json!([]), "nothing is in the store");
    cwl.ok(&["import", &log, "--format", "pi"]);
    assert_eq!(cwl.refused(&["import", &log, "--format", "codex"]), refusal, "also of a log that is stored");
    assert!(cwl.ok(&["import", &log]).contains("33 turns"), "which stays as it was");
}

#[test]
fn an_amount_below_nothing_gets_advice_that_works() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let check = |args: &[&str], expected: &str| {
        let mut all = vec!["replay", log.as_str()];
        all.extend(args);
        assert_eq!(cwl.refused(&all), format!("cwl: {expected}\n"), "{args:?}");
    };
    check(&["--budget", "-1"], "`-1` is no token budget; write 80000, 80k or 50%");
    check(&["--window", "-5k"], "`-5k` is no token budget; write 80000, 80k or 50%");
    check(&["--overhead", "-1"], "`-1` is no overhead; write a number of tokens, as 4200, or auto");
    let sweep = cwl.refused(&["sweep", &log, "--budgets", "-1"]);
    assert!(sweep.starts_with("cwl: `-1` is no token budget"), "{sweep}");
}

#[test]
fn a_pattern_without_a_match_is_exit_code_1() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let code = |pattern: &str, more: &[&str]| {
        let mut args = vec!["evicted", &log, "--budget", "8k", "--grep", pattern];
        args.extend(more);
        cwl.run(&args).status.code()
    };
    assert_eq!(code("FetchOutcome", &[]), Some(0));
    assert_eq!(code("nobody wrote this", &[]), Some(1));
    assert_eq!(code("nobody wrote this", &["--json"]), Some(1));
    assert_eq!(
        cwl.run(&["evicted", &log, "--budget", "900k"]).status.code(),
        Some(0),
        "nothing was searched for"
    );
}

/// A request with more repairs than a screen holds, and with invisible characters.
#[test]
fn a_request_comes_whole_and_its_repairs_fit_a_screen() {
    let cwl = Cwl::new();
    let line = |at: usize| {
        let parent = at.checked_sub(1).map_or("null".to_owned(), |parent| format!("\"u{parent}\""));
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{at}\",\"parentUuid\":{parent},\
             \"message\":{{\"role\":\"user\",\"content\":\"\u{202e}{at}\"}}}}\n"
        )
    };
    cwl.file("many.jsonl", (0..40).map(line).collect::<String>().as_bytes());
    let output = cwl.run(&["context", "many.jsonl", "--format", "claude-code", "--as", "anthropic"]);
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().filter(|line| line.starts_with("cwl: repaired: u")).count(), 20, "{said}");
    assert!(said.ends_with("cwl: and 19 more that were repaired\n"), "{said}");
    let json = String::from_utf8(output.stdout).unwrap();
    assert!(json.contains(r"\u202e39") && !json.contains('\u{202e}'), "{json}");
    let messages: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(messages[0]["content"].as_array().map(Vec::len), Some(40), "{json}");
}
