//! The graph: episodes, edges and human turns, as the lanes draw them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::EpisodeKindDto;

/// The episode graph of a session. It does not depend on the budget.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct GraphDto {
    /// The revision of the session that it is of.
    pub revision: u32,
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
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
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
    #[ts(type = "number")]
    pub tokens: u64,
    /// Tokens that are left of it at levels 0 to 4 (residue included).
    #[ts(type = "[number, number, number, number, number]")]
    pub kept_at: [u64; 5],
    /// For an unannotated stretch: acts that start later wait for nothing, but it waits for them.
    pub implicit: bool,
    /// Problems of its annotation, as places in the session's list.
    pub problems: Vec<u32>,
    /// The line of its start call, from 1.
    #[ts(type = "number")]
    pub line: u64,
}

/// A message that a human wrote.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct HumanTurnDto {
    /// The first turn whose request holds it.
    pub turn: u32,
    /// Its record.
    pub entry: String,
    /// Its first words.
    pub text: String,
}
