//! The tables that `cwl corpus` wrote.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusAnswer {
    pub folder: String,
    pub version: u32,
    pub n_logs: u32,
    pub n_unread: u32,
    pub n_bytes: u64,
    /// Parts written because a log or the command's options changed.
    pub n_written: u32,
    pub n_kept: u32,
    pub n_removed: u32,
    pub tables: Vec<CorpusTableSummary>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusTableSummary {
    pub name: String,
    pub n_rows: u64,
}
