//! Sessions of Qwen Code: every sample as a short listing, and what a request carried.

use std::path::Path;

use cwl_engine::{ParsedEvent, Problem};
use cwl_formats::{Format, detect, parse};
use proptest::prelude::*;

use crate::damaged::{any_lines, is_read};
use crate::show::{show_event, show_problem};

fn sample(case: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/qwen-code").join(case);
    std::fs::read(folder.join("input.jsonl")).unwrap()
}

/// Shows every line of a listing up to 120 characters.
fn listing((events, problems): &(Vec<ParsedEvent>, Vec<Problem>)) -> String {
    let lines = events.iter().flat_map(show_event).chain(problems.iter().map(show_problem));
    let cut = |line: String| match line.char_indices().nth(120) {
        Some((at, _)) => format!("{}…\n", &line[..at]),
        None => line + "\n",
    };
    lines.map(cut).collect()
}

#[test]
fn samples() {
    for case in ["quickstart", "records"] {
        let log = sample(case);
        assert_eq!(detect(&log[..log.len().min(64 << 10)]), Ok(Format::QwenCode));
        insta::assert_snapshot!(case, listing(&parse(Format::QwenCode, &log)));
    }
}

const REPLY: &str = r#"{"uuid":"a","parentUuid":null,"sessionId":"s","timestamp":"2026-11-02T09:00:00Z","type":"assistant","cwd":"/p","model":"m","message":{"role":"model","parts":[{"text":"x"}]},"usageMetadata":USAGE}"#;

/// Returns output and reasoning of a reply that reports its tokens in that way.
fn output_of(usage: &str) -> (u64, u64) {
    let (events, _) = parse(Format::QwenCode, REPLY.replace("USAGE", usage).as_bytes());
    let mut messages = events.iter().flat_map(|parsed| parsed.event.body.messages());
    let usage = messages.next().unwrap().usage.unwrap();
    (usage.output, usage.reasoning)
}

#[test]
fn the_total_tells_whether_a_reply_holds_its_thoughts() {
    for (usage, expected) in [
        (
            r#"{"promptTokenCount":100,"candidatesTokenCount":30,"thoughtsTokenCount":10,"totalTokenCount":130}"#,
            (30, 10),
        ),
        (
            r#"{"promptTokenCount":100,"candidatesTokenCount":30,"thoughtsTokenCount":10,"totalTokenCount":140}"#,
            (40, 10),
        ),
        (r#"{"promptTokenCount":100,"candidatesTokenCount":30,"totalTokenCount":130}"#, (30, 0)),
    ] {
        assert_eq!(output_of(usage), expected, "{usage}");
    }
}

/// Records of the sample in any order and number, some of them damaged.
fn any_log() -> impl Strategy<Value = Vec<u8>> {
    let log = include_str!("../../../../samples/qwen-code/records/input.jsonl");
    any_lines(log.lines().map(str::to_owned).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever a log holds, it is read to its end, the engine takes it, and pieces give the whole.
    #[test]
    fn any_log_is_read(log in any_log(), cut in any::<proptest::sample::Index>()) {
        is_read(Format::QwenCode, &log, cut)?;
    }
}
