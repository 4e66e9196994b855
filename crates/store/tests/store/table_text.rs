//! Table `text`: a text is stored once, under its hash.

use cwl_store::*;
use rusqlite::Connection;

use crate::common::*;

#[test]
fn one_text_of_many_logs() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let (a, b) = (store.source("a", "pi").unwrap(), store.source("b", "pi").unwrap());
    let first = ingest_endless(&mut store, a, 0, 20).unwrap();
    assert_eq!(first.n_new_texts, 20 + 4, "twenty, and four that others repeat");
    let second = ingest_endless(&mut store, b, 0, 20).unwrap();
    assert_eq!(second.n_new_texts, 0, "a copied log brings no new text");
    assert_eq!(first.hashes, second.hashes);
    assert_eq!(first.hashes[1], TextHash::from_text("record 0"));
    check_sound(&store);
}

#[test]
fn a_hash_is_the_name_of_a_text() {
    // Published by BLAKE3's authors.
    assert_eq!(
        TextHash::from_text("").to_string(),
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    );
    assert_ne!(TextHash::from_text("a"), TextHash::from_text("a\0"));
}

#[test]
fn how_texts_lie_in_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest(&mut store, source, &story(), &[]);
    let db = Connection::open(store.file_path()).unwrap();
    insta::assert_snapshot!(
        table(&db, "SELECT id, n_bytes, codec, length(preview) AS preview, length(data) < n_bytes AS packed FROM text"),
        @r"
    id | n_bytes | codec | preview | packed
    1 | 23 | 0 | - | 0
    2 | 14 | 0 | - | 0
    3 | 27 | 0 | - | 0
    4 | 2 | 0 | - | 0
    5 | 600 | 1 | 120 | 1
    6 | 6 | 0 | - | 0
    ");
}
