//! Tables `mark` and `mark_dependency`: delimiter marks in calls and results.

use std::collections::BTreeMap;

use cwl_engine::{BlockPlace, DeclaredKind, DelimiterMark, EpisodeName, MarkField};
use rusqlite::{Connection, Row, params};

use super::source::SourceId;
use super::to_u32;
use crate::error::Fault;
use crate::sql;

pub(crate) fn save_mark(
    db: &Connection,
    source: SourceId,
    at: BlockPlace,
    mark: &DelimiterMark,
) -> Result<(), Fault> {
    let (action, name, kind, description, dependencies, odd) = match mark {
        DelimiterMark::Open { name, kind, dependencies, odd } => {
            ("open", Some(name), Some(<&str>::from(kind)), None, dependencies.as_deref(), &**odd)
        }
        DelimiterMark::Close { name, description, odd } => {
            ("close", name.as_ref(), None, description.as_deref(), None, &**odd)
        }
        // In malformed marks, only the type `act` has an effect.
        DelimiterMark::Malformed { field, name, is_act, dependencies } => {
            let kind = is_act.then_some(<&str>::from(DeclaredKind::Action));
            ("malformed", name.as_ref(), kind, None, dependencies.as_deref(), std::slice::from_ref(field))
        }
    };
    let odd: Vec<&str> = odd.iter().map(|field| field.key()).collect();
    let (name, n_dependencies) =
        (name.map(EpisodeName::as_str), dependencies.map(|names| to_u32(names.len())).transpose()?);
    sql::run_statement(
        db,
        "INSERT INTO mark (source_id, seq, part, action, name, kind, description, n_dependencies, odd)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![source.0, at.seq, at.part, action, name, kind, description, n_dependencies, odd.join(",")],
    )?;
    for (place, name) in dependencies.unwrap_or_default().iter().enumerate() {
        let sql =
            "INSERT INTO mark_dependency (source_id, seq, part, place, name) VALUES (?1, ?2, ?3, ?4, ?5)";
        sql::run_statement(db, sql, params![source.0, at.seq, at.part, to_u32(place)?, name.as_str()])?;
    }
    Ok(())
}

pub(crate) fn load_marks(
    db: &Connection,
    source: SourceId,
) -> Result<BTreeMap<BlockPlace, DelimiterMark>, Fault> {
    let mut dependencies = load_dependencies(db, source)?;
    let sql = "SELECT seq, part, action, name, kind, description, n_dependencies, odd FROM mark
               WHERE source_id = ?1";
    sql::collect_rows(db, sql, [source.0], |row| {
        let at = BlockPlace { seq: row.get(0)?, part: row.get(1)? };
        let mark = read_mark(row, || dependencies.remove(&at).unwrap_or_default())?
            .ok_or_else(|| Fault::Damaged(format!("mark {}.{} of log {}", at.seq, at.part, source.0)))?;
        Ok((at, mark))
    })
}

fn read_mark(
    row: &Row<'_>,
    dependencies: impl FnOnce() -> Vec<EpisodeName>,
) -> Result<Option<DelimiterMark>, Fault> {
    let name = row.get::<_, Option<String>>(3)?.map(EpisodeName::new);
    let Some(odd) = odd_fields(row.get_ref(7)?.as_str()?) else {
        return Ok(None);
    };
    Ok(match row.get_ref(2)?.as_str()? {
        "open" => {
            let Some(kind) = sql::read_variant(row, 4)? else { return Ok(None) };
            let dependencies = complete_list(row, dependencies)?;
            name.map(|name| DelimiterMark::Open { name, kind, dependencies, odd })
        }
        "close" => Some(DelimiterMark::Close { name, description: row.get(5)?, odd }),
        "malformed" => {
            let kind: Option<String> = row.get(4)?;
            let is_act = kind.as_deref() == Some(DeclaredKind::Action.into());
            let dependencies = complete_list(row, dependencies)?;
            odd.first().map(|field| DelimiterMark::Malformed { field: *field, name, is_act, dependencies })
        }
        _ => None,
    })
}

/// Reads the mark's dependencies, if it has a list.
///
/// # Errors
/// If a name is missing.
fn complete_list(
    row: &Row<'_>,
    dependencies: impl FnOnce() -> Vec<EpisodeName>,
) -> Result<Option<Vec<EpisodeName>>, Fault> {
    let Some(n_dependencies) = row.get::<_, Option<u32>>(6)? else { return Ok(None) };
    let names = Some(dependencies()).filter(|names| names.len() == n_dependencies as usize);
    names.map(Some).ok_or_else(|| Fault::damaged("a mark whose dependencies are not all there"))
}

fn odd_fields(odd: &str) -> Option<Vec<MarkField>> {
    if odd.is_empty() {
        return Some(Vec::new());
    }
    odd.split(',').map(|key| key.parse().ok()).collect()
}

fn load_dependencies(
    db: &Connection,
    source: SourceId,
) -> Result<BTreeMap<BlockPlace, Vec<EpisodeName>>, Fault> {
    let sql = "SELECT seq, part, name FROM mark_dependency WHERE source_id = ?1 ORDER BY seq, part, place";
    let mut found: BTreeMap<BlockPlace, Vec<EpisodeName>> = BTreeMap::new();
    sql::for_each_row(db, sql, [source.0], |row| {
        let at = BlockPlace { seq: row.get(0)?, part: row.get(1)? };
        found.entry(at).or_default().push(EpisodeName::new(row.get::<_, String>(2)?));
        Ok(())
    })?;
    Ok(found)
}
