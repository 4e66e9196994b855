//! Dependencies, requests and runs of one session, as corpus tables have them.

use cwl_engine::EdgeUse;
use serde::{Deserialize, Serialize};

use super::{CostFigures, DetailSurvivalRow, MeasuredFigures};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedDependency {
    pub act: u32,
    pub on: u32,
    pub usage: EdgeUse,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestsMade {
    pub requests: Vec<RequestMade>,
    /// Calls inspecting something before the first edit; all such calls if there is no edit.
    pub n_looks_before_edit: u32,
    pub first_edit: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestMade {
    pub turn: u32,
    /// The reply's time, milliseconds since 1970; `null` without a timestamp.
    pub at_ms: Option<i64>,
    pub model: Option<String>,
    pub reported: Option<CostFigures>,
    /// Calls in the reply, excluding episode marks.
    pub n_calls: u32,
    pub n_looks: u32,
    pub n_edits: u32,
    pub n_marks: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PolicyRunFigures {
    pub policy: String,
    /// Options that differ from their defaults, as `key=value`, comma-separated and sorted by key.
    pub options: String,
    pub budget: Option<u64>,
    /// Turns whose `budget` cannot be met, including `now`.
    pub over_budget_turns: u32,
    /// Requests preceded by at least one eviction step, including `now`.
    pub n_passes: u32,
    #[serde(flatten)]
    pub measured: MeasuredFigures,
    pub survival: Vec<DetailSurvivalRow>,
}
