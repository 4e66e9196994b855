//! Traces of a policy over all turns, for scripts and for comparison with other implementations.

use cwl_engine::{Action, AnnotationSource, EpisodeKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A policy's trace over all turns. Key order is part of the contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TraceAnswer {
    pub policy: String,
    pub budget: u64,
    pub tokenizer: String,
    /// Tokens missing from the log; included in every `tokens_…`. Absent for policies that never count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub overhead: Option<u64>,
    /// Absent if the agent marked the episodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub source: Option<AnnotationSource>,
    pub turns: Vec<TraceTurn>,
    /// Episodes after the last turn. Absent for `pi-cwl`, which uses its own ranges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub episodes: Option<Vec<TraceEpisode>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TraceTurn {
    pub turn: u32,
    pub message: Option<String>,
    pub tokens_before: u64,
    pub tokens_after: u64,
    pub over_budget: bool,
    /// Steps in order. A policy that starts from the whole history at every turn lists them only on every tenth turn
    /// and the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub steps: Option<Vec<TraceStep>>,
    /// `pi-cwl`, last turn only: names counted as evicted, in order; `null` for an unnamed segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub evicted: Option<Vec<Option<String>>>,
    /// `pi-cwl`, last turn only: records with remaining content, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub messages: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TraceStep {
    /// The episode's name. Absent for an unnamed `pi-cwl` segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub episode: Option<String>,
    pub level: Action,
    pub tokens_before: u64,
    pub tokens_after: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub blocks: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TraceEpisode {
    pub name: String,
    pub kind: EpisodeKind,
    pub deps: Vec<String>,
    pub closed: bool,
    pub level: u8,
}
