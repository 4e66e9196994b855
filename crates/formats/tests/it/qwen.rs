//! Qwen Code: a reply's usage, and damaged logs.

use cwl_formats::{Format, parse_log};
use proptest::prelude::*;

use crate::damaged::{any_lines, is_read};

const REPLY: &str = r#"{"uuid":"a","parentUuid":null,"sessionId":"s","timestamp":"2026-11-02T09:00:00Z","type":"assistant","cwd":"/p","model":"m","message":{"role":"model","parts":[{"text":"x"}]},"usageMetadata":USAGE}"#;

fn output_of(usage: &str) -> (u64, u64) {
    let (events, _) = parse_log(Format::QwenCode, REPLY.replace("USAGE", usage).as_bytes());
    let mut messages = events.iter().flat_map(|parsed| parsed.event.body.all_messages());
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

#[test]
fn what_a_subagent_says_and_calls_is_one_reply() {
    let told = crate::told::tell(
        Format::QwenCode,
        include_bytes!("../../../../samples/qwen-code/subagent/input.jsonl"),
    );
    assert_eq!(told.n_turns(), 2);
    let outputs: Vec<u64> =
        told.session.messages.iter().filter_map(|message| Some(message.usage?.output)).collect();
    assert_eq!(outputs, [40, 12]);
}

fn any_log() -> impl Strategy<Value = Vec<u8>> {
    let log = include_str!("../../../../samples/qwen-code/records/input.jsonl");
    any_lines(log.lines().map(str::to_owned).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_log_is_read(log in any_log(), cut in any::<proptest::sample::Index>()) {
        is_read(Format::QwenCode, &log, cut)?;
    }
}
