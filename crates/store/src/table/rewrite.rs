//! Tables `change` and `usage_report`: what rewrites changed, and usage in records of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{Change, EntryId, Message, Reported, Rewrite, Target, ToolCallId, UsageReport};
use rusqlite::{Connection, params};

use super::source::SourceId;
use super::usage::{UsageColumns, read_usage, usage_columns, usage_parameters};
use super::{bits, small};
use crate::error::Fault;
use crate::sql;

/// Writes what a rewrite changed, without its messages.
pub(crate) fn save(db: &Connection, source: SourceId, seq: u32, rewrite: &Rewrite) -> Result<(), Fault> {
    let sql = "INSERT INTO change (source_id, seq, place, target, name, n_turns, n_stand_ins)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    for (place, change) in rewrite.changes.iter().enumerate() {
        let (target, name, n_turns) = match &change.target {
            Target::Entry(entry) => ("entry", Some(entry.as_str()), None),
            Target::Results(call) => ("results", Some(call.as_str()), None),
            Target::From(entry) => ("from", Some(entry.as_str()), None),
            Target::Turns(n_turns) => ("turns", None, Some(*n_turns)),
            Target::All => ("all", None, None),
        };
        let n_stand_ins = small(change.replaced_by.len())?;
        sql::run(db, sql, params![source.0, seq, small(place)?, target, name, n_turns, n_stand_ins])?;
    }
    Ok(())
}

/// The changes of each rewrite, each with the number of the messages that replace what went.
pub(crate) type ChangeRows = BTreeMap<u32, Vec<(Target, u32)>>;

/// Returns the changes of every rewrite of a log.
pub(crate) fn load(db: &Connection, source: SourceId) -> Result<ChangeRows, Fault> {
    let sql = "SELECT seq, target, name, n_turns, n_stand_ins FROM change WHERE source_id = ?1
               ORDER BY seq, place";
    let mut found = ChangeRows::new();
    sql::each(db, sql, [source.0], |row| {
        let seq: u32 = row.get(0)?;
        let name = || -> Result<String, Fault> { Ok(row.get(2)?) };
        let target = match row.get_ref(1)?.as_str()? {
            "entry" => Target::Entry(EntryId::new(name()?)),
            "results" => Target::Results(ToolCallId::new(name()?)),
            "from" => Target::From(EntryId::new(name()?)),
            "turns" => Target::Turns(row.get(3)?),
            "all" => Target::All,
            _ => return Err(Fault::damaged(format!("rewrite {seq} of log {}: unknown target", source.0))),
        };
        found.entry(seq).or_default().push((target, row.get(4)?));
        Ok(())
    })?;
    Ok(found)
}

/// Gives each change the messages that replace what went; `None` where the table holds too few of them.
pub(crate) fn with_replacements(
    changes: Vec<(Target, u32)>,
    messages: &mut Vec<Message>,
) -> Option<Vec<Change>> {
    let mut left = std::mem::take(messages).into_iter();
    let mut made = Vec::with_capacity(changes.len());
    for (target, n_stand_ins) in changes {
        let replaced_by: Vec<Message> = left.by_ref().take(n_stand_ins as usize).collect();
        if replaced_by.len() < n_stand_ins as usize {
            return None;
        }
        made.push(Change { target, replaced_by });
    }
    messages.extend(left);
    Some(made)
}

/// Writes a report.
pub(crate) fn save_report(
    db: &Connection,
    source: SourceId,
    seq: u32,
    report: &UsageReport,
) -> Result<(), Fault> {
    let usage = UsageColumns::new(report.usage.as_ref());
    let of = (report.of != Reported::Reply).then(|| <&str>::from(report.of));
    sql::run(
        db,
        concat!(
            "INSERT INTO usage_report (source_id, seq, window, report_of, model, unlogged_tokens, ",
            usage_columns!(),
            ") VALUES (?, ?, ?, ?, ?, ?, ",
            usage_parameters!(),
            ")"
        ),
        &*usage.behind(&[
            &source.0,
            &seq,
            &report.window.map(bits),
            &of,
            &report.model.as_deref(),
            &report.unlogged.map(bits),
        ]),
    )
}

/// Returns every report of a log.
pub(crate) fn load_reports(db: &Connection, source: SourceId) -> Result<BTreeMap<u32, UsageReport>, Fault> {
    let sql = concat!(
        "SELECT seq, ",
        usage_columns!(),
        ", window, report_of, model, unlogged_tokens FROM usage_report WHERE source_id = ?1"
    );
    sql::all(db, sql, [source.0], |row| {
        let of = match row.get::<_, Option<String>>(13)? {
            None => Reported::Reply,
            Some(_) => sql::word(row, 13)?.ok_or_else(|| {
                Fault::damaged(format!("a report of log {}: of something unknown", source.0))
            })?,
        };
        let report = UsageReport {
            of,
            usage: read_usage(row, 1)?,
            window: sql::amount(row, 12)?,
            model: row.get::<_, Option<Arc<str>>>(14)?,
            unlogged: sql::amount(row, 15)?,
        };
        Ok((row.get(0)?, report))
    })
}
