//! Tables `change` and `usage_report`: changes made by rewrites, and usage stated in separate records.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{Change, EntryId, Message, Rewrite, RewriteTarget, ToolCallId, UsageReport, UsageScope};
use rusqlite::{Connection, params};

use super::source::SourceId;
use super::usage::{UsageColumns, read_usage, usage_columns, usage_parameters};
use super::{to_signed, to_u32};
use crate::error::Fault;
use crate::sql;

pub(crate) fn save_rewrite(
    db: &Connection,
    source: SourceId,
    seq: u32,
    rewrite: &Rewrite,
) -> Result<(), Fault> {
    let sql = "INSERT INTO change (source_id, seq, place, target, name, n_turns, part, n_stand_ins)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    for (place, change) in rewrite.changes.iter().enumerate() {
        let part = match &change.target {
            RewriteTarget::Part(_, part) | RewriteTarget::PartBack(_, part) => Some(*part),
            _ => None,
        };
        let (target, name, n_turns) = match &change.target {
            RewriteTarget::Entry(entry) => ("entry", Some(entry.as_str()), None),
            RewriteTarget::Part(entry, _) => ("part", Some(entry.as_str()), None),
            RewriteTarget::PartBack(entry, _) => ("part_back", Some(entry.as_str()), None),
            RewriteTarget::Before(entry) => ("before", entry.as_ref().map(EntryId::as_str), None),
            RewriteTarget::Results(call) => ("results", Some(call.as_str()), None),
            RewriteTarget::From(entry) => ("from", Some(entry.as_str()), None),
            RewriteTarget::Turns(n_turns) => ("turns", None, Some(*n_turns)),
            RewriteTarget::All => ("all", None, None),
        };
        let n_stand_ins = to_u32(change.replaced_by.len())?;
        sql::run_statement(
            db,
            sql,
            params![source.0, seq, to_u32(place)?, target, name, n_turns, part, n_stand_ins],
        )?;
    }
    Ok(())
}

pub(crate) type ChangeRows = BTreeMap<u32, Vec<(RewriteTarget, u32)>>;

pub(crate) fn load_changes(db: &Connection, source: SourceId) -> Result<ChangeRows, Fault> {
    let sql = "SELECT seq, target, name, n_turns, n_stand_ins, part FROM change WHERE source_id = ?1
               ORDER BY seq, place";
    let mut found = ChangeRows::new();
    sql::for_each_row(db, sql, [source.0], |row| {
        let seq: u32 = row.get(0)?;
        let name = || -> Result<String, Fault> { Ok(row.get(2)?) };
        let target = match row.get_ref(1)?.as_str()? {
            "entry" => RewriteTarget::Entry(EntryId::new(name()?)),
            "part" => RewriteTarget::Part(EntryId::new(name()?), row.get(5)?),
            "part_back" => RewriteTarget::PartBack(EntryId::new(name()?), row.get(5)?),
            "before" => RewriteTarget::Before(row.get::<_, Option<String>>(2)?.map(EntryId::new)),
            "results" => RewriteTarget::Results(ToolCallId::new(name()?)),
            "from" => RewriteTarget::From(EntryId::new(name()?)),
            "turns" => RewriteTarget::Turns(row.get(3)?),
            "all" => RewriteTarget::All,
            _ => return Err(Fault::damaged(format!("rewrite {seq} of log {}: unknown target", source.0))),
        };
        found.entry(seq).or_default().push((target, row.get(4)?));
        Ok(())
    })?;
    Ok(found)
}

pub(crate) fn with_replacements(
    changes: Vec<(RewriteTarget, u32)>,
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

pub(crate) fn save_report(
    db: &Connection,
    source: SourceId,
    seq: u32,
    report: &UsageReport,
) -> Result<(), Fault> {
    let usage = UsageColumns::new(report.usage.as_ref());
    let of = (report.of != UsageScope::Reply).then(|| <&str>::from(report.of));
    sql::run_statement(
        db,
        concat!(
            "INSERT INTO usage_report (source_id, seq, window, report_of, model, unlogged_tokens, ",
            usage_columns!(),
            ") VALUES (?, ?, ?, ?, ?, ?, ",
            usage_parameters!(),
            ")"
        ),
        &*usage.params_after(&[
            &source.0,
            &seq,
            &report.window.map(to_signed),
            &of,
            &report.model.as_deref(),
            &report.unlogged.map(to_signed),
        ]),
    )
}

pub(crate) fn load_reports(db: &Connection, source: SourceId) -> Result<BTreeMap<u32, UsageReport>, Fault> {
    let sql = concat!(
        "SELECT seq, ",
        usage_columns!(),
        ", window, report_of, model, unlogged_tokens FROM usage_report WHERE source_id = ?1"
    );
    sql::collect_rows(db, sql, [source.0], |row| {
        let of = match row.get::<_, Option<String>>(13)? {
            None => UsageScope::Reply,
            Some(_) => sql::read_variant(row, 13)?.ok_or_else(|| {
                Fault::damaged(format!("a report of log {}: of something unknown", source.0))
            })?,
        };
        let report = UsageReport {
            of,
            usage: read_usage(row, 1)?,
            window: sql::read_unsigned(row, 12)?,
            model: row.get::<_, Option<Arc<str>>>(14)?,
            unlogged: sql::read_unsigned(row, 15)?,
        };
        Ok((row.get(0)?, report))
    })
}
