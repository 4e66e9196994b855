//! Exports: a session in one file, with every answer its page will need.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    CapturedBodyDto, CapturedDto, CapturedPartDto, CompactionsDto, CompareAtDto, CompareDto, CutDto,
    EpisodeAlwaysDto, EpisodeAtCutDto, FindingDto, GraphDto, HistoryDto, OverBudgetDto, PolicyVerdictDto,
    RecoveryDto, RegretStoriesDto, RegretsDto, ReplayDto, SessionDto, StepsDto, ViewDto,
};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportRequest {
    pub session: u32,
    /// The page opens with the first view, at `cut`.
    pub views: Vec<ViewDto>,
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
    pub form: u32,
    pub made_by: String,
    /// The session, with its path reduced to the file name and its `choices` reduced to those exported.
    pub session: SessionDto,
    /// The page opens with the first view, at `cut`.
    pub views: Vec<ExportedViewDto>,
    pub cut: CutDto,
    /// Episodes in [`GraphDto::episodes`] order; empty if the session is too long.
    pub episodes: Vec<EpisodeAlwaysDto>,
    pub rows: ExportedRowsDto,
    /// Strings that columns of `rows` and `states` reference by index.
    pub words: Vec<String>,
    pub verdict: PolicyVerdictDto,
    pub compactions: Option<CompactionsDto>,
    /// Recovery texts, each with the [`CompactionDto::number`](super::CompactionDto::number).
    pub recoveries: Vec<(u32, RecoveryDto)>,
    pub captured: Option<ExportedCapturedDto>,
    pub redacted: Option<RedactedDto>,
    pub left_out: Vec<String>,
}

/// A page with an engine: beside this, the page holds the session as data and the engine.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedSessionDto {
    pub made_by: String,
    /// The name of the log's file.
    pub path: String,
    /// The page opens with this view, at `cut`.
    pub view: ViewDto,
    pub cut: CutDto,
    pub redacted: Option<RedactedDto>,
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RedactedDto {
    /// `(kind, distinct secrets, occurrences)`, most frequent first.
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
    pub steps: Vec<StepsDto>,
    pub totals: Vec<u64>,
    /// `(moment, episode, level)` triples, flattened. All levels start at 0.
    pub levels: Vec<u32>,
    /// `(moment, episode, tokens)` triples, flattened. Tokens start at
    /// [`EpisodeDto::kept_at`](super::EpisodeDto::kept_at)`[0]`.
    pub left: Vec<u32>,
    pub tokens: Vec<u64>,
    pub derived: Vec<u32>,
    /// For each row, the first turn whose request lacks it because of the policy, and the first turn whose reply
    /// reacquired it after the eviction.
    pub absences: Vec<(Option<u32>, Option<u32>)>,
    pub states: Vec<ExportedStateDto>,
    /// For each row, pairs of moment and new state: 0 if the row is not listed, else 1 + an index into `states`.
    pub spans: Vec<Vec<u32>>,
    /// Moments with recorded lists; `null` means all.
    pub looked_at: Option<Vec<u32>>,
    /// Tokens in evicted rows, for each recorded list.
    pub gone_tokens: Vec<u64>,
    /// Moments at which `budget` switches between met and exceeded, starting with met.
    pub met: Vec<u32>,
    /// For each recorded list that ends a turn over budget: its moment, and the holders of tokens.
    pub over: Vec<(u32, OverBudgetDto)>,
    pub findings: Vec<FindingDto>,
    /// For each of `findings`, the moments at which it alternately appears and disappears.
    pub finding_spans: Vec<Vec<u32>>,
    pub details: Vec<EpisodeAtCutDto>,
    /// For each episode, pairs of moment and index into `details`.
    pub detail_spans: Vec<Vec<u32>>,
    /// For each episode, `(moment, end)` pairs: a step changes the episode at `moment`, and from `end` on the history
    /// lacks the step.
    pub histories: Vec<Vec<u32>>,
    pub comparison: Option<ExportedComparisonDto>,
    pub regrets: Option<RegretsDto>,
    /// Reacquired content; the first stories only if there are many.
    pub stories: Option<RegretStoriesDto>,
}

/// Captured bodies of an export. System prompts and tools are stored once because most turns repeat them.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedCapturedDto {
    pub whole: CapturedDto,
    /// Bodies in turn order, with `heads` in place of system prompts and tools.
    pub bodies: Vec<CapturedBodyDto>,
    /// For each body, indices into `parts`: its system prompt, its tools.
    pub heads: Vec<(Vec<u32>, Vec<u32>)>,
    pub parts: Vec<CapturedPartDto>,
}

/// A comparison in an export: figures over the session, and at the end of some turns.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedComparisonDto {
    pub views: Vec<ViewDto>,
    pub whole: CompareDto,
    pub turns: Vec<u32>,
    /// For each column, its figures at the ends of `turns`.
    pub at: Vec<Vec<CompareAtDto>>,
}

/// A state of a row. Strings are indices into [`ExportDto::words`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedStateDto {
    pub kept: bool,
    /// True if the model receives the block (`kept`) or a `placeholder`.
    pub sent: bool,
    pub level: Option<u8>,
    pub reason: u32,
    /// Like `reason`, at moments over budget.
    pub reason_over: u32,
    pub evicted_turn: Option<u32>,
    pub evicted_step: Option<u32>,
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
    pub path: Vec<Option<u32>>,
    pub about: Vec<Option<u32>>,
    pub failed: Vec<u32>,
    pub episode: Vec<Option<u32>>,
    pub n_chars: Vec<u64>,
    pub n_lines: Vec<u32>,
    pub n_images: Vec<u32>,
    pub text: Vec<String>,
    /// Rows in log order; `null` if `block` is in log order.
    pub in_log_order: Option<Vec<u32>>,
}
