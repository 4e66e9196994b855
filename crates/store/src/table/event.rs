use std::collections::BTreeMap;

use cwl_engine::{
    Compaction, EntryId, EventBody, EventLog, Header, Keep, Message, Parent, ReplacementCause, Rewrite,
    SessionEvent, SessionId,
};
use rusqlite::{Connection, params};

use super::source::SourceId;
use super::to_u32;
use super::{message, rewrite, to_signed, to_unsigned};
use crate::error::Fault;
use crate::sql;

pub(crate) fn save_event(
    db: &Connection,
    source: SourceId,
    seq: u32,
    event: &SessionEvent,
) -> Result<(), Fault> {
    let (parent, parent_entry) = match &event.parent {
        Parent::Root => ("root", None),
        Parent::Entry(entry) => ("entry", Some(entry.as_str())),
        Parent::Woven(entry) => ("woven", Some(entry.as_str())),
        Parent::Previous => ("previous", None),
        Parent::Outside => ("outside", None),
    };
    let (body, value, target) = match &event.body {
        EventBody::Header(header) => {
            save_header(db, source, seq, header)?;
            ("header", None, None)
        }
        EventBody::Message(_) => ("message", None, None),
        EventBody::Compaction(compaction) => {
            save_compaction(db, source, seq, compaction)?;
            ("compaction", None, None)
        }
        EventBody::Rewrite(rewrite) => {
            rewrite::save_rewrite(db, source, seq, rewrite)?;
            ("rewrite", Some(rewrite.cause.name()), None)
        }
        EventBody::Usage(report) => {
            rewrite::save_report(db, source, seq, report)?;
            ("usage", None, None)
        }
        EventBody::ModelChange { model } => ("model_change", Some(&**model), None),
        EventBody::Title(title) => ("title", title.as_deref(), None),
        EventBody::Label { target, label } => ("label", label.as_deref(), Some(target.as_str())),
        EventBody::Quiet { record } => ("quiet", Some(&**record), None),
        EventBody::Opaque { record } => ("opaque", Some(&**record), None),
    };
    sql::run_statement(
        db,
        "INSERT INTO event (source_id, seq, line, entry, parent, parent_entry, at_ms, side, body, value,
           target)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            source.0,
            seq,
            to_signed(event.line),
            event.entry.as_str(),
            parent,
            parent_entry,
            event.at_ms,
            event.side,
            body,
            value,
            target
        ],
    )
}

fn save_header(db: &Connection, source: SourceId, seq: u32, header: &Header) -> Result<(), Fault> {
    sql::run_statement(
        db,
        "INSERT INTO header (source_id, seq, session, version, cwd, parent_session, model, window, subagent)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            source.0,
            seq,
            header.session.as_ref().map(SessionId::as_str),
            header.version,
            header.cwd.as_deref(),
            header.parent_session.as_deref(),
            header.model.as_deref(),
            header.window.map(to_signed),
            header.subagent.as_deref(),
        ],
    )
}

fn save_compaction(
    db: &Connection,
    source: SourceId,
    seq: u32,
    compaction: &Compaction,
) -> Result<(), Fault> {
    let (keep, keep_from) = match &compaction.keep {
        Keep::From(entry) => ("from", Some(entry.as_str())),
        Keep::Entries(_) => ("entries", None),
        Keep::Retained(_) => ("retained", None),
        Keep::Nothing => ("nothing", None),
    };
    let (has_summary, tokens_before) =
        (compaction.summary.is_some(), compaction.tokens_before.map(to_signed));
    sql::run_statement(
        db,
        "INSERT INTO compaction (source_id, seq, has_summary, keep, keep_from, tokens_before)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![source.0, seq, has_summary, keep, keep_from, tokens_before],
    )?;
    if let Keep::Entries(entries) = &compaction.keep {
        let sql = "INSERT INTO kept_entry (source_id, seq, place, entry) VALUES (?1, ?2, ?3, ?4)";
        for (place, entry) in entries.iter().enumerate() {
            sql::run_statement(db, sql, params![source.0, seq, to_u32(place)?, entry.as_str()])?;
        }
    }
    Ok(())
}

pub(crate) fn load_log(db: &Connection, source: SourceId) -> Result<EventLog, Fault> {
    let mut headers = load_headers(db, source)?;
    let mut compactions = load_compactions(db, source)?;
    let mut changes = rewrite::load_changes(db, source)?;
    let mut reports = rewrite::load_reports(db, source)?;
    let mut messages = message::load_messages(db, source)?.into_iter().peekable();
    let mut log = EventLog::default();
    let sql = "SELECT seq, line, entry, parent, parent_entry, at_ms, body, value, target, side FROM event
               WHERE source_id = ?1 ORDER BY seq";
    sql::for_each_row(db, sql, [source.0], |row| {
        let seq: u32 = row.get(0)?;
        let damaged = |what: &str| Fault::damaged(format!("event {seq} of log {}: {what}", source.0));
        if seq as usize != log.events().len() {
            return Err(damaged("a gap before it"));
        }
        let parent = match row.get_ref(3)?.as_str()? {
            "root" => Parent::Root,
            sort @ ("entry" | "woven") => {
                let entry = EntryId::new(row.get_ref(4)?.as_str()?);
                if sort == "woven" { Parent::Woven(entry) } else { Parent::Entry(entry) }
            }
            "previous" => Parent::Previous,
            "outside" => Parent::Outside,
            _ => return Err(damaged("an unknown sort of parent")),
        };
        let mut own_messages = Vec::new();
        while let Some(message) = messages.next_if(|message| message.seq == seq) {
            own_messages.push(message.message);
        }
        let value = || -> Result<Box<str>, Fault> { Ok(row.get_ref(7)?.as_str()?.into()) };
        let is_no_compaction = |cause: &ReplacementCause| *cause != ReplacementCause::Compaction;
        let body = match row.get_ref(6)?.as_str()? {
            "header" => EventBody::Header(headers.remove(&seq).ok_or_else(|| damaged("no row in `header`"))?),
            "message" => {
                EventBody::Message(own_messages.pop().ok_or_else(|| damaged("no row in `message`"))?)
            }
            "compaction" => {
                let compaction = compactions.remove(&seq).ok_or_else(|| damaged("no row in `compaction`"))?;
                EventBody::Compaction(
                    compaction
                        .with_messages(&mut own_messages)
                        .ok_or_else(|| damaged("its summary is not in `message`"))?,
                )
            }
            "rewrite" => {
                let cause = sql::read_variant(row, 7)?
                    .filter(is_no_compaction)
                    .ok_or_else(|| damaged("an unknown cause"))?;
                let changes = changes.remove(&seq).unwrap_or_default();
                let changes = rewrite::with_replacements(changes, &mut own_messages)
                    .ok_or_else(|| damaged("the messages that replace what went are not in `message`"))?;
                EventBody::Rewrite(Rewrite { cause, changes })
            }
            "usage" => {
                EventBody::Usage(reports.remove(&seq).ok_or_else(|| damaged("no row in `usage_report`"))?)
            }
            "model_change" => EventBody::ModelChange { model: value()? },
            "title" => EventBody::Title(row.get::<_, Option<Box<str>>>(7)?),
            "label" => {
                let target = row.get_ref(8)?.as_str()?;
                EventBody::Label { target: EntryId::new(target), label: row.get::<_, Option<Box<str>>>(7)? }
            }
            "quiet" => EventBody::Quiet { record: value()? },
            "opaque" => EventBody::Opaque { record: value()? },
            _ => return Err(damaged("an unknown body")),
        };
        if !own_messages.is_empty() {
            return Err(damaged("too many rows in `message`"));
        }
        let entry = EntryId::new(row.get_ref(2)?.as_str()?);
        let (line, at_ms, side) = (to_unsigned(row.get(1)?), row.get(5)?, row.get(9)?);
        log.push(SessionEvent { line, entry, parent, at_ms, side, body });
        Ok(())
    })?;
    if messages.next().is_some() {
        return Err(Fault::damaged(format!("log {}: a message of no event", source.0)));
    }
    Ok(log)
}

fn load_headers(db: &Connection, source: SourceId) -> Result<BTreeMap<u32, Header>, Fault> {
    let sql = "SELECT seq, session, version, cwd, parent_session, model, window, subagent FROM header
               WHERE source_id = ?1";
    sql::collect_rows(db, sql, [source.0], |row| {
        let header = Header {
            session: row.get::<_, Option<String>>(1)?.map(SessionId::new),
            version: row.get(2)?,
            cwd: row.get(3)?,
            parent_session: row.get(4)?,
            model: row.get(5)?,
            window: sql::read_unsigned(row, 6)?,
            subagent: row.get(7)?,
        };
        Ok((row.get(0)?, header))
    })
}

struct CompactionRow {
    has_summary: bool,
    keep: Keep,
    tokens_before: Option<u64>,
}

impl CompactionRow {
    fn with_messages(self, messages: &mut Vec<Message>) -> Option<Compaction> {
        let mut messages_left = std::mem::take(messages).into_iter();
        let summary = if self.has_summary { Some(messages_left.next()?) } else { None };
        let keep = match self.keep {
            Keep::Retained(_) => Keep::Retained(messages_left.by_ref().collect()),
            keep @ (Keep::From(_) | Keep::Entries(_) | Keep::Nothing) => keep,
        };
        messages.extend(messages_left);
        Some(Compaction { summary, keep, tokens_before: self.tokens_before })
    }
}

fn load_compactions(db: &Connection, source: SourceId) -> Result<BTreeMap<u32, CompactionRow>, Fault> {
    let mut kept: BTreeMap<u32, Vec<EntryId>> = BTreeMap::new();
    let sql = "SELECT seq, entry FROM kept_entry WHERE source_id = ?1 ORDER BY seq, place";
    sql::for_each_row(db, sql, [source.0], |row| {
        kept.entry(row.get(0)?).or_default().push(EntryId::new(row.get_ref(1)?.as_str()?));
        Ok(())
    })?;
    let sql = "SELECT seq, has_summary, keep, keep_from, tokens_before FROM compaction WHERE source_id = ?1";
    sql::collect_rows(db, sql, [source.0], |row| {
        let seq: u32 = row.get(0)?;
        let keep = match row.get_ref(2)?.as_str()? {
            "from" => Keep::From(EntryId::new(row.get::<_, String>(3)?)),
            "entries" => Keep::Entries(kept.remove(&seq).unwrap_or_default()),
            "retained" => Keep::Retained(Vec::new()),
            "nothing" => Keep::Nothing,
            _ => return Err(Fault::damaged(format!("compaction {seq} of log {}: unknown keep", source.0))),
        };
        Ok((
            seq,
            CompactionRow { has_summary: row.get(1)?, keep, tokens_before: sql::read_unsigned(row, 4)? },
        ))
    })
}
