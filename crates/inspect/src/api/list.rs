//! Lists of blocks at a cut (the context, evicted blocks, a diff), and search in them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use cwl_engine::with_commas;
use cwl_engine::{Author, Provider, Role};

use super::{ContextItemKind, DiffChange, EvictedOrder, FindingRow, ViewCut, ViewSettings};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ListKind {
    Context {
        ghosts: bool,
    },
    Evicted {
        only: Option<TextPattern>,
        #[serde(default)]
        sort: EvictedOrder,
    },
    Diff {
        against: DiffAgainst,
        /// Expanded runs of equal blocks, each named by its first block.
        open: Vec<String>,
    },
}

/// A text, or a regular expression if `regex` is set.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(default)]
pub struct TextPattern {
    pub query: String,
    pub regex: bool,
    pub case: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum DiffAgainst {
    /// The same turn without eviction.
    Full,
    TurnBefore,
    /// The same turn before its last step, or the previous turn before its first step.
    StepBefore,
    /// Any turn, after its last step.
    Turn {
        turn: u32,
    },
    View {
        view: Box<ViewSettings>,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PageRequest {
    pub view: ViewSettings,
    pub cut: ViewCut,
    pub list: ListKind,
    pub offset: u32,
    pub limit: u32,
}

/// A page of a list. Totals cover the whole list. `type` repeats the requested [`ListKind`] kind.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PageAnswer {
    Context(ContextAnswer),
    Evicted(EvictedAnswer),
    Diff(DiffAnswer),
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ContextAnswer {
    pub revision: u32,
    pub turn: u32,
    pub step: u32,
    /// The unit of all counts: the provider's tokens with their factor, or a tokenizer with its version.
    pub counted_by: String,
    pub total: u64,
    /// Tokens missing from the log (system prompt, tools); included in `total`.
    pub overhead: u64,
    /// Prompt tokens reported by the provider for this turn's original request.
    pub reported: Option<u64>,
    pub n_items: u32,
    pub items: Vec<ContextItem>,
    pub over_budget: Option<OverBudgetReason>,
    pub violations: Vec<ProviderViolations>,
    /// Findings in all passes up to this turn. Findings about pins and probes come first.
    pub findings: Vec<FindingRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverBudgetReason {
    pub above: u64,
    /// Episodes and other holders of these tokens, largest first: name, tokens.
    pub held_by: Vec<(String, u64)>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProviderViolations {
    pub provider: Provider,
    pub violations: Vec<String>,
}

/// A block in the context, its ghost (`kept` is false), or a synthetic item such as a residue.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ContextItem {
    /// A block id: `ENTRY:INDEX`, `residue:NAME` or `summary:N`.
    pub block: String,
    /// The message's record id, shared by its blocks.
    pub entry: String,
    pub line: u64,
    pub role: Role,
    pub author: Author,
    pub kind: ContextItemKind,
    /// The tool of a call or result, or the one that a text of the system prompt defines.
    pub tool: Option<String>,
    pub failed: bool,
    pub episode: Option<u32>,
    pub kept: bool,
    pub level: Option<u8>,
    pub reason: String,
    pub evicted_turn: Option<u32>,
    pub evicted_step: Option<u32>,
    pub tokens: u64,
    /// True if the log has no text and `tokens` was derived from reported usage.
    pub derived: bool,
    /// The text sent in place of a cleared output.
    pub placeholder: Option<String>,
    pub text: String,
    pub n_chars: u64,
    pub n_lines: u32,
    pub n_images: u32,
    /// The file accessed by the call, or by this result's call.
    pub path: Option<String>,
    /// A summary of the call on one line, cut at [`ABOUT_CHARS`]: the command's first line, the search pattern. `None`
    /// if `path` suffices.
    pub about: Option<String>,
    /// The first turn whose request lacks the block. Set in [`EvictedAnswer`] only.
    pub first_turn: Option<u32>,
    /// The first turn whose reply reacquired the content after the eviction. Set in [`EvictedAnswer`] only.
    pub again_turn: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub difference: Option<ItemDiff>,
}

impl ContextItem {
    /// Formats the message's role, with the author in brackets if they differ: `user (harness)`.
    pub fn speaker_label(&self) -> String {
        let Self { role, author, .. } = self;
        if role.name() == author.name() { role.to_string() } else { format!("{role} ({author})") }
    }

    pub fn kind_label(&self) -> String {
        match &self.tool {
            None => self.kind.to_string(),
            Some(tool) if self.kind == ContextItemKind::Text => format!("{} defining {tool}", self.kind),
            Some(tool) => format!("{} {tool}", self.kind),
        }
    }

    pub fn size_label(&self) -> String {
        let derived = if self.derived { " derived from usage" } else { "" };
        format!("{} tokens{derived}", with_commas(self.tokens))
    }
}

/// Maximum characters of [`ContextItem::text`]. [`BlockRequest`](super::BlockRequest) fetches the whole text.
pub const PREVIEW_CHARS: usize = 2000;

pub const ABOUT_CHARS: usize = 200;

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EvictedAnswer {
    pub revision: u32,
    pub n_items: u32,
    pub tokens: u64,
    pub items: Vec<ContextItem>,
}

/// A comparison with another context. Sizes are tokens; `before` and `after` include overhead.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct DiffAnswer {
    pub revision: u32,
    pub against: String,
    pub before: u64,
    pub after: u64,
    /// Overhead in `after` minus overhead in `before`; usually 0.
    pub overhead: i64,
    pub added: u64,
    pub removed: u64,
    pub n_added: u32,
    pub n_removed: u32,
    pub n_changed: u32,
    pub n_same: u32,
    pub n_items: u32,
    /// Indices of items whose [`DiffChange`] is not `same`, in the whole list.
    pub changes: Vec<u32>,
    /// Items from `offset` on, taken from whichever context sends them.
    pub items: Vec<ContextItem>,
}

/// One block in a [`DiffAnswer`], or a collapsed run of equal blocks.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ItemDiff {
    pub change: DiffChange,
    /// Blocks represented by the item; above 1 only for a collapsed run.
    pub n: u32,
    pub tokens: u64,
    /// A sentence explaining why the other context lacks the block or changed it; empty if it has the same.
    pub why_not: String,
    pub words: Vec<DiffWords>,
    /// True if `words` covers only the beginning of the texts.
    pub cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct DiffWords {
    /// The text with these words: both (`same`), one (`added`) or the other (`removed`); never `changed`.
    pub change: DiffChange,
    pub text: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindRequest {
    pub view: ViewSettings,
    pub cut: ViewCut,
    pub list: ListKind,
    pub wanted: TextPattern,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindAnswer {
    pub revision: u32,
    pub n_matches: u64,
    pub at: Vec<u32>,
    /// Matches per item, each at most [`MATCHES_COUNTED`].
    pub counts: Vec<u32>,
}

pub const MATCHES_COUNTED: u32 = 1000;

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct MatchesRequest {
    pub view: ViewSettings,
    pub cut: ViewCut,
    pub block: String,
    pub as_sent: bool,
    pub wanted: TextPattern,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct MatchesAnswer {
    /// Start and end of each match, in UTF-16 units of the whole text. At most [`MATCHES_COUNTED`].
    pub ranges: Vec<(u32, u32)>,
    /// The first match on one line: text before, match, text after.
    pub snippet: Option<(String, String, String)>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PlaceRequest {
    pub view: ViewSettings,
    pub cut: ViewCut,
    pub list: ListKind,
    pub block: String,
    /// The block's log line. Selects the nearest neighbour if `block` is not in the list.
    pub line: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PlaceAnswer {
    /// The index of the block or its nearest neighbour; `null` if there is neither.
    pub index: Option<u32>,
    pub exact: bool,
}
