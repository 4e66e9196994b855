//! The context: what the model would receive, what it would not, and the request that would be posted.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AuthorDto, CutDto, FindingDto, ItemKindDto, ProviderDto, RoleDto, SortDto, ViewDto, WantedDto};

/// Asks for a part of the context at a cut.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ContextRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// True keeps ghosts of what went in the list.
    pub ghosts: bool,
    /// The first item.
    pub offset: u32,
    /// How many items at the most.
    pub limit: u32,
}

/// A part of the context.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ContextDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The turn.
    pub turn: u32,
    /// How many steps are taken.
    pub step: u32,
    /// The total, tokens, overhead included.
    #[ts(type = "number")]
    pub total: u64,
    /// Tokens that the log does not hold.
    #[ts(type = "number")]
    pub overhead: u64,
    /// Tokens that the provider reported for this turn's request, as it was made.
    #[ts(type = "number | null")]
    pub reported: Option<u64>,
    /// How many items the whole list has.
    pub n_items: u32,
    /// The items from `offset` on.
    pub items: Vec<ItemDto>,
    /// Where the tokens are when the budget cannot be met.
    pub over_budget: Option<OverBudgetDto>,
    /// The faults that each provider would refuse, before repairs.
    pub violations: Vec<ProviderViolationsDto>,
    /// Findings about the passes up to here, those on pins and probes first.
    pub findings: Vec<FindingDto>,
}

/// Where the tokens are when the budget cannot be met.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct OverBudgetDto {
    /// Tokens above the budget.
    #[ts(type = "number")]
    pub above: u64,
    /// The holders of these tokens, the largest first: name, tokens.
    #[ts(type = "[string, number][]")]
    pub held_by: Vec<(String, u64)>,
}

/// The faults that one provider would refuse.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ProviderViolationsDto {
    /// The provider.
    pub provider: ProviderDto,
    /// The violations as sentences.
    pub violations: Vec<String>,
}

/// One block of the context, its ghost, or a residue.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ItemDto {
    /// The block, `ENTRY:INDEX`, or `residue:NAME`, `summary:N`.
    pub block: String,
    /// The message's record; the same for all blocks of one message.
    pub entry: String,
    /// The line in the log, from 1.
    #[ts(type = "number")]
    pub line: u64,
    /// The role of its message.
    pub role: RoleDto,
    /// The author of its message.
    pub author: AuthorDto,
    /// Its kind.
    pub kind: ItemKindDto,
    /// The tool of a call or result.
    pub tool: Option<String>,
    /// True for a result of a tool that failed.
    pub failed: bool,
    /// The episode, by its place in the graph.
    pub episode: Option<u32>,
    /// True when the model receives it.
    pub kept: bool,
    /// The level that took it, 1 to 4, where a level did.
    pub level: Option<u8>,
    /// Why it is there or not, as a sentence.
    pub reason: String,
    /// The turn whose step took it.
    pub evicted_turn: Option<u32>,
    /// The step of that turn, from 1.
    pub evicted_step: Option<u32>,
    /// Its size, tokens, rounded up.
    #[ts(type = "number")]
    pub tokens: u64,
    /// The text that the model receives in its place, where a policy left a placeholder.
    pub placeholder: Option<String>,
    /// Its text, cut at `PREVIEW_CHARS` characters.
    pub text: String,
    /// How many characters the whole text has.
    #[ts(type = "number")]
    pub n_chars: u64,
    /// How many lines the whole text has.
    pub n_lines: u32,
    /// How many images it holds.
    pub n_images: u32,
    /// The file that the call, or the call of this result, is about.
    pub path: Option<String>,
    /// The first turn whose request misses it because the policy took it; only in the list of what is evicted.
    pub first_turn: Option<u32>,
    /// The first turn whose reply got the same again while it was evicted; only in the list of what is evicted.
    pub again_turn: Option<u32>,
}

/// How much of a text stands in an item; the whole is a command of its own.
pub const PREVIEW_CHARS: usize = 2000;

/// Asks for the whole context as one text.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ContextTextRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
}

/// The whole context as one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ContextTextDto {
    /// Every block that the model would receive, each under a line that says what it is.
    pub text: String,
    /// How many characters it has.
    #[ts(type = "number")]
    pub n_chars: u64,
}

/// Asks for the whole text of a block.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BlockRequest {
    /// The session.
    pub session: u32,
    /// The branch, as in a view.
    pub branch: Option<String>,
    /// The block, `ENTRY:INDEX`.
    pub block: String,
}

/// The whole text of a block.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BlockDto {
    /// The block.
    pub block: String,
    /// The text that is counted.
    pub text: String,
    /// The JSON in the log.
    pub raw: String,
    /// The line in the log, from 1.
    #[ts(type = "number")]
    pub line: u64,
}

/// Asks for what the model would not receive at a cut.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct EvictedRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// Only texts that this regular expression matches; one without upper case matches both cases.
    pub grep: Option<String>,
    /// Only texts that hold this; goes before `grep`.
    #[serde(default)]
    pub only: Option<WantedDto>,
    /// The order.
    #[serde(default)]
    pub sort: SortDto,
    /// The first item.
    pub offset: u32,
    /// How many items at the most.
    pub limit: u32,
}

/// The blocks that the model would not receive.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct EvictedDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// How many items match.
    pub n_items: u32,
    /// Tokens of all that match.
    #[ts(type = "number")]
    pub tokens: u64,
    /// The items from `offset` on.
    pub items: Vec<ItemDto>,
}

/// Asks for the request body at a cut.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BodyRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The form of the request.
    pub provider: ProviderDto,
}

/// The request body: the messages that a client would post, with the system prompt and tools that the log holds.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BodyDto {
    /// The JSON, indented.
    pub json: String,
    /// The repairs that make the provider take it, as sentences.
    pub repairs: Vec<String>,
    /// The faults that the provider would refuse without the repairs, as sentences.
    pub violations: Vec<String>,
}
