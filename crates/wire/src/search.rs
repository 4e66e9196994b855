//! Full-text search in one session or in all.

use cwl_inspect::api::{Author, ContextItemKind, Role, ViewSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

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
    /// The policy and budget for [`SearchHit::held`]. `None` leaves `held` empty.
    #[serde(default)]
    pub view: Option<ViewSettings>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SearchAnswer {
    /// Most recent match first.
    pub sessions: Vec<FoundSession>,
    pub more: bool,
    /// Approximate number of texts not yet indexed; 0 when the index is complete.
    pub pending: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FoundSession {
    pub session: u32,
    pub title: String,
    pub path: String,
    pub format: String,
    /// Last in the log first.
    pub hits: Vec<SearchHit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SearchHit {
    /// The first turn whose request contains the text, without eviction, on `branch`; `None` if it is on no branch.
    pub turn: Option<u32>,
    /// The last record on a branch with the text; `None` for the current branch.
    pub branch: Option<String>,
    /// A block id, `ENTRY:INDEX`; the last one if several blocks have the same text.
    pub block: String,
    /// Blocks with the same text as `block`.
    pub n_blocks: u32,
    pub role: Role,
    pub author: Author,
    pub kind: ContextItemKind,
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
