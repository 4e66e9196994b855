//! Explorations an act uses without declaring them.

use crate::common::random::{beat, log_of, material_of};
use crate::common::{call, mark, text};
use cwl_engine::testing::{LogBuilder, act, end, expl};
use cwl_engine::*;
use proptest::prelude::*;

/// Explorations `a` and `b` read one file each (calls `a2`, `b2`); the act `d` has the given dependencies
/// and one text; a reply outside follows.
fn log(dependencies: &[&str]) -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("go");
    for name in ["a", "b"] {
        log.step(&[mark(&format!("{name}1"), expl(name)), call(&format!("{name}2"), "read")], 100);
        log.step(&[mark(&format!("{name}3"), end("x"))], 0);
    }
    log.step(&[mark("d1", act("d", dependencies))], 0);
    log.reply(&[text(10)]);
    log.step(&[mark("d2", end(""))], 0);
    log.reply(&[text(1)]);
    log
}

/// Names by kind: `p` path, `c` command, `s` symbol, `w` plain word. Uses are (name, using text, holding
/// call).
fn material(session: &Session, kinds: &str, uses: &[(u32, usize, &str)]) -> Material {
    let is_text = |block: &BlockIdx| {
        session.blocks[block.at()].kind == BlockKind::Text
            && session.message_of(*block).role == Role::Assistant
    };
    let texts: Vec<BlockIdx> = (0..session.blocks.len()).map(BlockIdx::new).filter(is_text).collect();
    let result = |id: &str| {
        let is_it =
            |row: &SessionBlock| matches!(&row.kind, BlockKind::Result(result) if result.call.as_str() == id);
        BlockIdx::new(session.blocks.iter().position(is_it).unwrap())
    };
    let kind = |kind| match kind {
        'p' => NameKind::Path,
        'c' => NameKind::Command,
        _ => NameKind::Symbol,
    };
    // An identifier with a digit is no plain word.
    let text = |at: usize, letter: char| match letter {
        'w' => format!("w{}", "x".repeat(at)),
        letter => format!("{letter}{at}"),
    };
    let name = |(at, letter): (usize, char)| Name { kind: kind(letter), text: text(at, letter).into() };
    Material {
        names: kinds.chars().enumerate().map(name).collect(),
        uses: uses
            .iter()
            .map(|(name, by, held)| Use { name: *name, by: texts[*by], held: result(held), again: None })
            .collect(),
        ..Material::default()
    }
}

/// Expected form: `act<exploration:names`, separated by spaces.
fn check(log: &LogBuilder, kinds: &str, uses: &[(u32, usize, &str)], expected: &str) {
    let (session, growth, _) = log.build(1);
    let material = material(&session, kinds, uses);
    let name = |idx| growth.graph.episode(idx).name.to_string();
    let told: Vec<String> = find_undeclared(&session, &growth.graph, &material, &Thresholds::default())
        .iter()
        .map(|one| {
            let names: Vec<&str> = one.uses.iter().map(|one| &*one.text).collect();
            format!("{}<{}:{}", name(one.act), name(one.on), names.join(","))
        })
        .collect();
    assert_eq!(told.join(" "), expected, "{kinds} {uses:?}");
}

#[test]
fn a_path_or_a_command_of_an_exploration_that_is_not_named_tells() {
    check(&log(&["a"]), "p", &[(0, 0, "b2")], "d<b:p0");
    check(&log(&["a"]), "c", &[(0, 0, "b2")], "d<b:c0");
    check(&log(&[]), "ppp", &[(0, 0, "a2"), (1, 0, "b2"), (2, 0, "a2")], "d<a:p0,p2 d<b:p1");
    // A single distant path is too little evidence.
    check(&log(&[]), "p", &[(0, 0, "a2")], "");
    check(&log(&["a"]), "p", &[], "");
}

#[test]
fn what_is_named_is_declared() {
    check(&log(&["a"]), "p", &[(0, 0, "a2")], "");
    check(&log(&["a", "b"]), "pp", &[(0, 0, "a2"), (1, 0, "b2")], "");
}

#[test]
fn a_few_words_tell_nothing() {
    let uses = |n: u32| (0..n).map(|name| (name, 0, "b2")).collect::<Vec<_>>();
    let told = |n: usize| (0..n).map(|at| format!("w{}", "x".repeat(at))).collect::<Vec<_>>().join(",");
    check(&log(&["a"]), &"w".repeat(14), &uses(14), "");
    check(&log(&["a"]), &"w".repeat(15), &uses(15), &format!("d<b:{}", told(15)));
    check(&log(&["a"]), "ss", &uses(2), "");
    check(&log(&["a"]), "sss", &uses(3), "d<b:s0,s1,s2");
    check(&log(&["a"]), "ssp", &uses(3), "d<b:p2,s0,s1");
    check(&log(&["a"]), "w", &[(0, 0, "b2"); 20], "");
}

#[test]
fn only_an_act_has_dependencies() {
    check(&log(&["a"]), "p", &[(0, 1, "b2")], "");
}

#[test]
fn what_a_named_exploration_held_too_is_declared() {
    // The first use finds it in the declared `a`, the second in `b`, which read it again.
    check(&log(&["a"]), "p", &[(0, 0, "a2"), (0, 0, "b2")], "");
}

#[test]
fn an_exploration_that_was_not_over_could_not_be_named() {
    let mut log = LogBuilder::new();
    log.human("go");
    log.step(&[mark("d1", act("d", &[]))], 0);
    log.step(&[mark("d2", end(""))], 0);
    log.step(&[mark("b1", expl("b")), call("b2", "read")], 100);
    log.reply(&[text(10)]);
    check(&log, "p", &[(0, 0, "b2")], "");
}

proptest! {
    #[test]
    fn every_hint_is_of_an_act_and_an_exploration_before_it(beats in prop::collection::vec(beat(), 0..60)) {
        let (session, growth, _) = log_of(&beats).build(1);
        let graph = &growth.graph;
        let material = material_of(&session);
        for one in find_undeclared(&session, graph, &material, &Thresholds::default()) {
            prop_assert_eq!(graph.episode(one.act).kind, EpisodeKind::Action);
            prop_assert_eq!(graph.episode(one.on).kind, EpisodeKind::Exploratory);
            prop_assert!(graph.episode(one.on).start < graph.episode(one.act).start);
            prop_assert!(!graph.dependencies(one.act).contains(&one.on));
            prop_assert_eq!(graph.owner_of(one.first), Some(one.act));
            prop_assert!(!one.uses.is_empty());
            prop_assert!(one.strength <= 1000 && one.uses.is_sorted_by_key(|one| one.clue));
        }
    }
}
