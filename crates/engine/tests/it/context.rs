//! Contexts: reasons, positions of residues, and what providers would refuse.

use crate::common::{call, mark, play, reasoning, text};
use cwl_engine::testing::{LogBuilder, Part, act, end, expl};
use cwl_engine::{Cut, Provider, ReplyOutcome, find_violations};

#[test]
fn every_reason_has_its_words() {
    let mut log = LogBuilder::new();
    log.human("task")
        .reply(&[text(3)])
        .injected("reminder")
        .human_shell("ls", false)
        .human_shell("secret", true);
    log.step(&[mark("s1", expl("look"))], 0).step(&[reasoning(9), call("g", "grep")], 30);
    log.step(&[mark("x1", end("seen")), text(4)], 0).human("more");
    log.step(&[mark("s2", act("fix", &["look"]))], 0).result("nobody", "stray");
    log.step(&[mark("x2", end(""))], 0).step(&[mark("s3", act("open", &["look"]))], 0);
    insta::assert_snapshot!(play(&log, 130, &[]).dump());
}

#[test]
fn a_step_back_restores() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s1", expl("look"))], 0).step(&[reasoning(9), call("g", "grep")], 90);
    log.step(&[mark("x1", end("seen"))], 0).human(&"q".repeat(200));
    let played = play(&log, 20, &[]);
    let turn = played.session.last_turn();
    let steps = played.pass(turn).steps.into_owned();
    assert_eq!(steps.len(), 3, "reasoning, bulk, remove");
    for step in (0..steps.len()).rev() {
        let context = played.context(Cut { turn, step });
        assert_eq!(context.total, steps[step].before, "before a step is after the one before it");
    }
}

fn check(log: &LogBuilder, provider: Provider, names: &[&str]) {
    let played = play(log, u64::MAX, &[]);
    let context = played.context(Cut::end_of(played.session.last_turn()));
    let found: Vec<&str> =
        find_violations(&played.session, &context, provider).iter().map(|v| v.name()).collect();
    assert_eq!(found, names, "{provider:?}");
}

#[test]
fn providers_refuse_halves_empty_replies_and_wrong_beginnings() {
    let mut log = LogBuilder::new();
    log.human("a").step(&[call("c", "read")], 3).reply(&[text(1)]);
    check(&log, Provider::Anthropic, &[]);
    let mut unanswered = LogBuilder::new();
    unanswered.human("a").reply(&[call("c", "read")]).human("b").reply(&[text(1)]);
    check(&unanswered, Provider::Anthropic, &["call-without-result"]);
    let mut running = LogBuilder::new();
    running.human("a").reply(&[call("c", "read")]);
    check(&running, Provider::Anthropic, &[]);
    let mut stray = LogBuilder::new();
    stray.human("a").result("c", "x").reply(&[text(1)]);
    check(&stray, Provider::OpenAiChat, &["result-without-call"]);
    let mut empty = LogBuilder::new();
    empty.human("a").reply(&[]).human("b").reply(&[text(1)]);
    check(&empty, Provider::Anthropic, &["empty-reply"]);
    for undocumented in [Provider::OpenAiResponses, Provider::OpenAiChat, Provider::Gemini] {
        check(&empty, undocumented, &[]);
    }
}

#[test]
fn a_call_that_is_written_anew_has_the_result_of_the_one_before() {
    let mut log = LogBuilder::new();
    log.human("a")
        .step(&[call("c", "read")], 3)
        .call_revision("e2", "c", "read")
        .human("b")
        .reply(&[text(1)]);
    let session = play(&log, u64::MAX, &[]).session;
    assert!(!session.odd_call_ids, "calls find their results by the pairs of the session");
    assert!(session.blocks.iter().any(|block| block.stands_for.is_some()));
    for provider in [Provider::Anthropic, Provider::OpenAiResponses] {
        check(&log, provider, &[]);
    }
}

#[test]
fn an_order_of_roles_is_refused_only_where_that_is_documented() {
    const ALL: [Provider; 5] = [
        Provider::Anthropic,
        Provider::OpenAiResponses,
        Provider::OpenAiChat,
        Provider::Gemini,
        Provider::Pi,
    ];
    let mut model_first = LogBuilder::new();
    model_first.reply(&[text(1)]).human("a").reply(&[text(1)]);
    let mut twice = LogBuilder::new();
    twice.human("a").human("b").reply(&[text(1)]).reply(&[text(1)]);
    for provider in ALL {
        check(&model_first, provider, &[]);
        check(&twice, provider, &[]);
    }
    let mut call_first = LogBuilder::new();
    call_first.step(&[call("c", "read")], 3).step(&[call("d", "read")], 3).human("a").reply(&[text(1)]);
    let mut call_behind_reply = LogBuilder::new();
    call_behind_reply.human("a").reply(&[text(1)]).step(&[call("c", "read")], 3).reply(&[text(1)]);
    for provider in ALL {
        let expected: &[&str] = if provider == Provider::Gemini { &["call-not-after-user"] } else { &[] };
        check(&call_first, provider, expected);
        check(&call_behind_reply, provider, expected);
    }
}

#[test]
fn reasoning_that_signed_a_call_is_refused_without_it() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s", act("a", &[]))], 0).step(&[reasoning(9), call("g", "grep")], 90);
    log.step(&[mark("x", end(""))], 0).human(&"q".repeat(200));
    // An act's reasoning stays until the whole act goes, unlike its searches.
    let full = play(&log, u64::MAX, &[]).replay.turns.last().unwrap().after;
    let played = play(&log, full - 1, &[]);
    let context = played.context(Cut::end_of(played.session.last_turn()));
    let names = |provider| -> Vec<&str> {
        find_violations(&played.session, &context, provider).into_iter().map(|v| v.name()).collect()
    };
    assert_eq!(names(Provider::Anthropic), ["reasoning-apart"]);
    assert_eq!(names(Provider::OpenAiResponses), ["reasoning-apart"]);
    assert!(!names(Provider::Gemini).contains(&"reasoning-apart"), "its signature is a part of the call");
    assert_eq!(names(Provider::OpenAiChat), [] as [&str; 0]);
    assert_eq!(names(Provider::Pi), [] as [&str; 0]);
}

#[test]
fn a_reply_that_failed_is_counted_and_not_sent() {
    let mut log = LogBuilder::new();
    let parts = [Part::Text("half".into()), call("c", "read")];
    log.human("a").reply_with(ReplyOutcome::Aborted, &parts).result("c", "late").reply(&[text(1)]);
    check(&log, Provider::Anthropic, &[]);
    let played = play(&log, u64::MAX, &[]);
    assert_eq!(played.replay.turns.last().unwrap().after, 1 + 4 + 4 + 4 + 1, "it is in every total");
}

#[test]
fn a_report_of_nothing_replaces_none() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[text(1)]).reported(7).reported(0).human("b").reply(&[text(2)]).reported(9);
    let played = play(&log, 100, &[]);
    let inputs: Vec<Option<u64>> =
        played.session.messages.iter().map(|message| message.usage.map(|usage| usage.input)).collect();
    assert_eq!(inputs, [None, Some(7), None, Some(9)]);
}

#[test]
fn calls_of_one_message_that_share_an_id_are_answered_in_their_order() {
    let mut log = LogBuilder::new();
    log.human("go");
    log.reply(&[call("same", "read"), call("same", "grep")]).result("same", "one").result("same", "two");
    log.human("next");
    let played = play(&log, 1000, &[]);
    let names: Vec<Option<String>> = ["e3:0", "e4:0"]
        .iter()
        .map(|id| {
            let result = played.session.blocks.iter().find(|block| block.id.to_string() == *id).unwrap();
            result.pair.map(|call| played.session.blocks[call.at()].id.to_string())
        })
        .collect();
    assert_eq!(names, [Some("e2:0".to_string()), Some("e2:1".to_string())]);
    let context = played.context(Cut::end_of(played.session.last_turn()));
    for provider in [Provider::Anthropic, Provider::OpenAiChat, Provider::Pi] {
        assert_eq!(find_violations(&played.session, &context, provider), [], "{provider:?}");
    }
}
