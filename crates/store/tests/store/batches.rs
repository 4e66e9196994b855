//! Batches: all or nothing, equal in any split, and void after a restart.

use cwl_store::*;
use rusqlite::Connection;

use crate::common::*;

#[test]
fn any_cut_gives_the_same_store() {
    let build = |cuts: &[u32]| {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let source = store.source("a", "pi").unwrap();
        for pair in cuts.windows(2) {
            let ingested = ingest_endless(&mut store, source, pair[0], pair[1]).unwrap();
            assert_eq!(ingested.first_seq, pair[0]);
            assert_eq!(ingested.hashes.len() as u32, 2 * (pair[1] - pair[0]));
        }
        check_sound(&store);
        dump(&store)
    };
    let whole = build(&[0, 60]);
    // Problems are stored in batch order, which is record order for every split here.
    for cuts in [&[0, 1, 2, 60][..], &[0, 0, 30, 30, 60], &(0..=60).collect::<Vec<_>>()] {
        assert_eq!(build(cuts), whole, "{cuts:?}");
    }
}

#[test]
fn only_from_where_the_log_is() {
    let mut store = Store::open_in_memory().unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest_endless(&mut store, source, 0, 5).unwrap();
    for (from, to) in [(0, 5), (4, 6), (6, 7)] {
        let error = ingest_endless(&mut store, source, from, to).unwrap_err();
        let Fault::Moved { expected, found } = error.fault else { panic!("{error:?}") };
        assert_eq!((expected, found), (u64::from(from) * RECORD_BYTES, 5 * RECORD_BYTES));
    }
    assert_eq!(store.read_handle().unwrap().source(source).unwrap().n_events, 5);
    ingest_endless(&mut store, source, 5, 6).unwrap();
    check_sound(&store);
}

#[test]
fn a_batch_that_contradicts_itself_is_refused() {
    let mut store = Store::open_in_memory().unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest_endless(&mut store, source, 0, 2).unwrap();
    let mut short = story();
    short[1].contents.clear();
    let counter = Counter { tokenizer: "o200k", implementation: "x 1" };
    let counts = [BlockCounts { counter, units: &[Some(1)] }];
    let (sound, cursor_on, cursor_back) = (story(), cursor(500), cursor(199));
    let batch = Ingest {
        source,
        expected_offset: 200,
        events: &sound,
        problems: &[],
        counts: &[],
        cursor: &cursor_on,
        reader: b"",
        rules: 1,
    };
    let mut check = |batch: Ingest<'_>, expected: &str| {
        assert_eq!(store.ingest_batch(&batch).unwrap_err().to_string(), expected);
    };
    check(
        Ingest { events: &short, ..batch },
        "a batch that contradicts itself (line 2: 1 blocks, 0 contents); nothing written: :memory:",
    );
    check(
        Ingest { counts: &counts, ..batch },
        "a batch that contradicts itself (1 counts of o200k for 6 blocks); nothing written: :memory:",
    );
    check(
        Ingest { cursor: &cursor_back, ..batch },
        "a batch that contradicts itself (the cursor goes back from byte 200 to 199); nothing written: :memory:",
    );
    check(Ingest { source: SourceId::new(99), ..batch }, "no log 99 in the store: :memory:");
    assert_eq!(store.read_handle().unwrap().source(source).unwrap().n_events, 2);
    store.ingest_batch(&batch).unwrap();
}

/// A batch fails in the middle, at any table: nothing of it is stored, and it can be written again.
#[test]
fn all_or_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest_endless(&mut store, source, 0, 10).unwrap();
    let before = dump(&store);
    for (table, when) in [
        ("event", "NEW.seq = 13"),
        ("message", "NEW.seq = 12"),
        ("block", "NEW.seq = 14 AND NEW.part = 1"),
        ("payload", "NEW.seq = 14 AND NEW.part = 1"),
        ("text", "true"),
        ("problem", "true"),
        ("reader", "true"),
    ] {
        let db = Connection::open(store.file_path()).unwrap();
        db.execute_batch(&format!(
            "CREATE TRIGGER fail BEFORE INSERT ON {table} WHEN {when} BEGIN SELECT RAISE (ABORT, 'injected'); END"
        ))
        .unwrap();
        let error = ingest_endless(&mut store, source, 10, 15).unwrap_err();
        assert!(matches!(error.fault, Fault::Database(_)), "{table}: {error:?}");
        db.execute_batch("DROP TRIGGER fail").unwrap();
        assert_eq!(dump(&store), before, "a failure in {table} leaves nothing behind");
    }
    ingest_endless(&mut store, source, 10, 15).unwrap();
    check_sound(&store);
}

#[test]
fn restart_makes_everything_void() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let (kept, source) = (store.source("kept", "pi").unwrap(), store.source("a", "pi").unwrap());
    ingest_endless(&mut store, kept, 0, 10).unwrap();
    let kept_before = read_back(&store.read_handle().unwrap(), kept);
    ingest(&mut store, source, &story(), &[]);
    store.save_derived(source, &derived(1, 7, &[], &[])).unwrap();
    store.source_gone(source, true).unwrap();
    store.restart_log(source).unwrap();

    let read = store.read_handle().unwrap();
    let row = read.source(source).unwrap();
    assert_eq!((row.n_events, row.n_blocks, row.cursor), (0, 0, SourceCursor::default()));
    assert_eq!((row.generation, row.gone, row.session, row.title), (1, false, None, None));
    assert_eq!(read.reader_state(source).unwrap(), None);
    assert!(read.load_log(source).unwrap().0.events().is_empty());
    assert_eq!(content_at(&read, source, BlockPlace { seq: 1, part: 0 }).unwrap(), None);
    assert_eq!(read.record_envelope(source, 0).unwrap(), None);
    assert_eq!(read_back(&read, kept), kept_before, "other logs are not touched");
    check_sound(&store);

    ingest_endless(&mut store, source, 0, 10).unwrap();
    assert_eq!(read_back(&read, source), kept_before, "a restarted log is read like a new one");
    check_sound(&store);
}

#[test]
fn vacuum_removes_what_no_log_has() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let (kept, source) = (store.source("kept", "pi").unwrap(), store.source("a", "pi").unwrap());
    ingest_endless(&mut store, kept, 0, 10).unwrap();
    let counter = Counter { tokenizer: "o200k", implementation: "x 1" };
    let hashes = ingest_endless(&mut store, source, 0, 3000).unwrap().hashes;
    let counts: Vec<_> = hashes.iter().map(|hash| (*hash, 1)).collect();
    store.save_counts(counter, &counts).unwrap();
    let kept_before = read_back(&store.read_handle().unwrap(), kept);
    assert_eq!(store.vacuum().unwrap().n_texts, 0, "everything is in use");
    store.restart_log(source).unwrap();

    let vacuumed = store.vacuum().unwrap();
    let n_texts: u64 = Connection::open(store.file_path())
        .unwrap()
        .query_row("SELECT count(*) FROM text", [], |row| row.get::<_, i64>(0))
        .unwrap() as u64;
    assert_eq!(n_texts, 10 + 2, "ten texts, and two that others repeat");
    assert!(vacuumed.n_texts > 3000, "{vacuumed:?}");
    assert!(vacuumed.bytes_after < vacuumed.bytes_before / 2, "{vacuumed:?}");
    let read = store.read_handle().unwrap();
    assert_eq!(read_back(&read, kept), kept_before);
    assert_eq!(read.block_counts(kept, counter).unwrap(), vec![Some(1); 20], "counts of kept texts stay");
    check_sound(&store);
}
