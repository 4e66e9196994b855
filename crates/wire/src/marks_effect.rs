//! The effect of a change of marks.

use cwl_inspect::api::{MarksEffectKind, ViewSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksEffectRequest {
    pub view: ViewSettings,
    /// The annotation before the change, as in [`ViewSettings::annotation`].
    pub before: String,
}

/// The effect of a change of marks over the whole session, memory and cost apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksEffectAnswer {
    pub revision: u32,
    pub kind: MarksEffectKind,
    pub says: String,
    /// Tokens read again and recall, before and now, as a sentence.
    pub memory_says: String,
    pub cost_says: String,
    /// Content no longer read again, the largest first.
    pub spared: Vec<ReacquiredContent>,
    /// Content read again only after the change.
    pub added: Vec<ReacquiredContent>,
    pub again_tokens_before: u64,
    pub again_tokens: u64,
    /// Recall of references, per mille.
    pub recall_before: u32,
    pub recall: u32,
    /// Millionths of a dollar; `null` if the model has no price.
    pub cost_before: Option<u64>,
    pub cost: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReacquiredContent {
    pub name: String,
    pub turn: u32,
    pub tokens: u64,
    pub block: String,
}
