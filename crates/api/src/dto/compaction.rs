//! Compactions, audited: what each one took, what was needed again, what that cost, and what others would have kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{PriceDto, ViewDto};

/// The compactions that a log records, in their order.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactionsDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The unit of all counts: the provider's tokens with their factor, or a tokenizer with its version.
    pub counted_by: String,
    /// True when the agent marked episodes, so that policies which go by them take part.
    pub is_annotated: bool,
    /// The prices that were used.
    pub price: PriceDto,
    /// The compactions of the branch.
    pub compactions: Vec<CompactionDto>,
}

/// One compaction, and the stretch from it to the next one or to the end.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactionDto {
    /// Its number, from 1.
    pub number: u32,
    /// The first turn whose request is without what it took.
    pub turn: u32,
    /// The first turn of the next compaction; `null` where the stretch lasts to the end.
    pub next_turn: Option<u32>,
    /// The line of its record, from 1.
    pub line: u64,
    /// The request of that turn had the compaction not been, tokens; what the log does not hold is in no size here.
    pub before: u64,
    /// The same request as it was.
    pub after: u64,
    /// The size before it as the log states it, tokens.
    pub stated_before: Option<u64>,
    /// The parts that went.
    pub gone: CompactedDto,
    /// The size of what the harness put in its place, tokens.
    pub summary_tokens: u64,
    /// True when the log holds a summary with a text; some harnesses keep theirs out of it.
    pub has_summary: bool,
    /// The names that the stretch used again.
    pub needed: NeededDto,
    /// The content that was looked for again in the stretch.
    pub again: GotAgainDto,
    /// How many names that it had taken were used after the next compaction only.
    pub n_late: u32,
    /// The content of it that was looked for again after the next compaction.
    pub late_again: GotAgainDto,
    /// Calls of the stretch before its first edit; all of them where it has none.
    pub n_calls_before_edit: u32,
    /// The turn of the first edit of the stretch.
    pub edit_turn: Option<u32>,
    /// Policies that were asked once, at that turn and in that room.
    pub instead: Vec<InsteadDto>,
    /// How many blocks that went were needed again: those of the recovery text.
    pub n_recoverable: u32,
    /// The same in sentences, without their ends.
    pub says: CompactionSaysDto,
}

/// The audit of one compaction in sentences, without their ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactionSaysDto {
    /// The parts that went.
    pub gone: String,
    /// The names that were used again, by their fates.
    pub needed: String,
    /// The content that was looked for again, with its price.
    pub again: String,
    /// How long it took to the first edit.
    pub edit: String,
}

/// The parts that a compaction took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactedDto {
    /// How many blocks.
    pub n_blocks: u32,
    /// Their size, tokens.
    pub tokens: u64,
    /// Files whose content no block in the context holds any more.
    pub n_files: u32,
    /// The first of them, those that came in last first.
    pub files: Vec<String>,
    /// Commands of which the output went.
    pub n_commands: u32,
    /// Identifiers that no result in the context holds any more.
    pub n_symbols: u32,
    /// Decisions of the model, told by fixed rules.
    pub n_decisions: u32,
    /// The last of them, in the order of the log.
    pub decisions: Vec<String>,
}

/// The names that were used again after a compaction, and that the context held before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NeededDto {
    /// How many names.
    pub n_names: u32,
    /// Those whose block stayed.
    pub n_kept: u32,
    /// Those whose block went, and that what stands in its place says.
    pub n_named: u32,
    /// Those that went without a word.
    pub n_lost: u32,
    /// The first of them: lost before named before kept, then files, commands and symbols.
    pub names: Vec<NeededNameDto>,
}

/// The fate of a name that was used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NeededFateDto {
    /// Its block went, and nothing says it.
    Lost,
    /// Its block went, and what stands in its place says it.
    Named,
    /// Its block stayed.
    Kept,
}

/// The kinds of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameKindDto {
    /// A file that was read.
    File,
    /// A command that was run, or a search.
    Command,
    /// An identifier that first appeared in a result.
    Symbol,
}

impl From<cwl_engine::NameKind> for NameKindDto {
    fn from(kind: cwl_engine::NameKind) -> Self {
        match kind {
            cwl_engine::NameKind::Path => Self::File,
            cwl_engine::NameKind::Command => Self::Command,
            cwl_engine::NameKind::Symbol => Self::Symbol,
        }
    }
}

/// One name that was used again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NeededNameDto {
    /// The kind of the name.
    pub kind: NameKindDto,
    /// The name on one line, cut where it is long.
    pub name: String,
    /// Its fate.
    pub fate: NeededFateDto,
    /// The first turn whose reply used it.
    pub turn: u32,
    /// How many replies used it before a newer block held it.
    pub n_uses: u32,
    /// The block that held it, `ENTRY:INDEX`.
    pub block: String,
    /// The size of the result by which the agent got the same again, tokens; `null` where it did not.
    pub again_tokens: Option<u64>,
}

/// Content that the agent got again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct GotAgainDto {
    /// How many results.
    pub n_results: u32,
    /// How many of them are of a file; the others are of commands and searches, which may be run again for another reason.
    pub n_files: u32,
    /// Their size, tokens.
    pub tokens: u64,
    /// The price of writing them into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
}

/// A policy that was asked in the place of a compaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct InsteadDto {
    /// The policy.
    pub policy: String,
    /// The size that it leaves, tokens.
    pub tokens: u64,
    /// True when it cannot get down to the size after the compaction.
    pub is_over: bool,
    /// Needed names whose block it keeps to the letter.
    pub n_kept: u32,
    /// Needed names whose block goes, and that its summaries and descriptions say.
    pub n_named: u32,
}

/// Asks for the recovery text of a compaction.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecoveryRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The compaction, by its number from 1.
    pub compaction: u32,
}

/// The blocks that a compaction took and later turns needed, as a text to copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecoveryDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The text, in Markdown.
    pub text: String,
    /// How many blocks are in it.
    pub n_blocks: u32,
    /// How many more there are that did not fit.
    pub n_left_out: u32,
    /// Its length, characters.
    pub n_chars: u64,
}
