//! VS Code Copilot Chat: calls and their records, texts from the next request, subagents, and damaged logs.

use cwl_engine::{Author, BlockKind, EventBody, Keep, ReplyOutcome};
use cwl_formats::{Format, parse_log};
use proptest::prelude::*;

use crate::damaged::{any_lines_of, is_read};
use crate::told::{Told, tell};

const RECORDS: &str = include_str!("../../../../samples/vscode-copilot/records/input.jsonl");

fn shown(told: &Told) -> Vec<String> {
    let shown = told.session.blocks.iter().filter_map(|block| {
        let text = &told.contents[block.event.at()][block.part as usize].text;
        match &block.kind {
            BlockKind::Call(call) => Some(format!("{} {} {}", call.id, call.name, text.len())),
            BlockKind::Result(result) => {
                Some(format!("-> {} {} {} {}", result.call, result.ok, text.len(), block.images))
            }
            _ => None,
        }
    });
    shown.collect()
}

#[test]
fn records_belong_to_the_calls_of_the_reply() {
    let told = tell(Format::VscodeCopilot, RECORDS.as_bytes());
    let expected = [
        "call_01 read_file 92",
        "call_02 grep_search 69",
        "-> call_02 true 49 0",
        "-> call_01 true 8103 0",
        "call_03 create_file 5840",
        "-> call_03 true 21 0",
        "call_04 run_in_terminal 99",
        "call_05 read_file 23",
        "call_06 harbour_chart 49",
        "-> call_04 false 30 0",
        "-> call_06 true 20 1",
        "-> call_05 true 39 0",
        "call_07 runSubagent 107",
        "-> call_07 true 31 0",
        "L33 list_dir 44",
        "-> L33 true 15 0",
        "L39.1 run_in_terminal 45",
        "-> L39.1 true 18 0",
        "call_08 get_errors 58",
    ];
    assert_eq!(shown(&told), expected);
}

/// A reply may be cut at any of its bytes: what stands before the cut is read, and nothing is odd but the cut.
#[test]
fn a_reply_is_cut_anywhere() {
    let parts = r#"},{"type":"tool_call","id":"c1","name":"list_dir","arguments":"{\"path\":\"/p\"}"},{"type":"text","content":"é\n"}]}]"#;
    let whole =
        format!(r#"[{{"role":"assistant","parts":[{{"type":"text","content":"{}"{parts}"#, "x".repeat(5000));
    let from = whole.len() - parts.len();
    for end in (from..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        let response = format!("{}[truncated]", &whole[..end]).replace('\\', "\\\\").replace('"', "\\\"");
        let log = format!(
            r#"{{"ts":1,"dur":0,"sid":"s","type":"agent_response","name":"x","spanId":"1","status":"ok","attrs":{{"response":"{response}"}}}}"#
        );
        let told = tell(Format::VscodeCopilot, log.as_bytes());
        assert_eq!(told.codes(), ["L036"], "{end}: {}", &whole[from..end]);
        let texts: Vec<usize> = told.contents.iter().flatten().map(|content| content.text.len()).collect();
        assert_eq!(texts[0], 5000, "{end}");
    }
}

/// Without the messages of the next request, texts stay as the log has them.
#[test]
fn texts_stay_cut_without_the_next_request() {
    let without = |line: &str| match line.split_once(",\"inputMessages\":") {
        Some((before, after)) => {
            let after = after.split_once(",\"maxTokens\"").unwrap().1;
            format!("{before},\"maxTokens\"{after}\n")
        }
        None => format!("{line}\n"),
    };
    let log: String = RECORDS.lines().take(26).map(without).collect();
    let told = tell(Format::VscodeCopilot, log.as_bytes());
    let shown = shown(&told);
    for expected in ["-> call_01 true 4762 0", "call_03 create_file 4790", "-> call_06 true 0 0"] {
        assert!(shown.iter().any(|shown| shown == expected), "{expected}: {shown:?}");
    }
    assert_eq!(shown.iter().filter(|shown| shown.contains("call_05")).count(), 1, "no output: {shown:?}");
    let codes = told.codes();
    assert_eq!(codes.iter().filter(|code| **code == "L036").count(), 1, "{codes:?}");
}

#[test]
fn a_summary_stands_where_a_request_sends_it() {
    let (events, problems) = parse_log(Format::VscodeCopilot, RECORDS.as_bytes());
    let compactions = events.iter().filter_map(|parsed| match &parsed.event.body {
        EventBody::Compaction(compaction) => Some((parsed.event.entry.to_string(), compaction)),
        _ => None,
    });
    let compactions: Vec<_> = compactions.collect();
    let [(at, compaction)] = &compactions[..] else { panic!("{compactions:?}") };
    let Keep::Entries(kept) = &compaction.keep else { panic!("{compaction:?}") };
    let kept: Vec<String> = kept.iter().map(ToString::to_string).collect();
    assert_eq!((at.as_str(), kept), ("L24/summary", vec!["L19".to_owned(), "L21".to_owned()]));
    assert!(problems.iter().all(|problem| problem.kind.code() != "L026"), "{problems:?}");
    let outcomes = events.iter().filter_map(|parsed| match &parsed.event.body {
        EventBody::Message(message) if message.outcome != ReplyOutcome::Complete => Some(message.outcome),
        _ => None,
    });
    assert_eq!(outcomes.collect::<Vec<_>>(), [ReplyOutcome::Overflow]);
}

#[test]
fn a_subagent_has_a_caller_and_no_human() {
    let row = |kind: &str, attributes: &str| {
        format!(
            r#"{{"v":1,"ts":1,"dur":0,"sid":"c1","type":"{kind}","name":"x","spanId":"1","status":"ok","attrs":{{{attributes}}}}}"#
        )
    };
    let ask = row("user_message", r#""content":"Look.""#);
    let check = |begin: &str, parent: Option<&str>, subagent: Option<&str>, author: Author| {
        let (events, _) = parse_log(Format::VscodeCopilot, format!("{begin}{ask}\n").as_bytes());
        let EventBody::Header(header) = &events[0].event.body else { panic!("{events:?}") };
        assert_eq!(header.session.as_ref().map(|id| id.as_str()), Some("c1"));
        assert_eq!((header.parent_session.as_deref(), header.subagent.as_deref()), (parent, subagent));
        let authors = events.iter().filter_map(|parsed| match &parsed.event.body {
            EventBody::Message(message) => Some(message.author),
            _ => None,
        });
        assert_eq!(authors.collect::<Vec<_>>(), [author], "{begin}");
    };
    let start = |attributes: &str| format!("{}\n", row("session_start", attributes));
    let called = start(r#""parentSessionId":"s1","label":"runSubagent-Explore""#);
    check(&called, Some("s1"), Some("Explore"), Author::Harness);
    let search = start(r#""parentSessionId":"s1","label":"searchSubagent""#);
    check(&search, Some("s1"), Some("searchSubagent"), Author::Harness);
    check(&start(r#""copilotVersion":"0.51.2""#), None, None, Author::Human);
    check("", None, None, Author::Human);
}

#[test]
fn usage_and_model_are_those_of_the_request() {
    let (events, _) = parse_log(Format::VscodeCopilot, RECORDS.as_bytes());
    let told = events.iter().filter_map(|parsed| match &parsed.event.body {
        EventBody::Message(message) => {
            let usage = message.usage?;
            let model = message.model.as_deref().unwrap_or_default();
            Some(format!("{} {model} {}+{}", parsed.event.entry, usage.input, usage.cache_read))
        }
        _ => None,
    });
    let expected = [
        "L7 gpt-5.2 9000+0",
        "L12 gpt-5.2 2100+8900",
        "L15 gpt-5.2 2100+11000",
        "L19 gpt-5.2 200+13100",
        "L26 gpt-5.2 4200+0",
        "L33/call tern-2 10800+4200",
        "L37 tern-2 200+15000",
        "L44 tern-2 100+15200",
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_log_is_read(log in any_lines_of(RECORDS), cut in any::<proptest::sample::Index>()) {
        is_read(Format::VscodeCopilot, &log, cut)?;
    }
}
