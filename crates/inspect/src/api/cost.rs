//! Reported cost, and cache misses. Money is in millionths of a US dollar.

use cwl_engine::MissCause;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CacheModelCheck, CacheRules, CacheRulesInForce, CostFigures, PriceInForce, ViewSettings};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CostRequest {
    pub view: ViewSettings,
    #[serde(default)]
    pub cache: CacheRules,
}

/// A session's cost as reported by the provider. Money (`…_cost`) is in millionths of a US dollar.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CostAnswer {
    pub revision: u32,
    pub price: PriceInForce,
    pub cache: CacheRulesInForce,
    pub n_requests: u32,
    /// Requests with reported usage. All sums cover these.
    pub n_reported: u32,
    /// Requests copied from another log and paid for there. No sum includes them.
    pub n_copied: u32,
    /// Summary calls with reported usage, beside `n_requests`. Included in sums.
    pub n_summaries: u32,
    /// True if the log states only totals per run.
    pub of_totals: bool,
    pub reported: CostFigures,
    pub unpriced: Option<UnpricedUsage>,
    pub stated: Option<StatedCost>,
    pub expected: u64,
    /// The part of `expected` not read from the cache.
    pub missed: u64,
    /// Cost beyond reading the `missed` tokens from the cache.
    pub missed_cost: u64,
    pub causes: Vec<MissSum>,
    pub misses: Vec<MissRow>,
    pub judged: Option<CacheModelCheck>,
    pub says: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnpricedUsage {
    pub models: Vec<String>,
    pub n_requests: u32,
    pub tokens: u64,
    pub says: String,
}

/// The cost stated by a harness itself. Money is in millionths of a US dollar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedCost {
    pub cost: u64,
    /// Like `cost`, but by the price table.
    pub ours: u64,
    /// Requests with a stated `cost`; 0 if the log states only a total.
    pub n_requests: u32,
    /// (`ours` − `cost`) / `cost`, per mille; `null` if `cost` is 0.
    pub difference: Option<i32>,
    /// True if `difference` arises because the harness counts cached tokens as fresh input, too.
    pub counts_cache_twice: bool,
    pub says: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissSum {
    pub cause: MissCause,
    pub n: u32,
    pub tokens: u64,
    /// Cost beyond reading `tokens` from the cache, millionths of a dollar.
    pub cost: u64,
    pub says: String,
}

/// A request that read less from the prompt cache than its predecessor had left there, according to reported usage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MissRow {
    pub turn: u32,
    pub cause: MissCause,
    pub expected: u64,
    pub read: u64,
    pub tokens: u64,
    /// Cost beyond reading `tokens` from the cache, millionths of a dollar.
    pub cost: u64,
    /// Seconds since the previous request; `null` without timestamps.
    pub passed: Option<u64>,
    /// The first block that differs from the previous request, `ENTRY:INDEX`; `null` if the log shows no difference.
    pub block: Option<String>,
    pub line: Option<u64>,
    pub says: String,
}
