//! A choice of policy and budget, made on one half of a corpus and evaluated on the other.

use schemars::JsonSchema;
use serde::Serialize;

/// The result of `cwl choose`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceDto {
    pub folder: String,
    /// The constraints as parsed.
    pub constraints: Vec<String>,
    /// The seed of the bootstrap.
    pub seed: u64,
    /// Bootstrap resamples per interval.
    pub n_resamples: u32,
    /// Sessions used to choose.
    pub n_chosen_on: u32,
    /// Sessions used to evaluate the choice.
    pub n_reported_on: u32,
    /// Sessions without a run of every setting.
    pub n_left_out: u32,
    /// Settings meeting the constraints on the first half come first; each group lists the cheapest first.
    pub settings: Vec<ChoiceSettingDto>,
    /// True if the first setting meets the constraints on the first half; otherwise nothing is chosen.
    pub is_chosen: bool,
    /// Sessions of the second half that contradict the choice, worst first. At most 20.
    pub against: Vec<ChoiceAgainstDto>,
    /// Number of contradicting sessions.
    pub n_against: u32,
    /// The corresponding settings of live harnesses. No settings file is changed.
    pub live: Vec<ChoiceLiveDto>,
    /// Caveats, as sentences.
    pub limits: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceSettingDto {
    pub policy: String,
    /// Options that differ from their defaults, as `key=value`, comma-separated and sorted by key.
    pub options: String,
    /// The token budget τ; `null` for `none`.
    pub budget: Option<u64>,
    /// Figures on the half used to choose.
    pub chosen_on: ChoiceHalfDto,
    /// Figures on the other half.
    pub reported_on: ChoiceHalfDto,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceHalfDto {
    /// Mean cost per session, millionths of a US dollar.
    pub cost: ChoiceEstimateDto,
    /// One estimate per constraint, in order.
    pub constrained: Vec<ChoiceEstimateDto>,
    /// True if every estimate's `value` meets its constraint.
    pub meets: bool,
    /// True if every estimate's whole interval meets its constraint.
    pub meets_surely: bool,
}

/// A figure with its 95 % bootstrap interval over sessions; `null` if no session has it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceEstimateDto {
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// A session that contradicts the choice.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceAgainstDto {
    /// The log's hash in the tables.
    pub log: String,
    /// The path, or a hash if the tables contain no texts.
    pub path: String,
    /// Reasons, as sentences.
    pub why: Vec<String>,
}

/// A live harness's settings closest to the choice.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceLiveDto {
    /// A harness or a provider's API.
    pub harness: String,
    /// One setting per line; empty if none come close.
    pub settings: Vec<String>,
    /// Parts of the choice the harness cannot express, as sentences.
    pub cannot: Vec<String>,
    /// The document that confirms the settings' names.
    pub source: String,
}
