//! Policies with summaries: `summary`, `auto`, `ladder` and `tiers`, on one small story.

use crate::common::{Played, mark, options_of, text};
use cwl_engine::testing::{LogBuilder, Part, act, dump_steps, expl};
use cwl_engine::*;

fn with(id: &str, tool: &str, arguments: &str) -> Part {
    Part::CallWith(id.into(), tool.into(), arguments.into())
}

/// Six turns of work with a plan written twice, a failure, and one file read three times.
fn story() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.injected("instructions of the harness");
    log.human("Make the parser fast. You must not change its tests.");
    log.reply(&[
        Part::Reasoning("let me see".into()),
        text(10),
        with("r1", "read", r#"{"path":"parser.rs"}"#),
        with("p1", "TodoWrite", r#"{"todos":[{"content":"read it","status":"pending"},{"content":"bench it","status":"pending"}]}"#),
    ]);
    log.result("r1", &"fn parse() {} ".repeat(40)).result("p1", "noted");
    log.reply(&[with("b1", "bash", r#"{"command":"cargo bench"}"#)]);
    log.failure("b1", "running\nerror: no bench target named `all`\nmore");
    log.injected("Never use the network.");
    log.reply(&[
        Part::Text("I chose a table because branches are slow.".into()),
        with("w1", "edit", r#"{"path":"parser.rs","old":"a"}"#),
    ]);
    log.result("w1", "edited");
    log.reply(&[
        with("r2", "read", r#"{"path":"parser.rs"}"#),
        with("p2", "TodoWrite", r#"{"todos":[{"content":"read it","status":"completed"},{"content":"bench it","status":"in_progress"}]}"#),
    ]);
    log.result("r2", &"fn parse() {} ".repeat(40)).result("p2", "noted");
    log.human("Is it done?");
    log.reply(&[with("b2", "bash", r#"{"command":"cargo test"}"#)]).result("b2", &"test ok\n".repeat(30));
    log.reply(&[with("r3", "read", r#"{"path":"parser.rs"}"#)]).result("r3", &"fn parse() {} ".repeat(40));
    log
}

fn play(policy: &str, log: &LogBuilder, budget: u64, settings: &[(&str, &str)]) -> Played {
    play_with(policy, log, budget, settings, |_, _| {})
}

fn play_with(
    policy: &str,
    log: &LogBuilder,
    budget: u64,
    settings: &[(&str, &str)],
    change: impl Fn(&Session, &mut Material),
) -> Played {
    let material = |session: &Session| {
        let (growth, _) = GraphTimeline::build(session);
        let mut material = log.material(session, &growth, cwl_formats::read_call);
        change(session, &mut material);
        (material, Vec::new())
    };
    Played::with(policy, log, budget, 0, 1, &options_of(policy, settings), material)
}

/// Returns the steps as `turn action: blocks and moves`.
fn steps(played: &Played) -> Vec<String> {
    let dump = dump_steps(&played.input(), &played.replay);
    let is_step = |line: &&str| line.starts_with("  ");
    dump.lines().filter(is_step).map(|line| line.trim().to_owned()).collect()
}

fn actions(played: &Played) -> Vec<&'static str> {
    played.steps().iter().map(|step| step.action.name()).collect()
}

fn summaries(played: &Played) -> Vec<String> {
    let context = played.context(Cut::end_of(played.session.last_turn()));
    context
        .messages
        .iter()
        .filter_map(|message| match &message.origin {
            MessageOrigin::Summary { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect()
}

fn is_there(played: &Played, id: &str) -> bool {
    let at = played.session.blocks.iter().position(|block| block.id.to_string() == id).unwrap();
    played.now().presence(BlockIdx::new(at)) == Presence::Live
}

const SMALL: (&str, &str) = ("size", "400");

#[test]
fn a_summary_of_a_story() {
    insta::assert_snapshot!(play("summary", &story(), 1300, &[("keep_turns", "2"), SMALL]).dump());
}

#[test]
fn nothing_is_done_at_or_below_the_budget() {
    let full = play("none", &story(), u64::MAX, &[]).replay.turns.last().unwrap().after;
    for policy in ["summary", "auto", "tiers"] {
        assert_eq!(steps(&play(policy, &story(), full, &[])), Vec::<String>::new(), "{policy}");
        assert!(!steps(&play(policy, &story(), full - 1, &[])).is_empty(), "{policy}");
    }
}

#[test]
fn a_summary_takes_its_lines_from_what_has_gone() {
    let played = play("summary", &story(), 1300, &[("keep_turns", "2"), ("size", "600")]);
    let [text] = &summaries(&played)[..] else { panic!("one summary runs along") };
    assert!(text.starts_with(SUMMARY_TITLE), "{text}");
    for line in [
        "DECISIONS:\nI chose a table because branches are slow.\n",
        "FACTS:\nwrote parser.rs (turn 3)\n",
        "OPEN:\nbench it\n",
        "ERRORS:\nbash: error: no bench target named `all`\n",
        "CONSTRAINTS:\nNever use the network.\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    assert!(!text.contains("must not"), "the human's words stay themselves: {text}");
    assert!(!text.contains("read it"), "an old plan holds no longer: {text}");
}

#[test]
fn a_summary_is_never_larger_than_it_may_be() {
    for size in [20, 60, 120, 200, 400] {
        let played = play("summary", &story(), 900, &[("size", &size.to_string())]);
        for summary in played.now().summaries.values() {
            assert!(summary.units <= size.max(SUMMARY_TITLE.len() as u64 + 1), "{size}: {summary:?}");
        }
    }
}

#[test]
fn the_last_turns_stay_and_fewer_where_they_alone_are_too_large() {
    let check = |budget: u64, keep: &str, first_there: &str, gone: &str| {
        let played = play("summary", &story(), budget, &[("keep_turns", keep), ("size", "60")]);
        assert!(is_there(&played, first_there), "{budget} {keep}\n{}", played.dump());
        assert!(!is_there(&played, gone), "{budget} {keep}\n{}", played.dump());
    };
    check(1500, "2", "e15:0", "e12:0");
    check(1700, "5", "e11:0", "e9:1");
    check(1500, "5", "e15:0", "e12:0");
    // Even without any budget, the newest turn stays.
    check(0, "5", "e18:0", "e16:0");
}

#[test]
fn a_call_that_is_not_answered_stays() {
    let mut log = story();
    log.reply(&[with("open", "bash", r#"{"command":"sleep"}"#)]);
    for _ in 0..4 {
        log.step(&[text(400)], 0);
    }
    for policy in ["summary", "auto", "tiers"] {
        let played = play(policy, &log, 500, &[]);
        assert!(is_there(&played, "e19:0"), "{policy}\n{}", played.dump());
    }
    log.result("open", "late");
    log.step(&[text(400)], 0).step(&[text(400)], 0);
    let played = play("summary", &log, 500, &[("keep_turns", "1")]);
    assert!(!is_there(&played, "e19:0") && !is_there(&played, "e24:0"), "{}", played.dump());
}

#[test]
fn a_recorded_summary_stays_and_ours_covers_what_came_after() {
    let mut log = story();
    log.compaction("what the harness says", "");
    log.step(&[text(300)], 0).step(&[with("x1", "edit", r#"{"path":"late.rs"}"#)], 300);
    log.step(&[text(300)], 0).step(&[text(300)], 0);
    let played = play("summary", &log, 700, &[("keep_turns", "1")]);
    let [text] = &summaries(&played)[..] else { panic!("{}", played.dump()) };
    assert!(is_there(&played, "e19:0"), "the recorded one stays: {}", played.dump());
    assert!(text.contains("wrote late.rs") && !text.contains("parser.rs"), "{text}");
}

#[test]
fn overflow_is_compacted_until_room_is_reserved() {
    let played = play("auto", &story(), 1900, &[("reserve", "600"), SMALL]);
    assert_eq!(actions(&played), ["summarise"], "{}", played.dump());
    let outcome = played.replay.turns.iter().find(|turn| turn.n_steps > 0).unwrap();
    assert!(outcome.before > 1900 && outcome.after <= 1300, "{outcome:?}");
    insta::assert_snapshot!(played.dump());
}

#[test]
fn a_refusal_and_the_window_of_the_model_are_overflows_below_the_budget() {
    let (wide, settings) = (1_000_000, [("reserve", "600"), SMALL]);
    let windows = |windows: &[(u32, Option<u64>)]| {
        let windows: Vec<_> = windows.iter().map(|(turn, size)| (TurnIdx::new(*turn), *size)).collect();
        let played =
            play_with("auto", &story(), wide, &settings, |_, material| material.windows = windows.clone());
        let mut turns = played.steps().iter().map(|step| step.turn.number()).collect::<Vec<_>>();
        turns.dedup();
        (turns, played.replay.turns.iter().map(|turn| turn.after).max().unwrap())
    };
    assert_eq!(windows(&[]).0, Vec::<u32>::new());
    assert_eq!(windows(&[(1, None)]).0, Vec::<u32>::new());
    let (turns, most) = windows(&[(1, Some(1900))]);
    assert!(!turns.is_empty() && most <= 1900, "{turns:?} {most}");
    let (late, _) = windows(&[(1, None), (7, Some(1500))]);
    assert_eq!(late, [7], "the window holds for the turns of its model");

    let mut log = story();
    log.reply_with(ReplyOutcome::Overflow, &[text(5)]).step(&[text(20)], 0);
    let played = play("auto", &log, wide, &settings);
    let refused = played.session.turns.len() as u32 - 2;
    let turns: Vec<u32> = played.steps().iter().map(|step| step.turn.number()).collect();
    assert_eq!(turns, [refused], "{}", played.dump());
    let outcome = &played.replay.turns[refused as usize - 1];
    assert!(outcome.after + 600 <= outcome.before, "{outcome:?}");
}

#[test]
fn a_second_try_takes_all_but_the_newest_turn() {
    let one = play("auto", &story(), 1000, &[("tries", "1"), ("size", "60")]);
    let two = play("auto", &story(), 1000, &[("tries", "2"), ("size", "60")]);
    let n_over = |played: &Played| played.replay.turns.iter().filter(|turn| turn.over_budget).count();
    assert!(n_over(&two) < n_over(&one), "{}\n{}", one.dump(), two.dump());
}

#[test]
fn a_try_that_lowers_nothing_is_undone() {
    let mut log = LogBuilder::new();
    log.human(&"h".repeat(500));
    for _ in 0..4 {
        log.step(&[text(3)], 0);
    }
    for policy in ["summary", "auto"] {
        let played = play(policy, &log, 100, &[]);
        assert!(played.steps().is_empty(), "{policy}\n{}", played.dump());
        assert!(played.replay.turns.iter().all(|turn| turn.over_budget));
    }
}

#[test]
fn the_ladder_takes_the_gentlest_rung_that_is_enough() {
    let check = |budget: u64, expected: &[&str]| {
        let settings = [("keep_turns", "1"), ("high", "1000"), ("low", "1000"), ("size", "200")];
        let played = play("ladder", &story(), budget, &settings);
        let mut found = actions(&played);
        found.dedup();
        assert_eq!(found, expected, "{budget}\n{}", played.dump());
    };
    check(2700, &[]);
    check(1800, &["dedupe"]);
    check(1400, &["dedupe", "summarise", "dedupe"]);
    insta::assert_snapshot!(play("ladder", &story(), 1000, &[("keep_turns", "1"), ("size", "200")]).dump());
}

#[test]
fn hysteresis_gives_room_for_more_than_one_turn() {
    let mut log = LogBuilder::new();
    log.human("go");
    for at in 0..60 {
        log.step(&[with(&format!("c{at}"), "read", "{}")], 100);
    }
    let n_passes = |low: &str| {
        let played = play("ladder", &log, 2000, &[("high", "850"), ("low", low)]);
        assert!(played.replay.turns.iter().all(|turn| turn.after <= 1700), "{}", played.dump());
        played.replay.turns.iter().filter(|turn| turn.n_steps > 0).count()
    };
    assert!(n_passes("600") * 3 < n_passes("850"), "{} {}", n_passes("600"), n_passes("850"));
}

#[test]
fn an_open_episode_stays_to_the_letter() {
    let mut log = story();
    log.step(&[mark("m1", act("fix", &[]))], 0);
    for at in 0..6 {
        log.step(&[with(&format!("x{at}"), "read", "{}")], 200 + at);
    }
    let settings = [("keep_turns", "1")];
    let held = play("ladder", &log, 600, &settings);
    assert!(is_there(&held, "e19:0") && is_there(&held, "e22:0"), "{}", held.dump());
    let free = play("ladder", &log, 600, &[settings[0], ("open_loop", "0")]);
    assert!(!is_there(&free, "e19:0"), "{}", free.dump());
}

#[test]
fn a_placeholder_tells_the_truth_after_its_copy_has_gone() {
    let mut log = story();
    log.step(&[text(20)], 0);
    log.rewind(RewriteTarget::From("e17".into()));
    log.step(&[text(20)], 0);
    let settings = [("keep_turns", "1"), ("high", "1000"), ("low", "1000")];
    let before = play("ladder", &story(), 1800, &settings);
    let after = play("ladder", &log, 1800, &settings);
    let n_duplicates = |played: &Played| {
        let (state, n_blocks) = (played.now(), played.session.blocks.len());
        let presences = (0..n_blocks).map(|at| state.presence(BlockIdx::new(at)));
        presences.filter(|p| matches!(p, Presence::Masked(_, Placeholder::Duplicate))).count()
    };
    assert_eq!(n_duplicates(&before), 2, "{}", before.dump());
    assert_eq!(n_duplicates(&after), 0, "{}", after.dump());
}

fn uses(by: &str, held: &str) -> impl Fn(&Session, &mut Material) {
    move |session, material| {
        let find = |id| BlockIdx::new(session.blocks.iter().position(|b| b.id.to_string() == id).unwrap());
        material.uses.push(Use { name: 0, by: find(by), held: find(held), again: None });
    }
}

fn uses_first_read(session: &Session, material: &mut Material) {
    uses("e17:0", "e4:0")(session, material);
}

#[test]
fn what_a_later_call_names_is_paged_in_and_stays() {
    let mut log = story();
    for _ in 0..3 {
        log.step(&[text(20)], 0);
    }
    let settings = [("keep_turns", "1"), ("page", "100"), ("low", "300"), ("open_loop", "0")];
    let played = play_with("tiers", &log, 2000, &settings, uses_first_read);
    assert_eq!(actions(&played), ["page-out", "page-in"], "{}", played.dump());
    assert!(summaries(&played).is_empty(), "a summary stays outside until a call needs it");
    assert!(is_there(&played, "e4:0") && is_there(&played, "e3:2"), "a call with its result");
    assert!(!is_there(&played, "e3:3"), "and nothing else");
    insta::assert_snapshot!(played.dump());
    // Content the agent reacquired itself needs no paging.
    let again = |session: &Session, material: &mut Material| {
        uses_first_read(session, material);
        let by = material.uses[0].by.at();
        material.uses[0].again = Some(BlockIdx::new(by + 1));
    };
    assert_eq!(actions(&play_with("tiers", &log, 2000, &settings, again)), ["page-out"]);
}

#[test]
fn where_there_is_no_room_the_summary_is_paged_in_and_goes_again() {
    let mut log = story();
    for _ in 0..3 {
        log.step(&[text(20)], 0);
    }
    let play = |page_in: &str, stay: &str| {
        let settings =
            [("keep_turns", "1"), ("page", "300"), ("low", "300"), ("page_in", page_in), ("stay", stay)];
        play_with("tiers", &log, 2000, &settings, uses_first_read)
    };
    let stays = play("310", "9");
    assert_eq!(actions(&stays), ["page-out", "page-in"], "{}", stays.dump());
    let [text] = &summaries(&stays)[..] else { panic!("{}", stays.dump()) };
    assert!(text.contains("(turn 3)") && !is_there(&stays, "e4:0"), "{text}");
    let goes = play("310", "1");
    assert_eq!(actions(&goes), ["page-out", "page-in", "page-out"], "{}", goes.dump());
    assert!(summaries(&goes).is_empty(), "{}", goes.dump());
    assert_eq!(actions(&play("10", "9")), ["page-out"], "not even the summary has room");
}

#[test]
fn an_answered_question_is_open_no_longer() {
    let mut log = story();
    let open = |log: &LogBuilder, line: &str| {
        let played = play("summary", log, 900, &[("keep_turns", "1"), ("size", "2000")]);
        summaries(&played).iter().any(|text| text.contains(line))
    };
    log.reply(&[Part::Text("Shall I bench it on battery?".into())]);
    log.step(&[text(500)], 0).step(&[text(500)], 0);
    assert!(open(&log, "Shall I bench it on battery?"), "the human has said nothing since");
    log.human("No.");
    log.step(&[text(500)], 0).step(&[text(500)], 0);
    assert!(!open(&log, "Shall I bench it on battery?"));
}

#[test]
fn the_ladder_replaces_what_was_read_or_written_again() {
    let mut log = LogBuilder::new();
    log.human("go");
    log.step(&[with("r1", "read", r#"{"path":"a.rs"}"#)], 300);
    log.step(&[with("r2", "read", r#"{"path":"b.rs"}"#)], 305);
    log.step(&[with("r3", "read", r#"{"path":"a.rs"}"#)], 310);
    log.step(&[with("w1", "edit", r#"{"path":"b.rs"}"#)], 5);
    log.step(&[text(20)], 0).step(&[text(20)], 0);
    let block = |session: &Session, id: &str| {
        BlockIdx::new(session.blocks.iter().position(|block| block.id.to_string() == id).unwrap())
    };
    let again = |session: &Session, material: &mut Material| {
        material.names =
            ["a.rs", "b.rs"].map(|path| Name { kind: NameKind::Path, text: path.into() }).to_vec();
        let at = |id| block(session, id);
        material.uses = vec![
            Use { name: 0, by: at("e6:0"), held: at("e3:0"), again: Some(at("e7:0")) },
            Use { name: 1, by: at("e8:0"), held: at("e5:0"), again: None },
        ];
    };
    let settings = [("keep_turns", "1"), ("high", "1000"), ("low", "1000")];
    let played = play_with("ladder", &log, 740, &settings, again);
    assert_eq!(actions(&played), ["supersede", "supersede"], "{}", played.dump());
    let presence = |id| played.now().presence(block(&played.session, id));
    for id in ["e3:0", "e5:0"] {
        assert!(matches!(presence(id), Presence::Masked(_, Placeholder::Superseded)), "{}", played.dump());
    }
    assert!(is_there(&played, "e7:0"), "the newer one is the one that holds");
}

#[test]
fn a_result_is_paged_in_with_a_call_that_the_harness_has_taken() {
    let mut log = LogBuilder::new();
    log.human(&"h".repeat(200));
    log.step(&[with("r1", "read", "{}")], 300);
    log.step(&[text(20)], 0).step(&[text(20)], 0);
    log.compaction("from the result on", "e3");
    log.step(&[with("r2", "read", "{}")], 5);
    let settings = [("keep_turns", "1"), ("page", "20")];
    let play = |log: &LogBuilder| play_with("tiers", log, 500, &settings, uses("e7:0", "e3:0"));
    let half = play(&log);
    assert_eq!(actions(&half), ["page-out", "page-in"], "{}", half.dump());
    assert!(is_there(&half, "e3:0") && !is_there(&half, "e2:0"), "{}", half.dump());
    let found = verify_replay(&half.input(), &half.replay, &Watchlist::default()).findings;
    let is_small = |finding: &Finding| matches!(finding.kind, FindingKind::NotSmaller { .. });
    assert!(!found.iter().any(is_small), "what is paged in is meant to make it larger: {found:?}");
    log.step(&[text(20)], 0).compaction("from the call on", "e2");
    let whole = play(&log);
    assert!(is_there(&whole, "e3:0") && is_there(&whole, "e2:0"), "{}", whole.dump());
}

#[test]
fn an_unfinished_item_that_a_summary_names_is_not_lost() {
    let played = play("summary", &story(), 1300, &[("keep_turns", "2"), ("size", "600")]);
    let find = |id| BlockIdx::new(played.session.blocks.iter().position(|b| b.id.to_string() == id).unwrap());
    let lists = vec![find("e3:3"), find("e11:1")];
    assert!(!is_there(&played, "e3:3") && !is_there(&played, "e11:1"), "{}", played.dump());
    let todo = |text: &str| Todo { text: text.into(), opened: lists[0], closed: None, blocks: lists.clone() };
    let todos = [todo("bench it"), todo("paint it")];
    let found = verify_replay(&played.input(), &played.replay, &Watchlist { texts: &[], todos: &todos });
    let lost: Vec<&FindingKind> = found.findings.iter().map(|finding| &finding.kind).collect();
    assert_eq!(lost, [&FindingKind::TodoLost { item: "paint it".into() }], "{:?}", summaries(&played));
}

#[test]
fn old_summaries_are_archived_under_one() {
    let mut log = LogBuilder::new();
    log.human("go");
    for at in 0..40 {
        log.step(&[Part::Text(format!("I chose way {at}.")), with(&format!("c{at}"), "read", "{}")], 200);
    }
    // The last call names the first one's content, which does not fit.
    let settings = [
        ("recall", "300"),
        ("page", "120"),
        ("archive", "150"),
        ("low", "900"),
        ("keep_turns", "2"),
        ("page_in", "160"),
    ];
    let played = play_with("tiers", &log, 2000, &settings, uses("e80:1", "e3:0"));
    assert_eq!(actions(&played).last(), Some(&"page-in"), "{}", played.dump());
    let now = played.now();
    let [archive] = &now.summaries.values().collect::<Vec<_>>()[..] else { panic!("{}", played.dump()) };
    assert_eq!((archive.depth, archive.covers.start), (1, 1), "the archive reaches back to the first turn");
    assert!(archive.units <= 150, "{archive:?}");
    let [text] = &summaries(&played)[..] else { panic!("{}", played.dump()) };
    assert!(text.contains("I chose way 0.") || text.lines().count() > 2, "{text}");
}

#[test]
fn a_call_for_a_summary_reads_what_goes_and_writes_what_comes() {
    let settings: [(&str, &[(&str, &str)]); 4] = [
        ("summary", &[("keep_turns", "2"), SMALL]),
        ("auto", &[("reserve", "600"), SMALL]),
        ("ladder", &[("keep_turns", "1"), ("size", "200")]),
        ("tiers", &[("keep_turns", "1"), ("page", "100")]),
    ];
    for (policy, settings) in settings {
        let played = play(policy, &story(), 1000, settings);
        let calls = summary_calls(&played.input(), &played.replay);
        assert!(!calls.is_empty(), "{policy}");
        // One unit is one token, so the step saves exactly what the call reads minus what it writes, or
        // everything if the summary stays outside.
        let now = played.session.last_turn();
        let saved: u64 = (1..now.number())
            .map(TurnIdx::new)
            .flat_map(|turn| played.pass(turn).steps.into_owned())
            .filter(|step| matches!(step.action, Action::Summarise | Action::PageOut))
            .map(|step| step.before - step.after)
            .sum();
        let written = |call: &SummaryCall| if policy == "tiers" { 0 } else { call.output };
        assert_eq!(calls.iter().map(|call| call.input - written(call)).sum::<u64>(), saved, "{policy}");
        assert!(calls.iter().all(|call| call.turn < now), "{policy}: `now` was not asked for");
        // A call for a summary reads at least the summarised content; the cache has the part in common with
        // the previous request.
        assert!(
            calls.iter().all(|call| call.cached <= call.prompt && call.input <= call.prompt),
            "{policy}: {calls:?}"
        );
        assert!(calls.iter().all(|call| call.cached > 0), "{policy}: {calls:?}");
    }
    for policy in ["none", "cwl", "window", "mask", "fold", "pi-cwl"] {
        let played = play(policy, &story(), 1300, &[]);
        assert_eq!(summary_calls(&played.input(), &played.replay), [], "{policy}");
    }
}

/// One human message, and an open episode over many reads.
fn open_episode() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("work");
    log.step(&[mark("m1", expl("look"))], 5);
    for number in 0..8 {
        log.step(
            &[Part::Text(format!("I decided {number}")), with(&format!("c{number}"), "read", "{}")],
            300,
        );
    }
    log
}

#[test]
fn an_open_episode_stays_under_the_policies_that_summarise() {
    for policy in ["summary", "auto", "tiers", "ladder"] {
        let played = play(policy, &open_episode(), 1000, &[]);
        assert!(played.steps().is_empty(), "{policy}\n{}", played.dump());
        assert!(played.replay.turns.last().unwrap().over_budget, "{policy}: and it is told");
        let opened = play(policy, &open_episode(), 1000, &[("open_loop", "0")]);
        assert!(!opened.steps().is_empty(), "{policy}: unless it need not");
    }
}

/// Old work, then a long human turn.
fn two_human_turns(n_new: usize) -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("first");
    for number in 0..6 {
        log.step(
            &[Part::Text(format!("I decided old {number}")), with(&format!("o{number}"), "read", "{}")],
            300,
        );
    }
    log.human("second");
    for number in 0..n_new {
        log.step(
            &[Part::Text(format!("I decided new {number}")), with(&format!("n{number}"), "read", "{}")],
            300,
        );
    }
    log
}

#[test]
fn the_last_human_turn_stays_as_long_as_the_budget_is_met_without_it() {
    for (policy, settings) in [
        ("summary", &[("keep_turns", "1"), SMALL][..]),
        ("auto", &[("reserve", "0"), SMALL][..]),
        ("tiers", &[("keep_turns", "1"), ("page", "100"), ("low", "100")][..]),
    ] {
        let played = play(policy, &two_human_turns(4), 2400, settings);
        assert!(!played.steps().is_empty(), "{policy}");
        // The first reply of the second human turn.
        let first = format!("e{}:0", 2 * 6 + 3);
        assert!(is_there(&played, &first), "{policy}\n{}", played.dump());
        let played = play(policy, &two_human_turns(12), 2400, settings);
        assert!(!is_there(&played, &first), "{policy}: it alone is too large");
        assert!(played.replay.turns.iter().all(|turn| !turn.over_budget), "{policy}");
    }
}

#[test]
fn a_summary_goes_down_to_the_low_water_mark() {
    let count = |low_water: &str| {
        let settings = [("keep_turns", "6"), ("low_water", low_water), ("open_loop", "0"), SMALL];
        play("summary", &two_human_turns(20), 2400, &settings).steps().len()
    };
    assert!(count("500") * 2 < count("1000"), "{} and {}", count("500"), count("1000"));
}

#[test]
fn the_ladder_never_drops_its_summary() {
    for budget in (300..3000).step_by(100) {
        let played = play("ladder", &two_human_turns(12), budget, &[("size", "200"), ("keep_turns", "3")]);
        let mut had_one = false;
        for turn in (1..=played.session.last_turn().number()).map(TurnIdx::new) {
            let has_one = !played.state(Cut::end_of(turn)).summaries.is_empty();
            assert!(has_one || !had_one, "τ = {budget}, turn {turn}\n{}", played.dump());
            had_one = has_one;
        }
        assert!(actions(&played).iter().all(|action| *action != "drop-turn"), "τ = {budget}");
    }
}
