//! Exports: a session that is given away, with everything in it that its page will be asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    CapturedBodyDto, CapturedDto, CapturedPartDto, CompactionsDto, CompareAtDto, CompareDto, CutDto,
    EpisodeAlwaysDto, EpisodeAtCutDto, FindingDto, GraphDto, HistoryDto, OverBudgetDto, RecoveryDto,
    RegretStoriesDto, RegretsDto, ReplayDto, SessionDto, StepsDto, ViewDto,
};

/// Asks for an export.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportRequest {
    /// The session.
    pub session: u32,
    /// The views that the page can show, the one that it opens with first.
    pub views: Vec<ViewDto>,
    /// Where the page opens.
    pub cut: CutDto,
    /// False leaves secrets and names in it.
    pub redact: bool,
    /// For each view, in their order, the views that stand beside it in its comparison. A view without any has no
    /// comparison.
    #[serde(default)]
    pub compared: Vec<Vec<ViewDto>>,
}

/// An export: the answers of the commands at every cut. Numbers stand in columns and as changes, so that it stays small.
/// The page only looks answers up.
///
/// Cuts are numbered through: turn 1 before its first step is 0, then each of its steps, then turn 2. A *moment* below is
/// such a number.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportDto {
    /// Grows when the form changes.
    pub form: u32,
    /// The program that made it, with its version.
    pub made_by: String,
    /// The session. Its path is the file's name alone, and of all choices it has those that are in here.
    pub session: SessionDto,
    /// The views, the one that the page opens with first.
    pub views: Vec<ExportedViewDto>,
    /// Where the page opens.
    pub cut: CutDto,
    /// The episodes, in graph order; none where the session is too long for what is said of each.
    pub episodes: Vec<EpisodeAlwaysDto>,
    /// The blocks of the session.
    pub rows: ExportedRowsDto,
    /// Texts that columns name by their places.
    pub words: Vec<String>,
    /// The audit of the compactions that the log records; `null` where it records none.
    pub compactions: Option<CompactionsDto>,
    /// The recovery texts of the compactions: the number of the compaction, and its text.
    pub recoveries: Vec<(u32, RecoveryDto)>,
    /// The captured bodies; `null` where none lie beside the log.
    pub captured: Option<ExportedCapturedDto>,
    /// The redactions; `null` where none was asked for.
    pub redacted: Option<RedactedDto>,
    /// The things that the page leaves out, as sentences.
    pub left_out: Vec<String>,
}

/// The redactions, counted by kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RedactedDto {
    /// Kind, how many different ones, in how many places; the most first.
    pub counts: Vec<(String, u32, u32)>,
    /// How many texts were left out because they could not be looked through.
    pub left_out: u32,
}

/// One view of an export.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedViewDto {
    /// The view as it was asked for.
    pub view: ViewDto,
    /// The graph.
    pub graph: GraphDto,
    /// The history.
    pub history: HistoryDto,
    /// The replay.
    pub replay: ReplayDto,
    /// The steps of every turn.
    pub steps: Vec<StepsDto>,
    /// The total of the request at every moment, tokens.
    pub totals: Vec<u64>,
    /// The levels of episodes: moment, episode, level, three numbers for each change; all are 0 at first.
    pub levels: Vec<u32>,
    /// The tokens that are left of episodes, in the same form; at first they are those of level 0 in the graph.
    pub left: Vec<u32>,
    /// The size of each row, tokens.
    pub tokens: Vec<u64>,
    /// Rows whose size is derived from the usage that the provider reported.
    pub derived: Vec<u32>,
    /// The first turn whose request misses each row because the policy took it, and the first turn whose reply got the
    /// same again while it was evicted.
    pub absences: Vec<(Option<u32>, Option<u32>)>,
    /// The states that rows can have.
    pub states: Vec<ExportedStateDto>,
    /// For each row: moment and state, two numbers for each change. The state's number is one more than its place in
    /// `states`; 0 means that the row is not in the list.
    pub spans: Vec<Vec<u32>>,
    /// The moments whose lists are recorded; `null` is all of them.
    pub looked_at: Option<Vec<u32>>,
    /// The tokens of the rows that are not kept, for each recorded list.
    pub gone_tokens: Vec<u64>,
    /// The moments at which the budget comes to be met, or is met no more, in turn; it is met at first.
    pub met: Vec<u32>,
    /// Where the tokens are when the budget cannot be met, for each recorded list at the end of such a turn, with its moment.
    pub over: Vec<(u32, OverBudgetDto)>,
    /// The findings of all passes, in the order in which a list has them.
    pub findings: Vec<FindingDto>,
    /// For each finding: the moments at which it comes into the list and goes out of it, in turn.
    pub finding_spans: Vec<Vec<u32>>,
    /// The details that episodes can have.
    pub details: Vec<EpisodeAtCutDto>,
    /// For each episode: moment and place in `details`, two numbers for each change.
    pub detail_spans: Vec<Vec<u32>>,
    /// For each episode: the moment of a step that touched it, and the first moment whose history does not have that step,
    /// two numbers for each step.
    pub histories: Vec<Vec<u32>>,
    /// The comparison with other views; `null` where none was asked for.
    pub comparison: Option<ExportedComparisonDto>,
    /// The episodes of which something was got again.
    pub regrets: Option<RegretsDto>,
    /// Everything that was got again; the first of its stories, where there are many.
    pub stories: Option<RegretStoriesDto>,
}

/// The captured bodies of an export. System prompts and tools stand here once, as most turns send the same.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedCapturedDto {
    /// All turns with a captured body, without their differences.
    pub whole: CapturedDto,
    /// The bodies of turns, ascending, without system prompts and tools.
    pub bodies: Vec<CapturedBodyDto>,
    /// For each body the parts of its system prompt and its tools, as places in `parts`.
    pub heads: Vec<(Vec<u32>, Vec<u32>)>,
    /// System prompts and tools.
    pub parts: Vec<CapturedPartDto>,
}

/// A comparison of an export: its figures over the session, and those at the ends of some turns.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedComparisonDto {
    /// The views of the columns, the main one first.
    pub views: Vec<ViewDto>,
    /// The comparison as it is at the last of `turns`.
    pub whole: CompareDto,
    /// The turns at whose ends the figures are recorded, ascending.
    pub turns: Vec<u32>,
    /// For each column its figures at the ends of these turns.
    pub at: Vec<Vec<CompareAtDto>>,
}

/// A state that a row can have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedStateDto {
    /// True when the model receives the block itself.
    pub kept: bool,
    /// True when the model receives the block or something in its place.
    pub sent: bool,
    /// The level that took it.
    pub level: Option<u8>,
    /// Why, while the budget is met: a place in `words`.
    pub reason: u32,
    /// Why, while it is not.
    pub reason_over: u32,
    /// The turn whose step took it.
    pub evicted_turn: Option<u32>,
    /// The step of that turn, from 1.
    pub evicted_step: Option<u32>,
    /// The text that the model receives in its place: an index into `words`.
    pub placeholder: Option<u32>,
}

/// The rows of lists, as columns. Columns of words name places in the table of words.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedRowsDto {
    /// The block.
    pub block: Vec<String>,
    /// The record, a word.
    pub entry: Vec<u32>,
    /// The line in the log.
    pub line: Vec<u64>,
    /// The role, a word.
    pub role: Vec<u32>,
    /// The author, a word.
    pub author: Vec<u32>,
    /// The kind, a word.
    pub kind: Vec<u32>,
    /// The tool, a word; `null` where it is about none.
    pub tool: Vec<Option<u32>>,
    /// The file that it is about, a word; `null` where it is about none.
    pub path: Vec<Option<u32>>,
    /// The line about the call, or about the call of a result, a word; `null` where there is none.
    pub about: Vec<Option<u32>>,
    /// Rows that are results of tools that failed.
    pub failed: Vec<u32>,
    /// The episode.
    pub episode: Vec<Option<u32>>,
    /// How many characters the whole text has.
    pub n_chars: Vec<u64>,
    /// How many lines.
    pub n_lines: Vec<u32>,
    /// How many images.
    pub n_images: Vec<u32>,
    /// The text, redacted and after that cut.
    pub text: Vec<String>,
    /// The rows in the order of the log; `null` where they stand in it.
    pub in_log_order: Option<Vec<u32>>,
}
