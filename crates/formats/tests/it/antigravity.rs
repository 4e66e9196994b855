//! Antigravity: outputs and their calls, and damaged logs.

use cwl_engine::{BlockKind, EventBody};
use cwl_formats::{Format, parse_log};
use proptest::prelude::*;

use crate::damaged::{any_lines_of, is_read};
use crate::told::tell;

const RECORDS: &str = include_str!("../../../../samples/antigravity/records/input.jsonl");

#[test]
fn outputs_belong_to_the_calls_in_their_order() {
    let told = tell(Format::Antigravity, RECORDS.as_bytes());
    let shown = told.session.blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::Call(call) => Some(format!("{} {}", call.id, call.name)),
        BlockKind::Result(result) => Some(format!("-> {} {}", result.call, result.ok)),
        _ => None,
    });
    let expected = [
        "L4.1 list_dir",
        "L4.2 view_file",
        "-> L4.1 true",
        "-> L4.2 true",
        "L7.1 run_command",
        "-> L7.1 false",
        "L11.1 replace_file_content",
        "L11.2 search_web",
        "-> L11.1 true",
        "L15.1 browser_open",
        "-> L15.1 true",
    ];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

#[test]
fn a_request_names_the_model() {
    let (events, _) = parse_log(Format::Antigravity, RECORDS.as_bytes());
    let models = events.iter().filter_map(|parsed| match &parsed.event.body {
        EventBody::ModelChange { model } => Some(&**model),
        _ => None,
    });
    assert_eq!(models.collect::<Vec<_>>(), ["Gemini 3.5 Flash (Medium)", "Gemini 3.5 Pro (High)"]);
}

#[test]
fn what_is_missing_is_said_once() {
    let codes = tell(Format::Antigravity, RECORDS.as_bytes());
    let codes = codes.codes();
    for code in ["L036", "L026", "L007"] {
        assert_eq!(codes.iter().filter(|found| **found == code).count(), 1, "{code}: {codes:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_log_is_read(log in any_lines_of(RECORDS), cut in any::<proptest::sample::Index>()) {
        is_read(Format::Antigravity, &log, cut)?;
    }
}
