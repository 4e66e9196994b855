//! An audit of compactions: content removed, content needed again, its cost, and what policies would have kept.

use cwl_engine::{DetailKind, NameKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{DetailFateName, PriceInForce, SummaryForm, ViewSettings};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactionsAnswer {
    pub revision: u32,
    pub counted_by: String,
    /// True if the agent marked episodes, so that policies based on episodes take part.
    pub is_annotated: bool,
    pub price: PriceInForce,
    pub compactions: Vec<CompactionReport>,
}

/// A compaction, and the turns until `next_turn`. Sizes are tokens without overhead.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactionReport {
    pub number: u32,
    pub turn: u32,
    /// The first turn after the next compaction; `null` for the last one.
    pub next_turn: Option<u32>,
    pub line: u64,
    /// Request `turn` if there had been no compaction.
    pub before: u64,
    /// Request `turn` as sent.
    pub after: u64,
    /// Like `before`, but stated by the log.
    pub stated_before: Option<u64>,
    pub gone: CompactedContent,
    pub summary_tokens: u64,
    /// True if the log contains the summary's text. Some harnesses do not log it.
    pub has_summary: bool,
    pub summary: SummaryForm,
    /// The content before the compaction by kind, and what of it the context has afterwards.
    pub kinds: Vec<DetailCounts>,
    pub details: NeededDetails,
    /// Some questions whose answer stood before and was used before `next_turn`: those without an answer first.
    pub questions: Vec<RecallQuestion>,
    pub n_questions: QuestionCounts,
    /// Names the agent used again before `next_turn`.
    pub needed: NeededNames,
    pub again: ReacquiredCounts,
    /// Names removed here but first used again from `next_turn` on.
    pub n_late: u32,
    pub late_again: ReacquiredCounts,
    /// Calls before the first edit; all calls before `next_turn` if there is no edit.
    pub n_calls_before_edit: u32,
    pub edit_turn: Option<u32>,
    /// From the compaction to the first edit; to `next_turn` if there is no edit.
    pub pace: EditPaceFigures,
    /// From the compaction before, or the session's start, to this compaction.
    pub pace_before: EditPaceFigures,
    /// Policies applied once in place of the compaction, with the same room.
    pub instead: Vec<CounterfactualRow>,
    /// Blocks in the [`RecoveryAnswer`]: evicted, then needed again.
    pub n_recoverable: u32,
    pub says: CompactionSentences,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactionSentences {
    pub gone: String,
    pub kinds: String,
    pub questions: String,
    pub needed: String,
    pub again: String,
    pub edit: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CompactedContent {
    pub n_blocks: u32,
    pub tokens: u64,
    /// Files whose content no block in the context has any more.
    pub n_files: u32,
    pub files: Vec<String>,
    pub n_commands: u32,
    /// Identifiers no tool result in the context has any more.
    pub n_symbols: u32,
    pub n_decisions: u32,
    pub decisions: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct DetailCounts {
    pub kind: DetailKind,
    pub n_all: u32,
    /// Word for word in the context.
    pub n_literal: u32,
    /// By an ending of the path, or by the command's program and first argument.
    pub n_named: u32,
    /// Neither; `null` if the summary cannot be read.
    pub n_lost: Option<u32>,
    pub n_needed: u32,
    pub n_needed_literal: u32,
    pub n_needed_named: u32,
    /// `null` if the summary cannot be read.
    pub n_needed_lost: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NeededDetails {
    pub n_needed: u32,
    /// Word for word or by name in the context; `null` if the summary cannot be read.
    pub n_remain: Option<u32>,
}

/// A question about a needed file, command or number. No model asks or answers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecallQuestion {
    pub kind: DetailKind,
    pub question: String,
    pub answer: String,
    /// How the context after the compaction has the answer.
    pub fate: DetailFateName,
    pub block: String,
    pub turn: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct QuestionCounts {
    pub n_all: u32,
    pub n_literal: u32,
    pub n_named: u32,
    /// `null` if the summary cannot be read.
    pub n_lost: Option<u32>,
}

/// Calls and content of a stretch of turns, without its edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct EditPaceFigures {
    pub from_turn: u32,
    pub n_edits: u32,
    pub n_calls: u32,
    pub tokens: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NeededNames {
    pub n_names: u32,
    pub n_kept: u32,
    pub n_named: u32,
    pub n_lost: u32,
    /// Names whose block was removed and that an unreadable summary may mention.
    pub n_untold: u32,
    /// Some needed names: lost first, then named, then kept; each group lists files, commands, symbols.
    pub names: Vec<NeededNameRow>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NeededNameFate {
    Lost,
    /// The block was removed, and the log does not hold the summary's text.
    Untold,
    /// The block was removed, but the summary mentions the name.
    Named,
    Kept,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NeededNameRow {
    pub kind: NameKind,
    pub name: String,
    pub fate: NeededNameFate,
    pub turn: u32,
    /// Replies using the name before a newer block contained it.
    pub n_uses: u32,
    pub block: String,
    /// Tokens in the reacquiring result; `null` if nothing was reacquired.
    pub again_tokens: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReacquiredCounts {
    pub n_results: u32,
    /// File reads among `n_results`. Commands and searches may have been repeated for another reason.
    pub n_files: u32,
    pub tokens: u64,
    /// The price to write `tokens` into the prompt once, millionths of a dollar; `null` if the model has no price.
    pub cost: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CounterfactualRow {
    pub policy: String,
    pub tokens: u64,
    /// True if the policy cannot shrink the context to the size after the compaction.
    pub is_over: bool,
    pub n_kept: u32,
    /// Needed names whose block goes, but which the policy's summaries or descriptions mention.
    pub n_named: u32,
    pub kinds: Vec<DetailCounts>,
    pub details: NeededDetails,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecoveryRequest {
    pub view: ViewSettings,
    pub compaction: u32,
}

/// Blocks removed by a compaction and needed later, as a text to copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecoveryAnswer {
    pub revision: u32,
    pub text: String,
    pub n_blocks: u32,
    pub n_left_out: u32,
    pub n_chars: u64,
}
