//! One episode at a cut: its state with the reason, its dependencies and dependents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CutDto, EpisodeKindDto, LevelDto, LifeDto, ProblemDto, ViewDto};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeRequest {
    pub view: ViewDto,
    pub cut: CutDto,
    pub episode: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeDetailDto {
    pub episode: u32,
    pub name: String,
    pub kind: EpisodeKindDto,
    /// The first turn whose request contains one of the episode's blocks.
    pub first_turn: u32,
    pub problems: Vec<ProblemDto>,
    #[serde(flatten)]
    pub always: EpisodeAlwaysDto,
    #[serde(flatten)]
    pub at_cut: EpisodeAtCutDto,
    /// Episodes only this one blocks, which could be evicted after it.
    pub frees: Vec<u32>,
    /// Steps on the episode up to the cut: turn, step (from 1), sentence, request tokens before the step.
    pub history: Vec<(u32, u32, String, u64)>,
}

/// An episode's properties at any cut. Episodes are indices into [`GraphDto::episodes`](super::GraphDto::episodes).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeAlwaysDto {
    /// The agent's own words on what it learned.
    pub description: Option<String>,
    pub needs: Vec<NeedDto>,
    pub feeds: Vec<u32>,
    /// Acts that an unannotated stretch implicitly waits for.
    pub n_implicit: u32,
    /// Transitive dependencies, declared or implicit.
    pub ancestors: Vec<u32>,
    /// The longest dependency chain, ending with this episode.
    pub longest_chain: Vec<u32>,
    pub closed_turn: Option<u32>,
    pub blocks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeAtCutDto {
    pub life: LifeDto,
    pub level: u8,
    pub level_name: LevelDto,
    pub why: String,
    pub tokens: u64,
    pub kept_tokens: u64,
    pub by_kind: Vec<(String, u64, u64)>,
    pub blocked_by: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NeedDto {
    pub declared: String,
    /// The exploration's index in the graph; `null` if the edge was dropped.
    pub episode: Option<u32>,
}
