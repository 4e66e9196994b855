//! A corpus table in the window: its columns, and pages of rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRequest {
    pub folder: String,
}

/// A corpus: its columns, and the values to filter by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusViewDto {
    /// An absolute path.
    pub folder: String,
    /// Logs in the tables, including unreadable ones.
    pub n_logs: u32,
    /// Unreadable logs.
    pub n_unread: u32,
    /// Unfinished parts. Their logs are left out.
    pub n_unfinished: u32,
    /// Logs with a known path, which can be opened.
    pub n_placed: u32,
    /// True if the tables contain texts; otherwise names are hashes.
    pub has_texts: bool,
    /// Columns of the table `sessions`, then those of the runs.
    pub columns: Vec<CorpusColumnDto>,
    pub harnesses: Vec<String>,
    pub formats: Vec<String>,
    /// Model names, or rows of the price table if the tables contain no texts.
    pub models: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusColumnDto {
    pub name: String,
    pub kind: CorpusKindDto,
    /// Empty if there is none.
    pub unit: String,
    /// A sentence.
    pub about: String,
    /// True if shown by default.
    pub usual: bool,
}

/// Value types with different formatting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CorpusKindDto {
    /// A text, hash or word.
    Text,
    Number,
    Bytes,
    /// Millionths of a US dollar.
    Money,
    /// A share, per mille.
    PerMille,
    /// A decimal fraction.
    Ratio,
    /// Milliseconds since 1970.
    Time,
    Flag,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRowsRequest {
    pub folder: String,
    pub columns: Vec<String>,
    /// Words to be found in a row's name, path, folder, harness, format, model or problem. Empty matches every row.
    #[serde(default)]
    pub find: String,
    #[serde(default)]
    pub harness: Option<String>,
    #[serde(default)]
    pub format: Option<String>,
    #[serde(default)]
    pub model: Option<String>,
    /// `None` keeps the order of the tables.
    #[serde(default)]
    pub sort: Option<String>,
    /// Sorts descending. Rows without a value come last in either order.
    #[serde(default)]
    pub down: bool,
    pub offset: u32,
    /// Maximum number of rows.
    pub limit: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRowsDto {
    /// Number of matching rows.
    pub n_rows: u32,
    pub rows: Vec<CorpusRowDto>,
}

/// A log in the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRowDto {
    /// The hash naming the log in all tables.
    pub log: String,
    /// The title. If it is a hash, the file name; if that is unknown, the log's hash.
    pub name: String,
    pub is_hashed: bool,
    /// A value for [`OpenRequest::target`](super::OpenRequest::target); `null` if the path is unknown or the log
    /// unreadable.
    pub target: Option<String>,
    /// Why the log is unreadable, as a word.
    pub problem: Option<String>,
    /// The policy of the tables, used to open the log.
    pub policy: Option<String>,
    /// The budget of the tables, tokens.
    pub budget: Option<u64>,
    /// Values of the requested columns.
    pub cells: Vec<CorpusCellDto>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(untagged)]
pub enum CorpusCellDto {
    Null,
    Flag(bool),
    Number(i64),
    Real(f64),
    Text(String),
}
