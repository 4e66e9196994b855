//! Statements: each is prepared once per connection, and fails as a [`Fault`].

use std::str::FromStr;

use rusqlite::{Connection, Params, Row};

use crate::error::Fault;

pub(crate) fn run_statement(db: &Connection, sql: &str, params: impl Params) -> Result<(), Fault> {
    run_change(db, sql, params).map(drop)
}

/// Runs a statement that returns no rows, and tells whether it changed any.
pub(crate) fn run_change(db: &Connection, sql: &str, params: impl Params) -> Result<bool, Fault> {
    Ok(db.prepare_cached(sql)?.execute(params)? > 0)
}

/// Gives every row of a query to `read`.
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

/// Collects what `read` makes of every row of a query.
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

/// Returns what `read` makes of a query's first row; `None` if there is none.
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

/// Reads a column that names a variant; `None` for a word this program does not write.
pub(crate) fn read_variant<T: FromStr>(row: &Row<'_>, column: usize) -> Result<Option<T>, Fault> {
    Ok(row.get_ref(column)?.as_str()?.parse().ok())
}

/// Reads a column that may be null with the bits of an unsigned number.
pub(crate) fn read_unsigned(row: &Row<'_>, column: usize) -> Result<Option<u64>, Fault> {
    Ok(row.get::<_, Option<i64>>(column)?.map(i64::cast_unsigned))
}
