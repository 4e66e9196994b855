//! Tables `note` and `pin` of `user.sqlite`: what people make.

use rusqlite::{Connection, params};

use crate::error::{Fault, StoreError};
use crate::open::{ReadHandle, Store};

/// A remark on a log, or on one of its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its number.
    pub id: i64,
    /// The log's path.
    pub path: String,
    /// The record's id; `None` for the whole log.
    pub entry: Option<String>,
    /// What it says.
    pub body: String,
    /// When it was written, milliseconds since 1970.
    pub written_ms: i64,
}

impl Store {
    /// Writes a remark, synced to disk, and returns its number. The time is given by the caller.
    pub fn save_note(
        &mut self,
        path: &str,
        entry: Option<&str>,
        body: &str,
        written_ms: i64,
    ) -> Result<i64, StoreError> {
        self.write("save a note", |tx, _| {
            let id = tx
                .prepare_cached(
                    "INSERT INTO user.note (path, entry, body, written_ms) VALUES (?1, ?2, ?3, ?4)",
                )?
                .insert(params![path, entry, body, written_ms])?;
            Ok(id)
        })
    }

    /// Removes a remark and tells whether it was there.
    pub fn remove_note(&mut self, id: i64) -> Result<bool, StoreError> {
        self.write("remove a note", |tx, _| {
            Ok(tx.prepare_cached("DELETE FROM user.note WHERE id = ?1")?.execute([id])? > 0)
        })
    }

    /// Keeps a log on top of the list, from the time given on (milliseconds since 1970), or no longer.
    pub fn save_pin(&mut self, path: &str, pinned_ms: Option<i64>) -> Result<(), StoreError> {
        self.write("pin a log", |tx, _| {
            tx.prepare_cached("DELETE FROM user.pin WHERE path = ?1")?.execute([path])?;
            if let Some(pinned_ms) = pinned_ms {
                tx.prepare_cached("INSERT INTO user.pin (path, pinned_ms) VALUES (?1, ?2)")?
                    .execute(params![path, pinned_ms])?;
            }
            Ok(())
        })
    }
}

impl ReadHandle {
    /// Returns the remarks on a log, oldest first.
    pub fn notes(&self, path: &str) -> Result<Vec<Note>, StoreError> {
        self.at_once("load notes", |db| {
            let notes = db
                .prepare_cached(
                    "SELECT id, path, entry, body, written_ms FROM user.note WHERE path = ?1 ORDER BY written_ms, id",
                )?
                .query_map([path], |row| {
                    Ok(Note {
                        id: row.get(0)?,
                        path: row.get(1)?,
                        entry: row.get(2)?,
                        body: row.get(3)?,
                        written_ms: row.get(4)?,
                    })
                })?
                .collect::<Result<_, _>>()?;
            Ok(notes)
        })
    }

    /// Returns the paths of pinned logs, the first pinned first.
    pub fn pins(&self) -> Result<Vec<String>, StoreError> {
        self.at_once("load pins", load_pins)
    }
}

fn load_pins(db: &Connection) -> Result<Vec<String>, Fault> {
    let paths = db
        .prepare_cached("SELECT path FROM user.pin ORDER BY pinned_ms, path")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(paths)
}
