//! An audit of compactions: content removed, content needed again, its cost, and what policies would have kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{PriceDto, ViewDto};

/// The compactions recorded in a log, in order.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactionsDto {
    pub revision: u32,
    /// The tokenizer, with its crate and version.
    pub counted_by: String,
    /// True if the agent marked episodes, so that policies based on episodes take part.
    pub is_annotated: bool,
    pub price: PriceDto,
    pub compactions: Vec<CompactionDto>,
}

/// A compaction, and the turns up to the next one. Sizes are tokens without overhead.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactionDto {
    pub number: u32,
    /// The first turn sent after the compaction.
    pub turn: u32,
    /// The first turn after the next compaction; `null` for the last one.
    pub next_turn: Option<u32>,
    /// The line of the compaction's record, from 1.
    pub line: u64,
    /// Size of request `turn` without the compaction.
    pub before: u64,
    /// Size of request `turn` as sent.
    pub after: u64,
    /// Size before the compaction, as stated in the log.
    pub stated_before: Option<u64>,
    pub gone: CompactedDto,
    /// Size of the harness's summary.
    pub summary_tokens: u64,
    /// True if the log contains the summary's text. Some harnesses do not log it.
    pub has_summary: bool,
    /// Names used again before `next_turn`.
    pub needed: NeededDto,
    /// Content reacquired before `next_turn`.
    pub again: GotAgainDto,
    /// Names removed here but first used again from `next_turn` on.
    pub n_late: u32,
    /// Content removed here but reacquired from `next_turn` on.
    pub late_again: GotAgainDto,
    /// Calls before the first edit; all calls before `next_turn` if there is no edit.
    pub n_calls_before_edit: u32,
    /// The turn of the first edit.
    pub edit_turn: Option<u32>,
    /// Policies applied once instead of the compaction, with the same room.
    pub instead: Vec<InsteadDto>,
    /// Blocks in the recovery text: evicted, then needed again.
    pub n_recoverable: u32,
    pub says: CompactionSaysDto,
}

/// The audit as clauses without full stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactionSaysDto {
    pub gone: String,
    /// Names used again, by fate.
    pub needed: String,
    pub again: String,
    /// The delay until the first edit.
    pub edit: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactedDto {
    pub n_blocks: u32,
    pub tokens: u64,
    /// Files no longer contained in any block of the context.
    pub n_files: u32,
    /// Some of `n_files`, latest first.
    pub files: Vec<String>,
    /// Commands whose output was removed.
    pub n_commands: u32,
    /// Identifiers no longer contained in any tool result.
    pub n_symbols: u32,
    /// Decisions of the model, detected by fixed rules.
    pub n_decisions: u32,
    /// The last decisions, in log order.
    pub decisions: Vec<String>,
}

/// Names known before a compaction and used again later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NeededDto {
    pub n_names: u32,
    /// Names whose block survived.
    pub n_kept: u32,
    /// Names mentioned in the summary.
    pub n_named: u32,
    /// Names lost entirely.
    pub n_lost: u32,
    /// Some names: lost first, then named, then kept; each group lists files, commands, symbols.
    pub names: Vec<NeededNameDto>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NeededFateDto {
    /// Block removed and not mentioned in the summary.
    Lost,
    /// Block removed but mentioned in the summary.
    Named,
    /// Block survived.
    Kept,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameKindDto {
    /// A file read by the agent.
    File,
    /// A shell command or a search.
    Command,
    /// An identifier first seen in a tool result.
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NeededNameDto {
    pub kind: NameKindDto,
    /// The name on one line, truncated if long.
    pub name: String,
    pub fate: NeededFateDto,
    /// The first turn whose reply used it.
    pub turn: u32,
    /// Replies using the name before a newer block contained it.
    pub n_uses: u32,
    /// The id of the block with the name, `ENTRY:INDEX`.
    pub block: String,
    /// Tokens of the result that reacquired the content; `null` if it was not reacquired.
    pub again_tokens: Option<u64>,
}

/// Content acquired again by the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct GotAgainDto {
    /// Tool results.
    pub n_results: u32,
    /// Results of file reads. The others are commands and searches, perhaps repeated for another reason.
    pub n_files: u32,
    /// Tokens of the results.
    pub tokens: u64,
    /// The price of writing the results into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
}

/// A policy applied instead of a compaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct InsteadDto {
    pub policy: String,
    /// Tokens left in the context.
    pub tokens: u64,
    /// True if the policy cannot shrink the context to the size after the compaction.
    pub is_over: bool,
    /// Needed names whose block stays intact.
    pub n_kept: u32,
    /// Needed names whose block goes but is mentioned in the policy's summaries or descriptions.
    pub n_named: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecoveryRequest {
    pub session: u32,
    pub view: ViewDto,
    /// The [`CompactionDto::number`].
    pub compaction: u32,
}

/// Blocks removed by a compaction and needed later, as a text to copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecoveryDto {
    pub revision: u32,
    /// Markdown.
    pub text: String,
    pub n_blocks: u32,
    /// Further blocks that did not fit.
    pub n_left_out: u32,
    /// Characters of `text`.
    pub n_chars: u64,
}
