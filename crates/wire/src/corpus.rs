//! Rows of corpus tables that no other answer contains, and the result of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CostDto, DetailSurvivalDto, EdgeUseDto, MeasuredDto};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependencyDto {
    pub act: u32,
    pub on: u32,
    /// The verdict on the dependency of `act` on `on`.
    pub usage: EdgeUseDto,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestsMadeDto {
    pub requests: Vec<RequestMadeDto>,
    /// Calls inspecting something before the first edit; all such calls if there is no edit.
    pub n_looks_before_edit: u32,
    pub first_edit: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestMadeDto {
    pub turn: u32,
    /// The reply's time, milliseconds since 1970; `null` without a timestamp.
    pub at_ms: Option<i64>,
    pub model: Option<String>,
    pub reported: Option<CostDto>,
    /// Calls in the reply, excluding episode marks.
    pub n_calls: u32,
    pub n_looks: u32,
    pub n_edits: u32,
    pub n_marks: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunDto {
    pub policy: String,
    /// Options that differ from their defaults, as `key=value`, comma-separated and sorted by key.
    pub options: String,
    /// The token budget τ; `null` without eviction.
    pub budget: Option<u64>,
    /// Turns whose `budget` cannot be met, including `now`.
    pub over_budget_turns: u32,
    /// Requests preceded by at least one eviction step, including `now`.
    pub n_passes: u32,
    #[serde(flatten)]
    pub measured: MeasuredDto,
    /// Details that later turns need, by kind.
    pub survival: Vec<DetailSurvivalDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusDto {
    pub folder: String,
    pub version: u32,
    pub n_logs: u32,
    pub n_unread: u32,
    pub n_bytes: u64,
    /// Parts written because a log or the command's options changed.
    pub n_written: u32,
    pub n_kept: u32,
    pub n_removed: u32,
    pub tables: Vec<CorpusTableDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusTableDto {
    pub name: String,
    pub n_rows: u64,
}
