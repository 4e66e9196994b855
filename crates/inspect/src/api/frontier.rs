//! The Pareto frontier of settings by cost and retention.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrontierMeasure {
    /// Recall of references, per mille by tokens.
    #[default]
    Recall,
    /// Probes answered, per mille.
    Probes,
    /// Tokens reacquired after eviction; less is better.
    Reacquired,
}

/// Asks for the Pareto frontier of settings whose figures come from `sweep` or `compare`.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrontierRequest {
    pub by: FrontierMeasure,
    pub settings: Vec<MeasuredSetting>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MeasuredSetting {
    pub policy: String,
    /// The token budget τ; `null` without eviction.
    pub budget: Option<u64>,
    /// Cost for all requests and the policy's own summaries, millionths of a dollar; `null` if no model has a price.
    pub cost: Option<u64>,
    pub kept: Option<u64>,
    pub n_steps: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ParetoFrontier {
    pub by: FrontierMeasure,
    /// Settings on the frontier by `cost` and `by`, cheapest first.
    pub on: Vec<FrontierPoint>,
    /// The frontier among settings of the CWL family that evict, as indices in [`FrontierRequest::settings`].
    pub cwl: Vec<u32>,
    /// Likewise, among settings of other policies.
    pub others: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrontierPoint {
    /// Index in [`FrontierRequest::settings`].
    pub place: u32,
    #[serde(flatten)]
    pub setting: MeasuredSetting,
    pub is_cwl: bool,
}
