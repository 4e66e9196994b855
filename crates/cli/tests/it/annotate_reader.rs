//! `cwl annotate --reader`, with scripts that play a reader.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Cwl, sample};

/// Clean marks of the sample `claude-code/compaction`.
const GOOD: &str = r#"{"episodes": [
  {"name": "look", "type": "expl", "first": 4, "last": 19, "description": "The pool keeps idle connections."},
  {"name": "fix", "type": "act", "first": 21, "last": 29, "dependencies": ["look"]},
  {"name": "note", "type": "act", "first": 34, "last": 40, "dependencies": []}]}"#;
/// Leaves out the calls of the last episode, and a description.
const BAD: &str = r#"{"episodes": [
  {"name": "look", "type": "expl", "first": 4, "last": 19},
  {"name": "fix", "type": "act", "first": 21, "last": 29, "dependencies": ["look"]}]}"#;

fn log() -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    samples.join("claude-code/compaction/input.jsonl").display().to_string()
}

/// Runs `cwl annotate LOG --reader` with a shell script as the reader. The script finds its files in `$AT`.
fn read_with(cwl: &Cwl, log: &str, script: &str, args: &[&str]) -> Output {
    cwl.file("good.json", GOOD.as_bytes());
    cwl.file("bad.json", BAD.as_bytes());
    cwl.file("reader.sh", script.as_bytes());
    let reader = format!("sh '{}'", cwl.dir.path().join("reader.sh").display());
    let mut command = cwl.command(&["annotate", log, "--reader", &reader]);
    command.args(args).env("AT", cwl.dir.path()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a script that must give marks that are saved, and returns what was said.
fn saved_by(cwl: &Cwl, log: &str, script: &str, args: &[&str]) -> String {
    let output = read_with(cwl, log, script, args);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{script}: {said}");
    assert!(said.contains("saved: "), "{script}: {said}");
    said
}

/// Runs a script that must give none, and returns what was said.
fn refused_from(cwl: &Cwl, script: &str, args: &[&str]) -> String {
    let output = read_with(cwl, &log(), script, args);
    let said = said(&output);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{script}: {said}");
    assert_eq!(cwl.ok(&["annotate", &log(), "--list"]), "", "{script}");
    said
}

fn text(cwl: &Cwl, name: &str) -> String {
    std::fs::read_to_string(cwl.dir.path().join(name)).unwrap_or_default()
}

#[test]
fn a_good_answer_is_saved_under_the_name_of_the_command() {
    let cwl = Cwl::new();
    let script = "cat > \"$AT/prompt\"; pwd > \"$AT/folder\"; ls -A > \"$AT/files\"; cat \"$AT/good.json\"";
    let said = saved_by(&cwl, &log(), script, &[]);
    assert!(said.contains("1 prompt, ") && said.contains("redacted"), "{said}");
    assert!(said.contains("saved: 3 episodes as sh, with 6 of 6 calls"), "{said}");
    assert_eq!(cwl.ok(&["annotate", &log(), "--list"]), "sh  3 marks, by sh\n");
    let prompt = text(&cwl, "prompt");
    assert!(prompt.starts_with("How to mark the episodes of this session\n"), "{prompt}");
    assert!(prompt.contains("\nturn 10, lines 23 to 24\n") && !prompt.contains("/home/dev"), "{prompt}");
    let folder = text(&cwl, "folder");
    assert_ne!(folder.trim(), cwl.dir.path().display().to_string());
    assert_eq!(text(&cwl, "files"), "", "the reader starts in an empty folder");
    assert!(!Path::new(folder.trim()).exists(), "the folder is gone afterwards");
    let marks: Value = serde_json::from_str(&cwl.ok(&["annotate", &log(), "--export", "sh"])).unwrap();
    for hash in ["guide_hash", "brief_hash"] {
        assert_eq!(marks[hash].as_str().unwrap().len(), 64, "{marks}");
    }
    saved_by(&cwl, &log(), script, &["--name", "second", "--by", "Ada"]);
    assert!(cwl.ok(&["annotate", &log(), "--list"]).contains("second  3 marks, by Ada\n"));
}

#[test]
fn problems_go_back_with_the_answer() {
    let cwl = Cwl::new();
    let script = "cat > \"$AT/prompt\"; echo x >> \"$AT/tries\"
        if grep -q '^This is wrong with it:' \"$AT/prompt\"; then cat \"$AT/good.json\"; else cat \"$AT/bad.json\"; fi";
    saved_by(&cwl, &log(), script, &[]);
    assert_eq!(text(&cwl, "tries").lines().count(), 2);
    let prompt = text(&cwl, "prompt");
    assert!(prompt.contains(BAD), "{prompt}");
    for line in [
        "1. line 4: mark 1 (look): it has no `description`",
        "2. line 36: 1 call on line 36 belongs to no episode",
    ] {
        assert!(prompt.contains(&format!("\n{line}")), "{line}: {prompt}");
    }
}

#[test]
fn an_answer_may_stand_in_prose() {
    let cwl = Cwl::new();
    let script = "cat > /dev/null; echo 'I looked {closely}:'; echo '```json'; cat \"$AT/good.json\"; echo; echo '```'; echo Done.";
    saved_by(&cwl, &log(), script, &[]);
    // A reader that does not read to the end is as good as another.
    saved_by(&cwl, &log(), "cat \"$AT/good.json\"", &["--name", "quick"]);
}

#[test]
fn three_bad_answers_leave_a_draft() {
    let cwl = Cwl::new();
    let said = refused_from(&cwl, "cat > /dev/null; echo x >> \"$AT/tries\"; cat \"$AT/bad.json\"", &[]);
    assert_eq!(text(&cwl, "tries").lines().count(), 3);
    assert!(said.contains("line 4: mark 1 (look): it has no `description`"), "{said}");
    let draft = said.split("its last answer is in ").nth(1).unwrap().split(';').next().unwrap();
    let marks: Value = serde_json::from_str(&std::fs::read_to_string(draft).unwrap()).unwrap();
    assert_eq!(marks["episodes"][0]["name"], "look");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(draft).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let said = refused_from(&cwl, "cat > /dev/null; echo 'I cannot do that.'", &[]);
    assert!(said.contains("the marks are no JSON"), "{said}");
    let draft = said.split("its last answer is in ").nth(1).unwrap().split(';').next().unwrap();
    assert_eq!(std::fs::read_to_string(draft).unwrap(), "I cannot do that.\n");
}

#[test]
fn a_command_that_fails_is_told() {
    let cwl = Cwl::new();
    let said = refused_from(&cwl, "echo 'no such model' >&2; exit 7", &[]);
    assert!(said.contains("the reader failed (") && said.contains("no such model"), "{said}");
    assert!(said.contains("it gave no answer"), "{said}");
    let said = cwl.refused(&["annotate", &log(), "--reader", "no-such-reader-at-all -p"]);
    assert!(said.contains("the reader no-such-reader-at-all does not start"), "{said}");
    let said = cwl.refused(&["annotate", &log(), "--reader", "sh 'x"]);
    assert!(said.contains("a quote or a backslash has no end"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_command_that_hangs_is_ended_with_all_that_it_started() {
    let cwl = Cwl::new();
    let begun = Instant::now();
    let said = refused_from(&cwl, "sleep 600 & echo $! > \"$AT/process\"; sleep 600", &["--time-limit", "1"]);
    assert!(said.contains("the reader took longer than 1 s and was ended"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(300));
    let process = text(&cwl, "process").trim().to_owned();
    let is_there = || {
        let state = Command::new("ps").args(["-o", "stat=", "-p", &process]).output().unwrap();
        // A zombie that was not waited for yet is gone.
        !matches!(String::from_utf8_lossy(&state.stdout).trim().chars().next(), None | Some('Z'))
    };
    let deadline = Instant::now() + Duration::from_secs(300);
    while is_there() {
        assert!(Instant::now() < deadline, "{process} goes on");
        std::thread::yield_now();
    }
}

#[test]
fn a_dry_run_starts_nothing_and_says_what_would_go() {
    let cwl = Cwl::new();
    let output = read_with(&cwl, &log(), "echo x > \"$AT/started\"", &["--dry-run"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.starts_with("1 prompt, ") && told.contains(" tokens: the guide and a brief"), "{told}");
    assert!(told.contains("with secrets, names and paths redacted"), "{told}");
    assert!(!cwl.dir.path().join("started").exists());
    assert_eq!(cwl.ok(&["annotate", &log(), "--list"]), "");
}

#[test]
fn secrets_are_redacted_unless_the_user_says_otherwise() {
    let cwl = Cwl::new();
    let log = std::fs::read_to_string(log()).unwrap();
    let log = log.replacen("The nightly poll", "The password=Tr0ub4dor&3xyz9. The nightly poll", 1);
    let log = cwl.file("session.jsonl", log.as_bytes());
    let script = "cat > \"$AT/prompt\"; cat \"$AT/good.json\"";
    saved_by(&cwl, &log, script, &["--redact"]);
    assert!(!text(&cwl, "prompt").contains("Tr0ub4dor"));
    let said = cwl.refused(&["annotate", &log, "--reader", "sh x", "--no-redact"]);
    assert!(said.contains("--i-know"), "{said}");
    let said = saved_by(&cwl, &log, script, &["--no-redact", "--i-know", "--name", "plain"]);
    assert!(text(&cwl, "prompt").contains("Tr0ub4dor") && said.contains("NOT redacted"), "{said}");
}

/// The script marks the turns of each part as one act, from the lines that the prompt shows.
#[test]
fn a_long_session_goes_to_the_reader_in_parts() {
    let cwl = Cwl::new();
    let script = r#"cat > "$AT/prompt"; echo x >> "$AT/tries"
        grep -c '^The marks so far\|The marks so far:' "$AT/prompt" >> "$AT/so-far"
        awk '/^turn [0-9]/ { gsub(",", ""); last = $5 == "to" ? $6 : $4; if (!first) first = $4 }
            END { printf "{\"episodes\": [{\"name\": \"from-%s\", \"type\": \"act\", \"first\": %s, \"last\": %s, \"dependencies\": []}]}", first, first, last }' "$AT/prompt""#;
    let said = saved_by(&cwl, &sample("long"), script, &["--part-tokens", "1"]);
    let n_parts = text(&cwl, "tries").lines().count();
    assert!(n_parts > 2, "{n_parts} parts: {said}");
    assert!(said.contains(&format!("{n_parts} prompts, ")), "{said}");
    assert!(said.contains(&format!("saved: {n_parts} episodes as sh")), "{said}");
    let so_far: Vec<String> = text(&cwl, "so-far").lines().map(str::to_owned).collect();
    assert_eq!((so_far[0].as_str(), so_far[1].as_str()), ("0", "1"));
}
