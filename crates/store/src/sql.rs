//! Statements, prepared once per connection, with errors as [`Fault`].

use std::str::FromStr;

use rusqlite::{Connection, Params, Row};

use crate::error::Fault;

pub(crate) fn run_statement(db: &Connection, sql: &str, params: impl Params) -> Result<(), Fault> {
    run_change(db, sql, params).map(drop)
}

pub(crate) fn run_change(db: &Connection, sql: &str, params: impl Params) -> Result<bool, Fault> {
    Ok(db.prepare_cached(sql)?.execute(params)? > 0)
}

pub(crate) fn for_each_row(
    db: &Connection,
    sql: &str,
    params: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        read(row)?;
    }
    Ok(())
}

pub(crate) fn collect_rows<T, C: Default + Extend<T>>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<T, Fault>,
) -> Result<C, Fault> {
    let mut found = C::default();
    for_each_row(db, sql, params, |row| {
        found.extend([read(row)?]);
        Ok(())
    })?;
    Ok(found)
}

pub(crate) fn first_row<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

/// Parses a column as an enum variant; `None` for a word this program never writes.
pub(crate) fn read_variant<T: FromStr>(row: &Row<'_>, column: usize) -> Result<Option<T>, Fault> {
    Ok(row.get_ref(column)?.as_str()?.parse().ok())
}

pub(crate) fn read_unsigned(row: &Row<'_>, column: usize) -> Result<Option<u64>, Fault> {
    Ok(row.get::<_, Option<i64>>(column)?.map(i64::cast_unsigned))
}
