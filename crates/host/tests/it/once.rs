//! A session opened for one command: any listed name works, and an up-to-date store is used.

use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};

use cwl_host::{ApiError, ErrorCode, OpenOnce, SessionSnapshot, Tools, commands, open_once};
use serde_json::{Value, json};

use crate::common::{Host, Log, reply, user};

fn open_in(dir: &Path, target: &str) -> Result<SessionSnapshot, ApiError> {
    let tools = Tools::builtin_tables();
    let once = OpenOnce {
        format: None,
        tools: &tools,
        data_dir: Some(dir.join("data")),
        folders: Some(vec![dir.join("logs")]),
        progress: &|_, _| {},
    };
    open_once(Path::new(target), &once)
}

/// Returns title, messages, number in the store, and whether the log is gone.
fn told(opened: &SessionSnapshot) -> (String, u32, u32, bool) {
    let session = commands::session(opened).unwrap();
    (session.title, session.n_messages, session.session, session.gone)
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)
}

fn database(path: &Path) {
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch(
        "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT,
           title TEXT, version TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER);
         CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
         CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
           time_updated INTEGER, data TEXT);",
    )
    .unwrap();
    for (id, title) in [("ses_6b1f0c2d9a", "Back off"), ("ses_6b1f0c2e77", "Look")] {
        db.execute(
            "INSERT INTO session VALUES (?1, 'p', NULL, 's', '/never', ?2, '1.2.20', NULL, 1, 20)",
            (id, title),
        )
        .unwrap();
        let info = json!({"role": "user", "time": {"created": 1}, "agent": "build",
            "model": {"providerID": "p", "modelID": "m"}});
        db.execute("INSERT INTO message VALUES ('msg_' || ?1, ?1, 1, 1, ?2)", (id, info.to_string()))
            .unwrap();
        let part = json!({"type": "text", "text": title}).to_string();
        db.execute("INSERT INTO part VALUES ('prt_' || ?1, 'msg_' || ?1, ?1, 1, 1, ?2)", (id, part)).unwrap();
    }
}

/// All rows of a list, including subagents.
fn flat(rows: &Value) -> Vec<Value> {
    let rows = rows.as_array().unwrap().iter();
    rows.flat_map(|row| std::iter::once(row.clone()).chain(flat(&row["children"]))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_the_list_names_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let logs = dir.path().join("logs");
    let put = |from: &str, to: &str| {
        let to = logs.join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(sample(from), &to).unwrap();
        to
    };
    let session = "0a789f64-8ecc-4a6f-a5c7-821d6c5fe4e0";
    put("claude-code/subagents/input.jsonl", &format!("{session}.jsonl"));
    for agent in ["agent-a7c41d09e2b35f681", "agent-a90be2245d7c1f3aa"] {
        let from = format!("claude-code/subagents/input/subagents/{agent}.jsonl");
        put(&from, &format!("{session}/subagents/{agent}.jsonl"));
    }
    // Two copies of one log, and a stored log that is then deleted.
    put("codex/quickstart/input.jsonl", "one.jsonl");
    put("codex/quickstart/input.jsonl", "two.jsonl");
    let gone = put("pi/branches/input.jsonl", "gone.jsonl");
    database(&logs.join("opencode.db"));
    let host = Host::in_folder(dir).await;
    host.call("open", json!({"target": gone})).await;
    std::fs::remove_file(&gone).unwrap();
    let list = serde_json::to_value(host.inspector.all_sessions().await.unwrap()).unwrap();
    let rows = flat(&list["rows"]);
    assert_eq!(rows.len(), 8, "{rows:#?}");
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let mut names: Vec<String> = rows.iter().map(|row| text(row, "name")).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), rows.len(), "each is named otherwise: {names:?}");
    for row in &rows {
        let path = text(row, "path");
        // The id after the name of its database, wherever the database is.
        let short = path.contains('#').then(|| path.rsplit('/').next().unwrap_or_default().to_owned());
        for name in [text(row, "name"), path].into_iter().chain(short) {
            let opened = open_in(host.dir.path(), &name).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(
                (told(&opened).0, told(&opened).3),
                (text(row, "title"), row["gone"] == true),
                "{name}"
            );
        }
    }
    let error = open_in(host.dir.path(), "ses_6b1f").err().unwrap();
    assert_eq!(error.code, ErrorCode::Ambiguous, "{error}");
    // The window opens the sessions by the same names.
    for row in &rows {
        let opened = host.call("open", json!({"target": row["name"]})).await;
        assert_eq!(opened["title"], row["title"], "{row}");
    }
}

/// OpenCode up to 1.1 kept a session in files.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_in_many_files_is_opened_by_its_id() {
    let dir = tempfile::tempdir().unwrap();
    let storage = dir.path().join("logs/opencode/storage");
    let write = |name: &str, value: &Value| {
        let path = storage.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value.to_string()).unwrap();
    };
    write(
        "session/p/ses_4d2a91c07.json",
        &json!({"id": "ses_4d2a91c07", "version": "1.0.7", "projectID": "p", "directory": "/never", "title": "Back off",
            "time": {"created": 1, "updated": 2}}),
    );
    write(
        "message/ses_4d2a91c07/msg_1.json",
        &json!({"id": "msg_1", "sessionID": "ses_4d2a91c07", "role": "user", "time": {"created": 1}}),
    );
    write(
        "part/msg_1/prt_1.json",
        &json!({"id": "prt_1", "messageID": "msg_1", "sessionID": "ses_4d2a91c07", "type": "text", "text": "Go."}),
    );
    let path = storage.join("session/p/ses_4d2a91c07.json").display().to_string();
    for target in ["ses_4d2a91c07", "ses_4d2a", &path] {
        assert_eq!(
            told(&open_in(dir.path(), target).unwrap()),
            ("Back off".to_owned(), 1, 0, false),
            "{target}"
        );
    }
    assert!(!dir.path().join("data").exists(), "nothing is made");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_store_answers_as_long_as_it_has_all_of_the_log() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    log.header("3f2a77c1-0001");
    log.add(user("Do it."));
    log.add(reply("Done.", &[]));
    let path = log.path.display().to_string();
    let open = || open_in(host.dir.path(), &path).unwrap();
    assert_eq!(told(&open()).2, 0, "it is in no store");
    let session = u32::try_from(host.open(&log).await["session"].as_u64().unwrap()).unwrap();
    let host = host.again().await;
    let open = |target: &str| open_in(host.dir.path(), target).unwrap();
    assert_eq!(told(&open(&path)), ("Do it.".to_owned(), 2, session, false));
    assert_eq!(told(&open("3f2a77c1")).2, session, "by its id as well");
    log.add_raw("{\"type\":\"mess");
    assert_eq!(told(&open(&path)).2, 0, "the file goes on: it is read");
    std::fs::remove_file(&log.path).unwrap();
    let gone = ("Do it.".to_owned(), 2, session, true);
    for target in ["3f2a77c1", &path, &session.to_string()] {
        assert_eq!(told(&open(target)), gone, "{target}");
    }
    assert!(open_in(host.dir.path(), "no-such-thing").is_err());
}

/// A reader gets one log whole, never the head of one and the tail of another.
#[test]
fn a_log_that_is_replaced_while_it_is_read_is_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let written = |name: &str, letter: &str, n_messages: usize| {
        let mut log = Log::new(dir.path().join(name));
        log.header("3f2a77c1-0002");
        for _ in 0..n_messages {
            // One-letter words: a word of a million letters is slow to count.
            log.add(user(&format!("{letter} ").repeat(1 << 19)));
        }
        log.path
    };
    // As long as the first, longer, shorter, and shorter than the part read by then.
    for n_messages in [12, 20, 8, 2] {
        let (old, new) = (written("log.jsonl", "a", 12), written("new.jsonl", "b", n_messages));
        let is_replaced = Cell::new(false);
        let replace = |_done, _total| {
            if !is_replaced.replace(true) {
                std::fs::rename(&new, &old).unwrap();
            }
        };
        let tools = Tools::builtin_tables();
        let once =
            OpenOnce { format: None, tools: &tools, data_dir: None, folders: None, progress: &replace };
        let opened = open_once(&old, &once).unwrap();
        assert!(is_replaced.get());
        let (title, n_found, ..) = told(&opened);
        assert!(title.starts_with('b') && n_found as usize == n_messages, "{n_found} of {n_messages}");
    }
}

/// A broken store matters only to a session that may be in it.
#[test]
fn a_broken_store_is_told_to_who_needs_it() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("data")).unwrap();
    std::fs::write(dir.path().join("data/sessions.sqlite"), "no store at all, but something else").unwrap();
    let log = sample("pi/quickstart/input.jsonl").display().to_string();
    assert!(open_in(dir.path(), &log).is_ok());
    assert_eq!(open_in(dir.path(), "3f2a77c1").err().unwrap().code, ErrorCode::Store);
}

#[test]
fn a_packed_log_is_read_and_a_missing_end_is_a_problem() {
    let dir = tempfile::tempdir().unwrap();
    let plain = std::fs::read(sample("pi/quickstart/input.jsonl")).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&plain).unwrap();
    let packed = encoder.finish().unwrap();
    let file = dir.path().join("log.jsonl.gz");
    let problems = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let opened = open_in(dir.path(), &file.display().to_string()).unwrap();
        let session = commands::session(&opened).unwrap();
        (session.n_messages, session.problems.into_iter().map(|problem| problem.code).collect::<Vec<_>>())
    };
    let whole = problems(&packed);
    let log = sample("pi/quickstart/input.jsonl").display().to_string();
    assert_eq!(whole.0, told(&open_in(dir.path(), &log).unwrap()).1);
    let torn = problems(&packed[..packed.len() - 9]);
    assert!(torn.1.len() > whole.1.len(), "{torn:?}");
}
