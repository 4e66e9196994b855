//! Notes, bookmarks and pins: saved, located, visible in every window, and restored after a restart.

use cwl_host::ErrorCode;
use cwl_host::api::Push;

use crate::common::{DEADLINE, Host, reply, story, user};
use serde_json::{Value, json};
use tokio::time::timeout;

async fn opened(host: &Host) -> (crate::common::Log, u64) {
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let number = host.open(&log).await["session"].as_u64().unwrap();
    (log, number)
}

fn session() -> Value {
    json!({"on": "session"})
}

fn episode(name: &str) -> Value {
    json!({"on": "episode", "name": name})
}

fn block(block: &str) -> Value {
    json!({"on": "block", "block": block})
}

async fn save(host: &Host, number: u64, subject: Value, body: &str) -> i64 {
    let saved = host.call("save_note", json!({"session": number, "subject": subject, "body": body})).await;
    saved["id"].as_i64().unwrap()
}

/// Each note in one line: subject, place and text.
async fn told(host: &Host, number: u64) -> Vec<String> {
    let notes = host.call("notes", json!({"session": number})).await;
    let line = |note: &Value| {
        let subject = &note["subject"];
        let on = ["name", "block"].iter().find_map(|key| subject[key].as_str()).unwrap_or("session");
        let place = match &note["place"] {
            Value::Null => "nowhere".to_owned(),
            place => format!("line {} turn {} episode {}", place["line"], place["turn"], place["episode"]),
        };
        format!("{on} · {place} · {}", note["body"].as_str().unwrap())
    };
    notes["notes"].as_array().unwrap().iter().map(line).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_say_where_they_stand() {
    let host = Host::start().await;
    let (mut log, number) = opened(&host).await;
    save(&host, number, block("00000005:0"), "long output").await;
    save(&host, number, episode("fix-retries"), "the act").await;
    save(&host, number, episode("never-was"), "lost").await;
    save(&host, number, session(), "<b>plain</b>\n\u{0}text").await;
    let first = told(&host, number).await;
    assert_eq!(
        first,
        [
            "session · nowhere · <b>plain</b>\n\u{0}text",
            "00000005:0 · line 6 turn 3 episode 0 · long output",
            "fix-retries · line 9 turn 5 episode 2 · the act",
            "never-was · nowhere · lost",
        ]
    );
    log.add(user("More."));
    log.add(reply("Yes.", &[]));
    drop(log);
    let host = host.again().await;
    assert_eq!(told(&host, number).await, first, "another process, and a log that grew: a link opens it");
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_are_written_anew_removed_and_put_back() {
    let host = Host::start().await;
    let (_log, number) = opened(&host).await;
    let id = save(&host, number, session(), "one").await;
    let write = async |id: i64, body: &str, written_ms: Option<i64>| {
        let args = json!({"session": number, "id": id, "subject": session(), "body": body, "written_ms": written_ms});
        host.call("save_note", args).await["id"].as_i64().unwrap()
    };
    assert_eq!(write(id, "two", None).await, id);
    assert_eq!(told(&host, number).await, ["session · nowhere · two"]);
    assert_eq!(host.call("remove_note", json!({"id": id})).await["removed"], true);
    assert_eq!(host.call("remove_note", json!({"id": id})).await["removed"], false);
    let other = save(&host, number, session(), "of somebody else").await;
    assert_eq!(write(id, "two", Some(5)).await, id, "back under its number, over nobody else's");
    assert_ne!(other, id);
    let notes = host.call("notes", json!({"session": number})).await;
    assert_eq!(notes["notes"][0]["written_ms"], 5);
    assert_eq!(notes["notes"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn bookmarks() {
    let host = Host::start().await;
    let (_log, number) = opened(&host).await;
    let save = async |id: Option<i64>, name: &str, query: &str| {
        let args = json!({"session": number, "id": id, "name": name, "query": query});
        host.call("save_view", args).await["id"].as_i64().unwrap()
    };
    let here = save(None, " here ", "turn=3&policy=cwl").await;
    let there = save(None, "there", "turn=4").await;
    assert_eq!(save(Some(here), "here, really", "turn=3").await, here);
    assert_eq!(host.call("remove_view", json!({"id": there})).await["removed"], true);
    let host = host.again().await;
    let views = host.call("saved_views", json!({"session": number})).await["views"].clone();
    let told: Vec<_> = views.as_array().unwrap().iter().map(|view| (&view["name"], &view["query"])).collect();
    assert_eq!(told, [(&json!("here, really"), &json!("turn=3"))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_tells_pins_and_notes() {
    let host = Host::start().await;
    let (log, number) = opened(&host).await;
    let row = async || host.call("sessions", json!({})).await["rows"][0].clone();
    let path = row().await["path"].as_str().unwrap().to_owned();
    assert_eq!((&row().await["pinned"], &row().await["n_notes"]), (&json!(false), &json!(0)));
    assert_eq!(host.call("pin", json!({"path": path, "pinned": true})).await["pinned"], true);
    save(&host, number, session(), "one").await;
    save(&host, number, episode("fix-retries"), "two").await;
    assert_eq!((&row().await["pinned"], &row().await["n_notes"]), (&json!(true), &json!(2)));
    std::fs::remove_file(&log.path).unwrap();
    let host = host.again().await;
    let rows = host.call("sessions", json!({})).await;
    assert_eq!((&rows["rows"][0]["pinned"], &rows["rows"][0]["n_notes"]), (&json!(true), &json!(2)));
    host.call("pin", json!({"path": path, "pinned": false})).await;
    assert_eq!(host.call("sessions", json!({})).await["rows"][0]["pinned"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_window_hears_of_a_change() {
    let mut host = Host::start().await;
    let (_log, number) = opened(&host).await;
    let heard = async |host: &mut Host, act: &str| {
        let wanted = Push::Notes { session: u32::try_from(number).unwrap() };
        while timeout(DEADLINE, host.pushes.recv()).await.expect(act).unwrap() != wanted {}
    };
    let id = save(&host, number, session(), "x").await;
    heard(&mut host, "a note is saved").await;
    host.call("remove_note", json!({"id": id})).await;
    heard(&mut host, "a note is removed").await;
    host.call("save_view", json!({"session": number, "name": "n", "query": ""})).await;
    heard(&mut host, "a bookmark is saved").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals() {
    let host = Host::start().await;
    let (_log, number) = opened(&host).await;
    let note = |subject: Value, body: &str| json!({"session": number, "subject": subject, "body": body});
    let check = async |name: &str, args: Value, code: ErrorCode| {
        let error = host.error(name, args.clone()).await;
        assert_eq!(error.code, code, "{name}: {error}");
        assert!(error.hint.is_some() && !error.to_string().contains('\n'), "{error}");
    };
    check("save_note", note(session(), " \n"), ErrorCode::BadRequest).await;
    check("save_note", note(session(), &"x".repeat(2 << 20)), ErrorCode::BadRequest).await;
    check("save_note", note(block("nowhere:0"), "x"), ErrorCode::UnknownBlock).await;
    check("save_note", note(block("00000005"), "x"), ErrorCode::UnknownBlock).await;
    check("save_view", json!({"session": number, "name": "", "query": ""}), ErrorCode::BadRequest).await;
    check("pin", json!({"path": "", "pinned": true}), ErrorCode::BadRequest).await;
    check("notes", json!({"session": 4711}), ErrorCode::UnknownSession).await;
    assert_eq!(told(&host, number).await, [""; 0]);
}
