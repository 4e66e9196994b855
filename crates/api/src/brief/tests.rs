use std::path::Path;

use super::*;
use crate::{LogInput, Tools, load_file};

fn brief(sample: &str) -> Brief {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
    let opened = load_file(&LogInput::File(log), None, &Tools::builtin()).unwrap();
    Brief::of(&opened).unwrap()
}

#[test]
fn a_page_tells_each_turn_with_its_lines() {
    let brief = brief("claude-code/compaction/input.jsonl");
    assert_eq!(brief.n_pages(), 1);
    insta::assert_snapshot!(brief.page(1).unwrap());
    for none in [0, 2] {
        assert_eq!(brief.page(none).unwrap_err().code, ErrorCode::BadRequest, "{none}");
    }
}

#[test]
fn pages_are_bounded_and_hold_every_turn_once() {
    let check = |sizes: &[usize], expected: &[Range<usize>]| {
        let turns: Vec<String> = sizes.iter().map(|size| "x".repeat(*size)).collect();
        assert_eq!(pages(&turns), expected, "{sizes:?}");
    };
    check(&[], std::slice::from_ref(&(0..0)));
    check(&[10], std::slice::from_ref(&(0..1)));
    check(&[PAGE_BYTES, 1], &[0..1, 1..2]);
    check(&[PAGE_BYTES * 2, PAGE_BYTES / 2, PAGE_BYTES / 2, 1], &[0..1, 1..3, 3..4]);
}

#[test]
fn no_text_of_a_log_looks_like_a_line_of_the_brief() {
    for sample in ["pi/quickstart", "claude-code/compaction", "codex/compacted", "pi/protocol"] {
        let log = format!("{sample}/input.jsonl");
        if !Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(&log).exists() {
            continue;
        }
        let brief = brief(&log);
        for turn in &brief.turns {
            let mut lines = turn.lines();
            let head = lines.next().unwrap();
            assert!(head.starts_with("turn ") || head == "after the last turn", "{head}");
            assert!(lines.all(|line| line.starts_with("  ")), "{turn}");
        }
    }
}
