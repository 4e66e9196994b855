//! Answered lines, and the reasons given for refused ones.

use cwl_host::Tools;
use cwl_live::{LiveServer, serve_lines};
use serde_json::{Value, json};

use crate::story::Story;
use crate::{Client, hello};

/// Checks the reason given for a refused line.
fn check_refused(client: &mut Client, line: &Value, words: &str) {
    let answer = client.ask(line);
    assert_eq!(answer["type"], "refused", "{line}: {answer}");
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains(words), "{line}: {reason}");
}

#[test]
fn settings_that_cannot_work_are_refused_with_what_would() {
    let refused = |settings: Value, words| check_refused(&mut Client::new(), &hello(&settings), words);
    refused(json!({"protocol": 0}), "the extension speaks protocol 0");
    refused(json!({"protocol": 9}), "update cwl");
    refused(json!({"policy": "cwl++"}), "there is no policy `cwl++`; there are cwl, cwl+");
    refused(json!({"policy": "summary"}), "makes summaries of texts");
    refused(json!({"policy": "pi-cwl"}), "calls without their results");
    refused(json!({"budget": "many"}), "`many` is no token budget");
    refused(json!({"budget": "50%"}), "needs the size of the model's window");
    refused(json!({"options": {"low_water": "2000"}}), "`low_water` takes");
    refused(json!({"marks": "guessed"}), "choose declared, filled or inferred");
    refused(json!({"tokenizer": "bytes"}), "unknown tokenizer");
    let small = json!({"budget": "20", "system": "x".repeat(100), "tools": "[]"});
    refused(small, "below system prompt and tools (26 tokens); the smallest that works is 27");
}

#[test]
fn the_settings_in_force_are_told() {
    let mut client = Client::new();
    let answer = client.ask(&hello(&json!({"budget": "50%", "window": 200_000, "tools": "12345678"})));
    assert_eq!((&answer["policy"], &answer["budget"]), (&json!("cwl+"), &json!(100_000)));
    assert_eq!((&answer["overhead"], &answer["options"]), (&json!(2), &json!({"keep_last_turn": "true"})));
    let answer = client.ask(&json!({"type": "set", "policy": "cwl", "options": {"levels": "234"}}));
    assert_eq!(answer["options"], json!({"keep_last_turn": "true", "levels": "234"}));
    let answer = client.ask(&json!({"type": "set", "budget": "60k"}));
    assert_eq!((&answer["budget"], &answer["policy"]), (&json!(60_000), &json!("cwl")));
    let answer = client.ask(&json!({"type": "set", "policy": "window"}));
    assert_eq!(answer["options"], json!({"keep_last_turn": "true"}), "options of another policy do not stay");
    check_refused(&mut client, &json!({"type": "set", "policy": "summary"}), "makes summaries");
    let answer = client.ask(&json!({"type": "set"}));
    assert_eq!(answer["policy"], "window", "a refusal changes nothing");
}

#[test]
fn what_is_no_line_of_the_protocol_is_refused() {
    let mut client = Client::new();
    check_refused(
        &mut client,
        &json!({"type": "decide", "from": 0, "digest": "", "messages": []}),
        "a hello",
    );
    check_refused(&mut client, &json!({"type": "dance"}), "not understood");
    check_refused(&mut client, &json!([]), "not understood");
    client.ask(&hello(&json!({})));
    check_refused(&mut client, &hello(&json!({})), "said hello before");
}

#[test]
fn a_second_process_for_a_session_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = || LiveServer::new(folder.path().to_owned(), Tools::builtin_tables());
    let greet = |server: &mut LiveServer, session: &str| {
        let line = hello(&json!({"session": session})).to_string();
        serde_json::to_value(server.answer_line(&line)).unwrap()["type"].as_str().unwrap().to_owned()
    };
    let (mut first, mut second) = (server(), server());
    assert_eq!((greet(&mut first, "a"), greet(&mut second, "a")), ("ready".into(), "refused".into()));
    assert_eq!(greet(&mut second, "b"), "ready", "another session is free");
    drop(first);
    assert_eq!(greet(&mut server(), "a"), "ready", "the lock goes with its process");
}

#[test]
fn calls_of_the_delimiter_are_checked() {
    let mut client = Client::new();
    let answer =
        client.ask(&json!({"type": "mark", "arguments": {"action": "start", "name": "a", "type": "expl"}}));
    assert_eq!((&answer["type"], &answer["ok"]), (&json!("marked"), &json!(true)));
    let answer = client.ask(&json!({"type": "mark", "arguments": {"action": "start"}}));
    assert_eq!(answer["ok"], false, "{answer}");
}

#[test]
fn lines_are_answered_one_by_one_until_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = LiveServer::new(folder.path().to_owned(), Tools::builtin_tables());
    let mut output = Vec::new();
    let input = format!("{}\n\n\u{1}\n{}", hello(&json!({})), r#"{"type":"set"}"#);
    serve_lines(&mut server, &mut input.as_bytes(), &mut output).unwrap();
    let kinds: Vec<String> = String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["ready", "refused", "ready"]);
}

#[test]
fn a_list_passes_through_with_a_reason() {
    let mut story = Story::default();
    story.human("look").step(&["a grep"], 4000).step(&["b read"], 40);
    let pass = |settings: Value, list: &[Value], words: &str| {
        let answer = Client::greeted(&settings).decide(list, 0);
        assert_eq!(answer["verdict"], "pass_through", "{answer}");
        assert!(answer["reason"].as_str().unwrap().contains(words), "{answer}");
        assert_eq!((&answer["remove"], &answer["tokens"]["sent"]), (&json!([]), &answer["tokens"]["whole"]));
    };
    pass(json!({"policy": "cwl", "budget": "100"}), &story.0, "this session has none so far");
    let mut odd = story.clone();
    odd.0[2]["role"] = "oracle".into();
    pass(json!({"policy": "window", "budget": "100"}), &odd.0, "message 2 is not understood whole");
    let mut prompted = story.clone();
    prompted.0.insert(0, json!({"role": "system", "content": "x".repeat(800), "timestamp": 0}));
    pass(json!({"policy": "window", "budget": "100"}), &prompted.0, "the smallest that works is 201");
    let answer = Client::greeted(&json!({"policy": "none", "budget": "100"})).decide(&odd.0, 0);
    assert_eq!(answer["verdict"], "keep", "nothing is asked of a list that nobody edits");
}
