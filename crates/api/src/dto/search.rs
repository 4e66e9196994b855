//! Search: words in the texts of one session or of all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AuthorDto, ItemKindDto, RoleDto, ViewDto};

/// Asks for the texts that have all words of a query, wherever in a log they stand, on any branch.
///
/// Words stand for themselves; what is in quotation marks, or joined by other signs (`read_file`), must follow each
/// other. The last word may be the beginning of a longer one. (Parts of words and regular expressions are found
/// by `evicted`, which scans.)
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SearchRequest {
    /// The text or expression to look for.
    pub query: String,
    /// The session to look in; `None` looks in all that were ever opened.
    pub session: Option<u32>,
    /// How many texts at most, up to 500; `None` is 50.
    pub limit: Option<u32>,
    /// The policy and budget under which an open session's last context is told; `None` tells no session's.
    #[serde(default)]
    pub view: Option<ViewDto>,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SearchDto {
    /// The sessions with the newest texts first.
    pub sessions: Vec<FoundSessionDto>,
    /// True when there are more texts than were asked for.
    pub more: bool,
    /// About how many texts of all sessions are not in the index yet and cannot be found; 0 once it is complete.
    pub pending: u64,
}

/// A session and what was found in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FoundSessionDto {
    /// The number by which commands name it; asking about it opens it.
    pub session: u32,
    /// As in the list of sessions.
    pub title: String,
    /// The log's path.
    pub path: String,
    /// The harness.
    pub format: String,
    /// The last in the log first.
    pub hits: Vec<HitDto>,
}

/// A text that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct HitDto {
    /// The first turn whose request holds it, nothing evicted, on `branch`; `None` where it is on none.
    pub turn: Option<u32>,
    /// The last record of the branch that has it; `None` for the one that the session is on.
    pub branch: Option<String>,
    /// The block, `ENTRY:INDEX`; where several say the same text, the last.
    pub block: String,
    /// How many blocks of the session say it.
    pub n_blocks: u32,
    /// The role of its message.
    pub role: RoleDto,
    /// The author of its message.
    pub author: AuthorDto,
    /// The kind of its block.
    pub kind: ItemKindDto,
    /// The tool of a call or result.
    pub tool: Option<String>,
    /// The line of the record, from 1.
    pub line: u64,
    /// True when the context of the last turn has it: under the view where the session is open, else as the harness sent
    /// it. `None` where no view was given.
    pub held: Option<bool>,
    /// The same as a sentence without its end; empty where `held` is `None`.
    pub held_says: String,
    /// The text before the match, on one line.
    pub before: String,
    /// The match; empty where its place is not known, and then `after` is the beginning of the text.
    pub matched: String,
    /// The text behind it.
    pub after: String,
}
