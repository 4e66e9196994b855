//! A choice of a policy and a budget, made on one half of the sessions of a corpus and reported on the other.

use schemars::JsonSchema;
use serde::Serialize;

/// The result of `cwl choose`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceDto {
    /// The folder of the corpus.
    pub folder: String,
    /// The constraints, as they were read.
    pub constraints: Vec<String>,
    /// The seed of the resamples.
    pub seed: u64,
    /// The resamples of each interval.
    pub n_resamples: u32,
    /// The sessions on which the choice is made.
    pub n_chosen_on: u32,
    /// The other sessions, on which it is reported.
    pub n_reported_on: u32,
    /// The sessions that are left out, because they do not have a run of every setting.
    pub n_left_out: u32,
    /// The settings: first those that meet the constraints on the half on which the choice is made, the cheapest first, then
    /// the others, the cheapest first.
    pub settings: Vec<ChoiceSettingDto>,
    /// True where the first setting meets the constraints on the half on which the choice is made; else nothing is chosen.
    pub is_chosen: bool,
    /// The sessions of the half on which the choice is reported that speak against it, the worst first; at most twenty.
    pub against: Vec<ChoiceAgainstDto>,
    /// How many sessions speak against it.
    pub n_against: u32,
    /// The meaning of the choice for live harnesses. Nothing of it is written anywhere.
    pub live: Vec<ChoiceLiveDto>,
    /// The limits of the answer, as sentences.
    pub limits: Vec<String>,
}

/// A policy with options at a budget.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceSettingDto {
    /// The policy.
    pub policy: String,
    /// Its options that are not at their defaults, `key=value` with commas between, by key; empty at the defaults.
    pub options: String,
    /// The token budget τ; `null` for `none`, which evicts nothing.
    pub budget: Option<u64>,
    /// The figures on the half on which the choice is made.
    pub chosen_on: ChoiceHalfDto,
    /// The figures on the other half.
    pub reported_on: ChoiceHalfDto,
}

/// The figures of a setting on one half of the sessions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceHalfDto {
    /// The mean cost of a session, millionths of a US dollar.
    pub cost: ChoiceEstimateDto,
    /// The figure of each constraint, in their order.
    pub constrained: Vec<ChoiceEstimateDto>,
    /// True where the figures meet all constraints, their intervals left aside.
    pub meets: bool,
    /// True where the whole interval of every figure meets its constraint.
    pub meets_surely: bool,
}

/// A figure with its interval of 95 %, by resampling the sessions; `null` where no session has it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceEstimateDto {
    /// The figure.
    pub value: Option<f64>,
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// A session that speaks against the choice.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceAgainstDto {
    /// The log, as the tables name it.
    pub log: String,
    /// Its path; a hash unless the tables have texts.
    pub path: String,
    /// The reasons, as sentences.
    pub why: Vec<String>,
}

/// The settings of a live harness that come closest to the choice.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceLiveDto {
    /// The harness or the interface.
    pub harness: String,
    /// The settings, a line each; empty where it has none that come close.
    pub settings: Vec<String>,
    /// The parts of the choice that it cannot express, as sentences.
    pub cannot: Vec<String>,
    /// The place where the names of the settings were confirmed.
    pub source: String,
}
