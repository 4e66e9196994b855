//! Migrations: the schema as numbered files, applied in order and recorded with their checksums.

use std::path::Path;

use include_dir::{Dir, include_dir};
use rusqlite::{Connection, TransactionBehavior};

use crate::error::{Fault, StoreError};
use crate::sql;

pub(crate) static SESSIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../migrations/sessions");
pub(crate) static USER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../migrations/user");

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Migration {
    pub(crate) number: u32,
    pub(crate) name: String,
    pub(crate) sql: String,
    /// BLAKE3 in hexadecimal, over `\n` line ends because a checkout may have changed them.
    pub(crate) checksum: String,
}

impl Migration {
    fn new(name: &str, sql: &str) -> Self {
        let sql = sql.replace("\r\n", "\n");
        let number = name.split('_').next().and_then(|digits| digits.parse().ok()).unwrap_or(0);
        let checksum = blake3::hash(sql.as_bytes()).to_hex().to_string();
        Self { number, name: name.to_owned(), sql, checksum }
    }
}

pub(crate) fn in_order(dir: &Dir<'_>) -> Vec<Migration> {
    let mut all: Vec<Migration> = dir
        .files()
        .filter_map(|file| Some(Migration::new(file.path().file_name()?.to_str()?, file.contents_utf8()?)))
        .collect();
    all.sort_by(|a, b| a.number.cmp(&b.number).then_with(|| a.name.cmp(&b.name)));
    all
}

/// Applies all missing migrations in one transaction, after checking the recorded ones. Without missing ones,
/// nothing is locked.
///
/// # Errors
/// [`Fault::Newer`], [`Fault::MigrationChanged`] and [`Fault::NotAStore`] leave the file unchanged.
pub(crate) fn apply_migrations(
    db: &mut Connection,
    migrations: &[Migration],
    path: &Path,
) -> Result<(), StoreError> {
    bring_up(db, migrations).map_err(|fault| fault.with_context("bring the store up to date", path))
}

/// Checks without any change whether `migrations` may be applied.
///
/// # Errors
/// The errors of [`apply_migrations`] that leave the file unchanged.
pub(crate) fn check_migrations(
    db: &Connection,
    migrations: &[Migration],
    path: &Path,
) -> Result<(), StoreError> {
    count_recorded(db, migrations)
        .map(drop)
        .map_err(|fault| fault.with_context("bring the store up to date", path))
}

fn bring_up(db: &mut Connection, migrations: &[Migration]) -> Result<(), Fault> {
    if count_recorded(db, migrations)? == migrations.len() {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let n_applied = count_recorded(&tx, migrations)?;
    if n_applied == 0 {
        tx.execute_batch(
            "CREATE TABLE migration (
               number   INTEGER PRIMARY KEY,
               name     TEXT NOT NULL,
               checksum TEXT NOT NULL -- BLAKE3 of the file
             ) STRICT",
        )?;
    }
    for Migration { number, name, sql, checksum } in migrations.iter().skip(n_applied) {
        tx.execute_batch(sql)?;
        let record = "INSERT INTO migration (number, name, checksum) VALUES (?1, ?2, ?3)";
        tx.execute(record, (number, name, checksum))?;
    }
    Ok(tx.commit()?)
}

fn count_recorded(db: &Connection, migrations: &[Migration]) -> Result<usize, Fault> {
    let (n_objects, has_record): (i64, bool) = db.query_row(
        "SELECT count(*), coalesce(max(type = 'table' AND name = 'migration'), 0) FROM sqlite_schema",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if !has_record {
        return if n_objects == 0 { Ok(0) } else { Err(Fault::NotAStore) };
    }
    let known = migrations.last().map_or(0, |last| last.number);
    let sql = "SELECT number, name, checksum FROM migration ORDER BY number";
    let on_record: Vec<(u32, String, String)> =
        sql::collect_rows(db, sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    if let Some((found, ..)) = on_record.last().filter(|(found, ..)| *found > known) {
        return Err(Fault::Newer { found: *found, known });
    }
    for (place, (number, name, checksum)) in on_record.iter().enumerate() {
        let same = migrations
            .get(place)
            .is_some_and(|ours| ours.number == *number && ours.name == *name && ours.checksum == *checksum);
        if !same {
            return Err(Fault::MigrationChanged(name.clone()));
        }
    }
    Ok(on_record.len())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn made() -> Vec<Migration> {
        vec![
            Migration::new("0001_create_a.sql", "CREATE TABLE a (x);\r\n"),
            Migration::new("0002_create_b.sql", "CREATE TABLE b (x);"),
        ]
    }

    fn tables(db: &Connection) -> String {
        db.query_row("SELECT group_concat(name, ' ' ORDER BY name) FROM sqlite_schema", [], |row| row.get(0))
            .unwrap()
    }

    fn check_refused(change: impl FnOnce(&Connection), migrations: &[Migration], expected: &str) {
        let mut db = Connection::open_in_memory().unwrap();
        apply_migrations(&mut db, &made(), Path::new("p")).unwrap();
        change(&db);
        let before = tables(&db);
        let error = apply_migrations(&mut db, migrations, Path::new("p")).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(tables(&db), before, "a refused store is left alone");
    }

    #[test]
    fn applies_what_is_missing_once() {
        let mut db = Connection::open_in_memory().unwrap();
        apply_migrations(&mut db, &made()[..1], Path::new("p")).unwrap();
        assert_eq!(tables(&db), "a migration");
        for _ in 0..2 {
            apply_migrations(&mut db, &made(), Path::new("p")).unwrap();
            assert_eq!(tables(&db), "a b migration");
        }
    }

    #[test]
    fn line_ends_do_not_count() {
        assert_eq!(made()[0], Migration::new("0001_create_a.sql", "CREATE TABLE a (x);\n"));
    }

    #[test]
    fn a_failing_migration_leaves_nothing_behind() {
        let mut db = Connection::open_in_memory().unwrap();
        let mut bad = made();
        bad[1] = Migration::new("0002_create_b.sql", "CREATE TABLE b (x); CREATE TABLE b (x);");
        apply_migrations(&mut db, &bad, Path::new("p")).unwrap_err();
        let n: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!(n, 0, "all migrations of one opening are one transaction");
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        let mut changed = made();
        changed[0] = Migration::new("0001_create_a.sql", "CREATE TABLE a (x, y);");
        check_refused(
            |_| (),
            &changed,
            "the migration 0001_create_a.sql is not the one that made this store: p",
        );
        check_refused(
            |_| (),
            &made()[..1],
            "the store was changed by a newer program (migration 2, this one knows 1): p",
        );
        check_refused(
            |db| db.execute_batch("DROP TABLE migration").unwrap(),
            &made(),
            "not a store of this program, left alone: p",
        );
        check_refused(
            |db| db.execute_batch("DELETE FROM migration WHERE number = 1").unwrap(),
            &made(),
            "the migration 0002_create_b.sql is not the one that made this store: p",
        );
    }

    #[test]
    fn a_table_that_is_made_anew_keeps_its_rows() {
        let mut db = Connection::open_in_memory().unwrap();
        let all = in_order(&SESSIONS);
        apply_migrations(&mut db, &all[..11], Path::new("p")).unwrap();
        let columns = "source_id, seq, place, role, author, form, form_name, model, input_tokens, output_tokens, \
                       cache_read_tokens, cache_write_tokens, reasoning_tokens, cache_write_hour_tokens, \
                       beside_input_tokens, beside_cache_read_tokens, beside_cache_write_tokens, stated_cost, copied, \
                       outcome, reply, n_blocks";
        db.execute_batch(&format!(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO message ({columns}) VALUES
               (1, 2, 3, 'assistant', 'model', 'custom', 'a', 'b', 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 'error', 'c', 15)"
        ))
        .unwrap();
        let row = |db: &Connection| -> String {
            let joined = columns.replace(", ", " || ' ' || ");
            db.query_row(&format!("SELECT {joined} FROM message"), [], |row| row.get(0)).unwrap()
        };
        let before = row(&db);
        assert_eq!(before, "1 2 3 assistant model custom a b 4 5 6 7 8 9 10 11 12 13 14 error c 15");
        apply_migrations(&mut db, &all, Path::new("p")).unwrap();
        assert_eq!(row(&db), before);
        db.execute("UPDATE message SET outcome = 'overflow'", []).unwrap();
    }

    #[test]
    fn files_are_numbered_without_gaps_and_say_what_they_are() {
        for (all, label) in [(in_order(&SESSIONS), "sessions"), (in_order(&USER), "user")] {
            assert!(!all.is_empty(), "{label} has migrations");
            for (place, migration) in all.iter().enumerate() {
                let name = &migration.name;
                assert_eq!(migration.number as usize, place + 1, "{label}/{name} has the next number");
                assert_eq!(&name[..5], format!("{:04}_", place + 1), "{label}/{name} has four digits");
                assert!(name.ends_with(".sql"), "{label}/{name}");
                let first = migration.sql.lines().next().unwrap();
                assert!(
                    first.starts_with("-- GROUND") || first.starts_with("-- DERIVED"),
                    "{label}/{name} says first whether its tables are ground or derived"
                );
            }
        }
    }
}
