//! Lists of blocks at a cut: the context, what is evicted, and what differs from another context; and finding in them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::figures::with_commas;

use super::{AuthorDto, ChangeDto, CutDto, FindingDto, ItemKindDto, ProviderDto, RoleDto, SortDto, ViewDto};

/// A list of blocks that a pane shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ListDto {
    /// The context.
    Context {
        /// True keeps ghosts of what went in the list.
        ghosts: bool,
    },
    /// The blocks that the model would not receive.
    Evicted {
        /// Only texts that hold this.
        only: Option<WantedDto>,
        /// The order.
        #[serde(default)]
        sort: SortDto,
    },
    /// The differences from another context.
    Diff {
        /// The other context.
        against: AgainstDto,
        /// The runs of equal blocks that are open, by their first blocks.
        open: Vec<String>,
    },
}

/// A text to look for, as people type it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(default)]
pub struct WantedDto {
    /// The text, or the regular expression.
    pub query: String,
    /// True where it is a regular expression.
    pub regex: bool,
    /// True where upper and lower case differ.
    pub case: bool,
}

/// The context that another is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum AgainstDto {
    /// The history of the same turn with nothing evicted.
    Full,
    /// The request of the turn before.
    TurnBefore,
    /// The same turn before its last step; before its first step, the turn before.
    StepBefore,
    /// The same turn in another view: another policy or another budget.
    View {
        /// The view.
        view: Box<ViewDto>,
    },
}

/// Asks for a page of a list of blocks at a cut.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PageRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The list.
    pub list: ListDto,
    /// The first item.
    pub offset: u32,
    /// How many items at the most.
    pub limit: u32,
}

/// A page of a list of blocks, with the figures of the whole list; `type` is that of the list.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PageDto {
    /// The context.
    Context(ContextDto),
    /// The blocks that the model would not receive.
    Evicted(EvictedDto),
    /// The differences from another context.
    Diff(DiffDto),
}

/// A part of the context.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ContextDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The turn.
    pub turn: u32,
    /// How many steps are taken.
    pub step: u32,
    /// The unit of all counts: the provider's tokens with their factor, or a tokenizer with its version.
    pub counted_by: String,
    /// The total, tokens, overhead included.
    pub total: u64,
    /// Tokens that the log does not hold.
    pub overhead: u64,
    /// Tokens that the provider reported for this turn's request, as it was made.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverBudgetDto {
    /// Tokens above the budget.
    pub above: u64,
    /// The holders of these tokens, the largest first: name, tokens.
    pub held_by: Vec<(String, u64)>,
}

/// The faults that one provider would refuse.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProviderViolationsDto {
    /// The provider.
    pub provider: ProviderDto,
    /// The violations as sentences.
    pub violations: Vec<String>,
}

/// One block of the context, its ghost, or a residue.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ItemDto {
    /// The block, `ENTRY:INDEX`, or `residue:NAME`, `summary:N`.
    pub block: String,
    /// The message's record; the same for all blocks of one message.
    pub entry: String,
    /// The line in the log, from 1.
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
    pub tokens: u64,
    /// True where the log has no text of it and its size is derived from the usage that the provider reported.
    pub derived: bool,
    /// The text that the model receives in its place, where a policy left a placeholder.
    pub placeholder: Option<String>,
    /// Its text, cut at `PREVIEW_CHARS` characters.
    pub text: String,
    /// How many characters the whole text has.
    pub n_chars: u64,
    /// How many lines the whole text has.
    pub n_lines: u32,
    /// How many images it holds.
    pub n_images: u32,
    /// The file that the call, or the call of this result, is about.
    pub path: Option<String>,
    /// In one line, what the call, or the call of this result, does: the first line of a command, the pattern of a search; cut
    /// at `ABOUT_CHARS` characters. `None` where the path says it.
    pub about: Option<String>,
    /// The first turn whose request misses it because the policy took it; only in the list of what is evicted.
    pub first_turn: Option<u32>,
    /// The first turn whose reply got the same again while it was evicted; only in the list of what is evicted.
    pub again_turn: Option<u32>,
    /// The difference from the other context; only in a diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub difference: Option<ItemDiffDto>,
}

impl ItemDto {
    /// Says whose it is: the role of its message, and the author where that is another one.
    pub fn speaker_label(&self) -> String {
        let Self { role, author, .. } = self;
        if role.name() == author.name() { role.to_string() } else { format!("{role} ({author})") }
    }

    /// Says how large it is, and where that is derived from usage.
    pub fn size_label(&self) -> String {
        let derived = if self.derived { " derived from usage" } else { "" };
        format!("{} tokens{derived}", with_commas(self.tokens))
    }
}

/// How much of a text stands in an item; the whole is a command of its own.
pub const PREVIEW_CHARS: usize = 2000;

/// How much of the line about a call stands in an item.
pub const ABOUT_CHARS: usize = 200;

/// The blocks that the model would not receive.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EvictedDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// How many items match.
    pub n_items: u32,
    /// Tokens of all that match.
    pub tokens: u64,
    /// The items from `offset` on.
    pub items: Vec<ItemDto>,
}

/// A part of what differs from another context.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct DiffDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The other context, in a few words.
    pub against: String,
    /// The total of the other context, tokens, overhead included.
    pub before: u64,
    /// The total of the context at the cursor, tokens, overhead included.
    pub after: u64,
    /// How much of the difference is overhead that only one of the two counts, tokens; 0 mostly.
    pub overhead: i64,
    /// Tokens that only the context at the cursor holds.
    pub added: u64,
    /// Tokens that only the other one holds.
    pub removed: u64,
    /// How many blocks only the context at the cursor holds.
    pub n_added: u32,
    /// How many blocks only the other one holds.
    pub n_removed: u32,
    /// How many blocks say something else in each.
    pub n_changed: u32,
    /// How many blocks are the same.
    pub n_same: u32,
    /// How many items the whole list has.
    pub n_items: u32,
    /// The places in the list of all items that are not the same.
    pub changes: Vec<u32>,
    /// The items from `offset` on, each as the context that sends it has it.
    pub items: Vec<ItemDto>,
}

/// The difference between two contexts at an item of their diff: one block, or a run of equal ones.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ItemDiffDto {
    /// The difference.
    pub change: ChangeDto,
    /// How many blocks the item stands for, of which it is the first; more than 1 only for a run of equal ones that is
    /// not open.
    pub n: u32,
    /// The size of what the contexts send there, tokens.
    pub tokens: u64,
    /// Why the other context does not send it (or not to the letter), as a sentence; empty where it does.
    pub why_not: String,
    /// For a changed block what was said before and what is said now, word by word.
    pub words: Vec<WordsDto>,
    /// True where the words are of the beginnings of the texts only.
    pub cut: bool,
}

/// Some words that both texts say, or only one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct WordsDto {
    /// Which text says them; never `changed`.
    pub change: ChangeDto,
    /// The words with what stands between them.
    pub text: String,
}

/// Asks which blocks of a list hold a text.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The list.
    pub list: ListDto,
    /// The text.
    pub wanted: WantedDto,
}

/// Which blocks of a list hold a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// How often it is in all of them.
    pub n_matches: u64,
    /// The places in the list, ascending.
    pub at: Vec<u32>,
    /// How often it is in each, `MATCHES_COUNTED` at the most.
    pub counts: Vec<u32>,
}

/// The most matches that are counted in one block.
pub const MATCHES_COUNTED: u32 = 1000;

/// Asks where in one block a text stands.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The block, as its item names it.
    pub block: String,
    /// True looks into what is sent in its place, where that is a placeholder.
    pub as_sent: bool,
    /// The text.
    pub wanted: WantedDto,
}

/// Where in one block a text stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksDto {
    /// The first and the last place of each match, in UTF-16 units of the whole text; `MATCHES_COUNTED` at the most.
    pub ranges: Vec<(u32, u32)>,
    /// The surroundings of the first match on one line: before it, itself, after it.
    pub snippet: Option<(String, String, String)>,
}

/// Asks where in a list a block stands.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PlaceRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The list.
    pub list: ListDto,
    /// The block, as its item names it.
    pub block: String,
    /// Its line in the log: where it is not in the list, its nearest neighbour is.
    pub line: u64,
}

/// Where in a list a block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PlaceDto {
    /// Its place, or that of its nearest neighbour; `null` where neither can be told.
    pub index: Option<u32>,
    /// True where it is the block itself.
    pub exact: bool,
}
