//! No number of connections or calls, and no silence, locks out clients with the token.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::common::{DEADLINE, Served};

const LOG: &str = include_str!("../../../../samples/pi/quickstart/input.jsonl");
const LONG: Duration = Duration::from_secs(1000);

#[tokio::test(flavor = "multi_thread")]
async fn who_says_nothing_is_not_waited_for() {
    let served = Served::start_with(|it| it.with_limits(64, 64, LONG, Duration::from_millis(50))).await;
    let mut pushes = served.pushes().await;
    let post = "POST /call/defaults HTTP/1.1\nHost: 127.0.0.1:{port}\nAuthorization: Bearer {token}\n\
                Content-Type: application/json\nContent-Length: 2\n\n{";
    for (what, said, answer) in [
        ("nothing at all", String::new(), ""),
        ("half a head", "POST /call/defaults HTTP/1.1\r\nHost: 127".to_owned(), "HTTP/1.1 408"),
        ("half a body", served.filled(post), "HTTP/1.1 408"),
        (
            "nothing after an answer",
            served.filled("GET / HTTP/1.1\nHost: 127.0.0.1:{port}\n\n"),
            "HTTP/1.1 200",
        ),
    ] {
        let mut stream = served.connect().await;
        stream.write_all(said.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        timeout(DEADLINE, stream.read_to_end(&mut bytes)).await.expect(what).unwrap();
        let heard = String::from_utf8_lossy(&bytes);
        assert!(heard.starts_with(answer) && heard.is_empty() == answer.is_empty(), "{what}: {heard}");
    }
    let log = served.log("session.jsonl", LOG);
    let open = json!({ "target": log, "format": null }).to_string();
    assert_eq!(served.call("open", &open).await.status, 200);
    pushes.until("data: ").await;
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_leave_room_for_those_with_the_token() {
    let served = Served::start_with(|it| it.with_limits(4, 8, Duration::ZERO, LONG)).await;
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(served.connect().await);
        assert_eq!(served.call("defaults", "{}").await.status, 200);
    }
    let mut pushes = served.pushes().await;
    for stream in &mut silent[..8] {
        let n_bytes = timeout(DEADLINE, stream.read(&mut [0; 1])).await.expect("the first are closed");
        assert_eq!(n_bytes.unwrap_or(0), 0);
    }
    let log = served.log("session.jsonl", LOG);
    let open = json!({ "target": log, "format": null }).to_string();
    assert_eq!(served.call("open", &open).await.status, 200);
    pushes.until("data: ").await;
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_with_the_token_are_told_to_come_again() {
    let served = Served::start_with(|it| it.with_limits(4, 2, LONG, LONG)).await;
    let (first, _second) = (served.pushes().await, served.pushes().await);
    let refused = served.call("defaults", "{}").await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{refused:?}");
    assert!(refused.body.contains("\"busy\"") && refused.body.contains("ask again"), "{refused:?}");
    drop(first);
    let again = async {
        while served.call("defaults", "{}").await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    timeout(DEADLINE, again).await.expect("there is room again");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_are_all_answered() {
    let served = Served::start().await;
    let log = served.log("session.jsonl", LOG);
    let open = json!({ "target": log, "format": null }).to_string();
    // Half of the calls open the session, and half ask for the session that is open then.
    let session =
        serde_json::from_str::<Value>(&served.call("open", &open).await.body).unwrap()["session"].clone();
    let asked = json!({ "session": session }).to_string();
    let served = Arc::new(served);
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..100 {
        let (served, open, asked) = (Arc::clone(&served), open.clone(), asked.clone());
        calls.spawn(async move {
            if n % 2 == 0 { served.call("open", &open).await } else { served.call("session", &asked).await }
        });
    }
    for reply in calls.join_all().await {
        assert_eq!(reply.status, 200, "{reply:?}");
    }
    Arc::into_inner(served).unwrap().end().await;
}
