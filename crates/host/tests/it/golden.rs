//! Traces of the policies `cwl` and `pi-cwl` equal the golden ones, byte for byte.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cwl_host::api::{TraceAnswer, ViewRequest, ViewSettings};
use cwl_host::{LogInput, ReplayTrace, SessionSnapshot, Tools, commands, load_file, trace, write_spaced};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn load(name: &str) -> SessionSnapshot {
    load_file(&LogInput::File(folder().join(format!("{name}.jsonl"))), None, &Tools::builtin_tables())
        .unwrap()
}

fn request(policy: &str, budget: &str) -> ViewRequest {
    let view = ViewSettings {
        policy: policy.into(),
        budget: budget.into(),
        tokenizer: "chars4".into(),
        overhead: "0".into(),
        annotation: "declared".into(),
        options: BTreeMap::from([("classify_shell".into(), "false".into())]),
        ..ViewSettings::counted("o200k")
    };
    ViewRequest { view }
}

fn check(policy: &str, name: &str, budget: &str) {
    let mut found = Vec::new();
    let (opened, request) = (load(name), request(policy, budget));
    write_spaced(&ReplayTrace::replay(&opened, &request).unwrap(), &mut found).unwrap();
    let read: TraceAnswer = serde_json::from_slice(&found).unwrap();
    assert_eq!(read, trace(&opened, &request).unwrap(), "a trace is the same at once and bit by bit");
    let mut expected = std::fs::read(folder().join(format!("{name}.{policy}.{budget}.json"))).unwrap();
    // The program ends its last line; some golden files do not.
    if expected.last() != Some(&b'\n') {
        expected.push(b'\n');
    }
    if found != expected {
        let at =
            found.iter().zip(&expected).position(|(a, b)| a != b).unwrap_or(found.len().min(expected.len()));
        let around = |bytes: &[u8]| {
            let from = at.saturating_sub(300).min(bytes.len());
            String::from_utf8_lossy(&bytes[from..(at + 200).min(bytes.len())]).into_owned()
        };
        panic!(
            "{policy} on {name} at {budget}: differs at byte {at}\nfound    …{}\nexpected …{}",
            around(&found),
            around(&expected)
        );
    }
}

/// A row per corner case of the published filter, with its session and trace: `corners/NAME.jsonl`.
macro_rules! corners {
    ($($test:ident: $name:literal $budget:literal;)*) => {$(
        #[test]
        fn $test() {
            check("pi-cwl", concat!("corners/", $name), $budget);
        }
    )*};
}

macro_rules! goldens {
    ($($test:ident: $policy:literal $name:literal $budget:literal;)*) => {$(
        #[test]
        fn $test() {
            check($policy, $name, $budget);
        }
    )*};
}

goldens! {
    tame_6000: "cwl" "tame" "6000";
    tame_20000: "cwl" "tame" "20000";
    tame_60000: "cwl" "tame" "60000";
    wild_6000: "cwl" "wild" "6000";
    wild_20000: "cwl" "wild" "20000";
    wild_60000: "cwl" "wild" "60000";
    broken_6000: "cwl" "broken" "6000";
    broken_20000: "cwl" "broken" "20000";
    broken_60000: "cwl" "broken" "60000";
    pi_cwl_tame_6000: "pi-cwl" "tame" "6000";
    pi_cwl_tame_20000: "pi-cwl" "tame" "20000";
    pi_cwl_tame_60000: "pi-cwl" "tame" "60000";
    pi_cwl_wild_6000: "pi-cwl" "wild" "6000";
    pi_cwl_wild_20000: "pi-cwl" "wild" "20000";
    pi_cwl_wild_60000: "pi-cwl" "wild" "60000";
    pi_cwl_broken_6000: "pi-cwl" "broken" "6000";
    pi_cwl_broken_20000: "pi-cwl" "broken" "20000";
    pi_cwl_broken_60000: "pi-cwl" "broken" "60000";
}

corners! {
    pi_cwl_dependencies_of_mixed_types: "deps-mixed-types" "5";
    pi_cwl_empty_branch_summary: "empty-branch-summary" "5";
    pi_cwl_empty_reply_in_a_removed_range: "empty-reply-in-removed-range" "5";
    pi_cwl_empty_reply_before_a_compaction: "error-reply-empty-then-compaction" "5";
    pi_cwl_unknown_action: "event-action-unknown" "5";
    pi_cwl_no_name: "event-name-missing" "5";
    pi_cwl_event_of_an_mcp_tool: "event-on-mcp-delimiter" "5";
    pi_cwl_event_of_another_tool: "event-on-other-tool" "5";
    pi_cwl_excluded_command: "excluded-bash" "5";
    pi_cwl_kept_entry_off_the_branch: "kept-entry-off-branch" "5";
    pi_cwl_loop_command: "loop-command" "5";
    pi_cwl_name_used_again_as_an_act: "name-reused-as-new-dependent" "400";
    pi_cwl_name_used_again_twice: "name-reused-twice" "796";
    pi_cwl_no_recorded_events: "no-recorded-events" "5";
    pi_cwl_redacted_thinking: "redacted-thinking" "5";
    pi_cwl_result_of_another_name: "result-toolname-differs" "5";
}

/// Replays a corner case by `cwl` at a budget of 5. Expects the log's problems, each episode as
/// `name[dependencies] level` (`+` if open), and the final number of tokens.
fn check_cwl(name: &str, problems: &[&str], episodes: &[&str], after: u64) {
    let opened = load(&format!("corners/{name}"));
    let session = commands::session(&opened).unwrap();
    let codes: Vec<&str> = session.problems.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(codes, problems, "{name}: problems");
    let trace = trace(&opened, &request("cwl", "5")).unwrap();
    let all = trace.episodes.unwrap();
    let all: Vec<String> = all
        .iter()
        .map(|it| {
            format!("{}[{}] {}{}", it.name, it.deps.join(","), it.level, if it.closed { "" } else { "+" })
        })
        .collect();
    assert_eq!(all, episodes, "{name}: episodes");
    assert_eq!(trace.turns.last().unwrap().tokens_after, after, "{name}: tokens");
}

#[test]
fn corners_of_cwl() {
    // `p` is one token, `[a] what was learned here` seven.
    check_cwl("cwl-second-result-succeeds", &["L017"], &["a[] 4"], 8);
    check_cwl("cwl-event-null", &[], &["f[] 4"], 8);
    check_cwl("cwl-blank-description", &["P008"], &["a[] 4"], 1);
    check_cwl("cwl-empty-name", &["P012", "P002"], &[], 140);
    check_cwl("cwl-result-before-call", &["L015", "L016", "P002"], &[], 139);
    check_cwl("deps-mixed-types", &["P012", "P011"], &["a[] 4", "x[a] 0+"], 29);
    check_cwl("kept-entry-off-branch", &["L013"], &[], 2);
    check_cwl("loop-command", &[], &[], 1);
    check_cwl("excluded-bash", &[], &[], 1);
    check_cwl("redacted-thinking", &[], &[], 2);
}
