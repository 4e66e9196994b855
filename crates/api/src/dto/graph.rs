//! The graph as the lanes draw it, and frames: everything that the page draws at one cut, in one answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    AnnotationSourceDto, BandsByDto, CutDto, EpisodeKindDto, EpisodesFromDto, HistoryDto, ReplayDto,
    StepsDto, ViewDto,
};

/// The episode graph of a session. It does not depend on the budget.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct GraphDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// Where its episodes come from.
    pub from: EpisodesFromDto,
    /// All turns, `now` included.
    pub n_turns: u32,
    /// Episodes in start order; an episode's place is its number everywhere.
    pub episodes: Vec<EpisodeDto>,
    /// Explicit edges (exploration, act), by place.
    pub edges: Vec<(u32, u32)>,
    /// Edges that no act declares: an unannotated stretch, and the places of the first and the last act that wait for it.
    /// Every act between the two waits for it too.
    pub implicit: Vec<(u32, u32, u32)>,
    /// The human's messages, in order.
    pub human_turns: Vec<HumanTurnDto>,
    /// The first turn whose request holds an episode; everything before it is prologue.
    pub prologue_ends: Option<u32>,
}

/// One episode as the lanes draw it.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodeDto {
    /// `map-ingest`, `map-ingest#2`, `~1`.
    pub name: String,
    /// Its kind.
    pub kind: EpisodeKindDto,
    /// True while it is active.
    pub open: bool,
    /// The first turn whose request holds a block of it.
    pub first_turn: u32,
    /// The last turn in which the agent worked on it: the turn before which it closed, or `now`.
    pub last_turn: u32,
    /// Its size with everything in it, tokens.
    pub tokens: u64,
    /// Tokens that are left of it at levels 0 to 4 (residue included).
    pub kept_at: [u64; 5],
    /// Problems of its annotation, as places in the session's list.
    pub problems: Vec<u32>,
    /// The line of its first block, from 1: of its start call, where the agent marked it.
    pub line: u64,
    /// The line of its last block.
    pub last_line: u64,
    /// Where it comes from.
    pub source: AnnotationSourceDto,
    /// How sure it is that it begins there, from 0 to 1; `null` where it was not inferred.
    pub confidence: Option<f64>,
    /// Why it begins there, as a sentence; `null` where it was not inferred.
    pub evidence: Option<String>,
}

/// A message that a human wrote.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct HumanTurnDto {
    /// The first turn whose request holds it.
    pub turn: u32,
    /// Its record.
    pub entry: String,
    /// Its first words.
    pub text: String,
}

/// How much the page already holds of the frame that it asks for. Each word includes those before it.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum HeldDto {
    /// Nothing: the session, its revision or its view is another one.
    #[default]
    Nothing,
    /// The graph and the history: only the budget is another one.
    Graph,
    /// The replay too: only the cut is another one.
    Replay,
}

/// Asks for a frame.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrameRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    #[serde(default)]
    pub cut: CutDto,
    /// The parts that need not be sent again.
    #[serde(default)]
    pub held: HeldDto,
    /// How the requests are divided into bands.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub bands: BandsByDto,
}

/// A frame: the graph, what a policy does to it over all turns, and the state at one cut. Series are columns of bytes.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FrameDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The graph; `null` where the page holds it.
    pub graph: Option<GraphDto>,
    /// The history; `null` where the page holds it.
    pub history: Option<HistoryDto>,
    /// The replay; `null` where the page holds it.
    pub replay: Option<ReplayDto>,
    /// Each episode's level at the cut, in graph order.
    #[ts(type = "ArrayLike<number>")]
    pub levels: Vec<u8>,
    /// How much of each episode no policy and no harness has taken at the cut, tokens, in graph order. What stands for
    /// it is counted, and what has not come in yet is not missing.
    #[ts(type = "ArrayLike<number>")]
    pub left: Vec<u32>,
    /// The steps of the turn of the cut.
    pub steps: StepsDto,
}
