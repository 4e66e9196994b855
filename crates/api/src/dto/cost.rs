//! Reported cost, and cache misses. Money is in millionths of a US dollar.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CacheRulesDto, CacheUsedDto, CostDto, JudgedDto, MissCauseDto, PriceDto, ViewDto};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CostRequest {
    pub session: u32,
    /// Only branch and tokenizer matter.
    pub view: ViewDto,
    #[serde(default)]
    pub cache: CacheRulesDto,
}

/// A session's cost as reported by the provider. Money is in millionths of a US dollar.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionCostDto {
    pub revision: u32,
    pub price: PriceDto,
    pub cache: CacheUsedDto,
    /// Requests made.
    pub n_requests: u32,
    /// Requests with reported usage. All sums cover these.
    pub n_reported: u32,
    /// Requests copied from another log and paid for there. No sum includes them.
    pub n_copied: u32,
    /// Summary calls with reported usage; included in sums.
    pub n_summaries: u32,
    /// True if the log states only totals per run.
    pub of_totals: bool,
    pub reported: CostDto,
    /// Requests of models without a price.
    pub unpriced: Option<UnpricedDto>,
    /// The cost stated by the harness itself.
    pub stated: Option<StatedCostDto>,
    /// Tokens expected in the cache.
    pub expected: u64,
    /// Expected tokens that were not read from the cache.
    pub missed: u64,
    /// Extra cost of the missed tokens, compared to reading them from the cache.
    pub missed_cost: u64,
    /// Misses by cause, most expensive first.
    pub causes: Vec<MissesDto>,
    /// Misses in order.
    pub misses: Vec<MissDto>,
    /// The cache model against the reported usage; `null` without reports.
    pub judged: Option<JudgedDto>,
    pub says: String,
}

/// Requests of models missing from the price table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnpricedDto {
    /// The models as named in the log.
    pub models: Vec<String>,
    pub n_requests: u32,
    /// Prompt and reply tokens.
    pub tokens: u64,
    /// A clause without full stop.
    pub says: String,
}

/// The cost stated by a harness itself. Money is in millionths of a US dollar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedCostDto {
    /// The sum stated by the harness.
    pub cost: u64,
    /// The same requests' cost by the price table.
    pub ours: u64,
    /// Requests with a stated cost; 0 if the log states only a total.
    pub n_requests: u32,
    /// (`ours` − `cost`) / `cost`, per mille; `null` if `cost` is 0.
    pub difference: Option<i32>,
    /// True if the deviation comes from the harness counting cached tokens as fresh input, too.
    pub counts_cache_twice: bool,
    /// A clause without full stop.
    pub says: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissesDto {
    pub cause: MissCauseDto,
    pub n: u32,
    /// Tokens not read.
    pub tokens: u64,
    /// Extra cost compared to reading the tokens from the cache, millionths of a dollar.
    pub cost: u64,
    /// The cause in words.
    pub says: String,
}

/// A request that read less from the prompt cache than its predecessor had left there, according to reported usage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MissDto {
    pub turn: u32,
    /// The cause, as far as the log tells.
    pub cause: MissCauseDto,
    /// Tokens expected in the cache.
    pub expected: u64,
    /// Tokens read from the cache.
    pub read: u64,
    /// `expected` − `read`.
    pub tokens: u64,
    /// Extra cost compared to reading the tokens from the cache, millionths of a dollar.
    pub cost: u64,
    /// Seconds since the previous request; `null` without timestamps.
    pub passed: Option<u64>,
    /// The first block that differs from the previous request, `ENTRY:INDEX`; `null` if the log shows no difference.
    pub block: Option<String>,
    /// The log line of `block`, from 1.
    pub line: Option<u64>,
    /// A clause without full stop.
    pub says: String,
}
