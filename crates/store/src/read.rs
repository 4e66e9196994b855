//! Reading: lists, logs without their texts, and texts on demand.

use std::ops::ControlFlow;

use cwl_engine::{Content, EventLog, Problem, RawPayload};
use rusqlite::{Connection, Row, params};

use crate::error::{Fault, StoreError};
use crate::open::ReadHandle;
use crate::sql;
use crate::table::block::BlockPlace;
use crate::table::count::{Counter, KnownText};
use crate::table::source::{SourceId, SourceRow};
use crate::table::{count, event, payload, problem, source, text};
use crate::text::{ContentHash, Unpacker};

/// Texts that a counter has not counted, with where to go on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Uncounted {
    /// Distinct texts, in log order of their first block.
    pub texts: Vec<(ContentHash, String)>,
    /// Where to go on looking; `None` when the log is through.
    pub next: Option<BlockPlace>,
}

/// The row of a text, which blocks that say the same share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(i64);

/// How much text [`ReadHandle::uncounted`] returns at once before it stops early, bytes.
const UNCOUNTED_BYTES: usize = 16 << 20;

impl ReadHandle {
    /// Returns all logs, those with the latest time first. The cost is one small row each.
    pub fn sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        self.at_once("list the logs", source::all)
    }

    /// Returns one log.
    pub fn source(&self, source: SourceId) -> Result<SourceRow, StoreError> {
        self.at_once("look up a log", |db| source::get(db, source))
    }

    /// Finds the log of a path.
    pub fn find_source(&self, path: &str) -> Result<Option<SourceRow>, StoreError> {
        self.at_once("look up a log", |db| source::find(db, path)?.map(|id| source::get(db, id)).transpose())
    }

    /// Returns what the adapter left with the last batch; `None` before the first.
    pub fn reader(&self, source: SourceId) -> Result<Option<Vec<u8>>, StoreError> {
        self.at_once("look up where reading stopped", |db| source::load_reader(db, source))
    }

    /// Returns a log without its texts, and what was odd about it.
    pub fn load_log(&self, source: SourceId) -> Result<(EventLog, Vec<Problem>), StoreError> {
        self.at_once("load a log", |db| {
            source::get(db, source)?;
            Ok((event::load_log(db, source)?, problem::load(db, source)?))
        })
    }

    /// Returns the texts of several blocks, one for each place.
    pub fn contents(
        &self,
        source: SourceId,
        places: &[BlockPlace],
    ) -> Result<Vec<Option<Content>>, StoreError> {
        self.at_once("load texts", |db| {
            let mut unpacker = self.unpacker.borrow_mut();
            places.iter().map(|at| load_content(db, &mut unpacker, source, *at)).collect()
        })
    }

    /// Returns the record around its blocks, `None` where there is no such record (any more).
    pub fn envelope(&self, source: SourceId, seq: u32) -> Result<Option<RawPayload>, StoreError> {
        self.at_once("load a record", |db| {
            payload::load(db, &mut self.unpacker.borrow_mut(), source, seq, payload::ENVELOPE)
        })
    }

    /// Returns the size of every block in log order; `None` where it was not counted yet.
    pub fn counts(&self, source: SourceId, counter: Counter<'_>) -> Result<Vec<Option<u32>>, StoreError> {
        self.at_once("load token counts", |db| count::load(db, source, &counter))
    }

    /// Returns what the store knows of texts by their hashes, one for each; `None` for those it does not have.
    pub fn known_texts(
        &self,
        counter: Counter<'_>,
        hashes: &[ContentHash],
    ) -> Result<Vec<Option<KnownText>>, StoreError> {
        self.at_once("look up texts", |db| {
            let counter_id = count::find_counter(db, &counter)?;
            hashes.iter().map(|hash| count::find_text(db, counter_id, *hash)).collect()
        })
    }

    /// Returns texts of a log that were not counted, at most `limit` and about 16 MiB, from a place on.
    pub fn uncounted(
        &self,
        source: SourceId,
        counter: Counter<'_>,
        from: BlockPlace,
        limit: usize,
    ) -> Result<Uncounted, StoreError> {
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
            let mut found = Uncounted::default();
            let mut seen = std::collections::HashSet::new();
            let mut n_bytes = 0;
            while let Some(row) = rows.next()? {
                if found.texts.len() >= limit || n_bytes >= UNCOUNTED_BYTES {
                    found.next = Some(BlockPlace { seq: row.get(0)?, part: row.get(1)? });
                    break;
                }
                let hash = ContentHash::from_bytes(row.get(2)?);
                if seen.insert(hash) {
                    let text = text::unpack(row, 3, &mut unpacker)?;
                    n_bytes += text.len();
                    found.texts.push((hash, text));
                }
            }
            Ok(found)
        })
    }

    /// Returns which text every block of a log says, in log order.
    pub fn text_ids(&self, source: SourceId) -> Result<Vec<(BlockPlace, TextId)>, StoreError> {
        self.at_once("list texts", |db| {
            let sql = "SELECT seq, part, text_id FROM block WHERE source_id = ?1 ORDER BY seq, part";
            sql::all(db, sql, [source.0], |row| {
                Ok((BlockPlace { seq: row.get(0)?, part: row.get(1)? }, TextId(row.get(2)?)))
            })
        })
    }

    /// Gives texts to `visit`, each with its place among `ids`, until it breaks off. Ascending `ids` are read fastest;
    /// what is not there (any more) is passed over.
    pub fn visit_texts(
        &self,
        ids: &[TextId],
        mut visit: impl FnMut(usize, &str) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.at_once("search texts", |db| {
            let sql = format!("SELECT {} FROM text AS t WHERE t.id = ?1", text::COLUMNS);
            for (at, id) in ids.iter().enumerate() {
                let unpack = |row: &Row<'_>| text::unpack(row, 0, &mut self.unpacker.borrow_mut());
                let Some(text) = sql::first(db, &sql, [id.0], unpack)? else { continue };
                if visit(at, &text).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Gives the text of every block to `visit`, in log order.
    ///
    /// The state of the store that the scan sees is held until it ends, so `visit` should be quick.
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
            sql::each(db, &sql, [source.0], |row| {
                // Given back before `visit`, which may use this handle itself.
                let text = text::unpack(row, 2, &mut self.unpacker.borrow_mut())?;
                visit(BlockPlace { seq: row.get(0)?, part: row.get(1)? }, &text);
                Ok(())
            })
        })
    }
}

fn load_content(
    db: &Connection,
    unpacker: &mut Unpacker,
    source: SourceId,
    at: BlockPlace,
) -> Result<Option<Content>, Fault> {
    let sql = format!(
        "SELECT {} FROM block AS b JOIN text AS t ON t.id = b.text_id
         WHERE b.source_id = ?1 AND b.seq = ?2 AND b.part = ?3",
        text::COLUMNS
    );
    let text =
        sql::first(db, &sql, params![source.0, at.seq, at.part], |row| text::unpack(row, 0, unpacker))?;
    let Some(text) = text else {
        return Ok(None);
    };
    let raw = payload::load(db, unpacker, source, at.seq, i64::from(at.part))?;
    let raw = raw.ok_or_else(|| {
        Fault::Damaged(format!("block {}.{} of log {}: no row in `payload`", at.seq, at.part, source.0))
    })?;
    Ok(Some(Content { text, raw }))
}
