//! Sessions of OpenCode, which keeps them as rows of a SQLite database.
//!
//! The database is OpenCode's: it is opened read-only, and nothing is made beside it. SQLite would make
//! its index of the write-ahead log (`-shm`) even for a reader, so one is only used where it is there; and where
//! there is no such log the file is read as one that does not change, which is checked afterwards.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};

use cwl_formats::{OpencodeMessage, OpencodePart, OpencodeRows, OpencodeSession};
use cwl_tail::Stamp;

/// No more sessions than this are listed.
const MOST_SESSIONS: usize = 20_000;
/// No more of one session is read than this, bytes.
pub(crate) const MOST_BYTES: usize = 256 << 20;
/// How long a lock of OpenCode's is waited for.
const BUSY_WAIT: Duration = Duration::from_secs(1);
/// How often a database is read again because it changed meanwhile.
const ATTEMPTS: usize = 4;

/// The bytes of a path that do not mean themselves in a URI.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Why sessions of OpenCode were not read.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// SQLite says why.
    #[error("cannot read the sessions in {}", path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// The operating system says why.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// It was changed each time that it was read.
    #[error("is changed too often to be read: {}", path.display())]
    Unsteady {
        /// The database.
        path: PathBuf,
    },
    /// One session holds more than is read at once.
    #[error("session {session} is larger than {} MiB: {}", MOST_BYTES >> 20, path.display())]
    TooLarge {
        /// The database.
        path: PathBuf,
        /// The session.
        session: String,
    },
}

/// Lists the sessions of a database, the last changed first.
///
/// Texts that are no UTF-8 are read with marks in their place; rows without an id are left out.
pub fn opencode_sessions(path: &Path) -> Result<Vec<OpencodeSession>, DatabaseError> {
    reading(path, |db| {
        let mut statement = db.prepare(&format!("{SESSIONS} ORDER BY s.time_updated DESC, s.id LIMIT ?1"))?;
        let limit = i64::try_from(MOST_SESSIONS).unwrap_or(i64::MAX);
        statement.query_map([limit], row)?.collect()
    })
}

/// Reads one session whole; `None` where there is none of that id.
pub fn opencode_session(path: &Path, id: &str) -> Result<Option<OpencodeRows>, DatabaseError> {
    let read = reading(path, |db| {
        let session = db.query_row(&format!("{SESSIONS} WHERE s.id = ?1"), [id], row).optional()?;
        let Some(session) = session else { return Ok(None) };
        let n_bytes: i64 = db.query_row(SIZE, [id], |row| row.get(0))?;
        if usize::try_from(n_bytes).map_or(true, |n_bytes| n_bytes > MOST_BYTES) {
            return Ok(Some(Err(session.id)));
        }
        let text = |row: &Row<'_>, at: usize| row.get_ref(at).map(text_of);
        let messages = db
            .prepare("SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id")?
            .query_map([id], |row| Ok(OpencodeMessage { id: text(row, 0)?, data: text(row, 1)? }))?
            .collect::<Result<_, _>>()?;
        let parts = db
            .prepare("SELECT id, message_id, data FROM part WHERE session_id = ?1 ORDER BY id")?
            .query_map([id], |row| {
                Ok(OpencodePart { id: text(row, 0)?, message: text(row, 1)?, data: text(row, 2)? })
            })?
            .collect::<Result<_, _>>()?;
        Ok(Some(Ok(OpencodeRows { session, messages, parts })))
    })?;
    match read {
        None => Ok(None),
        Some(Ok(rows)) => Ok(Some(rows)),
        Some(Err(session)) => Err(DatabaseError::TooLarge { path: path.to_owned(), session }),
    }
}

const SESSIONS: &str = "SELECT s.id, s.project_id, s.parent_id, s.slug, s.directory, s.title, s.version, s.revert, \
     s.time_created, s.time_updated FROM session AS s";

const SIZE: &str = "SELECT (SELECT coalesce(sum(length(CAST(data AS BLOB))), 0) FROM message WHERE session_id = ?1) \
     + (SELECT coalesce(sum(length(CAST(data AS BLOB))), 0) FROM part WHERE session_id = ?1)";

fn row(row: &Row<'_>) -> rusqlite::Result<OpencodeSession> {
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

/// Takes a value as text, whatever it is.
fn text_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Null => String::new(),
    }
}

/// Opens a database as a file that does not change, without any lock.
const UNCHANGING: &str = "&immutable=1";
/// Opens it with the index of its write-ahead log, which is not written to.
const BESIDE_WRITER: &str = "&readonly_shm=1";
/// Opens it with that index, in which this reader may note where it reads, as every reader does.
const AMONG_READERS: &str = "";

/// Reads in one transaction, and again where the file changed under a reader that was told that it does not.
fn reading<T>(path: &Path, read: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<T, DatabaseError> {
    let failed = |source| DatabaseError::Sqlite { path: path.to_owned(), source };
    let try_to = |how| {
        let mut db = open(path, how)?;
        let transaction = db.transaction()?;
        read(&transaction)
    };
    for _ in 0..ATTEMPTS {
        let before = state_of(path);
        let [_, log, index] = before;
        if log.is_some() {
            let value = try_to(BESIDE_WRITER);
            // Where no process has read yet there is no place to read from that is safe without a note.
            let is_refused = |error: &rusqlite::Error| {
                error.sqlite_error_code() == Some(rusqlite::ErrorCode::ReadOnly) && index.is_some()
            };
            return match value {
                Err(error) if is_refused(&error) => try_to(AMONG_READERS),
                value => value,
            }
            .map_err(failed);
        }
        let value = try_to(UNCHANGING);
        if state_of(path) == before {
            return value.map_err(failed);
        }
    }
    Err(DatabaseError::Unsteady { path: path.to_owned() })
}

/// Opens a database; `how` is a part of its address.
fn open(path: &Path, how: &str) -> rusqlite::Result<Connection> {
    let uri = format!("file:{}?mode=ro{how}", percent_encode(path.as_os_str().as_encoded_bytes(), ENCODED));
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(uri, flags)?;
    db.busy_timeout(BUSY_WAIT)?;
    // A hostile schema may not call functions of SQLite that have side effects.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    Ok(db)
}

/// Returns the stamps of the database, of its write-ahead log where that holds something, and of that log's index.
fn state_of(path: &Path) -> [Option<Stamp>; 3] {
    let beside = |end: &str| {
        let mut name = OsString::from(path);
        name.push(end);
        PathBuf::from(name)
    };
    let stamp = |path: &Path| std::fs::metadata(path).ok().map(|metadata| Stamp::of(&metadata));
    let log = stamp(&beside("-wal")).filter(|stamp| stamp.length > 0);
    [stamp(path), log, stamp(&beside("-shm"))]
}
