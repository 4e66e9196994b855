//! Gemini CLI: each quirk by name, and the content of requests.

use std::collections::BTreeSet;
use std::path::Path;

use cwl_engine::TurnIdx;
use cwl_formats::{Format, LogReader, parse_log};
use proptest::prelude::*;

use crate::damaged::{any_lines, is_read};
use crate::told::Told;

fn sample(case: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/gemini-cli").join(case);
    std::fs::read(folder.join("input.jsonl")).or_else(|_| std::fs::read(folder.join("input.json"))).unwrap()
}

fn tell(log: &[u8]) -> Told {
    crate::told::tell(Format::GeminiCli, log)
}

const START: &str = r#"{"sessionId":"s","projectHash":"p","startTime":"2026-05-11T09:00:00Z","lastUpdated":"2026-05-11T09:00:00Z","kind":"main"}"#;

fn user(id: &str, text: &str) -> String {
    format!(
        r#"{{"id":"{id}","timestamp":"2026-05-11T09:00:01Z","type":"user","content":[{{"text":"{text}"}}]}}"#
    )
}

fn reply(id: &str, rest: &str) -> String {
    format!(r#"{{"id":"{id}","timestamp":"2026-05-11T09:00:02Z","type":"gemini",{rest}}}"#)
}

fn call(id: &str, output: &str) -> String {
    format!(
        r#"{{"id":"{id}","name":"read_file","args":{{"file_path":"a"}},"result":[{{"functionResponse":{{"id":"{id}","name":"read_file","response":{{"output":"{output}"}}}}}}],"status":"success","timestamp":"2026-05-11T09:00:03Z"}}"#
    )
}

fn log(rows: &[String]) -> Told {
    tell(format!("{START}\n{}\n", rows.join("\n")).as_bytes())
}

fn check(rows: &[String], expected: &[&str]) {
    assert_eq!(log(rows).now(), expected, "{rows:#?}");
}

#[test]
fn the_last_version_of_a_message_counts_at_the_place_of_the_first() {
    let rows = [
        user("u", "q"),
        reply("g", r#""content":"a""#),
        user("u2", "q2"),
        reply("g", r#""content":"b","tokens":{"input":9,"output":1,"cached":4,"thoughts":2}"#),
    ];
    check(&rows, &["User text q", "Assistant text b", "User text q2"]);
}

#[test]
fn a_reply_that_grows_is_one_reply() {
    let told = log(&[
        user("u", "q"),
        reply("g", r#""content":"a","tokens":null"#),
        reply("g", r#""content":"a","tokens":{"input":9,"output":1,"cached":4,"thoughts":2}"#),
        reply(
            "g",
            &format!(
                r#""content":"a","tokens":{{"input":9,"output":1,"cached":4,"thoughts":2}},"toolCalls":[{}]"#,
                call("c", "out")
            ),
        ),
    ]);
    assert_eq!(
        told.now(),
        [
            "User text q",
            "Assistant text a",
            r#"Assistant call read_file{"file_path":"a"}"#,
            "Tool result out"
        ]
    );
    assert_eq!(told.session.turns.len(), 2, "one reply, and now");
    let usage = told.session.messages.iter().find_map(|message| message.usage).unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.prompt_tokens()), (5, 4, 9));
    assert_eq!((usage.output, usage.reasoning), (3, 2), "thoughts are a part of the output");
    assert!(told.session.replacements.is_empty(), "nothing was taken out");
    assert_eq!(told.codes(), [""; 0]);
}

#[test]
fn the_same_version_again_says_nothing() {
    let row = reply("g", &format!(r#""content":"a","toolCalls":[{}]"#, call("c", "out")));
    let once = log(&[user("u", "q"), row.clone()]);
    let twice = log(&[user("u", "q"), row.clone(), row]);
    assert_eq!(once.now(), twice.now());
    assert_eq!(once.session.messages, twice.session.messages);
}

#[test]
fn a_rewind_drops_the_message_and_what_follows() {
    let rows = [
        user("u", "q"),
        reply("g", r#""content":"a""#),
        user("u2", "q2"),
        reply("g2", r#""content":"b""#),
        r#"{"$rewindTo":"u2"}"#.to_owned(),
        user("u3", "q3"),
    ];
    check(&rows, &["User text q", "Assistant text a", "User text q3"]);
    let told = log(&rows);
    assert_eq!(
        told.context(TurnIdx::new(2)),
        ["User text q", "Assistant text a", "User text q2"],
        "before it, all was there"
    );
}

#[test]
fn a_rewind_to_a_message_that_is_not_there_drops_everything() {
    check(&[user("u", "q"), r#"{"$rewindTo":"x"}"#.to_owned(), user("u3", "q3")], &["User text q3"]);
    // A dropped message is gone too.
    let rows = [
        user("u", "q"),
        user("u2", "q2"),
        r#"{"$rewindTo":"u2"}"#.to_owned(),
        r#"{"$rewindTo":"u2"}"#.to_owned(),
        user("u3", "q3"),
    ];
    check(&rows, &["User text q3"]);
}

#[test]
fn a_rewind_to_a_row_for_the_screen_drops_from_the_next_message_on() {
    let info = r#"{"id":"i","timestamp":"2026-05-11T09:00:01Z","type":"info","content":"hi"}"#.to_owned();
    let back = r#"{"$rewindTo":"i"}"#.to_owned();
    check(&[user("u", "q"), info.clone(), user("u2", "q2"), back.clone()], &["User text q"]);
    check(&[user("u", "q"), info, back], &["User text q"]);
}

#[test]
fn a_compression_that_names_all_anew_makes_no_replies() {
    let told = tell(&sample("compressed-anew"));
    assert_eq!(told.n_turns(), 3);
    assert_eq!(
        told.now(),
        [
            "Injected text <session_context>|This is the Gemini",
            "Summary text <state_snapshot>|<overall_goal>Renam",
            "Assistant text Got it. Thanks for the additional co",
            "User text Rename poll to tick, please.",
            r#"Assistant call replace{"file_path":"src/poll.ts","o"#,
            "Tool result 1 replacement",
            "Assistant text It is called tick now.",
        ]
    );
    assert_eq!(told.codes(), ["L017"], "the log has the result twice");
}

#[test]
fn rows_for_the_screen_are_not_in_the_context() {
    let row = |kind: &str| {
        format!(r#"{{"id":"{kind}","timestamp":"2026-05-11T09:00:01Z","type":"{kind}","content":"x"}}"#)
    };
    let told = log(&[row("info"), row("warning"), row("error"), user("u", "q")]);
    assert_eq!(told.now(), ["User text q"]);
    assert_eq!(told.codes(), [""; 0]);
}

#[test]
fn an_output_that_is_masked_is_cleared_from_then_on() {
    let with = |output: &str| reply("g", &format!(r#""content":"","toolCalls":[{}]"#, call("c", output)));
    let told = log(&[
        user("u", "q"),
        with("long"),
        reply("g2", r#""content":"a""#),
        format!(
            r#"{{"$set":{{"messages":[{},{},{}]}}}}"#,
            user("u", "q"),
            with("masked"),
            reply("g2", r#""content":"a""#)
        ),
        user("u2", "q2"),
    ]);
    let call = r#"Assistant call read_file{"file_path":"a"}"#;
    assert_eq!(told.now(), ["User text q", call, "Tool result masked", "Assistant text a", "User text q2"]);
    assert_eq!(told.context(TurnIdx::new(2)), ["User text q", call, "Tool result long"]);
    assert_eq!(told.session.replacements[0].cause.name(), "clearing");
}

#[test]
fn a_compression_keeps_what_it_names_and_puts_a_summary_before_it() {
    let kept = reply("g2", &format!(r#""content":"b","toolCalls":[{}]"#, call("c", "out")));
    // As restored from the history: calls among the parts, their results as a user turn.
    let back = reply(
        "g2",
        &format!(
            r#""content":[{{"text":"b"}},{{"functionCall":{{"id":"c","name":"read_file","args":{{"file_path":"a"}}}}}}],"toolCalls":[{}]"#,
            call("c", "out")
        ),
    );
    let results = r#"{"id":"r","timestamp":"2026-05-11T09:00:04Z","type":"user","content":[{"functionResponse":{"id":"c","name":"read_file","response":{"output":"out"}}}]}"#;
    let told = log(&[
        user("u", "q"),
        reply("g", r#""content":"a""#),
        user("u2", "q2"),
        kept,
        format!(
            r#"{{"$set":{{"messages":[{},{},{},{back},{results}]}}}}"#,
            user("s", "<state_snapshot>sum</state_snapshot>"),
            reply("ack", r#""content":[{"text":"Got it."}]"#),
            user("u2", "q2"),
        ),
        user("u3", "q3"),
    ]);
    assert_eq!(
        told.now(),
        [
            "Summary text <state_snapshot>sum</state_snapshot>",
            "Summary text Got it.",
            "User text q2",
            "Assistant text b",
            r#"Assistant call read_file{"file_path":"a"}"#,
            "Tool result out",
            "User text q3"
        ]
    );
    assert_eq!(told.session.turns.len(), 3, "two replies, and now: the harness's own answer is no turn");
    assert_eq!(told.session.replacements.len(), 1);
    assert_eq!(told.codes(), [""; 0]);
}

#[test]
fn a_rewind_behind_a_compression_takes_the_summary_too() {
    let rows = [
        user("u", "q"),
        user("u2", "q2"),
        format!(r#"{{"$set":{{"messages":[{},{}]}}}}"#, user("s", "<state_snapshot>sum"), user("u2", "q2")),
        r#"{"$rewindTo":"s"}"#.to_owned(),
        user("u3", "q3"),
    ];
    check(&rows, &["User text q3"]);
}

#[test]
fn a_list_that_is_put_in_anew_is_the_context() {
    let set = |messages: &[String]| format!(r#"{{"$set":{{"messages":[{}]}}}}"#, messages.join(","));
    let start = [user("a", "A"), user("b", "B"), user("c", "C")];
    let with = |messages: &[String], expected: &[&str]| {
        let mut rows = start.to_vec();
        rows.push(set(messages));
        check(&rows, expected);
    };
    with(&[], &[]);
    with(&[user("b", "B")], &["User text B"]);
    with(
        &[user("a", "A"), user("b", "changed"), user("c", "C")],
        &["User text A", "User text changed", "User text C"],
    );
    with(
        &[user("a", "A"), user("n", "new"), user("c", "C")],
        &["User text A", "User text new", "User text C"],
    );
    with(&[user("n", "new"), user("a", "A")], &["User text new", "User text A"]);
    with(&[user("c", "C"), user("n", "new")], &["User text C", "User text new"]);
    with(&[user("n", "new"), user("m", "more")], &["User text new", "User text more"]);
    with(&[user("c", "C"), user("a", "A")], &["User text C", "User text A"]);
}

#[test]
fn what_the_harness_puts_into_the_users_slot_is_not_the_humans() {
    let told = log(&[
        user("c", r"<session_context>\nThis is the Gemini CLI."),
        user("h", "<hook_context>tests pass</hook_context>"),
        user("s", r"I ran the following shell command:\n```sh\nls\n```"),
        r#"{"id":"f","timestamp":"2026-05-11T09:00:01Z","type":"user","content":[{"text":"see @a"},{"text":"\n--- Content from referenced files ---"},{"text":"file"}],"displayContent":"see @a"}"#.to_owned(),
        user("u", "typed"),
    ]);
    let now = told.now();
    let heads: Vec<&str> = now.iter().map(|block| block.get(..15).unwrap_or(block)).collect();
    let expected = [
        "Injected text <",
        "Injected text <",
        "User text I ran",
        "User text see @",
        "Injected text |",
        "Injected text f",
        "User text typed",
    ];
    assert_eq!(heads, expected);
}

#[test]
fn nobody_types_in_the_recording_of_a_subagent() {
    let told = tell(&sample("subagent"));
    assert!(told.now().iter().all(|block| !block.starts_with("User")), "{:?}", told.now());
}

#[test]
fn a_call_among_the_parts_and_the_calls_is_one_call() {
    let twice = r#""content":[{"functionCall":{"name":"read_file","args":{"file_path":"a"}}}],"toolCalls":["#;
    let told = log(&[user("u", "q"), reply("g", &format!("{twice}{}]", call("c", "out")))]);
    assert_eq!(
        told.now(),
        ["User text q", r#"Assistant call read_file{"file_path":"a"}"#, "Tool result out"]
    );
    assert_eq!(told.codes(), [""; 0], "the part without an id is paired");
}

#[test]
fn a_torn_line_in_the_middle_costs_that_line_only() {
    let told = tell(
        format!("{START}\n{}\n{{\"id\":\"x\",\"type\":\"us\n{}\n", user("u", "q"), user("u2", "q2"))
            .as_bytes(),
    );
    assert_eq!(told.now(), ["User text q", "User text q2"]);
    assert_eq!(told.codes(), ["L001"]);
}

#[test]
fn lines_and_document_tell_the_same() {
    let (lines, document) = (tell(&sample("quickstart")), tell(&sample("document")));
    assert_eq!(lines.session.turns.len(), document.session.turns.len());
    let calls = |told: &Told| told.session.blocks.iter().filter(|block| block.kind.name() == "call").count();
    assert_eq!(calls(&lines), calls(&document));
}

/// Any split of a log gives the same events, even if the first line decides the framing.
#[test]
fn a_document_and_lines_may_arrive_in_any_pieces() {
    let document = format!(
        "\n{{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"p\",\n  \"messages\": [{},\n{}]\n}}\n",
        user("u", "q"),
        reply("g", r#""content":"a""#)
    );
    let lines =
        format!("{START}\n{}\n\n{{\"id\":\"torn\n{}\n", user("u", "q"), reply("g", r#""content":"a""#));
    for log in [document, lines] {
        let bytes = log.as_bytes();
        let whole = parse_log(Format::GeminiCli, bytes);
        assert!(whole.0.len() >= 3, "{log}");
        for cut in 0..=bytes.len() {
            for end in [cut, (cut + 1).min(bytes.len()), (cut + 7).min(bytes.len())] {
                let mut reader = LogReader::new(Format::GeminiCli);
                let mut events = Vec::new();
                for piece in [&bytes[..cut], &bytes[cut..end], &bytes[end..]] {
                    events.extend(reader.feed_bytes(piece).events);
                }
                assert_eq!(events, whole.0, "cut at {cut} and {end}: {log}");
                assert_eq!(reader.complete_bytes(), bytes.len() as u64);
            }
        }
    }
}

#[test]
fn a_resumed_session_has_the_history_that_it_read_back() {
    let told = tell(&sample("resumed"));
    let call = |path: &str| format!(r#"Assistant call read_file{{"file_path":"{path}"}}"#);
    let first = [
        "Injected text <session_context>|This is the Gemini".to_owned(),
        "User text Which ports are set?".to_owned(),
        "Assistant reasoning **Looking** Two files may say it.".to_owned(),
        "Assistant text I look.".to_owned(),
        call("a.toml"),
        call("b.toml"),
        "Tool result port = 1".to_owned(),
        "Tool result port = 2".to_owned(),
        "Injected text port = 1".to_owned(),
        "Injected text port = 2".to_owned(),
        "Assistant text 1 and 2.".to_owned(),
        "User text Set the second to 3.".to_owned(),
    ];
    assert_eq!(told.n_turns(), 5, "one for each reply, however often it is written again");
    let sent = told.context(TurnIdx::new(3));
    assert_eq!(sent, first, "results stand twice");
    let before = told.context(TurnIdx::new(2));
    assert_eq!(before.len(), 8, "earlier turns have what they had: {before:#?}");
    assert_eq!(told.now().iter().filter(|line| line.ends_with("Done.")).count(), 2);
    assert_eq!(told.codes(), [""; 0]);
}

#[test]
fn a_message_without_an_id_does_not_take_its_records_name() {
    let bare = r#"{"timestamp":"2026-05-11T09:00:01Z","type":"user","content":[{"text":"Hi"}]}"#;
    let document = format!(r#"{},"messages":[{bare}]}}"#, &START[..START.len() - 1]);
    for log in [document, format!(r#"{{"$set":{{"messages":[{bare}]}}}}"#)] {
        let (events, _) = parse_log(Format::GeminiCli, log.as_bytes());
        let names: Vec<&str> = events.iter().map(|event| event.event.entry.as_str()).collect();
        assert_eq!(names.iter().filter(|name| **name == "L1").count(), 1, "{names:?}");
        assert_eq!(names.len(), 2, "{names:?}");
    }
}

const LOGS: [&str; 4] = [
    include_str!("../../../../samples/gemini-cli/resumed/input.jsonl"),
    include_str!("../../../../samples/gemini-cli/quirks/input.jsonl"),
    include_str!("../../../../samples/gemini-cli/branches/input.jsonl"),
    include_str!("../../../../samples/gemini-cli/subagent/input.jsonl"),
];

fn any_recording() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<String> = LOGS.iter().flat_map(|log| log.lines()).map(str::to_owned).collect();
    any_lines(lines)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 3))]

    #[test]
    fn any_recording_is_read(log in any_recording(), cut in any::<proptest::sample::Index>()) {
        is_read(Format::GeminiCli, &log, cut)?;
    }

    #[test]
    fn every_event_has_its_own_name(log in any_recording()) {
        let (events, _) = parse_log(Format::GeminiCli, &log);
        let mut names = BTreeSet::new();
        for event in events {
            prop_assert!(names.insert(event.event.entry.clone()), "{} twice", event.event.entry);
        }
    }
}
