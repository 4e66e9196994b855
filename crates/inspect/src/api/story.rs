//! Reacquisition stories: content the agent reacquired after a policy evicted it, with cause and advice.

use cwl_engine::{BlameClass, NameKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AnnotationOrigin, MarkEdit, PriceInForce, ReacquisitionCauseName};

pub const STORIES_LISTED: usize = 1000;

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReacquisitionStoriesAnswer {
    pub revision: u32,
    pub from: AnnotationOrigin,
    pub counted_by: String,
    pub n_stories: u32,
    pub tokens: u64,
    /// The price to write `tokens` into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
    pub causes: Vec<CauseSum>,
    /// Who is to blame: marks that can be mended first, then marks that cannot, then what no mark is to blame for, then
    /// changed content; in each class, the most tokens first. At most [`STORIES_LISTED`].
    pub blame: Vec<BlameEntry>,
    /// In the order of classes of `blame`, the most expensive first. At most [`STORIES_LISTED`].
    pub stories: Vec<ReacquisitionStoryRow>,
    pub price: PriceInForce,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CauseSum {
    pub cause: ReacquisitionCauseName,
    pub n_stories: u32,
    pub tokens: u64,
}

/// Everything reacquired for one cause, with one episode to blame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct BlameEntry {
    pub class: BlameClass,
    pub cause: ReacquisitionCauseName,
    /// The episode whose mark is to blame; if no mark is, the episode that the cause speaks of. `null` before the first
    /// episode.
    pub episode: Option<u32>,
    pub episode_name: Option<String>,
    pub says: String,
    pub n_stories: u32,
    pub tokens: u64,
    /// The price to write `tokens` into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
    /// Changes to the marks that together mend it; empty unless `class` is `mendable`.
    pub edits: Vec<MarkEdit>,
    /// `edits` in words; if `class` is `reader`, advice in words. `null` for other classes.
    pub fix: Option<String>,
    /// The largest acquisition: where the content came first, and where it came again.
    pub first: StoryPlace,
    pub again: StoryPlace,
}

/// Content the agent reacquired after the policy evicted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReacquisitionStoryRow {
    pub kind: NameKind,
    pub name: String,
    pub others: Vec<String>,
    pub tokens: u64,
    /// The price to write `tokens` into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
    /// Share of the new content that was present before, per mille by line length.
    pub same_per_mille: u32,
    pub cause: ReacquisitionCauseName,
    pub says: String,
    pub evidence: Vec<String>,
    pub advice: String,
    /// Changes to the marks that together would have prevented the reacquisition.
    pub edits: Vec<MarkEdit>,
    /// A budget, in tokens, at which the content would not have been evicted. `null` if none of a few larger budgets
    /// suffices, or if the content had changed.
    pub larger_budget: Option<u64>,
    pub blocks: Vec<String>,
    pub episodes: Vec<u32>,
    pub first: StoryPlace,
    pub gone: StoryPlace,
    pub gone_says: String,
    /// The description left by `gone`.
    pub left: Option<String>,
    pub again: StoryPlace,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct StoryPlace {
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
