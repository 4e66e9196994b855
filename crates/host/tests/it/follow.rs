//! A followed log that grows, is cut, replaced or deleted, and a host that stops and starts.

use cwl_host::api::{DefaultsAnswer, Push};
use cwl_host::{CommandAnswer, Inspector, InspectorConfig};

use crate::common::columns::read_columns;
use crate::common::{DEADLINE, Host, apart, end, reply, start, story, user, view};
use serde_json::{Value, json};
use tokio::time::timeout;

#[tokio::test(flavor = "multi_thread")]
async fn appended_lines_are_pushed() {
    let mut host = Host::start().await;
    let mut log = host.log("a.jsonl");
    log.header("s-1");
    log.add(user("Please make the retries back off."));
    let session = host.open(&log).await;
    assert_eq!((&session["n_turns"], &session["revision"]), (&json!(1), &json!(1)));
    let mut revision = 1;
    log.add(reply(
        "start",
        &[("d1", "delimiter", json!({"action": "start", "name": "map", "type": "expl"}))],
    ));
    log.add(start("d1", "map", "expl", None));
    log.add(reply("Looking.", &[]));
    let pushed = host.pushed(&mut revision, |push| push.n_turns == 3).await;
    assert_eq!((pushed.n_episodes, pushed.restarted, pushed.gone), (1, false, false));
    let graph = host.call("frame", json!({"session": session["session"], "view": {}})).await["graph"].take();
    assert_eq!(graph["episodes"][0]["name"], "map");
    assert_eq!(graph["revision"], revision);
    // A line without a line end counts already, and is replaced when the line end comes.
    let line = reply("Unfinished", &[]).at(&mut log);
    log.add_raw(&line);
    host.pushed(&mut revision, |push| push.n_turns == 4).await;
    log.add_raw("\n");
    log.add(reply("More.", &[]));
    host.pushed(&mut revision, |push| push.n_turns == 5).await;
    let now = host.call("session", json!({"session": session["session"]})).await;
    let codes = |session: &Value| -> Vec<String> {
        let problems = session["problems"].as_array().unwrap();
        problems.iter().map(|problem| problem["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(&now), ["P011"], "the exploration is still open, and nothing else is odd");
    // A torn line is a problem and no turn.
    log.add_raw("{\"type\":\"mess");
    host.pushed(&mut revision, |_| true).await;
    let now = host.call("session", json!({"session": session["session"]})).await;
    assert_eq!((&now["n_turns"], codes(&now)), (&json!(5), vec!["P011".to_owned(), "L004".to_owned()]));
}

/// A page that holds a frame gets the differences, and has the whole frame with them.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_holds_a_frame_gets_what_differs() {
    let mut host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let frame = async |host: &Host, base: Option<u64>| {
        let args = json!({"session": session, "view": view("300"), "base": base});
        let Ok(CommandAnswer::Bytes(bytes)) = host.inspector.dispatch("frame", args).await else { panic!() };
        bytes
    };
    let mut held = read_columns(&frame(&host, Some(0)).await, None);
    let mut revision = 1;
    for turn in 0..6 {
        let call = format!("d{turn}0");
        let event = match turn % 2 {
            0 => json!({"action": "start", "name": format!("map-{turn}"), "type": "expl"}),
            _ => json!({"action": "end"}),
        };
        log.add(reply("Further.", &[(&call, "delimiter", event)]));
        match turn % 2 {
            0 => log.add(start(&call, &format!("map-{turn}"), "expl", None)),
            _ => log.add(end(&call, &format!("map-{}", turn - 1), "expl", Some("Seen."))),
        }
        host.pushed(&mut revision, |push| push.n_turns == 9 + turn).await;
        let whole = read_columns(&frame(&host, None).await, None);
        let next = read_columns(&frame(&host, held.number).await, Some(&held));
        assert_eq!((whole.number, &next.answer), (None, &whole.answer));
        assert_ne!(next.number, held.number);
        held = next;
    }
    let bytes = frame(&host, held.number).await;
    let again = read_columns(&bytes, Some(&held));
    let whole = frame(&host, None).await;
    assert!(bytes.len() * 2 < whole.len(), "{} of {} bytes without a change", bytes.len(), whole.len());
    // A number that the host no longer knows is answered in full.
    assert_eq!(read_columns(&frame(&host, held.number).await, None).answer, again.answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn truncated_replaced_and_deleted_logs() {
    let mut host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let mut revision = 1;

    log.clear();
    log.header("s-1");
    log.add(user("Again."));
    host.pushed(&mut revision, |push| push.restarted).await;
    if host.call("session", json!({"session": session})).await["n_messages"] != 1 {
        host.pushed(&mut revision, |push| push.n_turns == 1 && push.n_episodes == 0).await;
    }
    let graph = host.call("frame", json!({"session": session, "view": {}})).await["graph"].take();
    assert_eq!(graph["human_turns"][0]["text"], "Again.");

    let mut other = host.log("other.tmp");
    story(&mut other);
    std::fs::rename(&other.path, &log.path).unwrap();
    host.pushed(&mut revision, |push| push.n_episodes == 4).await;

    let before = host.call("frame", json!({"session": session, "view": {}})).await["graph"].take();
    std::fs::remove_file(&log.path).unwrap();
    host.pushed(&mut revision, |push| push.gone).await;
    let after = host.call("frame", json!({"session": session, "view": {}})).await["graph"].take();
    assert_eq!(apart(&after), apart(&before), "a log that is gone stays inspectable");
    let rows = host.call("sessions", json!({})).await;
    assert_eq!(rows["rows"][0]["gone"], true);

    let host = host.again().await;
    let reopened = host.open(&log).await;
    assert_eq!((&reopened["gone"], &reopened["n_turns"]), (&json!(true), &json!(8)));
    let after = host.call("frame", json!({"session": session, "view": {}})).await["graph"].take();
    assert_eq!(apart(&after), apart(&before));
}

#[tokio::test(flavor = "multi_thread")]
async fn reopening_goes_on_where_it_stopped() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let args = json!({"session": session, "view": view("300"), "cut": {}, "list": {"type": "context", "ghosts": true}, "offset": 0, "limit": 500});
    let before = (host.call("trace", args.clone()).await, host.call("page", args.clone()).await);
    let host = host.again().await;
    // Commands open a session themselves, as after a link.
    let after = (host.call("trace", args.clone()).await, host.call("page", args.clone()).await);
    assert_eq!(apart(&after.0), apart(&before.0));
    assert_eq!(apart(&after.1), apart(&before.1));

    // Bytes written after the log was closed in the middle of a line are read at the next opening.
    let host = {
        let line = reply("Written while nobody looked.", &[]).at(&mut log);
        let (first, second) = line.split_at(line.len() / 2);
        log.add_raw(first);
        let host = host.again().await;
        assert_eq!(host.open(&log).await["n_turns"], 8, "half a line is no turn");
        let host = host.again().await;
        log.add_raw(second);
        log.add_raw("\n");
        host
    };
    assert_eq!(host.open(&log).await["n_turns"], 9);
    let fresh = cwl_host::load_file(
        &cwl_host::LogInput::File(log.path.clone()),
        None,
        &cwl_host::Tools::builtin_tables(),
    )
    .unwrap();
    let request = serde_json::from_value(args.clone()).unwrap();
    let whole = serde_json::to_value(cwl_host::trace(&fresh, &request).unwrap()).unwrap();
    assert_eq!(host.call("trace", args).await, whole, "the store and the file say the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn version_1_logs_are_read_again_from_their_start() {
    let host = Host::start().await;
    let mut log = host.log("v1.jsonl");
    log.add_raw("{\"type\":\"session\",\"id\":\"old\"}\n");
    log.add_raw("{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"One\"}}\n");
    assert_eq!(host.open(&log).await["n_messages"], 1);
    let host = host.again().await;
    log.add_raw("{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"Two\"}}\n");
    assert_eq!(host.open(&log).await["n_messages"], 2, "nothing is doubled");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_share_a_store() {
    let mut one = Host::start().await;
    let mut log = one.log("a.jsonl");
    story(&mut log);
    let session = one.open(&log).await["session"].clone();
    let config = InspectorConfig {
        data_dir: one.dir.path().join("data"),
        defaults: DefaultsAnswer::default(),
        folders: Some(Vec::new()),
        corpora: None,
    };
    let two = Inspector::start(config).await.unwrap();
    two.open_target(log.path.display().to_string(), None).await.unwrap();
    let mut pushes = two.subscribe();
    let mut revision = 1;
    for number in 0..20 {
        log.add(reply(&format!("Reply {number}"), &[]));
    }
    one.pushed(&mut revision, |push| push.n_turns == 28).await;
    loop {
        let push = timeout(DEADLINE, pushes.recv()).await.expect("a push in time").unwrap();
        if matches!(push, Push::Session { n_turns: 28, .. }) {
            break;
        }
    }
    let graph = one.call("session", json!({"session": session})).await;
    assert_eq!(graph["n_messages"], 34, "nothing is lost or doubled");
    drop(two);
    assert_eq!(cwl_host::check_store(&one.dir.path().join("data")).unwrap(), Vec::<String>::new());
}
