//! One episode at a cut: its state with the reason, its dependencies and dependents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CutDto, EpisodeKindDto, LevelDto, LifeDto, ProblemDto, ViewDto};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeRequest {
    pub session: u32,
    pub view: ViewDto,
    pub cut: CutDto,
    /// The episode's index in the graph.
    pub episode: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeDetailDto {
    /// The episode's index in the graph.
    pub episode: u32,
    pub name: String,
    pub kind: EpisodeKindDto,
    /// The first turn whose request contains a block of the episode.
    pub first_turn: u32,
    pub problems: Vec<ProblemDto>,
    #[serde(flatten)]
    pub always: EpisodeAlwaysDto,
    #[serde(flatten)]
    pub at_cut: EpisodeAtCutDto,
    /// Episodes blocked by this one only, which could be evicted if it went.
    pub frees: Vec<u32>,
    /// Steps on the episode up to the cut: turn, step (from 1), sentence, request tokens before the step.
    pub history: Vec<(u32, u32, String, u64)>,
}

/// Properties of an episode independent of the cut. Episodes are graph indices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeAlwaysDto {
    /// The agent's statement of what it learned.
    pub description: Option<String>,
    /// Declared dependencies.
    pub needs: Vec<NeedDto>,
    /// Acts that declare this episode.
    pub feeds: Vec<u32>,
    /// Acts that an unannotated stretch implicitly waits for.
    pub n_implicit: u32,
    /// Transitive dependencies, declared or implicit.
    pub ancestors: Vec<u32>,
    /// The longest dependency chain ending in this episode, which comes last.
    pub longest_chain: Vec<u32>,
    /// The turn before which the episode closed.
    pub closed_turn: Option<u32>,
    /// Block ids, `ENTRY:INDEX`, in log order.
    pub blocks: Vec<String>,
}

/// State of an episode at a cut.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeAtCutDto {
    pub life: LifeDto,
    /// The eviction level, 0 to 4.
    pub level: u8,
    pub level_name: LevelDto,
    /// Why the episode is present or evicted, as a sentence.
    pub why: String,
    /// Tokens of all blocks.
    pub tokens: u64,
    /// Tokens sent to the model, including the residue.
    pub kept_tokens: u64,
    /// Block kind, total tokens, kept tokens.
    pub by_kind: Vec<(String, u64, u64)>,
    /// Acts that prevent the eviction.
    pub blocked_by: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NeedDto {
    pub declared: String,
    /// The exploration's index in the graph; `null` if the edge was dropped.
    pub episode: Option<u32>,
}
