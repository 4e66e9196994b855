//! Comparison of policies on one session, at a cut and over all turns.

use cwl_engine::{Band, BandsBy, Provider};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    CacheModelCheck, CacheRules, CacheRulesInForce, ContextItem, DetailSurvivalRow, FrontierMeasure,
    MeasuredFigures, ParetoFrontier, PriceInForce, ViewCut, ViewSettings,
};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareRequest {
    pub views: Vec<ViewSettings>,
    pub cut: ViewCut,
    #[serde(default)]
    pub cache: CacheRules,
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub by: FrontierMeasure,
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub bands: BandsBy,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareAnswer {
    pub revision: u32,
    pub turn: u32,
    pub n_requests: u32,
    pub columns: Vec<CompareColumn>,
    pub frontier: ParetoFrontier,
    pub price: PriceInForce,
    pub cache: CacheRulesInForce,
    pub judged: Option<CacheModelCheck>,
}

/// A view in a comparison. Sizes are tokens. `step`, `total`, `bands`, `n_…`, `gone_tokens` and `violations` concern
/// the cut, other fields the session.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareColumn {
    pub policy: String,
    pub budget: u64,
    pub counted_by: String,
    /// Tokens missing from the log. Included in `total` if the policy counts them.
    pub overhead: u64,
    pub step: u32,
    pub total: u64,
    /// Parts of `total`, bottom band first.
    pub bands: Vec<(Band, u64)>,
    pub n_kept: u32,
    /// Blocks not sent, including cleared outputs.
    pub n_gone: u32,
    pub gone_tokens: u64,
    /// Faults each provider would reject, before repairs.
    pub violations: Vec<(Provider, u32)>,
    pub over_budget: Vec<u32>,
    /// True if no other column dominates this one by cost and retention. Columns without eviction count once; so do
    /// equal results under one policy.
    pub frontier: bool,
    #[serde(flatten)]
    pub measured: MeasuredFigures,
    pub survival: Vec<DetailSurvivalRow>,
    /// Each turn's total, including the next request.
    pub after: Vec<u64>,
    /// Cumulative request cost, millionths of a dollar.
    pub cost_so_far: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareAtCut {
    pub overhead: u64,
    pub step: u32,
    pub total: u64,
    pub bands: Vec<(Band, u64)>,
    pub n_kept: u32,
    pub n_gone: u32,
    pub gone_tokens: u64,
    pub violations: Vec<(Provider, u32)>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareBlocksRequest {
    pub a: ViewSettings,
    pub b: ViewSettings,
    pub cut: ViewCut,
    pub offset: u32,
    pub limit: u32,
}

/// Blocks only `a` or only `b` sends, in log order.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareBlocksAnswer {
    pub revision: u32,
    pub n_items: u32,
    pub n_only_a: u32,
    pub n_only_b: u32,
    pub only_a_tokens: u64,
    pub only_b_tokens: u64,
    pub items: Vec<BlockDifference>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BlockDifference {
    /// True if `a` sends the item, false if `b` does.
    pub in_a: bool,
    pub item: ContextItem,
    /// The other view's reason not to send the item, as a sentence; empty if the other view never had it.
    pub why_not: String,
}
