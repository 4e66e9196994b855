//! Human words inside tool results, and the last reply of a loop with signed reasoning: both stay.

use crate::common::{Played, call, mark, play, play_policy, text};
use cwl_engine::testing::{LogBuilder, Part, act, end, expl};
use cwl_engine::*;

/// An exploration with an answer and a refusal by the human, and an act that draws on it.
fn asked() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("go");
    log.step(&[mark("m1", expl("look"))], 2);
    log.step(&[text(10), call("c1", "read")], 400);
    log.reply(&[call("c2", "ask")]).result("c2", "only staging, never touch prod");
    log.reply(&[call("c3", "bash")]).refusal("c3", "The tool was refused. The human said: ", "use port 5433");
    log.reply(&[call("c4", "bash")]).failure("c4", "no such file");
    log.step(&[mark("m2", end("learned"))], 2);
    log.step(&[mark("m3", act("do", &["look"]))], 2);
    log.step(&[call("c5", "edit")], 100);
    log.step(&[mark("m4", end(""))], 2);
    log.human("and now?");
    log
}

/// Lists the tools of sent calls, each with whether its result is sent.
fn sent(played: &Played) -> Vec<String> {
    let context = played.context(Cut::end_of(played.session.last_turn()));
    let items = context.messages.iter().flat_map(|message| &message.items);
    let kept =
        items.filter(|item| item.fate.is_kept()).map(|item| &played.session.blocks[item.block.at()].kind);
    let told = kept.filter_map(|kind| match kind {
        BlockKind::Call(call) => Some(call.id.as_str().to_string()),
        BlockKind::Result(result) => Some(format!("{}=", result.call.as_str())),
        _ => None,
    });
    told.collect()
}

#[test]
fn what_the_human_said_in_a_result_stays_with_its_call() {
    for policy in Policy::ALL.iter().filter(|policy| !policy.is_as_shipped && policy.name != "none") {
        let log = asked();
        let played = play_policy(policy.name, &log, 60, &[]);
        let sent = sent(&played);
        for kept in ["c2", "c2=", "c3", "c3="] {
            assert!(sent.iter().any(|one| one == kept), "{}: {kept} is sent: {sent:?}", policy.name);
        }
    }
}

#[test]
fn an_episode_goes_whole_around_words_of_the_human() {
    let played = play(&asked(), 60, &[]);
    assert_eq!(sent(&played), ["c2", "c2=", "c3", "c3="]);
    let state = played.now();
    assert!(state.levels.iter().all(|level| *level == 4), "the words hold no episode back");
    let context = played.context(Cut::end_of(played.session.last_turn()));
    let reasons =
        context.messages.iter().flat_map(|message| &message.items).filter_map(|item| match &item.fate {
            Fate::Kept(reason) => Some(reason.clone()),
            _ => None,
        });
    assert!(reasons.clone().count() == 6 && reasons.clone().all(|reason| reason == KeptReason::Human));
}

#[test]
fn the_published_filter_takes_them_as_shipped() {
    let settings = [("delimiter", "table")];
    let played = play_policy("pi-cwl", &asked(), 60, &settings);
    assert!(!sent(&played).iter().any(|one| one == "c2=" || one == "c3="), "{:?}", sent(&played));
}

#[test]
fn words_are_counted_as_the_humans_and_the_rest_is_not() {
    let played = play(&asked(), 60, &[]);
    let bands = |by| bands_by_turn(&played.input(), &played.replay, by).pop().unwrap();
    let of = |bands: &BandTokens, band: Band| bands[band as usize];
    // `go`, `and now?`, the answer and the words of the refusal.
    let human = 2 + 8 + 30 + 13;
    assert_eq!(of(&bands(BandsBy::Content), Band::Human), human);
    assert_eq!(of(&bands(BandsBy::Content), Band::Results), 0);
    assert_eq!(
        of(&bands(BandsBy::Content), Band::Shell),
        "The tool was refused. The human said: ".len() as u64
    );
    assert_eq!(of(&bands(BandsBy::Content), Band::Calls), 7);
}

/// A loop whose last reply ends the episode of its signed reasoning.
fn thinking() -> LogBuilder {
    let signed = |n: usize| Part::Signed("r".repeat(n));
    let mut log = LogBuilder::new();
    log.human("go");
    log.step(&[mark("m1", expl("look"))], 5);
    log.step(&[signed(250), call("c1", "read")], 200);
    log.step(&[signed(300), mark("m2", end("found it"))], 3);
    log
}

fn check_thinking(log: &LogBuilder, budget: u64, expected: (&[usize], u64)) {
    let played = play(log, budget, &[]);
    let context = played.context(Cut::end_of(played.session.last_turn()));
    let items = || context.messages.iter().flat_map(|message| &message.items);
    let is_reasoning =
        |item: &&RenderedItem| matches!(played.session.blocks[item.block.at()].kind, BlockKind::Reasoning);
    let sizes: Vec<usize> = items()
        .filter(|item| item.fate.is_kept())
        .filter(is_reasoning)
        .map(|item| usize::try_from(played.table.units(item.block)).unwrap())
        .collect();
    assert_eq!((&*sizes, context.total), expected, "τ = {budget}");
    assert_eq!(find_violations(&played.session, &context, Provider::Anthropic), []);
}

#[test]
fn the_last_reply_of_a_loop_keeps_its_signed_reasoning() {
    let mut log = thinking();
    check_thinking(&log, 1000, (&[250, 300], 778));
    // The first reasoning goes, the last stays and is part of the total.
    check_thinking(&log, 600, (&[300], 528));
    check_thinking(&log, 450, (&[300], 324));
    check_thinking(&log, 100, (&[300], 328));
    // After the next reply, the previous one is like all others.
    log.reply(&[text(5)]).human("next");
    check_thinking(&log, 450, (&[], 33));
}

#[test]
fn words_of_the_human_end_the_loop() {
    let mut log = thinking();
    log.human("next");
    check_thinking(&log, 450, (&[], 232));
}

#[test]
fn a_reply_of_unsent_reasoning_alone_is_no_last_reply() {
    let mut log = thinking();
    log.reply(&[Part::Unsent("u".repeat(40))]);
    check_thinking(&log, 450, (&[300], 324));
    check_thinking(&log, 100, (&[300], 328));
}

#[test]
fn a_rewind_that_opens_a_loop_again_brings_its_signed_reasoning_back() {
    let mut log = thinking();
    log.reply(&[text(5)]).human("next").reply(&[text(7)]);
    check_thinking(&log, 450, (&[], 40));
    log.rewind(RewriteTarget::From(EntryId::new("e8")));
    check_thinking(&log, 450, (&[300], 324));
}

#[test]
fn reasoning_without_a_signature_goes_as_before() {
    let mut log = LogBuilder::new();
    log.human("go");
    log.step(&[mark("m1", expl("look"))], 5);
    log.step(&[Part::Reasoning("r".repeat(300)), mark("m2", end("found it"))], 3);
    check_thinking(&log, 100, (&[], 24));
}

#[test]
fn a_request_without_it_would_be_refused() {
    let played = play_policy("pi-cwl", &thinking(), 450, &[("delimiter", "table")]);
    let context = played.context(Cut::end_of(played.session.last_turn()));
    let names = |provider| -> Vec<&str> {
        find_violations(&played.session, &context, provider).iter().map(Violation::name).collect()
    };
    assert!(names(Provider::Anthropic).contains(&"reasoning-missing"), "{:?}", names(Provider::Anthropic));
    assert!(!names(Provider::OpenAiResponses).contains(&"reasoning-missing"));
}
