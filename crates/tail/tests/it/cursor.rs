//! The decision how to continue, without files.

use cwl_tail::{
    Cursor, Decision, FileIdentity, FileObservation, Fingerprint, HEAD_LIMIT, TAIL_LIMIT, decide_next,
};
use proptest::prelude::*;

const FILE: FileIdentity = FileIdentity { dev: 1, inode: 10 };
const OTHER: FileIdentity = FileIdentity { dev: 1, inode: 11 };

/// The cursor of a reader that read all of `text` at once.
fn behind(text: &[u8]) -> Cursor {
    let mut cursor = Cursor::at_start(FILE);
    cursor.advance(text);
    cursor
}

/// Observes a file with content `text`, as needed for `cursor`.
fn seen(cursor: &Cursor, identity: FileIdentity, text: &[u8]) -> FileObservation {
    let (offset, tail) = (usize::try_from(cursor.offset).unwrap(), cursor.tail.len as usize);
    let head = Fingerprint::from_bytes(&text[..(cursor.head.len as usize).min(text.len())]);
    let tail = (text.len() >= offset).then(|| Fingerprint::from_bytes(&text[offset - tail..offset]));
    FileObservation { identity, length: text.len() as u64, head, tail }
}

fn check(why: &str, read: &[u8], identity: FileIdentity, now: &[u8], expected: Decision) {
    let cursor = behind(read);
    assert_eq!(decide_next(&cursor, &seen(&cursor, identity, now)), expected, "{why}");
}

/// `length` bytes without repetition at any cut.
fn text(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n * n % 251) as u8).collect()
}

fn changed(mut text: Vec<u8>, at: usize) -> Vec<u8> {
    text[at] ^= 1;
    text
}

#[test]
fn what_changed_decides_what_is_read() {
    use Decision::{Nothing, Read, Replaced, Truncated};
    check("touched", b"one\n", FILE, b"one\n", Nothing);
    check("appended", b"one\n", FILE, b"one\ntwo\n", Read { from: 4 });
    check("a torn line goes on", b"one\ntw", FILE, b"one\ntwo\n", Read { from: 6 });
    check("never read, empty", b"", FILE, b"", Nothing);
    check("never read", b"", FILE, b"one\n", Read { from: 0 });
    check("never read, and another file by now: nothing is void", b"", OTHER, b"one\n", Read { from: 0 });
    check("shorter", b"one\ntwo\n", FILE, b"one\n", Truncated);
    check("emptied", b"one\n", FILE, b"", Truncated);
    check("truncated to the same size: other bytes", b"one\n", FILE, b"six\n", Replaced);
    check("truncated and grown beyond", b"one\n", FILE, b"six\nseven\n", Replaced);
    check("another file, the same bytes", b"one\n", OTHER, b"one\n", Replaced);
    check("another file, longer", b"one\n", OTHER, b"one\ntwo\n", Replaced);
    check("another file, shorter: not a truncation", b"one\ntwo\n", OTHER, b"one\n", Replaced);
}

#[test]
fn an_identity_may_be_unknown_or_of_a_renumbered_device() {
    use Decision::{Read, Replaced};
    check("unknown", b"one\n", FileIdentity::UNKNOWN, b"one\ntwo\n", Read { from: 4 });
    check("unknown, other bytes", b"one\n", FileIdentity::UNKNOWN, b"six\n", Replaced);
    let renumbered = FileIdentity { dev: 2, inode: FILE.inode };
    check("renumbered", b"one\n", renumbered, b"one\ntwo\n", Read { from: 4 });
    check("renumbered, other bytes", b"one\n", renumbered, b"six\n", Replaced);
}

#[test]
fn both_ends_of_what_was_read_are_compared() {
    let read = text(10_000);
    let longer = [read.clone(), b"more".to_vec()].concat();
    check("as it was", &read, FILE, &longer, Decision::Read { from: 10_000 });
    for (why, at) in [
        ("first byte", 0),
        ("last byte of the head", HEAD_LIMIT - 1),
        ("first byte of the tail", 10_000 - TAIL_LIMIT),
        ("last byte that was read", 9_999),
    ] {
        check(why, &read, FILE, &changed(longer.clone(), at), Decision::Replaced);
    }
    // The known limit of two fingerprints: a change in the middle only is not noticed.
    check("middle", &read, FILE, &changed(longer, HEAD_LIMIT), Decision::Read { from: 10_000 });
}

#[test]
fn a_damaged_cursor_is_not_believed() {
    let whole = behind(b"one\n");
    let print = |len| Fingerprint { hash: 7, len };
    for (why, cursor) in [
        ("head beyond the offset", Cursor { head: print(5), ..whole.clone() }),
        ("tail beyond the offset", Cursor { tail: print(5), ..whole.clone() }),
        ("no head", Cursor { head: Fingerprint::EMPTY, ..whole.clone() }),
        ("no tail", Cursor { tail: Fingerprint::EMPTY, ..whole.clone() }),
        ("a huge head", Cursor { head: print(u32::MAX), offset: u64::MAX, ..whole.clone() }),
        ("a head before the start", Cursor { head: print(1), offset: 0, ..whole.clone() }),
    ] {
        let as_seen = FileObservation {
            identity: FILE,
            length: cursor.offset,
            head: cursor.head,
            tail: Some(cursor.tail),
        };
        assert_eq!(decide_next(&cursor, &as_seen), Decision::Replaced, "{why}");
    }
    let far = Cursor { offset: u64::MAX, ..whole };
    let as_seen = FileObservation { identity: FILE, length: 4, head: far.head, tail: None };
    assert_eq!(decide_next(&far, &as_seen), Decision::Truncated, "an offset that no file has");
}

#[test]
fn nothing_overflows_at_the_end_of_numbers() {
    let mut cursor = Cursor { offset: u64::MAX, ..behind(b"one\n") };
    cursor.advance(b"more");
    assert_eq!(cursor.offset, u64::MAX);
}

proptest! {
    /// A file that only grew is read on from the cursor, in whatever pieces it was read.
    #[test]
    fn pieces_do_not_matter(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..900), 0..12), more in prop::collection::vec(any::<u8>(), 0..9)) {
        let mut cursor = Cursor::at_start(FILE);
        pieces.iter().for_each(|piece| cursor.advance(piece));
        let read = pieces.concat();
        prop_assert_eq!(cursor.offset, read.len() as u64);
        prop_assert_eq!(cursor.head, Fingerprint::from_bytes(&read[..read.len().min(HEAD_LIMIT)]));
        prop_assert!(cursor.tail.len as usize <= TAIL_LIMIT);
        let now = [read.clone(), more.clone()].concat();
        let expected = if more.is_empty() { Decision::Nothing } else { Decision::Read { from: cursor.offset } };
        prop_assert_eq!(decide_next(&cursor, &seen(&cursor, FILE, &now)), expected);
    }

    /// A change in any byte covered by the fingerprints is noticed.
    #[test]
    fn a_covered_change_is_seen(read in prop::collection::vec(any::<u8>(), 1..9000), at in any::<prop::sample::Index>()) {
        let cursor = behind(&read);
        let at = at.index(read.len());
        let covered = at < HEAD_LIMIT || at >= read.len() - cursor.tail.len as usize;
        let expected = if covered { Decision::Replaced } else { Decision::Nothing };
        prop_assert_eq!(decide_next(&cursor, &seen(&cursor, FILE, &changed(read, at))), expected);
    }

    /// No combination of numbers panics, and reading always continues at the cursor.
    #[test]
    fn any_numbers_give_a_decision(offset: u64, head in (any::<u64>(), any::<u32>()), tail in (any::<u64>(), any::<u32>()), length: u64, short: bool) {
        let print = |(hash, len)| Fingerprint { hash, len };
        let mut cursor = Cursor { offset, identity: FILE, head: print(head), tail: print(tail) };
        let now = FileObservation { identity: FILE, length, head: print(head), tail: (!short).then(|| print(tail)) };
        if let Decision::Read { from } = decide_next(&cursor, &now) {
            prop_assert_eq!(from, offset);
        }
        cursor.advance(b"more");
    }
}
