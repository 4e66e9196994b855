//! Table `saved_view` of `user.sqlite`: bookmarks, each a place in a session with a view.

use rusqlite::params;

use super::note::given_before;
use crate::error::StoreError;
use crate::open::{ReadHandle, Store};
use crate::sql;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedView {
    /// Never reused for another bookmark.
    pub id: i64,
    pub path: String,
    pub name: String,
    /// Place and view as a query, opaque to the store.
    pub query: String,
    pub saved_ms: i64,
}

impl Store {
    /// Saves a bookmark, syncs it to disk, and returns its id; `id` as for [`Self::save_note`].
    pub fn save_view(
        &mut self,
        id: Option<i64>,
        path: &str,
        name: &str,
        query: &str,
        saved_ms: i64,
    ) -> Result<i64, StoreError> {
        self.write_user("save a view", |tx, _| {
            let id = given_before(tx, "saved_view", id)?;
            let sql =
                "INSERT INTO user.saved_view (id, path, name, query, saved_ms) VALUES (?1, ?2, ?3, ?4, ?5)
                       ON CONFLICT (id) DO UPDATE SET path = excluded.path, name = excluded.name,
                         query = excluded.query, saved_ms = excluded.saved_ms";
            sql::run_statement(tx, sql, params![id, path, name, query, saved_ms])?;
            Ok(id.unwrap_or_else(|| tx.last_insert_rowid()))
        })
    }

    pub fn remove_view(&mut self, id: i64) -> Result<bool, StoreError> {
        self.write_user("remove a view", |tx, _| {
            sql::run_change(tx, "DELETE FROM user.saved_view WHERE id = ?1", [id])
        })
    }
}

impl ReadHandle {
    /// Oldest first.
    pub fn saved_views(&self, path: &str) -> Result<Vec<SavedView>, StoreError> {
        self.at_once("load saved views", |db| {
            let sql = "SELECT id, path, name, query, saved_ms FROM user.saved_view
                       WHERE path = ?1 ORDER BY saved_ms, id";
            sql::collect_rows(db, sql, [path], |row| {
                Ok(SavedView {
                    id: row.get(0)?,
                    path: row.get(1)?,
                    name: row.get(2)?,
                    query: row.get(3)?,
                    saved_ms: row.get(4)?,
                })
            })
        })
    }
}
