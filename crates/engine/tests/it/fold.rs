//! The policy `fold`: an episode collapses when it closes.

use crate::common::{Played, call, mark, play_policy, text};
use cwl_engine::testing::{LogBuilder, act, end, expl};
use cwl_engine::{Cut, Fate, KeptReason, TurnIdx};

/// An exploration, a reply outside, an act that draws on the exploration, an exploration without
/// description, an open one.
fn story() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s1", expl("look"))], 0);
    log.step(&[call("c1", "grep")], 100).human("by the way").step(&[mark("x1", end("seen"))], 0);
    log.step(&[text(20)], 0);
    log.step(&[mark("s2", act("fix", &["look"]))], 0).step(&[call("c2", "edit")], 60);
    log.step(&[mark("x2", end(""))], 0);
    log.step(&[mark("s3", expl("probe"))], 0).step(&[call("c3", "read")], 80).step(&[mark("x3", end(""))], 0);
    log.step(&[mark("s4", expl("again"))], 0).step(&[call("c4", "read")], 70);
    log
}

/// Expected form: folded episodes as `episode@turn`.
fn check(log: &LogBuilder, budget: u64, settings: &[(&str, &str)], folded: &[&str]) -> Played {
    let played = play_policy("fold", log, budget, settings);
    let name = |step: &cwl_engine::EvictionStep| {
        format!("{}@{}", played.growth.graph.episode(step.episode().unwrap()).name, step.turn)
    };
    let found: Vec<String> = played.steps().iter().map(name).collect();
    assert_eq!(found, folded, "{}", played.dump());
    played
}

#[test]
fn an_episode_folds_when_it_closes_whatever_the_budget() {
    let played = check(&story(), u64::MAX, &[], &["look@4", "fix@8", "probe@11"]);
    insta::assert_snapshot!(played.dump());
    assert!(!played.replay.turns.last().unwrap().over_budget);
}

#[test]
fn over_the_budget_the_oldest_closed_one_folds_first() {
    check(&story(), 1000, &[("when_over", "1")], &[]);
    check(&story(), 400, &[("when_over", "1")], &["look@13"]);
    check(&story(), 250, &[("when_over", "1")], &["look@9", "fix@13"]);
    let played = check(&story(), 1, &[("when_over", "1")], &["look@4", "fix@8", "probe@11"]);
    assert!(played.replay.turns.last().unwrap().over_budget, "the rest is the main thread");
}

#[test]
fn only_a_description_stays() {
    let with = check(&story(), 1000, &[], &["look@4", "fix@8", "probe@11"]);
    let without = check(&story(), 1000, &[("residue", "none")], &["look@4", "fix@8", "probe@11"]);
    let after = |played: &Played| played.replay.turns.last().unwrap().after;
    assert_eq!(
        after(&with) - after(&without),
        "[look] seen".len() as u64,
        "acts and the unsaid leave nothing"
    );
}

#[test]
fn levels_say_what_is_folded() {
    let played = check(&story(), 1000, &[], &["look@4", "fix@8", "probe@11"]);
    let levels = |turn| played.state(Cut::end_of(TurnIdx::new(turn))).levels;
    let of =
        |name: &str| played.growth.graph.episodes().find(|(_, e)| e.name.as_str() == name).unwrap().0.at();
    assert_eq!((levels(3)[of("look")], levels(4)[of("look")]), (0, 4));
    assert_eq!(levels(13)[of("again")], 0);
}

#[test]
fn a_late_result_of_a_folded_call_is_not_sent() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s", expl("a"))], 0).reply(&[call("late", "bash"), mark("x", end("d"))]);
    log.result("x", "ok").reply(&[text(1)]).result("late", &"y".repeat(500)).reply(&[text(1)]);
    let played = check(&log, 1000, &[], &["a@3"]);
    let last = played.replay.turns.last().unwrap();
    assert_eq!(last.after, 4 + "[a] d".len() as u64 + 2);
}

#[test]
fn a_compaction_takes_descriptions_too() {
    let mut log = story();
    log.compaction("all of it", "").reply(&[text(1)]);
    let played = play_policy("fold", &log, 1000, &[]);
    assert_eq!(played.replay.turns.last().unwrap().after, 9 + 1);
    assert!(played.now().residues.is_empty());
}

#[test]
fn every_block_that_stays_has_its_reason() {
    let played = play_policy("fold", &story(), 1000, &[("when_over", "1")]);
    let context = played.context(Cut::end_of(played.session.last_turn()));
    let of = |id: &str| {
        let item = context
            .messages
            .iter()
            .flat_map(|message| &message.items)
            .find(|item| played.session.blocks[item.block.at()].id.to_string() == id);
        match &item.unwrap().fate {
            Fate::Kept(reason) => reason.clone(),
            other => panic!("{id} is not kept: {other:?}"),
        }
    };
    assert_eq!(of("e1:0"), KeptReason::Human);
    assert_eq!(of("e5:0"), KeptReason::Eligible, "closed, and the budget is met");
    assert_eq!(of("e9:0"), KeptReason::OutOfReach, "between two episodes");
    assert_eq!(of(&format!("{}:0", story().last())), KeptReason::Active);
}
