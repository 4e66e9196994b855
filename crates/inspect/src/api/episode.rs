//! One episode at a cut: its state with the reason, its dependencies and dependents.

use cwl_engine::EpisodeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{EpisodeLife, LevelName, ProblemRow, ViewCut, ViewSettings};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeRequest {
    pub view: ViewSettings,
    pub cut: ViewCut,
    pub episode: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeAnswer {
    pub episode: u32,
    pub name: String,
    pub kind: EpisodeKind,
    /// The first turn whose request contains one of the episode's blocks.
    pub first_turn: u32,
    pub problems: Vec<ProblemRow>,
    #[serde(flatten)]
    pub always: EpisodeAtAnyCut,
    #[serde(flatten)]
    pub at_cut: EpisodeAtCut,
    /// Episodes only this one blocks, which could be evicted after it.
    pub frees: Vec<u32>,
    /// Steps on the episode up to the cut: turn, step (from 1), sentence, request tokens before the step.
    pub history: Vec<(u32, u32, String, u64)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeAtAnyCut {
    /// The agent's own words on what it learned.
    pub description: Option<String>,
    pub needs: Vec<DeclaredNeed>,
    pub feeds: Vec<u32>,
    /// Acts that an unannotated stretch implicitly waits for.
    pub n_implicit: u32,
    /// Transitive dependencies, declared or implicit.
    pub ancestors: Vec<u32>,
    pub longest_chain: Vec<u32>,
    pub closed_turn: Option<u32>,
    pub blocks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeAtCut {
    pub life: EpisodeLife,
    pub level: u8,
    pub level_name: LevelName,
    pub why: String,
    pub tokens: u64,
    pub kept_tokens: u64,
    pub by_kind: Vec<(String, u64, u64)>,
    pub blocked_by: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct DeclaredNeed {
    pub declared: String,
    /// The exploration's index in the graph; `null` if the edge was dropped.
    pub episode: Option<u32>,
}
