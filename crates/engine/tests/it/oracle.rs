//! The upper bound: never below any policy, and reached by an optimal one.

use crate::common::random::{log_of, material_of, n_cases, setting};
use crate::common::{Played, call, mark, options_of, text};
use cwl_engine::testing::{LogBuilder, end, expl};
use cwl_engine::*;
use proptest::prelude::*;

/// One reply and one result per letter: `a` reads the file `a` (100 bytes); a second read is a use.
fn reads(files: &str) -> (LogBuilder, Vec<(usize, usize)>) {
    let mut log = LogBuilder::new();
    let (mut last, mut uses) = (std::collections::BTreeMap::new(), Vec::new());
    for (at, file) in files.chars().enumerate() {
        log.reply(&[call(&format!("c{at}"), "")]);
        log.result(&format!("c{at}"), &"x".repeat(100));
        // Blocks come in pairs: a call, then its result.
        if let Some(held) = last.get(&file) {
            uses.push((2 * at, *held));
        } else {
            last.insert(file, 2 * at + 1);
        }
    }
    (log, uses)
}

fn material(uses: &[(usize, usize)]) -> Material {
    let block = |at: &usize| BlockIdx::new(*at);
    let uses = uses.iter().map(|(by, held)| Use { name: 0, by: block(by), held: block(held), again: None });
    Material { uses: uses.collect(), ..Material::default() }
}

/// Makes the harness record every mark with its result, as `pi-cwl` requires; an end has the name of the
/// newest start.
fn with_recorded_marks(mut log: LogBuilder) -> LogBuilder {
    let mut marks = std::collections::BTreeMap::new();
    let mut newest = None;
    let mut recorded = EventLog::default();
    for mut event in log.log.events().to_vec() {
        if let EventBody::Message(message) = &mut event.body {
            for block in &mut message.blocks {
                match &mut block.kind {
                    BlockKind::Call(call) => {
                        let mut mark = call.mark.clone();
                        match &mut mark {
                            Some(DelimiterMark::Open { name, .. }) => newest = Some(name.clone()),
                            Some(DelimiterMark::Close { name, .. }) => *name = newest.clone(),
                            _ => {}
                        }
                        marks.insert(call.id.clone(), mark);
                    }
                    BlockKind::Result(result) => result.mark = marks.get(&result.call).cloned().flatten(),
                    _ => {}
                }
            }
        }
        recorded.push(event);
    }
    log.log = recorded;
    log
}

fn bound_of(played: &Played) -> (u64, u64, u64) {
    let Bound { hit_tokens, used_tokens } = hit_upper_bound(&played.input(), &played.replay);
    let found = measure_recall(&played.input(), &played.replay).total;
    assert_eq!(used_tokens, found.used_tokens, "both speak of the same uses");
    (found.hit_tokens, hit_tokens, used_tokens)
}

/// Expected form: (hit, bound, used) tokens.
fn check(files: &str, policy: &str, budget: u64, expected: (u64, u64, u64)) {
    let (log, uses) = reads(files);
    let extra = |_: &Session| (material(&uses), Vec::new());
    let played = Played::with(policy, &log, budget, 0, 1, &options_of(policy, &[]), extra);
    assert_eq!(bound_of(&played), expected, "{policy} at {budget} over {files}");
}

#[test]
fn with_room_for_all_everything_can_be_hit() {
    check("abcab", "none", 10_000, (200, 200, 200));
    check("abcab", "window", 10_000, (200, 200, 200));
    // Over its budget, a policy has the room it takes.
    check("abcab", "none", 0, (200, 200, 200));
    check("abc", "none", 0, (0, 0, 0));
}

#[test]
fn a_policy_that_keeps_the_right_ones_reaches_it() {
    // With room for two files, the last two are kept, and these are used.
    check("abcbc", "window", 200, (200, 200, 200));
}

#[test]
fn who_knows_the_future_keeps_the_others() {
    // Recency has lost `a` before each use, although room for one file would always hit it.
    check("abcaxyazua", "window", 200, (0, 300, 300));
    // Room for one and a half files allows hits on one and a half.
    check("abcdeab", "window", 150, (0, 150, 200));
}

/// A policy without memory drops a file while there is no room and has it back when it is used. With fetches
/// at uses only, there is a choice between the two, and 180 tokens do not hold both.
#[test]
fn what_a_policy_brings_back_its_bound_may_bring_back() {
    let mut log = LogBuilder::new();
    log.human("go").reply(&[mark("s", expl("look"))]).recorded("s", "", true, expl("look"));
    log.step(&[call("a", "read")], 100);
    let closing = match end("x") {
        DelimiterMark::Close { description, odd, .. } => {
            DelimiterMark::Close { name: Some("look".into()), description, odd }
        }
        other => other,
    };
    log.reply(&[mark("e", closing.clone())]).recorded("e", "", true, closing);
    log.step(&[call("b", "read")], 100);
    log.reply(&[text(1)]).clearing("b", "").reply(&[text(1)]);
    let extra = |session: &Session| {
        let of = |is_it: &dyn Fn(&SessionBlock) -> bool| {
            let found = session.blocks.iter().enumerate().filter(|(_, row)| is_it(row));
            found.map(|(at, _)| at).collect::<Vec<_>>()
        };
        let result = |id: &str| {
            of(&|row| matches!(&row.kind, BlockKind::Result(result) if result.call.as_str() == id))[0]
        };
        let texts = of(&|row| row.kind == BlockKind::Text && row.message.at() > 0);
        (material(&[(texts[0], result("b")), (texts[1], result("a"))]), Vec::new())
    };
    let played = Played::with("pi-cwl", &log, 180, 0, 1, &options_of("pi-cwl", &[]), extra);
    assert_eq!(bound_of(&played), (200, 200, 200));
    let cwl = Played::with("cwl", &log, 180, 0, 1, &options_of("cwl", &[]), extra);
    let (_, bound, used) = bound_of(&cwl);
    assert!(bound < used, "without coming back, {bound} of {used} can be hit");
}

/// The harness removes and restores everything: the block is then at hand and need not have been kept.
#[test]
fn what_the_harness_puts_back_its_bound_may_have_again() {
    let mut log = LogBuilder::new();
    log.human("go").step(&[call("a", "read")], 100).step(&[call("b", "read")], 100);
    log.reply(&[text(1)]).compaction("nothing stays", "");
    log.reply(&[text(1)]).compaction("all is back", "e1").reply(&[text(1)]);
    let extra = |session: &Session| {
        let at = |id: &str| session.blocks.iter().position(|row| row.id.to_string() == id).unwrap();
        (material(&[(at("e6:0"), at("e5:0")), (at("e10:0"), at("e3:0"))]), Vec::new())
    };
    let played = Played::with("window", &log, 150, 0, 1, &options_of("window", &[]), extra);
    assert_eq!(bound_of(&played), (100, 200, 200), "{}", played.dump());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases()))]

    #[test]
    fn no_policy_is_above_its_bound(
        setting in setting(),
        wanted in prop::collection::vec((0..400usize, 0..200usize), 0..60),
    ) {
        let log = with_recorded_marks(log_of(&setting.beats));
        let material = |session: &Session| {
            let mut material = material_of(session);
            let n_blocks = session.blocks.len().max(1);
            // Any earlier block may be used: results, calls, words of the human.
            material.uses.extend(wanted.iter().filter(|_| !session.blocks.is_empty()).map(|(by, held)| Use {
                name: 0,
                by: BlockIdx::new(by % n_blocks),
                held: BlockIdx::new(held % (by % n_blocks).max(1)),
                again: None,
            }));
            material.uses.retain(|one| one.held < one.by);
            material.names.resize(material.names.len().max(1), Name { kind: NameKind::Path, text: "p".into() });
            material.uses.sort_by_key(|one| one.by);
            material
        };
        let policy = setting.policy;
        let (hit, bound, used) = bound_of(&setting.play_with(&log, material));
        prop_assert!(hit <= bound, "{}: hit {} of {}, bound {}", policy.name, hit, used, bound);
        prop_assert!(bound <= used, "{}: bound {} of {}", policy.name, bound, used);
    }
}
