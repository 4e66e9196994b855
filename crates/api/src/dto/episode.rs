//! One episode at a cut: why it is there, why it is gone, what it needs and what it feeds.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CutDto, EpisodeKindDto, LifeDto, ProblemDto, ViewDto};

/// Asks for one episode at a cut.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
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
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct EpisodeDetailDto {
    /// Its place in the graph.
    pub episode: u32,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: EpisodeKindDto,
    /// Where it is in its life at the cut.
    pub life: LifeDto,
    /// Its level at the cut, 0 to 4.
    pub level: u8,
    /// `intact`, `reasoning stripped`, `bulk stripped`, `intermediate stripped`, `removed`.
    pub level_name: String,
    /// Why it is there or why it is gone, as a sentence.
    pub why: String,
    /// The description in which the agent says what it learned.
    pub description: Option<String>,
    /// Its size with everything in it, tokens.
    #[ts(type = "number")]
    pub tokens: u64,
    /// Tokens of it that the model receives (residue included).
    #[ts(type = "number")]
    pub kept_tokens: u64,
    /// Its parts: kind, tokens in all, tokens kept.
    #[ts(type = "[string, number, number][]")]
    pub by_kind: Vec<(String, u64, u64)>,
    /// The dependencies that it declares.
    pub needs: Vec<NeedDto>,
    /// Acts that declare it.
    pub feeds: Vec<u32>,
    /// How many acts it waits for without their saying so (unannotated stretches).
    pub n_implicit: u32,
    /// Acts that keep it from going at the cut.
    pub blocked_by: Vec<u32>,
    /// Episodes that could go at the cut if it went; none in an exported page.
    pub frees: Vec<u32>,
    /// Everything that it draws on, declared or not, directly or through others; none in an exported page.
    pub ancestors: Vec<u32>,
    /// The longest chain of dependencies that ends in it, itself last; none in an exported page.
    pub longest_chain: Vec<u32>,
    /// The first turn whose request holds a block of it.
    pub first_turn: u32,
    /// The turn before which it closed.
    pub closed_turn: Option<u32>,
    /// The steps that touched it up to the cut: turn, step (from 1), sentence.
    pub history: Vec<(u32, u32, String)>,
    /// Its blocks, `ENTRY:INDEX`, in log order.
    pub blocks: Vec<String>,
    /// Problems of its annotation.
    pub problems: Vec<ProblemDto>,
}

/// A declared dependency.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct NeedDto {
    /// The name as declared.
    pub declared: String,
    /// The exploration, where the edge is kept.
    pub episode: Option<u32>,
}
