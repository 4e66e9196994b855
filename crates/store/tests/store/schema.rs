//! The whole schema, so no table changes unnoticed.

use cwl_store::Store;
use rusqlite::Connection;

fn schema(path: &std::path::Path) -> String {
    let db = Connection::open(path).unwrap();
    let mut statement =
        db.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name").unwrap();
    let sql = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    sql.map(|sql| sql.unwrap() + ";\n\n").collect()
}

#[test]
fn sessions_file() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    insta::assert_snapshot!(schema(&store.file_path()));
}

#[test]
fn user_file() {
    let dir = tempfile::tempdir().unwrap();
    let _store = Store::open(dir.path()).unwrap();
    insta::assert_snapshot!(schema(&dir.path().join("user.sqlite")));
}

#[test]
fn migrations_are_on_record() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let db = Connection::open(store.file_path()).unwrap();
    // Released files never change: with a new checksum here, every existing store would be refused.
    insta::assert_snapshot!(crate::common::table(&db, "SELECT * FROM migration"));
    let user = Connection::open(dir.path().join("user.sqlite")).unwrap();
    insta::assert_snapshot!(crate::common::table(&user, "SELECT * FROM migration"));
}

#[test]
fn settings_are_part_of_the_files() {
    let dir = tempfile::tempdir().unwrap();
    let _store = Store::open(dir.path()).unwrap();
    for file in ["sessions.sqlite", "user.sqlite"] {
        let db = Connection::open(dir.path().join(file)).unwrap();
        let setting = |name: &str| -> String {
            db.query_row(&format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}"), [], |row| row.get(0))
                .unwrap()
        };
        assert_eq!(setting("page_size"), "16384", "{file}");
        assert_eq!(setting("journal_mode"), "wal", "{file}");
    }
}

#[test]
fn opening_again_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    crate::common::ingest(&mut store, source, &crate::common::story(), &[]);
    let before = crate::common::dump(&store);
    drop(store);
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(crate::common::dump(&store), before);
}

/// A path that is not Unicode, looks like a URI, or does not exist yet.
#[test]
fn any_folder() {
    let dir = tempfile::tempdir().unwrap();
    let mut names =
        vec![std::ffi::OsString::from("file:x?mode=memory"), "a'b;c\"%20#".into(), "new/deep/er".into()];
    #[cfg(target_os = "linux")]
    names.push(std::os::unix::ffi::OsStringExt::from_vec(b"\xff\xfe".to_vec()));
    for name in names {
        let path = dir.path().join(&name);
        let mut store = Store::open(&path).unwrap();
        store.save_note(None, "a", &cwl_store::NoteSubject::Log, "kept", 1).unwrap();
        drop(store);
        for file in ["sessions.sqlite", "user.sqlite"] {
            assert!(path.join(file).is_file(), "{file} is in {}", path.display());
        }
        assert_eq!(Store::open(&path).unwrap().read_handle().unwrap().notes_on_log("a").unwrap().len(), 1);
    }
}
