//! Recall of references: whether used blocks were still in the context.

use crate::common::random::{Beat, BeatPart, beat, log_of, pins_of, settings_of};
use crate::common::{Played, call, mark, options_of, text};
use cwl_engine::testing::{LogBuilder, act, end, expl};
use cwl_engine::*;
use proptest::prelude::*;

/// Three explorations read one file each (100 bytes), an act draws on the third, and two replies follow.
///
/// Blocks by turn: 1 human message; 2 to 7 episode `a`, with its result at 5; then `b` with 11, and `c` with
/// 17.
fn log() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("go");
    for name in ["a", "b", "c"] {
        log.step(&[mark(&format!("{name}1"), expl(name)), call(&format!("{name}2"), "read")], 100);
        log.step(&[mark(&format!("{name}3"), end("x"))], 0);
    }
    log.step(&[mark("d1", act("d", &["c"]))], 0);
    log.step(&[text(10), call("d2", "read")], 70);
    log.reply(&[text(1)]);
    log
}

fn result(session: &Session, id: &str) -> BlockIdx {
    let is_it =
        |row: &SessionBlock| matches!(&row.kind, BlockKind::Result(result) if result.call.as_str() == id);
    BlockIdx::new(session.blocks.iter().position(is_it).unwrap())
}

/// Uses by replies with text: (reply, call that held it, call that reacquires it).
fn material(session: &Session, uses: &[(usize, &str, Option<&str>)]) -> Material {
    let texts: Vec<BlockIdx> = (0..session.blocks.len())
        .map(BlockIdx::new)
        .filter(|block| session.blocks[block.at()].kind == BlockKind::Text)
        .filter(|block| session.message_of(*block).role == Role::Assistant)
        .collect();
    let uses = (0..).zip(uses).map(|(name, (at, held, again))| Use {
        name,
        by: texts[*at],
        held: result(session, held),
        again: again.map(|again| result(session, again)),
    });
    Material { uses: uses.collect(), ..Material::default() }
}

fn played(log: &LogBuilder, policy: &str, budget: u64, uses: &[(usize, &str, Option<&str>)]) -> Played {
    let extra = |session: &Session| (material(session, uses), Vec::new());
    Played::with(policy, log, budget, 0, 1, &options_of(policy, &[]), extra)
}

/// Expected form: `uses hits used_tokens hit_tokens reacquisition | harness uses, tokens, reacquisition`.
fn check(log: &LogBuilder, policy: &str, budget: u64, uses: &[(usize, &str, Option<&str>)], expected: &str) {
    let played = played(log, policy, budget, uses);
    let found = measure_recall(&played.input(), &played.replay).total;
    let RecallTurn { uses: n, hits, used_tokens, hit_tokens, reacquired_tokens, .. } = found;
    let RecallTurn { harness_uses, harness_tokens, harness_reacquired_tokens, .. } = found;
    let found = format!(
        "{n} {hits} {used_tokens} {hit_tokens} {reacquired_tokens} | {harness_uses} {harness_tokens} {harness_reacquired_tokens}"
    );
    assert_eq!(found, expected, "{policy} at {budget}, uses {uses:?}");
}

#[test]
fn nothing_is_missed_where_nothing_is_evicted() {
    check(&log(), "none", 0, &[], "0 0 0 0 0 | 0 0 0");
    check(&log(), "none", 0, &[(0, "a2", None)], "1 1 100 100 0 | 0 0 0");
    check(&log(), "none", 0, &[(0, "a2", Some("d2")), (1, "b2", None)], "2 2 200 200 0 | 0 0 0");
    check(&log(), "cwl", 10_000, &[(0, "a2", Some("d2"))], "1 1 100 100 0 | 0 0 0");
}

#[test]
fn what_was_evicted_is_missed_and_getting_it_again_is_reacquired() {
    // `a` and `b` are gone; `c` is kept for its dependent act.
    check(&log(), "cwl", 150, &[(0, "a2", None)], "1 0 100 0 0 | 0 0 0");
    check(&log(), "cwl", 150, &[(0, "a2", Some("d2"))], "1 0 100 0 70 | 0 0 0");
    check(&log(), "cwl", 150, &[(0, "c2", Some("d2"))], "1 1 100 100 0 | 0 0 0");
    check(&log(), "cwl", 150, &[(0, "a2", None), (0, "c2", None), (1, "b2", None)], "3 1 300 100 0 | 0 0 0");
}

#[test]
fn a_block_counts_once_a_reply_with_its_size_and_every_name_counts() {
    check(&log(), "none", 0, &[(0, "a2", None), (0, "a2", None), (1, "a2", None)], "3 3 200 200 0 | 0 0 0");
}

#[test]
fn what_is_got_again_is_reacquired_once_and_only_if_nothing_of_it_was_there() {
    check(&log(), "cwl", 150, &[(0, "a2", Some("d2")), (0, "b2", Some("d2"))], "2 0 200 0 70 | 0 0 0");
    check(&log(), "cwl", 150, &[(0, "a2", Some("d2")), (0, "c2", Some("d2"))], "2 1 200 100 0 | 0 0 0");
}

#[test]
fn what_the_harness_dropped_is_apart() {
    let mut log = log();
    log.clearing("d2", "gone");
    log.reply(&[text(1)]);
    check(&log, "none", 0, &[(1, "d2", None), (2, "d2", Some("a2"))], "1 1 70 70 0 | 1 70 100");
    let mut all = self::log();
    all.compaction("all of it", "");
    all.reply(&[text(1)]);
    check(&all, "none", 0, &[(2, "d2", None), (2, "a2", None)], "0 0 0 0 0 | 2 170 0");
}

#[test]
fn a_placeholder_is_no_hit() {
    let mut log = LogBuilder::new();
    for at in 0..30 {
        log.step(&[call(&format!("c{at}"), "read")], 100);
    }
    log.reply(&[text(1)]);
    check(&log, "mask", 500, &[(0, "c0", None), (0, "c29", None)], "2 1 200 100 0 | 0 0 0");
}

#[test]
fn uses_of_a_turn() {
    let played = played(&log(), "none", 0, &[(0, "a2", None), (0, "b2", None), (1, "c2", None)]);
    let ranges: Vec<_> =
        (1..=10).map(|turn| uses_of(&played.session, &played.material.uses, TurnIdx::new(turn))).collect();
    assert_eq!(ranges.iter().filter(|range| !range.is_empty()).collect::<Vec<_>>(), [&(0..2), &(2..3)]);
    let rows = measure_recall(&played.input(), &played.replay).turns;
    assert_eq!(rows.iter().map(|row| row.uses).filter(|n| *n > 0).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn what_is_got_again_is_told_of_the_block_that_was_gone() {
    let check =
        |policy: &str, budget: u64, uses: &[(usize, &str, Option<&str>)], expected: &[(&str, bool, bool)]| {
            let played = played(&log(), policy, budget, uses);
            let found = find_absences(&played.input(), &played.replay, &played.material).blocks;
            for (call, gone, again) in expected {
                let absence = found[result(&played.session, call).at()];
                assert_eq!(
                    (absence.first.is_some(), absence.again.is_some()),
                    (*gone, *again),
                    "{call} {absence:?}"
                );
            }
        };
    let again = [(0, "a2", Some("d2")), (1, "b2", None)];
    check("none", 0, &again, &[("a2", false, false), ("b2", false, false), ("c2", false, false)]);
    check("cwl", 150, &again, &[("a2", true, true), ("b2", true, false), ("c2", false, false)]);
    // The content was still present under another name.
    let there = [(0, "a2", Some("d2")), (0, "c2", Some("d2"))];
    check("cwl", 150, &there, &[("a2", true, false), ("c2", false, false)]);
}

#[test]
fn an_evicted_block_that_the_harness_gives_back_is_missed() {
    let beats = [
        Beat::Reply(vec![BeatPart::End(false), BeatPart::Expl(0)], false),
        Beat::Reply(vec![BeatPart::Expl(0), BeatPart::Call(0)], false),
        Beat::Answer(143),
        Beat::Answer(4),
        Beat::Answer(9),
        Beat::Answer(56),
        Beat::Reply(vec![BeatPart::Text(0)], false),
        Beat::Clear(3),
        Beat::Compact(0),
        Beat::Reply(Vec::new(), false),
        Beat::Compact(6),
    ];
    let played =
        Played::with("cwl", &log_of(&beats), 0, 0, 1, &PolicyOptions::default(), |_| Default::default());
    let found = find_absences(&played.input(), &played.replay, &Material::default()).blocks;
    assert_eq!(found[9].first, Some(TurnIdx::new(5)));
}

fn any_material(session: &Session, dice: &[(usize, usize, Option<usize>)]) -> Material {
    let results: Vec<usize> = (0..session.blocks.len())
        .filter(|at| matches!(session.blocks[*at].kind, BlockKind::Result(_)))
        .collect();
    let mut uses: Vec<Use> = dice
        .iter()
        .filter(|_| !results.is_empty())
        .filter_map(|(by, held, again)| {
            let by = by % session.blocks.len();
            let n_before = results.partition_point(|at| *at < by);
            let held = *results.get(held % n_before.max(1)).filter(|held| **held < by)?;
            let again = again.map(|again| BlockIdx::new(results[again % results.len()]));
            Some(Use { name: 0, by: BlockIdx::new(by), held: BlockIdx::new(held), again })
        })
        .collect();
    uses.sort_by_key(|one| one.by);
    Material { uses, ..Material::default() }
}

proptest! {
    /// The fold over moves agrees with every single context.
    #[test]
    fn the_same_as_looking_at_every_context(
        policy in prop::sample::select(Policy::ALL.iter().filter(|p| !p.needs_material).collect::<Vec<_>>()),
        beats in prop::collection::vec(beat(), 0..40),
        budget in 0..600u64,
        dice in prop::collection::vec(any::<u64>(), 1..8),
        chosen in prop::collection::vec(0..200usize, 0..3),
        wanted in prop::collection::vec((0..400usize, 0..200usize, prop::option::of(0..200usize)), 0..30),
    ) {
        let log = log_of(&beats);
        let options = settings_of(policy, &dice);
        let extra = |session: &Session| (any_material(session, &wanted), pins_of(session, &chosen));
        let played = Played::with(policy.name, &log, budget, 0, 1, &options, extra);
        let found = measure_recall(&played.input(), &played.replay);
        prop_assert_eq!(found.turns.len(), played.replay.turns.len());
        let mut absent = vec![Absence::default(); played.session.blocks.len()];
        for (at, row) in found.turns.iter().enumerate() {
            let turn = TurnIdx::new(u32::try_from(at + 1).unwrap());
            let state = played.state(Cut::end_of(turn));
            let range = uses_of(&played.session, &played.material.uses, turn);
            let mut plain = RecallTurn::default();
            let (mut seen, mut again) = (Vec::new(), std::collections::BTreeMap::new());
            let is_taken = |at: usize| {
                !matches!(state.presence(BlockIdx::new(at)), Presence::Live | Presence::Absent | Presence::Dropped(_))
            };
            for (_, absence) in absent.iter_mut().enumerate().filter(|(at, _)| is_taken(*at)) {
                absence.first.get_or_insert(turn);
            }
            for one in &played.material.uses[range.clone()] {
                let units = if seen.contains(&one.held) { 0 } else { played.table.units(one.held) };
                seen.push(one.held);
                let rank = match state.presence(one.held) {
                    Presence::Absent => continue,
                    Presence::Dropped(_) => {
                        plain.harness_uses += 1;
                        plain.harness_tokens += units;
                        2
                    }
                    presence => {
                        let hit = presence == Presence::Live;
                        plain.uses += 1;
                        plain.used_tokens += units;
                        plain.hits += u64::from(hit);
                        plain.hit_tokens += if hit { units } else { 0 };
                        if hit { 0 } else { 1 }
                    }
                };
                if let Some(result) = one.again {
                    let best = again.entry(result).or_insert(rank);
                    *best = rank.min(*best);
                }
            }
            for one in &played.material.uses[range] {
                let is_reacquired = one.again.is_some_and(|result| again.get(&result) == Some(&1));
                if is_reacquired && is_taken(one.held.at()) {
                    absent[one.held.at()].again.get_or_insert(turn);
                }
            }
            for (result, rank) in again {
                let tokens = played.table.units(result);
                plain.reacquired_tokens += if rank == 1 { tokens } else { 0 };
                plain.harness_reacquired_tokens += if rank == 2 { tokens } else { 0 };
            }
            prop_assert_eq!(*row, plain, "{} turn {}", policy.name, turn);
        }
        prop_assert_eq!(find_absences(&played.input(), &played.replay, &played.material).blocks, absent, "{}", policy.name);
    }
}
