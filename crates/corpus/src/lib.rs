//! A corpus: tables of many sessions, as Parquet other programs read.
//!
//! [`rows_of_log`] is the heart: a pure function from one opened log to its rows of all tables. Every figure is asked of
//! the commands the window and the command line ask, so a table says what they say. [`TABLES`] is the schema as data: each
//! column with its kind, its unit and its meaning (`table/`, where the column stands beside the question that fills it).
//! `parquet_file` writes a table, `part` says which logs a part of the corpus is of and whether they changed, and
//! [`make_corpus`] does the work over the cores: it writes only the parts that are out of date, and holds no more than the
//! rows of as many parts as there are threads.
//!
//! The tables are read back by `read_back`; [`corpus_report`] makes a page of them, and [`choose_setting`] a choice, with the
//! statistics of `stats`. A [`CorpusCache`] reads them for the window, column by column as these are asked for.
//!
//! Texts of logs come out as keyed hashes ([`LogTexts`]), unless the caller wants them.
#![deny(missing_docs)]

mod cell;
mod texts;
mod table;
mod rows;
mod parquet_file;
mod part;
mod place;
mod make;
mod reference;
mod read_back;
mod stats;
mod settings;
mod report;
mod cache;
mod constraint;
mod live;
mod choice;

pub use cache::CorpusCache;
pub use cell::{Cell, ColumnKind, ColumnValues};
pub use choice::choose_setting;
pub use constraint::Constraint;
pub use make::{CorpusAsked, CorpusError, Shard, make_corpus};
pub use place::rows_of_place;
pub use reference::write_reference;
pub use report::corpus_report;
pub use rows::{LogAsked, LogRows, rows_of_log, rows_of_unread};
pub use stats::{N_RESAMPLES, SEED};
pub use table::{CorpusColumn, CorpusTable, TABLES, VERSION};
pub use texts::{CorpusKey, LogTexts, TextsAs};
