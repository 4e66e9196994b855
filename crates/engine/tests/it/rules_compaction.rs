//! Compactions that harnesses and providers ship: presets of `summary`; and `inspect-trim`.

use crate::common::told::{play_with_texts, told};
use crate::common::{Played, call, play_policy, text};
use cwl_engine::testing::LogBuilder;
use cwl_engine::{Cut, TurnIdx};

/// A task and eight turns with outputs of 1,000 tokens; the human speaks again before the fifth.
fn story() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("Fix the parser. You must not change its tests.");
    for at in 1..=8 {
        if at == 5 {
            log.human("Is it done?");
        }
        log.step(&[text(10), call(&format!("c{at}"), "read")], 1000);
    }
    log
}

fn play(policy: &str, budget: u64, window: Option<u64>, settings: &[(&str, &str)]) -> Played {
    play_with_texts(policy, &story(), budget, settings, |_, material| {
        material.windows = vec![(TurnIdx::FIRST, window)];
    })
}

fn turns(played: &Played) -> Vec<u32> {
    let mut turns: Vec<u32> = played.steps().iter().map(|step| step.turn.number()).collect();
    turns.dedup();
    turns
}

/// Returns the names of the blocks in the last request: calls, results and texts of the human.
fn kept(played: &Played) -> Vec<String> {
    let context = played.context(Cut::end_of(played.session.last_turn()));
    let items = context.messages.iter().flat_map(|message| &message.items);
    let there = items.filter(|item| item.fate.is_kept());
    there.map(|item| played.session.blocks[item.block.at()].id.to_string()).collect()
}

const WIDE: u64 = 1_000_000;

#[test]
fn codex_compacts_at_nine_tenths_of_the_window() {
    let policy = "codex-compact";
    assert_eq!(turns(&play(policy, WIDE, None, &[])), [] as [u32; 0], "an unknown window has no share");
    let played = play(policy, WIDE, Some(10_000), &[]);
    assert_eq!(turns(&played), [] as [u32; 0]);
    // Eight turns have 8,169 tokens: more than nine tenths of 9,000, but seven have less.
    let played = play(policy, WIDE, Some(9_000), &[]);
    assert_eq!(turns(&played), [9], "{}", played.dump());
    assert_eq!(kept(&played), ["e1:0", "e10:0"], "only the human's words: {}", played.dump());
    assert_eq!(turns(&play(policy, 3_000, Some(9_000), &[])), [4, 7], "τ counts if it is less");
    assert_eq!(turns(&play(policy, WIDE, Some(9_000), &[("window_share", "500")])), [6]);
}

#[test]
fn claude_code_compacts_below_the_window() {
    let policy = "claude-code-compact";
    assert_eq!(turns(&play(policy, WIDE, None, &[])), [] as [u32; 0]);
    assert_eq!(turns(&play(policy, WIDE, Some(42_000), &[])), [] as [u32; 0]);
    let played = play(policy, WIDE, Some(41_000), &[]);
    assert_eq!(turns(&played), [9], "{}", played.dump());
    assert_eq!(kept(&played), ["e1:0", "e10:0"]);
    assert_eq!(turns(&play(policy, WIDE, Some(20_000), &[])), [] as [u32; 0], "a window below the reserve");
    assert_eq!(turns(&play(policy, WIDE, Some(6_000), &[("reserve", "1000")])), [6]);
}

#[test]
fn anthropic_compacts_above_a_fixed_number_of_tokens() {
    let policy = "anthropic-compact";
    assert_eq!(turns(&play(policy, WIDE, Some(2_000), &[])), [] as [u32; 0], "the window does not count");
    let played = play(policy, WIDE, None, &[("trigger", "5000")]);
    assert_eq!(turns(&played), [6], "{}", played.dump());
    assert_eq!(kept(&played)[..2], ["e1:0", "e10:0"], "words of the human stay here");
    assert_eq!(turns(&play(policy, 3_000, None, &[("trigger", "5000")])), [4, 7], "τ counts if it is less");
    assert_eq!(turns(&play(policy, WIDE, None, &[("trigger", "0")])), [] as [u32; 0]);
}

#[test]
fn openhands_compacts_to_half_of_the_events() {
    let policy = "openhands";
    assert_eq!(turns(&play(policy, WIDE, None, &[])), [] as [u32; 0]);
    // Two events for the task, two for each turn, and one for the human's question.
    assert_eq!(turns(&play(policy, WIDE, None, &[("max_events", "19")])), [] as [u32; 0]);
    let played = play(policy, WIDE, None, &[("max_events", "18")]);
    assert_eq!(turns(&played), [9], "{}", played.dump());
    // Half of them is nine: two, the summary, and three turns.
    let newest = ["e15:0", "e15:1", "e16:0", "e17:0", "e17:1", "e18:0"];
    assert_eq!(kept(&played), [&["e1:0", "e10:0", "e13:0", "e13:1", "e14:0"][..], &newest[..]].concat());
    assert_eq!(turns(&play(policy, 6_500, None, &[])), [8], "over τ half of the events go as well");
}

#[test]
fn hermes_keeps_a_tail_of_tokens() {
    let (policy, small) = ("hermes-lean", ("size", "400"));
    assert_eq!(turns(&play(policy, WIDE, Some(20_000), &[small])), [] as [u32; 0]);
    let played = play(policy, WIDE, Some(16_000), &[small, ("tail", "2500")]);
    assert_eq!(turns(&played), [9], "{}", played.dump());
    let newest = ["e15:0", "e15:1", "e16:0", "e17:0", "e17:1", "e18:0"];
    assert_eq!(kept(&played), [&["e1:0", "e10:0"][..], &newest[..]].concat());
    let played = play(policy, WIDE, Some(16_000), &[small, ("tail", "500")]);
    assert_eq!(kept(&played)[2..], newest[3..], "the last turn stays in any case");
    assert_eq!(turns(&play(policy, WIDE, Some(16_000), &[small])), [] as [u32; 0], "all is within the tail");
}

#[test]
fn inspect_trims_a_fifth_of_the_messages() {
    let check = |budget: u64, settings: &[(&str, &str)], expected: &[&str]| {
        let played = play_policy("inspect-trim", &story(), budget, settings);
        assert_eq!(told(&played), expected, "{}", played.dump());
    };
    check(WIDE, &[], &[]);
    // A fifth of 17 messages is three, and turns go whole.
    check(8_100, &[], &["9: -e2:0 -c1 -c1 -e4:0 -c2 -c2"]);
    check(8_100, &[("drop", "0")], &["9: -e2:0 -c1 -c1"]);
    check(8_100, &[("drop", "100")], &["9: -e2:0 -c1 -c1"]);
    check(6_500, &[("drop", "500"), ("keep_turns", "6")], &["8: -e2:0 -c1 -c1", "9: -e4:0 -c2 -c2"]);
}
