//! Cost: what the provider billed, and what requests did not read from the prompt cache though it should have been there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CacheRulesDto, CacheUsedDto, CostDto, JudgedDto, MissCauseDto, PriceDto, ViewDto};

/// Asks what a session cost, as the provider reported it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CostRequest {
    /// The session.
    pub session: u32,
    /// The view; only its branch and its tokenizer matter.
    pub view: ViewDto,
    /// How the cache is taken to work.
    #[serde(default)]
    pub cache: CacheRulesDto,
}

/// The cost of a session, as the provider reported it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionCostDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The prices that were used.
    pub price: PriceDto,
    /// How the cache was taken to work.
    pub cache: CacheUsedDto,
    /// How many requests the session made.
    pub n_requests: u32,
    /// How many of them report their usage; all sums are over these.
    pub n_reported: u32,
    /// How many were copied from another log, in which they were paid for; no sum holds them.
    pub n_copied: u32,
    /// The calls for summaries that report their usage; in the sums.
    pub n_summaries: u32,
    /// True where the log states only the totals of a run, so that the sums are those.
    pub of_totals: bool,
    /// The reported cost.
    pub reported: CostDto,
    /// The requests of models without a price; `null` where each has one.
    pub unpriced: Option<UnpricedDto>,
    /// The cost that the harness itself states; `null` if it states none.
    pub stated: Option<StatedCostDto>,
    /// The tokens that should have been read from the cache.
    pub expected: u64,
    /// The tokens that should have been read and were not.
    pub missed: u64,
    /// Their cost beyond the price of reading them, millionths of a dollar.
    pub missed_cost: u64,
    /// The misses by their causes, the dearest first.
    pub causes: Vec<MissesDto>,
    /// The misses in order.
    pub misses: Vec<MissDto>,
    /// The model of the cache, judged by the reported usage; `null` where none is reported.
    pub judged: Option<JudgedDto>,
    /// The same as a sentence.
    pub says: String,
}

/// The requests of models that no list of prices names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnpricedDto {
    /// The models as the log names them.
    pub models: Vec<String>,
    /// How many requests.
    pub n_requests: u32,
    /// Their tokens, prompts and replies together.
    pub tokens: u64,
    /// The same as a sentence without its end.
    pub says: String,
}

/// The cost that a harness itself states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedCostDto {
    /// The sum of the costs that the harness states, millionths of a dollar.
    pub cost: u64,
    /// The cost of the same requests by the table of prices, millionths of a dollar.
    pub ours: u64,
    /// How many requests state their cost; 0 where the log states a total.
    pub n_requests: u32,
    /// By how many per mille `ours` is more than `cost`; `null` where `cost` is 0.
    pub difference: Option<i32>,
    /// True where the difference is that the harness counts what was read from the cache as sent afresh too.
    pub counts_cache_twice: bool,
    /// The same as a sentence without its end.
    pub says: String,
}

/// All misses of one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissesDto {
    /// The cause.
    pub cause: MissCauseDto,
    /// How many requests.
    pub n: u32,
    /// The tokens that were not read.
    pub tokens: u64,
    /// Their cost beyond the price of reading them, millionths of a dollar.
    pub cost: u64,
    /// The cause in words.
    pub says: String,
}

/// A request that read less from the prompt cache than the one before had left there, as the provider reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MissDto {
    /// The turn.
    pub turn: u32,
    /// Why, as far as the log tells.
    pub cause: MissCauseDto,
    /// The tokens that it should have read.
    pub expected: u64,
    /// The tokens that it read.
    pub read: u64,
    /// The tokens that it should have read and did not.
    pub tokens: u64,
    /// Their cost beyond the price of reading them, millionths of a dollar.
    pub cost: u64,
    /// The seconds since the request before; `null` where the log does not tell.
    pub passed: Option<u64>,
    /// The first block that differs from the request before, `ENTRY:INDEX`; `null` where the log does not show one.
    pub block: Option<String>,
    /// Its line in the log, from 1.
    pub line: Option<u64>,
    /// The same as a sentence without its end.
    pub says: String,
}
