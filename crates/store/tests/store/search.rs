//! The search index, built in steps by any process, and its hits.

use cwl_engine::{Author, BlockKind, EventBody, ParsedEvent, Role};
use cwl_store::*;
use proptest::prelude::*;

use crate::common::*;

fn said(line: u64, texts: &[&str]) -> ParsedEvent {
    let kinds = vec![BlockKind::Text; texts.len()];
    event(line, EventBody::Message(message(Role::User, Author::Human, kinds)), texts)
}

fn store_with(logs: &[&[&str]]) -> (Store, Vec<SourceId>) {
    let mut store = Store::open_in_memory().unwrap();
    let sources = logs.iter().enumerate().map(|(number, texts)| {
        let source = store.source(&format!("{number}.jsonl"), "pi").unwrap();
        let events: Vec<_> = (1..).zip(*texts).map(|(line, text)| said(line, &[text])).collect();
        ingest(&mut store, source, &events, &[]);
        source
    });
    let sources = sources.collect();
    (store, sources)
}

fn index(store: &mut Store) {
    while store.index_step(1 << 20).unwrap() == IndexProgress::Some {}
}

fn found(store: &Store, typed: &str) -> Vec<(i64, u32)> {
    let found = store.read_handle().unwrap().search_texts(&Query::new(typed).unwrap(), None, 100).unwrap();
    found.hits.iter().map(|hit| (hit.source.number(), hit.at.seq)).collect()
}

#[test]
fn words_phrases_and_beginnings() {
    let (mut store, _) = store_with(&[&[
        "let name = read_file(path)?;",
        "read the other file",
        "Das Café öffnet um 8 Uhr; C++ und naïve Köpfe",
        "漢字 and foo-bar, \"x\" NOT y* NEAR(z)",
        "getUserName",
    ]]);
    index(&mut store);
    let check = |typed: &str, expected: &[u32]| {
        let seqs: Vec<u32> = found(&store, typed).into_iter().map(|(_, seq)| seq).collect();
        assert_eq!(seqs, expected, "{typed}");
    };
    check("read", &[1, 0]);
    check("READ", &[1, 0]);
    check("read_file", &[0]);
    check("\"read file\"", &[0]);
    check("file read", &[1, 0]);
    check("rea", &[1, 0]);
    check("rea ", &[]);
    check("\"rea\"", &[]);
    check("cafe", &[2]);
    check("C++", &[2]);
    check("foo-bar", &[3]);
    check("foo.bar", &[3]);
    check("漢字", &[3]);
    check("NOT y*", &[3]);
    check("name", &[0]);
    check("username", &[]);
    check("nobody", &[]);
}

#[test]
fn newest_first_one_hit_for_each_log() {
    let (mut store, sources) =
        store_with(&[&["old word", "same word", "x", "same word"], &["same word", "new word"]]);
    index(&mut store);
    let read = store.read_handle().unwrap();
    let query = Query::new("word").unwrap();
    let all = read.search_texts(&query, None, 100).unwrap();
    let shown: Vec<_> = all.hits.iter().map(|hit| (hit.source.number(), hit.at.seq, hit.n_blocks)).collect();
    assert_eq!(
        shown,
        [(2, 1, 1), (2, 0, 1), (1, 3, 2), (1, 0, 1)],
        "a text that several logs say is in each"
    );
    assert_eq!((all.more, all.n_pending), (false, 0));
    assert_eq!(all.hits[0].snippet.before, "new ");

    let one = read.search_texts(&query, Some(sources[0]), 100).unwrap();
    assert_eq!(one.hits, all.hits[2..], "within one log");
    for limit in 0..=4 {
        let some = read.search_texts(&query, None, limit).unwrap();
        assert_eq!((&some.hits[..], some.more), (&all.hits[..limit], limit < 4), "limit {limit}");
    }
}

#[test]
fn made_in_steps_by_whoever_comes() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest_endless(&mut store, source, 0, 40).unwrap();
    assert_eq!(
        store.read_handle().unwrap().search_texts(&Query::new("fox").unwrap(), None, 9).unwrap().n_pending,
        48
    );
    let mut pending = Vec::new();
    loop {
        // Each time another process, which indexes one text and ends.
        let mut other = Store::open(dir.path()).unwrap();
        let step = other.index_step(1).unwrap();
        let query = Query::new("fox").unwrap();
        pending.push(store.read_handle().unwrap().search_texts(&query, None, 9).unwrap().n_pending);
        if step == IndexProgress::All {
            break;
        }
    }
    assert!(pending.len() > 40 && pending.is_sorted_by(|a, b| a >= b), "{pending:?}");
    assert_eq!(pending.last(), Some(&0));
    let texts = found(&store, "quick").len();
    assert_eq!(texts, 40 - 40_usize.div_ceil(17), "every text with a fox, and no other");

    ingest_endless(&mut store, source, 40, 45).unwrap();
    assert_eq!(found(&store, "44").len(), 0, "not before the next step");
    index(&mut store);
    assert_eq!(found(&store, "44").len(), 1);
    check_sound(&store);
}

#[test]
fn another_version_is_made_anew_and_a_newer_one_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest(&mut store, source, &[said(1, &["some words"])], &[]);
    index(&mut store);
    let set = |version: u32| {
        let db = rusqlite::Connection::open(dir.path().join("sessions.sqlite")).unwrap();
        db.execute("UPDATE search_build SET version = ?1", [version]).unwrap();
        // An index made by an older program's rules.
        db.execute_batch("INSERT INTO search (search) VALUES ('delete-all'); INSERT INTO search (rowid, words) VALUES (1, 'older')")
            .unwrap();
    };
    set(0);
    assert_eq!(found(&store, "older"), [], "an index of another version is not asked");
    index(&mut store);
    assert_eq!(found(&store, "older"), []);
    assert_eq!(found(&store, "some"), [(1, 0)]);
    set(1000);
    assert_eq!(store.index_step(1 << 20).unwrap(), IndexProgress::Newer);
    let newer = store.read_handle().unwrap().search_texts(&Query::new("some").unwrap(), None, 9).unwrap();
    assert_eq!((newer.hits.len(), newer.n_pending), (0, 1));
    assert_eq!(store.vacuum().unwrap().n_texts, 0, "nor is it changed by a vacuum");
}

#[test]
fn texts_that_go_leave_the_index() {
    let (mut store, sources) = store_with(&[&["kept word"], &["gone word", "gone too"]]);
    index(&mut store);
    store.restart_log(sources[1]).unwrap();
    assert_eq!(found(&store, "word"), [(1, 0)], "what no log says is not found");
    assert_eq!(store.vacuum().unwrap().n_texts, 2);
    // Ids of removed texts are reused.
    ingest(&mut store, sources[1], &[said(1, &["fresh"]), said(2, &["fresh too"])], &[]);
    assert_eq!(found(&store, "gone"), []);
    index(&mut store);
    assert_eq!(found(&store, "fresh"), [(2, 1), (2, 0)]);
    assert_eq!(found(&store, "gone"), []);
    check_sound(&store);
}

#[test]
fn payloads_are_not_indexed() {
    let mut store = Store::open_in_memory().unwrap();
    let source = store.source("a", "pi").unwrap();
    let mut record = said(1, &["short"]);
    record.contents[0].raw = cwl_engine::RawPayload::Whole("secretive ".repeat(500));
    ingest(&mut store, source, &[record], &[]);
    index(&mut store);
    assert_eq!(found(&store, "secretive"), []);
    assert_eq!(found(&store, "short"), [(1, 0)]);
}

fn words_of(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_typed_is_no_error(typed in any::<String>()) {
        let (mut store, _) = store_with(&[&["some words", "and \"more\" of them"]]);
        index(&mut store);
        if let Some(query) = Query::new(&typed) {
            store.read_handle().unwrap().search_texts(&query, None, 10).unwrap();
        }
    }

    #[test]
    fn found_is_what_has_all_the_words(
        texts in proptest::collection::vec("([abc]{1,2}[ _.\n-]){0,6}", 1..20),
        typed in "([abc]{1,2} ){1,3}",
    ) {
        let distinct: std::collections::BTreeSet<&str> = texts.iter().map(String::as_str).collect();
        let texts: Vec<&str> = distinct.into_iter().collect();
        let (mut store, _) = store_with(&[&texts]);
        index(&mut store);
        let has_all = |text: &str| {
            let has = words_of(text);
            words_of(&typed).iter().all(|word| has.contains(word))
        };
        let newest_first = (0..texts.len()).rev().filter(|seq| has_all(texts[*seq]));
        let expected: Vec<(i64, u32)> = newest_first.map(|seq| (1, seq as u32)).collect();
        prop_assert_eq!(found(&store, &typed), expected);
        let all = store.read_handle().unwrap().search_texts(&Query::new(&typed).unwrap(), None, 100).unwrap();
        for hit in all.hits {
            prop_assert!(words_of(&typed).contains(&hit.snippet.matched.to_lowercase()), "{:?}", hit.snippet);
        }
    }
}
