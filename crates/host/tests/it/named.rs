//! Sessions opened by a path, an id, or an unambiguous prefix of an id.

use cwl_host::ErrorCode;

use crate::common::{DEADLINE, Host, user};
use serde_json::json;
use tokio::time::{Duration, Instant, sleep};

const IDS: [&str; 4] = ["019cec83-28c7", "019cec83-9001", "0a789f64-8ecc", "s1"];

/// Starts a host with logs of these ids.
async fn started(ids: &[&str]) -> Host {
    let host = Host::start().await;
    for id in ids {
        let mut log = host.log(&format!("{id}.jsonl"));
        log.header(id);
        log.add(user(&format!("This is {id}.")));
    }
    let until = Instant::now() + DEADLINE;
    while host.inspector.all_sessions().await.unwrap().rows.len() < ids.len() {
        assert!(Instant::now() < until, "all logs are found");
        sleep(Duration::from_millis(20)).await;
    }
    host
}

async fn check_found(host: &Host, target: &str, id: &str) {
    let session = host.call("open", json!({ "target": target })).await;
    assert_eq!(session["id"], id, "{target:?} is {id}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_beginning_says_which() {
    let host = started(&IDS).await;
    // Twice: as logs in a folder, and as stored sessions.
    for _ in 0..2 {
        for (target, id) in [
            ("0a78", IDS[2]),
            ("0a789f64-8ecc", IDS[2]),
            ("019cec83-2", IDS[0]),
            ("019cec83-9", IDS[1]),
            ("s1", IDS[3]),
        ] {
            check_found(&host, target, id).await;
        }
    }
    let rows = host.call("sessions", json!({})).await["rows"].clone();
    let mut ids: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, IDS, "the list tells the ids");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_several_begin_with_names_them() {
    let host = started(&IDS).await;
    let error = host.error("open", json!({ "target": "019c" })).await;
    assert_eq!(error.code, ErrorCode::Ambiguous);
    assert_eq!(error.message, "2 sessions have an id that begins with `019c`");
    assert_eq!(
        error.hint.unwrap(),
        "write more of the one that you mean: 019cec83-28c7 (This is 019cec83-28c7.), \
         019cec83-9001 (This is 019cec83-9001.)"
    );
    let host = started(&["019c-1", "019c-2", "019c-3", "019c-4", "019c-5", "019c-6", "019c-7"]).await;
    let mut hint = host.error("open", json!({ "target": "019c" })).await.hint.unwrap();
    let end = hint.split_off(hint.rfind(", ").unwrap());
    assert_eq!(end, ", and 3 more", "a hint is no list");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_id_begins_with_is_missing() {
    let host = started(&IDS).await;
    for target in ["019d", "019", "s", "019cec83.jsonl", "no/such/019c", "ü", "%", "_", "019c%"] {
        let error = host.error("open", json!({ "target": target })).await;
        assert!(
            matches!(error.code, ErrorCode::Missing | ErrorCode::UnknownSession),
            "{target:?}: {error:?}"
        );
    }
}
