//! Views, and replays of a policy over all turns.

use std::collections::BTreeMap;

use cwl_engine::{Action, Band, EpisodeKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{GainCause, LostContent, MissRow, OverheadSource, ReasoningRetention, UnloggedContent};

/// A person's choices: policy, budget and counting. Every request carries a complete view.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
#[serde(default)]
pub struct ViewSettings {
    pub policy: String,
    /// The token budget τ as people type it: `80000`, `80k`, `50%`.
    pub budget: String,
    pub tokenizer: String,
    /// Tokens missing from the log (system prompt, tools), or `auto`.
    pub overhead: String,
    /// The model's context window, tokens, if the log does not state it. Needed for budgets in percent.
    pub window: Option<u64>,
    pub options: BTreeMap<String, String>,
    /// The branch's last record; `None` is the current branch.
    pub branch: Option<String>,
    /// `declared` (marked by the agent), `inferred`, an overlay's name, a file of marks, or `auto`: `declared` if the
    /// agent marked episodes, else `inferred`.
    pub annotation: String,
    /// Content that must survive: a text, `/regex/`, or `block:ENTRY:INDEX`. Policies never evict a pinned block.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub pins: Vec<String>,
    /// Facts the context must still contain: a text or `/regex/`, checked from the turn given as `TURN:` prefix.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub probes: Vec<String>,
}

impl ViewSettings {
    pub fn counted(unit: &str) -> Self {
        Self { tokenizer: unit.to_owned(), ..Self::default() }
    }

    /// Returns the same view of the history as it was recorded: nothing is taken but what the harness took, so that the
    /// budget does not matter.
    pub fn as_recorded(&self) -> Self {
        Self {
            policy: "none".into(),
            budget: "0".into(),
            options: BTreeMap::new(),
            pins: Vec::new(),
            probes: Vec::new(),
            ..self.clone()
        }
    }
}

impl Default for ViewSettings {
    fn default() -> Self {
        Self {
            policy: "cwl".into(),
            budget: "80000".into(),
            tokenizer: "provider".into(),
            overhead: "auto".into(),
            window: None,
            options: BTreeMap::new(),
            branch: None,
            annotation: "auto".into(),
            pins: Vec::new(),
            probes: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ViewRequest {
    pub view: ViewSettings,
}

/// A position in time: before the request of `turn`, after `step` eviction steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ViewCut {
    /// From 1; `None` means `now`.
    pub turn: Option<u32>,
    /// `None` means after all steps.
    pub step: Option<u32>,
}

/// A session's sizes, independent of [`ViewSettings::budget`]. Vectors have one value per turn; sizes are tokens.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct HistoryAnswer {
    /// The tokenizer, with its crate and version, as in other `counted_by` fields.
    pub counted_by: String,
    /// Tokens missing from the log; included in `full`.
    #[ts(type = "ArrayLike<number>")]
    pub overhead: Vec<u64>,
    pub overhead_source: OverheadSource,
    #[ts(type = "ArrayLike<number>")]
    pub full: Vec<u64>,
    /// Tokens added since the previous turn, before removals, including overhead growth.
    #[ts(type = "ArrayLike<number>")]
    pub came_in: Vec<u64>,
    /// Prompt tokens reported by the provider; `null` if unreported.
    pub reported: Vec<Option<u64>>,
    /// Calibration of counted sizes; `null` with too few reports.
    pub drift: Option<CountDrift>,
    pub stretches: Vec<UnloggedStretch>,
    /// Hidden reasoning that is sent back, derived from reported output. Included in `full` while it is sent.
    pub hidden_reasoning: u64,
    pub carried: Vec<RetainedReasoning>,
    /// First turns after a compaction by the harness.
    pub compactions: Vec<u32>,
    /// Like `compactions`, for outputs cleared without a summary.
    pub clearings: Vec<u32>,
    pub losses: Vec<HiddenLossRow>,
    pub gains: Vec<HiddenGainRow>,
    /// A warning if the harness may prune tool outputs before sending without logging it.
    pub may_be_pruned: Option<String>,
    pub misses: Vec<MissRow>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RetainedReasoning {
    pub model: Option<String>,
    pub carried: ReasoningRetention,
    pub n_replies: u32,
    /// Tokens, derived from reported output. Not in totals if `carried` is `never` or `unknown`.
    #[ts(type = "number")]
    pub tokens: u64,
    pub source: String,
    pub says: String,
}

/// A policy replayed under one `budget`. Vectors have one value per turn; sizes are tokens.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReplayAnswer {
    pub policy: String,
    pub budget: u64,
    #[ts(type = "ArrayLike<number>")]
    pub before: Vec<u64>,
    #[ts(type = "ArrayLike<number>")]
    pub after: Vec<u64>,
    #[ts(type = "ArrayLike<number>")]
    pub over_budget: Vec<u32>,
    #[ts(type = "ArrayLike<number>")]
    pub n_steps: Vec<u32>,
    pub bands: Vec<BandSeries>,
    pub n_steps_in_all: u32,
}

/// A linear fit of prompt sizes: reported ≈ `base` + `factor` × counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CountDrift {
    pub factor: f64,
    /// Overhead in the provider's tokens; may be negative.
    pub base: f64,
    pub n_turns: u32,
    /// Median relative error of the fit.
    pub residual: f64,
    pub says: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct UnloggedStretch {
    pub from: u32,
    pub to: u32,
    pub tokens: u64,
    pub unlogged: UnloggedContent,
    pub factor: f64,
    pub n_turns: u32,
    pub residual: f64,
    pub says: String,
}

/// A hidden loss: requests smaller than the log explains. Sizes are tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct HiddenLossRow {
    pub from: u32,
    /// The last turn before the history changes or `reported` recovers.
    pub to: u32,
    pub tokens: u64,
    pub of: LostContent,
    pub turn: u32,
    pub reported: u64,
    /// Provider-reported size of the previous request; `null` if the loss shows only against `counted`.
    pub before: Option<u64>,
    /// Counted size of request `turn`, without overhead.
    pub counted: u64,
    pub says: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct HiddenGainRow {
    pub turn: u32,
    /// Unexplained growth, lower bound.
    #[ts(type = "number")]
    pub tokens: u64,
    #[ts(type = "number")]
    pub reported: u64,
    #[ts(type = "number")]
    pub before: u64,
    pub cause: GainCause,
    pub says: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BandSeries {
    pub band: Band,
    #[ts(type = "ArrayLike<number>")]
    pub tokens: Vec<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct StepsRequest {
    pub view: ViewSettings,
    pub turn: Option<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct StepsAnswer {
    pub turn: u32,
    pub message: Option<String>,
    pub before: u64,
    pub after: u64,
    pub over_budget: bool,
    pub steps: Vec<StepRow>,
    pub previous_with_steps: Option<u32>,
    pub next_with_steps: Option<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct StepRow {
    pub episode: Option<u32>,
    pub name: String,
    pub level: Action,
    /// The level of `episode` after the step, 1 to 4; 0 for other subjects.
    pub level_number: u8,
    pub before: u64,
    pub after: u64,
    pub n_blocks: u32,
    pub line: Option<u64>,
    pub sentence: String,
}

/// A turn as printed by `cwl tail`. Sizes are tokens.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TurnAnswer {
    pub session: u32,
    pub path: String,
    pub turn: u32,
    pub before: u64,
    pub after: u64,
    pub over_budget: bool,
    pub kind: Option<EpisodeKind>,
    pub episode: Option<String>,
    pub steps: Vec<StepRow>,
}
