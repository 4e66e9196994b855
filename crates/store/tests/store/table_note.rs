//! Tables `note`, `pin` and `saved_view`: the user's own data, in a separate file.

use cwl_store::*;
use rusqlite::Connection;

fn of_block(entry: &str, block: Option<u32>) -> NoteSubject {
    NoteSubject::Record { entry: entry.into(), block }
}

#[test]
fn notes() {
    let mut store = Store::open_in_memory().unwrap();
    let mut save = |path: &str, subject: &NoteSubject, body: &str, written_ms| {
        store.save_note(None, path, subject, body, written_ms).unwrap()
    };
    let later = save("a", &NoteSubject::Log, "of the log", 5);
    let first = save("a", &of_block("e1", None), "ü\0", 3);
    let block = save("a", &of_block("e1", Some(2)), "of a block", 6);
    let episode = save("a", &NoteSubject::Episode("map#2".into()), "", 7);
    save("b", &NoteSubject::Log, "", i64::MIN);
    let read = store.read_handle().unwrap();
    let note = |id, subject: NoteSubject, body: &str, written_ms| Note {
        id,
        path: "a".into(),
        subject,
        body: body.into(),
        written_ms,
    };
    assert_eq!(
        read.notes_on_log("a").unwrap(),
        [
            note(first, of_block("e1", None), "ü\0", 3),
            note(later, NoteSubject::Log, "of the log", 5),
            note(block, of_block("e1", Some(2)), "of a block", 6),
            note(episode, NoteSubject::Episode("map#2".into()), "", 7),
        ]
    );
    assert_eq!(read.n_notes().unwrap(), [("a".to_owned(), 4), ("b".to_owned(), 1)].into());
    assert!(store.remove_note(later).unwrap());
    assert!(!store.remove_note(later).unwrap());
    assert_eq!(read.notes_on_log("a").unwrap().len(), 3);
    assert_eq!(read.notes_on_log("c").unwrap(), []);
}

#[test]
fn numbers_of_notes() {
    let mut store = Store::open_in_memory().unwrap();
    let log = NoteSubject::Log;
    let first = store.save_note(None, "a", &log, "one", 1).unwrap();
    assert_eq!(store.save_note(Some(first), "a", &log, "one, better", 2).unwrap(), first, "written over");
    let last = store.save_note(None, "a", &log, "two", 3).unwrap();
    assert!(store.remove_note(last).unwrap());
    let other = store.save_note(None, "a", &log, "three", 4).unwrap();
    assert_ne!(other, last, "a number is not given twice, or putting back would write over another note");
    assert_eq!(store.save_note(Some(last), "a", &log, "two", 3).unwrap(), last, "put back as it was");
    let bodies = |store: &Store| -> Vec<String> {
        store.read_handle().unwrap().notes_on_log("a").unwrap().into_iter().map(|note| note.body).collect()
    };
    assert_eq!(bodies(&store), ["one, better", "two", "three"]);
    for never_given in [0, -1, other + 1, i64::MAX] {
        let id = store.save_note(Some(never_given), "b", &log, "x", 5).unwrap();
        assert!((1..never_given.max(100)).contains(&id), "{never_given} became {id}");
    }
    assert_eq!(bodies(&store).len(), 3);
}

#[test]
fn saved_views() {
    let mut store = Store::open_in_memory().unwrap();
    let second = store.save_view(None, "a", "later", "turn=9", 9).unwrap();
    let first = store.save_view(None, "a", "here", "turn=3&policy=cwl", 3).unwrap();
    store.save_view(None, "b", "", "", 1).unwrap();
    let names = |store: &Store| -> Vec<(i64, String)> {
        let views = store.read_handle().unwrap().saved_views("a").unwrap();
        views.into_iter().map(|view| (view.id, view.name)).collect()
    };
    assert_eq!(names(&store), [(first, "here".into()), (second, "later".into())]);
    store.save_view(Some(first), "a", "there", "turn=3", 3).unwrap();
    assert!(store.remove_view(second).unwrap());
    assert!(!store.remove_view(second).unwrap());
    assert_eq!(names(&store), [(first, "there".into())]);
    assert_eq!(store.save_view(Some(second), "a", "later", "turn=9", 9).unwrap(), second);
    assert_eq!(names(&store).len(), 2);
}

#[test]
fn pins() {
    let mut store = Store::open_in_memory().unwrap();
    for (path, pinned_ms) in
        [("c", Some(3)), ("a", Some(9)), ("b", Some(9)), ("c", Some(10)), ("b", None), ("x", None)]
    {
        store.save_pin(path, pinned_ms).unwrap();
    }
    assert_eq!(store.read_handle().unwrap().pinned_paths().unwrap(), ["a", "c"]);
}

#[test]
fn they_outlive_the_logs() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    store.save_note(None, "a", &NoteSubject::Log, "kept", 1).unwrap();
    store.save_view(None, "a", "here", "turn=1", 1).unwrap();
    store.save_pin("a", Some(1)).unwrap();
    let path = store.file_path();
    drop(store);
    std::fs::remove_file(path).unwrap();
    let read = Store::open(dir.path()).unwrap().read_handle().unwrap();
    assert_eq!(read.notes_on_log("a").unwrap().len(), 1);
    assert_eq!(read.saved_views("a").unwrap().len(), 1);
    assert_eq!(read.pinned_paths().unwrap(), ["a"]);
}

#[test]
fn notes_of_the_first_schema_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let sql = include_str!("../../../../migrations/user/0001_create_notes.sql");
    let db = Connection::open(dir.path().join("user.sqlite")).unwrap();
    db.execute_batch(sql).unwrap();
    db.execute_batch(
        "CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) STRICT;
         INSERT INTO note VALUES (4, 'a', 'e1', 'on a record', 5), (9, 'a', NULL, 'on the log', 6);",
    )
    .unwrap();
    let checksum = blake3::hash(sql.replace("\r\n", "\n").as_bytes()).to_hex().to_string();
    db.execute("INSERT INTO migration VALUES (1, '0001_create_notes.sql', ?1)", [checksum]).unwrap();
    drop(db);
    let mut store = Store::open(dir.path()).unwrap();
    let notes = store.read_handle().unwrap().notes_on_log("a").unwrap();
    let told: Vec<_> = notes.into_iter().map(|note| (note.id, note.subject, note.body)).collect();
    assert_eq!(
        told,
        [(4, of_block("e1", None), "on a record".to_owned()), (9, NoteSubject::Log, "on the log".to_owned())]
    );
    assert!(store.remove_note(9).unwrap());
    assert_eq!(store.save_note(None, "a", &NoteSubject::Log, "new", 7).unwrap(), 10);
}
