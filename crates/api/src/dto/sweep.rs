//! Cost: what a session costs under a policy, what a provider's prompt cache saves of that, and both against τ.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{FrontierDto, KeptByDto, ViewDto};

/// How the provider's prompt cache is taken to work, where that is not as the price table says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(default)]
pub struct CacheRulesDto {
    /// The shortest prompt that is cached, tokens.
    pub minimum: Option<u64>,
    /// The tokens of which a cached prefix is a multiple.
    pub granularity: Option<u64>,
    /// How long a prefix is kept after its last use, seconds; 0 is for ever.
    pub lifetime: Option<u64>,
}

/// Asks what a session costs and keeps under one policy and many budgets.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweepRequest {
    /// The session.
    pub session: u32,
    /// The view; its budget is left aside.
    pub view: ViewDto,
    /// Budgets as people type them: `80k`, `50%`, or a range `40k..160k:10k`.
    pub budgets: Vec<String>,
    /// How the cache is taken to work.
    #[serde(default)]
    pub cache: CacheRulesDto,
    /// Other views, swept over the same budgets; the frontier is over all of them.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub beside: Vec<ViewDto>,
    /// The measure by which the frontier tells what a setting keeps.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub by: KeptByDto,
}

/// The cost of a session under one policy and what it keeps, against the budget.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweepDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The policy.
    pub policy: String,
    /// The unit of all counts: the provider's tokens with their factor, or a tokenizer with its version.
    pub counted_by: String,
    /// The prices that were used.
    pub price: PriceDto,
    /// How the cache was taken to work.
    pub cache: CacheUsedDto,
    /// How many requests the session made; sums are over these, without the one that is next.
    pub n_requests: u32,
    /// One point per budget, in rising order.
    pub points: Vec<SweepPointDto>,
    /// The same session with nothing evicted.
    pub uncapped: SweepPointDto,
    /// The other policies, in the order in which they were asked for.
    pub beside: Vec<SweptDto>,
    /// The settings that no other beats, of all policies and budgets here and of no eviction.
    pub frontier: FrontierDto,
    /// The usage that the log reports, beside the figures of the cache model for the same requests.
    pub judged: Option<JudgedDto>,
    /// The paper's claims about budgets (section 6.4), checked on this session.
    pub claims: Vec<ClaimDto>,
}

/// Another policy over the same budgets.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweptDto {
    /// The policy.
    pub policy: String,
    /// One point per budget, in rising order.
    pub points: Vec<SweepPointDto>,
}

/// The cost of a session under one budget and what it keeps.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SweepPointDto {
    /// The token budget τ; `null` where nothing is evicted.
    pub budget: Option<u64>,
    /// At how many turns the budget cannot be met.
    pub over_budget_turns: u32,
    /// True where no other setting of the answer costs no more and keeps no less, and is better in one of both. Of settings
    /// that evict nothing, and of those of one policy that come to the same, only one counts.
    pub frontier: bool,
    /// The measures.
    #[serde(flatten)]
    pub measured: MeasuredDto,
}

/// The measures of one policy and budget over a session.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, TS, JsonSchema)]
pub struct MeasuredDto {
    /// The cost of the requests.
    pub cost: CostDto,
    /// The share of later uses that still found their block.
    pub look_back: LookBackDto,
    /// How often the requests answer the probes of the view.
    pub probes: ProbesDto,
    /// How much a check of every pass finds.
    pub found: FoundDto,
    /// How many steps all passes take.
    pub n_steps: u64,
    /// The mean size of a request, tokens, rounded down.
    pub mean_total: u64,
    /// The size of the largest request, tokens.
    pub max_total: u64,
    /// How many requests are larger than the window of the model that was asked. It would refuse them, so that where there
    /// are any, cost and what is kept are of a session that cannot be.
    pub beyond_window: u32,
}

/// The cost of requests: tokens by how they are billed, and money in millionths of a US dollar. With it that of the calls
/// for a policy's own summaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CostDto {
    /// Prompt tokens read from the cache.
    pub cached: u64,
    /// Prompt tokens written to the cache.
    pub written: u64,
    /// Prompt tokens that are neither.
    pub fresh: u64,
    /// Tokens of the replies.
    pub output: u64,
    /// The share of prompt tokens that is read from the cache, per mille.
    pub cached_per_mille: u32,
    /// The cost of reading from the cache, millionths of a dollar.
    pub cached_cost: u64,
    /// The cost of writing to the cache, millionths of a dollar.
    pub written_cost: u64,
    /// The cost of all other prompt tokens, millionths of a dollar.
    pub fresh_cost: u64,
    /// The cost of the replies, millionths of a dollar.
    pub output_cost: u64,
    /// How many calls the policy's own summaries need; they are in no other figure but the sum.
    pub summary_calls: u32,
    /// The content that these summaries stand for, which a model would read, tokens.
    pub summary_input: u64,
    /// The summaries, which a model would write, tokens.
    pub summary_output: u64,
    /// The cost of these calls, millionths of a dollar; in the sum.
    pub summary_cost: u64,
    /// The sum, millionths of a dollar.
    pub total_cost: u64,
    /// True where no model in it has a price: then all money is 0, and unknown.
    pub unpriced: bool,
}

/// For every later use of a path, a command or a symbol: was the block that held it still there?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LookBackDto {
    /// How many uses there are.
    pub uses: u64,
    /// How many found the block still there.
    pub hits: u64,
    /// The size of the blocks that are used, tokens, once per use.
    pub used_tokens: u64,
    /// The size of those that were still there, tokens.
    pub hit_tokens: u64,
    /// Hit by used tokens, per mille; 1000 where nothing is used.
    pub hit_per_mille: u32,
    /// The most that any policy could have hit with the same room, tokens.
    pub bound_tokens: u64,
    /// That bound by used tokens, per mille.
    pub bound_per_mille: u32,
    /// Tokens that the log shows being acquired again after this policy had evicted them.
    pub regret_tokens: u64,
    /// Tokens that were missed because the harness itself had taken them.
    pub harness_tokens: u64,
}

/// How often the requests answer the probes of a view.
///
/// A probe is asked before every request from its turn on (`TURN:TEXT`), the next request among them; a probe without a turn
/// from the first request on that its text can stand in. A request answers it where, after the pass, a block with the text
/// is there to the letter, or a summary or an episode's description in the request has the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProbesDto {
    /// Each probe, once for every request before which it is asked.
    pub asked: u64,
    /// Those that the request answers.
    pub answered: u64,
    /// Those that it does not answer because the policy took the text. The others wait for a text that has not come in
    /// yet, or the harness itself took it.
    pub taken: u64,
    /// Answered by asked, per mille; `null` where no probe is asked.
    pub answered_per_mille: Option<u32>,
}

/// How much a check of every pass finds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FoundDto {
    /// Findings of verification (the `V` rules) at the passes before all requests, the next one among them. One that lasts
    /// for many requests counts once.
    pub verification: u32,
    /// Doubts about the annotation that speak of what the policy took (Q005, Q006 after an eviction, Q007), or of an episode
    /// too large for τ (Q008).
    pub doubts: u32,
}

/// The prices that were used: US dollars per million tokens, as they are written in the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PriceDto {
    /// The session's model, as the log names it.
    pub model: Option<String>,
    /// The row of the table.
    pub row: String,
    /// True where no row fits the model: then the default one of the user's own table was taken, if there is one.
    pub assumed: bool,
    /// False where the model has no price; money is then told without its tokens.
    pub priced: bool,
    /// The day from which the prices are known, `YYYY-MM-DD`.
    pub as_of: String,
    /// Where they come from.
    pub source: String,
    /// Prompt tokens that are neither read from the cache nor written to it.
    pub input: String,
    /// Prompt tokens read from the cache.
    pub cache_read: String,
    /// Prompt tokens written to the cache.
    pub cache_write: String,
    /// Tokens of replies.
    pub output: String,
    /// One sentence that says all of it.
    pub says: String,
    /// Problems of the user's own table, as sentences.
    pub problems: Vec<String>,
}

/// How the cache was taken to work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CacheUsedDto {
    /// The shortest prompt that is cached, tokens.
    pub minimum: u64,
    /// The tokens of which a cached prefix is a multiple.
    pub granularity: u64,
    /// How long a prefix is kept after its last use, seconds; 0 is for ever.
    pub lifetime: u64,
    /// One sentence that says all of it.
    pub says: String,
}

/// Reported usage beside what the model of the cache says of the history as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct JudgedDto {
    /// How many requests report their usage; both are sums over these.
    pub n_requests: u32,
    /// As the provider reported it.
    pub reported: CostDto,
    /// As the model of the cache has it, nothing evicted but by the harness itself.
    pub modelled: CostDto,
    /// How many requests have one before them that reports its usage too.
    pub n_compared: u32,
    /// For how many of those both say the same: that the cache was missed, or that it was not.
    pub n_agreed: u32,
    /// One sentence that says how far apart they are.
    pub says: String,
}

/// One claim of the paper about budgets, checked on a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ClaimDto {
    /// The paper's claim.
    pub claim: String,
    /// Whether it holds here; `null` where this session cannot tell.
    pub holds: Option<bool>,
    /// The figures that it was told from.
    pub figures: String,
}
