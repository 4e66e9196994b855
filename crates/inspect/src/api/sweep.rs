//! Cost under a policy with a prompt cache, over a range of budgets τ.

use cwl_engine::DetailKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{FrontierMeasure, ParetoFrontier, ViewSettings};

/// Overrides for the price table's prompt cache rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(default)]
pub struct CacheRules {
    /// Minimum tokens in a cacheable prompt.
    pub minimum: Option<u64>,
    /// Cached prefixes have a multiple of this many tokens.
    pub granularity: Option<u64>,
    /// Seconds a prefix is kept after its last use; 0 means forever.
    pub lifetime: Option<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweepRequest {
    /// The view; `budget` is ignored.
    pub view: ViewSettings,
    /// Budgets as people type them: `80k`, `50%`, or a range `40k..160k:10k`. Empty takes those of the verdict.
    pub budgets: Vec<String>,
    #[serde(default)]
    pub cache: CacheRules,
    /// Other views, swept over the same budgets. `frontier` covers all views.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub beside: Vec<ViewSettings>,
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub by: FrontierMeasure,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweepAnswer {
    pub revision: u32,
    pub policy: String,
    pub counted_by: String,
    pub price: PriceInForce,
    pub cache: CacheRulesInForce,
    /// Requests made. Sums cover these, without `now`.
    pub n_requests: u32,
    pub points: Vec<SweepPoint>,
    pub uncapped: SweepPoint,
    pub beside: Vec<SweptPolicy>,
    /// The Pareto frontier over all points, including `uncapped`.
    pub frontier: ParetoFrontier,
    /// The cache model against reported usage; `null` without reports.
    pub judged: Option<CacheModelCheck>,
    /// Claims about budgets (paper 6.4), tested on this session.
    pub claims: Vec<ClaimCheck>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweptPolicy {
    pub policy: String,
    pub points: Vec<SweepPoint>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweepPoint {
    /// The token budget τ; `null` without eviction.
    pub budget: Option<u64>,
    pub over_budget_turns: u32,
    /// True if no other setting in the answer dominates this one by cost and retention. Settings without eviction count
    /// once; so do equal results under one policy.
    pub frontier: bool,
    #[serde(flatten)]
    pub measured: MeasuredFigures,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, TS, JsonSchema)]
pub struct MeasuredFigures {
    pub cost: CostFigures,
    /// Recall of references: later uses that still find their block.
    pub recall: RecallFigures,
    pub probes: ProbeCounts,
    pub found: ContextFindings,
    pub n_steps: u64,
    pub mean_total: u64,
    pub max_total: u64,
    /// Requests larger than the model's context window. The provider would refuse them, so if there are any, cost and
    /// retention describe an impossible session.
    pub beyond_window: u32,
}

/// Request cost: tokens by billing class, and money (`…_cost`) in millionths of a US dollar. Includes calls for a
/// policy's own summaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CostFigures {
    pub cached: u64,
    pub written: u64,
    pub fresh: u64,
    pub output: u64,
    /// `cached` / (`cached` + `written` + `fresh`), per mille.
    pub cached_per_mille: u32,
    pub cached_cost: u64,
    pub written_cost: u64,
    pub fresh_cost: u64,
    pub output_cost: u64,
    /// Calls for the policy's own summaries. Counted in `total_cost` only.
    pub summary_calls: u32,
    /// Tokens a model would read in `summary_calls`.
    pub summary_input: u64,
    pub summary_output: u64,
    pub summary_cost: u64,
    pub total_cost: u64,
    /// True if no model has a price. Every `…_cost` is then 0, meaning unknown.
    pub unpriced: bool,
}

/// Survival of details of one kind: needs by later turns, and what the requests still had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct DetailSurvivalRow {
    pub kind: DetailKind,
    /// Needs whose block the policy could have kept, each once per turn.
    pub n_needed: u32,
    /// Needs for which the request had the detail, word for word.
    pub n_literal: u32,
    /// Needs for which the request had an ending of the path, or the command's program and first argument.
    pub n_named: u32,
}

/// Recall of references. A use is a later mention of a path, command or symbol; a hit finds the block with it still in
/// the context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecallFigures {
    pub uses: u64,
    pub hits: u64,
    /// Tokens in used blocks, counted once per use; `hit_tokens` likewise.
    pub used_tokens: u64,
    pub hit_tokens: u64,
    /// `hit_tokens` / `used_tokens`, per mille; 1000 without uses.
    pub hit_per_mille: u32,
    /// Upper bound: `hit_tokens` for a policy that knows the future, with the same room.
    pub bound_tokens: u64,
    /// `bound_tokens` / `used_tokens`, per mille.
    pub bound_per_mille: u32,
    /// Tokens the agent reacquired after this policy had evicted them.
    pub reacquired_tokens: u64,
    /// Tokens missed because the harness itself evicted them.
    pub harness_tokens: u64,
}

/// How many probes of the view the requests answer.
///
/// A probe is asked before every request from its turn (`TURN:TEXT`) on, the next request included. A probe without a
/// turn is asked from the first request that could contain its text. A request answers a probe if, after the pass, the
/// text stands in an intact block, a summary or an episode's description.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProbeCounts {
    /// Requests a probe is asked before, summed over all probes.
    pub asked: u64,
    pub answered: u64,
    /// Probes unanswered because the policy evicted the text. For the rest of `asked`, the text had not arrived yet, or
    /// the harness removed it.
    pub taken: u64,
    /// `answered` / `asked`, per mille; `null` without probes.
    pub answered_per_mille: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ContextFindings {
    /// Findings of the `V` rules before all requests, the next one included. A lasting finding counts once.
    pub verification: u32,
    /// Doubts about the annotation caused by evictions (`Q005`, `Q006` after an eviction, `Q007`) or by an episode too
    /// large for τ (`Q008`).
    pub doubts: u32,
}

/// The prices used. `input`, `cache_read`, `cache_write` and `output` are US dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PriceInForce {
    pub model: Option<String>,
    pub row: String,
    /// True if no row matches `model`. The user's default row is then used, if there is one.
    pub assumed: bool,
    pub priced: bool,
    /// The date of the prices, `YYYY-MM-DD`.
    pub as_of: String,
    pub source: String,
    /// Prompt tokens neither read from nor written to the cache.
    pub input: String,
    pub cache_read: String,
    pub cache_write: String,
    pub output: String,
    pub says: String,
    pub problems: Vec<String>,
}

/// The prompt cache rules in force. Fields as in [`CacheRules`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CacheRulesInForce {
    pub minimum: u64,
    pub granularity: u64,
    pub lifetime: u64,
    pub says: String,
}

/// Reported usage against the cache model, for the session as recorded (policy `none`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CacheModelCheck {
    /// Requests with reported usage; both costs are sums over these.
    pub n_requests: u32,
    pub reported: CostFigures,
    /// The cache model's result. Only the harness's own evictions are applied.
    pub modelled: CostFigures,
    pub n_compared: u32,
    /// Requests in `n_compared` for which both agree whether the cache was missed.
    pub n_agreed: u32,
    pub says: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ClaimCheck {
    pub claim: String,
    pub holds: Option<bool>,
    pub figures: String,
}
