//! Replays: what people choose, and what a policy does over all turns.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    ActionDto, BandNameDto, CarriedDto, EpisodeKindDto, GainCauseDto, LossOfDto, MissDto, OverheadSourceDto,
    UnloggedDto,
};

/// The choices of a person: the policy, the budget and how to count. Every request carries them whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
#[serde(default)]
pub struct ViewDto {
    /// A policy's name.
    pub policy: String,
    /// The token budget τ as people type it: `80000`, `80k`, `50%`.
    pub budget: String,
    /// The unit of all counts: `provider` (its own tokens, as reported sizes tell them), or a tokenizer's name.
    pub tokenizer: String,
    /// Tokens that the log does not hold, or `auto`.
    pub overhead: String,
    /// The model's window, tokens, where the log does not say; for `%` budgets.
    pub window: Option<u64>,
    /// Options of the policy that are not at their default.
    pub options: BTreeMap<String, String>,
    /// The last record of the branch; `None` is the current branch.
    pub branch: Option<String>,
    /// Whose marks give the episodes: `declared` (the agent's own), `inferred`, the name or the file of marks that were
    /// written afterwards, or `auto`: declared where there are any, else inferred.
    pub annotation: String,
    /// Pins, which must survive: a text, `/an expression/`, or `block:ENTRY:INDEX`, which no policy may take.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub pins: Vec<String>,
    /// Probes, which must be answerable: a text or `/an expression/`, from a turn on where it begins with `TURN:`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub probes: Vec<String>,
}

impl ViewDto {
    /// Returns the default view, counted in another unit.
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

impl Default for ViewDto {
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

/// Asks something of a session under a view.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ViewRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
}

/// A position in time: before the request of a turn, with that many of its steps taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CutDto {
    /// The turn, from 1; `None` is `now`.
    pub turn: Option<u32>,
    /// How many steps are taken; `None` is all.
    pub step: Option<u32>,
}

/// The history that a replay runs over: all that does not depend on the budget. Series have one value per turn.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct HistoryDto {
    /// The unit of all counts: the provider's tokens with their factor, or a tokenizer with its version.
    pub counted_by: String,
    /// The tokens that the log does not hold; in every total.
    #[ts(type = "ArrayLike<number>")]
    pub overhead: Vec<u64>,
    /// Where the overhead comes from.
    pub overhead_source: OverheadSourceDto,
    /// The total of the whole history without eviction.
    #[ts(type = "ArrayLike<number>")]
    pub full: Vec<u64>,
    /// The tokens that came in since the turn before, whatever was taken out, with what the overhead grew by.
    #[ts(type = "ArrayLike<number>")]
    pub came_in: Vec<u64>,
    /// The prompt size that the provider reported, per turn; `null` where there is none.
    pub reported: Vec<Option<u64>>,
    /// How reported sizes follow counted ones; `null` where too little is reported.
    pub drift: Option<DriftDto>,
    /// The turns between two changes of the history, in order, each with what its requests hold beyond the log.
    pub stretches: Vec<StretchDto>,
    /// The size of all reasoning that the log hides and that is sent back, derived from reported outputs, tokens: in
    /// every total as long as it is sent back.
    pub hidden_reasoning: u64,
    /// For how long the reasoning that the log hides is sent back, model by model.
    pub carried: Vec<CarriedReasoningDto>,
    /// Turns before which the harness itself took content out.
    pub compactions: Vec<u32>,
    /// Turns before which the harness cleared or masked old outputs, without a summary.
    pub clearings: Vec<u32>,
    /// Where fewer tokens were sent than the log accounts for, though it tells of nothing that was taken out.
    pub losses: Vec<LossDto>,
    /// Turns whose requests grew by more tokens than came in, without a word in the log.
    pub gains: Vec<GainDto>,
    /// Says that the harness may have pruned outputs of tools before it sent them, where it documents that and its log holds
    /// no word of the prunes; else null.
    pub may_be_pruned: Option<String>,
    /// The requests that read less from the prompt cache than they should have, as the provider reported it.
    pub misses: Vec<MissDto>,
}

/// The reasoning of one model that the log hides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CarriedReasoningDto {
    /// The model as the log names it.
    pub model: Option<String>,
    /// For how long it is sent back.
    pub carried: CarriedDto,
    /// How many replies have some.
    pub n_replies: u32,
    /// Its size, derived from reported outputs, tokens; in no total where it is `never` or `unknown`.
    #[ts(type = "number")]
    pub tokens: u64,
    /// Where it is known from; empty where it is not.
    pub source: String,
    /// All of that as a sentence.
    pub says: String,
}

/// The effect of a policy and a budget over all turns. Series have one value per turn.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReplayDto {
    /// The policy.
    pub policy: String,
    /// The token budget τ, resolved to tokens.
    pub budget: u64,
    /// The total before the pass.
    #[ts(type = "ArrayLike<number>")]
    pub before: Vec<u64>,
    /// The total of the request.
    #[ts(type = "ArrayLike<number>")]
    pub after: Vec<u64>,
    /// Turns whose budget cannot be met.
    #[ts(type = "ArrayLike<number>")]
    pub over_budget: Vec<u32>,
    /// How many steps the turn takes.
    #[ts(type = "ArrayLike<number>")]
    pub n_steps: Vec<u32>,
    /// The bands that each request is made of.
    pub bands: Vec<BandDto>,
    /// How many steps in all.
    pub n_steps_in_all: u32,
}

/// A line through counted and reported prompt sizes: reported ≈ `base` + `factor` × counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct DriftDto {
    /// Reported tokens for each counted one.
    pub factor: f64,
    /// Tokens that the log does not hold, by the provider's measure; may be below 0.
    pub base: f64,
    /// How many turns it is fitted to.
    pub n_turns: u32,
    /// How far the size of the median request is off, as a share of the reported one.
    pub residual: f64,
    /// The same as a sentence.
    pub says: String,
}

/// Turns between two changes of the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct StretchDto {
    /// Its first turn.
    pub from: u32,
    /// Its last turn.
    pub to: u32,
    /// The tokens of each of its requests that the log does not hold.
    pub tokens: u64,
    /// Their kind.
    pub unlogged: UnloggedDto,
    /// Reported tokens for each counted one.
    pub factor: f64,
    /// How many of its turns have a report.
    pub n_turns: u32,
    /// How far the size of the median request is off, as a share of the reported one.
    pub residual: f64,
    /// A sentence that says how much its requests hold beyond the log, and why.
    pub says: String,
}

/// Turns whose requests are smaller than the log accounts for, though it tells of nothing that was taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LossDto {
    /// The first turn that shows it.
    pub from: u32,
    /// The last turn before the history changes, or the size is as large as it should be again.
    pub to: u32,
    /// How many tokens fewer were sent, at the least.
    pub tokens: u64,
    /// The part of the request that went.
    pub of: LossOfDto,
    /// The turn whose sizes are the evidence.
    pub turn: u32,
    /// The size that the provider reported for it.
    pub reported: u64,
    /// The size that was reported for the request before, where the report fell; `null` where the counted size tells it.
    pub before: Option<u64>,
    /// Its counted size, without what the log does not hold.
    pub counted: u64,
    /// The same as a sentence without its end.
    pub says: String,
}

/// A request that is larger than the one before by more than came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct GainDto {
    /// The turn.
    pub turn: u32,
    /// How many tokens more were sent, at the least.
    #[ts(type = "number")]
    pub tokens: u64,
    /// The size that the provider reported.
    #[ts(type = "number")]
    pub reported: u64,
    /// The size that was reported for the request before.
    #[ts(type = "number")]
    pub before: u64,
    /// The likely cause, as far as the log shows one.
    pub cause: GainCauseDto,
    /// The same as a sentence without its end.
    pub says: String,
}

/// One band of the timeline: tokens per turn.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BandDto {
    /// Its name; the bands come bottom first.
    pub band: BandNameDto,
    /// Tokens.
    #[ts(type = "ArrayLike<number>")]
    pub tokens: Vec<u64>,
}

/// Asks for the steps of one turn.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct StepsRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The turn, from 1; `None` is `now`.
    pub turn: Option<u32>,
}

/// The steps of one turn.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct StepsDto {
    /// The turn.
    pub turn: u32,
    /// The reply's record, `null` for `now`.
    pub message: Option<String>,
    /// The total before the pass.
    pub before: u64,
    /// The total of the request.
    pub after: u64,
    /// True when the budget could not be met.
    pub over_budget: bool,
    /// The steps in order.
    pub steps: Vec<StepDto>,
    /// The nearest turn before this one that has steps.
    pub previous_with_steps: Option<u32>,
    /// The nearest turn after this one that has steps.
    pub next_with_steps: Option<u32>,
}

/// One step.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct StepDto {
    /// The episode that it is about, by its place in the graph; `null` where it is about something else.
    pub episode: Option<u32>,
    /// Its subject: an episode's name, a turn, an output.
    pub name: String,
    /// Its action.
    pub level: ActionDto,
    /// The level at which the episode is after it, 1 to 4; 0 where it is not about an episode.
    pub level_number: u8,
    /// The total before the step.
    pub before: u64,
    /// The total after the step.
    pub after: u64,
    /// How many blocks it takes.
    pub n_blocks: u32,
    /// The line in the log of the first block that it takes; `null` where it takes none.
    pub line: Option<u64>,
    /// The effect of the step and its reason, as a sentence.
    pub sentence: String,
}

/// One turn as it is followed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TurnDto {
    /// The number of the session.
    pub session: u32,
    /// Its log.
    pub path: String,
    /// The turn, from 1.
    pub turn: u32,
    /// The size of the request before the policy took anything, tokens.
    pub before: u64,
    /// The size of the request, tokens.
    pub after: u64,
    /// True where the budget cannot be met.
    pub over_budget: bool,
    /// The kind of the episode that is open; `null` where none is.
    pub kind: Option<EpisodeKindDto>,
    /// The name of the episode that is open.
    pub episode: Option<String>,
    /// The steps that the policy took before it.
    pub steps: Vec<StepDto>,
}
