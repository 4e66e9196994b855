//! Sessions that are rows of a database, whatever harness keeps them there.

use std::path::Path;
use std::time::Duration;

use cwl_formats::layout::name_of;
use cwl_formats::{Format, HermesRows, OpencodeRows, OpencodeSession, hermes_export, opencode_export};
use rusqlite::Connection;

use crate::hermes::{HERMES, hermes_session, hermes_sessions};
use crate::opencode::OPENCODE;
use crate::opencode::database::{DatabaseError, opencode_session, opencode_sessions, read_transaction};

/// Longest time for telling the harness of a database.
const KIND_WAIT: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSession {
    /// The harness's name, and its format's.
    pub harness: &'static str,
    pub id: String,
    pub parent: Option<String>,
    /// The working directory; empty if it is unknown.
    pub directory: String,
    pub title: String,
    /// Milliseconds since 1970.
    pub updated_ms: i64,
}

impl From<OpencodeSession> for ListedSession {
    fn from(session: OpencodeSession) -> Self {
        let OpencodeSession { id, parent, directory, title, updated_ms, .. } = session;
        Self { harness: OPENCODE, id, parent, directory, title, updated_ms }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum SessionRows {
    Opencode(OpencodeRows),
    Hermes(HermesRows),
}

impl SessionRows {
    pub fn id(&self) -> &str {
        match self {
            Self::Opencode(rows) => &rows.session.id,
            Self::Hermes(rows) => &rows.id,
        }
    }

    pub fn format(&self) -> Format {
        match self {
            Self::Opencode(_) => Format::Opencode,
            Self::Hermes(_) => Format::Hermes,
        }
    }

    /// Returns the document that the harness would export.
    pub fn document(&self) -> String {
        match self {
            Self::Opencode(rows) => opencode_export(rows),
            Self::Hermes(rows) => hermes_export(rows),
        }
    }
}

/// Returns the harness that a database's name tells, else OpenCode, with what to do if the database cannot be read.
pub fn database_hint(path: &Path) -> (&'static str, &'static str) {
    match name_of(path) {
        "state.db" => (HERMES, "open what `hermes sessions export FILE` writes"),
        _ => (OPENCODE, "open what `opencode export ID` prints, as in `opencode export ID > session.json`"),
    }
}

/// Lists a database's sessions, last changed first.
///
/// # Errors
/// If the database cannot be read.
pub fn database_sessions(path: &Path) -> Result<Vec<ListedSession>, DatabaseError> {
    if is_of_hermes(path)? {
        return hermes_sessions(path);
    }
    Ok(opencode_sessions(path)?.into_iter().map(ListedSession::from).collect())
}

/// Reads one session whole. `Ok(None)` if no session has that id.
///
/// # Errors
/// If the database cannot be read, or the session is too large.
pub fn database_session(path: &Path, id: &str) -> Result<Option<SessionRows>, DatabaseError> {
    if is_of_hermes(path)? {
        return Ok(hermes_session(path, id)?.map(SessionRows::Hermes));
    }
    Ok(opencode_session(path, id)?.map(SessionRows::Opencode))
}

/// Tells the harness by the name of the database, else by its tables.
fn is_of_hermes(path: &Path) -> Result<bool, DatabaseError> {
    const OWN: &str = "SELECT count(*) FROM pragma_table_list \
        WHERE schema = 'main' AND type = 'table' AND name IN ('sessions', 'messages')";
    match name_of(path) {
        "state.db" => Ok(true),
        "opencode.db" => Ok(false),
        _ => read_transaction(path, KIND_WAIT, &[], |db: &Connection| {
            db.query_row(OWN, [], |row| row.get::<_, i64>(0)).map(|n_tables| n_tables == 2)
        }),
    }
}
