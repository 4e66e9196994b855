//! A corpus: tables of many sessions, as Parquet files for other programs.
//!
//! The heart is [`rows_of_log`], a pure function from one opened log to its rows of all tables. Every figure
//! comes from the commands behind window and command line, so all agree. [`TABLES`] is the schema as data:
//! each column with kind, unit and meaning, beside the expression that fills it (`table/`). `parquet_file`
//! writes a table, `part` says which logs a part holds and whether they changed, and [`make_corpus`] rewrites
//! outdated parts on all cores, with at most as many parts in memory as there are threads.
//!
//! `read_back` reads the tables again: [`corpus_report`] makes a page from them, [`choose_setting`] a choice
//! and [`run_trial`] a comparison of policies by the statistics of `stats`; [`compare_policies`] is the same for rows that are in
//! memory. A [`CorpusCache`] serves them to the window column by column.
//!
//! [`unpack_dataset`] writes the sessions of a data set in Parquet as logs.
//!
//! Texts of logs become keyed hashes ([`LogTexts`]), unless the caller asks for the texts.

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
mod trial;
mod dataset;

pub use cache::CorpusCache;
pub use cell::{Cell, ColumnKind, ColumnValues};
pub use choice::choose_setting;
pub use constraint::Constraint;
pub use dataset::{
    DatasetSample, NoLog, UnpackAsked, UnpackCounts, UnpackError, dataset_log, unpack_dataset,
};
pub use make::{CorpusAsked, CorpusError, Shard, make_corpus};
pub use place::rows_of_place;
pub use read_back::ReadTable;
pub use reference::write_reference;
pub use report::corpus_report;
pub use rows::{LogAsked, LogRows, rows_of_log, rows_of_unread};
pub use settings::policy_label;
pub use stats::{N_RESAMPLES, SEED};
pub use table::{CorpusColumn, CorpusTable, TABLES, VERSION};
pub use texts::{CorpusKey, LogTexts, TextsAs};
pub use trial::{
    NoTrial, TrialTables, compare_policies, level_name, run_trial, trial_pictures, trial_runs,
    write_trial_page,
};
