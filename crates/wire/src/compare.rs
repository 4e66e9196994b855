//! Comparison of policies on one session, at a cut and over all turns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    BandNameDto, BandsByDto, CacheRulesDto, CacheUsedDto, CutDto, DetailSurvivalDto, FrontierDto, ItemDto,
    JudgedDto, KeptByDto, MeasuredDto, PriceDto, ProviderDto, ViewDto,
};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareRequest {
    pub views: Vec<ViewDto>,
    pub cut: CutDto,
    #[serde(default)]
    pub cache: CacheRulesDto,
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub by: KeptByDto,
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub bands: BandsByDto,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareDto {
    pub revision: u32,
    pub turn: u32,
    pub n_requests: u32,
    pub columns: Vec<CompareColumnDto>,
    pub frontier: FrontierDto,
    pub price: PriceDto,
    pub cache: CacheUsedDto,
    /// The cache model against reported usage; `null` without reports.
    pub judged: Option<JudgedDto>,
}

/// A view in a comparison. Sizes are tokens. `step`, `total`, `bands`, `n_…`, `gone_tokens` and `violations` concern
/// the cut, other fields the session.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareColumnDto {
    pub policy: String,
    pub budget: u64,
    pub counted_by: String,
    /// Tokens missing from the log. Included in `total` if the policy counts them.
    pub overhead: u64,
    pub step: u32,
    pub total: u64,
    /// Parts of `total`, bottom band first.
    pub bands: Vec<(BandNameDto, u64)>,
    pub n_kept: u32,
    /// Blocks not sent, including cleared outputs.
    pub n_gone: u32,
    pub gone_tokens: u64,
    /// Faults each provider would reject, before repairs.
    pub violations: Vec<(ProviderDto, u32)>,
    pub over_budget: Vec<u32>,
    /// True if no other column dominates this one by cost and retention. Columns without eviction count once; so do
    /// equal results under one policy.
    pub frontier: bool,
    #[serde(flatten)]
    pub measured: MeasuredDto,
    /// Details that later turns need, by kind.
    pub survival: Vec<DetailSurvivalDto>,
    /// Each turn's total, including the next request.
    pub after: Vec<u64>,
    /// Cumulative request cost, millionths of a dollar.
    pub cost_so_far: Vec<u64>,
}

/// The cut's figures for a [`CompareColumnDto`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareAtDto {
    pub overhead: u64,
    pub step: u32,
    pub total: u64,
    pub bands: Vec<(BandNameDto, u64)>,
    pub n_kept: u32,
    pub n_gone: u32,
    pub gone_tokens: u64,
    pub violations: Vec<(ProviderDto, u32)>,
}

/// Asks for the blocks only `a` or only `b` sends.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareBlocksRequest {
    pub a: ViewDto,
    pub b: ViewDto,
    pub cut: CutDto,
    pub offset: u32,
    pub limit: u32,
}

/// Blocks only `a` or only `b` sends, in log order.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareBlocksDto {
    pub revision: u32,
    pub n_items: u32,
    pub n_only_a: u32,
    pub n_only_b: u32,
    pub only_a_tokens: u64,
    pub only_b_tokens: u64,
    pub items: Vec<DifferenceDto>,
}

/// A block, description or summary only `a` or only `b` sends.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct DifferenceDto {
    /// True if `a` sends the item, false if `b` does.
    pub in_a: bool,
    pub item: ItemDto,
    /// The other view's reason not to send the item, as a sentence; empty if the other view never had it.
    pub why_not: String,
}
