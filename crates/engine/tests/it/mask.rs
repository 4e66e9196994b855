//! The policy `mask` and its presets: old outputs are masked, calls stay.

use crate::common::{Played, call, options_of, play_policy, shell, text};
use cwl_engine::testing::LogBuilder;
use cwl_engine::{Cut, Fate, KeptReason, Placeholder, Subject, TurnIdx};

const PLACEHOLDER: u64 = 25;

/// A task and six outputs of 100 tokens, `c1` to `c6`; the human speaks again before `c4`.
fn story() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task").step(&[text(10), call("c1", "grep"), call("c2", "read")], 100);
    log.step(&[call("c3", "edit")], 100).human("more");
    log.step(&[call("c4", "mcp__tools__Skill")], 100).step(&[shell("c5", "cargo")], 100);
    log.step(&[call("c6", "read")], 100).reply(&[text(5)]);
    log
}

/// Expected form: cleared outputs as `call@turn`.
fn check_log(
    log: &LogBuilder,
    policy: &str,
    budget: u64,
    settings: &[(&str, &str)],
    cleared: &[&str],
) -> Played {
    let played = play_policy(policy, log, budget, settings);
    let name = |step: &cwl_engine::EvictionStep| {
        let Subject::Output(block) = step.subject else { panic!("{:?} is no output", step.subject) };
        let call = match &played.session.blocks[block.at()].kind {
            cwl_engine::BlockKind::Result(result) => result.call.to_string(),
            other => panic!("{other:?} is no output"),
        };
        format!("{call}@{}", step.turn)
    };
    let found: Vec<String> = played.steps().iter().map(name).collect();
    assert_eq!(found, cleared, "{}", played.dump());
    played
}

fn check(policy: &str, budget: u64, settings: &[(&str, &str)], cleared: &[&str]) -> Played {
    check_log(&story(), policy, budget, settings, cleared)
}

#[test]
fn over_the_budget_all_but_the_newest_are_cleared() {
    check("mask", 10_000, &[("keep", "2")], &[]);
    check("mask", 500, &[("keep", "2")], &["c1@5", "c2@5", "c3@5"]);
    check("mask", 500, &[("keep", "9")], &[]);
    let played = check("mask", 500, &[], &[]);
    assert!(played.replay.turns[5].over_budget, "the ten newest stay, and there are six");
}

#[test]
fn until_met_takes_the_oldest_first_and_no_more_than_needed() {
    check("mask", 500, &[("keep", "2"), ("until_met", "1")], &["c1@5", "c2@6", "c3@6"]);
}

#[test]
fn always_masks_before_every_request_whatever_the_budget() {
    let at_once = ["c1@3", "c2@4", "c3@5", "c4@6"];
    check("mask", 10_000, &[("keep", "2"), ("always", "1")], &at_once);
}

#[test]
fn the_story_with_two_outputs_kept() {
    assert_eq!(PLACEHOLDER, Placeholder::Cleared.text().len() as u64);
    let played = play_policy("mask", &story(), 400, &[("keep", "2")]);
    insta::assert_snapshot!(played.dump());
    let full = play_policy("none", &story(), 400, &[]).replay.turns.last().unwrap().after;
    let n_masked = played.steps().len() as u64;
    assert_eq!(played.replay.turns.last().unwrap().after, full - n_masked * (100 - PLACEHOLDER));
}

#[test]
fn a_pass_that_saves_too_little_does_nothing() {
    let each = 100 - PLACEHOLDER;
    let at_least = |n: u64| [("keep", "0"), ("always", "1"), ("clear_at_least", &*n.to_string().leak())];
    check("mask", 0, &at_least(3 * each), &["c1@3", "c2@3", "c3@3", "c4@6", "c5@6", "c6@6"]);
    check("mask", 0, &at_least(3 * each + 1), &["c1@4", "c2@4", "c3@4", "c4@4"]);
    check("mask", 0, &at_least(1000), &[]);
}

#[test]
fn newest_tokens_stay_beyond_the_newest_outputs() {
    let settings = [("keep", "1"), ("keep_tokens", "250"), ("always", "1")];
    check("mask", 0, &settings, &["c1@4", "c2@5", "c3@6"]);
    check(
        "mask",
        0,
        &[("keep", "1"), ("keep_tokens", "199"), ("always", "1")],
        &["c1@3", "c2@4", "c3@5", "c4@6"],
    );
}

#[test]
fn outputs_after_the_last_human_turns_stay() {
    check("mask", 0, &[("keep", "0"), ("protected_turns", "1")], &["c1@3", "c2@3", "c3@3"]);
    check("mask", 0, &[("keep", "0"), ("protected_turns", "2")], &[]);
}

#[test]
fn edits_and_skills_stay_when_told() {
    let all = [("keep", "0"), ("always", "1")];
    let with = |key| [all[0], all[1], (key, "1")];
    check("mask", 0, &with("exclude_write"), &["c1@2", "c2@2", "c4@4", "c5@5", "c6@6"]);
    let skills = [all[0], all[1], ("exclude_tools", "skill")];
    check("mask", 0, &skills, &["c1@2", "c2@2", "c3@3", "c5@5", "c6@6"]);
}

#[test]
fn an_output_no_longer_than_the_placeholder_stays() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[call("c1", "read")], PLACEHOLDER as usize).step(&[call("c2", "read")], 26);
    check_log(&log, "mask", 0, &[("keep", "0")], &["c2@3"]);
}

#[test]
fn what_the_harness_clears_first_is_its_own() {
    let mut log = story();
    log.clearing("c1", &"cleared by the harness, in many more words than we use".repeat(2)).reply(&[text(5)]);
    log.human(&"h".repeat(200)).reply(&[text(5)]);
    let played = check_log(&log, "mask", 700, &[("keep", "3")], &["c2@8", "c3@8"]);
    assert_eq!(played.replay.turns[5].after, 656, "nothing to do before");
}

/// Nine human turns with ten outputs of 1,000 tokens each; one in ten is a skill's.
fn long() -> LogBuilder {
    let mut log = LogBuilder::new();
    for turn in 0..9 {
        log.human("go on");
        for at in 0..10 {
            log.step(&[call(&format!("{turn}.{at}"), if at == 9 { "skill" } else { "read" })], 1000);
        }
    }
    log.human("go on");
    log
}

#[test]
fn opencode_prunes_at_a_human_turn_and_only_if_it_frees_enough() {
    let played = play_policy("opencode-prune", &long(), u64::MAX, &[]);
    let turns: std::collections::BTreeSet<u32> =
        played.steps().iter().map(|step| step.turn.number()).collect();
    // An output is old enough if two full human turns and 40 newer outputs follow: 9 a turn, skills not
    // counted. A third turn with over 20 such outputs is the first to free more than 20,000 tokens.
    for turn in &turns {
        assert!((turn - 1) % 10 == 0, "only where a human turn begins: {turn}");
    }
    let n_skills = played.steps().into_iter().filter(|step| {
        let Subject::Output(block) = step.subject else { panic!() };
        let call = played.session.blocks[block.at()].pair.unwrap();
        matches!(&played.session.blocks[call.at()].kind, cwl_engine::BlockKind::Call(call) if &*call.name == "skill")
    });
    assert_eq!(n_skills.count(), 0);
    // At the tenth human turn: 7 turns of 9 outputs before the last two, less the newest 40.
    assert_eq!(played.steps().len(), 7 * 9 - 40, "{turns:?}");
}

#[test]
fn clearing_as_documented_keeps_three() {
    check("claude-code-clearing", 500, &[], &["c1@5", "c2@5", "c3@6"]);
    check("claude-code-clearing", 10_000, &[], &[]);
}

#[test]
fn presets_are_the_same_policy_with_other_defaults() {
    for (preset, settings) in [
        ("claude-code-clearing", &[("keep", "3")][..]),
        (
            "opencode-prune",
            &[
                ("keep", "0"),
                ("keep_tokens", "40000"),
                ("protected_turns", "3"),
                ("always", "1"),
                ("clear_at_least", "20001"),
                ("exclude_tools", "skill"),
            ],
        ),
    ] {
        let (preset, mask) = (options_of(preset, &[]), options_of("mask", settings));
        let of = |options| Played::replay("mask", &long(), 3000, 0, 1, options).steps();
        assert_eq!(of(&preset), of(&mask));
    }
}

#[test]
fn every_block_that_stays_has_its_reason() {
    let settings = [("keep", "1"), ("keep_tokens", "100"), ("until_met", "1")];
    let played = play_policy("mask", &story(), 600, &settings);
    let context = played.context(Cut { turn: TurnIdx::new(6), step: 1 });
    let items = || context.messages.iter().flat_map(|message| &message.items);
    let of = |id: &str| {
        items()
            .find(|item| played.session.blocks[item.block.at()].id.to_string() == id)
            .map(|item| item.fate.clone())
            .unwrap()
    };
    assert!(matches!(of("e3:0"), Fate::Masked(Placeholder::Cleared, _)), "{}", played.dump());
    assert_eq!(of("e2:1"), Fate::Kept(KeptReason::OutOfReach), "calls stay");
    assert_eq!(of("e4:0"), Fate::Kept(KeptReason::Eligible), "its step comes next");
    assert_eq!(of("e1:0"), Fate::Kept(KeptReason::Human));
    assert_eq!(of("e13:0"), Fate::Kept(KeptReason::Recent), "the newest one");
    assert_eq!(of("e11:0"), Fate::Kept(KeptReason::Recent), "the newest tokens");
    let played = play_policy("mask", &story(), 10_000, &[("keep", "0"), ("protected_turns", "1")]);
    let context = played.context(Cut::end_of(TurnIdx::new(6)));
    let kept = context.messages.iter().flat_map(|message| &message.items).map(|item| &item.fate);
    assert_eq!(kept.filter(|fate| **fate == Fate::Kept(KeptReason::Protected)).count(), 3);
}

#[test]
fn outputs_of_the_last_turns_stay_by_choice() {
    let by_turns = [("keep", "0"), ("keep_turns", "2"), ("always", "1")];
    check("mask", 10_000, &by_turns, &["c1@4", "c2@4", "c3@5", "c4@6", "c5@7"]);
}
