//! Logs of every harness: followed, opened again, packed, and after their files are gone.
#![allow(clippy::unwrap_used)]
use cwl_store::NoteSubject;

use super::tests::{Desk, Told, check, pieces};
use super::*;
use proptest::prelude::*;

/// One small sample per format.
fn samples() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    let formats = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    for format in formats.filter(|path| path.is_dir()) {
        let cases = std::fs::read_dir(&format).unwrap().map(|entry| entry.unwrap().path());
        let logs = cases.flat_map(|case| [case.join("input.jsonl"), case.join("input.json")]);
        // A log with a torn last line is read from the start if its format cannot resume in the middle.
        let is_whole = |log: &Vec<u8>| log.ends_with(b"\n");
        let smallest =
            logs.filter_map(|log| std::fs::read(log).ok()).filter(is_whole).min_by_key(Vec::len).unwrap();
        found.push((format.file_name().unwrap().to_string_lossy().into_owned(), smallest));
    }
    found.sort();
    assert!(found.len() >= 12, "{found:?}");
    found
}

#[test]
fn a_log_that_did_not_change_is_not_read_again_and_one_that_did_is() {
    for (format, log) in samples() {
        let desk = Desk::new(&log);
        drop(desk.open(&FollowRequest::default()).unwrap());
        let mut live = desk.open(&FollowRequest::default()).unwrap();
        assert_eq!(live.generation, 0, "{format}: opened a second time");
        desk.check_is_whole(&mut live);
        std::fs::write(desk.log(), [&log[..], b"\n{\"later\":1}\n"].concat()).unwrap();
        live.reload_stored().unwrap();
        desk.check_is_whole(&mut live);
    }
}

/// Marks a stored log as read by other rules.
fn read_by_other_rules(live: &LogFollower) {
    let (row, state) = live
        .library
        .run_read(|store| Ok((store.source(live.source)?, store.reader_state(live.source)?)))
        .unwrap();
    let nothing_new = Ingest {
        source: live.source,
        expected_offset: row.cursor.offset,
        events: &[],
        problems: &[],
        counts: &[],
        cursor: &row.cursor,
        reader: &state.unwrap(),
        rules: u32::MAX,
    };
    live.library.run_write(|store| store.ingest_batch(&nothing_new).map(drop)).unwrap();
}

#[test]
fn a_log_that_was_read_by_other_rules_is_read_anew() {
    for (format, log) in samples() {
        let desk = Desk::new(&log);
        let noted = NoteSubject::Log;
        {
            let live = desk.open(&FollowRequest::default()).unwrap();
            let path = desk.log().display().to_string();
            live.library.run_write(|store| store.save_note(None, &path, &noted, "a remark", 1)).unwrap();
            read_by_other_rules(&live);
        }
        let mut live = desk.open(&FollowRequest::default()).unwrap();
        assert_eq!(live.generation, 1, "{format}: read anew");
        desk.check_is_whole(&mut live);
        let notes =
            live.library.run_read(|store| store.notes_on_log(&desk.log().display().to_string())).unwrap();
        assert_eq!(notes.len(), 1, "{format}: what people wrote stays");
        drop(live);
        assert_eq!(desk.open(&FollowRequest::default()).unwrap().generation, 1, "{format}: once");
    }
}

#[test]
fn of_a_log_that_is_gone_stays_what_other_rules_read() {
    for (format, log) in samples() {
        let desk = Desk::new(&log);
        let mut live = desk.open(&FollowRequest::default()).unwrap();
        let events = live.publish_revision().0.log.events().to_vec();
        read_by_other_rules(&live);
        std::fs::remove_file(desk.log()).unwrap();
        drop(live);
        let mut live = desk.open(&FollowRequest::default()).unwrap();
        assert!(
            live.gone
                && live.publish_revision().0.log.events().to_vec().starts_with(&events[..events.len() - 1]),
            "{format}"
        );
        assert_eq!(live.generation, 0, "{format}");
        // The log comes back.
        std::fs::write(desk.log(), &log).unwrap();
        live.reload_stored().unwrap();
        desk.check_is_whole(&mut live);
        assert_eq!(live.generation, 1, "{format}");
    }
}

#[test]
fn a_log_that_is_gone_stays_inspectable() {
    for (format, log) in samples() {
        let desk = Desk::new(&log);
        let mut live = desk.open(&FollowRequest::default()).unwrap();
        let events = live.publish_revision().0.log.events().to_vec();
        std::fs::remove_file(desk.log()).unwrap();
        live.reload_stored().unwrap();
        assert!(
            live.gone && live.publish_revision().0.log.events().to_vec() == events,
            "{format}: while it is open"
        );
        drop(live);
        let mut live = desk.open(&FollowRequest::default()).unwrap();
        assert!(
            live.gone && live.publish_revision().0.log.events().to_vec() == events,
            "{format}: opened after it is gone"
        );
    }
}

#[test]
fn a_packed_log_is_what_is_in_it() {
    let plain = include_bytes!("../../../../../samples/codex/quickstart/input.jsonl");
    let (desk, unpacked) = (Desk::new(&zstd::encode_all(&plain[..], 3).unwrap()), Desk::new(plain));
    let mut expected = unpacked.open(&FollowRequest::default()).unwrap();
    let expected = expected.publish_revision().0;
    for chunk in [1_000, CHUNK] {
        let mut live = desk.open(&FollowRequest { chunk, ..FollowRequest::default() }).unwrap();
        assert_eq!(live.publish_revision().0.log.events(), expected.log.events());
        assert_eq!(live.generation, 0, "it is read once");
        desk.check_is_whole(&mut live);
    }
    // The harness unpacks the log when the session continues.
    std::fs::write(desk.log(), plain).unwrap();
    let mut live = desk.open(&FollowRequest::default()).unwrap();
    desk.check_is_whole(&mut live);
}

#[test]
fn a_packed_log_that_is_damaged_keeps_what_came_before() {
    let plain = include_bytes!("../../../../../samples/codex/quickstart/input.jsonl");
    let mut packed = zstd::encode_all(&plain[..], 3).unwrap();
    packed.extend_from_slice(b"no frame");
    let desk = Desk::new(&packed);
    let mut live = desk.open(&FollowRequest::default()).unwrap();
    let opened = live.publish_revision().0;
    assert!(opened.log.events().len() > 50);
    let codes: Vec<&str> = opened.log_problems.iter().map(|problem| problem.kind.code()).collect();
    assert!(codes.contains(&"L025"), "{codes:?}");
    desk.check_is_whole(&mut live);
}

#[test]
fn a_packed_log_is_taken_in_pieces_by_what_comes_out_of_it() {
    let plain = include_bytes!("../../../../../samples/codex/quickstart/input.jsonl");
    let header = plain.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let many = [&plain[..header], &plain[header..].repeat(100)].concat();
    let packed = zstd::encode_all(&many[..], 3).unwrap();
    assert!(packed.len() < CHUNK, "the file is one chunk: {} bytes", packed.len());
    let (mut feeder, mut rest) = (Feeder::new(Format::Codex), &packed[..]);
    let (mut ends, mut events) = (Vec::new(), Vec::new());
    while let Some(parsed) = feeder.feed_bytes(&mut rest, FileIdentity::UNKNOWN) {
        events.extend(parsed.batch.events);
        ends.push(parsed.end.offset);
    }
    assert!(ends.len() > 2 && ends.is_sorted_by(|before, after| before < after), "{ends:?}");
    assert_eq!(ends.last(), Some(&(packed.len() as u64)));
    assert!(events == cwl_formats::parse_log(Format::Codex, &many).0, "pieces are the log");

    let desk = Desk::new(&packed);
    let mut live = desk.open(&FollowRequest::default()).unwrap();
    assert!(live.publish_revision().0.log.events().iter().eq(events.iter().map(|parsed| &parsed.event)));
}

#[test]
fn a_format_that_is_asked_for_is_the_one_that_reads() {
    let log = include_bytes!("../../../../../samples/openai-chat/quickstart/input.jsonl");
    let as_format = |format| FollowRequest { format: Some(format), ..FollowRequest::default() };
    let n_messages = |live: &mut LogFollower| {
        let opened = live.publish_revision().0;
        opened.log.events().iter().flat_map(|event| event.body.all_messages()).count()
    };
    let desk = Desk::new(log);
    let refused = desk.open(&as_format(Format::Pi)).err().unwrap();
    assert_eq!(refused.code, ErrorCode::UnknownFormat);
    let mut live = desk.open(&FollowRequest::default()).unwrap();
    assert_eq!(
        (live.source.number(), live.format()),
        (1, Format::OpenaiChat),
        "the refused one stored nothing"
    );
    let n_all = n_messages(&mut live);
    assert!(live.read_as(Format::Pi).is_err() && n_messages(&mut live) == n_all, "it stays as it was");

    // Messages of a chat are also lines that the agent's own reader accepts.
    let other = other_reader(log);
    live.read_as(other).unwrap();
    assert_eq!((live.format(), live.publish_revision().1), (other, true), "everything before is void");
    drop(live);
    assert_eq!(desk.open(&as_format(Format::OpenaiChat)).unwrap().generation, 2, "and back");
}

/// Returns another format that accepts messages of `log`.
fn other_reader(log: &[u8]) -> Format {
    let reads = |format: &Format| {
        let (events, _) = cwl_formats::parse_log(*format, log);
        events.iter().any(|parsed| matches!(parsed.event.body, cwl_engine::EventBody::Message(_)))
    };
    Format::ALL.iter().copied().filter(|format| *format != Format::OpenaiChat).find(reads).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: (ProptestConfig::default().cases / 128).min(6), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_told_the_file_decides_for_every_format(pieces in pieces()) {
        let pieces: Vec<(usize, Told)> = pieces;
        for (_, log) in samples() {
            check(&log, &pieces);
        }
    }
}
