//! Rollouts as bytes: detected by content, equal in any pieces, and read whatever they hold.

use std::path::Path;

use cwl_formats::{Batch, DetectFailure, Format, LogReader, detect_format, parse_log};
use proptest::prelude::*;

fn sample(case: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/codex");
    std::fs::read_to_string(folder.join(case).join("input.jsonl")).unwrap()
}

const CASES: [&str; 10] = [
    "archived",
    "branches",
    "compacted",
    "fork",
    "legacy",
    "quickstart",
    "records",
    "shell-outputs",
    "subagent",
    "tools",
];

fn check(head: impl AsRef<[u8]>, expected: Result<Format, DetectFailure>) {
    let head = head.as_ref();
    assert_eq!(detect_format(head), expected, "{}", String::from_utf8_lossy(&head[..head.len().min(200)]));
}

#[test]
fn every_sample_is_found_from_any_line_on() {
    for case in CASES {
        let log = sample(case);
        for (at, _) in log.match_indices("\n{") {
            check(&log[at..], Ok(Format::Codex));
        }
    }
}

#[test]
fn one_row_of_each_kind_is_enough() {
    for row in [
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}"#,
        r#"{"payload":{"id":"s"},"timestamp":"t","type":"session_meta"}"#,
        r#"{"payload":{"cli_version":"0.104.0","instructions":"cut"#,
        r#"{"timestamp":"t","ordinal":0,"type":"event_msg","payload":{"#,
        r#"{"timestamp":"t","type":"compacted","payload":{}}"#,
        r#"{"id":"s","timestamp":"t","instructions":null}"#,
        r#"{"record_type":"state"}"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}"#,
        r#"{"type":"message","id":null,"role":"assistant","content":[{"type":"output_text","text":"x"#,
        r#"{"type":"reasoning","summary":[],"encrypted_content":"x"}"#,
        r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}"#,
        r#"{"type":"function_call_output","call_id":"c","output":"x"}"#,
    ] {
        check(row, Ok(Format::Codex));
    }
}

#[test]
fn rows_of_others_are_not_taken() {
    for row in [
        r#"{"type":"session_meta"}"#,
        r#"{"timestamp":"t","type":"session_meta","payload":7}"#,
        r#"{"timestamp":"t","type":"event","payload":{}}"#,
        r#"{"type":"message","role":"user","content":"x"}"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"x"}]}"#,
        r#"{"type":"message","content":[{"type":"input_text","text":"x"}]}"#,
        r#"{"type":"reasoning","text":"x"}"#,
        r#"{"type":"function_call","name":"f"}"#,
        r#"{"id":"s","timestamp":"t"}"#,
        r#"{"record_type":"row"}"#,
    ] {
        assert_ne!(detect_format(row.as_bytes()), Ok(Format::Codex), "{row}");
    }
}

fn whole(log: &[u8]) -> Batch {
    let (events, problems) = parse_log(Format::Codex, log);
    Batch { events, problems }
}

fn in_pieces(log: &[u8], mut cuts: Vec<usize>) -> Batch {
    cuts.sort_unstable();
    let mut reader = LogReader::new(Format::Codex);
    let mut all = Batch::default();
    let mut start = 0;
    for cut in cuts.into_iter().chain([log.len()]) {
        let batch = reader.feed_bytes(&log[start..cut]);
        all.events.extend(batch.events);
        all.problems.extend(batch.problems);
        start = cut;
    }
    let batch = reader.unfinished_batch();
    all.events.extend(batch.events);
    all.problems.extend(batch.problems);
    all
}

fn any_log() -> impl Strategy<Value = Vec<u8>> {
    let odd = ["", "42", "{}{}", "not json", r#"{"type":"compacted","payload":{"message":"s"}}"#];
    let odd = odd.map(str::to_owned);
    let rows = CASES.iter().flat_map(|case| sample(case).lines().map(str::to_owned).collect::<Vec<_>>());
    // A few of the similar rows are enough.
    let rows: Vec<String> = rows.filter(|row| row.len() < 2_000).step_by(3).chain(odd).collect();
    (proptest::collection::vec(proptest::sample::select(rows), 0..30), any::<bool>()).prop_map(
        |(rows, ended)| {
            let mut log = rows.join("\n").into_bytes();
            log.extend(ended.then_some(b'\n'));
            log
        },
    )
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
    fn every_event_has_its_own_id_and_one_content_for_each_block(log in any_log()) {
        let read = whole(&log);
        let mut ids: Vec<_> = read.events.iter().map(|event| event.event.entry.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), read.events.len());
        for event in &read.events {
            prop_assert_eq!(event.contents.len(), event.event.body.all_blocks().count());
            let indices: Vec<u32> = event.event.body.all_blocks().map(|block| block.index).collect();
            prop_assert!(indices.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", indices);
        }
    }

    #[test]
    fn a_damaged_log_is_read(
        which in 0..CASES.len(),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0..3u8), 1..20),
    ) {
        let mut log = sample(CASES[which]).into_bytes();
        log.truncate(40_000);
        for (at, byte, how) in damage {
            let at = at.index(log.len());
            match how {
                0 => log[at] = byte,
                1 => log.insert(at, byte),
                _ => drop(log.remove(at)),
            }
        }
        let n_lines = log.split(|&byte| byte == b'\n').count();
        let read = whole(&log);
        prop_assert!(read.events.len() + read.problems.len() >= n_lines / 2);
        prop_assert!(read.events.iter().all(|event| event.contents.len() == event.event.body.all_blocks().count()));
    }
}
