//! Every sample, cut at every byte and split at every line: nothing panics, and pieces give what the whole
//! gives.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use cwl_engine::{ParsedEvent, Problem};
use cwl_formats::{Batch, Format, Reader, detect, parse};

/// Samples up to this size are cut from scratch; in larger ones each line is cut on a copy of the reader.
const FROM_SCRATCH: usize = 32 * 1024;

fn samples() -> Vec<(PathBuf, Format, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let mut found: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .filter_map(|format| std::fs::read_dir(format.unwrap().path()).ok())
        .flatten()
        .map(|case| case.unwrap().path().join("input.jsonl"))
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    assert!(found.len() >= 5, "the samples are there");
    found
        .into_iter()
        .map(|path| {
            let bytes = std::fs::read(&path).unwrap();
            let format = detect(&bytes[..bytes.len().min(64 * 1024)]).unwrap();
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
        assert_eq!(folder.to_str(), Some(format.name()), "{}", path.display());
    }
}

#[test]
fn cut_at_every_byte_nothing_panics_and_whole_lines_stay() {
    for (path, format, bytes) in samples() {
        if bytes.len() <= FROM_SCRATCH {
            let whole = parse(format, &bytes).0.len();
            for cut in 0..=bytes.len() {
                let (events, _) = parse(format, &bytes[..cut]);
                assert!(events.len() <= whole, "{} cut at {cut}", path.display());
            }
            continue;
        }
        let mut reader = Reader::new(format);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            for cut in 0..=line.len() {
                let mut copy = reader.clone();
                copy.feed(&line[..cut]);
                copy.tail();
            }
            reader.feed(line);
        }
        assert_eq!(reader.offset(), last_line_end(&bytes), "{}", path.display());
    }
}

fn last_line_end(bytes: &[u8]) -> u64 {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1)
}

#[test]
fn split_at_every_line_the_pieces_give_the_whole() {
    for (path, format, bytes) in samples() {
        let whole = parse(format, &bytes);
        let mut reader = Reader::new(format);
        let mut pieces = (Vec::new(), Vec::new());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            // Each line arrives torn in two.
            let middle = line.len() / 2;
            gather(&mut pieces, reader.feed(&line[..middle]));
            gather(&mut pieces, reader.feed(&line[middle..]));
            // Now and then a reader is resumed from its stored state; it goes on the same.
            if middle % 3 == 0
                && line.ends_with(b"\n")
                && let Some(state) = reader.state()
            {
                reader = Reader::resume(format, state);
            }
        }
        gather(&mut pieces, reader.tail());
        assert_eq!(pieces.0.len(), whole.0.len(), "{}", path.display());
        assert!(pieces == whole, "{}: pieces and whole differ", path.display());
    }
}
