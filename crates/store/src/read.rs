use std::ops::ControlFlow;

use cwl_engine::{BlockPlace, Content, EventLog, Problem, RawPayload};
use rusqlite::{Connection, Row, params};

use crate::error::{Fault, StoreError};
use crate::open::ReadHandle;
use crate::sql;
use crate::table::count::{Counter, KnownText};
use crate::table::source::{SourceId, SourceRow};
use crate::table::{count, event, payload, problem, source, text};
use crate::text::{TextHash, TextUnpacker};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UncountedTexts {
    /// Distinct texts, in log order of their first block.
    pub texts: Vec<(TextHash, String)>,
    /// `None` at the log's end.
    pub next: Option<BlockPlace>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(i64);

const UNCOUNTED_BYTES: usize = 16 << 20;

impl ReadHandle {
    /// Returns all logs, those with the latest time first. Costs one small row per log.
    pub fn all_sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        self.at_once("list the logs", source::all_sources)
    }

    pub fn source(&self, source: SourceId) -> Result<SourceRow, StoreError> {
        self.at_once("look up a log", |db| source::get_source(db, source))
    }

    pub fn find_source(&self, path: &str) -> Result<Option<SourceRow>, StoreError> {
        self.at_once("look up a log", |db| {
            source::find_source(db, path)?.map(|id| source::get_source(db, id)).transpose()
        })
    }

    /// `None` before the first batch.
    pub fn reader_state(&self, source: SourceId) -> Result<Option<Vec<u8>>, StoreError> {
        self.at_once("look up where reading stopped", |db| source::load_reader(db, source))
    }

    pub fn load_log(&self, source: SourceId) -> Result<(EventLog, Vec<Problem>), StoreError> {
        self.at_once("load a log", |db| {
            source::get_source(db, source)?;
            Ok((event::load_log(db, source)?, problem::load_problems(db, source)?))
        })
    }

    /// `None` if there is no such block.
    pub fn block_contents(
        &self,
        source: SourceId,
        places: &[BlockPlace],
    ) -> Result<Vec<Option<Content>>, StoreError> {
        self.at_once("load texts", |db| {
            let mut unpacker = self.unpacker.borrow_mut();
            places.iter().map(|at| load_content(db, &mut unpacker, source, *at)).collect()
        })
    }

    /// The record's JSON around its blocks; `None` if there is no such record.
    pub fn record_envelope(&self, source: SourceId, seq: u32) -> Result<Option<RawPayload>, StoreError> {
        self.at_once("load a record", |db| {
            payload::load_payload(db, &mut self.unpacker.borrow_mut(), source, seq, payload::ENVELOPE)
        })
    }

    pub fn block_counts(
        &self,
        source: SourceId,
        counter: Counter<'_>,
    ) -> Result<Vec<Option<u32>>, StoreError> {
        self.at_once("load token counts", |db| count::load_counts(db, source, &counter))
    }

    /// `None` for every unknown hash.
    pub fn known_texts(
        &self,
        counter: Counter<'_>,
        hashes: &[TextHash],
    ) -> Result<Vec<Option<KnownText>>, StoreError> {
        self.at_once("look up texts", |db| {
            let counter_id = count::find_counter(db, &counter)?;
            hashes.iter().map(|hash| count::find_text(db, counter_id, *hash)).collect()
        })
    }

    /// Returns uncounted texts from block `from` on, at most `limit` and about 16 MiB.
    pub fn uncounted_texts(
        &self,
        source: SourceId,
        counter: Counter<'_>,
        from: BlockPlace,
        limit: usize,
    ) -> Result<UncountedTexts, StoreError> {
        self.at_once("look for texts to count", |db| {
            let mut unpacker = self.unpacker.borrow_mut();
            let counter_id = count::find_counter(db, &counter)?;
            let mut statement = db.prepare_cached(&format!(
                "SELECT b.seq, b.part, t.hash, {} FROM block AS b JOIN text AS t ON t.id = b.text_id
                 WHERE b.source_id = ?1 AND (b.seq, b.part) >= (?2, ?3)
                   AND NOT EXISTS (SELECT 1 FROM count WHERE counter_id = ?4 AND text_id = b.text_id)
                 ORDER BY b.seq, b.part",
                text::COLUMNS
            ))?;
            let mut rows = statement.query(params![source.0, from.seq, from.part, counter_id])?;
            let mut found = UncountedTexts::default();
            let mut seen = std::collections::HashSet::new();
            let mut n_bytes = 0;
            while let Some(row) = rows.next()? {
                if found.texts.len() >= limit || n_bytes >= UNCOUNTED_BYTES {
                    found.next = Some(BlockPlace { seq: row.get(0)?, part: row.get(1)? });
                    break;
                }
                let hash = TextHash::from_bytes(row.get(2)?);
                if seen.insert(hash) {
                    let text = text::unpack_row(row, 3, &mut unpacker)?;
                    n_bytes += text.len();
                    found.texts.push((hash, text));
                }
            }
            Ok(found)
        })
    }

    /// In log order.
    pub fn text_ids(&self, source: SourceId) -> Result<Vec<(BlockPlace, TextId)>, StoreError> {
        self.at_once("list texts", |db| {
            let sql = "SELECT seq, part, text_id FROM block WHERE source_id = ?1 ORDER BY seq, part";
            sql::collect_rows(db, sql, [source.0], |row| {
                Ok((BlockPlace { seq: row.get(0)?, part: row.get(1)? }, TextId(row.get(2)?)))
            })
        })
    }

    /// Calls `visit` with each text and its index in `ids`, until it breaks.
    ///
    /// Ascending `ids` are read fastest; missing texts are skipped.
    pub fn visit_texts(
        &self,
        ids: &[TextId],
        mut visit: impl FnMut(usize, &str) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.at_once("search texts", |db| {
            let sql = format!("SELECT {} FROM text AS t WHERE t.id = ?1", text::COLUMNS);
            for (at, id) in ids.iter().enumerate() {
                let unpack = |row: &Row<'_>| text::unpack_row(row, 0, &mut self.unpacker.borrow_mut());
                let Some(text) = sql::first_row(db, &sql, [id.0], unpack)? else { continue };
                if visit(at, &text).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Calls `visit` with every block's text, in log order.
    ///
    /// The scan holds its state of the store until it ends, so `visit` should be fast.
    pub fn scan_texts(
        &self,
        source: SourceId,
        mut visit: impl FnMut(BlockPlace, &str),
    ) -> Result<(), StoreError> {
        self.at_once("search texts", |db| {
            let sql = format!(
                "SELECT b.seq, b.part, {} FROM block AS b JOIN text AS t ON t.id = b.text_id
                 WHERE b.source_id = ?1 ORDER BY b.seq, b.part",
                text::COLUMNS
            );
            sql::for_each_row(db, &sql, [source.0], |row| {
                // Released before `visit`, which may use this handle itself.
                let text = text::unpack_row(row, 2, &mut self.unpacker.borrow_mut())?;
                visit(BlockPlace { seq: row.get(0)?, part: row.get(1)? }, &text);
                Ok(())
            })
        })
    }
}

fn load_content(
    db: &Connection,
    unpacker: &mut TextUnpacker,
    source: SourceId,
    at: BlockPlace,
) -> Result<Option<Content>, Fault> {
    let sql = format!(
        "SELECT {} FROM block AS b JOIN text AS t ON t.id = b.text_id
         WHERE b.source_id = ?1 AND b.seq = ?2 AND b.part = ?3",
        text::COLUMNS
    );
    let text = sql::first_row(db, &sql, params![source.0, at.seq, at.part], |row| {
        text::unpack_row(row, 0, unpacker)
    })?;
    let Some(text) = text else {
        return Ok(None);
    };
    let raw = payload::load_payload(db, unpacker, source, at.seq, i64::from(at.part))?;
    let raw = raw.ok_or_else(|| {
        Fault::Damaged(format!("block {}.{} of log {}: no row in `payload`", at.seq, at.part, source.0))
    })?;
    Ok(Some(Content { text, raw }))
}
