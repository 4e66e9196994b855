//! Tables `counter` and `count`: the size of texts, per tokenizer and implementation.

use rusqlite::{Connection, OptionalExtension, params};

use super::source::SourceId;
use crate::error::Fault;
use crate::text::ContentHash;

/// Who counted: a tokenizer and what implements it. Both are only names here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter<'a> {
    /// The tokenizer, `o200k`.
    pub tokenizer: &'a str,
    /// The crate and its version: counts have changed between releases.
    pub implementation: &'a str,
}

/// The facts that the store has about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownText {
    /// Its size by the counter that was asked about; `None` where that has not counted it.
    pub units: Option<u32>,
}

/// Returns the row of a counter that has counted.
pub(crate) fn find_counter(db: &Connection, counter: &Counter<'_>) -> Result<Option<i64>, Fault> {
    let id = db
        .prepare_cached("SELECT id FROM counter WHERE tokenizer = ?1 AND implementation = ?2")?
        .query_row([counter.tokenizer, counter.implementation], |row| row.get(0))
        .optional()?;
    Ok(id)
}

/// Returns the row of a counter, writing it where it is new.
pub(crate) fn find_or_save_counter(db: &Connection, counter: &Counter<'_>) -> Result<i64, Fault> {
    if let Some(id) = find_counter(db, counter)? {
        return Ok(id);
    }
    let id = db
        .prepare_cached("INSERT INTO counter (tokenizer, implementation) VALUES (?1, ?2)")?
        .insert([counter.tokenizer, counter.implementation])?;
    Ok(id)
}

/// Writes the size of a text; the last one wins.
pub(crate) fn save(db: &Connection, counter_id: i64, text_id: i64, units: u32) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO count (counter_id, text_id, units) VALUES (?1, ?2, ?3)
         ON CONFLICT (counter_id, text_id) DO UPDATE SET units = excluded.units WHERE units <> excluded.units",
    )?
    .execute(params![counter_id, text_id, units])?;
    Ok(())
}

/// Returns what is known of a text; `None` where the store does not have it.
pub(crate) fn find_text(
    db: &Connection,
    counter_id: Option<i64>,
    hash: ContentHash,
) -> Result<Option<KnownText>, Fault> {
    let known = db
        .prepare_cached(
            "SELECT c.units FROM text AS t LEFT JOIN count AS c ON c.counter_id = ?2 AND c.text_id = t.id
             WHERE t.hash = ?1",
        )?
        .query_row(params![&hash.as_bytes()[..], counter_id], |row| Ok(KnownText { units: row.get(0)? }))
        .optional()?;
    Ok(known)
}

/// Returns the size of every block of a log, in log order.
pub(crate) fn load(
    db: &Connection,
    source: SourceId,
    counter: &Counter<'_>,
) -> Result<Vec<Option<u32>>, Fault> {
    // A counter that never counted: no row of `count` has a null there.
    let counter_id = find_counter(db, counter)?;
    let units = db
        .prepare_cached(
            "SELECT c.units FROM block AS b
             LEFT JOIN count AS c ON c.counter_id = ?2 AND c.text_id = b.text_id
             WHERE b.source_id = ?1 ORDER BY b.seq, b.part",
        )?
        .query_map(params![source.0, counter_id], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(units)
}
