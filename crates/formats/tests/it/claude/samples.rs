//! Samples: each file is recognised, can be read in pieces, and tells the same story as in other formats.

use std::path::{Path, PathBuf};

use cwl_engine::testing::dump_graph;
use cwl_engine::{BlockKind, DelimiterMark, EventBody, EventLog, GraphTimeline, History, Session, TurnIdx};
use cwl_formats::{Format, LogReader, default_tools, detect_format, parse_log};

use super::log::Log;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/claude-code")
}

pub(crate) fn sample(path: &str) -> Vec<u8> {
    std::fs::read(folder().join(path)).unwrap()
}

/// Every log below the folder, including subagents'. Captured bodies are not logs of Claude Code.
fn every_log(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("bodies") {
            continue;
        }
        if path.is_dir() {
            every_log(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
}

#[test]
fn every_file_is_recognised_and_read_in_pieces() {
    let mut found = Vec::new();
    every_log(&folder(), &mut found);
    assert!(found.len() >= 14, "sessions and three files of subagents");
    for path in found {
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(detect_format(&bytes), Ok(Format::ClaudeCode), "{}", path.display());
        let whole = parse_log(Format::ClaudeCode, &bytes);
        let mut reader = LogReader::new(Format::ClaudeCode);
        let mut pieces = (Vec::new(), Vec::new());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            for piece in line.chunks(977) {
                let batch = reader.feed_bytes(piece);
                pieces.0.extend(batch.events);
                pieces.1.extend(batch.problems);
            }
            // Resumes the reader whenever possible, as after a restart of the program.
            if let Some(state) = reader.resume_state().filter(|_| line.ends_with(b"\n")) {
                reader = LogReader::resume_from(Format::ClaudeCode, state);
            }
        }
        let tail = reader.unfinished_batch();
        pieces.0.extend(tail.events);
        pieces.1.extend(tail.problems);
        assert!(pieces == whole, "{}: pieces and whole differ", path.display());
    }
}

#[test]
fn quickstart_marks_the_same_episodes_as_in_pi() {
    let episodes = |format: Format, path: &str| -> Vec<String> {
        let bytes = std::fs::read(folder().join(path)).unwrap();
        let (events, _) = parse_log(format, &bytes);
        let blocks = events.iter().flat_map(|parsed| parsed.event.body.all_blocks());
        blocks
            .filter_map(|block| match &block.kind {
                BlockKind::Call(call) => match &call.mark {
                    Some(DelimiterMark::Open { name, kind, dependencies, .. }) => {
                        Some(format!("{name} {kind:?} {dependencies:?}"))
                    }
                    Some(DelimiterMark::Close { description, .. }) => Some(format!("end {description:?}")),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    };
    let own = episodes(Format::ClaudeCode, "quickstart/input.jsonl");
    assert_eq!(own.len(), 20);
    assert_eq!(own, episodes(Format::Pi, "../pi/quickstart/input.jsonl"));
}

#[test]
fn what_is_not_for_the_model_has_no_blocks() {
    let log = Log::read(&sample("quickstart/input.jsonl"));
    let kept: usize =
        log.events.iter().flat_map(|parsed| &parsed.contents).map(|content| content.text.len()).sum();
    let envelopes: usize = log
        .events
        .iter()
        .filter(|parsed| matches!(parsed.event.body, EventBody::Quiet { .. }))
        .flat_map(|parsed| &parsed.contents)
        .count();
    assert_eq!(envelopes, 0);
    assert!(kept * 3 < sample("quickstart/input.jsonl").len(), "{kept} of the bytes are for the model");
}

/// The quickstart has the same graph as pi's, except for block ids.
#[test]
fn quickstart_gives_the_same_graph_as_in_pi() {
    let graph = |format: Format, path: &str| {
        let (events, _) = parse_log(format, &std::fs::read(folder().join(path)).unwrap());
        let mut log = EventLog::default();
        for parsed in events {
            log.push(parsed.event);
        }
        let (session, _) = Session::build(&log, None, History::AsRecorded, &default_tools());
        let (growth, problems) = GraphTimeline::build(&session);
        assert!(problems.is_empty(), "{problems:?}");
        let dumped = dump_graph(&session, &growth.graph);
        let without_id = |line: &str| {
            let (before, after) = line.split_once(" from ").unwrap();
            format!("{before}, {}", after.split_once(", ").unwrap().1)
        };
        dumped.lines().map(without_id).collect::<Vec<String>>()
    };
    let own = graph(Format::ClaudeCode, "quickstart/input.jsonl");
    assert_eq!(own.len(), 13, "ten episodes, and three stretches between them");
    assert_eq!(own, graph(Format::Pi, "../pi/quickstart/input.jsonl"));
}

#[test]
fn the_context_of_a_turn_is_a_function_of_the_log_before_it() {
    for (case, every) in
        [("quickstart", 5), ("compaction", 1), ("parallel", 1), ("injected", 1), ("errors", 1)]
    {
        let bytes = sample(&format!("{case}/input.jsonl"));
        let whole = Log::read(&bytes);
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        for end in ends.step_by(every) {
            let part = Log::read(&bytes[..end]);
            let n_turns = part.session.turns.len() - 1;
            for turn in (1..).map(TurnIdx::new).take(n_turns) {
                assert_eq!(part.context(turn), whole.context(turn), "{case}: turn {turn} at byte {end}");
            }
        }
    }
}
