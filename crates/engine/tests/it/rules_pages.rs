//! Outputs as pages: `lru` and its presets.

use crate::common::call;
use crate::common::told::{play_with_texts, told};
use cwl_engine::testing::{LogBuilder, Part};
use cwl_engine::{BlockIdx, Name, NameKind, Session, Use};

/// Four outputs `c1` to `c4`, of 100 tokens unless `sizes` says otherwise, then two short turns.
fn story(sizes: [usize; 4]) -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task");
    for (at, size) in (1..).zip(sizes) {
        log.step(&[call(&format!("c{at}"), "read")], size);
    }
    log.step(&[call("d1", "edit")], 2).step(&[call("d2", "edit")], 2);
    log
}

fn block(session: &Session, id: &str) -> BlockIdx {
    BlockIdx::new(session.blocks.iter().position(|block| block.id.to_string() == id).unwrap())
}

/// The output of call `c` with the number `n` stands in record 2n + 1, and `d1` and `d2` are in records 10 and 12.
/// Each use is the output held, the block that uses it, and the output got again, if any.
#[track_caller]
fn check(
    log: &LogBuilder,
    policy: &str,
    budget: u64,
    settings: &[(&str, &str)],
    uses: &[(&str, &str, &str)],
    expected: &[&str],
) {
    let played = play_with_texts(policy, log, budget, settings, |session, material| {
        material.names.push(Name { kind: NameKind::Path, text: "a".into() });
        let one = |(held, by, again): &(&str, &str, &str)| Use {
            name: 0,
            held: block(session, held),
            by: block(session, by),
            again: (!again.is_empty()).then(|| block(session, again)),
        };
        material.uses = uses.iter().map(one).collect();
    });
    assert_eq!(told(&played), expected, "{policy} {settings:?}: {}", played.dump());
}

const EVEN: [usize; 4] = [100; 4];

/// The first is used again by `d1`, the second twice before the others came.
const FIRST: (&str, &str, &str) = ("e3:0", "e10:0", "");
const SECOND: [(&str, &str, &str); 2] = [("e5:0", "e6:0", ""), ("e5:0", "e8:0", "")];

#[test]
fn the_least_recently_used_goes_first() {
    check(&story(EVEN), "lru", 10_000, &[], &[], &[]);
    check(&story(EVEN), "lru", 400, &[], &[], &["5: c1"]);
    check(&story(EVEN), "lru", 428, &[], &[FIRST], &["7: c2"]);
    check(&story(EVEN), "lru", 428, &[], &[SECOND[0], SECOND[1], FIRST], &["7: c3"]);
    check(&story(EVEN), "lru", 350, &[("keep_turns", "6")], &[], &[]);
    check(&story(EVEN), "lru", 428, &[("low_water", "700")], &[], &["7: c1 c2"]);
    check(&story(EVEN), "lru", 428, &[("exclude_tools", "read")], &[], &[]);
}

#[test]
fn the_least_often_used_goes_first() {
    check(&story(EVEN), "lfu", 428, &[], &[], &["7: c1"]);
    check(&story(EVEN), "lfu", 428, &[], &[FIRST], &["7: c2"]);
    check(&story(EVEN), "lfu", 428, &[], &SECOND, &["7: c1"]);
    check(&story(EVEN), "lfu", 350, &[], &[SECOND[0], SECOND[1], FIRST], &["5: c1", "6: c3"]);
    check(&story(EVEN), "lfu", 428, &[("order", "fifo")], &[FIRST], &["7: c1"]);
}

#[test]
fn the_fewest_uses_for_its_size_go_first() {
    check(&story([100, 200, 100, 100]), "gdsf", 528, &[], &[], &["7: c2"]);
    check(&story([100, 300, 100, 100]), "gdsf", 628, &[], &SECOND, &["7: c1"]);
    check(&story([100, 400, 100, 100]), "gdsf", 728, &[], &SECOND, &["7: c2"]);
    check(&story(EVEN), "gdsf", 428, &[], &[FIRST], &["7: c2"]);
    check(&story([26, 100, 100, 100]), "gdsf", 354, &[], &[], &["7: c2"]);
}

#[test]
fn paging_clears_what_is_four_turns_old_and_pins_what_came_again() {
    let settings = [("min_size", "50"), ("keep_turns", "2")];
    check(&story(EVEN), "paging", 10_000, &settings, &[], &["4: c1", "5: c2", "6: c3", "7: c4"]);
    check(&story([100, 49, 100, 100]), "paging", 1, &settings, &[], &["4: c1", "6: c3", "7: c4"]);
    // With four turns kept, and 125 tokens at least, nothing is old and large enough but the first.
    check(&story([200, 100, 100, 100]), "paging", 1, &[], &[], &["6: c1"]);
    // The second output is the first one got again, and equal; the third is got again, but differs.
    let again = [("e3:0", "e6:0", "e7:0"), ("e5:0", "e8:0", "e9:0")];
    let mut log = LogBuilder::new();
    log.human("task");
    for (id, body) in [("c1", "x"), ("c2", "y"), ("c3", "x"), ("c4", "z"), ("d1", "v"), ("d2", "w")] {
        log.reply(&[call(id, "read")]).result(id, &body.repeat(100));
    }
    let one = [("min_size", "50"), ("keep_turns", "1")];
    let told = ["3: c1", "4: c2", "6: c4", "7: d1"];
    check(&log, "paging", 1, &one, &again, &told);
    let unpinned = [one[0], one[1], ("pin_faults", "0")];
    check(&log, "paging", 1, &unpinned, &again, &["3: c1", "4: c2", "5: c3", "6: c4", "7: d1"]);
}

#[test]
fn outputs_of_failed_calls_stay_if_told() {
    let mut log = LogBuilder::new();
    log.human("task").reply(&[Part::Call("c1".into(), "read".into())]).failure("c1", &"x".repeat(100));
    log.step(&[call("c2", "read")], 100).step(&[call("c3", "read")], 100);
    check(&log, "lru", 250, &[("keep_errors", "1")], &[], &["4: c2"]);
    check(&log, "lru", 250, &[], &[], &["4: c1"]);
}
