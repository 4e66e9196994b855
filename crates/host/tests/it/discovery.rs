//! Discovery: the list of sessions is quick and correct, and reads only the log folders.
//!
//! Several cases come from issues of other viewers.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cwl_host::api::Push;

use crate::common::{DEADLINE, Host, Log, reply, story, user};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

/// Asks for the list at every change until it is as wanted.
async fn listed(host: &mut Host, why: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let list = host.call("sessions", json!({})).await;
        let rows = list["rows"].as_array().unwrap();
        if list["n_pending"] == 0 && wanted(rows) {
            return rows.clone();
        }
        loop {
            match timeout_at(deadline, host.pushes.recv()).await {
                Ok(Ok(Push::Sessions)) => break,
                Ok(Ok(_)) => {}
                Ok(Err(error)) => panic!("{why}: {error}"),
                Err(_) => panic!("in vain: {why}; so far {rows:#?}"),
            }
        }
    }
}

async fn all(host: &Host) -> Vec<Value> {
    let list = serde_json::to_value(host.inspector.all_sessions().await.unwrap()).unwrap();
    assert_eq!(list["n_pending"], 0);
    list["rows"].as_array().unwrap().clone()
}

fn texts<'a>(rows: &'a [Value], field: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row[field].as_str().unwrap()).collect()
}

fn short(host: &Host, name: &str, prompt: &str) -> Log {
    let mut log = host.log(name);
    log.header(name);
    log.add(user(prompt));
    log
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

fn copy(from: &str, to: &Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::copy(samples().join(from), to).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn new_files_and_folders_come_by_push() {
    let mut host = Host::start().await;
    assert_eq!(all(&host).await, Vec::<Value>::new(), "the folder itself is not there yet");
    let mut first = short(&host, "--a--/one.jsonl", "One");
    listed(&mut host, "a root that appears later", |rows| texts(rows, "title") == ["One"]).await;
    short(&host, "--b--/deep/two.jsonl", "Two");
    listed(&mut host, "a folder made with a log in it", |rows| rows.len() == 2).await;
    first.add(user("More"));
    let size = std::fs::metadata(&first.path).unwrap().len();
    let grown = |rows: &[Value]| rows.iter().any(|row| row["title"] == "One" && row["size"] == size);
    listed(&mut host, "a log that nobody opened grows", grown).await;
    std::fs::remove_dir_all(host.dir.path().join("logs/--b--")).unwrap();
    listed(&mut host, "a folder that goes", |rows| texts(rows, "title") == ["One"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_list_comes_whatever_its_size() {
    let mut host = Host::start().await;
    for n in 0..300 {
        short(&host, &format!("--{}--/{n}.jsonl", n % 20), &format!("Task {n}"));
    }
    assert_eq!(all(&host).await.len(), 300);
    let rows = listed(&mut host, "all of them", |rows| rows.len() == 300).await;
    let changed: Vec<i64> = rows.iter().map(|row| row["changed_at_ms"].as_i64().unwrap()).collect();
    assert!(changed.is_sorted_by(|a, b| a >= b), "the newest first");
    // The window of another process that has read nothing yet.
    let mut again = host.again().await;
    let first = again.call("sessions", json!({})).await;
    let n_first = first["rows"].as_array().unwrap().len() as u64;
    assert_eq!(n_first + first["n_pending"].as_u64().unwrap(), 300, "what is not told is said to be to come");
    assert!(n_first > 0, "there are rows at once");
    listed(&mut again, "the rest is worked out behind the answer", |rows| rows.len() == 300).await;
}

/// claude-code-history-viewer 548: the folder's name loses spaces, dots and other scripts.
#[tokio::test(flavor = "multi_thread")]
async fn the_folder_that_an_agent_worked_in_is_read_not_decoded() {
    let host = Host::start().await;
    let folders = [
        "/home/dev/my project",
        "/home/dev/my.project",
        "/home/dev/my-project",
        "/home/dev/我的项目",
        "C:\\src\\x",
    ];
    for (n, cwd) in folders.iter().enumerate() {
        let mut log = host.log(&format!("-home-dev-my-project/{n}.jsonl"));
        log.add_raw(&format!(
            "{}\n",
            json!({"type": "session", "version": 3, "id": n.to_string(), "cwd": cwd})
        ));
        log.add(user(&n.to_string()));
    }
    let mut rows = all(&host).await;
    rows.sort_by_key(|row| row["title"].as_str().unwrap().to_owned());
    assert_eq!(texts(&rows, "cwd"), folders);
}

/// akm 829, daintree 11949: subagents' transcripts are missing, or count as 796 sessions.
#[tokio::test(flavor = "multi_thread")]
async fn subagents_are_under_their_caller_and_no_sessions_of_their_own() {
    let host = Host::start().await;
    let project = host.dir.path().join("logs/-home-dev-tidewater");
    let session = "0a789f64-8ecc-4a6f-a5c7-821d6c5fe4e0";
    copy("claude-code/subagents/input.jsonl", &project.join(format!("{session}.jsonl")));
    let beneath = project.join(session).join("subagents");
    for agent in ["agent-a7c41d09e2b35f681", "agent-a90be2245d7c1f3aa"] {
        let sample = format!("claude-code/subagents/input/subagents/{agent}");
        copy(&format!("{sample}.jsonl"), &beneath.join(format!("{agent}.jsonl")));
        copy(&format!("{sample}.meta.json"), &beneath.join(format!("{agent}.meta.json")));
    }
    let sample = beneath.join("agent-a90be2245d7c1f3aa.jsonl");
    for n in 2..796 {
        std::fs::copy(&sample, beneath.join(format!("agent-{n:016x}.jsonl"))).unwrap();
    }
    // The older layout: beside the session.
    let older = "aa32e886-d62d-4efd-a31b-afc3e5086411";
    copy("claude-code/subagent-beside/input.jsonl", &project.join(format!("{older}.jsonl")));
    copy("claude-code/subagent-beside/agent-1f3a9c2.jsonl", &project.join("agent-1f3a9c2.jsonl"));
    let rows = all(&host).await;
    assert_eq!(rows.len(), 2, "{:?}", texts(&rows, "path"));
    let of = |id: &str| rows.iter().find(|row| row["path"].as_str().unwrap().contains(id)).unwrap();
    let children = of(session)["children"].as_array().unwrap();
    assert_eq!(children.len(), 796);
    assert!(
        children.iter().all(|child| child["parent"] == of(session)["path"] && child["children"] == json!([]))
    );
    assert!(children.iter().all(|child| child["subagent"].is_string()));
    let title_of = |row: &Value| row["title"].as_str().unwrap().to_owned();
    let told: Vec<String> =
        children.iter().filter(|child| child["subagent"] == "Explore").map(title_of).collect();
    assert_eq!(told.len(), 2, "by what their calls say: {told:?}");
    assert!(told.iter().all(|told| told.as_str() == "Compare"), "{told:?}");
    let others = children.iter().filter(|child| child["subagent"] != "Explore");
    assert!(
        others.map(title_of).all(|title| title.starts_with("Compare the settings in")),
        "by their prompts"
    );
    let children = of(older)["children"].as_array().unwrap();
    assert_eq!((children.len(), &children[0]["parent"]), (1, &of(older)["path"]));
    // The shared id names the session itself.
    let opened = host.call("open", json!({"target": session})).await;
    assert_eq!((&opened["path"], &opened["parent"]), (&of(session)["path"], &Value::Null));
    let child = host.call("open", json!({"target": sample})).await;
    assert_eq!((&child["parent"], &child["continues"]), (&opened["path"], &Value::Null));
    let rows = all(&host).await;
    assert_eq!(rows.len(), 2, "an opened subagent stays where it is");
    let row = rows.iter().find(|row| row["path"] == opened["path"]).unwrap();
    let again = row["children"].as_array().unwrap().iter().find(|row| row["path"] == child["path"]).unwrap();
    assert_eq!(
        (&again["title"], &child["title"]),
        (&json!("Compare"), &json!("Compare")),
        "and keeps its title"
    );
    let host = host.again().await;
    let rows = all(&host).await;
    let row = rows.iter().find(|row| row["path"] == opened["path"]).unwrap();
    let later = row["children"].as_array().unwrap().iter().find(|row| row["path"] == child["path"]).unwrap();
    assert_eq!(
        (&later["title"], &later["subagent"]),
        (&json!("Compare"), &json!("Explore")),
        "also when it is stored"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn subagents_of_other_harnesses_are_under_their_callers() {
    let host = Host::start().await;
    let logs = host.dir.path().join("logs");
    // pi: by place. A fork is no subagent.
    short(&host, "--x--/2026_a.jsonl", "Main");
    short(&host, "--x--/2026_a/ab12/run-0/session.jsonl", "Sub");
    let mut fork = host.log("--x--/2026_b.jsonl");
    fork.add_raw("{\"type\":\"session\",\"version\":3,\"id\":\"b\",\"parentSession\":\"/s/2026_a.jsonl\"}\n");
    fork.add(user("Fork"));
    // Codex: by the content of the log; the calling thread has no log here.
    copy("codex/subagent/input.jsonl", &logs.join("2026/03/09/rollout-2026-03-09T08-12-40-x.jsonl"));
    // Gemini CLI: by the id in the folder's name.
    let chats = logs.join("ab/chats");
    copy("gemini-cli/quickstart/input.jsonl", &chats.join("session-2026-05-12T14-20-aabbccdd.jsonl"));
    copy("gemini-cli/subagent/input.jsonl", &chats.join("aabbccdd-0001/x.jsonl"));
    let rows = all(&host).await;
    let mut shape: Vec<String> = rows
        .iter()
        .map(|row| {
            let name = |row: &Value| Path::new(row["path"].as_str().unwrap()).file_stem().unwrap().to_owned();
            let children: Vec<_> = row["children"].as_array().unwrap().iter().map(name).collect();
            format!("{:?} gone {} {children:?} {}", name(row), row["gone"], row["continues"])
        })
        .collect();
    shape.sort();
    insta::assert_snapshot!(shape.join("\n"), @r#"
    "019cab88-64f2-790a-a4c4-88378b69817e" gone true ["rollout-2026-03-09T08-12-40-x"] null
    "2026_a" gone false ["session"] null
    "2026_b" gone false [] "/s/2026_a.jsonl"
    "session-2026-05-12T14-20-aabbccdd" gone false ["x"] null
    "#);
}

/// claude-code 86730: logs are deleted after thirty days, and a viewer lost them too.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_outlives_its_log() {
    let mut host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    std::fs::remove_file(&log.path).unwrap();
    listed(&mut host, "it is said to be gone", |rows| rows.len() == 1 && rows[0]["gone"] == true).await;
    let host = host.again().await;
    let rows = all(&host).await;
    assert_eq!((rows.len(), &rows[0]["gone"], &rows[0]["session"]), (1, &json!(true), &session));
    let opened = host.call("open", json!({"target": session.to_string()})).await;
    assert_eq!((&opened["gone"], &opened["n_turns"]), (&json!(true), &json!(8)));
}

/// OpenClaw deletes a session by renaming its log.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_is_renamed_is_followed_to_its_new_name() {
    let mut host = Host::start().await;
    let mut log = host.log("main/sessions/0.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let mut revision = 1;
    let deleted = log.path.with_file_name("0.jsonl.deleted.2026-01-02T03-04-05.000Z");
    std::fs::rename(&log.path, &deleted).unwrap();
    host.pushed(&mut revision, |push| push.gone).await;
    let told = |rows: &[Value]| {
        let [row] = rows else { return false };
        row["path"] == deleted.display().to_string() && row["gone"] == true && row["archived"] == true
    };
    let rows = listed(&mut host, "one row, under the new name", told).await;
    assert_eq!(rows[0]["session"], session, "it is the same session");
    // The list may learn the new name before the follower does.
    let now = async || host.call("session", json!({"session": session})).await;
    let deadline = Instant::now() + DEADLINE;
    while now().await["path"] != json!(deleted) {
        assert!(Instant::now() < deadline, "in vain: the session has its new name");
        tokio::task::yield_now().await;
    }
    assert_eq!(now().await["n_turns"], 8, "all of it is there");
    // Writes to the renamed log are still read.
    log.path.clone_from(&deleted);
    log.add(reply("A last word.", &[]));
    host.pushed(&mut revision, |push| push.n_turns == 9).await;

    // Renamed while no host runs, to a name without meaning.
    let log_path = log.path.clone();
    let mut host = host.again().await;
    let other = log_path.with_file_name("kept.jsonl");
    std::fs::rename(&log_path, &other).unwrap();
    let rows = listed(&mut host, "the same file", |rows| rows.len() == 1 && rows[0]["gone"] == false).await;
    assert_eq!((&rows[0]["path"], &rows[0]["session"]), (&json!(other), &session));
    log.path = other.clone();
    log.add(reply("The very last word.", &[]));
    for target in [session.to_string(), other.display().to_string()] {
        let opened = host.call("open", json!({"target": target})).await;
        let known = (&opened["session"], &opened["n_turns"], &opened["path"]);
        assert_eq!(known, (&session, &json!(10), &json!(other)), "what came meanwhile is read: {target}");
    }
    // The old name may return with another session.
    let mut new = host.log("main/sessions/0.jsonl");
    new.header("s-2");
    new.add(user("Something else."));
    let opened = host.open(&new).await;
    assert_eq!((&opened["n_messages"], &opened["id"]), (&json!(1), &json!("s-2")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_is_rotated_goes_on_under_its_name() {
    let mut host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let mut revision = 1;
    let aside = log.path.with_file_name("a.jsonl.1");
    let mut next = host.log("next.tmp");
    next.header("s-2");
    next.add(user("After the rotation."));
    std::fs::rename(&log.path, &aside).unwrap();
    std::fs::rename(&next.path, &log.path).unwrap();
    host.pushed(&mut revision, |push| push.n_turns == 1 && !push.gone).await;
    let now = host.call("session", json!({"session": session})).await;
    assert_eq!((&now["id"], &now["n_messages"]), (&json!("s-2"), &json!(1)));
    let rows = listed(&mut host, "one session", |rows| rows.len() == 1 && rows[0]["gone"] == false).await;
    assert_eq!(rows[0]["path"], log.path.display().to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_goes_back_changes_the_order_and_nothing_else() {
    let mut host = Host::start().await;
    let (a, b) = (short(&host, "a.jsonl", "A"), short(&host, "b.jsonl", "B"));
    let hours = |n: u64| Duration::from_secs(n * 3600);
    let set = |log: &Log, at: SystemTime| {
        std::fs::File::options().append(true).open(&log.path).unwrap().set_modified(at).unwrap();
    };
    let now = SystemTime::now();
    set(&a, now - hours(1));
    set(&b, now - hours(2));
    listed(&mut host, "in order of time", |rows| texts(rows, "title") == ["A", "B"]).await;
    set(&a, now - hours(3));
    listed(&mut host, "in order of the new time", |rows| texts(rows, "title") == ["B", "A"]).await;
    set(&a, SystemTime::UNIX_EPOCH - hours(1));
    let rows = listed(&mut host, "before 1970", |rows| rows[1]["changed_at_ms"] == -3_600_000).await;
    assert_eq!(texts(&rows, "title"), ["B", "A"]);
    host.open(&a).await;
    set(&a, now + hours(48));
    let ahead = |rows: &[Value]| rows[0]["changed_at_ms"].as_i64() > rows[1]["changed_at_ms"].as_i64();
    let rows = listed(&mut host, "in the future", ahead).await;
    assert_eq!((&rows[0]["title"], &rows[0]["live"]), (&json!("A"), &json!(false)), "and not live for ever");
}

/// agentsview 0.41 asked for access to folders that the user had never opened.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn recorded_working_directories_are_never_touched() {
    use notify::event::{AccessKind, AccessMode};
    use notify::{EventKind, RecursiveMode, Watcher};
    const CLOSED: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));
    let worked_in = tempfile::tempdir().unwrap();
    std::fs::create_dir(worked_in.path().join(".git")).unwrap();
    std::fs::write(worked_in.path().join(".git/config"), "[core]\n").unwrap();
    let (sender, events) = std::sync::mpsc::channel();
    let mut watcher = notify::recommended_watcher(sender).unwrap();
    watcher.watch(worked_in.path(), RecursiveMode::Recursive).unwrap();
    // The watcher itself looks into the folders; later it does not.
    std::fs::write(worked_in.path().join("marker"), "").unwrap();
    while events.recv_timeout(DEADLINE).unwrap().unwrap().kind != CLOSED {}

    let mut host = Host::start().await;
    let mut log = host.log("a.jsonl");
    log.add_raw(&format!(
        "{}\n",
        json!({"type": "session", "version": 3, "id": "s", "cwd": worked_in.path()})
    ));
    log.add(user("Look at it."));
    let rows = listed(&mut host, "it is listed", |rows| rows.len() == 1).await;
    assert_eq!(rows[0]["cwd"], worked_in.path().display().to_string());
    let opened = host.open(&log).await;
    assert_eq!(opened["cwd"], rows[0]["cwd"]);
    let mut revision = 1;
    log.add(reply("Done.", &[]));
    host.pushed(&mut revision, |push| push.n_turns == 2).await;
    all(&host).await;
    // The watcher would have noticed: it notices this.
    drop(std::fs::read_dir(worked_in.path()).unwrap());
    let first = events.recv_timeout(DEADLINE).unwrap().unwrap();
    assert!(first.kind.is_access() && first.paths == [worked_in.path()], "{first:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn compressed_logs_beside_plain_ones_are_no_sessions() {
    let host = Host::start().await;
    short(&host, "rollout-1.jsonl", "Plain");
    std::fs::write(host.dir.path().join("logs/rollout-1.jsonl.zst"), b"\x28\xb5\x2f\xfd").unwrap();
    std::fs::write(host.dir.path().join("logs/history.jsonl"), "{\"display\":\"typed\"}\n").unwrap();
    std::fs::write(host.dir.path().join("logs/empty.jsonl"), "").unwrap();
    std::fs::write(host.dir.path().join("logs/binary.jsonl"), [0, 159, 146, 150]).unwrap();
    let rows = all(&host).await;
    assert_eq!(texts(&rows, "title"), ["Plain"]);
}

/// A database with two sessions, the second a subagent's.
fn database_in(folder: &Path, name: &str) -> rusqlite::Connection {
    std::fs::create_dir_all(folder).unwrap();
    let db = rusqlite::Connection::open(folder.join(name)).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = WAL;
         CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT,
           title TEXT, version TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER);
         CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
         CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
           time_updated INTEGER, data TEXT);
         INSERT INTO session VALUES ('ses_1', 'p', NULL, 'quiet-pine', '/home/dev', 'Back off', '1.2.20', NULL, 1, 20);
         INSERT INTO session VALUES ('ses_2', 'p', 'ses_1', 'loud-oak', '/home/dev', 'Look', '1.2.20', NULL, 2, 30);",
    )
    .unwrap();
    db
}

/// Adds the human's message number `n` to the first session.
fn say_in(db: &rusqlite::Connection, n: i64, text: &str) {
    let info = json!({"role": "user", "time": {"created": n}, "agent": "build",
        "model": {"providerID": "p", "modelID": "m"}});
    let part = json!({"type": "text", "text": text});
    db.execute("INSERT INTO message VALUES ('msg_' || ?1, 'ses_1', ?1, ?1, ?2)", (n, info.to_string()))
        .unwrap();
    let values = (n, part.to_string());
    db.execute("INSERT INTO part VALUES ('prt_' || ?1, 'msg_' || ?1, 'ses_1', ?1, ?1, ?2)", values).unwrap();
    db.execute("UPDATE session SET time_updated = 100 + ?1 WHERE id = 'ses_1'", (n,)).unwrap();
}

/// The host follows a database outside the harnesses' folders while its session is open, and lists nothing of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_in_a_database_elsewhere_is_followed() {
    let mut host = Host::start().await;
    let folder = host.dir.path().join("elsewhere");
    let db = database_in(&folder, "mine.db");
    say_in(&db, 1, "The retries have to back off.");
    let target = format!("{}#ses_1", folder.join("mine.db").display());
    let opened = host.call("open", json!({"target": target})).await;
    assert_eq!((&opened["id"], &opened["n_messages"]), (&json!("ses_1"), &json!(1)));
    let mut revision = 1;
    for n in 2..5 {
        say_in(&db, n, "And say so.");
        let deadline = Instant::now() + DEADLINE;
        while host.call("session", json!({"session": opened["session"]})).await["n_messages"] != n {
            host.pushed(&mut revision, |_| true).await;
            assert!(Instant::now() < deadline, "message {n} is read");
        }
    }
    let rows = all(&host).await;
    assert_eq!(rows.len(), 1, "only the opened session: {rows:#?}");
}

/// OpenCode keeps sessions as rows, which are listed, opened and followed like logs.
#[tokio::test(flavor = "multi_thread")]
async fn sessions_in_a_database_are_sessions() {
    let mut host = Host::start().await;
    let logs = host.dir.path().join("logs");
    let db = database_in(&logs, "opencode.db");
    let say = |n, text| say_in(&db, n, text);
    say(1, "The retries have to back off.");
    let two = |rows: &[Value]| rows.len() == 1 && rows[0]["children"].as_array().unwrap().len() == 1;
    let rows = listed(&mut host, "a session and its subagent's", two).await;
    assert_eq!((&rows[0]["title"], &rows[0]["harness"]), (&json!("Back off"), &json!("opencode")));
    let opened = host.call("open", json!({"target": rows[0]["path"]})).await;
    assert_eq!((&opened["id"], &opened["n_messages"]), (&json!("ses_1"), &json!(1)));
    let mut revision = 1;
    say(2, "And say so.");
    host.pushed(&mut revision, |_| true).await;
    let deadline = Instant::now() + DEADLINE;
    while host.call("session", json!({"session": opened["session"]})).await["n_messages"] != 2 {
        assert!(Instant::now() < deadline, "what the database gets is read");
        tokio::task::yield_now().await;
    }
    let rows = all(&host).await;
    assert_eq!((rows.len(), &rows[0]["session"], &rows[0]["gone"]), (1, &opened["session"], &json!(false)));
    assert_eq!(rows[0]["children"][0]["title"], "Look");
    let mut names: Vec<_> =
        std::fs::read_dir(&logs).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["opencode.db", "opencode.db-shm", "opencode.db-wal"], "nothing is made beside it");
}

/// OpenCode up to 1.1 kept a file per message and part; the database replaced them.
#[tokio::test(flavor = "multi_thread")]
async fn sessions_in_many_files_are_sessions_until_a_database_has_them() {
    let mut host = Host::start().await;
    let storage = host.dir.path().join("logs/opencode/storage");
    let write = |name: &str, value: &Value| {
        let path = storage.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value.to_string()).unwrap();
    };
    let session = |id: &str, parent: Option<&str>, title: &str, updated: i64| {
        let mut session = json!({"id": id, "version": "1.0.7", "projectID": "p", "directory": "/never/touched",
            "title": title, "time": {"created": 1, "updated": updated}});
        if let Some(parent) = parent {
            session["parentID"] = json!(parent);
        }
        write(&format!("session/p/{id}.json"), &session);
    };
    let say = |n: i64, role: &str, text: &str| {
        let info = json!({"id": format!("msg_{n}"), "sessionID": "ses_1", "role": role, "time": {"created": n, "completed": n},
            "agent": "build", "model": {"providerID": "p", "modelID": "m"}, "providerID": "p", "modelID": "m"});
        let part = json!({"id": format!("prt_{n}"), "messageID": format!("msg_{n}"), "sessionID": "ses_1",
            "type": "text", "text": text});
        write(&format!("part/msg_{n}/prt_{n}.json"), &part);
        write(&format!("message/ses_1/msg_{n}.json"), &info);
    };
    session("ses_1", None, "Back off", 20);
    session("ses_2", Some("ses_1"), "Look", 30);
    say(1, "user", "The retries have to back off.");
    std::fs::write(storage.join("session/p/ses_3.json"), "{\"half\":").unwrap();
    let two = |rows: &[Value]| rows.len() == 1 && rows[0]["children"].as_array().unwrap().len() == 1;
    let rows = listed(&mut host, "a session and its subagent's", two).await;
    assert_eq!((&rows[0]["title"], &rows[0]["harness"]), (&json!("Back off"), &json!("opencode")));
    assert_eq!(
        (&rows[0]["cwd"], &rows[0]["children"][0]["title"]),
        (&json!("/never/touched"), &json!("Look"))
    );
    let notices =
        serde_json::to_value(host.inspector.all_sessions().await.unwrap()).unwrap()["notices"].clone();
    assert_eq!(notices.as_array().unwrap().len(), 1, "{notices}");
    assert!(
        notices[0]["path"].as_str().unwrap().ends_with("ses_3.json"),
        "what is broken is said: {notices}"
    );

    let opened = host.call("open", json!({"target": rows[0]["path"]})).await;
    assert_eq!((&opened["id"], &opened["format"]), (&json!("ses_1"), &json!("opencode")));
    assert_eq!((&opened["n_messages"], &opened["problems"]), (&json!(1), &json!([])));
    say(2, "assistant", "They do now.");
    let deadline = Instant::now() + DEADLINE;
    while host.call("session", json!({"session": opened["session"]})).await["n_messages"] != 2 {
        assert!(Instant::now() < deadline, "what is written anew is read");
        tokio::task::yield_now().await;
    }
    let rows = all(&host).await;
    assert_eq!((rows.len(), &rows[0]["session"], &rows[0]["gone"]), (1, &opened["session"], &json!(false)));

    // Beside any database, the files count as migrated.
    std::fs::write(storage.with_file_name("opencode.db"), "no database").unwrap();
    let host = host.again().await;
    let list = serde_json::to_value(host.inspector.all_sessions().await.unwrap()).unwrap();
    let rows = list["rows"].as_array().unwrap();
    assert_eq!(texts(rows, "title"), ["Back off"], "what was opened stays");
    assert_eq!(rows[0]["children"], json!([]));
    let notices = list["notices"].as_array().unwrap();
    assert!(notices[0]["path"].as_str().unwrap().ends_with("opencode.db"), "{notices:?}");
    assert!(
        notices.len() == 1 && notices[0]["hint"].as_str().unwrap().contains("opencode export"),
        "{notices:?}"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn logs_that_are_listed_are_left_as_they_are() {
    use std::os::unix::fs::MetadataExt;
    let host = Host::start().await;
    let log = short(&host, "a.jsonl", "Task");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let times = std::fs::FileTimes::new().set_accessed(long_ago).set_modified(long_ago);
    std::fs::File::options().append(true).open(&log.path).unwrap().set_times(times).unwrap();
    let pipe = log.path.with_file_name("pipe.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let before = std::fs::metadata(&log.path).unwrap();
    assert_eq!(texts(&all(&host).await, "title"), ["Task"], "a pipe is not waited for");
    let after = std::fs::metadata(&log.path).unwrap();
    let of = |it: &std::fs::Metadata| (it.atime(), it.mtime(), it.ctime_nsec(), it.len(), it.mode());
    assert_eq!(of(&after), of(&before));
}
