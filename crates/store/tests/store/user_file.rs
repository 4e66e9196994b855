//! The file with the user's own data: damage is reported by its name, nothing is saved into a damaged file,
//! and copies can be restored.

use std::path::Path;

use cwl_store::*;

fn overlay(name: &str) -> Overlay {
    Overlay {
        path: "/l.jsonl".into(),
        name: name.into(),
        made_by: None,
        marks: r#"{"episodes":[]}"#.into(),
        saved_ms: 1,
    }
}

fn with_marks() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    store.save_overlay(&overlay("mine")).unwrap();
    dir
}

/// Damages the root page of a table, like a bad disk block.
fn break_table(path: &Path, table: &str) {
    let db = rusqlite::Connection::open(path).unwrap();
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let root: u32 = db
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = ?1", [table], |row| row.get(0))
        .unwrap();
    let size: u32 = db.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
    drop(db);
    let (root, size) = (root as usize, size as usize);
    let mut bytes = std::fs::read(path).unwrap();
    bytes[(root - 1) * size + 8] ^= 0x7f;
    bytes[(root - 1) * size + 9] ^= 0x7f;
    std::fs::write(path, bytes).unwrap();
}

fn is_about(error: &StoreError, name: &str) -> bool {
    error.file_path().file_name().is_some_and(|found| found == name)
}

fn names(dir: &Path) -> Vec<String> {
    let read = Store::open(dir).unwrap().read_handle().unwrap();
    read.overlays_of_log("/l.jsonl").unwrap().into_iter().map(|overlay| overlay.name).collect()
}

#[test]
fn damage_of_notes_is_told_by_their_name() {
    let dir = with_marks();
    break_table(&user_path(dir.path()), "overlay");
    let before = std::fs::read(user_path(dir.path())).unwrap();
    let error = Store::open(dir.path()).err().expect("refused");
    assert!(is_about(&error, "user.sqlite"), "{error}");
    assert!(Store::open_notes(dir.path()).is_err());
    assert_eq!(std::fs::read(user_path(dir.path())).unwrap(), before, "it is left as it is");
}

#[test]
fn marks_that_are_no_json_are_damage() {
    let dir = with_marks();
    let db = rusqlite::Connection::open(user_path(dir.path())).unwrap();
    db.execute("UPDATE overlay SET marks = substr(marks, 2)", []).unwrap();
    drop(db);
    let error = Store::open(dir.path()).err().expect("refused");
    assert!(is_about(&error, "user.sqlite") && error.to_string().contains("`mine`"), "{error}");
}

#[test]
fn rows_that_are_no_text_and_tables_that_are_gone_are_damage() {
    for sql in ["UPDATE overlay SET name = CAST(x'ff' AS TEXT)", "DROP TABLE overlay"] {
        let dir = with_marks();
        rusqlite::Connection::open(user_path(dir.path())).unwrap().execute_batch(sql).unwrap();
        let error = Store::open(dir.path()).err().expect("refused");
        assert!(is_about(&error, "user.sqlite"), "{sql}: {error}");
    }
}

#[test]
fn a_file_that_is_gone_or_empty_is_told_while_there_are_copies() {
    let dir = with_marks();
    std::fs::write(user_path(dir.path()), "").unwrap();
    assert!(is_about(&Store::open(dir.path()).err().expect("refused"), "user.sqlite"));
    std::fs::remove_file(user_path(dir.path())).unwrap();
    assert!(is_about(&Store::open(dir.path()).err().expect("refused"), "user.sqlite"));
    restore_user(dir.path()).unwrap();
    assert_eq!(names(dir.path()), ["mine"]);
    std::fs::remove_file(user_path(dir.path())).unwrap();
    copies_of_user(dir.path()).iter().for_each(|copy| std::fs::remove_file(copy).unwrap());
    assert_eq!(names(dir.path()), Vec::<String>::new(), "without copies a new one is made");
}

#[test]
fn nothing_is_saved_into_a_file_that_is_damaged_while_it_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    store.save_overlay(&overlay("mine")).unwrap();
    let db = rusqlite::Connection::open(user_path(dir.path())).unwrap();
    db.execute("UPDATE overlay SET marks = 'x'", []).unwrap();
    let error = store.save_overlay(&overlay("again")).unwrap_err();
    assert!(is_about(&error, "user.sqlite"), "{error}");
    let n: u32 = db.query_row("SELECT count(*) FROM overlay", [], |row| row.get(0)).unwrap();
    assert_eq!(n, 1);
}

#[test]
fn a_copy_is_put_back() {
    let dir = with_marks();
    assert_eq!(copies_of_user(dir.path()).len(), 1);
    break_table(&user_path(dir.path()), "overlay");
    let broken = std::fs::read(user_path(dir.path())).unwrap();
    let (_, aside) = restore_user(dir.path()).unwrap();
    assert_eq!(std::fs::read(aside).unwrap(), broken, "the damaged file is kept");
    assert_eq!(names(dir.path()), ["mine"]);
}

#[test]
fn a_damaged_copy_is_passed_over_and_without_a_sound_one_nothing_is_moved() {
    let dir = with_marks();
    let newest = copies_of_user(dir.path()).remove(0);
    let older = newest.with_file_name("user.sqlite.copy-2");
    std::fs::copy(&newest, &older).unwrap();
    std::fs::write(&newest, "no database at all").unwrap();
    let (copy, _) = restore_user(dir.path()).unwrap();
    assert_eq!(copy, older);
    std::fs::write(&older, "no database at all").unwrap();
    let before = std::fs::read(user_path(dir.path())).unwrap();
    assert!(restore_user(dir.path()).is_err());
    assert_eq!(std::fs::read(user_path(dir.path())).unwrap(), before);
}

#[test]
fn copies_of_earlier_days_stay_beside_the_newest() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    for day in 0..12 {
        store.save_overlay(&overlay(&format!("day {day}"))).unwrap();
        store.save_overlay(&overlay(&format!("later on day {day}"))).unwrap();
        let newest = std::fs::OpenOptions::new().write(true).open(&copies_of_user(dir.path())[0]).unwrap();
        newest.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(90_000)).unwrap();
    }
    let n_marks: Vec<u32> = copies_of_user(dir.path())
        .iter()
        .map(|copy| {
            let db = rusqlite::Connection::open(copy).unwrap();
            db.query_row("SELECT count(*) FROM overlay", [], |row| row.get(0)).unwrap()
        })
        .collect();
    assert_eq!(n_marks.len(), 7);
    assert!(n_marks.is_sorted_by(|newer, older| newer > older), "{n_marks:?}");
}

#[test]
fn marks_are_read_where_the_other_file_is_broken() {
    let dir = with_marks();
    std::fs::write(dir.path().join("sessions.sqlite"), "a text of some length. ".repeat(1000)).unwrap();
    for end in ["wal", "shm"] {
        let _none = std::fs::remove_file(dir.path().join(format!("sessions.sqlite-{end}")));
    }
    let error = Store::open(dir.path()).err().expect("refused");
    assert!(is_about(&error, "sessions.sqlite"), "{error}");
    let mut notes = Store::open_notes(dir.path()).unwrap();
    let found = notes.read_handle().unwrap().overlays_of_log("/l.jsonl").unwrap();
    assert_eq!(found, [overlay("mine")]);
    notes.save_overlay(&overlay("again")).unwrap();
    assert_eq!(notes.read_handle().unwrap().overlays_of_log("/l.jsonl").unwrap().len(), 2);
}
