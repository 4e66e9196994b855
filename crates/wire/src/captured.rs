//! Captured request bodies compared with the reconstructed context.

use cwl_inspect::api::{ContextItemKind, Role, ViewSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedRequest {
    pub view: ViewSettings,
    /// `null` searches beside the log.
    pub folder: Option<String>,
    /// The turn to list differences for; `null` only counts.
    pub turn: Option<u32>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedAnswer {
    pub folder: Option<String>,
    /// This session's answered requests in the folder's index.
    pub n_requests: u32,
    /// Requests without a turn on this branch: titles, compactions, other branches.
    pub n_without_turn: u32,
    /// Other requests whose file is missing or no request.
    pub n_unreadable: u32,
    pub turns: Vec<CapturedTurn>,
    /// Agreement: equal tokens / all tokens in body and log, per mille; `null` without turns.
    pub per_mille: Option<u32>,
    pub says: String,
}

/// A captured turn. Sizes are tokens by [`ViewSettings::tokenizer`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedTurn {
    pub turn: u32,
    pub file: String,
    pub system: u64,
    pub tools: u64,
    pub n_tools: u32,
    /// Tokens in message blocks common to body and log, in the same order.
    pub same: u64,
    pub only_log: u64,
    pub only_body: u64,
    pub differences: Vec<CapturedBlock>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedBlock {
    /// The block in the log; `null` if only the body has it.
    pub block: Option<String>,
    pub role: Role,
    pub kind: ContextItemKind,
    pub tokens: u64,
    pub text: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedBodyRequest {
    pub view: ViewSettings,
    pub turn: u32,
}

/// A captured body aligned with the reconstruction. Sizes are tokens by [`ViewSettings::tokenizer`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedBodyAnswer {
    pub turn: u32,
    pub file: Option<String>,
    pub says: String,
    pub system: Vec<CapturedText>,
    pub tools: Vec<CapturedText>,
    /// Blocks of both sides in model order. A run of equal blocks is one row.
    pub rows: Vec<CapturedRow>,
    /// Rows beyond the 2,000 in `rows`.
    pub n_more: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedText {
    pub name: Option<String>,
    pub tokens: u64,
    /// At most 200,000 characters.
    pub text: String,
    pub n_chars: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedRow {
    pub side: CapturedSide,
    pub n: u32,
    pub tokens: u64,
    /// The first block in the log; `null` if only the body has it.
    pub block: Option<String>,
    pub line: Option<u64>,
    pub role: Role,
    pub kind: ContextItemKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CapturedSide {
    Both,
    Log,
    Body,
}
