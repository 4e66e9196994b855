//! The episode graph, and frames with everything drawn at one cut.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    AnnotationSourceDto, BandsByDto, CutDto, EpisodeKindDto, EpisodesFromDto, HistoryDto, ReplayDto,
    StepsDto, ViewDto,
};

/// The episode graph of a session. Independent of the budget.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct GraphDto {
    pub revision: u32,
    pub from: EpisodesFromDto,
    /// Including `now`.
    pub n_turns: u32,
    /// Episodes in start order. Other answers refer to an episode by its index here.
    pub episodes: Vec<EpisodeDto>,
    /// Declared edges as index pairs (exploration, act).
    pub edges: Vec<(u32, u32)>,
    /// Implicit edges as index triples: an unannotated stretch, and the first and last act waiting for it. Every act in
    /// between waits, too.
    pub implicit: Vec<(u32, u32, u32)>,
    pub human_turns: Vec<HumanTurnDto>,
    /// The first turn whose request contains an episode. Earlier content is the prologue.
    pub prologue_ends: Option<u32>,
}

/// An episode as drawn in the lanes.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeDto {
    /// A unique name: `map-ingest`, `map-ingest#2`, `~1`.
    pub name: String,
    pub kind: EpisodeKindDto,
    /// True while the episode is active.
    pub open: bool,
    /// The first turn whose request contains a block of the episode.
    pub first_turn: u32,
    /// The turn before which the episode closed, or `now`.
    pub last_turn: u32,
    /// Tokens of all blocks.
    pub tokens: u64,
    /// Tokens left at levels 0 to 4, including the residue.
    pub kept_at: [u64; 5],
    /// Indices into [`SessionDto::problems`](super::SessionDto::problems).
    pub problems: Vec<u32>,
    /// The log line of the first block, from 1. For a marked episode, its start call.
    pub line: u64,
    /// The log line of the last block.
    pub last_line: u64,
    pub source: AnnotationSourceDto,
    /// Certainty of an inferred start, 0 to 1.
    pub confidence: Option<f64>,
    /// The reason for an inferred start, as a sentence.
    pub evidence: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct HumanTurnDto {
    /// The first turn whose request contains the message.
    pub turn: u32,
    pub entry: String,
    /// The first words.
    pub text: String,
}

/// Parts of a frame the page already has. Each value includes the previous ones.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum HeldDto {
    /// Nothing, because the session, its revision or its view changed.
    #[default]
    Nothing,
    /// The graph and the history, because only the budget changed.
    Graph,
    /// Also the replay, because only the cut changed.
    Replay,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrameRequest {
    pub session: u32,
    pub view: ViewDto,
    #[serde(default)]
    pub cut: CutDto,
    #[serde(default)]
    pub held: HeldDto,
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub bands: BandsByDto,
}

/// A frame: the graph, a replay over all turns, and the state at one cut.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrameDto {
    pub revision: u32,
    /// `null` if [`HeldDto`] includes it.
    pub graph: Option<GraphDto>,
    /// `null` if [`HeldDto`] includes it.
    pub history: Option<HistoryDto>,
    /// `null` if [`HeldDto`] includes it.
    pub replay: Option<ReplayDto>,
    /// Each episode's level at the cut, in graph order.
    #[ts(type = "ArrayLike<number>")]
    pub levels: Vec<u8>,
    /// Each episode's tokens not evicted by policy or harness at the cut, in graph order. Includes stand-ins and
    /// content that arrives later.
    #[ts(type = "ArrayLike<number>")]
    pub left: Vec<u32>,
    /// Steps of the cut's turn.
    pub steps: StepsDto,
}
