//! OpenCode sessions in an SQLite database.
//!
//! The database belongs to OpenCode: it is opened read-only, and no file is created beside it. SQLite would
//! create the index of the write-ahead log (`-shm`) even for a reader, so the index is used only if it
//! exists. Without a write-ahead log, the file is read as immutable, and checked for changes afterwards.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};

use cwl_formats::{OpencodeMessage, OpencodePart, OpencodeRows, OpencodeSession};
use cwl_tail::FileStamp;

pub(crate) const MOST_SESSIONS: usize = 20_000;
/// Maximum number of bytes read for a session list.
pub(crate) const MOST_LISTED: usize = 32 << 20;
/// Maximum number of characters read per text in a session list. A longer id names no session.
pub(crate) const MOST_OF_TEXT: usize = 4096;
/// Maximum number of bytes read for one session.
pub(crate) const MOST_BYTES: usize = 256 << 20;
pub(crate) const PER_ROW: usize = 128;
pub(crate) const LIST_WAIT: Duration = Duration::from_secs(5);
pub(crate) const SESSION_WAIT: Duration = Duration::from_secs(30);
/// SQLite steps between time checks.
const STEPS_BETWEEN: i32 = 10_000;
const BUSY_WAIT: Duration = Duration::from_secs(1);
const ATTEMPTS: usize = 4;

const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error("cannot read the sessions in {}", path.display())]
    Sqlite { path: PathBuf, source: rusqlite::Error },
    #[error("cannot read {}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("is changed too often to be read: {}", path.display())]
    Unsteady { path: PathBuf },
    /// A view or a virtual table has an expected table's name.
    #[error("`{name}` is no plain table in {}", path.display())]
    NoTable { path: PathBuf, name: &'static str },
    #[error("takes too long to be read: {}", path.display())]
    TooSlow { path: PathBuf },
    #[error("session {session} is larger than {} MiB: {}", MOST_BYTES >> 20, path.display())]
    TooLarge { path: PathBuf, session: String },
}

/// Lists a database's sessions, last changed first.
///
/// Invalid UTF-8 is read with replacement characters, long texts are cut, and rows without an id are left
/// out. A list that exceeds the limits is truncated.
pub fn opencode_sessions(path: &Path) -> Result<Vec<OpencodeSession>, DatabaseError> {
    sessions_within(path, LIST_WAIT)
}

fn sessions_within(path: &Path, wait: Duration) -> Result<Vec<OpencodeSession>, DatabaseError> {
    read_transaction(path, wait, &["session"], |db| {
        let columns = ["id", "project_id", "parent_id", "slug", "directory", "title", "version", "revert"];
        let cut = columns.map(|column| format!("substr(s.{column}, 1, {MOST_OF_TEXT})"));
        let query = format!(
            "SELECT {}, s.time_created, s.time_updated FROM session AS s \
             WHERE length(s.id) BETWEEN 1 AND {MOST_OF_TEXT} \
             ORDER BY s.time_updated DESC, s.id LIMIT {MOST_SESSIONS}",
            cut.join(", ")
        );
        let mut statement = db.prepare(&query)?;
        let mut rows = statement.query([])?;
        let (mut sessions, mut left) = (Vec::new(), MOST_LISTED);
        while let Some(found) = rows.next()? {
            let session = read_row(found)?;
            let Some(rest) = left.checked_sub(size_of(&session)) else { break };
            left = rest;
            sessions.push(session);
        }
        Ok(Some(sessions))
    })
    .map(Option::unwrap_or_default)
}

/// Reads one session whole. `Ok(None)` if no session has that id.
pub fn opencode_session(path: &Path, id: &str) -> Result<Option<OpencodeRows>, DatabaseError> {
    session_within(path, id, SESSION_WAIT, MOST_BYTES)
}

fn session_within(
    path: &Path,
    id: &str,
    wait: Duration,
    most_bytes: usize,
) -> Result<Option<OpencodeRows>, DatabaseError> {
    let read = read_transaction(path, wait, &["session", "message", "part"], |db| {
        let session = db.query_row(SESSION, [id], read_row).optional()?.filter(|session| session.id == id);
        let Some(session) = session else { return Ok(None) };
        let mut left = most_bytes.checked_sub(size_of(&session));
        let mut take = |texts: &[&String]| {
            let size = texts.iter().map(|text| text.len()).sum::<usize>() + PER_ROW;
            left = left.and_then(|left| left.checked_sub(size));
            left.is_some()
        };
        let text = |row: &Row<'_>, at: usize| row.get_ref(at).map(text_of);
        let (mut messages, mut parts) = (Vec::new(), Vec::new());
        let mut statement = db.prepare(MESSAGES)?;
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            let message = OpencodeMessage { id: text(row, 0)?, data: text(row, 1)? };
            if !take(&[&message.id, &message.data]) {
                return Ok(Some(None));
            }
            messages.push(message);
        }
        let mut statement = db.prepare(PARTS)?;
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            let part = OpencodePart { id: text(row, 0)?, message: text(row, 1)?, data: text(row, 2)? };
            if !take(&[&part.id, &part.message, &part.data]) {
                return Ok(Some(None));
            }
            parts.push(part);
        }
        Ok(Some(Some(OpencodeRows { session, messages, parts })))
    })?;
    match read {
        None => Ok(None),
        Some(Some(rows)) => Ok(Some(rows)),
        Some(None) => Err(DatabaseError::TooLarge { path: path.to_owned(), session: id.to_owned() }),
    }
}

const SESSION: &str = "SELECT s.id, s.project_id, s.parent_id, s.slug, s.directory, s.title, s.version, s.revert, \
     s.time_created, s.time_updated FROM session AS s WHERE s.id = ?1";
const MESSAGES: &str = "SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id";
const PARTS: &str = "SELECT id, message_id, data FROM part WHERE session_id = ?1 ORDER BY id";

fn size_of(session: &OpencodeSession) -> usize {
    let OpencodeSession { id, project, parent, slug, directory, title, version, revert, .. } = session;
    let texts = [id, project, slug, directory, title, version].into_iter().chain(parent).chain(revert);
    texts.map(String::len).sum::<usize>() + PER_ROW
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<OpencodeSession> {
    let text = |at: usize| row.get_ref(at).map(text_of);
    let optional = |at: usize| -> rusqlite::Result<Option<String>> {
        Ok(Some(row.get_ref(at)?).filter(|value| *value != ValueRef::Null).map(text_of))
    };
    let number = |at: usize| row.get_ref(at).map(|value| value.as_i64().unwrap_or(0));
    Ok(OpencodeSession {
        id: text(0)?,
        project: text(1)?,
        parent: optional(2)?,
        slug: text(3)?,
        directory: text(4)?,
        title: text(5)?,
        version: text(6)?,
        revert: optional(7)?,
        created_ms: number(8)?,
        updated_ms: number(9)?,
    })
}

pub(crate) fn text_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Null => String::new(),
    }
}

/// URI parameter for a database opened as immutable, without locks.
const UNCHANGING: &str = "&immutable=1";
/// URI parameter for the write-ahead log's existing index, read-only.
const BESIDE_WRITER: &str = "&readonly_shm=1";
/// The same index, in which this reader may register its position like any reader.
const AMONG_READERS: &str = "";

/// Reads in one transaction, and repeats if the file changed although it was opened as immutable.
///
/// `tables` are the only ones read: a view or virtual table under such a name could run for ever, and is
/// refused.
pub(crate) fn read_transaction<T>(
    path: &Path,
    wait: Duration,
    tables: &[&'static str],
    read: impl Fn(&Connection) -> rusqlite::Result<T>,
) -> Result<T, DatabaseError> {
    let until = Instant::now() + wait;
    let try_to = |how| {
        let mut db = open_database(path, how, until)?;
        let transaction = db.transaction()?;
        for table in tables.iter().copied() {
            if !is_table(&transaction, table)? {
                return Ok(Err(table));
            }
        }
        read(&transaction).map(Ok)
    };
    let told = |read: rusqlite::Result<Result<T, &'static str>>| match read {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(name)) => Err(DatabaseError::NoTable { path: path.to_owned(), name }),
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted) => {
            Err(DatabaseError::TooSlow { path: path.to_owned() })
        }
        Err(source) => Err(DatabaseError::Sqlite { path: path.to_owned(), source }),
    };
    for _ in 0..ATTEMPTS {
        let before = state_of(path);
        let [_, log, index] = before;
        if log.is_some() {
            let value = try_to(BESIDE_WRITER);
            // Before any process has read, no position is safe without registering it.
            let is_refused = |error: &rusqlite::Error| {
                error.sqlite_error_code() == Some(rusqlite::ErrorCode::ReadOnly) && index.is_some()
            };
            return told(match value {
                Err(error) if is_refused(&error) => try_to(AMONG_READERS),
                value => value,
            });
        }
        let value = try_to(UNCHANGING);
        if state_of(path) == before {
            return told(value);
        }
    }
    Err(DatabaseError::Unsteady { path: path.to_owned() })
}

/// Tells whether `name` is a table or does not exist, so that it is safe to read.
pub(crate) fn is_table(db: &Connection, name: &str) -> rusqlite::Result<bool> {
    const KIND: &str =
        "SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = ?1 COLLATE NOCASE";
    let kind: Option<String> = db.query_row(KIND, [name], |row| row.get(0)).optional()?;
    Ok(kind.is_none_or(|kind| kind == "table"))
}

/// Opens a database; `how` is added to its URI. Every query ends at `until`.
fn open_database(path: &Path, how: &str, until: Instant) -> rusqlite::Result<Connection> {
    let uri = format!("file:{}?mode=ro{how}", percent_encode(path.as_os_str().as_encoded_bytes(), ENCODED));
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(uri, flags)?;
    db.busy_timeout(BUSY_WAIT)?;
    // A hostile schema must not call SQLite functions with side effects.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // A single value must not exceed a session's limit.
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(MOST_BYTES).unwrap_or(i32::MAX))?;
    db.progress_handler(STEPS_BETWEEN, Some(move || Instant::now() >= until))?;
    Ok(db)
}

fn state_of(path: &Path) -> [Option<FileStamp>; 3] {
    let beside = |end: &str| {
        let mut name = OsString::from(path);
        name.push(end);
        PathBuf::from(name)
    };
    let stamp =
        |path: &Path| std::fs::metadata(path).ok().map(|metadata| FileStamp::from_metadata(&metadata));
    let log = stamp(&beside("-wal")).filter(|stamp| stamp.length > 0);
    [stamp(path), log, stamp(&beside("-shm"))]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SCHEMA: &str =
        "CREATE TABLE session (id, project_id, parent_id, slug, directory, title, version, revert, \
         time_created, time_updated);
         CREATE TABLE message (id, session_id, time_created, data);
         CREATE TABLE part (id, message_id, session_id, data);";
    const ROW: &str = "INSERT INTO session VALUES ('ses_a', 'p', NULL, 's', '/d', printf('%.*c', 9000000, 't'), '1', NULL, 1, 2);";
    const FOR_EVER: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";

    fn made(sql: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("opencode.db");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        (folder, path)
    }

    #[track_caller]
    fn check_refused(sql: &str, list: &str, session: &str) {
        let (_folder, path) = made(sql);
        let told = |error: DatabaseError| error.to_string().replace(&path.display().to_string(), "DB");
        let listed = opencode_sessions(&path).map_err(told).map(|_| ());
        let read = opencode_session(&path, "ses_a").map_err(told).map(|_| ());
        assert_eq!(listed.err().unwrap_or_default(), list, "{sql}");
        assert_eq!(read.err().unwrap_or_default(), session, "{sql}");
    }

    #[test]
    fn a_view_is_never_read() {
        let view = format!(
            "CREATE VIEW Session AS {FOR_EVER} SELECT i AS id, 'p' AS project_id, NULL AS parent_id, 's' AS slug, \
             '/d' AS directory, 't' AS title, '1' AS version, NULL AS revert, 1 AS time_created, 2 AS time_updated FROM n;"
        );
        let why = "`session` is no plain table in DB";
        check_refused(&view, why, why);
        let messages = SCHEMA.replace(
            "CREATE TABLE message (id, session_id, time_created, data);",
            &format!("CREATE VIEW message AS {FOR_EVER} SELECT i AS id, 'ses_a' AS session_id, 1 AS time_created, '' AS data FROM n;"),
        );
        check_refused(&format!("{messages}{ROW}"), "", "`message` is no plain table in DB");
        let parts = SCHEMA.replace("CREATE TABLE part (", "CREATE VIRTUAL TABLE part USING fts5(");
        check_refused(&format!("{parts}{ROW}"), "", "`part` is no plain table in DB");
    }

    #[test]
    fn reading_ends_when_its_time_is_over() {
        let many = format!(
            "{SCHEMA} {FOR_EVER} INSERT INTO session SELECT i, 'p', NULL, 's', '/d', 't', '1', NULL, 1, 2 FROM n LIMIT 9000;"
        );
        let (_folder, path) = made(&many);
        assert_eq!(opencode_sessions(&path).unwrap().len(), 9000);
        let late = sessions_within(&path, Duration::ZERO);
        assert!(matches!(late, Err(DatabaseError::TooSlow { .. })), "{late:?}");
        let late = session_within(&path, "ses_a", Duration::ZERO, MOST_BYTES);
        assert!(matches!(late, Err(DatabaseError::TooSlow { .. })), "{late:?}");
    }

    #[test]
    fn long_texts_are_cut_in_the_list() {
        let long = "INSERT INTO session SELECT printf('%.*c', 5000, 'i'), 'p', NULL, 's', '/d', 't', '1', NULL, 1, 3;";
        let (_folder, path) = made(&format!("{SCHEMA}{ROW}{long}"));
        let sessions = opencode_sessions(&path).unwrap();
        assert_eq!(sessions.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["ses_a"]);
        assert_eq!(sessions[0].title.len(), MOST_OF_TEXT);
    }

    #[test]
    fn a_session_is_read_whole_or_not_at_all() {
        let rows = "INSERT INTO session VALUES ('ses_a', 'p', NULL, 's', '/d', 't', '1', NULL, 1, 2);
            INSERT INTO message VALUES ('msg_1', 'ses_a', 1, '{}'), (printf('%.*c', 2000, 'm'), 'ses_a', 2, '{}');
            INSERT INTO part VALUES ('prt_1', printf('%.*c', 2000, 'm'), 'ses_a', '{}');";
        let (_folder, path) = made(&format!("{SCHEMA}{rows}"));
        let read = |most_bytes| session_within(&path, "ses_a", SESSION_WAIT, most_bytes);
        let rows = read(MOST_BYTES).unwrap().unwrap();
        assert_eq!((rows.messages.len(), rows.parts.len()), (2, 1));
        for most_bytes in [0, 300, 1000, 4000] {
            assert!(matches!(read(most_bytes), Err(DatabaseError::TooLarge { .. })), "{most_bytes} bytes");
        }
    }
}
