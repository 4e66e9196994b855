//! Traces of kv-cache-tester: sizes of messages, prompts that change, and damaged documents.

use cwl_engine::{BlockIdx, BlockKind, TurnIdx};
use cwl_formats::Format;
use proptest::prelude::*;

use crate::damaged::{any_lines_of, is_read};
use crate::told::{Told, tell};

const QUICKSTART: &str = include_str!("../../../../samples/kv-cache-trace/quickstart/input.json");
const RECORDS: &str = include_str!("../../../../samples/kv-cache-trace/records/input.json");

/// Writes each block of a request as its kind or call, and its number of placeholder words.
fn sizes(told: &Told, turn: TurnIdx) -> Vec<String> {
    let size_of = |idx: BlockIdx| {
        let n_words = told.text_of(idx).split_whitespace().count();
        match &told.session.blocks[idx.at()].kind {
            BlockKind::Call(call) => format!("{} {n_words}", call.id),
            BlockKind::Result(result) => format!("-> {} {n_words}", result.call),
            kind => format!("{} {n_words}", kind.name()),
        }
    };
    told.context_blocks(turn).into_iter().map(size_of).collect()
}

#[test]
fn a_prompt_grows_by_the_reply_and_by_the_input() {
    let told = tell(Format::KvCacheTrace, QUICKSTART.as_bytes());
    assert_eq!(told.n_turns(), 13);
    // The first prompt has 40 blocks of 64 tokens: 20 of tools, 10 of the system prompt, 10 of the human.
    let last = sizes(&told, told.session.last_turn());
    assert_eq!(
        last[..6],
        ["text 1280", "text 640", "text 640", "call-1 120", "-> call-1 2432", "call-2 150"]
    );
    assert_eq!(last.last().map(String::as_str), Some("text 90"));
}

#[test]
fn a_prompt_may_change_anywhere() {
    let told = tell(Format::KvCacheTrace, RECORDS.as_bytes());
    let turn = |nth: u32| sizes(&told, TurnIdx::new(nth));
    let head = ["text 192", "text 128", "text 960"];
    assert_eq!(turn(1), head);
    assert_eq!(turn(2)[3..], ["call-1 70", "-> call-1 64"]);
    // The reply of 64 tokens fills what was added, so the result has no size.
    assert_eq!(turn(3)[3..], ["call-1 70", "-> call-1 64", "call-2 64", "-> call-2 0"]);
    assert_eq!(turn(4)[7..], ["call-4 30", "-> call-4 128"]);
    // The last result changed in its second block: a block of it stays, and the reply comes behind.
    assert_eq!(turn(5)[7..], ["call-4 30", "-> call-4 64", "call-5 100", "-> call-5 64"]);
    // The prompt changed at the first block of the first result, so the result is empty.
    assert_eq!(turn(6)[3..], ["call-1 70", "-> call-1 0", "text 64"]);
    assert_eq!(turn(7), ["text 192", "text 64", "text 128"]);
    assert!(!told.codes().contains(&"L016"), "{:?}", told.codes());
}

#[test]
fn odd_fields_are_told_and_texts_are_noted_once() {
    let told = tell(Format::KvCacheTrace, RECORDS.as_bytes());
    let n_of = |code: &str| told.codes().iter().filter(|found| **found == code).count();
    assert_eq!((n_of("L038"), told.n_turns()), (1, 9));
    let fields: Vec<String> = told.problems.iter().map(|problem| problem.kind.to_string()).collect();
    for field in ["`t`", "`in`", "`out`", "`hash_ids`"] {
        assert!(fields.iter().any(|text| text.contains(field)), "{field}: {fields:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_log_is_read(log in any_lines_of(RECORDS), cut in any::<proptest::sample::Index>()) {
        is_read(Format::KvCacheTrace, &log, cut)?;
    }
}
