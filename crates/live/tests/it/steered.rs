//! The control socket: status, previews and changes from outside the harness.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use cwl_host::api::{LiveAnswer, LiveChange, LiveEventKind, LivePreview, LiveProcessRow, LiveQuestion};
use cwl_host::{Tools, ask_live, control_socket, list_live, set_live};
use cwl_live::LiveServer;
use serde_json::{Value, json};

use crate::story::Story;
use crate::{Client, hello};

impl Client {
    fn socket(&self) -> PathBuf {
        control_socket(self.folder.path(), "s")
    }

    fn status(&self) -> LiveProcessRow {
        match ask_live(&self.socket(), &LiveQuestion::Status { events: 100 }).unwrap() {
            Some(LiveAnswer::Status(process)) => *process,
            other => panic!("{other:?}"),
        }
    }

    fn set(&self, change: LiveChange) -> Result<LiveProcessRow, String> {
        set_live(self.folder.path(), "s", change).map_err(|error| error.to_string())
    }

    fn preview(&self, change: LiveChange) -> LivePreview {
        match ask_live(&self.socket(), &LiveQuestion::Preview(change)).unwrap() {
            Some(LiveAnswer::Preview(preview)) => preview,
            other => panic!("{other:?}"),
        }
    }
}

fn budget(tokens: &str) -> LiveChange {
    LiveChange { budget: Some(tokens.to_owned()), ..LiveChange::default() }
}

fn story() -> Story {
    let mut story = Story::default();
    story.human("the task").expl("look").step(&["!why", "a grep"], 400).step(&["b read"], 600);
    story.end("it is there").act("fix", &["look"]).step(&["c edit"], 500).end("").human("go on");
    story
}

fn greeted() -> Client {
    Client::greeted(&json!({"policy": "cwl", "budget": "10k", "system": "x".repeat(40), "tools": "[]"}))
}

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_socket_is_for_its_user_and_goes_with_the_process() {
    let client = greeted();
    let socket = client.socket();
    assert_eq!((mode(&socket), mode(socket.parent().unwrap())), (0o600, 0o700));
    let Client { server, folder } = client;
    drop(server);
    assert!(!socket.exists());
    assert_eq!(ask_live(&socket, &LiveQuestion::Status { events: 0 }).unwrap(), None);
    drop(folder);
}

#[test]
fn what_a_killed_process_left_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let socket = control_socket(folder.path(), "s");
    std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
    // Bound and dropped: the file stays, and no process listens.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    assert!(socket.exists());
    assert_eq!(list_live(folder.path(), 0).unwrap(), []);
    let mut server = LiveServer::new(folder.path().to_owned(), Tools::builtin_tables());
    server.answer_line(&hello(&json!({})).to_string());
    assert_eq!(list_live(folder.path(), 0).unwrap().len(), 1);
}

#[test]
fn a_refused_second_process_leaves_the_socket_of_the_first() {
    let client = greeted();
    let mut second = LiveServer::new(client.folder.path().to_owned(), Tools::builtin_tables());
    let answer = serde_json::to_value(second.answer_line(&hello(&json!({})).to_string())).unwrap();
    assert_eq!(answer["type"], "refused");
    drop(second);
    assert_eq!(client.status().session, "s");
}

#[test]
fn a_change_is_in_force_from_the_next_decision_on() {
    let mut client = greeted();
    let story = story();
    let before = client.decide(&story.0, 0);
    assert_eq!((&before["verdict"], &before["settings"]), (&json!("keep"), &Value::Null));
    let process = client.set(budget("300")).unwrap();
    assert_eq!((process.budget, process.policy.as_str()), (300, "cwl"));
    let after = client.decide(&story.0, story.0.len());
    assert_eq!(after["verdict"], "evict", "{after}");
    assert_eq!(after["settings"]["budget"], 300, "the client learns of it");
    let again = client.decide(&story.0, story.0.len());
    assert_eq!(again["settings"], Value::Null, "once");
    // The same decisions as those of a client that set it.
    let mut own = greeted();
    own.ask(&json!({"type": "set", "budget": "300"}));
    let mut expected = own.decide(&story.0, 0);
    let mut after = after;
    after.as_object_mut().unwrap().remove("settings");
    expected["record"] = after["record"].clone();
    assert_eq!(after, expected);
}

#[test]
fn a_preview_says_what_the_next_request_then_loses() {
    let mut client = greeted();
    assert_eq!(client.preview(budget("300")).says, "no request has come so far");
    let story = story();
    client.decide(&story.0, 0);
    let preview = client.preview(budget("300"));
    assert_eq!(client.status().budget, 10_000, "nothing has changed");
    client.set(budget("300")).unwrap();
    let after = client.decide(&story.0, story.0.len());
    assert_eq!(preview.sent, after["tokens"]["sent"].as_u64().unwrap());
    assert_eq!(u64::from(preview.parts_lost), after["evicted"].as_u64().unwrap());
    let last = client.status().last.unwrap();
    let gone: (u32, u64) =
        last.gone.iter().fold((0, 0), |(n, sum), gone| (n + gone.parts, sum + gone.tokens));
    assert_eq!(gone, (preview.parts_lost, preview.tokens_lost));
    assert!(preview.says.starts_with("the next request would lose "), "{}", preview.says);
    let back = client.preview(budget("10k"));
    assert_eq!((back.parts_back, back.tokens_back, back.parts_lost), (gone.0, gone.1, 0));
}

#[test]
fn what_cannot_work_is_refused_with_what_would() {
    let mut client = greeted();
    client.decide(&story().0, 0);
    let refused = client.set(budget("5")).unwrap_err();
    assert!(refused.ends_with("(11 tokens); the smallest that works is 12"), "{refused}");
    let preview = client.preview(budget("5"));
    assert_eq!(preview.refusal.unwrap().smallest_budget, Some(12));
    let policy = |name: &str| LiveChange { policy: Some(name.to_owned()), ..LiveChange::default() };
    assert!(client.set(policy("summary")).unwrap_err().contains("makes summaries"));
    assert!(client.set(policy("cwl++")).unwrap_err().contains("there is no policy"));
    assert!(client.set(budget("many")).unwrap_err().contains("no token budget"));
    assert_eq!((client.status().budget, client.status().events.len()), (10_000, 1), "nothing has changed");
    // A prompt among the messages counts, too.
    let mut prompted = story();
    prompted.0.insert(0, json!({"role": "system", "content": "x".repeat(800), "timestamp": 0}));
    client.decide(&prompted.0, 0);
    let refused = client.set(budget("100")).unwrap_err();
    assert!(refused.ends_with("the smallest that works is 212"), "{refused}");
}

#[test]
fn what_happens_is_told_as_events() {
    let mut client = greeted();
    let mut story = story();
    client.decide(&story.0, 0);
    client.set(budget("300")).unwrap();
    client.decide(&story.0, story.0.len());
    client.ask(&json!({"type": "set", "budget": "many"}));
    client.ask(&json!({"type": "set", "budget": "20k"}));
    // A message that is not understood goes with all the others.
    let known = story.0.len();
    story.human("and more");
    story.0[known]["role"] = "oracle".into();
    client.decide(&story.0, known);
    let process = client.status();
    let kinds: Vec<LiveEventKind> = process.events.iter().map(|event| event.kind).collect();
    use LiveEventKind::{Evict, Keep, PassThrough, Refused, SetByHarness, SetByOwner};
    assert_eq!(kinds, [Keep, SetByOwner, Evict, Refused, SetByHarness, PassThrough]);
    let said: Vec<&str> = process.events.iter().map(|event| event.says.as_str()).collect();
    assert_eq!((said[1], said[4]), ("cwl at 300, declared marks", "cwl at 20,000, declared marks"));
    assert!(said[3].contains("`many` is no token budget"), "{said:?}");
    assert!(said[5].contains("is not understood whole"), "{said:?}");
    let reasons: Vec<&str> = process.events[2].gone.iter().map(|gone| gone.says.as_str()).collect();
    assert_eq!(reasons, ["the rest of fix"]);
    assert_eq!((process.requests, process.evicting, process.passed_through, process.refused), (3, 1, 1, 1));
    assert_eq!(process.last.as_ref(), process.events.last());
}

#[test]
fn a_question_that_is_none_is_refused_and_the_next_is_answered() {
    use std::io::{BufRead, BufReader, Write};
    let client = greeted();
    for question in ["{}", "dance", "{\"type\":\"quit\"}", "\u{1}"] {
        let mut stream = std::os::unix::net::UnixStream::connect(client.socket()).unwrap();
        writeln!(stream, "{question}").unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        assert!(answer.contains("the question is not understood"), "{question}: {answer}");
    }
    drop(std::os::unix::net::UnixStream::connect(client.socket()).unwrap());
    assert_eq!(client.status().requests, 0);
}
