//! The policy `pi-cwl` with reused names: totals, steps and context agree, also for sequences of events only
//! pi writes.

use crate::common::random::n_cases;
use crate::common::{Played, call, options_of, reasoning};
use crate::pi_cwl::{close, equals_plain};
use cwl_engine::testing::{LogBuilder, Part, act, expl};
use cwl_engine::*;
use proptest::prelude::*;

/// An agent with few names, so most are reused.
#[derive(Debug, Clone)]
enum Deed {
    Start { name: usize, is_act: bool, lists: Vec<usize> },
    End(usize),
    Work(usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (0..4usize, any::<bool>(), prop::collection::vec(0..4usize, 0..3))
            .prop_map(|(name, is_act, lists)| Deed::Start { name, is_act, lists }),
        5 => (0..4usize).prop_map(Deed::End),
        2 => (0..120usize).prop_map(Deed::Work),
    ]
}

fn name(number: &usize) -> String {
    format!("n{number}")
}

fn log_of(deeds: &[Deed]) -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("go");
    for (at, deed) in deeds.iter().enumerate() {
        let id = format!("c{at}");
        let mark = match deed {
            Deed::Start { name: own, is_act, lists } => {
                let lists: Vec<String> = lists.iter().map(name).collect();
                let lists: Vec<&str> = lists.iter().map(String::as_str).collect();
                match (act(&name(own), &lists), expl("x")) {
                    (
                        DelimiterMark::Open { name, dependencies, odd, .. },
                        DelimiterMark::Open { kind, .. },
                    ) if !is_act => DelimiterMark::Open { name, kind, dependencies, odd },
                    (start, _) => start,
                }
            }
            Deed::End(own) => close(&name(own)),
            Deed::Work(n_bytes) => {
                let tool = ["grep", "read", "edit"][n_bytes % 3];
                log.step(&[reasoning(n_bytes / 3), call(&id, tool)], *n_bytes);
                continue;
            }
        };
        log.reply(&[Part::Mark(id.clone(), mark.clone())]).recorded(&id, "ok", true, mark);
    }
    log
}

/// Checks that replay, steps, context and messages agree on every turn's total.
fn one_total(played: &Played) -> Result<(), TestCaseError> {
    for (outcome, number) in played.replay.turns.iter().zip(1..) {
        let turn = TurnIdx::new(number);
        let pass = played.pass(turn);
        let left = pass.steps.last().map_or(outcome.before, |step| step.after);
        prop_assert_eq!(left, outcome.after, "turn {}: the last step", turn);
        let context = played.context(Cut::end_of(turn));
        prop_assert_eq!(context.total, outcome.after, "turn {}: the context", turn);
        let sum: u64 = context.messages.iter().map(|message| message.tokens).sum();
        prop_assert_eq!(sum, outcome.after, "turn {}: the messages", turn);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases() / 4))]

    #[test]
    fn names_that_are_used_again(
        deeds in prop::collection::vec(deed(), 0..40),
        budget in 0..500u64,
        divisor in prop::sample::select(vec![1u32, 4]),
    ) {
        let options = options_of("pi-cwl", &[("delimiter", "exact")]);
        let played = Played::replay("pi-cwl", &log_of(&deeds), budget, 7, divisor, &options);
        equals_plain(&played)?;
        one_total(&played)?;
    }
}

/// The smallest case: `a` goes before `x`; then `x` begins again and draws on `a`, so `a` goes after it.
#[test]
fn a_name_used_again_that_draws_on_what_went_before_it() {
    let start = |name, lists: &[usize]| Deed::Start { name, is_act: true, lists: lists.to_vec() };
    let deeds = [
        start(0, &[]),
        Deed::End(0),
        start(1, &[]),
        Deed::End(1),
        start(2, &[]),
        Deed::Work(300),
        Deed::End(2),
    ];
    let again = deeds.into_iter().chain([start(1, &[0])]).collect::<Vec<_>>();
    let options = options_of("pi-cwl", &[]);
    let played = Played::replay("pi-cwl", &log_of(&again), 60, 0, 1, &options);
    equals_plain(&played).unwrap();
    one_total(&played).unwrap();
    let last = pi_cwl_pass(&played.input(), played.session.last_turn());
    let names: Vec<&str> = last.evicted.iter().flatten().map(EpisodeName::as_str).collect();
    assert_eq!(names, ["n1", "n0", "n2"]);
}

/// Checks the remaining messages, computed directly and from the context.
fn check_left(log: &LogBuilder, budget: u64, expected: &[&str]) {
    let played = Played::replay("pi-cwl", log, budget, 0, 1, &options_of("pi-cwl", &[]));
    let Played { session, .. } = &played;
    let entry = |message: &MessageIdx| session.messages[message.at()].entry.to_string();
    let listed: Vec<String> =
        pi_cwl_pass(&played.input(), session.last_turn()).messages.iter().map(entry).collect();
    let context = played.context(Cut::end_of(session.last_turn()));
    let is_there =
        |item: &RenderedItem| !matches!(item.fate, Fate::Gone(ref reason) if *reason != GoneReason::Excluded);
    let there = context
        .messages
        .iter()
        .filter(|message| message.items.is_empty() || message.items.iter().any(is_there));
    let there: Vec<String> = there
        .filter_map(|message| match &message.origin {
            MessageOrigin::Log(message) => Some(entry(message)),
            _ => None,
        })
        .collect();
    assert_eq!(listed, expected, "listed");
    assert_eq!(there, expected, "in the context");
}

#[test]
fn messages_without_a_block_go_with_what_is_around_them() {
    let mut log = LogBuilder::new();
    log.human("p");
    log.reply(&[Part::Mark("s".into(), expl("a"))]).recorded("s", "start", true, expl("a"));
    log.reply(&[]).human("h");
    log.reply(&[Part::Mark("e".into(), close("a"))]).recorded("e", "end", true, close("a"));
    check_left(&log, 5, &["e1", "e2", "e5"]);
    // Nothing is evicted below the budget.
    check_left(&log, 500, &["e1", "e2", "e3", "e4", "e5", "e6", "e7"]);

    let mut log = LogBuilder::new();
    log.human("p").reply_with(ReplyOutcome::Error, &[]).human("kept").compaction("S", "e3").human("n");
    check_left(&log, 5, &["e4", "e3", "e5"]);

    let mut log = LogBuilder::new();
    log.human("p").reply(&[]).rewind(RewriteTarget::Turns(1)).human("n");
    check_left(&log, 5, &["e4"]);
}

#[test]
fn what_is_not_sent_counts() {
    let mut log = LogBuilder::new();
    log.human("p").human_shell(&"q".repeat(400), true);
    let options = options_of("pi-cwl", &[]);
    let played = Played::replay("pi-cwl", &log, 5, 0, 4, &options);
    assert_eq!(played.replay.turns[0].after, 101);
    one_total(&played).unwrap();
    let played = Played::replay("cwl", &log, 5, 0, 4, &options_of("cwl", &[]));
    assert_eq!(played.replay.turns[0].after, 1);
    one_total(&played).unwrap();
}

/// Checks which names are evicted under a rule if results of `tool` mark a segment.
fn check_rule(tool: &str, rule: &str, expected: &[&str]) {
    let mut log = LogBuilder::new();
    log.human("p");
    for (id, mark) in [("s", expl("a")), ("e", close("a"))] {
        log.reply(&[call(id, tool)]).recorded_as(tool, id, "done", true, mark);
    }
    let options = options_of("pi-cwl", &[("delimiter", rule)]);
    let played = Played::replay("pi-cwl", &log, 1, 0, 1, &options);
    equals_plain(&played).unwrap();
    let last = pi_cwl_pass(&played.input(), played.session.last_turn());
    let names: Vec<&str> = last.evicted.iter().flatten().map(EpisodeName::as_str).collect();
    assert_eq!(names, expected, "{tool} under {rule}");
}

#[test]
fn which_results_mark_segments() {
    check_rule("delimiter", "exact", &["a"]);
    check_rule("delimiter", "table", &["a"]);
    check_rule("mcp__cwl__delimiter", "exact", &[]);
    check_rule("mcp__cwl__delimiter", "table", &["a"]);
    check_rule("read", "exact", &[]);
    check_rule("read", "table", &[]);
}
