//! Reading a file once, without watching it.

use std::fs;
use std::path::Path;

use cwl_tail::{Cursor, TailError, TailMessage, continues, read_once};

/// Reads the rest of a file; returns the bytes, the other messages and the new cursor.
fn read(path: &Path, cursor: Option<&Cursor>, chunk: usize) -> (Vec<u8>, Vec<TailMessage>, Cursor) {
    let (mut bytes, mut others, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let end = read_once(path, cursor, chunk, |message| match message {
        TailMessage::Appended { bytes: chunk_bytes, at_end, .. } => {
            assert!((1..=chunk.max(1)).contains(&chunk_bytes.len()), "a bounded chunk");
            bytes.extend(chunk_bytes);
            ends.push(at_end);
        }
        other => others.push(other),
    })
    .unwrap();
    if let Some((last, before)) = ends.split_last() {
        assert!(*last && before.iter().all(|end| !end), "only the last chunk is at the end: {ends:?}");
    }
    (bytes, others, end)
}

#[test]
fn a_file_is_read_in_chunks_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let text = (0..2000u32).flat_map(|n| format!("{{\"n\":{n}}}\n").into_bytes()).collect::<Vec<_>>();
    for chunk in [0, 1, 255, 256, 257, 4096, 1 << 20, usize::MAX] {
        let half = if chunk < 2 { 300 } else { text.len() / 2 };
        let whole = if chunk < 2 { 600 } else { text.len() };
        fs::write(&path, &text[..half]).unwrap();
        let (first, none, cursor) = read(&path, None, chunk);
        assert_eq!((first.as_slice(), none.len()), (&text[..half], 0), "chunk {chunk}");
        fs::write(&path, &text[..whole]).unwrap();
        let (rest, none, cursor) = read(&path, Some(&cursor), chunk);
        assert_eq!((rest.as_slice(), none.len()), (&text[half..whole], 0), "chunk {chunk} resumed");
        let (nothing, none, again) = read(&path, Some(&cursor), chunk);
        assert_eq!((nothing.len(), none.len(), again), (0, 0, cursor), "chunk {chunk} at the end");
    }
}

#[test]
fn a_cursor_that_does_not_fit_starts_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    fs::write(&path, "one\ntwo\n").unwrap();
    let (_, _, cursor) = read(&path, None, 64);
    fs::write(&path, "one\n").unwrap();
    let (bytes, others, _) = read(&path, Some(&cursor), 64);
    assert_eq!(
        (bytes.as_slice(), others),
        (&b"one\n"[..], vec![TailMessage::Truncated { path: path.clone() }])
    );
    fs::write(&path, "six\nseven\n").unwrap();
    let (bytes, others, _) = read(&path, Some(&cursor), 64);
    assert_eq!((bytes.as_slice(), others), (&b"six\nseven\n"[..], vec![TailMessage::Replaced { path }]));
}

#[test]
fn a_cursor_takes_the_present_identity_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    fs::write(&path, "one\n").unwrap();
    let (_, _, cursor) = read(&path, None, 64);
    // As after a restart with different device numbers.
    let mut renumbered = cursor.clone();
    renumbered.identity.dev = renumbered.identity.dev.wrapping_add(1);
    let (bytes, others, now) = read(&path, Some(&renumbered), 64);
    assert_eq!((bytes.len(), others.len(), now), (0, 0, cursor), "the same file, nothing new");
}

#[test]
fn an_empty_file_has_a_cursor() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    fs::write(&path, "").unwrap();
    let (bytes, others, cursor) = read(&path, None, 64);
    assert_eq!((bytes.len(), others.len(), cursor.offset), (0, 0, 0));
}

#[test]
fn what_is_no_file_is_an_error_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let error = read_once(&missing, None, 64, |_| ()).unwrap_err();
    assert!(matches!(&error, TailError::Read { path, .. } if *path == missing), "{error:?}");
    let error = read_once(folder.path(), None, 64, |_| ()).unwrap_err();
    assert!(error.to_string().starts_with("is a folder, not a file: "), "{error}");
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_without_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    let what = |path: &Path| match read_once(path, None, 64, |_| ()) {
        Err(TailError::NotAFile { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(what(&pipe), "a pipe");
    assert_eq!(what(&folder.path().join("socket")), "a socket");
    assert_eq!(what(Path::new("/dev/zero")), "a device");
}

#[test]
fn a_file_is_known_by_what_was_read_of_it_under_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"));
    fs::write(&a, "one\ntwo\n").unwrap();
    let cursor = read(&a, None, 64).2;
    fs::rename(&a, &b).unwrap();
    assert!(continues(&b, &cursor) && !continues(&a, &cursor));
    fs::write(&b, "one\ntwo\nthree\n").unwrap();
    assert!(continues(&b, &cursor), "it may have grown");
    fs::write(&b, "one\n").unwrap();
    assert!(!continues(&b, &cursor), "not shrunk");
    fs::write(&b, "uno\ndue\ntre\n").unwrap();
    assert!(!continues(&b, &cursor), "nor hold anything else");
}
