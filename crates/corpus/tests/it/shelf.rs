//! The window's table of a corpus: the rows of `sessions`, sorted and filtered.

use std::path::{Path, PathBuf};

use cwl_corpus::{CorpusAsked, CorpusCache, TextsAs};
use cwl_host::api::{CorpusOverview, CorpusRequest, CorpusRowsAnswer, CorpusRowsRequest, CorpusValue};
use cwl_host::commands::RunsAsked;
use cwl_host::{ApiError, Corpora, ErrorCode};

use crate::common::{corpus_of, make, samples};

const CASES: [&str; 4] = ["pi/quickstart", "pi/forgotten", "codex/quickstart", "claude-code/compaction"];

/// A folder with copies of samples and a file that is no log, and their tables beside it.
fn made(dir: &Path, texts: TextsAs) -> PathBuf {
    let logs = dir.join("logs");
    std::fs::create_dir_all(&logs).unwrap();
    for case in CASES {
        let log = logs.join(format!("{}.jsonl", case.replace('/', "-")));
        std::fs::copy(samples().join(case).join("input.jsonl"), log).unwrap();
    }
    std::fs::write(logs.join("odd.jsonl"), [0xff, 0xfe, 0x00, 0x01]).unwrap();
    let folder = dir.join("tables");
    let runs = vec![RunsAsked::parse_runs("cwl,none@2k").unwrap()];
    make(&CorpusAsked { texts, runs, ..corpus_of(&logs, &folder) });
    folder
}

fn asked(folder: &Path, columns: &[&str]) -> CorpusRowsRequest {
    CorpusRowsRequest {
        folder: folder.display().to_string(),
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        find: String::new(),
        harness: None,
        format: None,
        model: None,
        sort: None,
        down: false,
        offset: 0,
        limit: 100,
    }
}

fn view(shelf: &CorpusCache, folder: &Path) -> Result<CorpusOverview, ApiError> {
    shelf.open_corpus(&CorpusRequest { folder: folder.display().to_string() })
}

fn logs_of(rows: &CorpusRowsAnswer) -> Vec<String> {
    let name = |target: &String| Path::new(target).file_stem().unwrap().to_str().unwrap().to_owned();
    rows.rows
        .iter()
        .map(|row| row.target.as_ref().map_or_else(|| row.problem.clone().unwrap(), name))
        .collect()
}

fn number(cell: &CorpusValue) -> Option<i64> {
    match cell {
        CorpusValue::Number(number) => Some(*number),
        _ => None,
    }
}

#[test]
fn rows_are_sorted_and_what_has_no_value_stands_last() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path(), TextsAs::Plain);
    let shelf = CorpusCache::default();
    let of = |sort: &str, down: bool| {
        let request = CorpusRowsRequest { sort: Some(sort.into()), down, ..asked(&folder, &[sort]) };
        shelf.read_rows(&request).unwrap()
    };
    let numbers =
        |rows: &CorpusRowsAnswer| rows.rows.iter().map(|row| number(&row.cells[0])).collect::<Vec<_>>();
    for column in ["n_turns", "tokens", "n_runs", "cheapest_cost"] {
        let (up, down) = (numbers(&of(column, false)), numbers(&of(column, true)));
        assert_eq!((up.len(), up[4], down[4]), (5, None, None), "{column}");
        assert!(up[..4].is_sorted() && up[..4].iter().all(Option::is_some), "{column}: {up:?}");
        assert!(down[..4].iter().rev().is_sorted(), "{column}: {down:?}");
    }
    assert_eq!(numbers(&of("n_runs", true))[0], Some(2));
    let titles = of("title", false);
    assert!(titles.rows.iter().map(|row| row.name.to_lowercase()).is_sorted());
    // In pages, each row once.
    let whole = logs_of(&of("tokens", true));
    let part = |offset| {
        let request = CorpusRowsRequest {
            sort: Some("tokens".into()),
            down: true,
            offset,
            limit: 2,
            ..asked(&folder, &[])
        };
        logs_of(&shelf.read_rows(&request).unwrap())
    };
    assert_eq!([part(0), part(2), part(4), part(6)].concat(), whole);
}

#[test]
fn rows_are_filtered_by_words_and_by_what_the_view_lists() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path(), TextsAs::Plain);
    let shelf = CorpusCache::default();
    let known = view(&shelf, &folder).unwrap();
    assert_eq!((known.n_logs, known.n_unread, known.n_unfinished, known.n_placed), (5, 1, 0, 5));
    assert!(known.has_texts);
    let check = |request: CorpusRowsRequest, expected: &[&str]| {
        let found = shelf.read_rows(&request).unwrap();
        let mut logs = logs_of(&found);
        logs.sort();
        assert_eq!(logs, expected, "{request:?}");
        assert_eq!(found.n_rows as usize, expected.len());
    };
    let find = |words: &str| CorpusRowsRequest { find: words.into(), ..asked(&folder, &[]) };
    check(find("PI-forgotten"), &["pi-forgotten"]);
    check(find("quickstart codex"), &["codex-quickstart"]);
    check(find("quickstart codex nothing-has-this"), &[]);
    check(find("binary"), &["binary"]);
    let harness = CorpusRowsRequest { harness: Some("pi".into()), ..asked(&folder, &[]) };
    check(harness.clone(), &["pi-forgotten", "pi-quickstart"]);
    check(CorpusRowsRequest { find: "forgotten".into(), ..harness }, &["pi-forgotten"]);
    for format in &known.formats {
        let of = CorpusRowsRequest { format: Some(format.clone()), ..asked(&folder, &["format"]) };
        let rows = shelf.read_rows(&of).unwrap().rows;
        assert!(!rows.is_empty() && rows.iter().all(|row| row.cells[0] == CorpusValue::Text(format.clone())));
    }
    assert!(!known.models.is_empty());
}

#[test]
fn hashed_tables_say_so_and_name_no_log() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path(), TextsAs::Hashed);
    let shelf = CorpusCache::default();
    let known = view(&shelf, &folder).unwrap();
    assert_eq!((known.has_texts, known.n_placed, known.n_logs), (false, 0, 5));
    let rows = shelf.read_rows(&asked(&folder, &["path"])).unwrap().rows;
    assert!(rows.iter().all(|row| row.is_hashed && row.name == row.log && row.target.is_none()));
}

#[test]
fn a_corpus_that_is_written_again_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path(), TextsAs::Plain);
    let shelf = CorpusCache::default();
    assert_eq!(view(&shelf, &folder).unwrap().n_logs, 5);
    std::fs::remove_file(dir.path().join("logs/pi-forgotten.jsonl")).unwrap();
    made_again(dir.path(), &folder);
    // Columns not read before would belong to other rows.
    assert_eq!(shelf.read_rows(&asked(&folder, &["bytes"])).unwrap().n_rows, 4);
    assert_eq!(view(&shelf, &folder).unwrap().n_logs, 4);
}

fn made_again(dir: &Path, folder: &Path) {
    make(&CorpusAsked { texts: TextsAs::Plain, ..corpus_of(&dir.join("logs"), folder) });
}

#[test]
fn what_is_no_corpus_says_why_and_where() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = CorpusCache::default();
    let check = |folder: &Path, says: &str, place: &Path| {
        let error = view(&shelf, folder).unwrap_err();
        assert_eq!(error.code, ErrorCode::NoCorpus);
        assert!(error.message.contains(says), "{error}");
        assert!(error.hint.is_some());
        assert!(Path::new(error.path.as_ref().unwrap()).ends_with(place), "{error}");
    };
    check(dir.path(), "no corpus of this program", dir.path().file_name().unwrap().as_ref());
    let folder = made(dir.path(), TextsAs::Plain);
    let table = folder.join("sessions/part-000000.parquet");
    let bytes = std::fs::read(&table).unwrap();
    for n in [0, 10, bytes.len() / 2] {
        std::fs::write(&table, &bytes[..n]).unwrap();
        check(&folder, "cannot read this table", Path::new("sessions/part-000000.parquet"));
    }
    std::fs::write(&table, &bytes).unwrap();
    assert_eq!(view(&shelf, &folder).unwrap().n_logs, 5, "mended, it opens");
    std::fs::write(folder.join("corpus.json"), "{\"version\": 999, \"n_parts\": 1}").unwrap();
    check(&folder, "version 999", Path::new("tables"));
}
