//! A log in pieces equals the whole log; any bytes can be read.

use cwl_formats::{Batch, Format, LogReader, detect_format, parse_log};
use proptest::prelude::*;

const LOGS: [&str; 3] =
    [include_str!("logs/v1.jsonl"), include_str!("logs/v2.jsonl"), include_str!("logs/v3.jsonl")];

const ODD_LINES: [&str; 12] = [
    "",
    "\r",
    "42",
    "[1]",
    "{}",
    "not json",
    "{}{}",
    "\u{feff}{\"type\":\"custom\"}",
    "\0\0{\"type\":\"label\"}\0",
    "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"\\ud83d\"}}",
    "{\"type\":\"compaction\",\"summary\":\"s\",\"firstKeptEntryIndex\":1}",
    "{\"type\":\"session\",\"version\":3}",
];

fn any_log() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<String> =
        LOGS.iter().flat_map(|log| log.lines()).chain(ODD_LINES).map(str::to_owned).collect();
    let line = prop_oneof![
        4 => proptest::sample::select(lines).prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..12),
    ];
    (proptest::collection::vec(line, 0..12), any::<bool>()).prop_map(|(lines, ended)| {
        let mut log = lines.join(&b'\n');
        log.extend(ended.then_some(b'\n'));
        log
    })
}

fn whole(log: &[u8]) -> Batch {
    let (events, problems) = parse_log(Format::Pi, log);
    Batch { events, problems }
}

fn in_pieces(log: &[u8], mut cuts: Vec<usize>) -> Batch {
    cuts.sort_unstable();
    let mut reader = LogReader::new(Format::Pi);
    let mut all = Batch::default();
    let mut take = |batch: Batch| {
        all.events.extend(batch.events);
        all.problems.extend(batch.problems);
    };
    let mut start = 0;
    for cut in cuts.into_iter().chain([log.len()]) {
        take(reader.feed_bytes(&log[start..cut]));
        start = cut;
    }
    take(reader.unfinished_batch());
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pieces_give_the_same(
        log in any_log(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
    ) {
        let cuts = cuts.iter().map(|cut| cut.index(log.len() + 1)).collect();
        prop_assert_eq!(in_pieces(&log, cuts), whole(&log));
    }

    #[test]
    fn a_reader_that_goes_on_where_another_stopped_gives_the_same(
        log in any_log(),
        cut in any::<proptest::sample::Index>(),
    ) {
        let mut reader = LogReader::new(Format::Pi);
        let Batch { mut events, mut problems } = reader.feed_bytes(&log[..cut.index(log.len() + 1)]);
        // A log that cannot be resumed is read again, which needs no test.
        if let Some(state) = reader.resume_state() {
            let mut next = LogReader::resume_from(Format::Pi, state);
            let rest = next.feed_bytes(&log[usize::try_from(state.offset).unwrap()..]);
            let tail = next.unfinished_batch();
            events.extend(rest.events.into_iter().chain(tail.events));
            problems.extend(rest.problems.into_iter().chain(tail.problems));
            prop_assert_eq!(Batch { events, problems }, whole(&log));
        }
    }

    #[test]
    fn any_bytes_are_read(log in proptest::collection::vec(any::<u8>(), 0..400)) {
        whole(&log);
        prop_assert_eq!(detect_format(&log).is_ok(), false, "noise is no log");
    }

    #[test]
    fn a_damaged_log_is_read(
        which in 0..LOGS.len(),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0..3u8), 1..20),
    ) {
        let mut log = LOGS[which].as_bytes().to_vec();
        for (at, byte, how) in damage {
            let at = at.index(log.len());
            match how {
                0 => log[at] = byte,
                1 => log.insert(at, byte),
                _ => drop(log.remove(at)),
            }
        }
        let n_lines = log.split(|&byte| byte == b'\n').count() as u64;
        let read = whole(&log);
        prop_assert!(read.events.len() as u64 + (read.problems.len() as u64) >= n_lines / 2);
        prop_assert!(read.events.iter().all(|event| (1..=n_lines).contains(&event.event.line)));
        prop_assert!(read.events.iter().all(|event| event.contents.len() == event.event.body.all_blocks().count()));
    }
}

#[test]
fn every_line_cut_is_read() {
    for log in LOGS {
        let ends = log.match_indices('\n').map(|(at, _)| at);
        for end in ends.flat_map(|end| [end, end + 1]) {
            let n_events = whole(&log.as_bytes()[..end]).events.len();
            assert_eq!(n_events, log[..end].lines().count(), "every complete line is an event");
        }
    }
}

#[test]
fn version_1_cannot_be_gone_on_with() {
    let has_state = |log: &str| {
        let mut reader = LogReader::new(Format::Pi);
        reader.feed_bytes(log.as_bytes());
        reader.resume_state().is_some()
    };
    assert_eq!(LOGS.map(has_state), [false, true, true], "its compactions count records");
    assert!(has_state(""), "nothing read, nothing lost");
}
