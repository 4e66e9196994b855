//! A trial: policies over many sessions, at equal mean request and at equal cost.

use schemars::JsonSchema;
use serde::Serialize;

use super::EstimateRange;
use cwl_inspect::api::DetailKind;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TrialAnswer {
    pub folder: String,
    pub version: String,
    pub n_logs: u32,
    /// Hash over the contents of all logs, whatever their names and their order. `null` if the tables were given away
    /// without their lists of logs.
    pub inputs: Option<String>,
    pub runs: Vec<String>,
    pub reference: String,
    pub seed: u64,
    pub n_resamples: u32,
    /// Sessions that never evict under any setting are in no figure.
    pub n_untouched: u32,
    /// The first group has all sessions, the others those of a harness, a length or an outcome.
    pub groups: Vec<TrialGroup>,
    /// Shares that each policy lacks in solved and in failed sessions. Empty unless there are sessions of both kinds.
    pub outcomes: Vec<TrialOutcome>,
    pub limits: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TrialGroup {
    /// `all`, a harness, a range of turns, `solved` or `failed`.
    pub name: String,
    pub n_sessions: u32,
    /// Part of the mean request without eviction that the log does not hold, such as the system prompt and the tools; no
    /// policy can take it.
    pub unlogged_share: EstimateRange,
    pub levels: Vec<TrialLevel>,
}

/// All policies at one level. Those that reach the level in half of the sessions come first; then the one with the best
/// recall beside the reference.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TrialLevel {
    pub equal: TrialMeasure,
    /// The level: a share of the session's own figure without eviction. Of the mean request, it is a share of the part that
    /// the log holds; the other part stays whole.
    pub per_mille: u32,
    pub policies: Vec<TrialPolicy>,
}

/// The figure in which the policies are made equal, for each session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrialMeasure {
    MeanRequest,
    Cost,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TrialPolicy {
    pub policy: String,
    /// Options that differ from their defaults, as `key=value`, comma-separated and sorted by key.
    pub options: String,
    /// Sessions in which the policy reaches the level between two of its budgets.
    pub n_sessions: u32,
    /// Recall of references: the share of later uses whose request still held the block, all sessions together.
    pub recall: EstimateRange,
    /// The most recall that any policy could have reached with the same room.
    pub bound: EstimateRange,
    /// Mean tokens per session that the agent read again after eviction.
    pub reacquired: EstimateRange,
    /// Survival of details: the share of needs for which the request still had the detail, word for word or by name, all
    /// sessions together.
    pub survival: EstimateRange,
    pub survival_by_kind: Vec<TrialSurvival>,
    /// Cost as a share of the cost without eviction, the mean over the sessions with a known price.
    pub cost_share: EstimateRange,
    /// Mean size of a request as a share of that without eviction, the mean over the sessions.
    pub request_share: EstimateRange,
    /// The mean over the sessions of recall less that of [`TrialAnswer::reference`], which must reach the level too.
    pub recall_difference: EstimateRange,
    /// Sessions in which the policy finds more than the reference, and less.
    pub n_better: u32,
    pub n_worse: u32,
}

/// The share that one policy lacks at one level, in sessions whose task was solved and in those whose task was not. The share
/// is that of the later uses whose request did not hold the block any more, the mean over the sessions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TrialOutcome {
    pub equal: TrialMeasure,
    pub per_mille: u32,
    pub policy: String,
    pub options: String,
    pub n_solved: u32,
    pub n_failed: u32,
    pub lacking_solved: EstimateRange,
    pub lacking_failed: EstimateRange,
    /// The share in failed sessions less that in solved ones.
    pub difference: EstimateRange,
}

/// Survival of the details of one kind. `null` if no session needs one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct TrialSurvival {
    pub kind: DetailKind,
    pub survival: EstimateRange,
}
