//! Texts compressed ahead by another thread are stored as if the writer had compressed them.

use cwl_engine::{Content, RawPayload};
use cwl_store::*;

use crate::common::*;

/// The story with all sorts of texts and payloads: long, short, incompressible, repeated.
fn events() -> Vec<cwl_engine::ParsedEvent> {
    let mut events = story();
    let long = "word after word ".repeat(200);
    let noise: String = (0..2_000_u32).filter_map(|n| char::from_u32(0x4e00 + n * 7_919 % 20_000)).collect();
    events[1].contents[0].text = long.clone();
    events[2].contents[0] = Content { text: noise.clone(), raw: RawPayload::Whole(noise) };
    events[2].contents[1].raw =
        RawPayload::Around { before: long[..1600].into(), after: long[1600..].into() };
    events[3].contents[0].text = long;
    events
}

fn batch<'a>(source: SourceId, events: &'a [cwl_engine::ParsedEvent], at: &'a SourceCursor) -> Ingest<'a> {
    Ingest {
        source,
        expected_offset: 0,
        events,
        problems: &[],
        counts: &[],
        cursor: at,
        reader: b"state",
        rules: 1,
    }
}

fn packed(events: &[cwl_engine::ParsedEvent], is_stored: impl Fn(TextHash) -> bool) -> Vec<PackedEvent> {
    let mut packer = Packer::new().unwrap();
    let mut packed: Vec<PackedEvent> = events.iter().map(PackedEvent::new).collect();
    for (packed, parsed) in packed.iter_mut().zip(events) {
        packed.pack_event(parsed, &mut packer, &is_stored).unwrap();
    }
    packed
}

fn check(is_stored: impl Fn(TextHash) -> bool, why: &str) {
    let (dir, other_dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (events, at) = (events(), cursor(1000));
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    let batch = batch(source, &events, &at);
    let ingested = store.ingest_packed(&batch, &packed(&events, is_stored)).unwrap();
    let mut other = Store::open(other_dir.path()).unwrap();
    assert_eq!(other.source("a", "pi").unwrap(), source);
    assert_eq!(other.ingest_batch(&batch).unwrap(), ingested, "{why}");
    assert_eq!(dump(&store), dump(&other), "{why}");
    assert_eq!(read_back(&store.read_handle().unwrap(), source), events, "{why}");
    check_sound(&store);
}

#[test]
fn stored_as_the_writer_would() {
    check(|_| false, "everything was packed");
    check(
        |_| true,
        "a text that was taken for known, and is not (a vacuum came between), is packed after all",
    );
    check(|hash| hash.as_bytes()[0] & 1 == 0, "some of it");
}

#[test]
fn hashes_are_those_of_the_texts() {
    for parsed in events() {
        let hashes: Vec<_> = PackedEvent::new(&parsed).text_hashes().collect();
        let expected: Vec<_> =
            parsed.contents.iter().map(|content| TextHash::from_text(&content.text)).collect();
        assert_eq!(hashes, expected);
    }
}

#[test]
fn what_does_not_belong_to_the_events_is_refused() {
    let mut store = Store::open_in_memory().unwrap();
    let source = store.source("a", "pi").unwrap();
    let (events, at) = (events(), cursor(1000));
    let batch = batch(source, &events, &at);
    let whole = packed(&events, |_| false);
    let mut turned = whole.clone();
    turned.reverse();
    for odd in [&whole[1..], &[], &turned] {
        let error = store.ingest_packed(&batch, odd).unwrap_err();
        assert!(matches!(error.fault, Fault::Uneven(_)), "{error:?}");
    }
    assert_eq!(store.read_handle().unwrap().source(source).unwrap().n_events, 0, "nothing of it was kept");
}
