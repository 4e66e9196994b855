//! Comparison: policies side by side on one session, at one cut and over all turns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    BandNameDto, BandsByDto, CacheRulesDto, CacheUsedDto, CutDto, FrontierDto, ItemDto, JudgedDto, KeptByDto,
    MeasuredDto, PriceDto, ProviderDto, ViewDto,
};

/// Asks for some views side by side.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareRequest {
    /// The session.
    pub session: u32,
    /// The views, at least one.
    pub views: Vec<ViewDto>,
    /// The cut.
    pub cut: CutDto,
    /// How the cache is taken to work.
    #[serde(default)]
    pub cache: CacheRulesDto,
    /// The measure by which the frontier tells what a setting keeps.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub by: KeptByDto,
    /// How the contexts are divided into bands.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub bands: BandsByDto,
}

/// Views side by side.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The turn of the cut.
    pub turn: u32,
    /// How many requests the session made; sums over the session are over these.
    pub n_requests: u32,
    /// One column per view, in the order in which they were asked for.
    pub columns: Vec<CompareColumnDto>,
    /// The columns that no other column beats.
    pub frontier: FrontierDto,
    /// The prices that were used.
    pub price: PriceDto,
    /// How the cache was taken to work.
    pub cache: CacheUsedDto,
    /// The usage that the log reports, beside the figures of the cache model for the same requests.
    pub judged: Option<JudgedDto>,
}

/// One view of a comparison.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareColumnDto {
    /// The policy.
    pub policy: String,
    /// The token budget τ, resolved to tokens.
    pub budget: u64,
    /// The unit of all counts: the provider's tokens with their factor, or a tokenizer with its version.
    pub counted_by: String,
    /// Tokens that the log does not hold; in every total of a policy that counts them.
    pub overhead: u64,
    /// At the cut: how many of the turn's steps are taken.
    pub step: u32,
    /// At the cut: the total, tokens.
    pub total: u64,
    /// At the cut: what the total is made of, from the bottom of a picture to its top: band, tokens.
    pub bands: Vec<(BandNameDto, u64)>,
    /// At the cut: how many blocks, descriptions and summaries the model receives.
    pub n_kept: u32,
    /// At the cut: how many blocks it does not receive (cleared ones among them).
    pub n_gone: u32,
    /// At the cut: the size of what it does not receive, tokens.
    pub gone_tokens: u64,
    /// At the cut: how many things each provider would refuse, before repairs: provider, count.
    pub violations: Vec<(ProviderDto, u32)>,
    /// Over the session: turns whose budget cannot be met.
    pub over_budget: Vec<u32>,
    /// Over the session: true where no other column costs no more and keeps no less, and is better in one of both. Of columns
    /// that evict nothing, and of those of one policy that come to the same, only one counts.
    pub frontier: bool,
    /// Over the session: the measures.
    #[serde(flatten)]
    pub measured: MeasuredDto,
    /// The total of every turn, tokens; one value more than requests were made.
    pub after: Vec<u64>,
    /// The cost of all requests up to each turn, millionths of a dollar; one value per request made.
    pub cost_so_far: Vec<u64>,
}

/// The figures of one view of a comparison that are about the cut, as in its column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareAtDto {
    /// Tokens that the log does not hold.
    pub overhead: u64,
    /// How many of the turn's steps are taken.
    pub step: u32,
    /// The total, tokens.
    pub total: u64,
    /// The bands of the total.
    pub bands: Vec<(BandNameDto, u64)>,
    /// How many blocks, descriptions and summaries the model receives.
    pub n_kept: u32,
    /// How many blocks it does not receive.
    pub n_gone: u32,
    /// The size of what it does not receive, tokens.
    pub gone_tokens: u64,
    /// How many things each provider would refuse: provider, count.
    pub violations: Vec<(ProviderDto, u32)>,
}

/// Asks for the blocks in which two views differ at a cut.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareBlocksRequest {
    /// The session.
    pub session: u32,
    /// One view.
    pub a: ViewDto,
    /// The other view.
    pub b: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The first item.
    pub offset: u32,
    /// How many items at the most.
    pub limit: u32,
}

/// The blocks in which two views differ at a cut, in the order of the log.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompareBlocksDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// How many items the whole list has.
    pub n_items: u32,
    /// How many of them only `a` sends.
    pub n_only_a: u32,
    /// How many of them only `b` sends.
    pub n_only_b: u32,
    /// The size of what only `a` sends, tokens.
    pub only_a_tokens: u64,
    /// The size of what only `b` sends, tokens.
    pub only_b_tokens: u64,
    /// The items from `offset` on.
    pub items: Vec<DifferenceDto>,
}

/// A block, a description or a summary that one view sends and the other does not.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct DifferenceDto {
    /// True where `a` sends it, false where `b` does.
    pub in_a: bool,
    /// The item as the view that sends it has it, with why it is there.
    pub item: ItemDto,
    /// Why the other view does not send it, as a sentence; empty for what the other never had.
    pub why_not: String,
}
