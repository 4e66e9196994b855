//! Comparison of policies on one session, at a cut and over all turns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    BandNameDto, BandsByDto, CacheRulesDto, CacheUsedDto, CutDto, FrontierDto, ItemDto, JudgedDto, KeptByDto,
    MeasuredDto, PriceDto, ProviderDto, ViewDto,
};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareRequest {
    pub session: u32,
    /// At least one.
    pub views: Vec<ViewDto>,
    pub cut: CutDto,
    #[serde(default)]
    pub cache: CacheRulesDto,
    /// The measure of retention used for the frontier.
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
    /// The cut's turn.
    pub turn: u32,
    /// Requests made by the session. Sums cover these.
    pub n_requests: u32,
    /// One column per view, in request order.
    pub columns: Vec<CompareColumnDto>,
    /// The Pareto frontier of the columns.
    pub frontier: FrontierDto,
    pub price: PriceDto,
    pub cache: CacheUsedDto,
    /// The cache model against the reported usage.
    pub judged: Option<JudgedDto>,
}

/// A view in a comparison. Sizes are tokens.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareColumnDto {
    pub policy: String,
    /// The token budget τ in tokens.
    pub budget: u64,
    /// The tokenizer, with its crate and version.
    pub counted_by: String,
    /// Tokens missing from the log. Included in totals of policies that count them.
    pub overhead: u64,
    /// Steps taken at the cut.
    pub step: u32,
    /// Total at the cut.
    pub total: u64,
    /// Parts of `total`, bottom band first.
    pub bands: Vec<(BandNameDto, u64)>,
    /// Blocks, descriptions and summaries sent at the cut.
    pub n_kept: u32,
    /// Blocks not sent at the cut, including cleared outputs.
    pub n_gone: u32,
    /// Tokens not sent at the cut.
    pub gone_tokens: u64,
    /// Faults each provider would reject at the cut, before repairs.
    pub violations: Vec<(ProviderDto, u32)>,
    /// Turns whose budget cannot be met.
    pub over_budget: Vec<u32>,
    /// True if no other column dominates this one in cost and retention. Columns without eviction count once, as do
    /// columns of one policy with equal results.
    pub frontier: bool,
    /// Measures over the session.
    #[serde(flatten)]
    pub measured: MeasuredDto,
    /// Total of every turn, including the next request.
    pub after: Vec<u64>,
    /// Cumulative cost of the requests made, millionths of a dollar.
    pub cost_so_far: Vec<u64>,
}

/// The figures of a [`CompareColumnDto`] that depend on the cut.
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

/// Asks for the blocks sent by only one of two views.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareBlocksRequest {
    pub session: u32,
    pub a: ViewDto,
    pub b: ViewDto,
    pub cut: CutDto,
    pub offset: u32,
    /// Maximum number of items.
    pub limit: u32,
}

/// Blocks sent by only one of two views, in log order.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareBlocksDto {
    pub revision: u32,
    pub n_items: u32,
    /// Blocks sent by `a` only.
    pub n_only_a: u32,
    /// Blocks sent by `b` only.
    pub n_only_b: u32,
    pub only_a_tokens: u64,
    pub only_b_tokens: u64,
    /// Items from `offset` on.
    pub items: Vec<DifferenceDto>,
}

/// A block, description or summary sent by one view only.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct DifferenceDto {
    /// True if `a` sends the item, false if `b` does.
    pub in_a: bool,
    /// The item in the view that sends it.
    pub item: ItemDto,
    /// The other view's reason not to send the item, as a sentence; empty if the other view never had it.
    pub why_not: String,
}
