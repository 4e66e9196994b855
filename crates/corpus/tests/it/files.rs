//! The files hold the rows, as a Parquet reader finds them.

use std::fs::File;

use cwl_corpus::{Cell, ColumnKind, LogRows, TABLES, TextsAs, rows_of_log};
use parquet::basic::Compression;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::common::{asked, corpus_of, make, open, samples};

fn cell_of(field: &Field) -> Cell {
    match field {
        Field::Null => Cell::Null,
        Field::Long(number) | Field::TimestampMillis(number) => Cell::Number(*number),
        Field::Double(number) => Cell::Real(*number),
        Field::Bool(flag) => Cell::Flag(*flag),
        Field::Str(text) => Cell::from(text.as_str()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reader_finds_the_rows_and_their_statistics() {
    let dir = tempfile::tempdir().unwrap();
    let log = samples().join("claude-code/compaction/input.jsonl");
    let folder = dir.path().join("corpus");
    let asked_for = cwl_corpus::CorpusAsked {
        texts: TextsAs::Plain,
        budget: Some("8k".into()),
        runs: asked("cwl,none@4k,8k", TextsAs::Plain).runs,
        ..corpus_of(&log, &folder)
    };
    assert_eq!(make(&asked_for), (1, 0, 0));
    // Texts are unchanged; only the log's own name is a hash.
    let n_bytes = std::fs::metadata(&log).unwrap().len();
    let rows: LogRows = rows_of_log(
        &open(&log).unwrap(),
        &log.display().to_string(),
        n_bytes,
        None,
        &asked("cwl,none@4k,8k", TextsAs::Plain),
    )
    .unwrap();
    for (place, table) in TABLES.iter().enumerate() {
        let file = File::open(folder.join(table.name).join("part-000000.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let (columns, n_rows) = rows.table_columns(place);
        let read: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(read.len(), n_rows, "{}", table.name);
        for (number, row) in read.iter().enumerate() {
            for ((name, field), (column, values)) in
                row.get_column_iter().zip(table.columns.iter().zip(columns))
            {
                assert_eq!(name, column.name, "{}", table.name);
                if column.kind != ColumnKind::Key {
                    assert_eq!(cell_of(field), values.cell_at(number), "{}.{name}, row {number}", table.name);
                }
            }
        }
        for group in reader.metadata().row_groups() {
            for column in group.columns() {
                assert!(matches!(column.compression(), Compression::ZSTD(_)), "{}", table.name);
                assert!(column.statistics().is_some(), "{}: {}", table.name, column.column_path());
            }
        }
    }
}
