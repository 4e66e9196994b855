//! Table `payload`: the log's own JSON, byte for byte, shared if it is long.

use cwl_engine::*;
use cwl_store::*;
use rusqlite::Connection;

use crate::common::*;

#[track_caller]
fn check(payload: RawPayload) {
    let mut record =
        event(1, EventBody::Message(message(Role::User, Author::Human, vec![BlockKind::Text])), &["t"]);
    record.contents[0].raw = payload.clone();
    record.envelope = payload;
    let (store, source) = store_of(std::slice::from_ref(&record));
    assert_eq!(read_back(&store.read_handle().unwrap(), source), [record]);
    check_sound(&store);
}

#[test]
fn every_length_and_hole() {
    check(RawPayload::default());
    for n in [0, 1, 64, 128, 129, 511, 512, 1023, 1024, 1025, 100_000] {
        check(RawPayload::Whole("ü".repeat(n)));
        for (before, after) in [(0, n), (n, 0), (n / 2, n - n / 2)] {
            check(RawPayload::Around { before: "ä".repeat(before), after: "b".repeat(after) });
        }
    }
}

#[test]
fn long_payloads_are_shared() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let image: String = (0..5000_u32).map(|n| char::from(b'A' + (n * n % 26) as u8)).collect();
    for path in ["a", "b"] {
        let source = store.source(path, "pi").unwrap();
        let mut events = story();
        events[1].contents[0].raw = RawPayload::Whole(image.clone());
        ingest(&mut store, source, &events, &[]);
    }
    let db = Connection::open(store.file_path()).unwrap();
    insta::assert_snapshot!(
        table(&db, "SELECT n_bytes, count(*) AS n_payloads, count(DISTINCT text_id) AS n_texts FROM payload
                    WHERE text_id IS NOT NULL GROUP BY n_bytes"),
        @r"
    n_bytes | n_payloads | n_texts
    5000 | 2 | 1
    ");
}
