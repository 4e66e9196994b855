//! A corpus table in the window: its columns, and pages of rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRequest {
    pub folder: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusOverview {
    pub folder: String,
    pub n_logs: u32,
    pub n_unread: u32,
    /// Unfinished parts. Their logs are left out.
    pub n_unfinished: u32,
    /// Logs with a known path, which can be opened.
    pub n_placed: u32,
    /// True if the tables contain texts; otherwise names are hashes.
    pub has_texts: bool,
    /// Columns from table `sessions`, then from table `runs`.
    pub columns: Vec<CorpusColumnRow>,
    pub harnesses: Vec<String>,
    pub formats: Vec<String>,
    /// Model names; without `has_texts`, price table rows.
    pub models: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusColumnRow {
    pub name: String,
    pub kind: CorpusColumnKind,
    pub unit: String,
    pub about: String,
    pub usual: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CorpusColumnKind {
    Text,
    Number,
    Bytes,
    /// Millionths of a US dollar.
    Money,
    PerMille,
    Ratio,
    Time,
    Flag,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRowsRequest {
    pub folder: String,
    pub columns: Vec<String>,
    /// Words a row must contain in its name, path, folder, harness, format, model or problem. Empty matches every row.
    #[serde(default)]
    pub find: String,
    #[serde(default)]
    pub harness: Option<String>,
    #[serde(default)]
    pub format: Option<String>,
    #[serde(default)]
    pub model: Option<String>,
    /// `None` keeps table order.
    #[serde(default)]
    pub sort: Option<String>,
    /// Sorts descending. Rows without a value come last in either order.
    #[serde(default)]
    pub down: bool,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRowsAnswer {
    pub n_rows: u32,
    pub rows: Vec<CorpusRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRow {
    /// A hash: the log's key in all tables.
    pub log: String,
    /// The title, else the file name, else `log`.
    pub name: String,
    pub is_hashed: bool,
    /// A value for [`OpenRequest::target`](super::OpenRequest::target); `null` if the path is unknown or the log
    /// unreadable.
    pub target: Option<String>,
    pub problem: Option<String>,
    /// The policy in the tables, with `budget`. The log opens under both.
    pub policy: Option<String>,
    pub budget: Option<u64>,
    pub cells: Vec<CorpusValue>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(untagged)]
pub enum CorpusValue {
    Null,
    Flag(bool),
    Number(i64),
    Real(f64),
    Text(String),
}
