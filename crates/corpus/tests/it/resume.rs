//! A corpus that is updated, stopped and continued, or made in shares has the same bytes as one made at once.

use std::path::{Path, PathBuf};

use cwl_corpus::{Shard, TABLES};

use crate::common::{corpus_of, make, samples};
use crate::tree::files;

fn logs() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let logs = dir.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    let cases =
        ["pi/quickstart", "pi/forgotten", "codex/quickstart", "claude-code/compaction", "gemini-cli/quirks"];
    for case in cases {
        let name = format!("{}.jsonl", case.replace('/', "-"));
        std::fs::copy(samples().join(case).join("input.jsonl"), logs.join(name)).unwrap();
    }
    std::fs::write(logs.join("odd.jsonl"), [0xff, 0xfe, 0x00, 0x01]).unwrap();
    (dir, logs)
}

/// Prepares a corpus of 16 parts, so that some change and some do not. A log's part follows from its path, which is new in each run:
/// five logs fall into one part in 1 of 65,536 runs.
fn in_parts(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let form = serde_json::json!({"version": cwl_corpus::VERSION, "n_parts": 16});
    std::fs::write(folder.join("corpus.json"), form.to_string()).unwrap();
}

#[test]
fn only_parts_with_changed_logs_are_written_again() {
    let (dir, logs) = logs();
    let (grown, fresh) = (dir.path().join("grown"), dir.path().join("fresh"));
    in_parts(&grown);
    in_parts(&fresh);
    let asked = corpus_of(&logs, &grown);
    let (n_parts, _, _) = make(&asked);
    assert!(n_parts > 1, "{n_parts}");
    assert_eq!(make(&asked), (0, n_parts, 0), "nothing changed");
    let before = files(&grown);
    let log = logs.join("pi-quickstart.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    let half: String = text.lines().take(text.lines().count() / 2).map(|line| format!("{line}\n")).collect();
    std::fs::write(&log, half).unwrap();
    assert_eq!(make(&asked), (1, n_parts - 1, 0), "one log changed");
    assert_ne!(files(&grown), before);
    make(&corpus_of(&logs, &fresh));
    assert_eq!(files(&grown), files(&fresh), "brought up to date, and made at once");
    std::fs::write(&log, text).unwrap();
    assert_eq!(make(&asked), (1, n_parts - 1, 0), "it changed back");
    let tables = |folder: &Path| {
        let mut files = files(folder);
        files.retain(|name, _| !name.starts_with("parts"));
        files
    };
    let mut expected = before;
    expected.retain(|name, _| !name.starts_with("parts"));
    assert_eq!(tables(&grown), expected);
}

#[test]
fn a_part_that_is_not_whole_is_written_again() {
    let (dir, logs) = logs();
    let folder = dir.path().join("corpus");
    in_parts(&folder);
    let asked = corpus_of(&logs, &folder);
    let (n_parts, _, _) = make(&asked);
    let whole = files(&folder);
    // Leftovers of a stopped run at each of its steps: files without their list, an unfinished file, a list
    // without a file, half a file.
    let list = whole.keys().find(|name| name.starts_with("parts")).unwrap();
    let part = list.file_stem().unwrap().to_str().unwrap().to_owned();
    let file = |table: &str| folder.join(table).join(format!("{part}.parquet"));
    for table in TABLES {
        std::fs::remove_file(folder.join(list)).unwrap();
        std::fs::write(file(table.name), b"PAR1").unwrap();
        assert_eq!(make(&asked), (1, n_parts - 1, 0), "{}", table.name);
        assert_eq!(files(&folder), whole, "{}", table.name);
        std::fs::remove_file(file(table.name)).unwrap();
        assert_eq!(make(&asked), (1, n_parts - 1, 0), "{}", table.name);
        std::fs::write(file(table.name), b"PAR1").unwrap();
        assert_eq!(make(&asked), (1, n_parts - 1, 0), "{}", table.name);
        assert_eq!(files(&folder), whole, "{}", table.name);
    }
}

#[test]
fn shares_make_one_corpus() {
    let (dir, logs) = logs();
    let (whole, shared) = (dir.path().join("whole"), dir.path().join("shared"));
    in_parts(&whole);
    in_parts(&shared);
    make(&corpus_of(&logs, &whole));
    let mut n_written = 0;
    for number in [2, 0, 1] {
        let asked = cwl_corpus::CorpusAsked { shard: Shard { number, of: 3 }, ..corpus_of(&logs, &shared) };
        let (written, kept, removed) = make(&asked);
        assert_eq!((kept, removed), (0, 0), "a share leaves the parts of others alone");
        n_written += written;
    }
    assert!(n_written > 1);
    assert_eq!(files(&whole), files(&shared));
}

#[test]
fn what_is_asked_differently_is_written_again_and_what_is_gone_goes() {
    let (dir, logs) = logs();
    let folder = dir.path().join("corpus");
    in_parts(&folder);
    let asked = corpus_of(&logs, &folder);
    let (n_parts, _, _) = make(&asked);
    let other = cwl_corpus::CorpusAsked { budget: Some("4k".into()), ..asked.clone() };
    assert_eq!(make(&other), (n_parts, 0, 0), "another budget");
    assert_eq!(make(&cwl_corpus::CorpusAsked { fresh: true, ..other.clone() }), (n_parts, 0, 0));
    let one = cwl_corpus::CorpusAsked { paths: vec![logs.join("pi-quickstart.jsonl")], ..other };
    let (_, _, n_removed) = make(&one);
    assert!(n_removed > 0, "parts without a log go");
    // A stopped part has no list, and is removed with its logs.
    for name in
        ["turns/part-000021.parquet", "turns/part-000022.tmp", "parts/part-000023.json.tmp", "corpus.77.tmp"]
    {
        std::fs::write(folder.join(name), b"PAR1").unwrap();
    }
    let whole = files(&folder);
    make(&one);
    let left: Vec<PathBuf> = files(&folder).into_keys().collect();
    assert!(left.iter().all(|name| name.extension().is_none_or(|extension| extension != "tmp")), "{left:?}");
    assert!(left.len() < whole.len());
    let left: Vec<PathBuf> = files(&folder).into_keys().filter(|name| name.starts_with("turns")).collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn shares_are_read() {
    assert_eq!(Shard::parse_shard("2/8"), Some(Shard { number: 1, of: 8 }));
    assert_eq!(Shard::parse_shard("1/1"), Some(Shard::WHOLE));
    for odd in ["0/8", "9/8", "8", "a/b", "1/0", ""] {
        assert_eq!(Shard::parse_shard(odd), None, "{odd}");
    }
}
