//! Regret: what was read again after a policy had evicted it, by episode.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The episodes of which something was read again after the policy had evicted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RegretsDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// In start order.
    pub regrets: Vec<RegretDto>,
}

/// The blocks of one episode that were read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RegretDto {
    /// The episode, by its place in the graph.
    pub episode: u32,
    /// How many of its blocks.
    pub n_blocks: u32,
    /// The first turn at which one of them was gone.
    pub gone_turn: u32,
    /// The first turn whose reply got one of them again.
    pub again_turn: u32,
}
