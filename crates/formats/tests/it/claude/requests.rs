//! Logged requests: a turn's context has exactly the sent messages, in their order.

use cwl_formats::read_logged_request;

use super::log::Log;
use super::samples::sample;

const TOOLS: [&str; 2] = [
    r#"System: {"name":"Bash","description":"Runs a command.","input_schema":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}"#,
    r#"System: {"name":"mcp__tides__next_high","description":"Tells the next high water of a port.","input_schema":{"type":"object","properties":{"port":{"type":"string"}},"required":["port"]}}"#,
];
const PROMPT: [&str; 2] = ["System: You mind a harbour's timetable.", "System: Answer in one sentence."];
const FIRST: [&str; 3] = [
    "Injected: <system-reminder>\n# Environment\nThe folder is /home/ada/harbor.\n</system-reminder>\n",
    "Injected: <system-reminder>\nToday's date is 2026-11-02.\n</system-reminder>\n",
    "User: When does the last ferry leave?",
];
const REPLY: [&str; 3] = [
    "Assistant: The timetable is in ferries.csv.",
    r#"Assistant: Bash{"command":"tail -n 1 ferries.csv"}"#,
    r#"Assistant: mcp__tides__next_high{"port":"Emden"}"#,
];
const RESULTS: [&str; 2] = [
    "Tool: 21:40,island",
    "Tool: 22:05\n\n<system-reminder>\n<total_tokens>90000 tokens left</total_tokens>\n</system-reminder>",
];

#[test]
fn a_turn_has_what_its_request_names() {
    let log = Log::read(&sample("requests/input.jsonl"));
    assert_eq!((log.problems.as_slice(), log.session_problems.as_slice()), (&[][..], &[][..]));
    let first = [&TOOLS[..], &PROMPT, &FIRST].concat();
    assert_eq!(log.context(log.turn(1)), first);
    assert_eq!(log.context(log.turn(2)), [&first[..], &REPLY, &RESULTS].concat());
    let behind = [
        "Assistant: The last ferry leaves at 21:40.",
        "System: <system-reminder>\nThe timetable changed on disk.\n</system-reminder>",
        "User: And tomorrow?",
    ];
    let prompt = [&PROMPT[..], &["System: The season ends in November."]].concat();
    let third = [&TOOLS[..], &prompt, &FIRST, &REPLY, &RESULTS, &behind].concat();
    assert_eq!(log.context(log.turn(3)), third);
    assert_eq!(log.session.turns.len(), 4, "three replies and what comes next");
}

#[test]
fn a_call_that_is_logged_behind_the_result_of_another_call_of_its_reply_stands_before_it() {
    let bytes = sample("requests/input.jsonl");
    let text = str::from_utf8(&bytes).unwrap();
    let row = |uuid: &str| {
        let starts = |line: &&str| line.contains(&format!(r#""uuid":"{uuid}""#));
        text.split_inclusive('\n').find(starts).unwrap()
    };
    let (call, result) = (row("a3"), row("u2"));
    let behind = call.replace(r#""parentUuid":"a2""#, r#""parentUuid":"u2""#);
    assert_ne!(behind, call);
    let moved = text.replace(call, "").replace(result, &format!("{result}{behind}"));
    let (log, usual) = (Log::read(moved.as_bytes()), Log::read(&bytes));
    assert_eq!((log.problems.as_slice(), log.session_problems.as_slice()), (&[][..], &[][..]));
    assert_eq!(log.session.turns.len(), usual.session.turns.len());
    for turn in 1..=3 {
        assert_eq!(log.context(log.turn(turn)), usual.context(usual.turn(turn)), "turn {turn}");
    }
}

#[test]
fn what_is_not_proved_is_told_with_its_line_and_worked_out() {
    let log = Log::read(&sample("requests-damaged/input.jsonl"));
    let told: Vec<String> = log
        .problems
        .iter()
        .map(|problem| format!("{:?} {}", problem.place.line.unwrap_or(0), problem.kind))
        .collect();
    let expected = [
        "17 a logged request cannot be proved (the message has another hash than",
        "18 a logged request cannot be proved (its base q0 does not hold 1 messages)",
        "23 a logged request cannot be proved (the message has another hash than",
        "24 a logged request cannot be proved (1 of its 6 messages are in no row)",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}");
    }
    // The rows alone give the result without its reminder, and the attachment behind it.
    let second = log.context(log.turn(2));
    assert!(second.contains(&"Tool: 22:05".to_owned()), "{second:#?}");
    assert!(log.context(log.turn(3)).contains(&"User: And tomorrow?".to_owned()));
}

#[test]
fn rows_wait_for_their_request_and_are_there_meanwhile() {
    let bytes = sample("requests/input.jsonl");
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    // Nothing was sent yet after the first prompt.
    let log = Log::read(&lines[..2].concat());
    assert_eq!(log.context(log.turn(1)), ["User: When does the last ferry leave?"]);
    let log = Log::read(&lines[..14].concat());
    let last = log.context(log.turn(2));
    assert_eq!(last.last().map(String::as_str), Some("Tool: 22:05"), "{last:#?}");
}

#[test]
fn a_row_of_a_request_tells_how_long_its_list_is() {
    let row = r#"{"type":"api-request","id":"q2","base":"q1","keep":1,"tail":["a","b"]}"#;
    let read =
        read_logged_request(row).map(|request| (request.id, request.base, request.n_kept, request.n_behind));
    assert_eq!(read, Some(("q2".into(), Some("q1".into()), 1, 2)));
    for other in ["", "[]", "{}", r#"{"type":"user","id":"q2"}"#] {
        assert_eq!(read_logged_request(other), None, "{other}");
    }
}
