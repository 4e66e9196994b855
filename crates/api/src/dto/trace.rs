//! Traces: what a policy does over all turns, in full, for scripts and for comparison with other programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ActionDto, AnnotationSourceDto, EpisodeKindDto};

/// A policy over all turns; the order of keys is part of the contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TraceDto {
    /// The policy.
    pub policy: String,
    /// The token budget τ.
    pub budget: u64,
    /// The tokenizer.
    pub tokenizer: String,
    /// Tokens that the log does not hold; in every total. A policy that never counts it does not give it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub overhead: Option<u64>,
    /// Where the episodes come from; not given where the agent itself marked them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub source: Option<AnnotationSourceDto>,
    /// All turns.
    pub turns: Vec<TraceTurnDto>,
    /// All episodes as they are after the last turn; not given by `pi-cwl`, which goes by ranges of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub episodes: Option<Vec<TraceEpisodeDto>>,
}

/// One turn of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TraceTurnDto {
    /// Its number, from 1.
    pub turn: u32,
    /// The reply's record; `null` for `now`.
    pub message: Option<String>,
    /// The total before the pass.
    pub tokens_before: u64,
    /// The total of the request.
    pub tokens_after: u64,
    /// True when the budget could not be met.
    pub over_budget: bool,
    /// The steps in order. A policy that starts from the whole history at every turn lists them on every tenth
    /// and on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub steps: Option<Vec<TraceStepDto>>,
    /// On the last turn of `pi-cwl`: the names that count as evicted, in order; `null` where there was no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub evicted: Option<Vec<Option<String>>>,
    /// On the last turn of `pi-cwl`: the records of which something is left, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub messages: Option<Vec<String>>,
}

/// One step of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TraceStepDto {
    /// The episode's name; not given of a segment of `pi-cwl` that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub episode: Option<String>,
    /// Its action.
    pub level: ActionDto,
    /// The total before the step.
    pub tokens_before: u64,
    /// The total after the step.
    pub tokens_after: u64,
    /// The blocks that it takes, `ENTRY:INDEX`, in log order; not given by `pi-cwl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub blocks: Option<Vec<String>>,
}

/// One episode of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TraceEpisodeDto {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: EpisodeKindDto,
    /// The edges that were kept, in declared order.
    pub deps: Vec<String>,
    /// True when it is closed.
    pub closed: bool,
    /// Its level after the last turn.
    pub level: u8,
}
