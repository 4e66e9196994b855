//! A first index that the user cancels and that continues later.

use cwl_host::ErrorCode;

use crate::common::{DEADLINE, Host, user};
use serde_json::json;
use tokio::time::{Instant, sleep};

const RECORDS: usize = 4_000;

/// About 40 MB of distinct texts, which take a moment to count and pack.
fn long(host: &Host) -> crate::common::Log {
    let mut log = host.log("a.jsonl");
    log.header("s-1");
    let mut lines = String::new();
    for number in 0..RECORDS {
        let text: String = (0..900).map(|word| format!("w{:x} ", (number * 900 + word) * 7_919)).collect();
        lines += &user(&text).at(&mut log);
        lines.push('\n');
    }
    log.add_raw(&lines);
    log
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stopped_is_kept_and_gone_on_with() {
    let host = Host::start().await;
    let log = long(&host);
    let cancel =
        async |session: u32| host.call("cancel", json!({ "session": session })).await["stopped"] == true;
    assert!(!cancel(1).await, "nothing is being read");

    let target = json!({ "target": log.path });
    let opening = host.error("open", target.clone());
    let waiting = host.error("open", target.clone());
    let stopping = async {
        let until = Instant::now() + DEADLINE;
        while !cancel(1).await {
            assert!(Instant::now() < until, "it is being read");
            sleep(std::time::Duration::from_millis(1)).await;
        }
    };
    let (opening, waiting, ()) = tokio::join!(opening, waiting, stopping);
    for error in [opening, waiting] {
        assert_eq!(error.code, ErrorCode::Cancelled, "for everybody who waits: {error}");
        assert!(error.to_string().contains("open it again"), "it says how to go on: {error}");
    }
    assert!(!cancel(1).await, "it is over");

    let session = host.open(&log).await;
    assert_eq!(session["session"], 1, "it is the session that was begun");
    assert_eq!(session["n_messages"], RECORDS, "nothing is missing, nothing is there twice");
    assert_eq!(cwl_host::check_store(&host.dir.path().join("data")).unwrap(), Vec::<String>::new());
}
