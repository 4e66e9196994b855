//! One episode at a cut: why it is there, why it is gone, what it needs and what it feeds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CutDto, EpisodeKindDto, LevelDto, LifeDto, ProblemDto, ViewDto};

/// Asks for one episode at a cut.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The episode, by its place in the graph.
    pub episode: u32,
}

/// One episode at a cut.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeDetailDto {
    /// Its place in the graph.
    pub episode: u32,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: EpisodeKindDto,
    /// The first turn whose request holds a block of it.
    pub first_turn: u32,
    /// Problems of its annotation.
    pub problems: Vec<ProblemDto>,
    /// The facts that hold at any time.
    #[serde(flatten)]
    pub always: EpisodeAlwaysDto,
    /// The facts that hold at the cut.
    #[serde(flatten)]
    pub at_cut: EpisodeAtCutDto,
    /// Episodes that could go at the cut if it went: those that only it keeps from going.
    pub frees: Vec<u32>,
    /// The steps that touched it up to the cut: turn, step (from 1), sentence, and the size of the request before it, tokens.
    pub history: Vec<(u32, u32, String, u64)>,
}

/// The facts of an episode that hold at any time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeAlwaysDto {
    /// The description in which the agent says what it learned.
    pub description: Option<String>,
    /// The dependencies that it declares.
    pub needs: Vec<NeedDto>,
    /// Acts that declare it.
    pub feeds: Vec<u32>,
    /// How many acts it waits for without their saying so (unannotated stretches).
    pub n_implicit: u32,
    /// Everything that it draws on, declared or not, directly or through others.
    pub ancestors: Vec<u32>,
    /// The longest chain of dependencies that ends in it, itself last.
    pub longest_chain: Vec<u32>,
    /// The turn before which it closed.
    pub closed_turn: Option<u32>,
    /// Its blocks, `ENTRY:INDEX`, in log order.
    pub blocks: Vec<String>,
}

/// The facts of an episode that hold at a cut.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeAtCutDto {
    /// Where it is in its life.
    pub life: LifeDto,
    /// Its level, 0 to 4.
    pub level: u8,
    /// The level as people call it.
    pub level_name: LevelDto,
    /// Why it is there or why it is gone, as a sentence.
    pub why: String,
    /// Its size with everything in it, tokens.
    pub tokens: u64,
    /// Tokens of it that the model receives (residue included).
    pub kept_tokens: u64,
    /// Its parts: kind, tokens in all, tokens kept.
    pub by_kind: Vec<(String, u64, u64)>,
    /// Acts that keep it from going.
    pub blocked_by: Vec<u32>,
}

/// A declared dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NeedDto {
    /// The name as declared.
    pub declared: String,
    /// The exploration, where the edge is kept.
    pub episode: Option<u32>,
}
