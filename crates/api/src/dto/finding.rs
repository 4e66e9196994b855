//! Findings of a verification, reacquired episodes, and undeclared dependencies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CodeDto, ProblemDto, SeverityDto};

/// A defect of a policy's pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindingDto {
    /// A rule's code, `V…`.
    pub code: String,
    pub severity: SeverityDto,
    pub turn: u32,
    /// The last turn with the defect; `null` if it lasts to the end.
    pub last_turn: Option<u32>,
    /// The step of turn `turn` responsible, from 1; `null` if no single step is.
    pub step: Option<u32>,
    /// A block id, `ENTRY:INDEX`.
    pub block: Option<String>,
    /// The log line of `block`, from 1.
    pub line: Option<u64>,
    /// True for a finding about a pin or a probe.
    pub watched: bool,
    /// A clause without full stop.
    pub message: String,
}

/// The result of verifying all passes. Vectors have one value per turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindingsDto {
    pub revision: u32,
    /// Number of findings.
    pub by_turn: Vec<u32>,
    /// Open loops (active episodes, unanswered calls, unfinished tasks) in the context before each pass.
    pub loops_before: Vec<u32>,
    /// Open loops after each pass.
    pub loops_after: Vec<u32>,
    /// Number of findings, including unlisted ones.
    pub n_findings: u32,
    /// Findings in turn order: all about pins and probes, and the first [`FINDINGS_LISTED`] others.
    pub findings: Vec<FindingDto>,
}

/// Maximum number of listed findings that concern neither a pin nor a probe.
pub const FINDINGS_LISTED: usize = 200;

/// Episodes whose content was reacquired after the policy evicted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RegretsDto {
    pub revision: u32,
    /// In start order.
    pub regrets: Vec<RegretDto>,
    /// Number of [`RegretStoryDto`](super::RegretStoryDto)s.
    pub n_stories: u32,
    /// Turns whose replies reacquired content, in order. Includes content outside episodes.
    pub turns: Vec<u32>,
}

/// An episode with reacquired blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RegretDto {
    /// The episode's index in the graph.
    pub episode: u32,
    /// Reacquired blocks.
    pub n_blocks: u32,
    /// The first turn without one of the blocks.
    pub gone_turn: u32,
    /// The first turn whose reply reacquired one of the blocks.
    pub again_turn: u32,
}

/// Explorations used by acts without a declaration, according to the texts. Hints, not protocol violations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct UndeclaredDto {
    pub revision: u32,
    /// Sorted by act, then exploration, in start order.
    pub hints: Vec<UndeclaredHintDto>,
    /// Explanations for the codes in `hints`.
    pub codes: Vec<CodeDto>,
}

/// An exploration used by an act without a declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct UndeclaredHintDto {
    /// The hint as a problem: its episode is the act, its line the first use.
    pub problem: ProblemDto,
    /// The exploration's index in the graph.
    pub on: u32,
    /// Names from the exploration used by the act.
    pub n_names: u32,
    /// The first names: paths, then commands, then symbols.
    pub names: Vec<String>,
}
