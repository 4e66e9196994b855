//! Table `overlay` of `user.sqlite`: episodes that people or agents marked afterwards.

use rusqlite::{Row, params};

use crate::error::{Fault, StoreError};
use crate::open::{ReadHandle, Store};
use crate::sql;

/// One set of episodes, marked afterwards; `name` is unique per log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    pub path: String,
    pub name: String,
    pub made_by: Option<String>,
    /// Marks as JSON, opaque to the store.
    pub marks: String,
    pub saved_ms: i64,
}

impl Store {
    /// Saves `overlay` and syncs it to disk; returns true if it replaced one with the same name.
    pub fn save_overlay(&mut self, overlay: &Overlay) -> Result<bool, StoreError> {
        self.write_user("save marks", |tx, _| {
            let Overlay { path, name, made_by, marks, saved_ms } = overlay;
            let sql = "DELETE FROM user.overlay WHERE path = ?1 AND name = ?2";
            let was_there = sql::run_change(tx, sql, params![path, name])?;
            let sql =
                "INSERT INTO user.overlay (path, name, made_by, marks, saved_ms) VALUES (?1, ?2, ?3, ?4, ?5)";
            sql::run_statement(tx, sql, params![path, name, made_by, marks, saved_ms])?;
            Ok(was_there)
        })
    }

    pub fn remove_overlay(&mut self, path: &str, name: &str) -> Result<bool, StoreError> {
        self.write_user("remove marks", |tx, _| {
            sql::run_change(tx, "DELETE FROM user.overlay WHERE path = ?1 AND name = ?2", params![path, name])
        })
    }
}

impl ReadHandle {
    /// Sorted by name.
    pub fn overlays_of_log(&self, path: &str) -> Result<Vec<Overlay>, StoreError> {
        self.at_once("load marks", |db| {
            let sql =
                "SELECT path, name, made_by, marks, saved_ms FROM user.overlay WHERE path = ?1 ORDER BY name";
            sql::collect_rows(db, sql, [path], read_overlay)
        })
    }

    pub fn overlay_named(&self, path: &str, name: &str) -> Result<Option<Overlay>, StoreError> {
        self.at_once("load marks", |db| {
            let sql =
                "SELECT path, name, made_by, marks, saved_ms FROM user.overlay WHERE path = ?1 AND name = ?2";
            sql::first_row(db, sql, params![path, name], read_overlay)
        })
    }
}

fn read_overlay(row: &Row<'_>) -> Result<Overlay, Fault> {
    Ok(Overlay {
        path: row.get(0)?,
        name: row.get(1)?,
        made_by: row.get(2)?,
        marks: row.get(3)?,
        saved_ms: row.get(4)?,
    })
}
