//! The episode graph, and frames with everything drawn at one cut.

use cwl_engine::{AnnotationSource, BandsBy, EpisodeKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AnnotationOrigin, HistoryAnswer, ReplayAnswer, StepsAnswer, ViewCut, ViewSettings};

#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct GraphAnswer {
    pub revision: u32,
    pub from: AnnotationOrigin,
    pub n_turns: u32,
    /// Episodes in start order. Other answers refer to an episode by its index here.
    pub episodes: Vec<EpisodeNode>,
    /// Declared edges as `(exploration, act)` indices.
    pub edges: Vec<(u32, u32)>,
    /// Implicit edges as `(stretch, first act, last act)` indices: all acts from first to last wait for the unannotated
    /// stretch.
    pub implicit: Vec<(u32, u32, u32)>,
    pub human_turns: Vec<HumanTurnRow>,
    /// The first turn whose request contains an episode. Earlier content is the prologue.
    pub prologue_ends: Option<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeNode {
    /// A unique name: `map-ingest`, `map-ingest#2`, `~1`.
    pub name: String,
    pub kind: EpisodeKind,
    pub open: bool,
    pub first_turn: u32,
    /// The turn before which the episode closed, or `now`.
    pub last_turn: u32,
    pub tokens: u64,
    /// Tokens left at [`LevelName`](super::LevelName) 0 to 4, including the residue.
    pub kept_at: [u64; 5],
    pub problems: Vec<u32>,
    /// The first block's log line, from 1. For a marked episode, the line with its start call.
    pub line: u64,
    pub last_line: u64,
    pub source: AnnotationSource,
    pub confidence: Option<f64>,
    pub evidence: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct HumanTurnRow {
    pub turn: u32,
    pub entry: String,
    pub text: String,
}

/// Parts of a frame the page already has. Each value includes the previous ones.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum HeldFrameParts {
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
    pub view: ViewSettings,
    #[serde(default)]
    pub cut: ViewCut,
    #[serde(default)]
    pub held: HeldFrameParts,
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub bands: BandsBy,
    /// The number of a frame that the page holds: the answer then has only the differences. 0 asks for a whole frame with a number.
    #[serde(default)]
    #[ts(optional)]
    pub base: Option<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrameAnswer {
    pub revision: u32,
    pub graph: Option<GraphAnswer>,
    pub history: Option<HistoryAnswer>,
    pub replay: Option<ReplayAnswer>,
    /// Each episode's level at `cut`, in graph order.
    #[ts(type = "ArrayLike<number>")]
    pub levels: Vec<u8>,
    /// Each episode's tokens not evicted by policy or harness at the cut, in graph order. Includes stand-ins and
    /// content that arrives later.
    #[ts(type = "ArrayLike<number>")]
    pub left: Vec<u32>,
    pub steps: StepsAnswer,
}
