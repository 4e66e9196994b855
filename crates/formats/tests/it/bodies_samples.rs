//! Samples of trajectories and bodies, with snapshots of their events beside them.

use std::path::{Path, PathBuf};

use cwl_engine::testing::dump_graph;
use cwl_engine::{EventLog, GraphTimeline, History, Problem, Session};
use cwl_formats::{Format, default_tools, detect_format, parse_log};
use proptest::prelude::*;

fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case)
}

fn read(case: &str) -> Vec<u8> {
    let folder = folder(case);
    std::fs::read(folder.join("input.jsonl")).or_else(|_| std::fs::read(folder.join("input.json"))).unwrap()
}

fn session_of(format: Format, bytes: &[u8]) -> (Session, Vec<Problem>) {
    let mut log = EventLog::default();
    for parsed in parse_log(format, bytes).0 {
        log.push(parsed.event);
    }
    Session::build(&log, None, History::AsRecorded, &default_tools())
}

#[test]
fn quickstarts_give_the_graph_of_pi() {
    let graph = |case: &str| -> Vec<String> {
        let bytes = read(case);
        let (session, _) = session_of(detect_format(&bytes[..bytes.len().min(64 << 10)]).unwrap(), &bytes);
        let (growth, problems) = GraphTimeline::build(&session);
        assert_eq!(problems, [], "{case}");
        // Block ids differ between formats; formats that do not send reasoning back have fewer blocks.
        let without_blocks = |line: &str| {
            let (before, after) = line.split_once(" from ").unwrap();
            let (blocks, description) = after.split_once(" blocks").unwrap();
            assert!(blocks.contains(", "), "{line}");
            format!("{before}{description}")
        };
        dump_graph(&session, &growth.graph).lines().map(without_blocks).collect()
    };
    let expected = graph("pi/quickstart");
    assert_eq!(expected.len(), 13, "ten episodes, and three stretches between them");
    for format in [
        "anthropic",
        "openai-chat",
        "openai-responses",
        "gemini",
        "atif",
        "swe-agent",
        "mini-swe-agent",
        "droid",
        "hermes",
        "antigravity",
        "cursor",
        "vscode-copilot",
    ] {
        assert_eq!(graph(&format!("{format}/quickstart")), expected, "{format}");
    }
}

#[test]
fn the_turns_so_far_stay_as_they_were() {
    for case in ["anthropic/requests", "openai-chat/requests", "openai-responses/requests", "gemini/requests"]
    {
        let bytes = read(case);
        let format = detect_format(&bytes[..bytes.len().min(64 << 10)]).unwrap();
        let (whole, _) = session_of(format, &bytes);
        let mut end = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            end += line.len();
            let (part, _) = session_of(format, &bytes[..end]);
            let n_told = part.turns.len() - 1;
            assert_eq!(part.turns[..n_told], whole.turns[..n_told], "{case} up to byte {end}");
            assert!(
                part.messages.iter().eq(whole.messages.range(0..part.messages.len())),
                "{case} up to byte {end}"
            );
            let n_replaced = part.replacements.len();
            assert_eq!(part.replacements[..], whole.replacements[..n_replaced], "{case} up to byte {end}");
        }
        assert_eq!(whole.turns.len(), 9, "{case}: eight replies and now");
    }
}

const SMALL: [&str; 8] = [
    "anthropic/parts",
    "openai-chat/parts",
    "openai-chat/litellm",
    "openai-responses/previous",
    "gemini/parts",
    "atif/continued",
    "swe-agent/elided",
    "mini-swe-agent/bare",
];

proptest! {
    #![proptest_config(ProptestConfig::default())]
    #[test]
    fn damaged_samples_are_read(
        case in prop::sample::select(&SMALL[..]),
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0usize..40), 1..6),
    ) {
        let mut bytes = read(case);
        let format = detect_format(&bytes[..bytes.len().min(64 << 10)]).unwrap();
        for (at, byte, n_taken) in hits {
            let at = at.index(bytes.len());
            // Changes one byte or removes some; brackets and quotes do the most damage.
            if n_taken < 20 {
                bytes[at] = *b"[]{}\",:0n\\".get(usize::from(byte) % 16).unwrap_or(&byte);
            } else {
                bytes.drain(at..(at + n_taken).min(bytes.len() - 1).max(at));
            }
        }
        let (events, _) = parse_log(format, &bytes);
        for parsed in &events {
            prop_assert_eq!(parsed.event.body.all_blocks().count(), parsed.contents.len());
        }
        let (session, _) = session_of(format, &bytes);
        GraphTimeline::build(&session);
    }

    #[test]
    fn values_of_other_types_are_read(
        case in prop::sample::select(&SMALL[..]),
        hits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..7), 1..8),
    ) {
        let bytes = read(case);
        let format = detect_format(&bytes[..bytes.len().min(64 << 10)]).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let mut documents: Vec<serde_json::Value> = serde_json::Deserializer::from_str(&text)
            .into_iter()
            .collect::<Result<_, _>>()
            .unwrap();
        for (at, kind) in hits {
            let mut places = Vec::new();
            for (nth, document) in documents.iter().enumerate() {
                gather(document, &mut vec![nth.to_string()], &mut places);
            }
            let place = &places[at.index(places.len())];
            let (nth, pointer) = place.split_once('/').unwrap_or((place, ""));
            let pointer = if pointer.is_empty() { String::new() } else { format!("/{pointer}") };
            let other = [
                serde_json::json!(null),
                serde_json::json!(true),
                serde_json::json!(-1.5e300),
                serde_json::json!(""),
                serde_json::json!([[], {}]),
                serde_json::json!({ "type": "text", "role": [] }),
                serde_json::json!("x"),
            ];
            let nth: usize = nth.parse().unwrap();
            *documents[nth].pointer_mut(&pointer).unwrap() = other[kind].clone();
        }
        let log: String = documents.iter().map(|document| format!("{document}\n")).collect();
        let (events, _) = parse_log(format, log.as_bytes());
        for parsed in &events {
            prop_assert_eq!(parsed.event.body.all_blocks().count(), parsed.contents.len());
        }
        let (session, problems) = session_of(format, log.as_bytes());
        // Everything that the adapter removes was present.
        prop_assert!(problems.iter().all(|problem| problem.kind.code() != "L021"), "{log}");
        GraphTimeline::build(&session);
    }
}

/// Lists the places of all values, as JSON pointers.
fn gather(value: &serde_json::Value, path: &mut Vec<String>, found: &mut Vec<String>) {
    found.push(path.join("/"));
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    let inner: Vec<(String, &serde_json::Value)> = match value {
        serde_json::Value::Array(items) => {
            items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
        }
        serde_json::Value::Object(members) => {
            members.iter().map(|(key, member)| (escaped(key), member)).collect()
        }
        _ => Vec::new(),
    };
    for (key, value) in inner {
        path.push(key);
        gather(value, path, found);
        path.pop();
    }
}
