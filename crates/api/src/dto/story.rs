//! Stories of regrets: what the agent got again after a policy had evicted it, why, and what would have helped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{EditDto, EpisodesFromDto, NameKindDto, PriceDto, RegretCauseDto};

/// The most stories that are listed.
pub const STORIES_LISTED: usize = 1000;

/// Everything that the agent got again after the policy had evicted it.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct RegretStoriesDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// Where the episodes come from.
    pub from: EpisodesFromDto,
    /// The unit of all counts: the provider's tokens with their factor, or a tokenizer with its version.
    pub counted_by: String,
    /// How many stories there are in all.
    pub n_stories: u32,
    /// The size of all that came back, tokens.
    pub tokens: u64,
    /// The price of writing it into the prompt once, millionths of a dollar; `null` where the model's price is not known.
    pub cost: Option<u64>,
    /// The stories by their causes, the dearest cause first.
    pub causes: Vec<CauseSumDto>,
    /// The stories, the dearest first, and those of what had changed meanwhile behind all others; the first 1,000.
    pub stories: Vec<RegretStoryDto>,
    /// The prices that were used.
    pub price: PriceDto,
}

/// The stories of one cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CauseSumDto {
    /// The cause.
    pub cause: RegretCauseDto,
    /// How many stories have it.
    pub n_stories: u32,
    /// The size of what came back, tokens.
    pub tokens: u64,
}

/// One thing that the agent got again after the policy had evicted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RegretStoryDto {
    /// The kind of what was got again.
    pub kind: NameKindDto,
    /// The path or the command that was got again, on one line.
    pub name: String,
    /// Other names of it that were missed.
    pub others: Vec<String>,
    /// The size of what came back, tokens.
    pub tokens: u64,
    /// The price of writing it into the prompt once, millionths of a dollar; `null` where the model's price is not known.
    pub cost: Option<u64>,
    /// How much of what came back was there before, per mille of its lines by their length.
    pub same_per_mille: u32,
    /// The likely cause.
    pub cause: RegretCauseDto,
    /// The cause as a sentence.
    pub says: String,
    /// The evidence for it, as sentences.
    pub evidence: Vec<String>,
    /// The help that there would have been, as a sentence.
    pub advice: String,
    /// The changes of marks that together would have prevented it; none where no change of marks would.
    pub edits: Vec<EditDto>,
    /// A larger budget at which it would still have been there, tokens; `null` where none of a few was large enough, and
    /// where it had changed.
    pub larger_budget: Option<u64>,
    /// All blocks that were missed, in log order.
    pub blocks: Vec<String>,
    /// The episodes of these blocks, by their places in the graph.
    pub episodes: Vec<u32>,
    /// Where the agent got it first.
    pub first: StoryPlaceDto,
    /// Where it went: the first request without it, and the step that took it.
    pub gone: StoryPlaceDto,
    /// The step that took it, as a sentence.
    pub gone_says: String,
    /// The text that stayed in its place, if any: what the exploration's description says.
    pub left: Option<String>,
    /// Where the agent got it again.
    pub again: StoryPlaceDto,
}

/// One place of a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct StoryPlaceDto {
    /// The turn: that whose reply got it, or that before whose request it went.
    pub turn: u32,
    /// The step that took it, from 1; `null` where no step of the turn did, and where nothing was taken.
    pub step: Option<u32>,
    /// The first turn whose list of blocks shows it.
    pub shown_turn: u32,
    /// The block, `ENTRY:INDEX`.
    pub block: String,
    /// The line of its record, from 1.
    pub line: u64,
    /// The episode, by its place in the graph; `null` before the first episode.
    pub episode: Option<u32>,
    /// The episode's name.
    pub episode_name: Option<String>,
    /// The tool that gave it.
    pub tool: Option<String>,
    /// Its size, tokens.
    pub tokens: u64,
}
