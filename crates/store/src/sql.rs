//! Statements: each is prepared once per connection, and fails as a [`Fault`].

use std::str::FromStr;

use rusqlite::{Connection, Params, Row};

use crate::error::Fault;

/// Runs a statement that returns no rows.
pub(crate) fn run(db: &Connection, sql: &str, params: impl Params) -> Result<(), Fault> {
    change(db, sql, params).map(drop)
}

/// Runs a statement that returns no rows, and tells whether it changed any.
pub(crate) fn change(db: &Connection, sql: &str, params: impl Params) -> Result<bool, Fault> {
    Ok(db.prepare_cached(sql)?.execute(params)? > 0)
}

/// Gives every row of a query to `read`.
pub(crate) fn each(
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
pub(crate) fn all<T, C: Default + Extend<T>>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<T, Fault>,
) -> Result<C, Fault> {
    let mut found = C::default();
    each(db, sql, params, |row| {
        found.extend([read(row)?]);
        Ok(())
    })?;
    Ok(found)
}

/// Returns what `read` makes of the first row of a query; `None` where there is none.
pub(crate) fn first<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

/// Reads a column that names a variant; `None` for a word that this program does not write.
pub(crate) fn word<T: FromStr>(row: &Row<'_>, column: usize) -> Result<Option<T>, Fault> {
    Ok(row.get_ref(column)?.as_str()?.parse().ok())
}

/// Reads a column that may be null with the bits of an unsigned number.
pub(crate) fn amount(row: &Row<'_>, column: usize) -> Result<Option<u64>, Fault> {
    Ok(row.get::<_, Option<i64>>(column)?.map(i64::cast_unsigned))
}
