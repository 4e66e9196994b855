//! Copilot CLI: each quirk by name, and the content of requests.

use std::path::Path;

use cwl_engine::TurnIdx;
use cwl_formats::{Format, detect_format};
use proptest::prelude::*;

use crate::damaged::{any_lines, is_read};
use crate::told::Told;

fn sample(case: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/copilot").join(case);
    std::fs::read(folder.join("input.jsonl")).unwrap()
}

fn tell(log: &[u8]) -> Told {
    crate::told::tell(Format::Copilot, log)
}

const START: &str = r#"{"type":"session.start","data":{"sessionId":"s","version":1,"copilotVersion":"1.0.77","selectedModel":"m"},"id":"0","timestamp":"2026-06-01T09:00:00.000Z","parentId":null}"#;

fn log(rows: &[(&str, &str)]) -> String {
    let lines = rows.iter().zip(1..).map(|((kind, data), id)| {
        format!(
            r#"{{"type":"{kind}","data":{data},"id":"{id}","timestamp":"2026-06-01T09:00:01.000Z","parentId":"{}"}}"#,
            id - 1
        )
    });
    std::iter::once(START.to_owned()).chain(lines).map(|line| line + "\n").collect()
}

#[track_caller]
fn check(rows: &[(&str, &str)], expected: &[&str]) -> Told {
    let told = tell(log(rows).as_bytes());
    assert_eq!(told.now(), expected, "{rows:#?}");
    told
}

const USER: (&str, &str) = ("user.message", r#"{"content":"q"}"#);
const PROMPT: (&str, &str) = ("system.message", r#"{"role":"system","content":"p"}"#);
const OTHER_PROMPT: (&str, &str) = ("system.message", r#"{"role":"system","content":"p2"}"#);
const COMPACTION: (&str, &str) =
    ("session.compaction_complete", r#"{"success":true,"summaryContent":"sum","preCompactionTokens":99}"#);

#[test]
fn rows_are_found_by_their_form() {
    for (row, is_one) in [
        (START, true),
        (&START[..90], true),
        (r#"{"type":"user.message","data":{"content":"x"},"id":"1","timestamp":"t","parentId":"0"}"#, true),
        (r#"{"type":"user.message","data":{"content":"x"},"id":"1","timestamp":"t"}"#, false),
        (r#"{"type":"session.start","data":{},"id":"1","parentId":null,"timestamp":"t"}"#, false),
        (r#"{"type":"moon.phase","data":{},"id":"1","parentId":null,"timestamp":"t"}"#, false),
        (r#"{"type":"user.message","data":[],"id":"1","parentId":null,"timestamp":"t"}"#, false),
    ] {
        assert_eq!(detect_format(row.as_bytes()) == Ok(Format::Copilot), is_one, "{row}");
    }
}

#[test]
fn tokens_are_those_of_the_reply_of_the_same_request() {
    let told = tell(&sample("records"));
    let usages: Vec<_> = told.session.messages.iter().filter_map(|message| message.usage).collect();
    let shown: Vec<_> =
        usages.iter().map(|usage| [usage.input, usage.cache_read, usage.output, usage.reasoning]).collect();
    assert_eq!(shown, [[5000, 0, 90, 12], [120, 5000, 8, 0]]);
    assert_eq!(told.codes(), [""; 0]);
}

#[test]
fn the_system_prompt_is_counted_once_and_replaced() {
    check(&[PROMPT, USER, PROMPT, USER], &["System text p", "User text q", "User text q"]);
    check(&[PROMPT, USER, OTHER_PROMPT, USER], &["System text p2", "User text q", "User text q"]);
    let rows = [PROMPT, USER, OTHER_PROMPT, PROMPT, USER];
    check(&rows, &["System text p", "User text q", "User text q"]);
}

#[test]
fn a_message_is_sent_with_texts_around_what_was_typed() {
    let user = ("user.message", r#"{"content":"q","transformedContent":"<now>t</now>\nq\n<end/>"}"#);
    let told = check(&[user], &["Injected text <now>t</now>|", "User text q", "Injected text |<end/>"]);
    assert_eq!(told.codes(), [""; 0]);
    let other = ("user.message", r#"{"content":"q","transformedContent":"something else"}"#);
    check(&[other], &["User text something else"]);
}

#[test]
fn rows_of_one_request_are_one_reply_and_its_output_is_counted_once() {
    let reply = |text: &str| {
        format!(
            r#"{{"messageId":"{text}","apiCallId":"a","content":"{text}","toolRequests":[],"outputTokens":7}}"#
        )
    };
    let (one, two) = (reply("one"), reply("two"));
    let rows = [USER, ("assistant.message", &*one), ("assistant.message", &*two)];
    let told = check(&rows, &["User text q", "Assistant text one", "Assistant text two"]);
    assert_eq!(told.n_turns(), 1);
    let outputs: Vec<u64> =
        told.session.messages.iter().filter_map(|message| Some(message.usage?.output)).collect();
    assert_eq!(outputs.first(), Some(&7));
    assert!(told.session.messages.iter().filter_map(|it| it.usage).all(|usage| usage.prompt_tokens() == 0));
}

#[test]
fn hooks_and_starts_repeat_and_are_not_counted() {
    let rows = [
        USER,
        (
            "assistant.message",
            r#"{"messageId":"m","content":"","toolRequests":[{"toolCallId":"c","name":"bash","arguments":{"command":"rg x"},"type":"function"}]}"#,
        ),
        ("tool.execution_start", r#"{"toolCallId":"c","toolName":"bash","arguments":{"command":"rg x"}}"#),
        ("hook.start", r#"{"hookType":"postToolUse","input":{"toolResult":{"textResultForLlm":"out"}}}"#),
        (
            "tool.execution_complete",
            r#"{"toolCallId":"c","success":true,"result":{"content":"out","detailedContent":"out on the screen"}}"#,
        ),
    ];
    let told = check(&rows, &["User text q", r#"Assistant call bash{"command":"rg x"}"#, "Tool result out"]);
    assert_eq!(told.codes(), [""; 0]);
}

#[test]
fn a_compaction_keeps_the_prompt_and_the_summary_and_says_that_it_names_nothing_else() {
    let told =
        check(&[PROMPT, USER, COMPACTION, USER], &["System text p", "Summary text sum", "User text q"]);
    assert_eq!(told.codes(), ["L026"]);
    let rows = [PROMPT, USER, COMPACTION, OTHER_PROMPT, USER];
    check(&rows, &["System text p2", "Summary text sum", "User text q"]);
    check(&[USER, COMPACTION], &["Summary text sum"]);
    let failed = ("session.compaction_complete", r#"{"success":false,"error":"none"}"#);
    assert_eq!(check(&[PROMPT, USER, failed], &["System text p", "User text q"]).codes(), [""; 0]);
}

#[test]
fn a_clearing_keeps_the_prompt() {
    let cleared = ("session.context_cleared", r#"{"messagesCleared":1}"#);
    check(&[PROMPT, USER, cleared, PROMPT, USER], &["System text p", "User text q"]);
    check(&[PROMPT, USER, COMPACTION, cleared], &["System text p"]);
}

#[test]
fn reasoning_of_openai_ends_with_a_resume_and_blanks_do_not_go_to_anthropic() {
    let told = tell(&sample("resumed"));
    assert_eq!(told.n_turns(), 4);
    let reasoning = |turn| {
        let context = told.context(TurnIdx::new(turn));
        context.into_iter().filter(|line| line.contains("reasoning")).collect::<Vec<_>>()
    };
    assert_eq!(reasoning(2), ["Assistant reasoning The file tells."]);
    assert_eq!(reasoning(3), [""; 0], "resumed");
    assert_eq!(reasoning(5), ["Assistant reasoning Another file."], "resumed once more");
    let now = told.now();
    let texts: Vec<&str> = now.iter().filter_map(|line| line.strip_prefix("Assistant text ")).collect();
    assert_eq!(texts, ["I look. ", "It is in.|", "I look again.", "It is out."]);
    assert_eq!(told.codes(), [""; 0]);
}

#[test]
fn a_truncation_says_that_it_names_nothing() {
    let truncation = |data| [PROMPT, USER, ("session.truncation", data)];
    let rows = truncation(r#"{"messagesRemovedDuringTruncation":2}"#);
    assert_eq!(check(&rows, &["System text p", "User text q"]).codes(), ["L027"]);
    let rows = truncation(r#"{"messagesRemovedDuringTruncation":0}"#);
    assert_eq!(check(&rows, &["System text p", "User text q"]).codes(), [""; 0]);
}

fn any_log() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<String> = ["compacted", "quirks"]
        .iter()
        .flat_map(|case| {
            String::from_utf8(sample(case)).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    any_lines(lines)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 3))]

    #[test]
    fn any_session_is_read(log in any_log(), cut in any::<proptest::sample::Index>()) {
        is_read(Format::Copilot, &log, cut)?;
    }

    #[test]
    fn there_is_one_system_prompt(log in any_log()) {
        let told = tell(&log);
        for turn in 1..=told.session.turns.len() {
            let context = told.context(TurnIdx::new(u32::try_from(turn).unwrap()));
            let n_prompts = context.iter().filter(|line| line.starts_with("System")).count();
            prop_assert!(n_prompts <= 1, "{context:#?}");
        }
    }
}
