//! Bands: the two divisions of one context.

use crate::common::{call, mark, play, reasoning, text};
use cwl_engine::testing::{LogBuilder, end, expl};
use cwl_engine::{Band, BandsBy, bands_by_turn};

/// One of everything: a task, a harness instruction, text, reasoning, and a call of each class.
fn story() -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task!").injected("rules");
    log.step(&[mark("s", expl("look"))], 0);
    log.step(&[reasoning(20), text(7), call("c1", "grep"), call("c2", "read")], 50);
    log.step(&[call("c3", "bash")], 100);
    log.step(&[mark("x", end("seen"))], 0);
    log.step(&[call("c4", "edit")], 30);
    log
}

/// Expected form: non-empty bands of the last request as `band tokens`.
fn check(by: BandsBy, expected: &[&str]) {
    let played = play(&story(), 10_000, &[]);
    let bands = bands_by_turn(&played.input(), &played.replay, by);
    let last = bands.last().unwrap();
    let found: Vec<String> = Band::ALL
        .iter()
        .filter(|band| last[**band as usize] > 0)
        .map(|band| format!("{} {}", band.name(), last[*band as usize]))
        .collect();
    assert_eq!(found, expected);
    let shown: u64 = by.bands().iter().map(|band| last[*band as usize]).sum();
    assert_eq!(
        shown,
        played.replay.turns.last().unwrap().after,
        "the bands of the division are all there is"
    );
}

#[test]
fn blocks_go_by_where_they_belong() {
    check(BandsBy::Episode, &["human 5", "prologue 5", "expl 241", "unannotated 34", "reasoning 20"]);
}

#[test]
fn blocks_go_by_what_they_are() {
    check(
        BandsBy::Content,
        &[
            "human 5",
            "reasoning 20",
            "system 5",
            "text 7",
            "calls 34",
            "reads 50",
            "searches 50",
            "shell 100",
            // The edit, and the results of both marks.
            "results 34",
        ],
    );
}
