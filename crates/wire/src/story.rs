//! Reacquisition stories: content the agent reacquired after a policy evicted it, with cause and advice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    BlameClassDto, EditDto, EpisodesFromDto, MarksEffectKindDto, NameKindDto, PriceDto,
    ReacquisitionCauseDto, ViewDto,
};

/// Maximum length for [`ReacquisitionStoriesDto::stories`].
pub const STORIES_LISTED: usize = 1000;

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReacquisitionStoriesDto {
    pub revision: u32,
    pub from: EpisodesFromDto,
    pub counted_by: String,
    pub n_stories: u32,
    pub tokens: u64,
    /// The price to write `tokens` into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
    pub causes: Vec<CauseSumDto>,
    /// Who is to blame: marks that can be mended first, then marks that cannot, then what no mark is to blame for, then
    /// changed content; in each class, the most tokens first. At most [`STORIES_LISTED`].
    pub blame: Vec<BlameDto>,
    /// In the order of classes of `blame`, the most expensive first. At most [`STORIES_LISTED`].
    pub stories: Vec<ReacquisitionStoryDto>,
    pub price: PriceDto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CauseSumDto {
    pub cause: ReacquisitionCauseDto,
    pub n_stories: u32,
    pub tokens: u64,
}

/// Everything reacquired for one cause, with one episode to blame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct BlameDto {
    pub class: BlameClassDto,
    pub cause: ReacquisitionCauseDto,
    /// The episode whose mark is to blame; if no mark is, the episode that the cause speaks of. `null` before the first
    /// episode.
    pub episode: Option<u32>,
    pub episode_name: Option<String>,
    /// One sentence, without full stop.
    pub says: String,
    pub n_stories: u32,
    pub tokens: u64,
    /// The price to write `tokens` into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
    /// Changes to the marks that together mend it; empty unless `class` is `mendable`.
    pub edits: Vec<EditDto>,
    /// `edits` in words; if `class` is `reader`, advice in words. `null` for other classes.
    pub fix: Option<String>,
    /// The largest acquisition: where the content came first, and where it came again.
    pub first: StoryPlaceDto,
    pub again: StoryPlaceDto,
}

/// Asks what a change of marks does to a view.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksEffectRequest {
    /// The view with the marks after the change.
    pub view: ViewDto,
    /// The annotation before the change, as in [`ViewDto::annotation`].
    pub before: String,
}

/// The effect of a change of marks over the whole session, memory and cost apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksEffectDto {
    pub revision: u32,
    pub kind: MarksEffectKindDto,
    /// The kind in words, as a sentence.
    pub says: String,
    /// Tokens read again and recall, before and now, as a sentence.
    pub memory_says: String,
    pub cost_says: String,
    /// Content no longer read again, the largest first.
    pub spared: Vec<ReacquiredDto>,
    /// Content read again only after the change.
    pub added: Vec<ReacquiredDto>,
    pub again_tokens_before: u64,
    pub again_tokens: u64,
    /// Recall of references, per mille.
    pub recall_before: u32,
    pub recall: u32,
    /// Millionths of a dollar; `null` if the model has no price.
    pub cost_before: Option<u64>,
    pub cost: Option<u64>,
}

/// Content that came again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReacquiredDto {
    pub name: String,
    pub turn: u32,
    pub tokens: u64,
    pub block: String,
}

/// Content the agent reacquired after the policy evicted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReacquisitionStoryDto {
    pub kind: NameKindDto,
    pub name: String,
    pub others: Vec<String>,
    pub tokens: u64,
    /// The price to write `tokens` into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
    /// Share of the new content that was present before, per mille by line length.
    pub same_per_mille: u32,
    pub cause: ReacquisitionCauseDto,
    pub says: String,
    pub evidence: Vec<String>,
    pub advice: String,
    /// Changes to the marks that together would have prevented the reacquisition.
    pub edits: Vec<EditDto>,
    /// A budget, in tokens, at which the content would not have been evicted. `null` if none of a few larger budgets
    /// suffices, or if the content had changed.
    pub larger_budget: Option<u64>,
    pub blocks: Vec<String>,
    pub episodes: Vec<u32>,
    pub first: StoryPlaceDto,
    /// The eviction: the first request without the content, and its step.
    pub gone: StoryPlaceDto,
    pub gone_says: String,
    /// The description left by `gone`.
    pub left: Option<String>,
    pub again: StoryPlaceDto,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct StoryPlaceDto {
    /// For `first` and `again`, the turn whose reply acquired the content. For `gone`, the first turn without it.
    pub turn: u32,
    /// The evicting step, from 1; `null` without an eviction, or if no step of the turn evicted the content.
    pub step: Option<u32>,
    /// The first turn whose block list shows `block`.
    pub shown_turn: u32,
    pub block: String,
    pub line: u64,
    /// The episode's index in the graph; `null` in the prologue.
    pub episode: Option<u32>,
    pub episode_name: Option<String>,
    pub tool: Option<String>,
    pub tokens: u64,
}
