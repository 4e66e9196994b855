//! Tables `note` and `pin`: what people make, in a file of its own.

use cwl_store::*;

#[test]
fn notes() {
    let mut store = Store::open_in_memory().unwrap();
    let later = store.save_note("a", None, "of the log", 5).unwrap();
    let first = store.save_note("a", Some("e1"), "ü\0", 3).unwrap();
    store.save_note("b", None, "", i64::MIN).unwrap();
    let read = store.read().unwrap();
    let note = |id, entry: Option<&str>, body: &str, written_ms| Note {
        id,
        path: "a".into(),
        entry: entry.map(Into::into),
        body: body.into(),
        written_ms,
    };
    assert_eq!(
        read.notes("a").unwrap(),
        [note(first, Some("e1"), "ü\0", 3), note(later, None, "of the log", 5)]
    );
    assert!(store.remove_note(later).unwrap());
    assert!(!store.remove_note(later).unwrap());
    assert_eq!(read.notes("a").unwrap().len(), 1);
    assert_eq!(read.notes("c").unwrap(), []);
}

#[test]
fn pins() {
    let mut store = Store::open_in_memory().unwrap();
    for (path, pinned_ms) in
        [("c", Some(3)), ("a", Some(9)), ("b", Some(9)), ("c", Some(10)), ("b", None), ("x", None)]
    {
        store.save_pin(path, pinned_ms).unwrap();
    }
    assert_eq!(store.read().unwrap().pins().unwrap(), ["a", "c"]);
}

#[test]
fn they_outlive_the_logs() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    store.save_note("a", None, "kept", 1).unwrap();
    store.save_pin("a", Some(1)).unwrap();
    let path = store.path();
    drop(store);
    std::fs::remove_file(path).unwrap();
    let read = Store::open(dir.path()).unwrap().read().unwrap();
    assert_eq!(read.notes("a").unwrap().len(), 1);
    assert_eq!(read.pins().unwrap(), ["a"]);
}
