//! Sessions of Hermes Agent, which keeps them in `state.db`.

use std::path::Path;
use std::time::Duration;

use cwl_formats::{HERMES_MESSAGE_COLUMNS, HERMES_SESSION_COLUMNS, HermesRow, HermesRows, HermesValue};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::database_sessions::ListedSession;
use crate::opencode::database::{
    DatabaseError, LIST_WAIT, MOST_BYTES, MOST_LISTED, MOST_OF_TEXT, MOST_SESSIONS, PER_ROW, SESSION_WAIT,
    is_table, read_transaction, text_of,
};

pub(crate) const HERMES: &str = "hermes";

const TABLES: [&str; 3] = ["sessions", "messages", "system_prompts"];

/// Lists a database's sessions, last changed first; a database without the tables has none.
pub(crate) fn hermes_sessions(path: &Path) -> Result<Vec<ListedSession>, DatabaseError> {
    sessions_within(path, LIST_WAIT)
}

fn sessions_within(path: &Path, wait: Duration) -> Result<Vec<ListedSession>, DatabaseError> {
    read_transaction(path, wait, &TABLES, |db| {
        let columns = columns_of(db, "sessions")?;
        let has = |name: &str| columns.iter().any(|column| column == name);
        if !has("id") {
            return Ok(Vec::new());
        }
        let text = |name: &str| match has(name) {
            true => format!("substr(s.{name}, 1, {MOST_OF_TEXT})"),
            false => "NULL".to_owned(),
        };
        let times: Vec<String> = ["last_activity_at", "ended_at", "started_at"]
            .iter()
            .filter(|name| has(name))
            .map(|name| format!("s.{name}"))
            .collect();
        let changed = format!("coalesce({}, 0, 0)", [&times[..], &["NULL".to_owned()]].concat().join(", "));
        let query = format!(
            "SELECT s.id, {}, {}, {}, {}, {}, {changed} AS changed FROM sessions AS s \
             WHERE length(s.id) BETWEEN 1 AND {MOST_OF_TEXT} ORDER BY changed DESC, s.id LIMIT {MOST_SESSIONS}",
            text("parent_session_id"),
            text("cwd"),
            text("title"),
            text("source"),
            text("model_config"),
        );
        let mut statement = db.prepare(&query)?;
        let mut rows = statement.query([])?;
        let (mut sessions, mut left) = (Vec::new(), MOST_LISTED);
        while let Some(row) = rows.next()? {
            let text = |at: usize| row.get_ref(at).map(text_of);
            let [parent, directory, title, source, config] =
                [text(1)?, text(2)?, text(3)?, text(4)?, text(5)?];
            // Other sessions with a parent go on with it, or branch off.
            let is_called = source == "subagent" || config.contains("\"_delegate_from\"");
            let seconds = match row.get_ref(6)? {
                ValueRef::Real(seconds) => seconds,
                ValueRef::Integer(seconds) => seconds as f64,
                _ => 0.0,
            };
            let session = ListedSession {
                harness: HERMES,
                id: text(0)?,
                parent: Some(parent).filter(|parent| is_called && !parent.is_empty()),
                directory,
                title,
                // The cast saturates.
                updated_ms: (seconds * 1000.0) as i64,
            };
            let size = session.id.len() + session.directory.len() + session.title.len() + PER_ROW;
            let Some(rest) = left.checked_sub(size) else { break };
            left = rest;
            sessions.push(session);
        }
        Ok(sessions)
    })
}

/// Reads one session whole, with rows that a compaction archived or the human took back. `Ok(None)` if no session
/// has that id.
pub(crate) fn hermes_session(path: &Path, id: &str) -> Result<Option<HermesRows>, DatabaseError> {
    session_within(path, id, SESSION_WAIT, MOST_BYTES)
}

fn session_within(
    path: &Path,
    id: &str,
    wait: Duration,
    most_bytes: usize,
) -> Result<Option<HermesRows>, DatabaseError> {
    let read = read_transaction(path, wait, &TABLES, |db| {
        let Some(session) = read_session(db, id)? else { return Ok(None) };
        let mut left = most_bytes.checked_sub(size_of(&session));
        let (names, list) = list_columns(&columns_of(db, "messages")?, HERMES_MESSAGE_COLUMNS);
        let mut messages = Vec::new();
        if names.contains(&"id") {
            let query = format!("SELECT {list} FROM messages WHERE session_id = ?1 ORDER BY id");
            let mut statement = db.prepare(&query)?;
            let mut rows = statement.query([id])?;
            while let Some(row) = rows.next()? {
                let message = read_row(row, &names)?;
                left = left.and_then(|left| left.checked_sub(size_of(&message)));
                if left.is_none() {
                    break;
                }
                messages.push(message);
            }
        }
        Ok(Some(left.map(|_| HermesRows { id: id.to_owned(), session, messages })))
    })?;
    match read {
        None => Ok(None),
        Some(Some(rows)) => Ok(Some(rows)),
        Some(None) => Err(DatabaseError::TooLarge { path: path.to_owned(), session: id.to_owned() }),
    }
}

/// Newer databases keep a prompt once, by its hash.
fn read_session(db: &Connection, id: &str) -> rusqlite::Result<Option<HermesRow>> {
    let columns = columns_of(db, "sessions")?;
    let (names, list) = list_columns(&columns, HERMES_SESSION_COLUMNS);
    if !names.contains(&"id") {
        return Ok(None);
    }
    let query = format!("SELECT {list} FROM sessions WHERE id = ?1");
    let session = db.query_row(&query, [id], |row| read_row(row, &names)).optional()?;
    let Some(mut session) = session else { return Ok(None) };
    let has_hash = columns.iter().any(|column| column == "system_prompt_hash");
    if has_hash && !columns_of(db, "system_prompts")?.is_empty() {
        const PROMPT: &str = "SELECT p.prompt FROM system_prompts AS p \
            JOIN sessions AS s ON s.system_prompt_hash = p.hash WHERE s.id = ?1";
        let prompt = db.query_row(PROMPT, [id], |row| row.get_ref(0).map(text_of)).optional()?;
        if let Some(prompt) = prompt {
            session.retain(|(name, _)| *name != "system_prompt");
            session.push(("system_prompt", HermesValue::Text(prompt)));
        }
    }
    Ok(Some(session))
}

fn columns_of(db: &Connection, table: &'static str) -> rusqlite::Result<Vec<String>> {
    if !is_table(db, table)? {
        return Ok(Vec::new());
    }
    let mut statement = db.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get_ref(0).map(text_of))?;
    names.collect()
}

fn list_columns(there: &[String], wanted: &[&'static str]) -> (Vec<&'static str>, String) {
    let is_there = |name: &&&str| there.iter().any(|column| column == **name);
    let names: Vec<&'static str> = wanted.iter().filter(is_there).copied().collect();
    let list = names.join(", ");
    (names, list)
}

fn read_row(row: &Row<'_>, names: &[&'static str]) -> rusqlite::Result<HermesRow> {
    let value = |at: usize| -> rusqlite::Result<HermesValue> {
        Ok(match row.get_ref(at)? {
            ValueRef::Null => HermesValue::Null,
            ValueRef::Integer(number) => HermesValue::Integer(number),
            ValueRef::Real(number) => HermesValue::Real(number),
            text => HermesValue::Text(text_of(text)),
        })
    };
    names.iter().enumerate().map(|(at, name)| Ok((*name, value(at)?))).collect()
}

fn size_of(row: &HermesRow) -> usize {
    let of_value = |value: &HermesValue| match value {
        HermesValue::Text(text) => text.len(),
        _ => 8,
    };
    row.iter().map(|(_, value)| of_value(value)).sum::<usize>() + PER_ROW
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::PathBuf;

    use cwl_formats::hermes_export;

    use super::*;

    const OLD: &str =
        "CREATE TABLE sessions (id, source, model, started_at, ended_at, parent_session_id, model_config);
         CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content, tool_calls, timestamp);";
    const NEW: &str = "CREATE TABLE system_prompts (hash, prompt);
         CREATE TABLE sessions (id, source, title, cwd, started_at, last_activity_at, parent_session_id, model_config, \
         system_prompt, system_prompt_hash);
         CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content, timestamp, active, compacted);";

    fn made(sql: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        (folder, path)
    }

    #[test]
    fn databases_of_any_age_are_listed_and_read() {
        let rows = "INSERT INTO sessions VALUES ('a', 'cli', 'm', 5.5, NULL, NULL, NULL), \
                    ('b', 'cli', 'm', 1.0, 9.0, 'a', '{\"_delegate_from\": \"a\"}');
             INSERT INTO messages VALUES (2, 'a', 'assistant', NULL, '[{}]', 7.25), (1, 'a', 'user', 'Hello', NULL, 6.0);";
        let (_folder, path) = made(&format!("{OLD}{rows}"));
        let listed = hermes_sessions(&path).unwrap();
        let shown: Vec<_> =
            listed.iter().map(|one| (one.id.as_str(), one.parent.as_deref(), one.updated_ms)).collect();
        assert_eq!(shown, [("b", Some("a"), 9000), ("a", None, 5500)]);
        let document = hermes_export(&hermes_session(&path, "a").unwrap().unwrap());
        let expected = concat!(
            r#"{"id":"a","source":"cli","started_at":5.5,"model":"m","messages":["#,
            "\n",
            r#"{"id":1,"role":"user","content":"Hello","timestamp":6},"#,
            "\n",
            r#"{"id":2,"role":"assistant","tool_calls":[{}],"timestamp":7.25}"#,
            "\n]}"
        );
        assert_eq!(document, expected);
        assert_eq!(hermes_session(&path, "none").unwrap(), None);
    }

    #[test]
    fn a_prompt_is_found_by_its_hash() {
        let rows = "INSERT INTO system_prompts VALUES ('h', 'You are here.');
             INSERT INTO sessions VALUES ('a', 'cli', 't', '/d', 1.0, 2.0, 'z', NULL, NULL, 'h'), \
                    ('b', 'cli', NULL, NULL, 1.0, NULL, NULL, NULL, 'inline', NULL);";
        let (_folder, path) = made(&format!("{NEW}{rows}"));
        let prompt = |id: &str| {
            let rows = hermes_session(&path, id).unwrap().unwrap();
            rows.session.into_iter().find(|(name, _)| *name == "system_prompt").map(|(_, value)| value)
        };
        assert_eq!(prompt("a"), Some(HermesValue::Text("You are here.".to_owned())));
        assert_eq!(prompt("b"), Some(HermesValue::Text("inline".to_owned())));
        let listed = hermes_sessions(&path).unwrap();
        assert_eq!((listed[0].title.as_str(), listed[0].directory.as_str()), ("t", "/d"));
        assert_eq!(listed[0].parent, None, "it goes on with its parent");
    }

    #[test]
    fn odd_databases_are_empty_or_refused() {
        let (_folder, path) = made("CREATE TABLE other (id);");
        assert_eq!(hermes_sessions(&path).unwrap(), []);
        assert_eq!(hermes_session(&path, "a").unwrap(), None);
        let (_folder, path) = made("CREATE VIEW sessions AS SELECT 1 AS id;");
        assert!(matches!(hermes_sessions(&path), Err(DatabaseError::NoTable { .. })));
        let many = format!(
            "{OLD} INSERT INTO sessions VALUES ('a', 'cli', 'm', 1.0, NULL, NULL, NULL);
             INSERT INTO messages VALUES (1, 'a', 'user', printf('%.*c', 9000, 'x'), NULL, 1.0);"
        );
        let (_folder, path) = made(&many);
        assert!(matches!(
            session_within(&path, "a", SESSION_WAIT, 5000),
            Err(DatabaseError::TooLarge { .. })
        ));
        assert!(matches!(sessions_within(&path, Duration::ZERO), Ok(_) | Err(DatabaseError::TooSlow { .. })));
    }
}
