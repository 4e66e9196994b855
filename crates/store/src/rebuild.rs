//! Derived tables: new rows are written beside the current ones and then replace them.

use std::collections::BTreeMap;

use cwl_engine::Problem;
use rusqlite::{Connection, params};

use crate::error::{Fault, StoreError};
use crate::open::{ReadHandle, Store};
use crate::sql;
use crate::table::episode::{self, EpisodeRow};
use crate::table::source::{self, SourceId};
use crate::table::{problem, to_signed, to_unsigned};

#[derive(Debug, Clone, Copy)]
pub struct DerivedRows<'a> {
    /// Version of the deriving rules, raised whenever the same log gives different rows.
    pub version: u32,
    pub n_events: u32,
    /// Requests answered by the model on the current branch.
    pub n_turns: u32,
    /// Tokens of all texts and images, all branches together.
    pub tokens: u64,
    pub tokenizer: &'a str,
    /// Sorted by start.
    pub episodes: &'a [EpisodeRow],
    pub diagnostics: &'a [Problem],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFigures {
    pub n_turns: u32,
    /// The size of the next request with nothing evicted, tokens.
    pub tokens: u64,
    pub tokenizer: String,
    /// Episodes that the agent marked, without those that compaction took away.
    pub n_episodes: u32,
    pub is_annotated: bool,
    pub n_problems: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RebuildOutcome {
    Swapped,
    /// The log has other records by now; nothing was kept.
    Outdated,
    /// A newer program saved its own rows; nothing was kept.
    Newer,
}

impl Store {
    pub fn save_derived(
        &mut self,
        source: SourceId,
        derived: &DerivedRows<'_>,
    ) -> Result<RebuildOutcome, StoreError> {
        self.write_transaction("store what was derived", |tx, _| {
            if source::get_source(tx, source)?.n_events != derived.n_events {
                return Ok(RebuildOutcome::Outdated);
            }
            let old = episode::current_build(tx, source)?;
            if old.is_some_and(|(_, version)| version > derived.version) {
                return Ok(RebuildOutcome::Newer);
            }
            sql::run_statement(
                tx,
                "INSERT INTO build (source_id, version, n_events, current, n_turns, tokens, tokenizer)
                 VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6)",
                params![
                    source.0,
                    derived.version,
                    derived.n_events,
                    derived.n_turns,
                    to_signed(derived.tokens),
                    derived.tokenizer,
                ],
            )?;
            let build_id = tx.last_insert_rowid();
            episode::save_episodes(tx, build_id, derived.episodes)?;
            problem::save_problems(tx, problem::DERIVED, build_id, 0, derived.diagnostics)?;
            if let Some((old, _)) = old {
                forget_build(tx, old)?;
            }
            sql::run_statement(tx, "UPDATE build SET current = 1 WHERE id = ?1", [build_id])?;
            Ok(RebuildOutcome::Swapped)
        })
    }
}

impl ReadHandle {
    /// Only logs whose derived rows have this `version` and cover all records.
    pub fn session_figures(&self, version: u32) -> Result<BTreeMap<SourceId, SessionFigures>, StoreError> {
        self.at_once("look up the figures of sessions", |db| {
            let sql = "SELECT s.id, u.n_turns, u.tokens, coalesce(u.tokenizer, ''), count(e.idx),
                       EXISTS (SELECT 1 FROM episode AS a WHERE a.build_id = u.id),
                       s.n_problems + (SELECT coalesce(sum(CASE code WHEN 'L030' THEN amount ELSE 1 END), 0)
                        FROM diagnostic AS d WHERE d.build_id = u.id)
                     FROM source AS s
                     JOIN build AS u ON u.source_id = s.id AND u.current = 1
                     LEFT JOIN episode AS e
                       ON e.build_id = u.id AND e.kind <> 'unannotated' AND e.state <> 'vanished'
                     WHERE u.version = ?1 AND u.n_events = s.n_events GROUP BY s.id";
            sql::collect_rows(db, sql, [version], |row| {
                let figures = SessionFigures {
                    n_turns: row.get(1)?,
                    tokens: row.get(2).map(to_unsigned)?,
                    tokenizer: row.get(3)?,
                    n_episodes: row.get(4)?,
                    is_annotated: row.get(5)?,
                    n_problems: row.get(6).map(to_unsigned)?,
                };
                Ok((SourceId(row.get(0)?), figures))
            })
        })
    }
}

pub(crate) fn forget_derived(db: &Connection, source: SourceId) -> Result<(), Fault> {
    match episode::current_build(db, source)? {
        Some((build_id, _)) => forget_build(db, build_id),
        None => Ok(()),
    }
}

fn forget_build(db: &Connection, build_id: i64) -> Result<(), Fault> {
    for table in ["episode", "dependency", "diagnostic"] {
        sql::run_statement(db, &format!("DELETE FROM {table} WHERE build_id = ?1"), [build_id])?;
    }
    sql::run_statement(db, "DELETE FROM build WHERE id = ?1", [build_id])
}
