//! Diff: what the model would receive at the cursor, against another context.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ChangeDto, CutDto, ItemDto, ViewDto};

/// The context that another is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
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

/// Asks for a part of what differs from another context.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DiffRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The other context.
    pub against: AgainstDto,
    /// The runs of equal blocks that are open, by their first blocks.
    pub open: Vec<String>,
    /// The first row.
    pub offset: u32,
    /// How many rows at the most.
    pub limit: u32,
}

/// A part of what differs from another context.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DiffDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The other context, in a few words.
    pub against: String,
    /// The total of the other context, tokens, overhead included.
    #[ts(type = "number")]
    pub before: u64,
    /// The total of the context at the cursor, tokens, overhead included.
    #[ts(type = "number")]
    pub after: u64,
    /// How much of the difference is overhead that only one of the two counts, tokens; 0 mostly.
    #[ts(type = "number")]
    pub overhead: i64,
    /// Tokens that only the context at the cursor holds.
    #[ts(type = "number")]
    pub added: u64,
    /// Tokens that only the other one holds.
    #[ts(type = "number")]
    pub removed: u64,
    /// How many blocks only the context at the cursor holds.
    pub n_added: u32,
    /// How many blocks only the other one holds.
    pub n_removed: u32,
    /// How many blocks say something else in each.
    pub n_changed: u32,
    /// How many blocks are the same.
    pub n_same: u32,
    /// How many rows the whole list has.
    pub n_items: u32,
    /// The places in the list of all rows that are not the same.
    pub changes: Vec<u32>,
    /// The rows from `offset` on.
    pub items: Vec<DiffRowDto>,
}

/// One row of a diff: a block, or a run of equal ones.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DiffRowDto {
    /// The difference.
    pub change: ChangeDto,
    /// How many blocks it stands for; more than 1 only for a run of equal ones that is not open.
    pub n: u32,
    /// Their size, tokens.
    #[ts(type = "number")]
    pub tokens: u64,
    /// The block, or the first of the run, as the context that sends it has it.
    pub item: ItemDto,
    /// Why the other context does not send it (or not to the letter), as a sentence; empty where it does.
    pub why_not: String,
    /// For a changed block what was said before and what is said now, word by word.
    pub words: Vec<WordsDto>,
    /// True where the words are of the beginnings of the texts only.
    pub cut: bool,
}

/// Some words that both texts say, or only one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct WordsDto {
    /// Which text says them; never `changed`.
    pub change: ChangeDto,
    /// The words with what stands between them.
    pub text: String,
}
