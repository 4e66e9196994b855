//! Frames: everything that the page draws at one cut, in one answer.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CutDto, GraphDto, HistoryDto, ReplayDto, StepsDto, ViewDto};

/// How much the page already holds of the frame that it asks for. Each word includes those before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[ts(export)]
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
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
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
}

/// A frame: the graph, what a policy does to it over all turns, and the state at one cut. Series are columns of bytes.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
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
