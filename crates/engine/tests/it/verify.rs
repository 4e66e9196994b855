//! Verification: findings appear exactly where a policy is at fault.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::random::{Setting, n_cases, setting};
use crate::common::{Played, call, mark, play_policy, reasoning, text};
use cwl_engine::testing::{LogBuilder, act, end, expl};
use cwl_engine::*;
use proptest::prelude::*;

/// Watched texts, each with the records that contain it, and items of the agent's own list.
struct Watching<'t> {
    texts: Vec<(Arc<str>, WatchedKind, Vec<&'t str>)>,
    todos: Vec<(&'t str, &'t str, Option<&'t str>, Vec<&'t str>)>,
}

const NOTHING: Watching<'static> = Watching { texts: Vec::new(), todos: Vec::new() };

fn pin<'t>(text: &str, blocks: &[&'t str]) -> (Arc<str>, WatchedKind, Vec<&'t str>) {
    (text.into(), WatchedKind::Pin, blocks.to_vec())
}

fn probe<'t>(text: &str, from: Option<u32>, blocks: &[&'t str]) -> (Arc<str>, WatchedKind, Vec<&'t str>) {
    (text.into(), WatchedKind::Probe(from.map(TurnIdx::new)), blocks.to_vec())
}

fn find(session: &Session, id: &str) -> BlockIdx {
    let found = session.blocks.iter().position(|block| block.id.to_string() == id);
    BlockIdx::new(found.unwrap_or_else(|| panic!("no block {id}")))
}

fn verified(played: &Played, watching: &Watching<'_>) -> Verification {
    let all = |ids: &[&str]| -> Vec<BlockIdx> { ids.iter().map(|id| find(&played.session, id)).collect() };
    let blocks: Vec<Vec<BlockIdx>> = watching.texts.iter().map(|(_, _, ids)| all(ids)).collect();
    // Summaries and descriptions are checked by their words.
    let holds: Vec<_> =
        watching.texts.iter().map(|(text, ..)| move |other: &str| other.contains(&**text)).collect();
    let texts: Vec<PinnedText<'_>> = watching
        .texts
        .iter()
        .zip(blocks.iter().zip(&holds))
        .map(|((text, kind, _), (blocks, holds))| PinnedText { text, kind: *kind, blocks, holds })
        .collect();
    let todos: Vec<Todo> = watching
        .todos
        .iter()
        .map(|(text, opened, closed, named)| Todo {
            text: (*text).into(),
            opened: find(&played.session, opened),
            closed: closed.map(|id| find(&played.session, id)),
            blocks: all(named),
        })
        .collect();
    verify_replay(&played.input(), &played.replay, &Watchlist { texts: &texts, todos: &todos })
}

/// Shows a finding: code, turns, causing step, block, message.
fn show(played: &Played, finding: &Finding) -> String {
    let until = finding.until.map_or("now".to_owned(), |until| (until.number() - 1).to_string());
    let step = finding.causing_step(&played.input(), &played.replay);
    let step = step.map(|step| format!(" step {step}")).unwrap_or_default();
    let block = finding.block.map(|block| format!(" {}", played.session.blocks[block.at()].id));
    let block = block.unwrap_or_default();
    format!("{} {}-{until}{step}{block}: {}", finding.kind.code(), finding.turn, finding.kind)
}

fn check(played: &Played, watching: &Watching<'_>, expected: &[&str]) {
    let found: Vec<String> =
        verified(played, watching).findings.iter().map(|finding| show(played, finding)).collect();
    assert_eq!(found, expected);
}

/// An exploration with a dependent act, both closed, and an open act.
fn story() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s1", expl("look"))], 0).step(&[reasoning(9), call("g", "grep")], 90);
    log.step(&[mark("x1", end("found the needle"))], 0).step(&[mark("s2", act("fix", &["look"]))], 0);
    log.step(&[call("w", "edit")], 40).step(&[mark("x2", end(""))], 0);
    log.step(&[mark("s3", expl("more"))], 0).step(&[call("r", "read")], 200).human("and?");
    log
}

#[test]
fn a_policy_that_keeps_its_promises_is_found_nothing_of() {
    for budget in [150, 300, 10_000] {
        let played = play_policy("cwl", &story(), budget, &[]);
        let found = verified(&played, &NOTHING);
        let codes: BTreeSet<&str> = found.findings.iter().map(|finding| finding.kind.code()).collect();
        assert!(codes.iter().all(|code| *code == "V002"), "at {budget}: {codes:?}");
        assert!(found.loops.iter().all(|loops| loops.before == loops.after), "no loop is closed by a pass");
    }
}

#[test]
fn a_budget_that_is_not_met_is_said_once_with_its_turns() {
    let mut log = LogBuilder::new();
    log.human(&"h".repeat(50)).reply(&[text(10)]).human(&"h".repeat(10)).reply(&[text(1)]);
    check(
        &play_policy("none", &log, 55, &[]),
        &NOTHING,
        &["V002 2-now: the budget is not met, by up to 16 tokens"],
    );
    check(&play_policy("none", &log, 71, &[]), &NOTHING, &[]);
}

#[test]
fn a_pass_that_takes_far_more_than_it_must_is_told_with_its_figures() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s1", expl("look"))], 0).step(&[call("g", "grep")], 900);
    log.step(&[mark("x1", end("seen"))], 0).human("and?").step(&[call("h", "grep")], 40).human("so?");
    let check = |policy: &str, options: &[(&str, &str)], expected: &[&str]| {
        let played = play_policy(policy, &log, 930, options);
        assert!(played.replay.n_steps() > 0, "{policy} {options:?} takes something");
        check(&played, &NOTHING, expected);
    };
    let told = "V012 4-4 step 1: the pass takes 904 tokens where 4 would do: it leaves 30, and its stop is 930; its largest step takes 904";
    check("cwl", &[], &[told]);
    // Down to a lower mark on purpose, and a policy that takes all that may go.
    check("cwl", &[("low_water", "100")], &[]);
    check("mask", &[("keep", "0")], &[]);
}

#[test]
fn an_active_episode_must_keep_the_call_that_opened_it() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s1", expl("look"))], 0).step(&[call("g", "grep")], 300);
    log.step(&[call("h", "grep")], 300).step(&[mark("x1", end("seen"))], 0).human("and?");
    let played = play_policy("window", &log, 350, &[]);
    let found = verified(&played, &NOTHING);
    let shown: Vec<String> = found.findings.iter().map(|finding| show(&played, finding)).collect();
    assert_eq!(shown, ["V007 4-4 step 1 e2:0: look is active, and the call that opened it is gone"]);
    let at_4 = OpenLoops { before: 1, after: 0 };
    assert_eq!(found.loops[3], at_4);
    assert_eq!(found.loops[4], OpenLoops::default(), "it is closed then");
}

#[test]
fn halves_are_told_with_what_took_the_other_half() {
    // The published form removes a start's result but leaves its call, and a read beside the start loses its
    // result.
    let mut log = LogBuilder::new();
    log.human("task").step(&[call("r", "read"), mark("s1", expl("look"))], 100);
    log.step(&[call("g", "grep")], 300).step(&[mark("x1", end("seen"))], 0).human("and?");
    let played = play_policy("pi-cwl", &log, 20, &[]);
    let found = verified(&played, &NOTHING);
    let alone = |finding: &&Finding| matches!(finding.kind.code(), "V003" | "V004");
    let state = played.now();
    assert!(found.findings.iter().any(|finding| finding.kind == FindingKind::CallAlone), "the start's");
    for finding in found.findings.iter().filter(alone) {
        let (stays, gone) = (finding.block.unwrap(), finding.taken.unwrap());
        assert_eq!(state.presence(stays), Presence::Live);
        assert!(matches!(state.presence(gone), Presence::Evicted(_)));
        assert!(played.session.message_of(gone).class.is_evictable());
    }
}

#[test]
fn what_the_log_itself_splits_is_no_policys_fault() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[call("g", "grep")], 90).rewind(RewriteTarget::Results("g".into()));
    log.result("nobody", "stray").reply(&[call("u", "read")]).human("go on").reply(&[text(3)]);
    check(&play_policy("none", &log, 1000, &[]), &NOTHING, &[]);
}

#[test]
fn a_pin_must_survive_and_a_probe_must_be_answerable() {
    let log = story();
    let watching = Watching {
        texts: vec![
            pin("needle", &["e5:0"]),
            pin("found the needle", &["e6:0"]),
            pin("task", &["e1:0"]),
            pin("elsewhere", &[]),
            probe("needle", None, &["e5:0"]),
            probe("later", Some(2), &["e11:0"]),
            probe("never", Some(8), &[]),
        ],
        todos: Vec::new(),
    };
    let played = play_policy("cwl", &log, 10_000, &[]);
    let early = "V010 2-5: the probe later is not answerable: nothing before this request has it";
    let never = "V010 8-now: the probe never is not answerable: nothing before this request has it";
    let unmatched = "V011 9-now: elsewhere matches nothing in the whole history";
    check(&played, &watching, &[early, never, unmatched]);
    // Only the exploration's description is left, and it contains the needle.
    let played = play_policy("cwl", &log, 244, &[]);
    assert_eq!(played.now().residues.len(), 1);
    let over = "V002 9-now: the budget is not met, by up to 2 tokens";
    let later = "V010 9-now step 1 e11:0: the probe later is not answerable: the policy took what had it";
    check(&played, &watching, &[early, never, over, later, unmatched]);
    let played = play_policy("cwl", &log, 244, &[("residue", "none")]);
    check(
        &played,
        &watching,
        &[
            early,
            never,
            later,
            "V006 9-now step 3 e5:0: the pin needle has not survived",
            "V010 9-now step 3 e5:0: the probe needle is not answerable: the policy took what had it",
            "V006 9-now step 4 e6:0: the pin found the needle has not survived",
            unmatched,
        ],
    );
}

/// A probe is asked from its turn on, or from the first request that can contain its text; a description
/// answers like a block.
#[test]
fn probes_are_counted_over_all_turns() {
    let check = |budget: u64,
                 options: &[(&str, &str)],
                 probe: (Arc<str>, WatchedKind, Vec<&str>),
                 expected: [u64; 3]| {
        let said = format!("{} at {budget} {options:?}", probe.0);
        let played = play_policy("cwl", &story(), budget, options);
        let ProbeCount { asked, answered, taken } =
            verified(&played, &Watching { texts: vec![probe], todos: Vec::new() }).probes;
        assert_eq!([asked, answered, taken], expected, "{said}");
    };
    // The text arrived with the result before turn 3, and the last request is turn 9.
    check(10_000, &[], probe("needle", None, &["e5:0"]), [7, 7, 0]);
    check(10_000, &[], probe("needle", Some(3), &["e5:0"]), [7, 7, 0]);
    check(10_000, &[], probe("needle", Some(9), &["e5:0"]), [1, 1, 0]);
    // Before its text has arrived, a probe with a turn is unanswered without any policy at fault.
    check(10_000, &[], probe("later", Some(2), &["e11:0"]), [8, 4, 0]);
    check(10_000, &[], probe("never", Some(8), &[]), [2, 0, 0]);
    check(10_000, &[], probe("never", None, &[]), [0, 0, 0]);
    // At turn 9, the block goes; the description contains the text, unless the exploration leaves none.
    check(244, &[], probe("needle", None, &["e5:0"]), [7, 7, 0]);
    check(244, &[("residue", "none")], probe("needle", None, &["e5:0"]), [7, 6, 1]);
    check(244, &[], probe("later", Some(2), &["e11:0"]), [8, 3, 1]);
}

#[test]
fn a_description_larger_than_what_it_describes_is_told() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s1", expl("look"))], 0);
    log.step(&[mark("x1", end(&"long and winding ".repeat(4)))], 0).human("and?");
    check(
        &play_policy("cwl", &log, 10, &[]),
        &NOTHING,
        &[
            "V002 2-now: the budget is not met, by up to 73 tokens",
            "V001 3-3: the pass took steps and made nothing smaller: 30 tokens before, 83 after",
        ],
    );
}

#[test]
fn a_pass_that_changes_no_total_is_told_too() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s1", expl("look"))], 0).step(&[mark("x1", end("as large as all"))], 0);
    let played = play_policy("cwl", &log, 25, &[]);
    let said = "V001 3-3: the pass took steps and made nothing smaller: 26 tokens before, 26 after";
    check(&played, &NOTHING, &[said, "V002 3-now: the budget is not met, by up to 1 tokens"]);
}

/// No policy takes a pinned block, so a replay without the pin is verified with it.
#[test]
fn a_pinned_block_that_was_taken_is_told() {
    let mut played = play_policy("cwl", &story(), 244, &[]);
    played.pins = vec![find(&played.session, "e5:0")];
    let over = "V002 9-now: the budget is not met, by up to 2 tokens";
    check(&played, &NOTHING, &[over, "V005 9-now step 3 e5:0: the policy took a block that is pinned"]);
}

#[test]
fn what_the_harness_takes_is_a_probes_business_and_no_pins() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[call("g", "grep")], 90).compaction("short", "").human("go on").reply(&[text(3)]);
    let watching = Watching {
        texts: vec![pin("x", &["e3:0"]), probe("x", None, &["e3:0"]), probe("x", Some(3), &["e3:0"])],
        todos: Vec::new(),
    };
    let said = "V010 2-now e3:0: the probe x is not answerable: the harness took out what had it";
    let from_3 = "V010 3-now e3:0: the probe x is not answerable: the harness took out what had it";
    check(&play_policy("none", &log, 1000, &[]), &watching, &[said, from_3]);
}

#[test]
fn unfinished_items_are_open_loops() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[call("t1", "todo")], 5).step(&[call("g", "grep")], 300);
    log.step(&[call("h", "grep")], 300).step(&[call("t2", "todo")], 5).human("and?");
    let todos =
        |closed| Watching { texts: Vec::new(), todos: vec![("mend it", "e2:0", closed, vec!["e2:0"])] };
    let played = play_policy("window", &log, 350, &[]);
    check(
        &played,
        &todos(Some("e8:0")),
        &["V009 4-4 step 1 e2:0: the unfinished item \u{201c}mend it\u{201d} is gone"],
    );
    let said_again =
        Watching { texts: Vec::new(), todos: vec![("mend it", "e2:0", None, vec!["e2:0", "e8:0"])] };
    check(
        &played,
        &said_again,
        &["V009 4-4 step 1 e2:0: the unfinished item \u{201c}mend it\u{201d} is gone"],
    );
    assert!(verified(&play_policy("none", &log, 9999, &[]), &todos(None)).findings.is_empty());
}

#[test]
fn a_finding_of_a_step_is_there_after_that_step() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("s1", expl("look"))], 0).step(&[call("g", "grep")], 300);
    log.step(&[call("h", "grep")], 300).human("and?");
    let played = play_policy("window", &log, 350, &[]);
    let found = verified(&played, &NOTHING).findings;
    let lost = found.iter().find(|finding| finding.kind.code() == "V007").unwrap();
    let step = lost.causing_step(&played.input(), &played.replay).unwrap();
    let is_at = |turn, step| lost.is_at_cut(&played.input(), &played.replay, Cut { turn, step });
    assert!(!is_at(lost.turn, step - 1) && is_at(lost.turn, step) && is_at(lost.turn, usize::MAX));
    assert!(!is_at(TurnIdx::FIRST, usize::MAX));
}

/// Finds unpaired calls and lost blocks at one turn by checking the whole state.
fn plain(played: &Played, turn: TurnIdx, watched: &[BlockIdx]) -> (BTreeSet<(bool, BlockIdx)>, [bool; 3]) {
    let state = played.state(Cut::end_of(turn));
    let session = &played.session;
    let gone = |block: BlockIdx| {
        matches!(state.presence(block), Presence::Evicted(_) | Presence::ArrivedStripped(_))
    };
    let masked = |block: BlockIdx| matches!(state.presence(block), Presence::Masked(..));
    let live = |block: BlockIdx| state.presence(block) == Presence::Live;
    let mut groups: std::collections::BTreeMap<BlockIdx, [Vec<BlockIdx>; 2]> = Default::default();
    let mut original: Vec<Option<BlockIdx>> = vec![None; session.blocks.len()];
    for (at, row) in session.blocks.iter().enumerate() {
        let block = BlockIdx::new(at);
        let (head, side) = match row.kind {
            BlockKind::Call(_) => {
                let sent = session.message_of(block).outcome == ReplyOutcome::Complete;
                (sent.then(|| row.stands_for.and_then(|other| original[other.at()]).unwrap_or(block)), 0)
            }
            BlockKind::Result(_) => (row.pair.and_then(|call| original[call.at()]), 1),
            _ => continue,
        };
        original[at] = head;
        if let Some(head) = head {
            groups.entry(head).or_default()[side].push(block);
        }
    }
    let mut halves = BTreeSet::new();
    for (head, sides) in groups {
        let there: Vec<bool> =
            sides.iter().map(|side| side.iter().any(|block| live(*block) || masked(*block))).collect();
        let taken: Vec<bool> = sides.iter().map(|side| side.iter().any(|block| gone(*block))).collect();
        if there[0] && !there[1] && taken[1] {
            halves.insert((true, head));
        } else if there[1] && !there[0] && taken[0] {
            halves.insert((false, head));
        }
    }
    let sent = |block: &&BlockIdx| {
        !session.is_excluded(**block) && session.message_of(**block).outcome == ReplyOutcome::Complete
    };
    let holds = watched.iter().filter(sent).any(|block| live(*block));
    let by_policy = watched.iter().filter(sent).any(|block| gone(*block) || masked(*block));
    let came = watched.iter().filter(sent).any(|block| state.presence(*block) != Presence::Absent);
    (halves, [!holds && by_policy, !holds && came, came])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases() / 20))]

    #[test]
    fn the_walk_finds_what_the_state_shows(
        setting in setting(),
        watched in proptest::collection::vec(0..1000usize, 0..5),
    ) {
        let Setting { policy, budget, .. } = setting;
        let played = setting.play();
        let n_blocks = played.session.blocks.len();
        let watched: BTreeSet<usize> =
            watched.iter().filter(|_| n_blocks > 0).map(|at| at % n_blocks).collect();
        let watched: Vec<BlockIdx> = watched.into_iter().map(BlockIdx::new).collect();
        let (text, never) = (Arc::from("w"), |_: &str| false);
        let texts = [WatchedKind::Pin, WatchedKind::Probe(None)]
            .map(|kind| PinnedText { text: &text, kind, blocks: &watched, holds: &never });
        let found = verify_replay(&played.input(), &played.replay, &Watchlist { texts: &texts, todos: &[] });
        prop_assert_eq!(found.loops.len(), played.replay.turns.len());
        let mut probes = ProbeCount::default();
        for at in 1..=played.session.last_turn().number() {
            let turn = TurnIdx::new(at);
            let here: Vec<&Finding> = found.findings.iter().filter(|finding| finding.is_at(turn)).collect();
            let (halves, [pin_lost, unanswerable, is_asked]) = plain(&played, turn, &watched);
            probes.asked += u64::from(is_asked);
            probes.answered += u64::from(is_asked && !unanswerable);
            probes.taken += u64::from(is_asked && unanswerable && pin_lost);
            let n_alone = |kind: FindingKind| here.iter().filter(|finding| finding.kind == kind).count();
            prop_assert_eq!(n_alone(FindingKind::CallAlone), halves.iter().filter(|half| half.0).count());
            prop_assert_eq!(n_alone(FindingKind::ResultAlone), halves.iter().filter(|half| !half.0).count());
            let has = |code: &str| here.iter().any(|finding| finding.kind.code() == code);
            prop_assert_eq!(has("V006"), pin_lost, "pin at turn {}", at);
            prop_assert_eq!(has("V010"), unanswerable, "probe at turn {}", at);
            prop_assert_eq!(has("V002"), played.replay.outcome_at(turn).after > budget);
            prop_assert!(!has("V005"), "no policy takes what is pinned");
            if policy.name == "cwl" {
                prop_assert!(!has("V007"), "no active episode loses a block");
            }
        }
        prop_assert_eq!(found.probes, probes);
        for finding in &found.findings {
            prop_assert!(finding.until.is_none_or(|until| finding.turn < until));
            if finding.taken.is_some() && finding.kind != FindingKind::ResultAlone {
                // A block taken by the policy is in a step of this turn, or was stripped on arrival.
                let state = played.state(Cut::end_of(finding.turn));
                let block = finding.taken.unwrap();
                prop_assert!(state.presence(block) != Presence::Live);
            }
        }
    }
}
