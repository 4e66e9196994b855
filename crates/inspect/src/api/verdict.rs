//! The verdict on a session: the CWL family against the other policies.

use cwl_engine::AnnotationSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CacheRules, MeasuredSetting, ViewSettings};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct VerdictRequest {
    /// The view; `policy`, `budget` and `options` are ignored.
    pub view: ViewSettings,
    #[serde(default)]
    pub cache: CacheRules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictOutcome {
    /// CWL is better at equal cost or at equal recall, and no worse at the other.
    Better,
    Worse,
    /// CWL is better at one, and worse at the other.
    Mixed,
    /// Both gaps are within the margins of [`VerdictScope`].
    NoDifference,
    /// No setting that evicts costs less than no eviction.
    NoEviction,
}

/// The best settings of the CWL family against the best of the other policies, over a whole session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct VerdictAnswer {
    pub revision: u32,
    /// `null` if there is nothing to compare.
    pub outcome: Option<VerdictOutcome>,
    pub says: String,
    pub scope: VerdictScope,
    /// Recall in per mille, over a range of costs; `null` without an `outcome`.
    pub equal_cost: Option<VerdictRange>,
    /// Costs in millionths of a dollar, over a range of recall.
    pub equal_recall: Option<VerdictRange>,
    /// Settings of the CWL family that no other of the family beats, cheapest first.
    pub cwl: Vec<MeasuredSetting>,
    /// Likewise, settings of other policies.
    pub others: Vec<MeasuredSetting>,
}

/// Means over the range that both frontiers cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct VerdictRange {
    pub from: u64,
    pub to: u64,
    pub cwl: u64,
    pub others: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct VerdictScope {
    pub n_requests: u32,
    /// All with their default options.
    pub policies: Vec<String>,
    pub budgets: Vec<u64>,
    pub counted_by: String,
    pub source: AnnotationSource,
    /// The row of the price table, and its date.
    pub price: String,
    pub as_of: String,
    /// Per mille.
    pub margin_recall: u32,
    /// Per mille of the other policies' cost.
    pub margin_cost: u32,
    pub says: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WithVerdict<T> {
    #[serde(flatten)]
    pub answer: T,
    pub verdict: VerdictAnswer,
}
