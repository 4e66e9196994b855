//! The policy `cwl`: Algorithm 1 on small stories, and each option.

use crate::common::random::halves;
use crate::common::{Played, call, mark, play, play_policy, reasoning, shell, text};
use cwl_engine::testing::{LogBuilder, act, dump_steps, end, expl};
use cwl_engine::{
    BlockIdx, BlockKind, BlockReason, Cut, Eligibility, EpisodeIdx, EvictionStep, Policy, PolicyOptions,
    Presence, SessionBlock, TurnIdx, Waits, eligibility_among,
};

/// Two explorations and two acts, each with one block of every kind, then a question of 2,000 bytes: all
/// pressure comes at the end.
fn story() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task");
    for (at, (open, close)) in [
        (expl("look"), end("seen")),
        (expl("probe"), end("probed")),
        (act("fix", &["look"]), end("")),
        (act("test", &["look", "probe"]), end("")),
    ]
    .into_iter()
    .enumerate()
    {
        let id = |name: &str| format!("{name}{at}");
        log.step(&[mark(&id("s"), open)], 0);
        log.step(&[reasoning(10), call(&id("g"), "grep"), call(&id("r"), "read")], 40);
        log.step(&[text(5), call(&id("e"), "edit"), shell(&id("b"), "rg")], 30);
        log.step(&[mark(&id("x"), close)], 0);
    }
    log.human(&"q".repeat(2000));
    log
}

/// Expected form: steps as `episode level`, over all turns.
fn check(budget: u64, settings: &[(&str, &str)], steps: &[&str]) -> Played {
    let played = play(&story(), budget, settings);
    let name = |step: &EvictionStep| {
        format!("{} {}", played.growth.graph.episode(step.episode().unwrap()).name, step.action.name())
    };
    let found: Vec<String> = played.steps().iter().map(name).collect();
    assert_eq!(found, steps, "{}", dump_steps(&played.input(), &played.replay));
    played
}

fn full() -> u64 {
    play(&story(), u64::MAX, &[]).replay.turns.last().unwrap().after
}

#[test]
fn nothing_is_done_at_or_below_the_budget() {
    check(full(), &[], &[]);
}

#[test]
fn acts_go_first_level_by_level_and_without_level_one() {
    check(full() - 1, &[], &["fix bulk"]);
    check(full() - 150, &[], &["fix bulk", "fix intermediate", "fix remove"]);
}

#[test]
fn an_exploration_goes_after_its_acts_reasoning_first() {
    let played = play(&story(), 2020, &[]);
    let name = |step: &EvictionStep| played.growth.graph.episode(step.episode().unwrap()).name.to_string();
    let order: Vec<String> = played.steps().iter().map(name).collect();
    let first = |name: &str| order.iter().position(|found| found == name);
    assert!(first("fix") < first("look"), "look feeds fix: {order:?}");
    let steps = played.steps();
    let of_first = steps.iter().filter(|step| step.episode().unwrap().at() == 0);
    let levels: Vec<_> = of_first.map(|step| step.action.name()).collect();
    assert_eq!(levels, ["reasoning", "bulk", "intermediate", "remove"]);
}

#[test]
fn the_whole_story_under_a_small_budget() {
    insta::assert_snapshot!(play(&story(), 2120, &[]).dump());
}

#[test]
fn shell_searches_are_bulk_only_when_told() {
    let blocks = |settings| {
        let played = play(&story(), full() - 1, settings);
        let pass = played.pass(played.session.last_turn());
        pass.blocks_of(&pass.steps[0]).len()
    };
    assert_eq!(blocks(&[("classify_shell", "true")][..]), 4, "grep and rg with their results");
    assert_eq!(blocks(&[("classify_shell", "false")][..]), 2, "grep with its result");
}

#[test]
fn granularity_item_takes_one_call_with_its_result_at_a_time() {
    insta::assert_snapshot!(play(&story(), 2250, &[("granularity", "item")]).dump());
}

#[test]
fn low_water_is_where_a_pass_stops() {
    let played = play(&story(), full() - 1, &[("low_water", "900")]);
    assert!(played.replay.turns.last().unwrap().after <= (full() - 1) * 900 / 1000);
    assert!(!played.replay.turns.last().unwrap().over_budget);
}

#[test]
fn protected_turns_hold_what_stands_after_them() {
    let mut log = story();
    log.step(&[mark("s9", act("late", &["look"]))], 0);
    log.step(&[call("r9", "read")], 500).step(&[mark("x9", end(""))], 0);
    log.reply(&[text(3000)]).reply(&[text(1)]);
    let played = play(&log, full() + 1000, &[("protected_turns", "1")]);
    let late = played.growth.graph.episodes().find(|(_, e)| &*e.name.to_string() == "late").unwrap().0;
    assert!(played.now().levels[late.at()] < 4, "an episode after the last human turn is held");
    assert!(played.replay.turns.last().unwrap().over_budget);
    let look = played.growth.graph.episodes().next().unwrap().0;
    assert_eq!(played.now().levels[look.at()], 0, "an exploration waits for the act that is held");
    let unprotected = play(&log, full() + 1000, &[]);
    assert_eq!(unprotected.now().levels[late.at()], 4);
}

/// The search is behind the protected human turn, so only the read goes. The episode has then reached a
/// level that would evict the search, and its result arrives.
#[test]
fn a_late_result_stays_with_its_protected_call() {
    let mut log = LogBuilder::new();
    log.human("task");
    log.reply(&[mark("s0", expl("look")), call("r0", "read")]).result("r0", "lines").result("s0", "");
    log.human("and").reply(&[call("g0", "grep")]);
    log.step(&[mark("s1", expl("probe"))], 0);
    log.human("go on").reply(&[text(5)]).human("well").result("g0", "matches").reply(&[text(5)]);
    for policy in ["cwl", "cwl+"] {
        let played = play_policy(policy, &log, 1, &[("protected_turns", "2")]);
        assert!(!played.steps().is_empty(), "{policy}");
        let context = played.context(Cut::end_of(played.session.last_turn()));
        assert_eq!(halves(&played.session, &context), [], "{policy}");
    }
}

#[test]
fn levels_that_are_off_are_passed_over() {
    let played = play(&story(), 2000, &[("levels", "23")]);
    let steps = played.steps();
    let names: Vec<_> = steps.iter().map(|step| step.action.name()).collect();
    assert!(names.iter().all(|name| ["bulk", "intermediate"].contains(name)), "{names:?}");
    let kinds: Vec<_> =
        steps.iter().map(|s| played.growth.graph.episode(s.episode().unwrap()).kind.name()).collect();
    assert!(!kinds.contains(&"expl"), "level 4 off never frees a dependency: {kinds:?}");
    assert!(played.replay.turns.last().unwrap().over_budget);
}

#[test]
fn residue_none_leaves_nothing() {
    let with = play(&story(), 10, &[]).replay.turns.last().unwrap().after;
    let without = play(&story(), 10, &[("residue", "none")]).replay.turns.last().unwrap().after;
    assert_eq!(with - without, "[look] seen".len() as u64 + "[probe] probed".len() as u64);
}

#[test]
fn each_option_has_its_trace() {
    for (key, value, budget) in [
        ("low_water", "900", full() - 1),
        ("protected_turns", "2", 2120),
        ("levels", "134", 2120),
        ("levels", "23", 2120),
        ("residue", "none", 2120),
        ("classify_shell", "false", 2250),
    ] {
        let played = play(&story(), budget, &[(key, value)]);
        let steps = dump_steps(&played.input(), &played.replay);
        insta::assert_snapshot!(format!("option_{key}_{value}"), steps);
    }
}

#[test]
fn what_comes_late_into_a_stripped_episode_arrives_stripped() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s", act("a", &[]))], 0);
    log.reply(&[call("late", "grep"), mark("x", end(""))]).result("x", "ok");
    log.step(&[text(300)], 0).reply(&[text(1)]);
    let played_before = play(&log, 200, &[]);
    assert_eq!(played_before.now().levels[0], 4);
    log.result("late", &"y".repeat(1000)).reply(&[text(1)]);
    let played = play(&log, 200, &[]);
    insta::assert_snapshot!(played.dump());
    assert_eq!(played.replay.n_steps(), played_before.replay.n_steps(), "its size is in no step");
}

#[test]
fn a_call_that_comes_back_without_its_result_goes_after_it() {
    let mut late = LogBuilder::new();
    late.reply(&[mark("s", expl("look"))]).reply(&[mark("x", end(""))]).reply(&[mark("y", end(""))]);
    // The harness removes the calls. The second end becomes known first, and its result goes with the
    // episode.
    late.result("s", "ok").compaction("", "").result("y", "long").reply(&[]);
    // The first end becomes known late, so the second belongs to an open stretch, where its call returns.
    late.result("x", "ok").compaction("", "e3").reply(&[text(1)]);
    let mut by_item = LogBuilder::new();
    by_item.human("task").step(&[mark("s", expl("look"))], 0);
    by_item.step(&[call("a", "grep"), call("b", "grep")], 300).step(&[mark("x", end(""))], 0);
    // The calls go without their results, one result goes as an item of a level, and the calls return.
    by_item.compaction("", "e5").reply(&[text(1)]).compaction("", "e4").reply(&[text(1)]);
    for (log, policy, budget, setting, lone_call) in [
        (&late, "cwl", 0, None, "y"),
        (&late, "fold", 0, None, "y"),
        (&by_item, "cwl", 400, Some(("granularity", "item")), "a"),
    ] {
        let played = play_policy(policy, log, budget, setting.as_slice());
        let context = played.context(Cut::end_of(played.session.last_turn()));
        assert_eq!(halves(&played.session, &context), [], "{policy}: {}", played.dump());
        let is_lone = |block: &SessionBlock| match &block.kind {
            BlockKind::Call(call) => call.id.as_str() == lone_call,
            _ => false,
        };
        let at = played.session.blocks.iter().position(is_lone).unwrap();
        let presence = played.now().presence(BlockIdx::new(at));
        assert!(matches!(presence, Presence::ArrivedStripped(_)), "{policy}: {presence:?}");
    }
}

#[test]
fn a_compaction_empties_episodes_and_frees_what_they_hold() {
    let mut log = story();
    log.compaction("the story so far", "");
    log.reply(&[text(1)]);
    let played = play(&log, 1_000_000, &[]);
    let state = played.now();
    assert!(state.levels[..4].iter().all(|level| *level == 4), "level 4 by the harness: {:?}", state.levels);
    assert_eq!(played.replay.n_steps(), 0);
    assert_eq!(played.replay.turns.last().unwrap().after, "the story so far".len() as u64 + 1);
    let ignored = play(&log, 1_000_000, &[("ignore_compaction", "true")]);
    assert_eq!(ignored.replay.turns.last().unwrap().after, full() + 1);
}

#[test]
fn a_description_comes_back_with_what_the_harness_puts_back() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s", expl("look"))], 0).step(&[call("g", "grep")], 300);
    log.step(&[mark("x", end("seen"))], 0).reply(&[text(1)]).compaction("nothing stays", "");
    log.reply(&[text(1)]).compaction("from the task on", "e1").reply(&[text(1)]);
    let played = play(&log, 20, &[]);
    let n_residues = |turn| played.state(Cut::end_of(TurnIdx::new(turn))).residues.len();
    assert_eq!((1..=7).map(n_residues).collect::<Vec<_>>(), [0, 0, 0, 1, 0, 1, 1], "{}", played.dump());
}

#[test]
fn an_episode_may_go_or_there_is_a_reason_why_not() {
    let check = |budget: u64, setting: Option<(&str, &str)>, turn: u32, expected: [&str; 4]| {
        let played = play(&story(), budget, setting.as_slice());
        let (state, options) = (played.state(Cut::end_of(TurnIdx::new(turn))), &played.replay.options);
        let waits = Waits::new(&played.growth, &state);
        let found = [0, 1, 2, 3].map(|at| {
            let idx = EpisodeIdx::new(at);
            match eligibility_among(&played.session, options, &waits, idx) {
                Eligibility::Eligible => "may go".to_owned(),
                Eligibility::Blocked(BlockReason::Dependents(acts)) => {
                    let names = acts.iter().map(|act| played.growth.graph.episode(*act).name.to_string());
                    format!("for {}", names.collect::<Vec<_>>().join(" and "))
                }
                Eligibility::Blocked(reason) => format!("{reason:?}"),
            }
        });
        assert_eq!(found, expected, "look, probe, fix, test at turn {turn} under {budget} with {setting:?}");
    };
    check(full(), None, 1, ["Unborn"; 4]);
    check(full(), None, 3, ["Active", "Unborn", "Unborn", "Unborn"]);
    check(full(), None, 17, ["for fix and test", "for test", "may go", "may go"]);
    check(10, None, 17, ["Gone"; 4]);
    check(2000, Some(("levels", "23")), 17, ["for fix and test", "for test", "LevelsOff", "LevelsOff"]);
    check(
        full(),
        Some(("protected_turns", "2")),
        17,
        ["for fix and test", "for test", "Protected", "Protected"],
    );
}

#[test]
fn a_compaction_keeps_from_a_record_and_stands_before_it() {
    let mut log = LogBuilder::new();
    log.human("one").reply(&[text(3)]).human("two").reply(&[text(4)]);
    log.compaction("sum", "e3").reply(&[text(5)]).compaction("again", "e6").reply(&[text(6)]);
    insta::assert_snapshot!(play(&log, 1000, &[]).dump());
    let first = play(&log, 1000, &[]).context(Cut::end_of(TurnIdx::new(3)));
    assert_eq!(first.total, ("sum".len() + "two".len() + 4) as u64);
}

#[test]
fn options_are_refused_with_what_they_take() {
    let policy = Policy::find("cwl").unwrap();
    let mut options = PolicyOptions::default();
    let mut error = |key, value| options.set_from_text(policy, key, value).unwrap_err().to_string();
    assert_eq!(error("granularity", "word"), "`granularity` takes level|item, not `word`");
    assert_eq!(error("low_water", "0"), "`low_water` takes 1..1000 per mille, not `0`");
    assert_eq!(error("levels", "125"), "`levels` takes any of 1234, not `125`");
    assert_eq!(
        error("lowwater", "1"),
        "cwl has no option `lowwater`; it has: classify_shell, ignore_compaction, ignore_eviction, keep_last_turn, granularity, low_water, \
         protected_turns, levels, residue"
    );
    let none = Policy::find("none").unwrap();
    assert!(
        PolicyOptions::default().set_from_text(none, "classify_shell", "false").is_ok(),
        "every policy takes them"
    );
    assert!(PolicyOptions::default().set_from_text(none, "levels", "1").is_err());
}
