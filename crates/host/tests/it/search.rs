//! Search in all sessions and in one, with an index made in the background.

use cwl_host::ErrorCode;

use crate::common::{DEADLINE, Host, Log, reply, story, user};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, sleep};

/// Repeats a search until everything is indexed.
pub(crate) async fn search(host: &Host, args: Value) -> Value {
    let until = Instant::now() + DEADLINE;
    loop {
        let found = host.call("search", args.clone()).await;
        if found["pending"] == 0 {
            return found;
        }
        assert!(Instant::now() < until, "the index is made: {found}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// A session, with turn and block of each hit.
type Places = (u64, Vec<(Option<u64>, String)>);

fn places(found: &Value) -> Vec<Places> {
    let hits = |session: &Value| {
        let hits = session["hits"].as_array().unwrap().iter();
        hits.map(|hit| (hit["turn"].as_u64(), hit["block"].as_str().unwrap().to_owned())).collect()
    };
    let sessions = found["sessions"].as_array().unwrap().iter();
    sessions.map(|session| (session["session"].as_u64().unwrap(), hits(session))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn hits_say_whether_the_model_still_has_them() {
    let host = Host::start().await;
    let (a, _) = two_sessions(&host).await;
    // Under a budget that holds everything, one that holds almost nothing, and without a view.
    let check = async |view: Value| -> Vec<(Option<bool>, bool)> {
        let found = search(&host, json!({"query": "retry", "session": 1, "view": view})).await;
        let hits = found["sessions"][0]["hits"].as_array().unwrap().iter();
        hits.map(|hit| (hit["held"].as_bool(), hit["held_says"] == "")).collect()
    };
    let all = check(json!({"budget": "900k"})).await;
    assert!(all.len() > 1 && all.iter().all(|hit| *hit == (Some(true), false)), "{all:?}");
    let few = check(json!({"policy": "window", "budget": "1"})).await;
    assert!(few.iter().any(|(held, _)| *held == Some(false)), "{few:?}");
    assert!(check(Value::Null).await.iter().all(|hit| *hit == (None, true)));
    drop(a);
}

async fn two_sessions(host: &Host) -> (Log, Log) {
    let (mut a, mut b) = (host.log("a.jsonl"), host.log("b.jsonl"));
    story(&mut a);
    host.open(&a).await;
    b.header("s-2");
    b.add(user("Does the scheduler retry a feed that is gone?"));
    b.add(reply("It does, once a day.", &[]));
    host.open(&b).await;
    (a, b)
}

#[tokio::test(flavor = "multi_thread")]
async fn by_session_and_turn() {
    let host = Host::start().await;
    two_sessions(&host).await;
    let found = search(&host, json!({ "query": "retry" })).await;
    let of_b = (2, vec![(Some(1), "00000001:0".to_owned())]);
    let of_a = places(&found).into_iter().find(|(session, _)| *session == 1).unwrap();
    let all = [of_b, of_a];
    assert_eq!(places(&found), all, "the newest texts first");
    assert!(all[1].1.is_sorted_by(|x, y| x.0 >= y.0), "the last in the log first: {all:?}");
    let hit = &found["sessions"][0]["hits"][0];
    assert_eq!(hit["before"], "Does the scheduler ");
    assert_eq!(hit["matched"], "retry");
    assert_eq!(hit["after"], " a feed that is gone?");
    assert_eq!((&hit["kind"], &hit["line"], &hit["n_blocks"]), (&json!("text"), &json!(2), &json!(1)));
    assert_eq!(found["sessions"][0]["title"], "Does the scheduler retry a feed that is gone?");
    let results: Vec<&Value> = found["sessions"][1]["hits"].as_array().unwrap().iter().collect();
    assert!(results.iter().any(|hit| hit["kind"] == "result" && hit["tool"] == "grep"), "{results:?}");

    let one = search(&host, json!({ "query": "retry", "session": 1 })).await;
    assert_eq!(places(&one), all[1..], "within a session");
    let some = search(&host, json!({ "query": "retry", "limit": 1 })).await;
    assert_eq!((&places(&some)[..], &some["more"]), (&all[..1], &json!(true)));
    let none = search(&host, json!({ "query": "nobody said that" })).await;
    assert_eq!((places(&none).len(), &none["more"]), (0, &json!(false)));
    let error = host.error("search", json!({ "query": " -\"" })).await;
    assert_eq!(error.code, ErrorCode::BadPattern);

    // A host that has opened neither session answers the same.
    let again = host.again().await;
    assert_eq!(search(&again, json!({ "query": "retry" })).await, found);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_now_is_found_soon() {
    let mut host = Host::start().await;
    let (mut log, _) = two_sessions(&host).await;
    search(&host, json!({ "query": "retry" })).await;
    let mut revision = 1;
    log.add(user("Now the xylophone."));
    host.pushed(&mut revision, |_| true).await;
    let found = search(&host, json!({ "query": "xylo" })).await;
    assert_eq!(found["sessions"][0]["hits"][0]["matched"], "xylophone");
    assert_eq!(found["sessions"][0]["session"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_on_another_branch_says_which() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    log.header("s-1");
    log.add(user("Plan it."));
    log.add(reply("A marmalade approach.", &[]));
    // Continues the first message, so the reply before is on another branch.
    let other = user("No, another way.")
        .at(&mut log)
        .replace("\"parentId\":\"00000002\"", "\"parentId\":\"00000001\"");
    log.add_raw(&format!("{other}\n"));
    log.add(reply("A vinegar approach.", &[]));
    host.open(&log).await;
    let found = search(&host, json!({ "query": "approach" })).await;
    assert_eq!(
        places(&found),
        [(1, vec![(Some(2), "00000004:0".to_owned()), (Some(2), "00000002:0".to_owned())])]
    );
    let hits = &found["sessions"][0]["hits"];
    assert_eq!([&hits[0]["branch"], &hits[1]["branch"]], [&Value::Null, &json!("00000002")]);
    assert_eq!([&hits[0]["role"], &hits[0]["author"]], [&json!("assistant"), &json!("model")]);
}
