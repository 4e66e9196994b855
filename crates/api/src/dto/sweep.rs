//! Cost under a policy with a prompt cache, over a range of budgets τ.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{FrontierDto, KeptByDto, ViewDto};

/// Overrides of the price table's prompt cache rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(default)]
pub struct CacheRulesDto {
    /// Minimum tokens of a cacheable prompt.
    pub minimum: Option<u64>,
    /// Cached prefixes are multiples of this many tokens.
    pub granularity: Option<u64>,
    /// Seconds a prefix is kept after its last use; 0 means forever.
    pub lifetime: Option<u64>,
}

/// Asks for cost and retention under many budgets.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweepRequest {
    pub session: u32,
    /// The budget is ignored.
    pub view: ViewDto,
    /// Budgets as people type them: `80k`, `50%`, or a range `40k..160k:10k`.
    pub budgets: Vec<String>,
    #[serde(default)]
    pub cache: CacheRulesDto,
    /// Other views, swept over the same budgets. `frontier` covers all views.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub beside: Vec<ViewDto>,
    /// The y axis of the frontier.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub by: KeptByDto,
}

/// Cost and retention of a session against the budget.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweepDto {
    pub revision: u32,
    pub policy: String,
    /// The tokenizer, with its crate and version.
    pub counted_by: String,
    pub price: PriceDto,
    pub cache: CacheUsedDto,
    /// Requests made by the session. Sums cover these, without the next request.
    pub n_requests: u32,
    /// One point per budget, ascending.
    pub points: Vec<SweepPointDto>,
    /// The session without eviction.
    pub uncapped: SweepPointDto,
    /// The other views, in request order.
    pub beside: Vec<SweptDto>,
    /// The Pareto frontier of all points, including no eviction.
    pub frontier: FrontierDto,
    /// The cache model against the reported usage.
    pub judged: Option<JudgedDto>,
    /// Claims about budgets in section 6.4 of the paper, tested on this session.
    pub claims: Vec<ClaimDto>,
}

/// Another policy over the same budgets.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweptDto {
    pub policy: String,
    /// One point per budget, ascending.
    pub points: Vec<SweepPointDto>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweepPointDto {
    /// The token budget τ; `null` without eviction.
    pub budget: Option<u64>,
    /// Turns whose budget cannot be met.
    pub over_budget_turns: u32,
    /// True if no other setting of the answer dominates this one in cost and retention. Settings without eviction count
    /// once, as do settings of one policy with equal results.
    pub frontier: bool,
    #[serde(flatten)]
    pub measured: MeasuredDto,
}

/// Measures of one policy and budget over a session.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, TS, JsonSchema)]
pub struct MeasuredDto {
    pub cost: CostDto,
    /// Recall of references: the share of later uses that still find their block.
    pub look_back: LookBackDto,
    /// Probes answered by the requests.
    pub probes: ProbesDto,
    /// Findings of the verification.
    pub found: FoundDto,
    /// Eviction steps in all passes.
    pub n_steps: u64,
    /// Mean request size, tokens, rounded down.
    pub mean_total: u64,
    /// Largest request, tokens.
    pub max_total: u64,
    /// Requests larger than the model's context window. The provider would refuse them, so if there are any, cost and
    /// retention describe an impossible session.
    pub beyond_window: u32,
}

/// Cost of requests: tokens by billing class, and money in millionths of a US dollar. Includes the calls for a policy's
/// own summaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CostDto {
    /// Prompt tokens read from the cache.
    pub cached: u64,
    /// Prompt tokens written to the cache.
    pub written: u64,
    /// Other prompt tokens.
    pub fresh: u64,
    /// Reply tokens.
    pub output: u64,
    /// `cached` / (`cached` + `written` + `fresh`), per mille.
    pub cached_per_mille: u32,
    pub cached_cost: u64,
    pub written_cost: u64,
    pub fresh_cost: u64,
    pub output_cost: u64,
    /// Calls for the policy's own summaries. Counted in `total_cost` only.
    pub summary_calls: u32,
    /// Tokens a model would read to write these summaries.
    pub summary_input: u64,
    /// Tokens of these summaries.
    pub summary_output: u64,
    pub summary_cost: u64,
    pub total_cost: u64,
    /// True if no model has a price. All money is then 0, meaning unknown.
    pub unpriced: bool,
}

/// Recall of references. A use is a later mention of a path, command or symbol; a hit finds the block with it still in
/// the context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LookBackDto {
    pub uses: u64,
    pub hits: u64,
    /// Tokens of the used blocks, counted once per use.
    pub used_tokens: u64,
    /// Tokens of the used blocks still present.
    pub hit_tokens: u64,
    /// `hit_tokens` / `used_tokens`, per mille; 1000 without uses.
    pub hit_per_mille: u32,
    /// Upper bound: the `hit_tokens` of a policy that knows the future, with the same room.
    pub bound_tokens: u64,
    /// `bound_tokens` / `used_tokens`, per mille.
    pub bound_per_mille: u32,
    /// Tokens the agent reacquired after this policy had evicted them.
    pub regret_tokens: u64,
    /// Tokens missed because of the harness's own eviction.
    pub harness_tokens: u64,
}

/// How many probes of the view the requests answer.
///
/// A probe is asked before every request from its turn (`TURN:TEXT`) on, the next request included. A probe without a
/// turn is asked from the first request that could contain its text. A request answers a probe if, after the pass, the
/// text stands in an intact block, a summary or an episode's description.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProbesDto {
    /// Sum over all probes of the requests they are asked before.
    pub asked: u64,
    /// Probes answered.
    pub answered: u64,
    /// Probes unanswered because the policy evicted the text. Other unanswered probes precede their text, or the
    /// harness removed it.
    pub taken: u64,
    /// `answered` / `asked`, per mille; `null` without probes.
    pub answered_per_mille: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FoundDto {
    /// Findings of the `V` rules before all requests, the next one included. A lasting finding counts once.
    pub verification: u32,
    /// Doubts about the annotation caused by evictions (`Q005`, `Q006` after an eviction, `Q007`) or by an episode too
    /// large for τ (`Q008`).
    pub doubts: u32,
}

/// The prices used, in US dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PriceDto {
    /// The model as named in the log.
    pub model: Option<String>,
    pub row: String,
    /// True if no row matches `model`. The user's default row is then used, if there is one.
    pub assumed: bool,
    /// False if the model has no price.
    pub priced: bool,
    /// The day of the prices, `YYYY-MM-DD`.
    pub as_of: String,
    pub source: String,
    /// Prompt tokens not read from or written to the cache.
    pub input: String,
    pub cache_read: String,
    pub cache_write: String,
    pub output: String,
    /// All fields as a sentence.
    pub says: String,
    /// Problems of the user's price table, as sentences.
    pub problems: Vec<String>,
}

/// The prompt cache rules used; the fields of [`CacheRulesDto`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CacheUsedDto {
    pub minimum: u64,
    pub granularity: u64,
    pub lifetime: u64,
    /// All fields as a sentence.
    pub says: String,
}

/// Reported usage against the cache model, for the session without a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct JudgedDto {
    /// Requests with reported usage; both costs are sums over these.
    pub n_requests: u32,
    pub reported: CostDto,
    /// The cache model's result. Only the harness's own evictions are applied.
    pub modelled: CostDto,
    /// Requests with reported usage whose predecessor reports usage, too.
    pub n_compared: u32,
    /// Compared requests for which both agree whether the cache was missed.
    pub n_agreed: u32,
    /// A sentence stating the deviation.
    pub says: String,
}

/// A claim of the paper about budgets, tested on a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ClaimDto {
    pub claim: String,
    /// `null` if the session cannot decide it.
    pub holds: Option<bool>,
    /// The evidence.
    pub figures: String,
}
