//! Calls, pushes, odd requests, and an orderly end.

use std::io::Write;

use crate::common::{DEADLINE, Served};
use cwl_host::CommandAnswer;
use cwl_serve::{Page, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

const LOG: &str = include_str!("../../../../samples/pi/quickstart/input.jsonl");

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_answered_as_in_the_window() {
    let served = Served::start().await;
    let path = served.log("session.jsonl", LOG);
    let open = json!({ "target": path, "format": null }).to_string();
    let reply = served.call("open", &open).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let session = serde_json::from_str::<Value>(&reply.body).unwrap()["session"].clone();
    let asked = json!({ "session": session });
    let CommandAnswer::Json(expected) = served.inspector.dispatch("session", asked.clone()).await.unwrap()
    else {
        panic!("a session is JSON")
    };
    assert_eq!(served.call("session", &asked.to_string()).await.body, expected);
    let refused = served.call("session", r#"{"session":999}"#).await;
    let expected = served.inspector.dispatch("session", json!({ "session": 999 })).await.unwrap_err();
    assert_eq!(refused.status, 422);
    assert_eq!(refused.body, serde_json::to_string(&expected).unwrap(), "an error is the window's");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_bodies_are_refused_in_words() {
    let served = Served::start().await;
    let head = "POST /call/defaults HTTP/1.1\nHost: 127.0.0.1:{port}\nAuthorization: Bearer {token}\n\
                Content-Type: application/json\nConnection: close\n";
    let chunk = "x".repeat(64 << 10);
    let chunks = format!("{:x}\r\n{chunk}\r\n", chunk.len()).repeat(20);
    for (what, rest, status) in [
        ("no JSON", "Content-Length: 1\n\n{".to_owned(), 400),
        ("nothing", "Content-Length: 0\n\n".to_owned(), 400),
        ("no text", "Content-Length: 2\n\n\u{7f}\u{0}".to_owned(), 400),
        ("deep", format!("Content-Length: 100000\n\n{}", "[".repeat(100_000)), 400),
        ("a number", "Content-Length: 2\n\n77".to_owned(), 422),
        ("said to be large", "Content-Length: 99999999999\n\n{}".to_owned(), 413),
        ("large in pieces", format!("Transfer-Encoding: chunked\n\n{chunks}0\r\n\r\n"), 413),
    ] {
        let mut stream = served.connect().await;
        // A refused body is not read to its end, so sending the rest may fail.
        stream.write_all(served.filled(&format!("{head}{rest}")).as_bytes()).await.ok();
        let mut line = [0; 12];
        timeout(DEADLINE, stream.read_exact(&mut line)).await.unwrap().unwrap();
        assert_eq!(String::from_utf8_lossy(&line), format!("HTTP/1.1 {status}"), "{what}");
    }
    assert_eq!(served.call("defaults", "{}").await.status, 200, "and it still answers");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_commands_are_only_compared() {
    let served = Served::start().await;
    for name in ["", "nothing", "Open", "open/", "../open", "%6fpen", "open%00", "a".repeat(4_000).as_str()] {
        let reply = served.call(name, "{}").await;
        assert_eq!(reply.status, 422, "{name}: {reply:?}");
        assert!(reply.body.contains("\"badRequest\""), "{name}: {}", reply.body);
    }
    served.end().await;
}

/// The page of `cwl serve` may ask, and the user's settings may name a reader: it is the window's alone.
#[tokio::test(flavor = "multi_thread")]
async fn no_reader_is_started() {
    let served = Served::start().await;
    let path = served.log("session.jsonl", LOG);
    let open = json!({ "target": path, "format": null }).to_string();
    assert_eq!(served.call("open", &open).await.status, 200);
    let started = served.folder.path().join("started");
    let command = format!("touch {}", started.display());
    for (name, body) in [
        ("reader", json!({ "session": 1 })),
        ("mark_with_reader", json!({ "session": 1, "command": command })),
    ] {
        let reply = served.call(name, &body.to_string()).await;
        assert_eq!(reply.status, 422, "{name}: {reply:?}");
        assert!(reply.body.contains("this program starts no reader"), "{name}: {}", reply.body);
        assert!(reply.body.contains("cwl annotate SESSION --reader"), "{name}: {}", reply.body);
    }
    assert!(!started.exists());
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_who_listens_hears_of_a_log_that_grows() {
    let served = Served::start().await;
    let lines: Vec<&str> = LOG.lines().collect();
    let (first, rest) = lines.split_at(lines.len() / 2);
    let path = served.log("session.jsonl", &format!("{}\n", first.join("\n")));
    let open = json!({ "target": path, "format": null }).to_string();
    let reply = served.call("open", &open).await;
    let session = serde_json::from_str::<Value>(&reply.body).unwrap()["session"].clone();
    let (mut one, mut other) = (served.pushes().await, served.pushes().await);
    let gone = served.pushes().await;
    drop(gone);
    let mut log = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    log.write_all(format!("{}\n", rest.join("\n")).as_bytes()).unwrap();
    let expected = format!("data: {{\"type\":\"session\",\"session\":{session},\"revision\":");
    one.until(&expected).await;
    other.until(&expected).await;
    assert!(one.heard.contains("content-type: text/event-stream"), "{}", one.heard);
    assert!(one.heard.contains("cache-control: no-store"), "{}", one.heard);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_ends_streams_and_does_not_wait_for_those_who_say_nothing() {
    let served = Served::start().await;
    let mut pushes = served.pushes().await;
    let _silent = served.connect().await;
    let mut half = served.connect().await;
    half.write_all(b"POST /call/defaults HTTP/1.1\r\nHost: 127").await.unwrap();
    let mut idle = served.connect().await;
    idle.write_all(served.filled("GET / HTTP/1.1\nHost: 127.0.0.1:{port}\n\n").as_bytes()).await.unwrap();
    let mut piece = [0; 15];
    timeout(DEADLINE, idle.read_exact(&mut piece)).await.unwrap().unwrap();
    served.end().await;
    pushes.until_end().await;
    assert!(pushes.heard.ends_with("0\r\n\r\n"), "the stream ends in order: {:?}", pushes.heard);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_in_use_is_told_with_the_way_out() {
    let served = Served::start().await;
    let page = || Page::open_folder(Some(served.folder.path().join("dist"))).unwrap();
    let error = Server::listen(served.port, page()).await.err().unwrap();
    let expected =
        format!("port {} is in use; take another with --port, or any free one with --port 0", served.port);
    assert_eq!(error.to_string(), expected);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn expressions_have_bounds() {
    let served = Served::start().await;
    let line = json!({"type": "message", "id": "0000000a", "parentId": null,
        "message": {"role": "user", "content": "a".repeat(2 << 20)}});
    let path = served.log("session.jsonl", &format!("{}{line}\n", LOG.split_inclusive('\n').next().unwrap()));
    let open = json!({ "target": path, "format": null }).to_string();
    let session =
        serde_json::from_str::<Value>(&served.call("open", &open).await.body).unwrap()["session"].clone();
    let counts = "(((a{1,9}){1,9}){1,9}){1,9}b";
    let nested = format!("{}a{}", "(".repeat(2_000), ")".repeat(2_000));
    for (query, status) in [
        ("a+$", 200),
        ("nothing", 200),
        ("(", 422),
        ("a{99999}{99999}", 422),
        (counts, 422),
        (nested.as_str(), 422),
        ("(?P<a", 422),
    ] {
        let wanted = json!({"query": query, "regex": true});
        let at = json!({"session": session, "view": {}, "cut": {}});
        let with = |more: Value| {
            let mut asked = at.clone();
            asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            asked.to_string()
        };
        let find = with(json!({"list": {"type": "context", "ghosts": true}, "wanted": wanted}));
        let evicted = with(json!({"list": {"type": "evicted", "only": wanted}, "offset": 0, "limit": 9}));
        for (command, asked) in [("find", find), ("page", evicted)] {
            let reply = served.call(command, &asked).await;
            assert_eq!(reply.status, status, "{command} {query}: {}", reply.body);
            assert_eq!(
                reply.body.contains("\"badPattern\""),
                status == 422,
                "{command} {query}: {}",
                reply.body
            );
        }
    }
    served.end().await;
}

/// A slow reader gets all pushes, or learns that some are missing.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_stream_of_pushes_is_told_to_its_end() {
    let served = Served::start().await;
    let path = served.log("session.jsonl", LOG);
    let open = json!({ "target": path, "format": null }).to_string();
    let session =
        serde_json::from_str::<Value>(&served.call("open", &open).await.body).unwrap()["session"].clone();
    let (mut one, mut other) = (served.pushes().await, served.pushes().await);
    let pinned = |pinned: bool| json!({"path": path, "pinned": pinned});
    const ROUNDS: usize = 1_200;
    for round in 0..ROUNDS {
        served.inspector.dispatch("pin", pinned(round % 2 == 0)).await.unwrap();
    }
    let note = json!({"session": session, "subject": {"on": "session"}, "body": "the last one"});
    served.inspector.dispatch("save_note", note).await.unwrap();
    let last = format!("data: {{\"type\":\"notes\",\"session\":{session}}}");
    for pushes in [&mut one, &mut other] {
        pushes.until(&last).await;
        let n_heard = pushes.heard.matches("data: {\"type\":\"sessions\"}").count();
        assert!(n_heard >= ROUNDS || pushes.heard.contains("\"missed\""), "{n_heard} of {ROUNDS}");
    }
    served.end().await;
}
