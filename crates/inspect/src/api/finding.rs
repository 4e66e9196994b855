//! Findings of a verification, reacquired episodes, and undeclared dependencies.

use cwl_engine::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ProblemRow, RuleExplanation};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindingRow {
    pub code: String,
    pub severity: Severity,
    pub turn: u32,
    /// The last turn with the defect; `null` if it lasts to the end.
    pub last_turn: Option<u32>,
    /// The responsible step in turn `turn`, from 1; `null` if no single step is responsible.
    pub step: Option<u32>,
    pub block: Option<String>,
    pub line: Option<u64>,
    pub watched: bool,
    pub message: String,
}

/// The result of verifying all passes. Vectors have one value per turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindingsAnswer {
    pub revision: u32,
    pub by_turn: Vec<u32>,
    /// Open loops (active episodes, unanswered calls, unfinished tasks) in the context before each pass.
    pub loops_before: Vec<u32>,
    pub loops_after: Vec<u32>,
    pub n_findings: u32,
    /// Findings in turn order: all about pins and probes, and the first [`FINDINGS_LISTED`] others.
    pub findings: Vec<FindingRow>,
}

pub const FINDINGS_LISTED: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReacquisitionsAnswer {
    pub revision: u32,
    pub reacquisitions: Vec<ReacquisitionRow>,
    pub n_stories: u32,
    /// Turns whose replies reacquired content, in order. Includes content outside episodes.
    pub turns: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReacquisitionRow {
    pub episode: u32,
    pub n_blocks: u32,
    pub gone_turn: u32,
    pub again_turn: u32,
}

/// Explorations acts use without declaring them, judged by texts (`Q003`). Hints, not protocol violations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct UndeclaredAnswer {
    pub revision: u32,
    /// Sorted by act, then by `on`, in start order.
    pub hints: Vec<UndeclaredHint>,
    pub codes: Vec<RuleExplanation>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct UndeclaredHint {
    /// The hint as a problem: `episode` is the act, `line` the first use.
    pub problem: ProblemRow,
    pub on: u32,
    pub n_names: u32,
    /// The first names: paths, then commands, then symbols.
    pub names: Vec<String>,
}
