//! The policy `pi-cwl`: what each step evicts, and the fast form against the plain one on random sessions.

use crate::common::random::n_cases;
use crate::common::{Played, call, options_of, reasoning, text};
use cwl_engine::testing::{LogBuilder, Part, act, expl, plain_pi_cwl};
use cwl_engine::*;
use proptest::prelude::*;

pub(crate) fn close(name: &str) -> DelimiterMark {
    DelimiterMark::Close { name: Some(name.into()), description: None, odd: Vec::new() }
}

#[derive(Debug, Clone)]
enum Beat {
    Human(usize),
    HumanShell(bool),
    Injected(usize),
    Reply(Vec<ReplyPart>, bool),
    Answer(usize, bool),
    Compact(usize),
    Clear(usize),
    Rewind(usize),
    Stray(usize),
}

#[derive(Debug, Clone)]
enum ReplyPart {
    Text(usize),
    Reasoning(usize),
    Call(usize),
    /// A call with a reused id.
    Again(usize),
    Start(usize, bool, Vec<usize>),
    End(usize),
}

fn reply_part() -> impl Strategy<Value = ReplyPart> {
    prop_oneof![
        1 => (0..40usize).prop_map(ReplyPart::Text),
        2 => (0..40usize).prop_map(ReplyPart::Reasoning),
        5 => (0..6usize).prop_map(ReplyPart::Call),
        1 => (0..30usize).prop_map(ReplyPart::Again),
        4 => (0..6usize, any::<bool>(), prop::collection::vec(0..7usize, 0..3))
            .prop_map(|(name, is_act, lists)| ReplyPart::Start(name, is_act, lists)),
        5 => (0..6usize).prop_map(ReplyPart::End),
    ]
}

/// `odd` is the rate of records that no harness would write.
fn beat(odd: u32) -> impl Strategy<Value = Beat> {
    prop_oneof![
        2 => (0..60usize).prop_map(Beat::Human),
        1 => any::<bool>().prop_map(Beat::HumanShell),
        1 => (0..60usize).prop_map(Beat::Injected),
        10 => (prop::collection::vec(reply_part(), 0..4), prop::bool::weighted(0.05)).prop_map(|(p, e)| Beat::Reply(p, e)),
        16 => (0..200usize, prop::bool::weighted(0.9)).prop_map(|(n, ok)| Beat::Answer(n, ok)),
        odd => (0..30usize).prop_map(Beat::Compact),
        odd => (0..12usize).prop_map(Beat::Clear),
        odd => (0..30usize).prop_map(Beat::Rewind),
        odd => (0..30usize).prop_map(Beat::Stray),
    ]
}

/// Turns beats into a log. Results answer the oldest pending call, so some come late or never; ends name the
/// newest start, or any.
fn log_of(beats: &[Beat], recorded: bool) -> LogBuilder {
    let mut log = LogBuilder::new();
    let mut waiting: Vec<(String, Option<DelimiterMark>)> = Vec::new();
    let mut newest = String::from("n0");
    let mut n_calls = 0usize;
    for beat in beats {
        match beat {
            Beat::Human(n) => log.human(&"h".repeat(*n)),
            Beat::HumanShell(excluded) => log.human_shell("ls -la", *excluded),
            Beat::Injected(n) => log.injected(&"i".repeat(*n)),
            Beat::Stray(n) => log.result(&format!("c{n}"), "stray"),
            Beat::Compact(n) => {
                let from = log.log.events().len().saturating_sub(*n).max(1);
                log.compaction(&"s".repeat(*n), &if *n == 0 { String::new() } else { format!("e{from}") })
            }
            Beat::Clear(n) => log.clearing(&format!("c{}", n_calls.saturating_sub(*n)), "cleared"),
            Beat::Rewind(n) => log.rewind(RewriteTarget::Turns(u32::try_from(n / 6).unwrap())),
            Beat::Answer(n, ok) => {
                let at = if n % 7 == 0 { waiting.len().saturating_sub(1) } else { 0 };
                if waiting.is_empty() {
                    continue;
                }
                let (id, mark) = waiting.remove(at);
                let body = "x".repeat(*n);
                match mark {
                    Some(mark) if recorded => log.recorded(&id, &body, *ok, mark),
                    _ if *ok => log.result(&id, &body),
                    _ => log.failure(&id, &body),
                }
            }
            Beat::Reply(pieces, failed) => {
                let mut part_of = |piece: &ReplyPart| {
                    n_calls += 1;
                    let id = format!("c{n_calls}");
                    let name = |n: &usize| format!("n{n}");
                    let (id, mark) = match piece {
                        ReplyPart::Text(n) => return text(*n),
                        ReplyPart::Reasoning(n) => return reasoning(*n),
                        ReplyPart::Call(tool) => {
                            waiting.push((id.clone(), None));
                            return call(&id, ["grep", "read", "edit", "bash", "ls", "Grep"][*tool]);
                        }
                        ReplyPart::Again(n) => {
                            let id = format!("c{}", n_calls.saturating_sub(*n).max(1));
                            waiting.push((id.clone(), None));
                            return call(&id, ["bash", "read", "edit"][n % 3]);
                        }
                        ReplyPart::Start(n, is_act, lists) => {
                            newest = name(n);
                            let lists: Vec<String> = lists.iter().map(name).collect();
                            let lists: Vec<&str> = lists.iter().map(String::as_str).collect();
                            let start = act(&newest, &lists);
                            let start = match (start, expl("x")) {
                                (DelimiterMark::Open { dependencies, .. }, _)
                                    if n_calls.is_multiple_of(9) =>
                                {
                                    let (field, is_act) = (MarkField::Name, *is_act);
                                    DelimiterMark::Malformed { field, name: None, is_act, dependencies }
                                }
                                (DelimiterMark::Open { name, dependencies, .. }, _)
                                    if !is_act && n_calls.is_multiple_of(4) =>
                                {
                                    let (field, name) = (MarkField::Type, Some(name));
                                    DelimiterMark::Malformed { field, name, is_act: false, dependencies }
                                }
                                (
                                    DelimiterMark::Open { name, dependencies, odd, .. },
                                    DelimiterMark::Open { kind, .. },
                                ) if !is_act => DelimiterMark::Open { name, kind, dependencies, odd },
                                (start, _) => start,
                            };
                            (id, start)
                        }
                        ReplyPart::End(n) if *n > 3 => (id, close(&name(n))),
                        ReplyPart::End(0) => {
                            let name = (!n_calls.is_multiple_of(3)).then(|| newest.as_str().into());
                            let (field, is_act) = (MarkField::Action, false);
                            (id, DelimiterMark::Malformed { field, name, is_act, dependencies: None })
                        }
                        ReplyPart::End(_) => (id, close(&newest)),
                    };
                    waiting.push((id.clone(), Some(mark.clone())));
                    Part::Mark(id, mark)
                };
                let parts: Vec<Part> = pieces.iter().map(&mut part_of).collect();
                let outcome = if *failed { ReplyOutcome::Error } else { ReplyOutcome::Complete };
                log.reply_with(outcome, &parts)
            }
        };
    }
    log
}

/// Compares every turn with the plain form: totals, steps, names, messages, and the journal of moves.
pub(crate) fn equals_plain(played: &Played) -> Result<(), TestCaseError> {
    let Played { session, growth, table, pins, replay, .. } = played;
    let mut out = vec![false; session.blocks.len()];
    for (at, outcome) in replay.turns.iter().enumerate() {
        let turn = TurnIdx::new(u32::try_from(at + 1).unwrap());
        let plain = plain_pi_cwl(session, table, pins, replay.options.delimiter, replay.budget, turn);
        let fast = pi_cwl_pass(&played.input(), turn);
        prop_assert_eq!((fast.before, fast.after), (plain.before, plain.after), "turn {}", turn);
        let steps: Vec<_> = fast
            .pass
            .steps
            .iter()
            .map(|step| {
                let Subject::Segment { name, .. } = &step.subject else { panic!("{:?}", step.subject) };
                let blocks = fast.pass.blocks_of(step).to_vec();
                (name.clone(), step.action, step.before, step.after, blocks)
            })
            .collect();
        prop_assert_eq!(&steps, &plain.steps, "turn {}", turn);
        prop_assert_eq!(&fast.evicted, &plain.evicted, "turn {}", turn);
        prop_assert_eq!(&fast.messages, &plain.messages, "turn {}", turn);
        prop_assert_eq!((outcome.before, outcome.after), (plain.before, plain.after), "turn {}", turn);
        prop_assert_eq!(outcome.n_steps as usize, plain.steps.len(), "turn {}", turn);
        replay.moves_of(turn, |one| match one {
            Move::Out(block) => assert!(!std::mem::replace(&mut out[block.at()], true)),
            Move::In(block) => assert!(std::mem::replace(&mut out[block.at()], false)),
            other => panic!("{other:?}"),
        });
        let mut expected = vec![false; session.blocks.len()];
        let taken = plain.steps.iter().flat_map(|(_, _, _, _, blocks)| blocks);
        taken.for_each(|block| expected[block.at()] = true);
        prop_assert_eq!(&out, &expected, "turn {}: what is out", turn);
    }
    prop_assert_eq!(growth.n_turns(), replay.turns.len());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases()))]

    #[test]
    fn the_fast_form_equals_the_plain_one(
        beats in prop_oneof![
            2 => prop::collection::vec(beat(0), 0..60),
            1 => prop::collection::vec(beat(1), 0..60),
        ],
        recorded in prop::bool::weighted(0.8),
        budget in 0..1200u64,
        divisor in prop::sample::select(vec![1u32, 4]),
        pins in prop::collection::vec(0..200usize, 0..2),
        rule in prop::sample::select(vec!["exact", "table"]),
    ) {
        let log = log_of(&beats, recorded);
        let pinned = |session: &Session| (Material::default(), crate::common::random::pins_of(session, &pins));
        let options = options_of("pi-cwl", &[("delimiter", rule)]);
        let played = Played::with("pi-cwl", &log, budget, 7, divisor, &options, pinned);
        equals_plain(&played)?;
    }
}

/// A story in records as pi writes them.
fn story() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("look at the parser, then fix it");
    log.reply(&[text(20), Part::Mark("s1".into(), expl("look"))]).recorded("s1", "start", true, expl("look"));
    log.step(&[reasoning(60), call("g1", "grep"), call("r1", "read")], 300);
    log.human("go on");
    log.human_shell("cargo test", false);
    log.step(&[call("b1", "bash"), call("e1", "edit")], 120);
    log.reply(&[text(8), Part::Mark("s2".into(), close("look"))]).recorded("s2", "end", true, close("look"));
    let fix = act("fix", &["look"]);
    log.reply(&[Part::Mark("s3".into(), fix.clone())]).recorded("s3", "start", true, fix);
    log.step(&[reasoning(40), call("e2", "edit"), call("b2", "bash")], 200);
    // One message ends an episode and starts the next.
    let next = expl("next");
    log.reply(&[Part::Mark("s4".into(), close("fix")), Part::Mark("s5".into(), next.clone())]);
    log.recorded("s4", "end", true, close("fix")).recorded("s5", "start", true, next);
    log.step(&[call("g2", "ls")], 50);
    log
}

#[test]
fn a_story_with_every_step() {
    let options = options_of("pi-cwl", &[]);
    insta::assert_snapshot!(Played::replay("pi-cwl", &story(), 150, 0, 1, &options).dump());
}

#[test]
fn what_is_cut_is_named() {
    let options = options_of("pi-cwl", &[]);
    let played = Played::replay("pi-cwl", &story(), 150, 0, 1, &options);
    let context = played.context(Cut::end_of(played.session.last_turn()));
    let violations = find_violations(&played.session, &context, Provider::OpenAiResponses);
    let id = |block: &BlockIdx| played.session.blocks[block.at()].id.to_string();
    let said: Vec<String> = violations
        .iter()
        .filter_map(|violation| match violation {
            Violation::CallWithoutResult { block } => Some(format!("call {}", id(block))),
            Violation::ResultWithoutCall { block } => Some(format!("result {}", id(block))),
            _ => None,
        })
        .collect();
    // Calls that open episodes precede their ranges; a reply that ends one starts the next.
    assert_eq!(said, ["result e21:0", "call e2:1", "call e14:0"]);
}

#[test]
fn a_count_that_cannot_be_played_again_is_refused() {
    let policy = Policy::find("pi-cwl").unwrap();
    let mut options = PolicyOptions::defaults(policy).unwrap();
    let refused = options.set_from_text(policy, "count", "exact").unwrap_err().to_string();
    assert!(refused.contains("cannot be played again"), "{refused}");
    assert!(options.set_from_text(policy, "count", "somehow").is_err());
    options.set_from_text(policy, "count", "estimate").unwrap();
}

fn check_image(role: Role, author: Author, form: MessageForm, expected: u64) {
    let mut log = LogBuilder::new();
    log.human("hello");
    let block = ContentBlock { index: 0, kind: BlockKind::Image, images: 1, holds: Holds::default() };
    let message = Message {
        role,
        author,
        form,
        blocks: vec![block],
        model: None,
        usage: None,
        outcome: ReplyOutcome::Complete,
        reply: None,
    };
    let at = log.log.events().len() as u64 + 1;
    log.log.push(SessionEvent {
        side: false,
        line: at,
        entry: EntryId::of_line(at),
        parent: Parent::Previous,
        at_ms: None,
        body: EventBody::Message(message),
    });
    let (session, _) = Session::build(&log.log, None, History::AsRecorded, &cwl_engine::testing::tools());
    let table = TokenTable::new(4, vec![5, 4800], std::collections::BTreeMap::new());
    let own = Policy::find("pi-cwl").unwrap().adjust_table(&session, &table).into_owned();
    assert_eq!(own.units(BlockIdx::new(1)), expected);
}

#[test]
fn images_count_in_what_extensions_put_in_and_not_in_what_people_say() {
    check_image(Role::User, Author::Human, MessageForm::Plain, 0);
    check_image(Role::User, Author::Harness, MessageForm::Custom { name: "x".into() }, 4800);
    check_image(Role::User, Author::Harness, MessageForm::Plain, 0);
}

#[test]
fn overhead_is_in_no_total() {
    let mut log = LogBuilder::new();
    log.human("hello");
    let options = options_of("pi-cwl", &[]);
    let played = Played::replay("pi-cwl", &log, 3, 1000, 1, &options);
    assert_eq!(played.replay.turns[0].before, 5);
}
