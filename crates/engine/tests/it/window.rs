//! The policy `window`: whole turns go, oldest first.

use crate::common::{Played, call, mark, play_policy, reasoning, text};
use cwl_engine::testing::{LogBuilder, end, expl};
use cwl_engine::{Cut, Fate, KeptReason, TurnIdx};

/// A task, a harness instruction, then four turns of at least 100 tokens.
fn story() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task").injected("rules");
    log.step(&[mark("s", expl("look"))], 0);
    log.step(&[reasoning(20), call("c1", "grep"), call("c2", "read")], 50);
    log.human("and mind the tests").step(&[text(10), call("c3", "read")], 100);
    log.step(&[mark("x", end("seen"))], 0);
    log.step(&[call("c4", "edit")], 100);
    log
}

/// Expected form: dropped turns as `turn@when`.
fn check(log: &LogBuilder, budget: u64, settings: &[(&str, &str)], dropped: &[&str]) -> Played {
    let played = play_policy("window", log, budget, settings);
    let found: Vec<String> = played
        .steps()
        .iter()
        .map(|step| match step.subject {
            cwl_engine::Subject::Turn(turn) => format!("{turn}@{}", step.turn),
            ref other => panic!("{other:?} is no turn"),
        })
        .collect();
    assert_eq!(found, dropped, "{}", played.dump());
    played
}

#[test]
fn turns_go_whole_and_oldest_first_until_the_rest_fits() {
    check(&story(), 1000, &[], &[]);
    check(&story(), 300, &[], &["1@6", "2@6"]);
    check(&story(), 150, &[], &["1@3", "2@4", "3@5"]);
}

#[test]
fn the_story_under_a_small_budget() {
    insta::assert_snapshot!(check(&story(), 160, &[], &["1@3", "2@4", "3@6"]).dump());
}

#[test]
fn the_newest_turns_stay_even_over_the_budget() {
    let played = check(&story(), 1, &[], &["1@3", "2@4", "3@5", "4@6"]);
    assert!(played.replay.turns.last().unwrap().over_budget);
    check(&story(), 1, &[("keep_turns", "3")], &["1@5", "2@6"]);
    check(&story(), 1, &[("keep_turns", "5")], &[]);
}

#[test]
fn low_water_makes_fewer_and_larger_passes() {
    check(&story(), 300, &[("low_water", "500")], &["1@6", "2@6", "3@6"]);
}

#[test]
fn a_late_result_goes_with_the_turn_of_its_call() {
    let mut log = LogBuilder::new();
    log.human("task").reply(&[call("slow", "bash"), call("c1", "read")]).result("c1", &"x".repeat(200));
    log.step(&[call("c2", "read")], 200).step(&[call("c3", "read")], 10);
    log.result("slow", &"y".repeat(500)).reply(&[text(5)]);
    let played = check(&log, 100, &[], &["1@3", "2@4"]);
    let last = played.replay.turns.last().unwrap();
    assert_eq!(last.after, 4 + 4 + 10 + 5, "the late result is not sent without its call");
}

#[test]
fn a_summary_of_the_harness_is_as_new_as_its_record() {
    let mut log = story();
    log.compaction("what was before", "e13").reply(&[text(5)]);
    let played = play_policy("window", &log, 130, &[]);
    let now = played.context(Cut::end_of(played.session.last_turn()));
    let kept = |item: &&cwl_engine::RenderedItem| item.fate.is_kept();
    let summaries = now.messages.iter().flat_map(|message| &message.items).filter(kept);
    let of_summary = summaries
        .filter(|item| played.session.message_of(item.block).class == cwl_engine::MessageClass::Summary);
    assert_eq!(of_summary.count(), 1, "{}", played.dump());
}

#[test]
fn every_block_that_stays_has_its_reason() {
    let played = play_policy("window", &story(), 300, &[("keep_turns", "2")]);
    let context = played.context(Cut::end_of(TurnIdx::new(6)));
    let mut reasons = Vec::new();
    for item in context.messages.iter().flat_map(|message| &message.items) {
        if let Fate::Kept(reason) = &item.fate {
            let entry = played.session.blocks[item.block.at()].id.entry.to_string();
            reasons.push((entry, reason.clone()));
        }
    }
    let of = |entry: &str| reasons.iter().find(|(found, _)| found == entry).map(|(_, reason)| reason);
    assert_eq!(of("e1"), Some(&KeptReason::Human));
    assert_eq!(of("e2"), Some(&KeptReason::OutOfReach), "before the first reply");
    assert_eq!(of("e8"), Some(&KeptReason::Human));
    assert_eq!(of("e9"), Some(&KeptReason::Eligible), "it fits");
    assert_eq!(of("e11"), Some(&KeptReason::Recent));
    assert_eq!(of("e13"), Some(&KeptReason::Recent));
}
