//! The policy `cwl+`: `cwl` with other defaults and a guard for fresh explorations.

use std::collections::BTreeSet;

use crate::common::random::{beat, log_of, n_cases};
use crate::common::{Played, call, mark, options_of, play_policy, reasoning};
use cwl_engine::testing::{LogBuilder, act, end, expl};
use cwl_engine::*;
use proptest::prelude::*;

/// Three explorations and an act that draws on the second, then an act that draws on the third, and a
/// question.
fn story() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task");
    for name in ["a", "b", "c"] {
        log.step(&[mark(&format!("s{name}"), expl(name))], 0);
        log.step(&[reasoning(10), call(&format!("g{name}"), "grep"), call(&format!("r{name}"), "read")], 90);
        log.step(&[mark(&format!("x{name}"), end("seen"))], 0);
    }
    for (name, on) in [("fix", "b"), ("test", "c")] {
        log.step(&[mark(&format!("s{name}"), act(name, &[on]))], 0);
        log.step(&[call(&format!("e{name}"), "edit")], 50);
        log.step(&[mark(&format!("x{name}"), end(""))], 0);
    }
    log
}

const WHOLE: (&str, &str) = ("low_water", "1000");

#[test]
fn without_its_options_it_is_cwl() {
    let plain = [("granularity", "level"), WHOLE, ("guard_fresh", "0"), ("idle", "0")];
    for budget in [100, 300, 500, 600] {
        let ours = play_policy("cwl+", &story(), budget, &plain).steps();
        assert_eq!(ours, play_policy("cwl", &story(), budget, &[]).steps(), "{budget}");
    }
}

/// Returns the episodes in the order of their first step if everything must go at once.
fn order(log: &LogBuilder, guard: &str) -> Vec<String> {
    let mut log = log.clone();
    log.human(&"q".repeat(5000));
    let played = play_policy("cwl+", &log, 5000, &[WHOLE, ("guard_fresh", guard)]);
    let name = |step: &EvictionStep| played.growth.graph.episode(step.episode().unwrap()).name.to_string();
    let mut names: Vec<String> = played.steps().iter().map(name).collect();
    names.dedup();
    names
}

#[test]
fn what_no_act_has_drawn_on_waits_for_as_many_acts_as_the_guard_says() {
    let mut log = story();
    // `fix` drew on `b`, `test` on `c`; `a` is still waiting.
    assert_eq!(order(&log, "0"), ["fix", "test", "a", "b", "c"]);
    assert_eq!(order(&log, "1"), ["fix", "test", "a", "b", "c"], "an act has begun since it closed");
    assert_eq!(order(&log, "2"), ["fix", "test", "a", "b", "c"], "two have");
    assert_eq!(order(&log, "3"), ["fix", "test", "b", "c", "a"]);
    log.step(&[mark("sz", act("third", &["b"]))], 0).step(&[mark("xz", end(""))], 0);
    assert_eq!(order(&log, "3"), ["fix", "test", "third", "a", "b", "c"]);
    log.step(&[mark("sy", act("fourth", &["a"]))], 0);
    assert_eq!(order(&log, "9"), ["fix", "test", "third", "b", "c"], "the act that needs it holds it");
}

#[test]
fn the_guard_is_no_lock() {
    let mut log = LogBuilder::new();
    log.human("task");
    for name in ["a", "b"] {
        log.step(&[mark(&format!("s{name}"), expl(name))], 0).step(&[call(&format!("r{name}"), "read")], 90);
        log.step(&[mark(&format!("x{name}"), end("seen"))], 0);
    }
    log.step(&[call("outside", "read")], 50);
    assert_eq!(order(&log, "9"), ["a", "b"], "nothing else can go: the oldest goes");
    log.step(&[mark("sc", expl("c"))], 0);
    assert_eq!(order(&log, "9"), ["~1", "a", "b"], "a stretch that has closed goes first");
}

/// Returns the turns with steps in a log whose requests are far below the budget but above the stop.
fn early(log: &LogBuilder, settings: &[(&str, &str)]) -> Vec<u32> {
    let settings: Vec<(&str, &str)> =
        [("low_water", "10")].into_iter().chain(settings.iter().copied()).collect();
    let played = play_policy("cwl+", log, 50_000, &settings);
    let mut turns: Vec<u32> = played.steps().iter().map(|step| step.turn.number()).collect();
    turns.dedup();
    turns
}

/// The story plus a question. `change` gets each record with its position from the end.
fn asked_later(change: impl Fn(usize, &mut SessionEvent)) -> LogBuilder {
    let mut log = story();
    log.human(&"q".repeat(900)).reply(&[reasoning(10)]);
    let events = log.log.events().to_vec();
    log.log = EventLog::default();
    for (at, mut event) in events.iter().cloned().enumerate() {
        change(events.len() - at, &mut event);
        log.log.push(event);
    }
    log
}

#[test]
fn where_the_cache_is_lost_anyway_a_pass_begins_below_the_budget() {
    let pause = |seconds: i64| {
        asked_later(|back, event| event.at_ms = Some(if back <= 2 { seconds * 1000 } else { 0 }))
    };
    let last = early(&pause(301), &[]);
    assert_eq!(last.len(), 1, "one turn comes after the pause: {last:?}");
    assert_eq!(early(&pause(300), &[]), [0; 0], "the prefix still lives");
    assert_eq!(early(&pause(301), &[("idle", "600")]), [0; 0]);
    assert_eq!(early(&pause(301), &[("idle", "0")]), [0; 0]);
    assert_eq!(early(&asked_later(|_, _| {}), &[]), [0; 0], "no clock tells nothing");
    let other_model = asked_later(|back, event| {
        if let EventBody::Message(message) = &mut event.body
            && message.author == Author::Model
        {
            message.model = Some(if back == 1 { "second" } else { "first" }.into());
        }
    });
    assert_eq!(early(&other_model, &[]), last, "another model has nothing of the prompt");
}

#[test]
fn the_story_under_a_small_budget() {
    insta::assert_snapshot!(play_policy("cwl+", &story(), 420, &[]).dump());
}

#[test]
fn its_defaults_are_its_own() {
    let options = options_of("cwl+", &[]);
    assert_eq!(options.granularity, Granularity::Item);
    assert!(options.low_water < 1000);
    assert_eq!(options_of("cwl", &[]), PolicyOptions::default());
}

/// Returns true if an exploration is fresh: closed, without dependent acts, and with fewer acts begun since
/// than the guard requires.
fn is_fresh(played: &Played, state: &StateAt, idx: EpisodeIdx, n_begun_since: usize, guard: u64) -> bool {
    let episode = played.growth.graph.episode(idx);
    episode.kind == EpisodeKind::Exploratory
        && state.lives[idx.at()] == Life::Closed
        && !state.edges.iter().any(|(from, _)| *from == idx)
        && (n_begun_since as u64) < guard
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases() / 4))]

    #[test]
    fn a_fresh_exploration_never_goes_before_anything_else_that_may(
        beats in prop::collection::vec(beat(), 0..60),
        budget in 0..800u64,
        guard in 1..4u64,
    ) {
        let log = log_of(&beats);
        let options = options_of("cwl+", &[("guard_fresh", &guard.to_string())]);
        let played = Played::replay("cwl+", &log, budget, 0, 1, &options);
        let graph = &played.growth.graph;
        // Number of acts begun before each exploration last closed, computed from the changes alone.
        let mut n_begun = 0;
        let mut closed_at = vec![0; graph.episodes.len()];
        let mut begun = BTreeSet::new();
        for number in 1..=played.session.last_turn().number() {
            let turn = TurnIdx::new(number);
            for change in played.growth.changes_at(turn) {
                match *change {
                    GraphChange::Lives(idx, Life::Open) if graph.episode(idx).kind == EpisodeKind::Action => {
                        n_begun += usize::from(begun.insert(idx));
                    }
                    GraphChange::Lives(idx, Life::Closed) => closed_at[idx.at()] = n_begun,
                    _ => {}
                }
            }
            let pass = played.pass(turn);
            for (step, taken) in pass.steps.iter().enumerate() {
                let state = played.state(Cut { turn, step });
                let fresh = |idx: EpisodeIdx| is_fresh(&played, &state, idx, n_begun - closed_at[idx.at()], guard);
                let target = taken.episode().unwrap();
                // A target is stripped until it is gone or the pass ends.
                let goes_on = step > 0 && pass.steps[step - 1].episode() == Some(target);
                if goes_on || !fresh(target) {
                    continue;
                }
                let waits = Waits::new(&played.growth, &state);
                for (other, _) in graph.episodes() {
                    let may = eligibility_among(&played.session, &options, &waits, other);
                    prop_assert!(
                        may != Eligibility::Eligible || fresh(other),
                        "turn {} step {}: {} may go before {}", turn, step, graph.episode(other).name, graph.episode(target).name
                    );
                }
            }
        }
    }
}
