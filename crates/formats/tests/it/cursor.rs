//! Cursor: calls whose outputs are not in the log, and damaged logs.

use cwl_engine::BlockKind;
use cwl_formats::Format;
use proptest::prelude::*;

use crate::damaged::{any_lines_of, is_read};
use crate::told::tell;

const RECORDS: &str = include_str!("../../../../samples/cursor/records/input.jsonl");

#[test]
fn each_call_has_an_output_but_the_last() {
    let told = tell(Format::Cursor, RECORDS.as_bytes());
    let shown = told.session.blocks.iter().filter_map(|block| {
        let text = &told.contents[block.event.at()][block.part as usize].text;
        match &block.kind {
            BlockKind::Call(call) => Some(format!("{} {}", call.id, call.name)),
            BlockKind::Result(result) => Some(format!("-> {} {text:?}", result.call)),
            _ => None,
        }
    });
    let expected = [
        "L2.3 Read",
        "L2.4 Grep",
        r#"-> L2.3 """#,
        r#"-> L2.4 """#,
        "t1 StrReplace",
        r#"-> t1 "Edited.""#,
        "L8.1 Shell",
        r#"-> L8.1 "ok""#,
        "L15.1 Read",
    ];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert_eq!(told.codes().iter().filter(|code| **code == "L037").count(), 1, "{:?}", told.codes());
    assert!(!told.codes().contains(&"L016"), "{:?}", told.codes());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_log_is_read(log in any_lines_of(RECORDS), cut in any::<proptest::sample::Index>()) {
        is_read(Format::Cursor, &log, cut)?;
    }
}
