//! Tables `problem` and `diagnostic`, with the same columns.

use cwl_engine::{BlockId, EntryId, Place, Problem, ProblemKind, ProblemList};
use rusqlite::{Connection, params};

use super::source::SourceId;
use super::to_signed;
use crate::error::Fault;
use crate::sql;

pub(crate) const OF_LOGS: (&str, &str) = ("problem", "source_id");
pub(crate) const DERIVED: (&str, &str) = ("diagnostic", "build_id");

/// Writes problems from position `first_place` on; counted problems are added to the stored number.
pub(crate) fn save_problems(
    db: &Connection,
    (table, key): (&str, &str),
    id: i64,
    first_place: u64,
    problems: &[Problem],
) -> Result<(), Fault> {
    let mut statement = db.prepare_cached(&format!(
        "INSERT INTO {table} ({key}, place, line, entry, block_entry, block_idx, code, severity, subject, amount,
           message)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
    ))?;
    for (nth, problem) in (0_u64..).zip(problems) {
        if add_more(db, (table, key), id, &problem.kind)? {
            continue;
        }
        let place = first_place.saturating_add(nth);
        let block = problem.place.block.as_ref();
        statement.execute(params![
            id,
            to_signed(place),
            problem.place.line.map(to_signed),
            problem.place.entry.as_ref().map(EntryId::as_str),
            block.map(|block| block.entry.as_str()),
            block.map(|block| block.index),
            problem.kind.code(),
            problem.kind.severity().name(),
            problem.kind.subject(),
            problem.kind.amount().map(to_signed),
            problem.kind.to_string(),
        ])?;
    }
    Ok(())
}

/// False if there is no stored number yet.
fn add_more(db: &Connection, (table, key): (&str, &str), id: i64, kind: &ProblemKind) -> Result<bool, Fault> {
    let ProblemKind::MoreOfCode { code, n_more } = kind else { return Ok(false) };
    let own = kind.code();
    let sql = format!("SELECT amount FROM {table} WHERE {key} = ?1 AND code = ?2 AND subject = ?3");
    let before: Vec<u64> = sql::collect_rows(db, &sql, params![id, own, &**code], |row| {
        Ok(sql::read_unsigned(row, 0)?.unwrap_or(0))
    })?;
    let Some(before) = before.first() else { return Ok(false) };
    let sum = ProblemKind::MoreOfCode { code: code.clone(), n_more: before.saturating_add(*n_more) };
    let sql = format!(
        "UPDATE {table} SET amount = ?4, message = ?5 WHERE {key} = ?1 AND code = ?2 AND subject = ?3"
    );
    sql::run_statement(db, &sql, params![id, own, &**code, sum.amount().map(to_signed), sum.to_string()])?;
    Ok(true)
}

/// Returns a log's problems in order, per code as many as a [`ProblemList`] holds.
pub(crate) fn load_problems(db: &Connection, source: SourceId) -> Result<Vec<Problem>, Fault> {
    let mut list = ProblemList::default();
    let sql = "SELECT line, entry, block_entry, block_idx, code, subject, amount FROM problem
               WHERE source_id = ?1 ORDER BY place";
    sql::for_each_row(db, sql, [source.0], |row| {
        let block = match row.get::<_, Option<String>>(2)? {
            Some(entry) => Some(BlockId { entry: EntryId::new(entry), index: row.get(3)? }),
            None => None,
        };
        let entry = row.get::<_, Option<String>>(1)?.map(EntryId::new);
        let (code, subject): (String, Option<String>) = (row.get(4)?, row.get(5)?);
        let kind = ProblemKind::from_code(&code, subject.as_deref(), sql::read_unsigned(row, 6)?)
            .ok_or_else(|| Fault::damaged(format!("a problem {code} that is none")))?;
        list.push(Problem { place: Place { line: sql::read_unsigned(row, 0)?, entry, block }, kind });
        Ok(())
    })?;
    Ok(list.into_problems())
}
