//! ATIF: matching observations with calls, and odd documents.

use cwl_formats::{Format, parse_log};

fn check(steps: &str, expected: &str) {
    let log = format!(r#"{{"schema_version":"ATIF-v1.6","agent":{{}},"steps":{steps}}}"#);
    check_log(&log, expected);
}

fn check_log(log: &str, expected: &str) {
    let (events, problems) = parse_log(Format::Atif, log.as_bytes());
    let shown = crate::show::show(&events, &problems);
    let shown: Vec<&str> = shown.lines().filter(|line| !line.contains("/header outside header")).collect();
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(shown.iter().map(|line| line.trim()).collect::<Vec<_>>(), expected, "{log}");
}

fn step(calls: &[&str], results: &str) -> String {
    let calls: Vec<String> = calls
        .iter()
        .map(|id| format!(r#"{{"tool_call_id":"{id}","function_name":"f","arguments":{{}}}}"#))
        .collect();
    format!(
        r#"[{{"step_id":1,"source":"agent","message":"","tool_calls":[{}],"observation":{{"results":{results}}}}}]"#,
        calls.join(",")
    )
}

fn check_pairs(calls: &[&str], results: &str, expected: &[(&str, &str)]) {
    let log = format!(r#"{{"schema_version":"ATIF-v1.2","agent":{{}},"steps":{}}}"#, step(calls, results));
    let (events, _) = parse_log(Format::Atif, log.as_bytes());
    let found: Vec<(String, String)> = events
        .iter()
        .flat_map(|parsed| parsed.event.body.all_blocks().zip(&parsed.contents))
        .filter_map(|(block, content)| match &block.kind {
            cwl_engine::BlockKind::Result(result) => {
                Some((result.call.as_str().to_owned(), content.text.clone()))
            }
            _ => None,
        })
        .collect();
    let expected: Vec<(String, String)> =
        expected.iter().map(|(call, text)| ((*call).to_owned(), (*text).to_owned())).collect();
    assert_eq!(found, expected, "{log}");
}

#[test]
fn results_find_their_calls() {
    check_pairs(&["a"], r#"[{"source_call_id":"a","content":"1"}]"#, &[("a", "1")]);
    check_pairs(
        &["a", "b"],
        r#"[{"source_call_id":"b","content":"2"},{"source_call_id":"a","content":"1"}]"#,
        &[("b", "2"), ("a", "1")],
    );
    // Without ids, the n-th result answers the n-th call.
    check_pairs(&["a", "b"], r#"[{"content":"1"},{"content":"2"}]"#, &[("a", "1"), ("b", "2")]);
    check_pairs(&["a"], r#"[{"source_call_id":null,"content":"1"}]"#, &[("a", "1")]);
    // One screen after several keystrokes.
    check_pairs(&["a", "b", "c"], r#"[{"content":"screen"}]"#, &[("a", ""), ("b", ""), ("c", "screen")]);
    check_pairs(
        &["a", "b", "c"],
        r#"[{"source_call_id":"b","content":"2"},{"content":"rest"}]"#,
        &[("b", "2"), ("a", ""), ("c", "rest")],
    );
    // More results than calls: an empty result is dropped.
    check_pairs(&["a"], r#"[{"content":"1"},{"content":null}]"#, &[("a", "1")]);
    check_pairs(&["a"], r#"[{"content":"1"},{"content":"2"}]"#, &[("a", "1"), ("1/1", "2")]);
    check_pairs(&["a"], "[]", &[]);
}

#[test]
fn an_observation_without_calls_is_the_harness() {
    check(
        r#"[{"step_id":1,"source":"agent","message":"x","observation":{"results":[{"content":"no such tool"}]}}]"#,
        r#"1 L1/1 <previous Assistant by Model
           0. text "x" …
           1 L1/1/observation <previous User by Harness
           0. text "no such tool" …"#,
    );
}

#[test]
fn the_prompt_of_a_step_counts_never_the_sum() {
    check_log(
        r#"{"schema_version":"ATIF-v1.2","agent":{},"steps":[{"step_id":1,"source":"agent","message":"x","metrics":{"prompt_tokens":100,"completion_tokens":5,"cached_tokens":60}}],"final_metrics":{"total_prompt_tokens":99999}}"#,
        r#"1 L1/1 <previous Assistant by Model usage 40/5/60/0
           0. text "x" …"#,
    );
}

#[test]
fn odd_documents() {
    let odd = |entry: &str, field: &str| {
        format!("! L009 line 1 entry {entry}: `{field}` is missing or has an invalid value")
    };
    check_log(r#"{"schema_version":"ATIF-v1.6","agent":{}}"#, &odd("L1/header", "steps"));
    check_log(
        r#"{"schema_version":"ATIF-v2.0","agent":{},"steps":[]}"#,
        "! L019 line 1 entry L1/header: version 2 of the format is newer than what is known; read as the newest known one",
    );
    check(
        r#"[{"source":"user","message":7,"timestamp":"soon"}]"#,
        &format!(
            "1 L1/1 <previous User by Human\n{}\n{}\n{}",
            odd("L1/1", "step_id"),
            odd("L1/1", "timestamp"),
            odd("L1/1", "message")
        ),
    );
    check_log(
        "[1]",
        "1 L1/header outside opaque array\n! L007 line 1 entry L1/header: a record of unknown type `array`; kept",
    );
}

#[test]
fn subagents_inside_of_each_other_end_somewhere() {
    let mut log = r#"{"steps":[{"step_id":1,"source":"user","message":"x"}]}"#.to_owned();
    for _ in 0..100 {
        log = format!(r#"{{"schema_version":"ATIF-v1.7","steps":[],"subagent_trajectories":[{log}]}}"#);
    }
    let (events, problems) = parse_log(Format::Atif, log.as_bytes());
    assert_eq!(events.len(), 1, "only the header of the outermost");
    assert!(problems.iter().any(|problem| problem.kind.to_string().contains("subagent_trajectories")));
}
