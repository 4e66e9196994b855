//! Rows of corpus tables that no other answer contains, and the result of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CostDto, EdgeUseDto, MeasuredDto};

/// A dependency between an act and an exploration, judged by the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependencyDto {
    /// The act's index in the graph.
    pub act: u32,
    /// The exploration's index in the graph.
    pub on: u32,
    /// Whether the dependency is declared and used.
    pub usage: EdgeUseDto,
}

/// A session's requests, and its activity before the first edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestsMadeDto {
    /// Requests in order, without the next one.
    pub requests: Vec<RequestMadeDto>,
    /// Calls inspecting something before the first edit; all such calls if there is no edit.
    pub n_looks_before_edit: u32,
    /// The first turn that edits a file.
    pub first_edit: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestMadeDto {
    /// From 1.
    pub turn: u32,
    /// Time of the reply, milliseconds since 1970; `null` without a timestamp.
    pub at_ms: Option<i64>,
    /// The model as named in the log.
    pub model: Option<String>,
    /// Reported usage with its cost.
    pub reported: Option<CostDto>,
    /// Calls in the reply, excluding episode marks.
    pub n_calls: u32,
    /// Calls inspecting something.
    pub n_looks: u32,
    /// Calls editing a file.
    pub n_edits: u32,
    /// Calls marking an episode.
    pub n_marks: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunDto {
    pub policy: String,
    /// Options that differ from their defaults, as `key=value`, comma-separated and sorted by key.
    pub options: String,
    /// The token budget τ; `null` without eviction.
    pub budget: Option<u64>,
    /// Turns whose budget cannot be met, including the next request.
    pub over_budget_turns: u32,
    /// Requests preceded by at least one eviction step, including the next request.
    pub n_passes: u32,
    #[serde(flatten)]
    pub measured: MeasuredDto,
}

/// The result of `cwl corpus`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusDto {
    pub folder: String,
    /// The version of the column definitions.
    pub version: u32,
    /// Logs, including unreadable ones.
    pub n_logs: u32,
    /// Unreadable logs. Each is a row with its problem.
    pub n_unread: u32,
    pub n_bytes: u64,
    /// Parts written because a log or the command's options changed.
    pub n_written: u32,
    /// Parts left unchanged.
    pub n_kept: u32,
    /// Parts removed because all their logs are gone.
    pub n_removed: u32,
    pub tables: Vec<CorpusTableDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusTableDto {
    /// The folder's name.
    pub name: String,
    /// Rows in all parts.
    pub n_rows: u64,
}
