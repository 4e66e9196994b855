//! Kimi Code: what a compaction and an undo leave, and damaged logs.

use cwl_formats::{Format, parse_log};
use proptest::prelude::*;

use crate::damaged::{any_lines, is_read};
use crate::told::tell;

const RECORDS: &[u8] = include_bytes!("../../../../samples/kimi-code/records/input.jsonl");
const TAIL: &[u8] = include_bytes!("../../../../samples/kimi-code/tail/input.jsonl");

#[test]
fn a_step_is_one_reply_with_its_usage() {
    let told = tell(Format::KimiCode, RECORDS);
    let usages: Vec<(u64, u64)> = told
        .session
        .messages
        .iter()
        .filter_map(|message| message.usage.map(|usage| (usage.cache_read, usage.output)))
        .collect();
    assert_eq!(usages, [(0, 20), (920, 12), (960, 10), (1020, 8), (1000, 15), (0, 6), (0, 2)]);
}

/// Returns the names of all events, in order: their kinds, with the number of changes of a rewrite.
fn kinds(log: &[u8]) -> Vec<String> {
    let (events, _) = parse_log(Format::KimiCode, log);
    let kind = |parsed: &cwl_engine::ParsedEvent| match &parsed.event.body {
        cwl_engine::EventBody::Rewrite(rewrite) => Some(format!("rewrite {}", rewrite.changes.len())),
        cwl_engine::EventBody::Compaction(compaction) => match &compaction.keep {
            cwl_engine::Keep::Entries(entries) => Some(format!("compaction keeps {}", entries.len())),
            other => Some(format!("{other:?}")),
        },
        _ => None,
    };
    events.iter().filter_map(kind).collect()
}

#[test]
fn the_history_changes_as_in_the_harness() {
    // The tools, the prompt, two messages of the undo, the compaction (prompt, tools, two questions), and a clearing
    // of what then stands: two questions, the summary, a reply, and a part without a step.
    let expected = ["rewrite 1", "rewrite 1", "rewrite 2", "compaction keeps 4", "rewrite 5"];
    assert_eq!(kinds(RECORDS), expected);
    // The prompt, a question and a call with its result; the undo takes these three and the last reply.
    assert_eq!(kinds(TAIL), ["compaction keeps 4", "rewrite 4"]);
}

#[test]
fn a_message_waits_for_open_results() {
    let line = |json: &str| format!("{json}\n");
    let head: String = RECORDS
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| std::str::from_utf8(line).unwrap())
        .take_while(|line| !line.contains("And keep the diff small."))
        .collect();
    let steer = r#"{"type":"context.append_message","message":{"role":"user","content":"stop"},"time":1}"#;
    let result = |call: &str| {
        line(&format!(
            r#"{{"type":"context.append_loop_event","event":{{"type":"tool.result","toolCallId":"{call}","result":{{"output":"o"}}}},"time":2}}"#
        ))
    };
    let check = |log: String, expected: &[&str]| {
        let told = tell(Format::KimiCode, log.as_bytes());
        let roles: Vec<&str> =
            told.session.messages.iter().rev().take(3).map(|message| message.role.into()).collect();
        assert_eq!(roles, expected, "{log}");
    };
    check(format!("{head}{}", line(steer)), &["user", "assistant", "system"]);
    check(format!("{head}{}{}", line(steer), result("tool_1")), &["user", "tool", "assistant"]);
    let both = format!("{head}{}{}{}", line(steer), result("tool_1"), result("tool_2"));
    check(both, &["user", "tool", "tool"]);
}

#[test]
fn results_are_sent_in_the_order_of_their_calls() {
    let event = |json: &str| {
        format!(r#"{{"type":"context.append_loop_event","event":{{{json},"stepUuid":"s"}},"time":1}}"#) + "\n"
    };
    let call =
        |id: &str| event(&format!(r#""type":"tool.call","toolCallId":"{id}","name":"Read","args":{{}}"#));
    let result =
        |id: &str| event(&format!(r#""type":"tool.result","toolCallId":"{id}","result":{{"output":"o"}}"#));
    let begin = event(r#""type":"step.begin""#);
    let check = |answered: &[&str], expected: &[u64]| {
        let results: String = answered.iter().map(|id| result(id)).collect();
        let log = [&begin, &call("a"), &call("b"), &call("c"), &results].map(String::as_str).concat();
        let told = tell(Format::KimiCode, log.as_bytes());
        let tools = told.session.messages.iter().filter(|message| message.role == cwl_engine::Role::Tool);
        let lines: Vec<u64> = tools.map(|message| message.line).collect();
        assert_eq!(lines, expected, "{answered:?}");
    };
    check(&["a", "b", "c"], &[5, 6, 7]);
    check(&["c", "b", "a"], &[7, 6, 5]);
    check(&["b", "a", "c"], &[6, 5, 7]);
    // Calls that are still at work leave no gap.
    check(&["c"], &[5]);
    check(&["c", "a"], &[6, 5]);
    check(&["b", "b", "x"], &[5]);
}

fn any_log() -> impl Strategy<Value = Vec<u8>> {
    let log = std::str::from_utf8(RECORDS).unwrap();
    any_lines(log.lines().map(str::to_owned).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_log_is_read(log in any_log(), cut in any::<proptest::sample::Index>()) {
        is_read(Format::KimiCode, &log, cut)?;
    }
}
