//! The files of an unpacked data set.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use cwl_host::private;
use flate2::{Compression, GzBuilder};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Row;
use serde_json::Value;

use super::log::{NoLog, dataset_log};
use crate::read_back::catch_damage;

#[derive(Debug, Clone)]
pub struct UnpackAsked {
    pub files: Vec<PathBuf>,
    pub folder: PathBuf,
    pub sample: DatasetSample,
    /// The model that wrote the sessions, for sets that do not name it.
    pub model: Option<String>,
    /// The column that tells whether the task was solved, if it is none of the usual ones.
    pub outcome: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatasetSample {
    All,
    /// A number of rows of all files, drawn by a hash of their places: the same ones every time.
    Rows(u64),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnpackCounts {
    pub n_written: u64,
    pub n_kept: u64,
    pub n_odd: u64,
    pub first_odd: Option<String>,
    pub n_rows: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    #[error("cannot write the log ({source}): {}", path.display())]
    Disk { path: PathBuf, source: io::Error },
    #[error("cannot read this file as Parquet ({source}): {}", path.display())]
    Unread { path: PathBuf, source: ParquetError },
    #[error("no row is a session; {first}")]
    NoSession { first: String },
    #[error(
        "two files are called `{name}`, and their logs would have the same names; unpack them into two folders"
    )]
    SameName { name: String },
}

/// Writes a log for each row, packed with gzip. Logs that are there stay, so an interrupted run can be started again.
/// `progress` receives rows done and rows in total.
///
/// # Errors
/// If a file is unreadable, no row holds a session, or the disk fails.
pub fn unpack_dataset(asked: &UnpackAsked, progress: &dyn Fn(u64, u64)) -> Result<UnpackCounts, UnpackError> {
    let disk = |path: &Path| {
        let path = path.to_owned();
        move |source| UnpackError::Disk { path, source }
    };
    private::make_folder(&asked.folder).map_err(disk(&asked.folder))?;
    let mut files: Vec<(String, &PathBuf, u64)> = Vec::new();
    for path in &asked.files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if files.iter().any(|(known, ..)| *known == name) {
            return Err(UnpackError::SameName { name });
        }
        files.push((name, path, count_rows(path)?));
    }
    let mut counts = UnpackCounts { n_rows: files.iter().map(|(.., n)| n).sum(), ..UnpackCounts::default() };
    let chosen = ChosenRows::draw(&files, asked.sample);
    let mut n_done = 0;
    for (name, path, n_rows) in &files {
        for_rows(path, &mut |row, read| {
            n_done += 1;
            progress(n_done, counts.n_rows);
            if !chosen.has_row(name, row) {
                return Ok(());
            }
            let digits = n_rows.to_string().len();
            let log = asked.folder.join(format!("{name}-{row:0digits$}.json.gz"));
            if log.exists() {
                counts.n_kept += 1;
                return Ok(());
            }
            let Value::Object(columns) = read.to_json_value() else { return Ok(()) };
            match dataset_log(columns, asked.model.as_deref(), asked.outcome.as_deref()) {
                Ok(document) => {
                    write_log(&log, &document).map_err(disk(&log))?;
                    counts.n_written += 1;
                }
                Err(why) => {
                    counts.n_odd += 1;
                    counts.first_odd.get_or_insert_with(|| describe_odd(path, row, &why));
                }
            }
            Ok(())
        })?;
    }
    match counts.first_odd.take_if(|_| counts.n_written + counts.n_kept == 0) {
        Some(first) => Err(UnpackError::NoSession { first }),
        None => Ok(counts),
    }
}

fn describe_odd(path: &Path, row: u64, why: &NoLog) -> String {
    format!("row {row}: {why}: {}", path.display())
}

struct ChosenRows {
    limit: Option<blake3::Hash>,
}

impl ChosenRows {
    fn draw(files: &[(String, &PathBuf, u64)], sample: DatasetSample) -> Self {
        let n_wanted = match sample {
            DatasetSample::All => return Self { limit: None },
            DatasetSample::Rows(n) => usize::try_from(n).unwrap_or(usize::MAX),
        };
        let rows = files.iter().flat_map(|(name, _, n)| (1..=*n).map(move |row| row_hash(name, row)));
        let mut hashes: Vec<[u8; 32]> = rows.map(Into::into).collect();
        hashes.sort_unstable();
        // Without a wanted row the smallest hash is beyond the limit.
        let last = n_wanted.checked_sub(1).map(|last| last.min(hashes.len().saturating_sub(1)));
        let limit = last.and_then(|last| hashes.get(last)).copied().unwrap_or_default();
        Self { limit: Some(limit.into()) }
    }

    fn has_row(&self, name: &str, row: u64) -> bool {
        self.limit.is_none_or(|limit| row_hash(name, row).as_bytes() <= limit.as_bytes())
    }
}

fn row_hash(name: &str, row: u64) -> blake3::Hash {
    blake3::hash(format!("{name}\n{row}").as_bytes())
}

fn count_rows(path: &Path) -> Result<u64, UnpackError> {
    reading(path, || {
        let reader = SerializedFileReader::new(File::open(path)?)?;
        Ok(u64::try_from(reader.metadata().file_metadata().num_rows()).unwrap_or(0))
    })
}

/// Calls `visit` with each row and its number, from 1.
fn for_rows(
    path: &Path,
    visit: &mut dyn FnMut(u64, Row) -> Result<(), UnpackError>,
) -> Result<(), UnpackError> {
    let reader = reading(path, || SerializedFileReader::new(File::open(path)?))?;
    let mut rows = reading(path, || reader.get_row_iter(None))?;
    for row in 1.. {
        match reading(path, || rows.next().transpose())? {
            Some(read) => visit(row, read)?,
            None => break,
        }
    }
    Ok(())
}

fn reading<T>(path: &Path, read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, UnpackError> {
    catch_damage(read).map_err(|source| UnpackError::Unread { path: path.to_owned(), source })
}

/// Writes a log beside its place and renames it, so a file under the name is whole. Equal logs have equal bytes.
fn write_log(path: &Path, log: &Value) -> io::Result<()> {
    let unfinished = path.with_extension("tmp");
    let file = private::private_options().write(true).create(true).truncate(true).open(&unfinished)?;
    let mut packed = GzBuilder::new().mtime(0).write(BufWriter::new(file), Compression::new(6));
    serde_json::to_writer(&mut packed, log)?;
    packed.finish()?.flush()?;
    fs::rename(&unfinished, path)
}
