//! Faults caused by the disk and by other processes.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use cwl_engine::{Content, EntryId, EventBody, Parent, ParsedEvent, RawPayload, SessionEvent};

use crate::error::Fault;
use crate::open::{Store, WriteRefusal};
use crate::table::source::{SourceCursor, SourceId};
use crate::{Ingest, IngestedRows, StoreError};

fn ingest(store: &mut Store, source: SourceId, n_bytes: usize) -> Result<IngestedRows, StoreError> {
    // Noise cannot be compressed.
    let mut seed = 1_u64;
    let noise: String = (0..n_bytes)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b' ' + (seed >> 33) as u8 % 94)
        })
        .collect();
    let event = SessionEvent {
        side: false,
        line: 1,
        entry: EntryId::new("e1"),
        parent: Parent::Root,
        at_ms: None,
        body: EventBody::Quiet { record: "x".into() },
    };
    let contents: Vec<Content> = Vec::new();
    let events = [ParsedEvent { event, contents, envelope: RawPayload::Whole(noise) }];
    let cursor = SourceCursor { offset: 1, ..SourceCursor::default() };
    store.ingest_batch(&Ingest {
        source,
        expected_offset: 0,
        events: &events,
        problems: &[],
        counts: &[],
        cursor: &cursor,
        reader: b"",
        rules: 1,
    })
}

#[test]
fn a_full_disk() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    let n_pages: i64 = store.db.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    store.db.pragma(None, "max_page_count", n_pages + 4, |_| Ok(())).unwrap();
    let error = ingest(&mut store, source, 200_000).unwrap_err();
    assert!(matches!(error.fault, Fault::DiskFull(_)), "{error:?}");
    assert_eq!(
        store.read_handle().unwrap().source(source).unwrap().n_events,
        0,
        "nothing of the batch is kept"
    );
    store.db.pragma(None, "max_page_count", 1_000_000, |_| Ok(())).unwrap();
    ingest(&mut store, source, 200_000).unwrap();
    assert_eq!(store.check_integrity().unwrap(), []);
}

#[test]
fn a_store_that_another_process_keeps_locked() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open_waiting(dir.path(), Duration::from_millis(1)).unwrap();
    let source = store.source("a", "pi").unwrap();
    let other = rusqlite::Connection::open(store.file_path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = ingest(&mut store, source, 10).unwrap_err();
    assert!(matches!(error.fault, Fault::Locked(_)), "{error:?}");
    assert_eq!(store.read_handle().unwrap().source(source).unwrap().n_events, 0, "reading goes on meanwhile");
    other.execute_batch("COMMIT").unwrap();
    ingest(&mut store, source, 10).unwrap();
}

#[test]
fn writes_that_are_refused_on_demand() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    store.refuse_writes(Some(WriteRefusal::Full));
    let error = ingest(&mut store, source, 10).unwrap_err();
    assert!(matches!(error.fault, Fault::DiskFull(_)), "{error:?}");
    assert_eq!(store.read_handle().unwrap().source(source).unwrap().n_events, 0, "nothing of it is kept");
    store.refuse_writes(Some(WriteRefusal::ReadOnly));
    let error = ingest(&mut store, source, 10).unwrap_err();
    assert!(matches!(error.fault, Fault::ReadOnly(_)), "{error:?}");
    assert!(store.try_writing().is_err());
    store.refuse_writes(Some(WriteRefusal::Full));
    assert!(matches!(store.try_writing().unwrap_err().fault, Fault::DiskFull(_)));
    store.refuse_writes(None);
    let n_changes = store.n_changes();
    store.try_writing().unwrap();
    assert!(store.n_changes() > n_changes, "something was written");
    ingest(&mut store, source, 200_000).unwrap();
    assert_eq!(store.check_integrity().unwrap(), []);
}

#[test]
fn numbers_of_logs_start_where_they_are_told_to() {
    let mut store = Store::open_in_memory().unwrap();
    store.number_sources_from(1 << 30).unwrap();
    assert_eq!(store.source("a", "pi").unwrap().number(), (1 << 30) + 1);
    assert_eq!(store.source("b", "pi").unwrap().number(), (1 << 30) + 2);
    assert_eq!(store.check_integrity().unwrap(), []);
}

#[test]
fn a_reader_cannot_write() {
    let store = Store::open_in_memory().unwrap();
    let read = store.read_handle().unwrap();
    for sql in ["DELETE FROM source", "DELETE FROM user.note", "CREATE TABLE x (y)"] {
        let error =
            Fault::from(read.db.execute_batch(sql).unwrap_err()).with_context("write", &store.file_path());
        assert!(matches!(error.fault, Fault::ReadOnly(_)), "{error:?}");
    }
}

#[test]
fn settings_of_the_connections() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let read = store.read_handle().unwrap();
    for (db, query_only, cache) in [(&store.db, 0, -16_384), (&read.db, 1, -16_384)] {
        let setting =
            |name: &str| db.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(setting("main.synchronous"), 1, "NORMAL: the logs are still there");
        assert_eq!(setting("user.synchronous"), 2, "FULL: nothing brings a note back");
        assert_eq!(setting("foreign_keys"), 1);
        assert_eq!(setting("trusted_schema"), 0);
        assert_eq!(setting("query_only"), query_only);
        assert_eq!(setting("cache_size"), cache);
        assert_eq!(setting("busy_timeout"), 5000);
        assert_eq!(setting("main.mmap_size"), 1 << 30);
        assert_eq!(setting("journal_size_limit"), 64 << 20);
    }
}

#[test]
fn errors_name_the_subject_and_put_the_path_last() {
    let path = std::path::Path::new("/data/sessions.sqlite");
    let sqlite = |code| rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
    let check = |fault: Fault, expected: &str| {
        let error = fault.with_context("store what was read", path);
        assert_eq!(error.to_string(), format!("{expected}: /data/sessions.sqlite"));
    };
    check(Fault::from(sqlite(13)), "cannot store what was read: the disk is full");
    check(Fault::from(sqlite(5)), "cannot store what was read: another process keeps the store locked");
    check(Fault::from(sqlite(517)), "cannot store what was read: another process keeps the store locked");
    check(Fault::from(sqlite(8)), "cannot store what was read: the store may not be written to");
    check(Fault::from(sqlite(11)), "cannot store what was read: the store is damaged");
    check(Fault::from(sqlite(26)), "cannot store what was read: the store is damaged");
    check(Fault::from(sqlite(14)), "cannot open the store");
    check(Fault::from(sqlite(18)), "cannot store what was read: too large to store");
    check(Fault::from(sqlite(10)), "cannot store what was read");
    check(Fault::damaged("row 1"), "cannot store what was read: the store is damaged: row 1");
}

#[test]
fn statements_are_planned_once() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let read = store.read_handle().unwrap();
    for db in [&store.db, &read.db] {
        let mut statement = db
            .prepare(
                "SELECT c.units FROM text AS t LEFT JOIN count AS c ON c.counter_id = ?2 WHERE t.hash = ?1",
            )
            .unwrap();
        for number in 0..3_u8 {
            assert!(!statement.exists(rusqlite::params![[number; 32], number]).unwrap());
        }
        assert_eq!(statement.get_status(rusqlite::StatementStatus::RePrepare), 0, "whatever is bound");
    }
}
