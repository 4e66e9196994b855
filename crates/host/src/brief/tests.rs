use std::path::Path;

use super::*;
use crate::{LogInput, Tools, load_file};

fn brief(sample: &str) -> Brief {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
    let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
    Brief::from_snapshot(&opened).unwrap()
}

#[test]
fn a_page_tells_each_turn_with_its_lines() {
    let brief = brief("claude-code/compaction/input.jsonl");
    assert_eq!(brief.n_pages(), 1);
    insta::assert_snapshot!(brief.read_page(1).unwrap());
    for none in [0, 2] {
        assert_eq!(brief.read_page(none).unwrap_err().code, ErrorCode::BadRequest, "{none}");
    }
}

#[test]
fn pages_are_bounded_and_hold_every_turn_once() {
    let check = |sizes: &[usize], expected: &[Range<usize>]| {
        assert_eq!(divide_pages(sizes), expected, "{sizes:?}");
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
            let mut lines = turn.text.lines();
            let head = lines.next().unwrap();
            assert!(head.starts_with("turn ") || head == "after the last turn", "{head}");
            assert!(lines.all(|line| line.starts_with("  ")), "{}", turn.text);
        }
    }
}

#[test]
fn turns_have_the_numbers_of_the_graph() {
    let mut n_episodes = 0;
    for sample in
        ["pi/quickstart/input.jsonl", "gemini-cli/quickstart/input.jsonl", "codex/branches/input.jsonl"]
    {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
        let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
        let view = crate::api::ViewSettings { annotation: "inferred".into(), ..Default::default() };
        let graph = crate::commands::graph(&opened, &crate::api::ViewRequest { view }).unwrap();
        let brief = Brief::from_snapshot(&opened).unwrap();
        for episode in graph.episodes.iter().filter(|one| one.confidence.is_some()) {
            let head = format!("turn {}, line", episode.first_turn);
            let turn = brief.turns.iter().find(|turn| turn.text.starts_with(&head)).unwrap();
            assert!(
                turn.text.contains(&format!("\n  {} ", episode.line)),
                "{sample}: {}: {}",
                episode.name,
                turn.text
            );
            n_episodes += 1;
        }
    }
    assert!(n_episodes > 10, "{n_episodes} episodes");
}

#[test]
fn turns_that_share_a_line_are_told_apart_by_blocks() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/atif/quickstart/input.json");
    let text = std::fs::read_to_string(&sample).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("one-line.json");
    std::fs::write(&log, document.to_string()).unwrap();
    let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
    let page = Brief::from_snapshot(&opened).unwrap().read_page(1).unwrap();
    assert!(page.contains("Turns share lines in this log: `7/3` is block 3 of line 7."), "{page}");
    assert!(!brief("atif/quickstart/input.json").head.contains("share lines"));
    // Marks of the first and the third turn, at the places given by the page.
    let places: Vec<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("turn ")?.split_once(", line"))
        .map(|(_, place)| place.trim_start_matches("s ").trim_start())
        .map(|place| place.split_once(" to ").unwrap_or((place, place)))
        .collect();
    let mark = |name: &str, (first, last): (&str, &str)| {
        let place = |place: &str| -> (u64, Option<u32>) {
            let (line, block) = place.split_once('/').unwrap();
            (line.parse().unwrap(), Some(block.parse().unwrap()))
        };
        let ((first, first_block), (last, last_block)) = (place(first), place(last));
        let (name, kind) = (name.to_owned(), "act".to_owned());
        crate::api::FileMark {
            name,
            kind,
            first,
            last: Some(last),
            first_block,
            last_block,
            ..Default::default()
        }
    };
    let episodes = vec![mark("a", places[1]), mark("b", places[2])];
    let marks = crate::api::MarksFile { episodes, ..Default::default() };
    let session = &opened.current_branch().session;
    let (annotation, problems) = cwl_inspect::marks::spans_of(&marks, &opened.log, session);
    assert_eq!(problems, []);
    let turn_of = |block: cwl_engine::BlockIdx| {
        let message = session.blocks[block.at()].message;
        session.turns.iter().position(|turn| turn.message == Some(message))
    };
    let turns: Vec<_> = annotation.spans().unwrap().iter().map(|span| turn_of(span.first)).collect();
    assert_eq!(turns, [Some(1), Some(2)]);
}
