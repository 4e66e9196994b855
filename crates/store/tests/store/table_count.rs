//! Tables `counter` and `count`: sizes per text, tokenizer and implementation.

use cwl_store::*;

use crate::common::*;

const O200K: Counter<'_> = Counter { tokenizer: "o200k", implementation: "fast 1.0" };
const O200K_LATER: Counter<'_> = Counter { tokenizer: "o200k", implementation: "fast 1.1" };
const CHARS4: Counter<'_> = Counter { tokenizer: "chars4", implementation: "fast 1.0" };

#[test]
fn counted_with_the_batch() {
    let mut store = Store::open_in_memory().unwrap();
    let source = store.source("a", "pi").unwrap();
    let events = story();
    let units = [Some(7), None, Some(5), Some(1), Some(u32::MAX), Some(0)];
    let counts = [
        BlockCounts { counter: O200K, units: &units },
        BlockCounts { counter: CHARS4, units: &[Some(1); 6] },
    ];
    let at = cursor(1000);
    store
        .ingest_batch(&Ingest {
            source,
            expected_offset: 0,
            events: &events,
            problems: &[],
            counts: &counts,
            cursor: &at,
            reader: b"",
            rules: 1,
        })
        .unwrap();
    let read = store.read_handle().unwrap();
    assert_eq!(read.block_counts(source, O200K).unwrap(), units);
    assert_eq!(read.block_counts(source, CHARS4).unwrap(), [Some(1); 6]);
    assert_eq!(read.block_counts(source, O200K_LATER).unwrap(), [None; 6], "another release counts anew");
}

#[test]
fn counted_later_and_once() {
    let mut store = Store::open_in_memory().unwrap();
    let (a, b) = (store.source("a", "pi").unwrap(), store.source("b", "pi").unwrap());
    let hashes = ingest_endless(&mut store, a, 0, 5).unwrap().hashes;
    ingest_endless(&mut store, b, 0, 10).unwrap();
    let read = store.read_handle().unwrap();
    assert_eq!(read.known_texts(O200K, &hashes).unwrap(), [Some(KnownText { units: None }); 10]);

    let unknown = TextHash::from_text("nobody said this");
    let counts: Vec<_> = hashes.iter().copied().chain([unknown]).zip(0..).collect();
    assert_eq!(store.save_counts(O200K, &counts).unwrap(), 10, "the text that no log has is not counted");
    // The second block in each of the first five records has the same text: its last count wins.
    let first = [Some(0), Some(9), Some(2), Some(9), Some(4), Some(9), Some(6), Some(9), Some(8), Some(9)];
    assert_eq!(read.block_counts(a, O200K).unwrap(), first);
    assert_eq!(read.block_counts(b, O200K).unwrap()[..10], first, "the other log has the same texts");
    assert_eq!(read.block_counts(b, O200K).unwrap()[10..], [None; 10]);
    let counted = |units| Some(KnownText { units: Some(units) });
    assert_eq!(read.known_texts(O200K, &[hashes[4], unknown]).unwrap(), [counted(4), None]);
    assert_eq!(
        read.known_texts(CHARS4, &[hashes[4]]).unwrap(),
        [Some(KnownText { units: None })],
        "by another counter it is not counted"
    );

    store.save_counts(O200K, &[(hashes[4], 40)]).unwrap();
    assert_eq!(read.known_texts(O200K, &[hashes[4]]).unwrap(), [counted(40)]);
    check_sound(&store);
}

#[test]
fn uncounted_texts_come_in_portions() {
    let mut store = Store::open_in_memory().unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest_endless(&mut store, source, 0, 20).unwrap();
    let read = store.read_handle().unwrap();
    let mut portions = Vec::new();
    let mut from = Some(BlockPlace::default());
    while let Some(place) = from {
        let uncounted = read.uncounted_texts(source, O200K, place, 7).unwrap();
        assert!(uncounted.texts.iter().all(|(hash, text)| *hash == TextHash::from_text(text)));
        let counts: Vec<_> = uncounted.texts.iter().map(|(hash, text)| (*hash, text.len() as u32)).collect();
        assert_eq!(store.save_counts(O200K, &counts).unwrap(), counts.len());
        portions.push(counts.len());
        from = uncounted.next;
    }
    assert_eq!(portions, [7, 7, 7, 3], "twenty-four distinct texts");
    assert!(read.block_counts(source, O200K).unwrap().iter().all(Option::is_some));
    let nothing = read.uncounted_texts(source, O200K, BlockPlace::default(), 7).unwrap();
    assert_eq!(nothing, UncountedTexts::default());
    assert_eq!(read.uncounted_texts(source, CHARS4, BlockPlace::default(), 99).unwrap().texts.len(), 24);
}
