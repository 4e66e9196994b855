//! Tables `note` and `pin` of `user.sqlite`.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};

use crate::error::{Fault, StoreError};
use crate::open::{ReadHandle, Store};
use crate::sql;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum NoteSubject {
    #[default]
    Log,
    /// A record, or one of its blocks by the index in the record's own content array.
    Record {
        entry: String,
        block: Option<u32>,
    },
    Episode(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Never reused for another note.
    pub id: i64,
    pub path: String,
    pub subject: NoteSubject,
    pub body: String,
    pub written_ms: i64,
}

impl NoteSubject {
    fn subject_columns(&self) -> (Option<&str>, Option<u32>, Option<&str>) {
        match self {
            Self::Log => (None, None, None),
            Self::Record { entry, block } => (Some(entry), *block, None),
            Self::Episode(name) => (None, None, Some(name)),
        }
    }
}

impl Store {
    /// Writes a note, syncs it to disk, and returns its id.
    ///
    /// With the `id` of an earlier note, even a removed one, replaces it. An id that was never assigned
    /// counts as `None`.
    pub fn save_note(
        &mut self,
        id: Option<i64>,
        path: &str,
        subject: &NoteSubject,
        body: &str,
        written_ms: i64,
    ) -> Result<i64, StoreError> {
        self.write_user("save a note", |tx, _| {
            let (entry, block, episode) = subject.subject_columns();
            let id = given_before(tx, "note", id)?;
            sql::run_statement(
                tx,
                "INSERT INTO user.note (id, path, entry, block_idx, episode, body, written_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (id) DO UPDATE SET path = excluded.path, entry = excluded.entry,
                   block_idx = excluded.block_idx, episode = excluded.episode, body = excluded.body,
                   written_ms = excluded.written_ms",
                params![id, path, entry, block, episode, body, written_ms],
            )?;
            Ok(id.unwrap_or_else(|| tx.last_insert_rowid()))
        })
    }

    pub fn remove_note(&mut self, id: i64) -> Result<bool, StoreError> {
        self.write_user("remove a note", |tx, _| {
            sql::run_change(tx, "DELETE FROM user.note WHERE id = ?1", [id])
        })
    }

    /// Pins a log to the top of the list, since `pinned_ms` (milliseconds since 1970), or unpins it.
    pub fn save_pin(&mut self, path: &str, pinned_ms: Option<i64>) -> Result<(), StoreError> {
        self.write_user("pin a log", |tx, _| {
            sql::run_statement(tx, "DELETE FROM user.pin WHERE path = ?1", [path])?;
            if let Some(pinned_ms) = pinned_ms {
                sql::run_statement(
                    tx,
                    "INSERT INTO user.pin (path, pinned_ms) VALUES (?1, ?2)",
                    params![path, pinned_ms],
                )?;
            }
            Ok(())
        })
    }
}

pub(crate) fn given_before(db: &Connection, table: &str, id: Option<i64>) -> Result<Option<i64>, Fault> {
    let sql = "SELECT seq FROM user.sqlite_sequence WHERE name = ?1";
    let most: i64 = sql::first_row(db, sql, [table], |row| Ok(row.get(0)?))?.unwrap_or(0);
    Ok(id.filter(|id| (1..=most).contains(id)))
}

impl ReadHandle {
    /// Oldest first.
    pub fn notes_on_log(&self, path: &str) -> Result<Vec<Note>, StoreError> {
        self.at_once("load notes", |db| {
            let sql = "SELECT id, path, entry, block_idx, episode, body, written_ms FROM user.note
                       WHERE path = ?1 ORDER BY written_ms, id";
            sql::collect_rows(db, sql, [path], read_note)
        })
    }

    pub fn n_notes(&self) -> Result<BTreeMap<String, u32>, StoreError> {
        self.at_once("count notes", |db| {
            let sql = "SELECT path, count(*) FROM user.note GROUP BY path";
            sql::collect_rows(db, sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
        })
    }

    /// Earliest pin first.
    pub fn pinned_paths(&self) -> Result<Vec<String>, StoreError> {
        self.at_once("load pins", |db| {
            let sql = "SELECT path FROM user.pin ORDER BY pinned_ms, path";
            sql::collect_rows(db, sql, [], |row| Ok(row.get(0)?))
        })
    }
}

fn read_note(row: &Row<'_>) -> Result<Note, Fault> {
    let entry: Option<String> = row.get(2)?;
    let block = row.get(3)?;
    let episode: Option<String> = row.get(4)?;
    let subject = match (entry, episode) {
        (Some(entry), _) => NoteSubject::Record { entry, block },
        (None, Some(name)) => NoteSubject::Episode(name),
        (None, None) => NoteSubject::Log,
    };
    Ok(Note { id: row.get(0)?, path: row.get(1)?, subject, body: row.get(5)?, written_ms: row.get(6)? })
}
