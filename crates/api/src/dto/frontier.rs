//! The frontier: settings that no other beats, by money and by what is kept, and what that says of CWL.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The measure of what a setting keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeptByDto {
    /// Of the tokens that later turns use again, the share that was still there, per mille.
    #[default]
    LookBack,
    /// Of the probes that are asked, the share that the requests answer, per mille.
    Probes,
    /// Tokens that the log shows being acquired again after the policy had evicted them; less is better.
    Regret,
}

/// Asks which of some settings no other beats. Their figures are those of `sweep` and `compare`.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrontierRequest {
    /// The measure of what a setting keeps.
    pub by: KeptByDto,
    /// The settings.
    pub settings: Vec<SettingDto>,
    /// The place of the setting in use, in the list.
    pub current: Option<u32>,
}

/// A policy with a budget, its price and what that buys, over a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SettingDto {
    /// The policy.
    pub policy: String,
    /// The token budget τ; `null` where nothing is evicted.
    pub budget: Option<u64>,
    /// The cost of all requests and of the policy's own summaries, millionths of a dollar; `null` if no model in it has a price.
    pub cost: Option<u64>,
    /// The measure of what it keeps, in its unit; `null` where that cannot be said.
    pub kept: Option<u64>,
    /// How many steps it takes.
    pub n_steps: u64,
}

/// The verdict of the frontier on CWL, on one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictDto {
    /// Half of the settings on the frontier that evict, or more, are forms of CWL.
    Good,
    /// Some are, and fewer than half.
    Mixed,
    /// None is.
    Bad,
}

/// The settings that no other beats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrontierDto {
    /// The measure of what a setting keeps.
    pub by: KeptByDto,
    /// Good or bad for CWL; `null` where these settings cannot tell.
    pub verdict: Option<VerdictDto>,
    /// The same as a sentence, with the figures that it was told from.
    pub says: String,
    /// The settings on the frontier, the cheapest first.
    pub on: Vec<OnFrontierDto>,
}

/// A setting on the frontier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OnFrontierDto {
    /// Its place in the list that was asked about.
    pub place: u32,
    /// The setting.
    #[serde(flatten)]
    pub setting: SettingDto,
    /// True for a form of CWL.
    pub is_cwl: bool,
}
