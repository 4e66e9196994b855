//! Every sample, cut at every byte and split at every line: no panic, and pieces equal the whole.

use std::path::{Path, PathBuf};

use cwl_engine::{ParsedEvent, Problem};
use cwl_formats::{Batch, Format, LogReader, detect_format, parse_log};

/// Records up to this many bytes are compared at every cut, each on a copy of the reader.
const LONG: usize = 2 * 1024;
/// Only samples up to this many bytes are cut at every byte.
const LONGEST: usize = 256 * 1024;

fn samples() -> Vec<(PathBuf, Format, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let mut found: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .filter_map(|format| std::fs::read_dir(format.unwrap().path()).ok())
        .flatten()
        .filter_map(|case| std::fs::read_dir(case.unwrap().path()).ok())
        .flatten()
        .map(|file| file.unwrap().path())
        .filter(|path| path.file_stem().is_some_and(|stem| stem == "input") && path.is_file())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json"))
        .collect();
    found.sort();
    assert!(found.len() >= 5, "the samples are there");
    found
        .into_iter()
        .map(|path| {
            let bytes = std::fs::read(&path).unwrap();
            let format = detect_format(&bytes[..bytes.len().min(64 * 1024)]).unwrap();
            (path, format, bytes)
        })
        .collect()
}

fn gather(into: &mut (Vec<ParsedEvent>, Vec<Problem>), batch: Batch) {
    into.0.extend(batch.events);
    into.1.extend(batch.problems);
}

#[test]
fn the_folder_says_the_format() {
    for (path, format, _) in samples() {
        let folder = path.parent().and_then(Path::parent).and_then(Path::file_name).unwrap();
        // Programs that embed pi have their own folders.
        let folder = match folder.to_str() {
            Some("pi-cwl" | "openclaw") => Some("pi"),
            folder => folder,
        };
        assert_eq!(folder, Some(format.name()), "{}", path.display());
    }
}

/// `make test-all` cuts short records at each byte; the gate cuts each record at no more than a few dozen places.
#[test]
fn cut_at_every_byte_the_pieces_give_the_whole() {
    let (short_step, most_cuts) = if std::env::var_os("CWL_ALL").is_some() { (1, 512) } else { (61, 24) };
    for (path, format, bytes) in samples() {
        let of_lines = path.extension().is_some_and(|extension| extension == "jsonl");
        let mut reader = LogReader::new(format);
        for record in bytes.split_inclusive(|byte| of_lines && *byte == b'\n') {
            let mut whole = reader.clone();
            let expected = (whole.feed_bytes(record), whole.unfinished_batch());
            // A long record is compared at some cuts only, and must not panic at any. Each cut reads the
            // whole record again, so the largest records are cut at a few hundred places.
            let step = (record.len() / most_cuts).max(61) | 1;
            // The longest samples have no record type that shorter ones of their format lack.
            let is_short = record.len() <= LONG || (of_lines && record.len() <= 4 * LONG);
            let at_each_byte = is_short && bytes.len() <= LONGEST;
            for cut in
                (0..=record.len()).filter(|cut| cut % if at_each_byte { short_step } else { step } == 0)
            {
                let mut copy = reader.clone();
                let mut batch = copy.feed_bytes(&record[..cut]);
                copy.unfinished_batch();
                if record.len() > LONG && cut % step != 0 {
                    continue;
                }
                let rest = copy.feed_bytes(&record[cut..]);
                batch.events.extend(rest.events);
                batch.problems.extend(rest.problems);
                assert!(
                    (batch, copy.unfinished_batch()) == expected,
                    "{} cut at {cut} of a record",
                    path.display()
                );
            }
            reader = whole;
        }
        if of_lines {
            assert_eq!(reader.complete_bytes(), last_line_end(&bytes), "{}", path.display());
        }
    }
}

fn last_line_end(bytes: &[u8]) -> u64 {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1)
}

#[test]
fn split_at_every_line_the_pieces_give_the_whole() {
    for (path, format, bytes) in samples() {
        let whole = parse_log(format, &bytes);
        let mut reader = LogReader::new(format);
        let mut pieces = (Vec::new(), Vec::new());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            // Each line arrives in two halves.
            let middle = line.len() / 2;
            gather(&mut pieces, reader.feed_bytes(&line[..middle]));
            gather(&mut pieces, reader.feed_bytes(&line[middle..]));
            // Sometimes a reader is resumed from its stored state, and continues equally.
            if middle % 3 == 0
                && line.ends_with(b"\n")
                && let Some(state) = reader.resume_state()
            {
                reader = LogReader::resume_from(format, state);
            }
        }
        gather(&mut pieces, reader.unfinished_batch());
        assert_eq!(pieces.0.len(), whole.0.len(), "{}", path.display());
        assert!(pieces == whole, "{}: pieces and whole differ", path.display());
    }
}
