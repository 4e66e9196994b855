//! The samples as a corpus.

use std::path::{Path, PathBuf};

use cwl_corpus::{
    Cell, ColumnValues, CorpusAsked, CorpusKey, LogAsked, LogRows, Shard, TABLES, TextsAs, make_corpus,
};
use cwl_host::api::ViewSettings;
use cwl_host::commands::RunsAsked;
use cwl_host::{OpenOnce, SessionPlace, SessionSnapshot, Tools, open_once, places_of_sessions};

pub(crate) fn samples() -> PathBuf {
    std::fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")).unwrap()
}

pub(crate) fn opened() -> impl Iterator<Item = (SessionPlace, SessionSnapshot)> {
    let places = places_of_sessions(&[samples()]).unwrap();
    assert!(places.len() > 60, "the samples are found: {}", places.len());
    places.into_iter().filter_map(|place| Some((place.clone(), open(&place.name)?)))
}

pub(crate) fn open(path: &Path) -> Option<SessionSnapshot> {
    let tools = Tools::builtin_tables();
    let once = OpenOnce {
        format: None,
        tools: &tools,
        data_dir: None,
        folders: Some(Vec::new()),
        progress: &|_, _| {},
    };
    open_once(path, &once).ok()
}

pub(crate) fn asked(runs: &str, texts: TextsAs) -> LogAsked {
    LogAsked {
        view: ViewSettings::counted("o200k"),
        budget: Some("8k".into()),
        runs: if runs.is_empty() { Vec::new() } else { vec![RunsAsked::parse_runs(runs).unwrap()] },
        texts,
        key: CorpusKey([7; 32]),
    }
}

pub(crate) fn column<'a>(rows: &'a LogRows, table: &str, name: &str) -> &'a ColumnValues {
    let place = TABLES.iter().position(|one| one.name == table).unwrap();
    let column = TABLES[place].columns.iter().position(|one| one.name == name);
    &rows.table_columns(place).0[column.unwrap_or_else(|| panic!("{table} has no column {name}"))]
}

pub(crate) fn of_session(rows: &LogRows, name: &str) -> Cell {
    column(rows, "sessions", name).cell_at(0)
}

pub(crate) fn n_rows(rows: &LogRows, table: &str) -> usize {
    rows.table_columns(TABLES.iter().position(|one| one.name == table).unwrap()).1
}

pub(crate) fn numbers(rows: &LogRows, table: &str, name: &str) -> Vec<Option<i64>> {
    match column(rows, table, name) {
        ColumnValues::Numbers(values) => values.clone(),
        other => panic!("{table}.{name} holds no numbers: {other:?}"),
    }
}

/// Requests a corpus with a key of its own, so that two folders can be compared.
pub(crate) fn corpus_of(logs: &Path, folder: &Path) -> CorpusAsked {
    CorpusAsked {
        paths: vec![logs.to_owned()],
        folder: folder.to_owned(),
        view: ViewSettings::counted("o200k"),
        budget: None,
        runs: Vec::new(),
        texts: TextsAs::Hashed,
        key: Some(folder.parent().unwrap().join("key")),
        shard: Shard::WHOLE,
        fresh: false,
        n_threads: 2,
    }
}

/// Makes a corpus; returns the numbers of written, unchanged and removed parts.
pub(crate) fn make(asked: &CorpusAsked) -> (u32, u32, u32) {
    let made = make_corpus(asked, &|_, _| {}).unwrap();
    (made.n_written, made.n_kept, made.n_removed)
}
