//! Reading OpenCode's database while OpenCode writes, afterwards, and after a crash.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use cwl_discover::{DatabaseError, opencode_session, opencode_sessions};
use rusqlite::{Connection, params};

const SCHEMA: &str = "PRAGMA journal_mode = WAL;
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT NOT NULL,
      directory TEXT NOT NULL, title TEXT NOT NULL, version TEXT NOT NULL, revert TEXT, permission TEXT,
      time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER, time_updated INTEGER,
      data TEXT NOT NULL);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
      time_created INTEGER, time_updated INTEGER, data TEXT NOT NULL);";

fn make(path: &Path) -> Connection {
    let db = Connection::open(path).unwrap();
    db.execute_batch(SCHEMA).unwrap();
    db
}

fn add(db: &Connection, id: &str, parent: Option<&str>, updated: i64) {
    db.execute(
        "INSERT INTO session VALUES (?1, 'p', ?2, 'slug', '/home/dev', 'Title ' || ?1, '1.2.20', NULL, NULL, 1, ?3)",
        params![id, parent, updated],
    )
    .unwrap();
    for n in [2, 1] {
        let message = format!("msg_{id}_{n}");
        db.execute(
            "INSERT INTO message VALUES (?1, ?2, ?3, 0, '{\"role\":\"user\"}')",
            params![message, id, n],
        )
        .unwrap();
        db.execute(
            "INSERT INTO part VALUES ('prt_' || ?1, ?1, ?2, 0, 0, '{\"type\":\"text\"}')",
            params![message, id],
        )
        .unwrap();
    }
}

/// Everything in a folder: names, bytes and times.
fn state(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.clone(), (fs::read(&path).unwrap(), path.metadata().unwrap().modified().unwrap())))
        .collect()
}

fn check(path: &Path, expected: &[&str], why: &str) {
    let before = state(path.parent().unwrap());
    let sessions = opencode_sessions(path).unwrap();
    assert_eq!(sessions.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), expected, "{why}");
    for id in expected {
        let rows = opencode_session(path, id).unwrap().unwrap();
        let messages: Vec<&str> = rows.messages.iter().map(|message| message.id.as_str()).collect();
        assert_eq!(messages, [format!("msg_{id}_1"), format!("msg_{id}_2")], "the oldest first");
        assert_eq!(rows.parts.len(), 2);
    }
    let after = state(path.parent().unwrap());
    assert_eq!(
        before.keys().collect::<Vec<_>>(),
        after.keys().collect::<Vec<_>>(),
        "{why}: nothing is made beside it"
    );
    assert!(before == after, "{why}: nothing is written");
}

/// A child process that writes a database, as OpenCode does: within one process, SQLite connections share
/// state.
struct Writer(std::process::Child);

const DATABASE: &str = "CWL_TEST_DATABASE";

impl Writer {
    /// Starts the process and waits until it has written.
    fn start(path: &Path) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "opencode::the_other_process", "--nocapture"])
            .env(DATABASE, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut writer = Self(child);
        writer.await_word();
        writer
    }

    /// Makes it write once more.
    fn go_on(&mut self) {
        self.0.stdin.as_mut().unwrap().write_all(b"more\n").unwrap();
        self.await_word();
    }

    fn await_word(&mut self) {
        let mut word = [0; 1];
        // Skips lines that the test harness prints before.
        while word != *b"!" {
            self.0.stdout.as_mut().unwrap().read_exact(&mut word).unwrap();
        }
    }

    /// Lets it close the database and end.
    fn finish(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().unwrap().success());
    }
}

/// The child process itself; without its environment variable it does nothing.
#[test]
fn the_other_process() {
    let Some(path) = std::env::var_os(DATABASE) else { return };
    let db = make(Path::new(&path));
    add(&db, "ses_a", None, 10);
    add(&db, "ses_b", Some("ses_a"), 20);
    println!("!");
    let mut line = String::new();
    while std::io::stdin().read_line(&mut line).unwrap() > 0 {
        add(&db, "ses_c", None, 30);
        println!("!");
    }
}

#[test]
fn a_database_is_read_and_left_as_it_is() {
    let base = tempfile::tempdir().unwrap();
    let folder = base.path().join("odd %3F?#& name");
    fs::create_dir(&folder).unwrap();
    let path = folder.join("opencode.db");
    let mut writer = Writer::start(&path);
    // The first reader may have to register its position, as OpenCode's readers do.
    assert_eq!(opencode_sessions(&path).unwrap().len(), 2);
    check(&path, &["ses_b", "ses_a"], "while it is written");
    let sessions = opencode_sessions(&path).unwrap();
    assert_eq!((sessions[0].parent.as_deref(), sessions[1].parent.as_deref()), (Some("ses_a"), None));
    writer.go_on();
    check(&path, &["ses_c", "ses_b", "ses_a"], "and goes on being written");
    assert!(opencode_session(&path, "ses_none").unwrap().is_none());

    // A copy as after a crash: its write-ahead log is not yet merged into the database.
    let crashed = base.path().join("crashed");
    fs::create_dir(&crashed).unwrap();
    for name in ["opencode.db", "opencode.db-wal", "opencode.db-shm"] {
        fs::copy(folder.join(name), crashed.join(name)).unwrap();
    }
    check(&crashed.join("opencode.db"), &["ses_c", "ses_b", "ses_a"], "after a crash");

    writer.finish();
    assert!(!folder.join("opencode.db-wal").exists(), "its last writer tidied up");
    check(&path, &["ses_c", "ses_b", "ses_a"], "when nobody writes it");
}

#[test]
fn what_is_no_database_of_opencode_is_an_error() {
    let base = tempfile::tempdir().unwrap();
    let path = base.path().join("opencode.db");
    let refused = |why: &str| match opencode_sessions(&path) {
        Err(DatabaseError::Sqlite { path: named, .. }) => assert_eq!(named, path),
        other => panic!("{why}: {other:?}"),
    };
    refused("it is missing");
    fs::write(&path, "no database, but long enough to be looked at as one".repeat(20)).unwrap();
    refused("it is something else");
    fs::remove_file(&path).unwrap();
    drop(Connection::open(&path).unwrap().execute_batch("CREATE TABLE other (id)"));
    refused("it has other tables");
    assert_eq!(fs::read_dir(base.path()).unwrap().count(), 1, "and nothing was made");
}
