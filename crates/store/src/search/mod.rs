//! Search: a word index over the blocks' texts, built later in small steps.
//!
//! The index is FTS5 with the tokenizer `unicode61` and without the texts (`content=''`), which stay
//! compressed in their own table. `trigram` would take twelve times as long to build and twice the space of
//! the texts, while a scan finds any substring at half a gigabyte per second. Hits are sorted newest first:
//! this costs the same for common words, and keeps the order while the index grows.

mod query;
mod snippet;

use rusqlite::{Connection, params};

use crate::error::{Fault, StoreError};
use crate::open::{ReadHandle, Store};
use crate::sql;
use crate::table::source::SourceId;
use crate::table::text;
use crate::text::TextUnpacker;
use cwl_engine::BlockPlace;

pub use query::Query;
pub use snippet::Snippet;

/// Version of the indexing rules, raised whenever the same texts give a different index.
const SEARCH_VERSION: u32 = 1;

const CREATE: &str = "CREATE VIRTUAL TABLE search USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
)";

/// How many bytes of each text are indexed. Longer texts are dumps, which a scan still finds.
const INDEXED_BYTES: usize = 4 << 20;
const STEP_TEXTS: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexProgress {
    Some,
    All,
    /// A newer program built the index and continues it.
    Newer,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchHits {
    /// Texts most recently added to the store come first; one hit per log with the text.
    pub hits: Vec<Hit>,
    pub more: bool,
    /// Approximate number of texts not yet indexed; 0 if the index is complete.
    pub n_pending: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub source: SourceId,
    /// The log's last block with the text.
    pub at: BlockPlace,
    pub n_blocks: u32,
    pub snippet: Snippet,
}

struct Build {
    version: u32,
    read_to: i64,
}

impl Build {
    fn load(db: &Connection) -> Result<Self, Fault> {
        let sql = "SELECT version, read_to FROM search_build WHERE one = 1";
        let build =
            sql::first_row(db, sql, [], |row| Ok(Self { version: row.get(0)?, read_to: row.get(1)? }))?;
        Ok(build.unwrap_or(Self { version: 0, read_to: 0 }))
    }

    fn save(&self, db: &Connection) -> Result<(), Fault> {
        let sql = "INSERT INTO search_build (one, version, read_to) VALUES (1, ?1, ?2)
                   ON CONFLICT (one) DO UPDATE SET version = excluded.version, read_to = excluded.read_to";
        sql::run_statement(db, sql, params![self.version, self.read_to])
    }
}

impl Store {
    /// Indexes about `n_bytes` of texts in one transaction.
    ///
    /// Several processes may call it at once; if one dies, the next continues. An index with an older version
    /// is deleted first.
    pub fn index_step(&mut self, n_bytes: usize) -> Result<IndexProgress, StoreError> {
        let mut unpacker =
            TextUnpacker::new().map_err(|fault| fault.with_context("index texts", &self.file_path()))?;
        self.write_transaction("index texts", |tx, _| {
            let mut build = Build::load(tx)?;
            if build.version > SEARCH_VERSION {
                return Ok(IndexProgress::Newer);
            }
            if build.version < SEARCH_VERSION {
                tx.execute_batch(&format!("DROP TABLE IF EXISTS search; {CREATE}"))?;
                build = Build { version: SEARCH_VERSION, read_to: 0 };
                build.save(tx)?;
            }
            let before = build.read_to;
            let whole = add_texts(tx, &mut unpacker, &mut build, n_bytes)?;
            if build.read_to != before {
                build.save(tx)?;
            }
            Ok(if whole { IndexProgress::All } else { IndexProgress::Some })
        })
    }
}

fn add_texts(
    db: &Connection,
    unpacker: &mut TextUnpacker,
    build: &mut Build,
    n_bytes: usize,
) -> Result<bool, Fault> {
    let mut add = db.prepare_cached("INSERT INTO search (rowid, words) VALUES (?1, ?2)")?;
    let mut texts = db.prepare_cached(&format!(
        "SELECT t.id, EXISTS (SELECT 1 FROM block WHERE text_id = t.id), {} FROM text AS t
         WHERE t.id > ?1 ORDER BY t.id",
        text::COLUMNS
    ))?;
    let mut rows = texts.query([build.read_to])?;
    let (mut n_texts, mut n_added) = (0, 0);
    while let Some(row) = rows.next()? {
        if n_texts == STEP_TEXTS || n_added >= n_bytes {
            return Ok(false);
        }
        let id: i64 = row.get(0)?;
        // Long payloads are texts without a block.
        if row.get(1)? {
            let text = text::unpack_row(row, 2, unpacker)?;
            let indexed = indexed_beginning(&text);
            add.execute(params![id, indexed])?;
            n_added += indexed.len();
        }
        n_texts += 1;
        build.read_to = id;
    }
    Ok(true)
}

fn indexed_beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(INDEXED_BYTES)]
}

/// Removes deleted texts from the index. Must run in the transaction that deletes them, because their ids may
/// be reused later.
pub(crate) fn forget_removed(db: &Connection) -> Result<(), Fault> {
    let mut build = Build::load(db)?;
    if build.version == 0 || build.version > SEARCH_VERSION {
        return Ok(());
    }
    let last: i64 = db.query_row("SELECT coalesce(max(id), 0) FROM text", [], |row| row.get(0))?;
    db.execute(
        "DELETE FROM search WHERE rowid IN
           (SELECT id FROM search_docsize WHERE id NOT IN (SELECT id FROM text))",
        [],
    )?;
    build.read_to = build.read_to.min(last);
    build.save(db)
}

impl ReadHandle {
    /// Finds texts with all words of `query`, in one log or in all.
    pub fn search_texts(
        &self,
        query: &Query,
        within: Option<SourceId>,
        limit: usize,
    ) -> Result<SearchHits, StoreError> {
        self.at_once("search", |db| {
            let build = Build::load(db)?;
            let last: i64 = db.query_row("SELECT coalesce(max(id), 0) FROM text", [], |row| row.get(0))?;
            if build.version != SEARCH_VERSION {
                return Ok(SearchHits { n_pending: last.cast_unsigned(), ..SearchHits::default() });
            }
            let pending = last.saturating_sub(build.read_to).max(0).cast_unsigned();
            let mut found = SearchHits { n_pending: pending, ..SearchHits::default() };
            let mut unpacker = self.unpacker.borrow_mut();
            let mut matches =
                db.prepare_cached("SELECT rowid FROM search WHERE search MATCH ?1 ORDER BY rowid DESC")?;
            // One row per log, with its last block that has the text.
            let mut places = db.prepare_cached(
                "SELECT source_id, max((seq << 32) | part), count(*) FROM block INDEXED BY block_text
                 WHERE text_id = ?1 AND (?2 IS NULL OR source_id = ?2)
                 GROUP BY source_id ORDER BY source_id DESC",
            )?;
            let unpack = format!("SELECT {} FROM text AS t WHERE t.id = ?1", text::COLUMNS);
            let mut rows = matches.query([query.as_expression()])?;
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                let mut snippet = None;
                let mut logs = places.query(params![id, within.map(|source| source.0)])?;
                while let Some(log) = logs.next()? {
                    if found.hits.len() == limit {
                        found.more = true;
                        return Ok(found);
                    }
                    let snippet = match &snippet {
                        Some(snippet) => Snippet::clone(snippet),
                        None => {
                            let text = sql::first_row(db, &unpack, [id], |row| {
                                text::unpack_row(row, 0, &mut unpacker)
                            })?;
                            let text = text
                                .ok_or_else(|| Fault::Damaged(format!("block of text {id}: no such text")))?;
                            snippet.insert(query.find_snippet(&text)).clone()
                        }
                    };
                    let at: i64 = log.get(1)?;
                    found.hits.push(Hit {
                        source: SourceId(log.get(0)?),
                        at: BlockPlace { seq: (at >> 32) as u32, part: at as u32 },
                        n_blocks: log.get(2)?,
                        snippet,
                    });
                }
            }
            Ok(found)
        })
    }
}
