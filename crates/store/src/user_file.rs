//! The file with the user's own data, which no log can restore: it is checked before use and copied after
//! each change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::error::{Fault, StoreError};
use crate::open::USER;
use crate::{private, sql};

/// Maximum number of copies: the current state and earlier days.
const COPIES: u32 = 7;
/// Age from which a copy is kept beside the next one.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

const TABLES: [&str; 4] = [MARKS, "note", "pin", "saved_view"];
const MARKS: &str = "overlay";

pub fn user_path(dir: &Path) -> PathBuf {
    dir.join(format!("{USER}.sqlite"))
}

/// Newest first.
pub fn copies_of_user(dir: &Path) -> Vec<PathBuf> {
    (1..=COPIES).map(|nth| copy_path(dir, nth)).filter(|path| path.is_file()).collect()
}

fn copy_path(dir: &Path, nth: u32) -> PathBuf {
    dir.join(format!("{USER}.sqlite.copy-{nth}"))
}

/// An empty or missing file beside copies is an error, because SQLite would create a new one.
pub(crate) fn check_is_there(dir: &Path) -> Result<(), StoreError> {
    let path = user_path(dir);
    let is_empty = path.metadata().map_or(true, |file| file.len() == 0);
    if is_empty && !copies_of_user(dir).is_empty() {
        let fault = Fault::Damaged("it is empty or gone, and there are copies of it".to_owned());
        return Err(fault.with_context("read notes and marks", &path));
    }
    Ok(())
}

/// Checks the file's pages and content; `schema` is its name in `db`.
///
/// # Errors
/// [`Fault::Damaged`] with the first finding.
pub(crate) fn check_schema(db: &Connection, schema: &str) -> Result<(), Fault> {
    let mut said = Vec::new();
    sql::for_each_row(db, &format!("PRAGMA {schema}.integrity_check(1)"), [], |row| {
        said.push(row.get::<_, String>(0)?);
        Ok(())
    })?;
    if let Some(finding) = said.into_iter().find(|finding| finding != "ok") {
        return Err(Fault::Damaged(finding.replace('\n', " ")));
    }
    let sql =
        format!("SELECT name FROM {schema}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'");
    let tables: Vec<String> = sql::collect_rows(db, &sql, [], |row| Ok(row.get(0)?))?;
    // SQLite accepts texts with invalid UTF-8, and marks that are not JSON.
    for table in &tables {
        sql::for_each_row(db, &format!("SELECT * FROM {schema}.\"{table}\""), [], |row| {
            for column in 0..row.as_ref().column_count() {
                if let ValueRef::Text(text) = row.get_ref(column)?
                    && std::str::from_utf8(text).is_err()
                {
                    return Err(Fault::Damaged(format!("a row of `{table}` holds what is no text")));
                }
            }
            Ok(())
        })?;
    }
    if tables.iter().any(|table| table == MARKS) {
        let sql = format!("SELECT name FROM {schema}.overlay WHERE NOT json_valid(marks) LIMIT 1");
        let odd: Vec<String> = sql::collect_rows(db, &sql, [], |row| Ok(row.get(0)?))?;
        if let Some(name) = odd.first() {
            return Err(Fault::Damaged(format!("the marks `{name}` are no JSON")));
        }
    }
    Ok(())
}

pub(crate) fn check_tables(db: &Connection, schema: &str) -> Result<(), Fault> {
    let sql = format!("SELECT count(*) FROM {schema}.sqlite_schema WHERE type = 'table' AND name = ?1");
    for table in TABLES {
        let n: u32 = db.query_row(&sql, [table], |row| row.get(0))?;
        if n == 0 {
            return Err(Fault::Damaged(format!("the table `{table}` is not there")));
        }
    }
    Ok(())
}

/// Returns the file that a connection's error is about: `user` if this is damaged, otherwise `main`.
pub(crate) fn damaged_file<'p>(db: &Connection, fault: &Fault, main: &'p Path, user: &'p Path) -> &'p Path {
    let is_damage = matches!(fault, Fault::Corrupt(_) | Fault::Damaged(_));
    if is_damage && matches!(check_schema(db, "user"), Err(Fault::Corrupt(_) | Fault::Damaged(_))) {
        user
    } else {
        main
    }
}

/// Copies the file with SQLite. Replaces the newest copy, and keeps one copy per day.
pub(crate) fn copy_file(db: &Connection, dir: &Path) -> Result<(), Fault> {
    let new = dir.join(format!("{USER}.sqlite.copy-new"));
    let newest = copy_path(dir, 1);
    let make = || -> io::Result<()> {
        if new.exists() {
            fs::remove_file(&new)?;
        }
        // SQLite writes into an empty file without changing its mode.
        private::private_options().create_new(true).open(&new).map(drop)
    };
    make().map_err(Fault::Folder)?;
    let no_text = || Fault::Folder(io::Error::new(io::ErrorKind::InvalidFilename, "its name is no Unicode"));
    db.execute("VACUUM user INTO ?1", [new.to_str().ok_or_else(no_text)?])?;
    let rotate = || -> io::Result<()> {
        let is_old = |at: SystemTime| at.elapsed().is_ok_and(|age| age >= A_DAY);
        if newest.metadata().and_then(|file| file.modified()).is_ok_and(is_old) {
            for nth in (1..COPIES).rev().filter(|nth| copy_path(dir, *nth).is_file()) {
                fs::rename(copy_path(dir, nth), copy_path(dir, nth + 1))?;
            }
        }
        fs::rename(&new, &newest)
    };
    rotate().map_err(Fault::Folder)
}

/// Replaces the file by its newest sound copy, and keeps the old file under another name; returns both.
///
/// # Errors
/// If there is no sound copy, or if the disk refuses a rename or a copy.
pub fn restore_user(dir: &Path) -> Result<(PathBuf, PathBuf), StoreError> {
    let path = user_path(dir);
    let doing = "put a copy back";
    let is_sound = |copy: &&PathBuf| Connection::open(copy).is_ok_and(|db| check_schema(&db, "main").is_ok());
    let copies = copies_of_user(dir);
    let Some(copy) = copies.iter().find(is_sound) else {
        return Err(Fault::NoCopy.with_context(doing, &path));
    };
    let aside =
        (1..).map(|nth| dir.join(format!("{USER}.sqlite.damaged-{nth}"))).find(|aside| !aside.exists());
    let aside = aside.unwrap_or_else(|| dir.join(format!("{USER}.sqlite.damaged")));
    let swap = || -> io::Result<()> {
        for end in ["", "-wal", "-shm"] {
            let of = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
            if of(&path).exists() {
                fs::rename(of(&path), of(&aside))?;
            }
        }
        private::write_private(&path, &fs::read(copy)?)
    };
    swap().map_err(|error| Fault::Folder(error).with_context(doing, &path))?;
    Ok((copy.clone(), aside))
}
