//! Two policies over one session, turn by turn.

use cwl_engine::NameKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CacheRules, ViewSettings};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct DuelRequest {
    pub a: ViewSettings,
    /// Another policy over the same branch, with the same episodes and the same unit of tokens.
    pub b: ViewSettings,
    #[serde(default)]
    pub cache: CacheRules,
}

/// Two replays of one session. Vectors have one value per turn, `now` included.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct DuelAnswer {
    pub revision: u32,
    pub counted_by: String,
    /// Size of the content that came in before each turn's request, without the overhead.
    pub came_in: Vec<u64>,
    /// The episode with the largest part of that content; `null` outside of episodes.
    pub episodes: Vec<Option<u32>>,
    /// Each request with nothing evicted, the overhead included.
    pub full: Vec<u64>,
    /// False if no price is known for the model; costs are then 0.
    pub priced: bool,
    pub a: DuelSide,
    pub b: DuelSide,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct DuelSide {
    pub policy: String,
    pub budget: u64,
    /// Each request's size under the policy, the overhead included.
    pub sent: Vec<u64>,
    /// Cost of all requests up to this one, millionths of a dollar.
    pub cost_so_far: Vec<u64>,
    /// Tokens that the agent got again after this policy had evicted them, up to this request's reply.
    pub again_so_far: Vec<u64>,
    /// Changes `(turn, origin, tokens)` in turn order: from `turn` on, `tokens` are left of the content that came in
    /// before turn `origin`. Until its first change, that content is whole.
    pub changes: Vec<(u32, u32, u64)>,
    /// Content that the agent got again after this policy had evicted it, in turn order.
    pub needs: Vec<DuelNeed>,
    pub says: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct DuelNeed {
    pub turn: u32,
    /// The first request without the content.
    pub gone: u32,
    /// The turns before whose requests the evicted content came in.
    pub origins: Vec<u32>,
    pub kind: NameKind,
    /// The path, command or search that was repeated.
    pub name: String,
    pub episode: Option<u32>,
    pub tokens: u64,
}
