//! The host asks the live process of a session through its control socket.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;

use cwl_host::api::{LiveAnswer, LiveChange, LiveProcessRow, LiveQuestion, LiveRefusal};
use cwl_host::{ErrorCode, control_socket};
use serde_json::{Value, json};

use crate::common::{Host, story};

/// Answers one question on a socket; the thread returns the question.
fn answer_once(socket: &std::path::Path, answer: String) -> std::thread::JoinHandle<LiveQuestion> {
    std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
    drop(std::fs::remove_file(socket));
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        (&stream).write_all(answer.as_bytes()).unwrap();
        serde_json::from_str(&line).unwrap()
    })
}

fn process() -> LiveProcessRow {
    serde_json::from_value(json!({
        "session": "s", "harness": "pi 1.6.0", "client": "test", "process": 7, "started_at_ms": 1, "policy": "cwl",
        "budget": 60_000, "options": {}, "tokenizer": "o200k", "marks": "declared", "overhead": 4, "requests": 0,
        "evicting": 0, "passed_through": 0, "refused": 0, "last": null, "events": [],
    }))
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_has_the_process_of_its_id() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await;
    let (number, id) = (session["session"].clone(), session["id"].as_str().unwrap().to_owned());
    let ask = async |name: &str, answer: String| {
        let socket = control_socket(&host.dir.path().join("data"), &id);
        let asked = answer_once(&socket, answer);
        let args = json!({"session": number, "change": {"budget": "60k"}});
        let answered = host.inspector.dispatch(name, args).await;
        (answered, asked.join().unwrap())
    };
    let line = |answer: &LiveAnswer| serde_json::to_string(answer).unwrap() + "\n";
    let change = LiveChange { budget: Some("60k".into()), ..LiveChange::default() };

    let (answered, asked) = ask("live_status", line(&LiveAnswer::Status(Box::new(process())))).await;
    let cwl_host::CommandAnswer::Json(status) = answered.unwrap() else { panic!("no JSON") };
    assert_eq!(serde_json::from_str::<Value>(&status).unwrap()["process"]["budget"], 60_000);
    assert_eq!(asked, LiveQuestion::Status { events: 20 });

    let (answered, asked) = ask("set_live", line(&LiveAnswer::Status(Box::new(process())))).await;
    assert!(answered.is_ok());
    assert_eq!(asked, LiveQuestion::Set(change.clone()));

    let refusal = LiveRefusal { reason: "too small".into(), smallest_budget: Some(9) };
    let (answered, asked) = ask("set_live", line(&LiveAnswer::Refused(refusal))).await;
    let error = answered.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::Refused, "too small"));
    assert_eq!(asked, LiveQuestion::Set(change.clone()));

    // Another version, and a process that ends before it answers.
    let (answered, asked) = ask("preview_live", "{\"type\":\"dance\"}\n".into()).await;
    assert_eq!(answered.unwrap_err().code, ErrorCode::Refused);
    assert_eq!(asked, LiveQuestion::Preview(change));
    let (answered, _) = ask("live_status", String::new()).await;
    let cwl_host::CommandAnswer::Json(status) = answered.unwrap() else { panic!("no JSON") };
    assert_eq!(status, r#"{"process":null}"#);
}
