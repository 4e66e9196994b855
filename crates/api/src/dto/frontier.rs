//! The Pareto frontier of settings by cost and retention, and the verdict on CWL.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeptByDto {
    /// Recall of references, per mille by tokens.
    #[default]
    LookBack,
    /// Probes answered, per mille.
    Probes,
    /// Tokens reacquired after eviction; less is better.
    Regret,
}

/// Asks for the Pareto frontier of settings whose figures come from `sweep` or `compare`.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrontierRequest {
    pub by: KeptByDto,
    pub settings: Vec<SettingDto>,
    /// Index in `settings` of the current setting.
    pub current: Option<u32>,
}

/// A `policy` and `budget` with its cost and retention over a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SettingDto {
    pub policy: String,
    /// The token budget τ; `null` without eviction.
    pub budget: Option<u64>,
    /// Cost for all requests and the policy's own summaries, millionths of a dollar; `null` if no model has a price.
    pub cost: Option<u64>,
    pub kept: Option<u64>,
    pub n_steps: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictDto {
    /// At least half the evicting settings on the frontier are CWL variants.
    Good,
    /// Fewer than half are CWL variants, but at least one is.
    Mixed,
    Bad,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrontierDto {
    pub by: KeptByDto,
    pub verdict: Option<VerdictDto>,
    pub says: String,
    /// Settings on the frontier by `cost` and `by`, cheapest first.
    pub on: Vec<OnFrontierDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OnFrontierDto {
    /// Index in [`FrontierRequest::settings`].
    pub place: u32,
    #[serde(flatten)]
    pub setting: SettingDto,
    pub is_cwl: bool,
}
