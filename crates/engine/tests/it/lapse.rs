//! Reasoning that is sent back only until the human speaks again.

use crate::common::text;
use cwl_engine::testing::{LogBuilder, Part, tools};
use cwl_engine::{BlockIdx, BlockKind, GraphTimeline, History, Ledger, ReplacementCause, Session, TurnIdx};

fn thought(n_bytes: usize) -> Part {
    Part::Reasoning("r".repeat(n_bytes))
}

/// Returns the session with all reasoning lapsing, and the total of every turn.
fn totals(log: &LogBuilder, history: History) -> (Session, Vec<u64>) {
    let (mut session, _) = Session::build(&log.log, None, history, &tools());
    let is_reasoning = |at: &usize| session.blocks[*at].kind == BlockKind::Reasoning;
    let reasoning: Vec<BlockIdx> =
        (0..session.blocks.len()).filter(is_reasoning).map(BlockIdx::new).collect();
    session.lapse_reasoning(&reasoning);
    let (growth, _) = GraphTimeline::build(&session);
    let (_, _, table) = log.build(1);
    let mut ledger = Ledger::new(&growth, &table, &[]);
    let of_turn = |at: usize| {
        growth
            .changes_at(TurnIdx::new(u32::try_from(at).unwrap() + 1))
            .iter()
            .for_each(|one| _ = ledger.apply_change(one));
        ledger.total()
    };
    let found = (0..session.turns.len()).map(of_turn).collect();
    (session, found)
}

#[test]
fn reasoning_goes_with_the_next_words_of_the_human_and_stays_until_then() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[thought(100), text(1)]).injected("b").reply(&[thought(50), text(1)]);
    log.human("c").reply(&[thought(7), text(1)]);
    let expected = [1, 103, 5, 13];
    assert_eq!(totals(&log, History::AsRecorded).1, expected);
    assert_eq!(totals(&log, History::Full).1, expected, "it is the provider's rule, not the harness's");
    let (session, _) = totals(&log, History::AsRecorded);
    let [lapse] = &session.replacements[..] else { panic!("{:?}", session.replacements) };
    assert_eq!((lapse.cause, lapse.entry.as_str(), lapse.drops.len()), (ReplacementCause::Lapse, "e5", 2));
}

#[test]
fn a_compaction_that_keeps_it_does_not_bring_it_back() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[thought(100), text(1)]).human("b").reply(&[thought(50), text(1)]);
    log.compaction("sum", "").compaction("sum", "e2").reply(&[text(1)]);
    // The second compaction keeps the first reply, the human's `b` and the second reply.
    assert_eq!(totals(&log, History::AsRecorded).1, [1, 3, 56, 57]);
}
