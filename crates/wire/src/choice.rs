//! A choice of policy and budget, made on one half of a corpus and evaluated on the other.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChooseAnswer {
    pub folder: String,
    /// Parsed `--constraint` arguments.
    pub constraints: Vec<String>,
    pub seed: u64,
    pub n_resamples: u32,
    pub n_chosen_on: u32,
    /// Sessions used to evaluate the choice, disjoint from the `n_chosen_on` others.
    pub n_reported_on: u32,
    pub n_left_out: u32,
    /// Settings meeting `constraints` on the first half come first; each group lists the cheapest first.
    pub settings: Vec<ChoiceSetting>,
    /// True if the first of `settings` meets `constraints` on the first half; otherwise nothing is chosen.
    pub is_chosen: bool,
    /// Sessions in the second half contradicting the choice, worst first. At most 20.
    pub against: Vec<ChoiceObjection>,
    pub n_against: u32,
    /// Corresponding settings for live harnesses. No settings file is changed.
    pub live: Vec<LiveSupport>,
    pub limits: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceSetting {
    pub policy: String,
    /// Options that differ from their defaults, as `key=value`, comma-separated and sorted by key.
    pub options: String,
    /// The token budget τ; `null` for `none`.
    pub budget: Option<u64>,
    pub chosen_on: ChoiceHalf,
    pub reported_on: ChoiceHalf,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceHalf {
    /// Mean cost per session, millionths of a US dollar.
    pub cost: EstimateRange,
    /// One estimate per [`ChooseAnswer::constraints`], in order.
    pub constrained: Vec<EstimateRange>,
    pub meets: bool,
    /// True if every estimate's whole interval meets its constraint.
    pub meets_surely: bool,
}

/// A figure with its 95 % bootstrap interval over sessions; `null` if no session has it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct EstimateRange {
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceObjection {
    pub log: String,
    /// The log's path, or its hash if [`CorpusOverview::has_texts`](super::CorpusOverview::has_texts) is false.
    pub path: String,
    pub why: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LiveSupport {
    pub harness: String,
    /// One setting per line; empty if none come close.
    pub settings: Vec<String>,
    pub cannot: Vec<String>,
    pub source: String,
}
