//! Regret stories: content the agent reacquired after a policy evicted it, with cause and advice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{EditDto, EpisodesFromDto, NameKindDto, PriceDto, RegretCauseDto};

/// Maximum length of [`RegretStoriesDto::stories`].
pub const STORIES_LISTED: usize = 1000;

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct RegretStoriesDto {
    pub revision: u32,
    pub from: EpisodesFromDto,
    /// The tokenizer, with its crate and version.
    pub counted_by: String,
    /// Number of stories, including unlisted ones.
    pub n_stories: u32,
    /// Tokens of all reacquired content.
    pub tokens: u64,
    /// The price of writing the content into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
    /// Most expensive cause first.
    pub causes: Vec<CauseSumDto>,
    /// Most expensive first, with changed content at the end. At most [`STORIES_LISTED`].
    pub stories: Vec<RegretStoryDto>,
    pub price: PriceDto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CauseSumDto {
    pub cause: RegretCauseDto,
    pub n_stories: u32,
    /// Tokens of the reacquired content.
    pub tokens: u64,
}

/// Content the agent reacquired after the policy evicted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RegretStoryDto {
    pub kind: NameKindDto,
    /// The path or command, on one line.
    pub name: String,
    /// Other names of the same content.
    pub others: Vec<String>,
    /// Tokens of the reacquired content.
    pub tokens: u64,
    /// The price of writing the content into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
    /// Share of the new content present before, per mille of its lines weighted by length.
    pub same_per_mille: u32,
    /// The likely cause.
    pub cause: RegretCauseDto,
    pub says: String,
    /// Evidence for the cause, as sentences.
    pub evidence: Vec<String>,
    /// How to avoid the regret, as a sentence.
    pub advice: String,
    /// Changes of marks that would have prevented the regret together; empty if none would.
    pub edits: Vec<EditDto>,
    /// A budget, in tokens, at which the content would not have been evicted. `null` if none of a few larger budgets
    /// suffices, or if the content had changed.
    pub larger_budget: Option<u64>,
    /// All missed blocks, in log order.
    pub blocks: Vec<String>,
    /// Graph indices of the blocks' episodes.
    pub episodes: Vec<u32>,
    /// The first acquisition.
    pub first: StoryPlaceDto,
    /// The eviction: the first request without the content, and its step.
    pub gone: StoryPlaceDto,
    /// The evicting step, as a sentence.
    pub gone_says: String,
    /// The exploration's remaining description.
    pub left: Option<String>,
    /// The reacquisition.
    pub again: StoryPlaceDto,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct StoryPlaceDto {
    /// The turn whose reply acquired the content, or the turn whose request first lacked it.
    pub turn: u32,
    /// The evicting step, from 1; `null` without an eviction, or if no step of the turn evicted the content.
    pub step: Option<u32>,
    /// The first turn whose block list shows the place.
    pub shown_turn: u32,
    /// A block id, `ENTRY:INDEX`.
    pub block: String,
    /// The log line of `block`, from 1.
    pub line: u64,
    /// The episode's index in the graph; `null` in the prologue.
    pub episode: Option<u32>,
    pub episode_name: Option<String>,
    pub tool: Option<String>,
    pub tokens: u64,
}
