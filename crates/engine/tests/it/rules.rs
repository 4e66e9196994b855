//! Rules of clearing that harnesses and providers ship: presets of `mask`, and `dedup`.

use crate::common::told::{play_with_texts, timed, told};
use crate::common::{call, play_policy, reasoning, text};
use cwl_engine::testing::{LogBuilder, Part};

fn with(id: &str, tool: &str, arguments: &str) -> Part {
    Part::CallWith(id.into(), tool.into(), arguments.into())
}

#[track_caller]
fn check(log: &LogBuilder, policy: &str, budget: u64, settings: &[(&str, &str)], expected: &[&str]) {
    let played = play_policy(policy, log, budget, settings);
    assert_eq!(told(&played), expected, "{policy} {settings:?} at {budget}: {}", played.dump());
}

/// Five calls with arguments of 100 and outputs of 100, `c1` to `c5`, each in a turn of its own.
fn calls() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task");
    for (id, tool) in
        [("c1", "read"), ("c2", "mcp__web__fetch"), ("c3", "read"), ("c4", "read"), ("c5", "read")]
    {
        log.step(&[with(id, tool, &"a".repeat(100))], 100);
    }
    log
}

#[test]
fn clear_tool_uses_has_all_its_parameters() {
    let policy = "claude-code-clearing";
    check(&calls(), policy, 1, &[], &["5: c1", "6: c2"]);
    check(&calls(), policy, 1, &[("keep", "4")], &["6: c1"]);
    // Five calls and five outputs are 1,035 tokens; the trigger counts in the place of τ.
    check(&calls(), policy, 1, &[("trigger", "2000")], &[]);
    check(&calls(), policy, 1_000_000, &[("trigger", "900")], &["6: c1 c2"]);
    check(&calls(), policy, 1, &[("clear_at_least", "150")], &["6: c1 c2"]);
    check(&calls(), policy, 1, &[("exclude_tools", "read")], &[]);
    check(&calls(), policy, 1, &[("keep", "1"), ("exclude_tools", "fetch")], &["4: c1", "5: c3", "6: c4"]);
    check(&calls(), policy, 1, &[("clear_inputs", "1")], &["5: c1 c1()", "6: c2 c2()"]);
}

/// Three replies with reasoning `e2:0`, `e4:0` and `e7:0`, the last after the human spoke again.
fn thoughts(human: &str) -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task");
    log.step(&[reasoning(30), call("c1", "read")], 50).step(&[reasoning(30), call("c2", "read")], 50);
    if human.is_empty() {
        log.injected("go on")
    } else {
        log.human(human)
    };
    log.step(&[reasoning(30), call("c3", "read")], 50).reply(&[text(5)]);
    log
}

#[test]
fn reasoning_before_the_last_turn_of_the_assistant_goes() {
    let policy = "clear-thinking";
    check(&thoughts("more"), policy, 1_000_000, &[], &["4: -e2:0 -e4:0"]);
    check(&thoughts(""), policy, 1_000_000, &[], &[]);
    check(&thoughts("more"), policy, 1, &[("keep_thinking_turns", "2")], &[]);
    check(&thoughts("more"), policy, 1, &[("keep_thinking_turns", "0")], &[]);
    check(&calls(), policy, 1, &[], &[]);
    let by_replies = [("keep_thinking_turns", "0"), ("keep_thinking", "1")];
    check(&thoughts("more"), policy, 1, &by_replies, &["3: -e2:0", "4: -e4:0"]);
}

#[test]
fn signed_reasoning_stays_in_an_open_loop() {
    let signed = || Part::Signed("r".repeat(30));
    let mut log = LogBuilder::new();
    log.human("task").step(&[signed(), call("c1", "read")], 50).step(&[signed(), call("c2", "read")], 50);
    log.reply(&[text(5)]);
    let by_replies = [("keep_thinking_turns", "0"), ("keep_thinking", "1")];
    check(&log, "clear-thinking", 1, &by_replies, &["3: -e2:0"]);
}

#[test]
fn inspect_edits_outputs_and_reasoning_at_once() {
    let policy = "inspect-edit";
    check(&thoughts("more"), policy, 1_000_000, &[], &[]);
    check(&thoughts("more"), policy, 1, &[], &["3: -e2:0", "4: -e4:0"]);
    check(&thoughts("more"), policy, 1, &[("keep", "1")], &["3: -e2:0 c1", "4: -e4:0 c2"]);
    check(&thoughts("more"), policy, 1, &[("keep_thinking", "9"), ("keep", "2")], &["4: c1"]);
    check(&calls(), policy, 1, &[], &["5: c1", "6: c2"]);
}

/// `n` outputs of 1,500 tokens of one tool.
fn outputs(n: usize, tool: &str) -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task");
    for at in 0..n {
        log.step(&[call(&format!("c{at}"), tool)], 1500);
    }
    log
}

#[test]
fn gemini_masks_beyond_50_000_tokens_where_30_000_can_go() {
    // 33 outputs are protected, the last one is of the last turn, and 21 save more than 30,000 tokens.
    let steps = |log: &LogBuilder, budget, settings: &[(&str, &str)]| {
        let played = play_policy("gemini-mask", log, budget, settings);
        played.steps().iter().map(|step| step.turn.number()).collect::<Vec<_>>()
    };
    assert_eq!(steps(&outputs(55, "read"), 1, &[]), vec![56; 21]);
    assert_eq!(steps(&outputs(55, "read"), 1_000_000, &[]), vec![56; 21]);
    assert_eq!(steps(&outputs(54, "read"), 1, &[]), Vec::<u32>::new());
    assert_eq!(steps(&outputs(80, "ask_user"), 1, &[]), Vec::<u32>::new());
    assert_eq!(steps(&outputs(80, "activate_skill"), 1, &[]), Vec::<u32>::new());
    let small = [("keep_tokens", "3000"), ("clear_at_least", "0")];
    assert_eq!(steps(&outputs(5, "read"), 1, &small), [5, 6]);
}

#[test]
fn an_hour_of_pause_clears_all_but_five() {
    // The reply to request n is record 2n, its output record 2n + 1.
    let pauses = |long: i64, after: &'static [usize]| {
        timed(outputs(8, "read"), move |number| {
            let n_pauses = after.iter().filter(|record| number > **record).count() as i64;
            Some(number as i64 + long * n_pauses)
        })
    };
    let policy = "claude-code-idle";
    check(&outputs(8, "read"), policy, 1, &[], &[]);
    check(&pauses(3597, &[15]), policy, 1, &[], &[]);
    check(&pauses(3600, &[16]), policy, 1, &[], &["9: c0 c1 c2"]);
    check(&pauses(3600, &[12, 16]), policy, 1_000_000, &[], &["7: c0", "9: c1 c2"]);
    check(&pauses(3600, &[16]), policy, 1, &[("keep", "7")], &["9: c0"]);
    check(&pauses(600, &[16]), policy, 1, &[("idle", "600"), ("exclude_tools", "read")], &[]);
}

#[track_caller]
fn check_dedup(log: &LogBuilder, settings: &[(&str, &str)], expected: &[&str]) {
    let played = play_with_texts("dedup", log, 1_000_000, settings, |_, _| {});
    assert_eq!(told(&played), expected, "{settings:?}: {}", played.dump());
}

#[test]
fn of_the_same_call_the_last_output_stays() {
    let story = |tool: &str, last: &str| {
        let mut log = LogBuilder::new();
        log.human("task").step(&[with("c1", tool, r#"{"path":"a"}"#)], 100);
        log.step(&[with("c2", tool, r#"{"path":"b"}"#)], 100).step(&[with("c3", tool, last)], 100);
        log
    };
    check_dedup(&story("read", r#"{"path":"a"}"#), &[], &["4: c1="]);
    check_dedup(&story("read", r#"{"path":"b"}"#), &[], &["4: c2="]);
    check_dedup(&story("read", r#"{"path":"c"}"#), &[], &[]);
    check_dedup(&story("edit", r#"{"path":"a"}"#), &[], &[]);
    check_dedup(&story("edit", r#"{"path":"a"}"#), &[("exclude_tools", "none")], &["4: c1="]);
    check_dedup(&story("read", r#"{"path":"a"}"#), &[("same_call", "0")], &[]);
}

#[test]
fn arguments_of_a_failed_call_go_after_four_turns() {
    let story = |n_later: usize| {
        let mut log = LogBuilder::new();
        log.human("task").reply(&[with("c1", "bash", &"a".repeat(100))]).failure("c1", "no such file");
        for at in 0..n_later {
            log.step(&[call(&format!("d{at}"), "read")], 10);
        }
        log
    };
    check_dedup(&story(3), &[], &[]);
    check_dedup(&story(4), &[], &["6: c1()"]);
    check_dedup(&story(4), &[("error_turns", "2")], &["4: c1()"]);
    check_dedup(&story(8), &[("error_turns", "0")], &[]);
    let mut again = story(0);
    again.step(&[with("c2", "bash", &"a".repeat(100))], 10);
    check_dedup(&again, &[], &["3: c1()"]);
}
