//! Lists of blocks at a cut (the context, evicted blocks, a diff), and search in them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::figures::with_commas;

use super::{AuthorDto, ChangeDto, CutDto, FindingDto, ItemKindDto, ProviderDto, RoleDto, SortDto, ViewDto};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ListDto {
    Context {
        /// Keeps evicted blocks in the list as ghosts.
        ghosts: bool,
    },
    /// Blocks not sent to the model.
    Evicted {
        /// Keeps blocks containing this text.
        only: Option<WantedDto>,
        #[serde(default)]
        sort: SortDto,
    },
    /// Blocks of this context and another one, aligned.
    Diff {
        against: AgainstDto,
        /// Expanded runs of equal blocks, each named by its first block.
        open: Vec<String>,
    },
}

/// A text or regular expression to search for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(default)]
pub struct WantedDto {
    pub query: String,
    pub regex: bool,
    /// True for a case-sensitive search.
    pub case: bool,
}

/// The context to compare with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum AgainstDto {
    /// The same turn without eviction.
    Full,
    /// The request of the previous turn.
    TurnBefore,
    /// The same turn before its last step, or the previous turn before its first step.
    StepBefore,
    /// The same turn under another policy or budget.
    View { view: Box<ViewDto> },
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PageRequest {
    pub session: u32,
    pub view: ViewDto,
    pub cut: CutDto,
    pub list: ListDto,
    pub offset: u32,
    /// Maximum number of items.
    pub limit: u32,
}

/// A page of a list. Totals cover the whole list. `type` repeats the kind of the [`ListDto`].
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PageDto {
    Context(ContextDto),
    Evicted(EvictedDto),
    Diff(DiffDto),
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ContextDto {
    pub revision: u32,
    pub turn: u32,
    pub step: u32,
    /// Tokens, including `overhead`.
    pub total: u64,
    /// Tokens missing from the log (system prompt, tools).
    pub overhead: u64,
    /// Prompt tokens reported by the provider for this turn's original request.
    pub reported: Option<u64>,
    /// Items in the whole list.
    pub n_items: u32,
    /// Items from `offset` on.
    pub items: Vec<ItemDto>,
    /// The largest holders of tokens, if the budget cannot be met.
    pub over_budget: Option<OverBudgetDto>,
    /// Faults each provider would reject, before repairs.
    pub violations: Vec<ProviderViolationsDto>,
    /// Findings of all passes up to this turn. Findings about pins and probes come first.
    pub findings: Vec<FindingDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverBudgetDto {
    pub above: u64,
    /// Episodes and other holders of these tokens, largest first: name, tokens.
    pub held_by: Vec<(String, u64)>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProviderViolationsDto {
    pub provider: ProviderDto,
    /// Sentences.
    pub violations: Vec<String>,
}

/// A block of the context, its ghost, or a synthetic item such as a residue.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ItemDto {
    /// A block id: `ENTRY:INDEX`, `residue:NAME` or `summary:N`.
    pub block: String,
    /// The record id, shared by all blocks of a message.
    pub entry: String,
    /// A line of the log, from 1.
    pub line: u64,
    pub role: RoleDto,
    pub author: AuthorDto,
    pub kind: ItemKindDto,
    pub tool: Option<String>,
    /// True for a failed tool result.
    pub failed: bool,
    /// The episode's index in the graph.
    pub episode: Option<u32>,
    /// True if the model receives the block.
    pub kept: bool,
    /// The eviction level responsible, 1 to 4.
    pub level: Option<u8>,
    /// A sentence explaining why the block is or is not in the context.
    pub reason: String,
    /// The turn of the eviction.
    pub evicted_turn: Option<u32>,
    /// The step within `evicted_turn`, from 1.
    pub evicted_step: Option<u32>,
    /// Tokens, rounded up.
    pub tokens: u64,
    /// True if the log has no text and `tokens` was derived from reported usage.
    pub derived: bool,
    /// The text sent instead of a cleared output.
    pub placeholder: Option<String>,
    /// The text, cut at [`PREVIEW_CHARS`].
    pub text: String,
    /// Characters of the whole text.
    pub n_chars: u64,
    /// Lines of the whole text.
    pub n_lines: u32,
    pub n_images: u32,
    /// The file accessed by the call, or by this result's call.
    pub path: Option<String>,
    /// A summary of the call on one line, cut at [`ABOUT_CHARS`]: the command's first line, the search pattern. `None`
    /// if `path` suffices.
    pub about: Option<String>,
    /// The first turn whose request lacks the block. Set in [`EvictedDto`] only.
    pub first_turn: Option<u32>,
    /// The first turn whose reply reacquired the content after the eviction. Set in [`EvictedDto`] only.
    pub again_turn: Option<u32>,
    /// Set in a [`DiffDto`] only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub difference: Option<ItemDiffDto>,
}

impl ItemDto {
    /// Formats the message's role, with the author in brackets if they differ: `user (harness)`.
    pub fn speaker_label(&self) -> String {
        let Self { role, author, .. } = self;
        if role.name() == author.name() { role.to_string() } else { format!("{role} ({author})") }
    }

    /// Formats the size, and says if it was derived from usage.
    pub fn size_label(&self) -> String {
        let derived = if self.derived { " derived from usage" } else { "" };
        format!("{} tokens{derived}", with_commas(self.tokens))
    }
}

/// Maximum characters of [`ItemDto::text`]. [`BlockRequest`](super::BlockRequest) fetches the whole text.
pub const PREVIEW_CHARS: usize = 2000;

/// Maximum characters of [`ItemDto::about`].
pub const ABOUT_CHARS: usize = 200;

/// Blocks not sent to the model.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EvictedDto {
    pub revision: u32,
    /// Matching blocks; `tokens` is their size.
    pub n_items: u32,
    pub tokens: u64,
    pub items: Vec<ItemDto>,
}

/// A comparison with another context. Sizes are tokens; `before` and `after` include overhead.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct DiffDto {
    pub revision: u32,
    /// A short description of the other context.
    pub against: String,
    /// Size of the other context.
    pub before: u64,
    /// Size of the context at the cut.
    pub after: u64,
    /// Overhead counted in one context only; usually 0.
    pub overhead: i64,
    /// Tokens in the context at the cut only.
    pub added: u64,
    /// Tokens in the other context only.
    pub removed: u64,
    pub n_added: u32,
    pub n_removed: u32,
    /// Blocks with different text in the two contexts.
    pub n_changed: u32,
    pub n_same: u32,
    pub n_items: u32,
    /// Indices of differing items in the whole list.
    pub changes: Vec<u32>,
    /// Items from `offset` on, taken from whichever context sends them.
    pub items: Vec<ItemDto>,
}

/// One block of a diff, or a collapsed run of equal blocks.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ItemDiffDto {
    pub change: ChangeDto,
    /// Blocks represented by the item; above 1 only for a collapsed run.
    pub n: u32,
    /// Tokens sent by the contexts.
    pub tokens: u64,
    /// A sentence explaining why the other context lacks the block or changed it; empty if it has the same.
    pub why_not: String,
    /// A word diff of a changed block.
    pub words: Vec<WordsDto>,
    /// True if `words` covers only the beginning of the texts.
    pub cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct WordsDto {
    /// The text with these words; never `changed`.
    pub change: ChangeDto,
    /// The words with their separators.
    pub text: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindRequest {
    pub session: u32,
    pub view: ViewDto,
    pub cut: CutDto,
    pub list: ListDto,
    pub wanted: WantedDto,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindDto {
    pub revision: u32,
    /// Matches in all blocks.
    pub n_matches: u64,
    /// Indices of matching items, ascending.
    pub at: Vec<u32>,
    /// Matches per item, each at most [`MATCHES_COUNTED`].
    pub counts: Vec<u32>,
}

/// Maximum matches counted in one block.
pub const MATCHES_COUNTED: u32 = 1000;

/// Asks for the positions of a text in one block.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksRequest {
    pub session: u32,
    pub view: ViewDto,
    pub cut: CutDto,
    /// A block id as in [`ItemDto::block`].
    pub block: String,
    /// Searches the placeholder sent instead of the block.
    pub as_sent: bool,
    pub wanted: WantedDto,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksDto {
    /// Start and end of each match, in UTF-16 units of the whole text. At most [`MATCHES_COUNTED`].
    pub ranges: Vec<(u32, u32)>,
    /// The first match on one line: text before, match, text after.
    pub snippet: Option<(String, String, String)>,
}

/// Asks for a block's index in a list.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PlaceRequest {
    pub session: u32,
    pub view: ViewDto,
    pub cut: CutDto,
    pub list: ListDto,
    /// A block id as in [`ItemDto::block`].
    pub block: String,
    /// The block's line in the log. Selects the nearest neighbour if the block is not in the list.
    pub line: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PlaceDto {
    /// The index of the block or its nearest neighbour; `null` if there is neither.
    pub index: Option<u32>,
    /// True if `index` is the block itself.
    pub exact: bool,
}
