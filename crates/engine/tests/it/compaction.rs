//! Compactions: what was needed after each one, and what a policy would have kept instead.

use crate::common::{Played, call, mark, options_of, text};
use cwl_engine::testing::{LogBuilder, act, end, expl};
use cwl_engine::*;

/// One record per line: `read N` is a reply with a read and a 100-byte result; `use N…` a reply with text;
/// `edit` a reply with an edit; `expl`, `act NEEDS` and `end` mark episodes; `compact KEPT…` is a compaction
/// that keeps the results of these reads; also `clear N` and `human`.
fn log(lines: &[&str]) -> LogBuilder {
    let mut log = LogBuilder::new();
    let mut results: Vec<(String, String)> = Vec::new();
    for line in lines {
        let (what, of) = line.split_once(' ').unwrap_or((line, ""));
        match what {
            "read" => {
                log.step(&[call(of, "read")], 100);
                let entries = log.log.events();
                let ids =
                    entries.range(entries.len() - 2..entries.len()).map(|event| event.entry.to_string());
                results.extend(ids.map(|id| (of.to_owned(), id)));
            }
            "edit" => _ = log.step(&[call(of, "edit")], 2),
            "expl" => _ = log.step(&[mark(&format!("m{of}"), expl(of))], 0),
            "act" => _ = log.step(&[mark(&format!("m{of}"), act("act", &[of]))], 0),
            "end" => _ = log.step(&[mark(&format!("e{of}"), end("learned"))], 0),
            "say" => _ = log.reply(&[text(1)]),
            "human" => _ = log.human("go on"),
            "clear" => _ = log.clearing(of, "cleared"),
            "compact" => {
                let kept: Vec<&str> = results
                    .iter()
                    .filter(|(name, _)| of.split(' ').any(|kept| kept == name))
                    .map(|(_, id)| id.as_str())
                    .collect();
                _ = log.compaction_of("what went before", &kept);
            }
            other => panic!("no such line: {other}"),
        }
    }
    log
}

fn result(session: &Session, id: &str) -> BlockIdx {
    let is_it = |row: &SessionBlock| {
        matches!(&row.kind, BlockKind::Result(result) if result.call.as_str() == id)
            && row.stands_for.is_none()
    };
    BlockIdx::new(session.blocks.iter().position(is_it).unwrap())
}

/// Parses uses, `BY HELD` or `BY HELD AGAIN`: the reply of turn `BY` uses what the read `HELD` got.
fn material(session: &Session, uses: &[&str]) -> Material {
    let mut uses: Vec<Use> = uses
        .iter()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let reply = session.turn_at(TurnIdx::new(words[0].parse().unwrap())).message.unwrap();
            let (by, _) = session.blocks_of(reply).next().unwrap();
            let name = u32::from(words[1].as_bytes()[0]);
            let again = words.get(2).map(|again| result(session, again));
            Use { name, by, held: result(session, words[1]), again }
        })
        .collect();
    uses.sort_by_key(|one| one.by);
    Material { uses, ..Material::default() }
}

/// Expected form per audit: `turn-next: needed | late | calls before the edit > turn of the edit`. A need is
/// the name, first turn and number of uses, with `-` if the compaction took it and `!` if it was reacquired.
fn check(lines: &[&str], uses: &[&str], expected: &[&str]) {
    let log = log(lines);
    let (session, ..) = log.build(1);
    let audits = audit_compactions(&session, &material(&session, uses));
    let tell = |needed: &[NeededName]| {
        let one = |one: &NeededName| {
            let name = char::from_u32(one.name).unwrap();
            let taken = if one.is_taken { "-" } else { "" };
            let again = if one.again.is_some() { "!" } else { "" };
            format!("{name}{}x{}{taken}{again}", one.turn.number(), one.n_uses)
        };
        needed.iter().map(one).collect::<Vec<_>>().join(" ")
    };
    let found: Vec<String> = audits
        .iter()
        .map(|audit| {
            let next = audit.next.map_or("end".to_owned(), |next| next.number().to_string());
            let edit = audit.edit.map_or("never".to_owned(), |edit| edit.number().to_string());
            let (needed, late) = (tell(&audit.needed), tell(&audit.late));
            format!(
                "{}-{next}: {needed} | {late} | {} > {edit}",
                audit.turn.number(),
                audit.n_calls_before_edit
            )
        })
        .collect();
    assert_eq!(found, expected, "lines {lines:?}, uses {uses:?}");
}

#[test]
fn needs_are_of_what_stood_before() {
    let lines = ["human", "read a", "read b", "compact b", "say", "read c", "say", "edit d", "say"];
    check(&lines, &[], &["3-end:  |  | 1 > 6"]);
    // Uses before the compaction, or of newer content, are no needs.
    check(&lines, &["2 a", "5 c"], &["3-end:  |  | 1 > 6"]);
    check(&lines, &["3 a", "3 b", "7 a"], &["3-end: a3x2- b3x1 |  | 1 > 6"]);
    check(&lines, &["4 a c", "7 b"], &["3-end: a4x1-! b7x1 |  | 1 > 6"]);
}

#[test]
fn each_need_is_told_once() {
    let lines = ["human", "read a", "read b", "compact b", "say", "read c", "compact c", "say", "say"];
    check(
        &lines,
        &["3 a", "5 a", "6 a", "5 b", "6 c"],
        &["3-5: a3x1- | a5x2- | 1 > never", "5-end: b5x1- c6x1 |  | 0 > never"],
    );
    // Content cleared earlier is not the compaction's loss.
    let lines = ["human", "read a", "read b", "clear a", "say", "compact", "say"];
    check(&lines, &["4 a", "4 b"], &["4-end: b4x1- |  | 0 > never"]);
}

#[test]
fn compactions_without_a_turn_between() {
    let lines = ["human", "read a", "compact", "compact", "human", "say"];
    check(&lines, &["2 a"], &["2-2:  | a2x1- | 0 > never", "2-end:  |  | 0 > never"]);
    check(&["human", "read a", "compact"], &[], &["2-end:  |  | 0 > never"]);
    check(&["human", "read a"], &[], &[]);
}

#[test]
fn blocks_that_were_needed_come_most_used_first() {
    let lines = ["human", "read a", "read b", "read c", "compact c", "say", "say", "say"];
    let (session, ..) = log(&lines).build(1);
    let material = material(&session, &["4 a", "4 b", "5 b", "6 b", "6 c"]);
    let audits = audit_compactions(&session, &material);
    let expected = [(result(&session, "b"), 3), (result(&session, "a"), 1)];
    assert_eq!(audits[0].taken_blocks(), expected);
}

fn instead(
    lines: &[&str],
    policy: &str,
    budget: u64,
    replacement: usize,
) -> (Played, CounterfactualCompaction) {
    let played = Played::replay(policy, &log(lines), budget, 0, 1, &options_of(policy, &[]));
    let instead = CounterfactualCompaction::replay_once(&played.input(), replacement).unwrap();
    (played, instead)
}

#[test]
fn a_policy_is_asked_once_in_the_place_of_the_harness() {
    let lines = ["human", "read a", "read b", "read c", "compact", "human", "say", "say"];
    let (played, none) = instead(&lines, "none", 0, 0);
    let without = ["human", "read a", "read b", "read c", "human", "say", "say"];
    let whole = Played::replay("none", &log(&without), 0, 0, 1, &options_of("none", &[]));
    assert_eq!(
        none.before,
        whole.replay.outcome_at(TurnIdx::new(4)).after,
        "nothing of the compaction is in it"
    );
    assert_eq!((none.after, none.is_over), (none.before, true));
    for (policy, kept) in [("none", "abc"), ("window", "bc"), ("mask", "")] {
        let budget = none.before - 50;
        let (_, asked) = instead(&lines, policy, budget, 0);
        let held = |id: &&str| asked.contains(result(&played.session, id));
        let found: String = ["a", "b", "c"].iter().filter(|id| held(id)).copied().collect();
        if policy != "mask" {
            assert_eq!(found, kept, "{policy}");
        }
        assert_eq!(asked.before, none.before, "{policy}");
        assert_eq!(asked.is_over, asked.after > budget, "{policy}");
    }
    assert!(
        CounterfactualCompaction::replay_once(&played.input(), 1).is_none(),
        "there is no such replacement"
    );
}

#[test]
fn earlier_compactions_stand_and_later_ones_at_the_same_turn_do_not() {
    let lines = ["human", "read a", "compact", "read b", "compact", "compact", "human", "say"];
    let (played, second) = instead(&lines, "none", u64::MAX, 1);
    let has = |instead: &CounterfactualCompaction, id| instead.contains(result(&played.session, id));
    assert!(!has(&second, "a"), "the first compaction took it");
    assert!(has(&second, "b"));
    let (_, third) = instead(&lines, "none", u64::MAX, 2);
    assert!(!has(&third, "b"), "the second compaction took it");
}

#[test]
fn summaries_of_a_policy_are_told() {
    let lines = ["human", "read a", "read b", "human", "read c", "compact", "human", "say"];
    let (_, asked) = instead(&lines, "summary", 250, 0);
    assert!(asked.after < asked.before);
    assert_eq!(asked.summaries.len(), 1, "{:?}", asked.summaries);
}

#[test]
fn words_are_no_names_of_code() {
    let check = |kind, text: &str, expected: bool| {
        assert_eq!(Name { kind, text: text.into() }.is_telling(), expected, "{text}");
    };
    for (text, expected) in [
        ("parse_header", true),
        ("FeedTree", true),
        ("utf8len", true),
        ("nothing", false),
        ("Session", false),
    ] {
        check(NameKind::Symbol, text, expected);
    }
    check(NameKind::Path, "nothing", true);
    check(NameKind::Command, "nothing", true);
}

#[test]
fn a_policy_that_had_nothing_to_do_before_does_the_same_without_the_compaction() {
    let before = ["human", "expl x", "read a", "end 1", "act x", "read b", "end 2", "read c"];
    let after = ["human", "say"];
    let with: Vec<&str> = before.iter().chain(&["compact"]).chain(&after).copied().collect();
    let without: Vec<&str> = before.iter().chain(&after).copied().collect();
    let whole = Played::replay("none", &log(&without), u64::MAX, 0, 1, &options_of("none", &[]));
    let turn = whole.session.last_turn().at();
    let size = whole.replay.turns[turn - 1].before;
    for policy in Policy::ALL {
        // All other requests fit.
        for budget in [size - 1, size, size + 1] {
            let options = options_of(policy.name, &[]);
            let replayed = Played::replay(policy.name, &log(&without), budget, 0, 1, &options);
            let expected = &replayed.replay.turns[turn - 1];
            let (_, asked) = instead(&with, policy.name, budget, 0);
            let found = (asked.after, asked.is_over);
            assert_eq!(found, (expected.after, expected.over_budget), "{} at {budget}", policy.name);
        }
    }
}
