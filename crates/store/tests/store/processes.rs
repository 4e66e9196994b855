//! Several handles and several processes on one store.

use std::thread;

use cwl_store::*;

use crate::common::*;

pub(crate) fn ingest_until(store: &mut Store, n_batch: u32, n_events: u32) {
    let source = store.source("a", "pi").unwrap();
    let read = store.read_handle().unwrap();
    loop {
        let from = (read.source(source).unwrap().cursor.offset / RECORD_BYTES) as u32;
        if from >= n_events {
            return;
        }
        match ingest_endless(store, source, from, (from + n_batch).min(n_events)) {
            Err(error) if !matches!(error.fault, Fault::Moved { .. }) => panic!("{error:?}"),
            Ok(_) | Err(_) => {}
        }
    }
}

fn one_go(n_events: u32) -> String {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    ingest_until(&mut store, n_events, n_events);
    dump(&store)
}

#[test]
fn two_writers_in_threads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    thread::scope(|scope| {
        for n_batch in [3, 5] {
            scope.spawn(move || ingest_until(&mut Store::open(path).unwrap(), n_batch, 200));
        }
    });
    let store = Store::open(path).unwrap();
    check_sound(&store);
    assert_eq!(dump(&store), one_go(200), "nothing is lost or doubled");
}

#[test]
fn many_open_a_new_store_at_once() {
    for _ in 0..40 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(move || Store::open(path).map(drop).unwrap());
            }
        });
        check_sound(&Store::open(path).unwrap());
    }
}

#[test]
fn another_process() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    ingest_until(&mut store, 10, 50);
    let mut children: Vec<_> = [7, 11].map(|n_batch| crate::crash::child(dir.path(), n_batch, 400)).into();
    ingest_until(&mut store, 13, 400);
    for child in &mut children {
        assert!(child.0.wait().unwrap().success(), "the other process finds nothing in its way");
    }
    check_sound(&store);
    assert_eq!(dump(&store), one_go(400), "nothing is lost or doubled");
}

#[test]
fn a_reader_sees_commits_and_goes_to_another_thread() {
    let dir = tempfile::tempdir().unwrap();
    for mut store in [Store::open(dir.path()).unwrap(), Store::open_in_memory().unwrap()] {
        let source = store.source("a", "pi").unwrap();
        let read = store.read_handle().unwrap();
        ingest_endless(&mut store, source, 0, 3).unwrap();
        let read = thread::spawn(move || {
            assert_eq!(read.source(source).unwrap().n_events, 3);
            read
        })
        .join()
        .unwrap();
        ingest_endless(&mut store, source, 3, 4).unwrap();
        assert_eq!(read.source(source).unwrap().n_events, 4);
    }
}

#[test]
fn stores_in_memory_are_apart() {
    let (mut one, two) = (Store::open_in_memory().unwrap(), Store::open_in_memory().unwrap());
    one.source("a", "pi").unwrap();
    one.save_note(None, "a", &NoteSubject::Log, "x", 1).unwrap();
    let read = two.read_handle().unwrap();
    assert_eq!((read.all_sources().unwrap().len(), read.notes_on_log("a").unwrap().len()), (0, 0));
}

#[test]
fn a_scan_is_in_nobodys_way() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest_endless(&mut store, source, 0, 3).unwrap();
    let read = store.read_handle().unwrap();
    let mut n_seen = 0;
    read.scan_texts(source, |_, _| {
        n_seen += 1;
        let from = 2 + n_seen;
        ingest_endless(&mut store, source, from, from + 1).unwrap();
    })
    .unwrap();
    assert_eq!(n_seen, 6, "a scan sees one state of the store");
    assert_eq!(read.source(source).unwrap().n_events, 9);
}
