//! Data sets: Parquet files with a session in each row, as Hugging Face hosts them, unpacked into a log for each row.
//!
//! A row's messages, in the form of chat completions, become a document that every command opens like a recorded request
//! body. [`dataset_log`] makes the document; [`unpack_dataset`] writes the files.

mod log;
mod unpack;

pub use log::{NoLog, dataset_log};
pub use unpack::{DatasetSample, UnpackAsked, UnpackCounts, UnpackError, unpack_dataset};
