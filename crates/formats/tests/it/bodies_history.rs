//! A turn's context equals its request, whatever clients change, drop or insert.

use std::collections::BTreeSet;

use cwl_engine::{EventLog, History, Problem, Session};
use cwl_formats::{Format, default_tools, parse_log};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Reads a log and returns the texts in its final context, in model order, and all problems except unpaired
/// calls and results.
fn standing(format: Format, log: &str) -> (Vec<String>, Vec<Problem>, usize) {
    let (events, mut problems) = parse_log(format, log.as_bytes());
    let mut events_log = EventLog::default();
    for parsed in &events {
        events_log.push(parsed.event.clone());
    }
    let (session, of_session) = Session::build(&events_log, None, History::AsRecorded, &default_tools());
    problems.extend(of_session);
    problems.retain(|problem| !matches!(problem.kind.code(), "L015" | "L016" | "L017" | "L018" | "L022"));
    let mut gone = BTreeSet::new();
    for replacement in &session.replacements {
        gone.extend(replacement.drops.iter().copied());
        for block in &replacement.restores {
            gone.remove(block);
        }
    }
    let mut texts = Vec::new();
    for message in session.model_order(session.messages.len()) {
        for (block, row) in session.blocks_of(message) {
            if !gone.contains(&block) {
                texts.push(events[row.event.at()].contents[row.part as usize].text.clone());
            }
        }
    }
    (texts, problems, session.turns.len())
}

fn chat(messages: &[Value]) -> String {
    format!("{}\n", json!({ "model": "m", "messages": messages }))
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn assistant(text: &str) -> Value {
    json!({ "role": "assistant", "content": text })
}

fn call(id: &str) -> Value {
    json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": id, "type": "function", "function": { "name": "read", "arguments": "{}" } }] })
}

fn result(id: &str, text: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": text })
}

fn check(requests: &[&[Value]], expected: &[&str], n_turns: usize) {
    let log: String = requests.iter().map(|messages| chat(messages)).collect();
    let (texts, problems, turns) = standing(Format::OpenaiChat, &log);
    assert_eq!(texts, expected, "{log}");
    assert_eq!(problems, [], "{log}");
    assert_eq!(turns, n_turns, "{log}");
}

#[test]
fn a_history_that_grows() {
    check(&[&[user("a")], &[user("a"), assistant("b"), user("c")]], &["a", "b", "c"], 2);
}

#[test]
fn an_answer_sent_back_with_other_spaces_is_no_new_turn() {
    let response = json!({ "object": "chat.completion", "choices": [{ "message": assistant(" b\n") }] });
    let log = format!("{}{response}\n{}", chat(&[user("a")]), chat(&[user("a"), assistant("b"), user("c")]));
    let (texts, problems, turns) = standing(Format::OpenaiChat, &log);
    assert_eq!((texts, problems, turns), (vec!["a".into(), "b".into(), "c".into()], vec![], 2));
}

#[test]
fn an_old_result_is_cleared_in_its_place() {
    let old = [user("a"), call("x"), result("x", "long"), assistant("b")];
    let new = [user("a"), call("x"), result("x", "cleared"), assistant("b"), user("c")];
    check(&[&old, &new], &["a", "read{}", "cleared", "b", "c"], 3);
}

#[test]
fn going_back_takes_out_what_came_after() {
    check(
        &[&[user("a"), assistant("b"), user("c")], &[user("a"), assistant("d"), user("e")]],
        &["a", "d", "e"],
        3,
    );
}

#[test]
fn a_summary_takes_the_place_of_the_beginning() {
    let old = [user("a"), assistant("b"), user("c"), assistant("d")];
    check(&[&old, &[user("sum"), user("c"), assistant("d"), user("e")]], &["sum", "c", "d", "e"], 3);
}

#[test]
fn what_comes_in_between_comes_in_with_the_next() {
    let new = [user("a"), user("hint"), assistant("b"), user("c")];
    check(&[&[user("a"), assistant("b")], &new], &["a", "hint", "b", "c"], 2);
}

#[test]
fn a_reminder_that_moves() {
    check(
        &[
            &[user("a"), user("<system-reminder>r</system-reminder>")],
            &[user("a"), assistant("b"), user("c"), user("<system-reminder>r</system-reminder>")],
        ],
        &["a", "b", "c", "<system-reminder>r</system-reminder>"],
        2,
    );
}

fn message(kind: u8) -> Value {
    match kind {
        0 => json!({ "role": "system", "content": "s" }),
        1 => json!({ "role": "system", "content": "t" }),
        2 => user("a"),
        3 => user("b"),
        4 => assistant("c"),
        5 => assistant("d"),
        6 => json!({ "role": "assistant", "reasoning_content": "think", "content": "c" }),
        7 => call("x"),
        8 => call("y"),
        9 => result("x", "long"),
        10 => result("x", "short"),
        11 => result("y", "long"),
        12 => json!({ "role": "assistant", "content": null }),
        _ => {
            json!({ "role": "user", "content": [{ "type": "text", "text": "e" }, { "type": "text", "text": "<system-reminder>" }] })
        }
    }
}

fn texts_of(kinds: &[u8]) -> Vec<String> {
    let texts = |kind: &u8| match kind {
        0 => vec!["s"],
        1 => vec!["t"],
        2 => vec!["a"],
        3 => vec!["b"],
        4 => vec!["c"],
        5 => vec!["d"],
        6 => vec!["think", "c"],
        7 | 8 => vec!["read{}"],
        9 | 11 => vec!["long"],
        10 => vec!["short"],
        12 => vec![],
        _ => vec!["e", "<system-reminder>"],
    };
    kinds.iter().flat_map(texts).map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 2))]
    #[test]
    fn whatever_is_sent_stands(requests in prop::collection::vec(prop::collection::vec(0u8..14, 0..9), 1..5)) {
        let mut log = String::new();
        for kinds in &requests {
            let messages: Vec<Value> = kinds.iter().map(|kind| message(*kind)).collect();
            log += &chat(&messages);
            let (texts, problems, _) = standing(Format::OpenaiChat, &log);
            prop_assert_eq!(texts, texts_of(kinds), "{}", log);
            prop_assert_eq!(problems, vec![], "{}", log);
        }
    }
}
