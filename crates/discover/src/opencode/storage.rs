//! OpenCode sessions in folders of small files (up to 1.1), listed and opened like sessions in a database.
//!
//! A message's file is written when a model step begins and ends, so an open session is read again then.
//! Parts in between have files of their own, which are not watched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use cwl_formats::{OpencodeRows, OpencodeSession};
use cwl_tail::FileStamp;
use serde_json::{Map, Value};

use crate::catalogue::FoundLog;
use crate::notices::Notice;
use crate::opencode::OPENCODE;
use crate::opencode::database::DatabaseError;
use crate::opencode::files::opencode_files;
use crate::{lock_unpoisoned, read_beginning};
use cwl_formats::layout::name_of;

/// Maximum number of bytes read from a session's main file.
const LIMIT: u64 = 16 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageFile<'a> {
    Session(&'a str),
    Message(&'a str),
}

/// Recognises `storage/session/<project>/<session>.json` and `storage/message/<session>/<message>.json`.
pub fn storage_file(path: &Path) -> Option<StorageFile<'_>> {
    let id = name_of(path).strip_suffix(".json")?;
    let folder = path.parent()?;
    let is_id = |id: &str, kind: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        id.strip_prefix(kind).is_some_and(|rest| !rest.is_empty()) && id.bytes().all(plain)
    };
    let kind = folder.parent()?;
    if kind.ends_with("storage/session") {
        return is_id(id, "ses_").then_some(StorageFile::Session(id));
    }
    let session = name_of(folder);
    let is_message = kind.ends_with("storage/message") && is_id(id, "msg_") && is_id(session, "ses_");
    is_message.then_some(StorageFile::Message(session))
}

/// The folder with sessions, messages and parts that contains `file`.
pub fn storage_of(file: &Path) -> Option<&Path> {
    file.ancestors().nth(3)
}

#[derive(Debug, Default)]
pub struct Storages {
    known: Mutex<BTreeMap<PathBuf, (FileStamp, Option<OpencodeSession>)>>,
}

impl Storages {
    /// Returns a session's main file, read again only after a change. `None` if it is no JSON.
    pub fn read_session(&self, file: &FoundLog) -> Option<OpencodeSession> {
        if let Some((_, row)) =
            lock_unpoisoned(&self.known).get(&file.path).filter(|(then, _)| *then == file.stamp)
        {
            return row.clone();
        }
        let bytes = read_beginning(&file.path, LIMIT).ok();
        let row = bytes.and_then(|bytes| row_of(&file.path, str::from_utf8(&bytes).ok()?));
        lock_unpoisoned(&self.known).insert(file.path.clone(), (file.stamp, row.clone()));
        row
    }

    pub fn forget_file(&self, path: &Path) {
        lock_unpoisoned(&self.known).remove(path);
    }

    pub fn list_notices(&self) -> Vec<Notice> {
        let known = lock_unpoisoned(&self.known);
        let broken = known.iter().filter(|(_, (_, row))| row.is_none());
        let (why, hint) = ("a session's file is no JSON", "repair the file, or remove it");
        broken.map(|(path, _)| Notice::new(OPENCODE, path, why.to_owned(), hint)).collect()
    }
}

/// Converts a session's main file to a row as in the database. The file's name is the id.
fn row_of(path: &Path, text: &str) -> Option<OpencodeSession> {
    let Some(StorageFile::Session(id)) = storage_file(path) else { return None };
    let session: Map<String, Value> = serde_json::from_str(text).ok()?;
    let words = |key: &str| session.get(key).and_then(Value::as_str).map(str::to_owned);
    let time = |key: &str| session.get("time").and_then(|time| time.get(key)).and_then(Value::as_i64);
    let created_ms = time("created").unwrap_or(0);
    Some(OpencodeSession {
        id: id.to_owned(),
        project: words("projectID").unwrap_or_else(|| name_of(path.parent().unwrap_or(path)).to_owned()),
        parent: words("parentID"),
        slug: words("slug").unwrap_or_default(),
        directory: words("directory").unwrap_or_default(),
        title: words("title").unwrap_or_default(),
        version: words("version").unwrap_or_default(),
        revert: session.get("revert").filter(|revert| revert.is_object()).map(Value::to_string),
        created_ms,
        updated_ms: time("updated").unwrap_or(created_ms),
    })
}

#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    #[error(transparent)]
    Files(#[from] DatabaseError),
    #[error("the session's file is no JSON")]
    NoJson,
}

/// Reads a session by its main file, as the rows that the database would have. `None` if the file is missing.
///
/// # Errors
/// If a file is unreadable, all files together are too large, or the main file is no JSON.
pub fn read_storage(file: &Path) -> Result<Option<OpencodeRows>, StorageError> {
    let Some(files) = opencode_files(file)? else { return Ok(None) };
    let session = row_of(file, &files.session).ok_or(StorageError::NoJson)?;
    let (mut messages, mut parts) = (files.messages, files.parts);
    let texts = messages.iter_mut().map(|message| &mut message.data);
    for data in texts.chain(parts.iter_mut().map(|part| &mut part.data)) {
        *data = without_ids(std::mem::take(data));
    }
    Ok(Some(OpencodeRows { session, messages, parts }))
}

fn without_ids(text: String) -> String {
    match serde_json::from_str::<Map<String, Value>>(&text) {
        Ok(mut data) => {
            for key in ["id", "sessionID", "messageID"] {
                data.shift_remove(key);
            }
            Value::Object(data).to_string()
        }
        Err(_) => text,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn files_are_told_by_their_place() {
        for (path, expected) in [
            ("/d/storage/session/p/ses_1.json", Some(StorageFile::Session("ses_1"))),
            ("storage/session/global/ses_1.json", Some(StorageFile::Session("ses_1"))),
            ("storage/message/ses_1/msg_2.json", Some(StorageFile::Message("ses_1"))),
            ("storage/message/other/msg_2.json", None),
            ("storage/message/ses_1/ses_2.json", None),
            ("storage/session/ses_1.json", None),
            ("storage/session/p/ses_.json", None),
            ("storage/session/p/ses_a#b.json", None),
            ("storage/session/p/info.json", None),
            ("storage/part/msg_1/prt_2.json", None),
            ("session/p/ses_1.json", None),
            ("ses_1.json", None),
            ("/", None),
        ] {
            assert_eq!(storage_file(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_file_is_the_row_that_a_database_would_have() {
        let check = |text: &str, expected: Option<(&str, &str, i64)>| {
            let row = row_of(Path::new("/d/storage/session/p/ses_1.json"), text);
            assert!(row.iter().all(|row| row.id == "ses_1"), "its name says its id");
            let told = row.map(|row| (row.project, row.title, row.updated_ms));
            let expected = expected.map(|(project, title, at)| (project.to_owned(), title.to_owned(), at));
            assert_eq!(told, expected, "{text}");
        };
        check(
            r#"{"id":"ses_9","projectID":"q","title":"Back off","time":{"created":1,"updated":2}}"#,
            Some(("q", "Back off", 2)),
        );
        check(r#"{"title":7,"time":{"created":3}}"#, Some(("p", "", 3)));
        check("{}", Some(("p", "", 0)));
        check("[]", None);
        check("{\"id\":", None);
        check("", None);
        check(&"[".repeat(100_000), None);
    }

    #[test]
    fn ids_go_and_everything_else_stays() {
        for (text, expected) in [
            (
                r#"{"id":"a","b":0.10,"sessionID":"s","c":{"id":1},"messageID":"m","a":2}"#,
                r#"{"b":0.1,"c":{"id":1},"a":2}"#,
            ),
            ("{\"half\":", "{\"half\":"),
            ("[1]", "[1]"),
            ("", ""),
        ] {
            assert_eq!(without_ids(text.to_owned()), expected);
        }
    }
}
