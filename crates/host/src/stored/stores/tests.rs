//! A window without a store, or with a failing one: logs open anyway, and the trouble is shown until it ends.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cwl_store::WriteRefusal;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;

use crate::api::{DefaultsAnswer, Push, StoreTroubleKind, StoreTroubleReport};
use crate::{CommandAnswer, ErrorCode, Inspector, InspectorConfig};

const DEADLINE: Duration = Duration::from_secs(120);

const LOG: &str = concat!(
    r#"{"type":"session","version":3,"id":"s-1","cwd":"/x"}"#,
    "\n",
    r#"{"type":"message","id":"00000001","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":[{"type":"text","text":"Hello."}]}}"#,
    "\n",
);
const MORE: &str = concat!(
    r#"{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Hi."}],"stopReason":"stop","provider":"p","model":"m"}}"#,
    "\n",
);

struct Window {
    dir: tempfile::TempDir,
    host: Arc<Inspector>,
    pushes: Receiver<Push>,
}

fn config(dir: &Path) -> InspectorConfig {
    InspectorConfig {
        data_dir: dir.join("data"),
        defaults: DefaultsAnswer::default(),
        folders: Some(vec![dir.join("logs")]),
        corpora: None,
    }
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("logs")).unwrap();
    std::fs::write(dir.path().join("logs/a.jsonl"), LOG).unwrap();
    std::fs::write(dir.path().join("logs/b.jsonl"), LOG.replace("s-1", "s-2")).unwrap();
    dir
}

fn refuse(host: &Inspector, refusal: Option<WriteRefusal>) {
    let refuse = |store: &mut cwl_store::Store| {
        store.refuse_writes(refusal);
        Ok(())
    };
    host.stores.main().write_behind(refuse).unwrap();
}

impl Window {
    async fn start(dir: tempfile::TempDir) -> Self {
        let host = Inspector::start_anyway(config(dir.path())).await.unwrap();
        let pushes = host.subscribe();
        Self { dir, host, pushes }
    }

    async fn call(&self, name: &str, args: Value) -> Value {
        match self.host.dispatch(name, args).await {
            Ok(CommandAnswer::Json(json)) => serde_json::from_str(&json).unwrap(),
            other => panic!("{name}: {other:?}"),
        }
    }

    async fn open(&self, name: &str) -> Value {
        self.call("open", json!({"target": self.dir.path().join("logs").join(name)})).await
    }

    async fn refused(&self, name: &str, args: Value) -> crate::ApiError {
        self.host.dispatch(name, args).await.unwrap_err()
    }

    /// The store's trouble, optionally after a retry.
    async fn trouble(&self, retry: bool) -> Option<StoreTroubleReport> {
        let answer = self.call("store", json!({"retry": retry})).await;
        serde_json::from_value(answer["trouble"].clone()).unwrap()
    }

    /// Waits for a push about the store.
    async fn told(&mut self) -> Option<StoreTroubleKind> {
        loop {
            match timeout(DEADLINE, self.pushes.recv()).await.expect("a push in time").unwrap() {
                Push::Store { trouble } => return trouble.map(|trouble| trouble.kind),
                Push::Trouble { message } => panic!("told twice: {message}"),
                Push::Session { .. }
                | Push::Sessions
                | Push::Notes { .. }
                | Push::Marks { .. }
                | Push::Reader { .. }
                | Push::Missed
                | Push::Progress { .. } => {}
            }
        }
    }

    async fn until_turns(&self, session: &Value, n: u64) {
        let waits = async {
            while self.call("session", json!({"session": session["session"]})).await["n_turns"] != n {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(DEADLINE, waits).await.expect("new lines in time");
    }

    fn append(&self, name: &str) {
        use std::io::Write;
        let path = self.dir.path().join("logs").join(name);
        std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(MORE.as_bytes()).unwrap();
    }

    fn refuse(&self, refusal: Option<WriteRefusal>) {
        refuse(&self.host, refusal);
    }
}

/// Damages the data folder, starts, and checks the window's abilities; repairs the folder, and checks recovery.
async fn check_start(spoil: impl FnOnce(&Path), mend: impl FnOnce(&Path), kind: StoreTroubleKind) {
    let dir = folder();
    spoil(&dir.path().join("data"));
    let strict = Inspector::start(config(dir.path())).await;
    let error = strict.err().expect("a command line fails instead");
    assert_eq!(error.code, ErrorCode::Store);
    assert!(!error.to_string().contains('\n') && error.hint.is_some(), "{error}");

    let mut window = Window::start(dir).await;
    let trouble = window.trouble(false).await.expect("it is told");
    assert_eq!((trouble.kind, trouble.in_memory), (kind, true));
    for text in [&trouble.what, &trouble.effect, &trouble.hint, &trouble.path] {
        assert!(!text.is_empty() && !text.contains('\n'), "{trouble:?}");
    }
    let session = window.open("a.jsonl").await;
    assert_eq!((&session["n_turns"], &session["kept"]), (&json!(1), &json!(false)));
    window.append("a.jsonl");
    window.until_turns(&session, 2).await;
    let rows = window.call("sessions", json!({})).await["rows"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 2, "{rows}");
    let note = json!({"session": session["session"], "subject": {"on": "session"}, "body": "x"});
    let error = window.refused("save_note", note).await;
    assert_eq!(error.code, ErrorCode::Store);
    assert!(error.to_string().contains(&trouble.what), "the reason is told: {error}");
    assert_eq!(window.trouble(true).await.map(|trouble| trouble.kind), Some(kind), "still there");

    mend(&window.dir.path().join("data"));
    assert_eq!(window.trouble(true).await, None);
    assert_eq!(window.told().await, None, "every window hears of it");
    let still = window.call("session", json!({"session": session["session"]})).await;
    assert_eq!(still["n_turns"], 2, "what is open stays");
    let again = window.open("a.jsonl").await;
    assert_eq!((&again["n_turns"], &again["kept"]), (&json!(2), &json!(true)));
    assert_ne!(again["session"], session["session"], "no number stands for two sessions");
    window
        .call("save_note", json!({"session": again["session"], "subject": {"on": "session"}, "body": "x"}))
        .await;
    let rows = window.call("sessions", json!({})).await["rows"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 2, "none is listed twice: {rows}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_where_the_folder_should_be() {
    let spoil = |data: &Path| std::fs::write(data, "").unwrap();
    let mend = |data: &Path| std::fs::remove_file(data).unwrap();
    check_start(spoil, mend, StoreTroubleKind::Unreachable).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_where_the_file_should_be() {
    let spoil = |data: &Path| std::fs::create_dir_all(data.join("user.sqlite")).unwrap();
    let mend = |data: &Path| std::fs::remove_dir(data.join("user.sqlite")).unwrap();
    check_start(spoil, mend, StoreTroubleKind::Unreachable).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file() {
    let spoil = |data: &Path| {
        std::fs::create_dir_all(data).unwrap();
        std::fs::write(data.join("sessions.sqlite"), "no database at all. ".repeat(1000)).unwrap();
    };
    let mend = |data: &Path| std::fs::remove_file(data.join("sessions.sqlite")).unwrap();
    check_start(spoil, mend, StoreTroubleKind::Damaged).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema() {
    let change = |data: &Path, sql: &str| {
        rusqlite::Connection::open(data.join("user.sqlite")).unwrap().execute_batch(sql).unwrap();
    };
    let spoil = |data: &Path| {
        drop(cwl_store::Store::open(data).unwrap());
        change(data, "INSERT INTO migration VALUES (900, '0900_add_moon.sql', 'x')");
    };
    let mend = |data: &Path| change(data, "DELETE FROM migration WHERE number = 900");
    check_start(spoil, mend, StoreTroubleKind::Newer).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_another_program_keeps_for_itself() {
    let held = std::cell::RefCell::new(None);
    let spoil = |data: &Path| {
        drop(cwl_store::Store::open(data).unwrap());
        let other = rusqlite::Connection::open(data.join("sessions.sqlite")).unwrap();
        other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
        held.replace(Some(other));
    };
    let mend = |_: &Path| drop(held.take());
    check_start(spoil, mend, StoreTroubleKind::Locked).await;
}

/// Lets the store fail while a log is followed.
async fn check_running(refusal: WriteRefusal, kind: StoreTroubleKind) {
    let mut window = Window::start(folder()).await;
    let session = window.open("a.jsonl").await;
    assert_eq!(window.trouble(false).await, None);
    window.refuse(Some(refusal));
    window.append("a.jsonl");
    assert_eq!(window.told().await, Some(kind), "told once, as it happens");
    let number = json!({"session": session["session"]});
    assert_eq!(window.call("session", number.clone()).await["n_turns"], 1, "what was read stays");

    // Another log opens nevertheless, and is followed.
    let other = window.open("b.jsonl").await;
    assert_eq!((&other["n_turns"], &other["kept"]), (&json!(1), &json!(false)));
    window.append("b.jsonl");
    window.until_turns(&other, 2).await;
    let listed = window.call("sessions", json!({})).await["rows"].as_array().unwrap().len();
    assert_eq!(listed, 2);
    let note = json!({"session": session["session"], "subject": {"on": "session"}, "body": "x"});
    assert_eq!(window.refused("save_note", note.clone()).await.code, ErrorCode::Store);
    assert!(window.trouble(true).await.is_some_and(|trouble| trouble.kind == kind && !trouble.in_memory));

    window.refuse(None);
    window.until_turns(&session, 2).await;
    assert_eq!(window.told().await, None, "it is over by itself");
    let kept = window.open("b.jsonl").await;
    assert_eq!((&kept["n_turns"], &kept["kept"]), (&json!(2), &json!(true)));
    window.call("save_note", note).await;
    assert_eq!(window.call("sessions", json!({})).await["rows"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_fills_up() {
    check_running(WriteRefusal::Full, StoreTroubleKind::Full).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_may_only_be_read_from_now_on() {
    check_running(WriteRefusal::ReadOnly, StoreTroubleKind::ReadOnly).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_opens_without_room() {
    let window = Window::start(folder()).await;
    let session = window.open("a.jsonl").await;
    let Window { dir, host, pushes } = window;
    drop((host, pushes));
    let window = Window::start(dir).await;
    window.refuse(Some(WriteRefusal::ReadOnly));
    let again = window.open("a.jsonl").await;
    assert_eq!((&again["session"], &again["kept"]), (&session["session"], &json!(true)));
    let view = json!({"policy": "cwl", "budget": "1k", "tokenizer": "cl100k"});
    window.call("findings", json!({"session": session["session"], "view": view})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_line_stores_or_fails() {
    let dir = folder();
    let host = Inspector::start(config(dir.path())).await.unwrap();
    refuse(&host, Some(WriteRefusal::Full));
    let error = host.import(dir.path().join("logs/a.jsonl").display().to_string(), None).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Store, "{error}");
}
