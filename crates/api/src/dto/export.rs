//! Exports: a session in one file, with every answer its page will need.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    CapturedBodyDto, CapturedDto, CapturedPartDto, CompactionsDto, CompareAtDto, CompareDto, CutDto,
    EpisodeAlwaysDto, EpisodeAtCutDto, FindingDto, GraphDto, HistoryDto, OverBudgetDto, RecoveryDto,
    RegretStoriesDto, RegretsDto, ReplayDto, SessionDto, StepsDto, ViewDto,
};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportRequest {
    pub session: u32,
    /// The first view is shown initially.
    pub views: Vec<ViewDto>,
    /// The initial cut.
    pub cut: CutDto,
    /// False keeps secrets and names in the export.
    pub redact: bool,
    /// For each view, the views compared with it. A view without any has no comparison.
    #[serde(default)]
    pub compared: Vec<Vec<ViewDto>>,
}

/// An export: the commands' answers at every cut. Numbers are stored in columns and as changes to stay small; the page
/// only looks up answers.
///
/// Cuts are numbered consecutively: 0 is turn 1 before its first step, then follows each of its steps, then turn 2.
/// Such a number is called a *moment* below.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportDto {
    /// The format version.
    pub form: u32,
    /// The program and its version.
    pub made_by: String,
    /// The session, with its path reduced to the file name and its `choices` reduced to those exported.
    pub session: SessionDto,
    /// The first view is shown initially.
    pub views: Vec<ExportedViewDto>,
    /// The initial cut.
    pub cut: CutDto,
    /// Episodes in graph order; empty if the session is too long.
    pub episodes: Vec<EpisodeAlwaysDto>,
    pub rows: ExportedRowsDto,
    /// Strings referenced by index.
    pub words: Vec<String>,
    /// `null` if the log records no compaction.
    pub compactions: Option<CompactionsDto>,
    /// Recovery texts, each with the [`CompactionDto::number`](super::CompactionDto::number).
    pub recoveries: Vec<(u32, RecoveryDto)>,
    /// `null` if no bodies lie beside the log.
    pub captured: Option<ExportedCapturedDto>,
    /// `null` if redaction was off.
    pub redacted: Option<RedactedDto>,
    /// Omissions, as sentences.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RedactedDto {
    /// Kind, distinct secrets, occurrences; most frequent first.
    pub counts: Vec<(String, u32, u32)>,
    /// Texts omitted because they could not be scanned.
    pub left_out: u32,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedViewDto {
    pub view: ViewDto,
    pub graph: GraphDto,
    pub history: HistoryDto,
    pub replay: ReplayDto,
    /// The steps of every turn.
    pub steps: Vec<StepsDto>,
    /// Total tokens of the request at every moment.
    pub totals: Vec<u64>,
    /// Triples of moment, episode, new level. All levels start at 0.
    pub levels: Vec<u32>,
    /// Triples of moment, episode, tokens left. Tokens start at the graph's level 0.
    pub left: Vec<u32>,
    /// Tokens of each row.
    pub tokens: Vec<u64>,
    /// Rows whose size was derived from reported usage.
    pub derived: Vec<u32>,
    /// For each row, the first turn whose request lacks it because of the policy, and the first turn whose reply
    /// reacquired it after the eviction.
    pub absences: Vec<(Option<u32>, Option<u32>)>,
    /// Distinct states of rows.
    pub states: Vec<ExportedStateDto>,
    /// For each row, pairs of moment and new state: 0 if the row is not listed, else 1 + an index into `states`.
    pub spans: Vec<Vec<u32>>,
    /// Moments with recorded lists; `null` means all.
    pub looked_at: Option<Vec<u32>>,
    /// Tokens of evicted rows, for each recorded list.
    pub gone_tokens: Vec<u64>,
    /// Moments at which the budget switches between met and exceeded, starting with met.
    pub met: Vec<u32>,
    /// For each recorded list at the end of a turn over budget: its moment, and where the tokens are.
    pub over: Vec<(u32, OverBudgetDto)>,
    /// Findings of all passes, in list order.
    pub findings: Vec<FindingDto>,
    /// For each finding, the moments at which it alternately appears and disappears.
    pub finding_spans: Vec<Vec<u32>>,
    /// Distinct details of episodes.
    pub details: Vec<EpisodeAtCutDto>,
    /// For each episode, pairs of moment and index into `details`.
    pub detail_spans: Vec<Vec<u32>>,
    /// For each episode, pairs: the moment of a step on it, and the first moment whose history lacks the step.
    pub histories: Vec<Vec<u32>>,
    /// `null` if none was requested.
    pub comparison: Option<ExportedComparisonDto>,
    /// Episodes with reacquired content.
    pub regrets: Option<RegretsDto>,
    /// Reacquired content; the first stories only if there are many.
    pub stories: Option<RegretStoriesDto>,
}

/// Captured bodies of an export. System prompts and tools are stored once because most turns repeat them.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedCapturedDto {
    /// Turns with a captured body, without differences.
    pub whole: CapturedDto,
    /// Bodies in turn order, without system prompts and tools.
    pub bodies: Vec<CapturedBodyDto>,
    /// For each body, indices into `parts`: its system prompt, its tools.
    pub heads: Vec<(Vec<u32>, Vec<u32>)>,
    /// Distinct system prompts and tool definitions.
    pub parts: Vec<CapturedPartDto>,
}

/// A comparison in an export: figures over the session, and at the ends of some turns.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedComparisonDto {
    /// The views of the columns, main view first.
    pub views: Vec<ViewDto>,
    /// The comparison at the last of `turns`.
    pub whole: CompareDto,
    /// Turns with recorded figures, ascending.
    pub turns: Vec<u32>,
    /// For each column, its figures at the ends of `turns`.
    pub at: Vec<Vec<CompareAtDto>>,
}

/// A state of a row. Strings are indices into [`ExportDto::words`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedStateDto {
    /// True if the model receives the block itself.
    pub kept: bool,
    /// True if the model receives the block or a placeholder.
    pub sent: bool,
    /// The eviction level responsible.
    pub level: Option<u8>,
    /// The reason if the budget is met.
    pub reason: u32,
    /// The reason if the budget is not met.
    pub reason_over: u32,
    /// The turn of the eviction.
    pub evicted_turn: Option<u32>,
    /// The step within `evicted_turn`, from 1.
    pub evicted_step: Option<u32>,
    /// The text sent instead.
    pub placeholder: Option<u32>,
}

/// Rows of lists, stored as columns. Columns of `u32` strings (`entry`, `role`, `author`, `kind`, `tool`, `path`,
/// `about`) are indices into [`ExportDto::words`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedRowsDto {
    pub block: Vec<String>,
    pub entry: Vec<u32>,
    pub line: Vec<u64>,
    pub role: Vec<u32>,
    pub author: Vec<u32>,
    pub kind: Vec<u32>,
    pub tool: Vec<Option<u32>>,
    /// The file accessed.
    pub path: Vec<Option<u32>>,
    /// The call in one line, as [`ItemDto::about`](super::ItemDto::about).
    pub about: Vec<Option<u32>>,
    /// Rows that are failed tool results.
    pub failed: Vec<u32>,
    pub episode: Vec<Option<u32>>,
    /// Characters of the whole text.
    pub n_chars: Vec<u64>,
    pub n_lines: Vec<u32>,
    pub n_images: Vec<u32>,
    /// The text, redacted and then cut.
    pub text: Vec<String>,
    /// Rows in log order; `null` if `block` is in log order.
    pub in_log_order: Option<Vec<u32>>,
}
