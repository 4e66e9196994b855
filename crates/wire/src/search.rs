//! Full-text search in one session or in all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AuthorDto, ItemKindDto, RoleDto, ViewDto};

/// Searches for texts with all words of a query, anywhere in a log, on any branch.
///
/// Words in quotation marks or joined by punctuation (`read_file`) must be adjacent. The last word may be a prefix. The
/// `evicted` list scans for substrings and regular expressions instead.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SearchRequest {
    pub query: String,
    /// `None` searches every session ever opened.
    pub session: Option<u32>,
    /// Maximum number of texts, up to 500; `None` is 50.
    pub limit: Option<u32>,
    /// The policy and budget for [`HitDto::held`]. `None` leaves `held` empty.
    #[serde(default)]
    pub view: Option<ViewDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SearchDto {
    /// Most recent match first.
    pub sessions: Vec<FoundSessionDto>,
    pub more: bool,
    /// Approximate number of texts not yet indexed; 0 when the index is complete.
    pub pending: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FoundSessionDto {
    pub session: u32,
    pub title: String,
    pub path: String,
    pub format: String,
    /// Last in the log first.
    pub hits: Vec<HitDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct HitDto {
    /// The first turn whose request contains the text, without eviction, on `branch`; `None` if it is on no branch.
    pub turn: Option<u32>,
    /// The last record on a branch with the text; `None` for the current branch.
    pub branch: Option<String>,
    /// A block id, `ENTRY:INDEX`; the last one if several blocks have the same text.
    pub block: String,
    /// Blocks with the same text as `block`.
    pub n_blocks: u32,
    pub role: RoleDto,
    pub author: AuthorDto,
    pub kind: ItemKindDto,
    pub tool: Option<String>,
    pub line: u64,
    /// True if the context of the last turn contains the text: under the view if the session is open, else as the
    /// harness sent it.
    pub held: Option<bool>,
    pub held_says: String,
    pub before: String,
    /// The match; empty if its position is unknown. `after` is then the beginning of the text.
    pub matched: String,
    pub after: String,
}
