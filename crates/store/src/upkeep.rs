//! Upkeep: integrity checks, and removal of unused data.

use std::fmt;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::{Fault, StoreError};
use crate::open::{ReadHandle, Store};
use crate::table::text;
use crate::text::{TextHash, TextUnpacker};
use crate::{search, sql};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreInconsistency {
    pub what: &'static str,
    /// SQLite's message, or the first rows concerned.
    pub rows: String,
}

impl fmt::Display for StoreInconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.rows)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VacuumOutcome {
    pub n_texts: u64,
    pub bytes_before: u64,
    pub bytes_after: u64,
}

/// Statements that return the rows violating a rule; the comment above each describes the violation.
const RULES: &str = include_str!("upkeep.sql");

impl ReadHandle {
    /// Checks files, references, rules between tables, and every text's hash; empty for a sound store. Reads
    /// the whole store once.
    pub fn check_integrity(&self) -> Result<Vec<StoreInconsistency>, StoreError> {
        self.at_once("check the store", |db| {
            let mut findings = Vec::new();
            for schema in ["main", "user"] {
                sql::for_each_row(db, &format!("PRAGMA {schema}.integrity_check(20)"), [], |row| {
                    let says: String = row.get(0)?;
                    if says != "ok" {
                        findings.push(StoreInconsistency { what: "the file is damaged", rows: says });
                    }
                    Ok(())
                })?;
            }
            let rules = RULES.split("\n\n-- ").skip(1).filter_map(|rule| rule.split_once('\n'));
            for (what, rule) in rules {
                let mut broken = RuleBreaks::new(what);
                sql::for_each_row(db, rule, [], |row| {
                    broken.add_row(&match row.get_ref(0)? {
                        rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                        other => String::from_utf8_lossy(other.as_bytes().unwrap_or_default()).into_owned(),
                    });
                    Ok(())
                })?;
                findings.extend(broken.into_inconsistency());
            }
            findings.extend(check_texts(db, &mut self.unpacker.borrow_mut())?);
            Ok(findings)
        })
    }
}

impl Store {
    pub fn check_integrity(&self) -> Result<Vec<StoreInconsistency>, StoreError> {
        self.read_handle()?.check_integrity()
    }

    /// Removes texts used by no log, and returns their space to the disk.
    ///
    /// Needs as much free disk space as the store occupies, and no other process using the store.
    pub fn vacuum(&mut self) -> Result<VacuumOutcome, StoreError> {
        let path = self.file_path();
        let db = &mut self.db;
        let mut run = || {
            let bytes_before = n_bytes(db)?;
            // The statement finds unused texts by itself. To verify each of them, SQLite would read all
            // blocks every time. The setting has no effect inside a transaction.
            db.pragma_update(None, "foreign_keys", false)?;
            let removed = remove_unused_texts(db);
            db.pragma_update(None, "foreign_keys", true)?;
            let n_texts = removed?;
            db.execute_batch("VACUUM main")?;
            run_checkpoint(db)?;
            Ok(VacuumOutcome { n_texts, bytes_before, bytes_after: n_bytes(db)? })
        };
        run().map_err(|fault: Fault| fault.with_context("vacuum the store", &path))
    }

    /// Moves the write-ahead log into the main file as far as readers allow; useful after a large import.
    pub fn checkpoint(&mut self) -> Result<(), StoreError> {
        run_checkpoint(&self.db).map_err(|fault| fault.with_context("write the log back", &self.file_path()))
    }
}

fn run_checkpoint(db: &Connection) -> Result<(), Fault> {
    // If a reader is in the way, the rest is moved later.
    db.query_row("PRAGMA main.wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

fn n_bytes(db: &Connection) -> Result<u64, Fault> {
    let n_bytes: i64 = db.query_row(
        "SELECT page_count * page_size FROM pragma_page_count('main'), pragma_page_size('main')",
        [],
        |row| row.get(0),
    )?;
    Ok(n_bytes.cast_unsigned())
}

fn remove_unused_texts(db: &mut Connection) -> Result<u64, Fault> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let n_texts = tx.execute(
        "DELETE FROM text WHERE id NOT IN
           (SELECT text_id FROM block UNION SELECT text_id FROM payload WHERE text_id IS NOT NULL)",
        [],
    )?;
    tx.execute("DELETE FROM count WHERE text_id NOT IN (SELECT id FROM text)", [])?;
    search::forget_removed(&tx)?;
    tx.commit()?;
    Ok(n_texts as u64)
}

fn check_texts(db: &Connection, unpacker: &mut TextUnpacker) -> Result<Vec<StoreInconsistency>, Fault> {
    let sql = format!("SELECT t.id, t.hash, {} FROM text AS t", text::COLUMNS);
    let (mut unreadable, mut other) = (
        RuleBreaks::new("a text does not unpack"),
        RuleBreaks::new("a text is not the one that its hash names"),
    );
    sql::for_each_row(db, &sql, [], |row| {
        let id: i64 = row.get(0)?;
        match text::unpack_row(row, 2, unpacker) {
            Ok(text) if TextHash::from_text(&text).as_bytes() == row.get_ref(1)?.as_blob()? => {}
            Ok(_) => other.add_row(&id.to_string()),
            Err(Fault::Damaged(_) | Fault::TooLarge | Fault::Codec(_)) => unreadable.add_row(&id.to_string()),
            Err(fault) => return Err(fault),
        }
        Ok(())
    })?;
    Ok(unreadable.into_inconsistency().into_iter().chain(other.into_inconsistency()).collect())
}

struct RuleBreaks {
    what: &'static str,
    first: Vec<String>,
    n_rows: usize,
}

impl RuleBreaks {
    const SHOWN: usize = 5;

    fn new(what: &'static str) -> Self {
        Self { what, first: Vec::new(), n_rows: 0 }
    }

    fn add_row(&mut self, row: &str) {
        self.n_rows += 1;
        if self.first.len() < Self::SHOWN {
            self.first.push(row.to_owned());
        }
    }

    fn into_inconsistency(self) -> Option<StoreInconsistency> {
        let mut rows = self.first.join(", ");
        if self.n_rows > self.first.len() {
            rows.push_str(&format!(" and {} more", self.n_rows - self.first.len()));
        }
        (self.n_rows > 0).then_some(StoreInconsistency { what: self.what, rows })
    }
}
