//! Reads tables back from a corpus folder. The files may come from anyone: an odd file is an error with its
//! place.

use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::cell::{Cell, ColumnValues};
use crate::make::CorpusError;
use crate::part::{CorpusForm, PartList};
use crate::table::CorpusTable;

const ROWS_TOGETHER: usize = 8192;

#[derive(Debug, Default)]
pub struct ReadTable {
    names: Vec<&'static str>,
    columns: Vec<ColumnValues>,
    pub(crate) n_rows: usize,
}

impl ReadTable {
    /// A table of columns that are equally long; all hold `n_rows` values.
    pub fn from_columns(columns: Vec<(&'static str, ColumnValues)>, n_rows: usize) -> Self {
        let (names, columns) = columns.into_iter().unzip();
        Self { names, columns, n_rows }
    }

    pub(crate) fn find_column(&self, name: &str) -> Option<&ColumnValues> {
        self.columns.get(self.names.iter().position(|one| *one == name)?)
    }

    /// `None` if the value is null or the column was not read.
    pub(crate) fn whole_number(&self, name: &str, row: usize) -> Option<i64> {
        match self.find_column(name)? {
            ColumnValues::Numbers(values) => values.get(row).copied().flatten(),
            _ => None,
        }
    }

    /// Null if the column was not read.
    pub(crate) fn cell_value(&self, name: &str, row: usize) -> Cell {
        self.find_column(name).map_or(Cell::Null, |column| column.cell_at(row))
    }

    pub(crate) fn has_column(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    pub(crate) fn join_columns(&mut self, other: Self) {
        for (name, column) in other.names.into_iter().zip(other.columns) {
            self.put_column(name, column);
        }
    }

    pub(crate) fn put_column(&mut self, name: &'static str, column: ColumnValues) {
        if !self.has_column(name) {
            self.names.push(name);
            self.columns.push(column);
        }
    }

    pub(crate) fn real_number(&self, name: &str, row: usize) -> Option<f64> {
        self.whole_number(name, row).map(|number| number as f64)
    }

    pub(crate) fn flag(&self, name: &str, row: usize) -> Option<bool> {
        match self.find_column(name)? {
            ColumnValues::Flags(values) => values.get(row).copied().flatten(),
            _ => None,
        }
    }

    pub(crate) fn is_set(&self, name: &str, row: usize) -> bool {
        self.flag(name, row).unwrap_or(false)
    }

    pub(crate) fn text_value(&self, name: &str, row: usize) -> Option<&Arc<str>> {
        match self.find_column(name)? {
            ColumnValues::Texts(values) => values.get(row)?.as_ref(),
            _ => None,
        }
    }
}

/// Checks that the folder holds a corpus in this version, and counts unfinished parts.
pub(crate) fn check_folder(folder: &Path) -> Result<usize, CorpusError> {
    CorpusForm::read_form(folder)?;
    let files = files_of(folder, "sessions")?;
    let n_files = files.len();
    Ok(n_files - finished_parts(folder, files).len())
}

/// Reads columns from `table`, part after part. Unfinished parts are left out.
pub(crate) fn read_table(
    folder: &Path,
    table: &CorpusTable,
    names: &[&'static str],
) -> Result<ReadTable, CorpusError> {
    let kinds = names.iter().filter_map(|name| table.columns.iter().find(|column| column.name == *name));
    let columns = kinds.map(|column| ColumnValues::empty(column.kind)).collect();
    let mut read = ReadTable { names: names.to_vec(), columns, n_rows: 0 };
    for path in finished_parts(folder, files_of(folder, table.name)?) {
        catch_damage(|| read_file(&path, &mut read))
            .map_err(|source| CorpusError::Unread { path, source })?;
    }
    Ok(read)
}

/// Turns a panic into an error: the Parquet reader may panic on a malicious file.
pub(crate) fn catch_damage<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_panic| Err(ParquetError::General("it is damaged".to_owned())))
}

/// Hashes the names, sizes and times of a table's files: another hash means that the table was rewritten.
pub(crate) fn stamp_of(folder: &Path, table: &str) -> Result<String, CorpusError> {
    let mut hasher = blake3::Hasher::new();
    for file in finished_parts(folder, files_of(folder, table)?) {
        let metadata = fs::metadata(&file).ok();
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        hasher.update(
            format!("{file:?} {:?} {modified:?}\n", metadata.map(|metadata| metadata.len())).as_bytes(),
        );
    }
    Ok(hasher.finalize().to_hex().to_string())
}

fn files_of(folder: &Path, table: &str) -> Result<Vec<PathBuf>, CorpusError> {
    let path = folder.join(table);
    let entries: Vec<fs::DirEntry> = fs::read_dir(&path).and_then(Iterator::collect).map_err(|source| {
        CorpusError::Unread { path: path.clone(), source: ParquetError::External(Box::new(source)) }
    })?;
    let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "parquet"));
    files.sort();
    Ok(files)
}

/// Keeps files of finished parts, which have a list. Tables that were given away have no lists and are
/// complete.
fn finished_parts(folder: &Path, mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    if folder.join("parts").is_dir() {
        files.retain(|file| {
            let part = file.file_stem().and_then(|stem| stem.to_str()?.strip_prefix("part-")?.parse().ok());
            part.is_some_and(|part| PartList::read_list(folder, part).is_some())
        });
    }
    files
}

fn read_file(path: &Path, read: &mut ReadTable) -> Result<(), ParquetError> {
    let reader = SerializedFileReader::new(File::open(path)?)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let n_rows = usize::try_from(group.metadata().num_rows())?;
        for (name, values) in read.names.iter().zip(&mut read.columns) {
            let place = (0..schema.num_columns()).find(|at| schema.column(*at).name() == *name);
            let Some(place) = place else {
                return Err(ParquetError::General(format!("it has no column {name}")));
            };
            let column = schema.column(place);
            if column.max_rep_level() > 0 || column.max_def_level() > 1 {
                return Err(ParquetError::General(format!("its column {name} is nested")));
            }
            let is_required = column.max_def_level() == 0;
            match (values, group.get_column_reader(place)?) {
                (ColumnValues::Numbers(values), ColumnReader::Int64ColumnReader(reader)) => {
                    fill_column(reader, n_rows, is_required, values, |number| *number)?;
                }
                (ColumnValues::Reals(values), ColumnReader::DoubleColumnReader(reader)) => {
                    fill_column(reader, n_rows, is_required, values, |number| *number)?;
                }
                (ColumnValues::Flags(values), ColumnReader::BoolColumnReader(reader)) => {
                    fill_column(reader, n_rows, is_required, values, |flag| *flag)?;
                }
                (ColumnValues::Texts(values), ColumnReader::ByteArrayColumnReader(reader)) => {
                    fill_column(reader, n_rows, is_required, values, |bytes| {
                        String::from_utf8_lossy(bytes.data()).into()
                    })?;
                }
                _ => return Err(ParquetError::General(format!("its column {name} has another type"))),
            }
        }
        read.n_rows += n_rows;
    }
    Ok(())
}

/// Appends one row group to a column. A column that is never null has no definition levels.
fn fill_column<T: DataType, V>(
    mut reader: ColumnReaderImpl<T>,
    n_rows: usize,
    is_required: bool,
    into: &mut Vec<Option<V>>,
    made: impl Fn(&T::T) -> V,
) -> Result<(), ParquetError> {
    let before = into.len();
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    loop {
        levels.clear();
        values.clear();
        let (n_records, _, _) =
            reader.read_records(ROWS_TOGETHER, (!is_required).then_some(&mut levels), None, &mut values)?;
        if n_records == 0 {
            break;
        }
        let mut there = values.iter();
        let n_before = into.len();
        if is_required {
            into.extend(there.map(|value| Some(made(value))));
        } else {
            into.extend(levels.iter().map(|level| if *level == 0 { None } else { there.next().map(&made) }));
        }
        if into.len() - n_before != n_records {
            break;
        }
    }
    if into.len() - before == n_rows {
        Ok(())
    } else {
        Err(ParquetError::General("a column is not as long as its table".to_owned()))
    }
}
