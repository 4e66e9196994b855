//! Tables `counter` and `count`: sizes of texts, per tokenizer and implementation.

use rusqlite::{Connection, params};

use super::source::SourceId;
use crate::error::Fault;
use crate::sql;
use crate::text::TextHash;

/// A `tokenizer` and its implementation. The store compares only the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter<'a> {
    pub tokenizer: &'a str,
    /// The crate and its version, because counts have changed between releases.
    pub implementation: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownText {
    pub units: Option<u32>,
}

pub(crate) fn find_counter(db: &Connection, counter: &Counter<'_>) -> Result<Option<i64>, Fault> {
    let sql = "SELECT id FROM counter WHERE tokenizer = ?1 AND implementation = ?2";
    sql::first_row(db, sql, [counter.tokenizer, counter.implementation], |row| Ok(row.get(0)?))
}

pub(crate) fn find_or_save_counter(db: &Connection, counter: &Counter<'_>) -> Result<i64, Fault> {
    if let Some(id) = find_counter(db, counter)? {
        return Ok(id);
    }
    let sql = "INSERT INTO counter (tokenizer, implementation) VALUES (?1, ?2)";
    sql::run_statement(db, sql, [counter.tokenizer, counter.implementation])?;
    Ok(db.last_insert_rowid())
}

pub(crate) fn save_count(db: &Connection, counter_id: i64, text_id: i64, units: u32) -> Result<(), Fault> {
    sql::run_statement(
        db,
        "INSERT INTO count (counter_id, text_id, units) VALUES (?1, ?2, ?3)
         ON CONFLICT (counter_id, text_id) DO UPDATE SET units = excluded.units WHERE units <> excluded.units",
        params![counter_id, text_id, units],
    )
}

pub(crate) fn find_text(
    db: &Connection,
    counter_id: Option<i64>,
    hash: TextHash,
) -> Result<Option<KnownText>, Fault> {
    let sql = "SELECT c.units FROM text AS t LEFT JOIN count AS c ON c.counter_id = ?2 AND c.text_id = t.id
               WHERE t.hash = ?1";
    sql::first_row(db, sql, params![hash.as_bytes(), counter_id], |row| Ok(KnownText { units: row.get(0)? }))
}

pub(crate) fn load_counts(
    db: &Connection,
    source: SourceId,
    counter: &Counter<'_>,
) -> Result<Vec<Option<u32>>, Fault> {
    // For a counter that never counted, this is null and matches no row.
    let counter_id = find_counter(db, counter)?;
    let sql = "SELECT c.units FROM block AS b
               LEFT JOIN count AS c ON c.counter_id = ?2 AND c.text_id = b.text_id
               WHERE b.source_id = ?1 ORDER BY b.seq, b.part";
    sql::collect_rows(db, sql, params![source.0, counter_id], |row| Ok(row.get::<_, Option<u32>>(0)?))
}
