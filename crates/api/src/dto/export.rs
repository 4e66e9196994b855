//! Exports: a session that is given away, with everything in it that its page will be asked for.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CutDto, FindingDto, GraphDto, HistoryDto, NeedDto, ReplayDto, SessionDto, StepsDto, ViewDto};

/// Asks for an export.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportRequest {
    /// The session.
    pub session: u32,
    /// The views that the page can show, the one that it opens with first.
    pub views: Vec<ViewDto>,
    /// Where the page opens.
    pub cut: CutDto,
    /// False leaves secrets and names in it.
    pub redact: bool,
}

/// An export. Numbers stand in columns and as changes, so that it stays small; looking something up works out nothing
/// anew.
///
/// Places in time are counted through: turn 1 before its first step is 0, then each of its steps, then turn 2.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
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
    pub episodes: Vec<ExportedEpisodeDto>,
    /// The blocks of the session.
    pub rows: ExportedRowsDto,
    /// Texts that columns name by their places.
    pub words: Vec<String>,
    /// What was redacted; `null` where nothing was to be.
    pub redacted: Option<RedactedDto>,
    /// What is not in here, as sentences.
    pub left_out: Vec<String>,
}

/// What was redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RedactedDto {
    /// Kind, how many different ones, in how many places; the most first.
    pub counts: Vec<(String, u32, u32)>,
    /// How many texts were left out because they could not be looked through.
    pub left_out: u32,
}

/// One view of an export.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportedViewDto {
    /// The view as it was asked for.
    pub view: ViewDto,
    /// The graph.
    pub graph: GraphDto,
    /// The history.
    pub history: HistoryDto,
    /// The replay.
    pub replay: ReplayDto,
    /// The turns that have steps.
    pub passes: Vec<StepsDto>,
    /// Levels of episodes: place in time, episode, level, three numbers for each change; all are 0 at first.
    pub levels: Vec<u32>,
    /// What is left of episodes, in the same form; at first it is what the graph says of level 0.
    pub left: Vec<u32>,
    /// The size of each row, tokens.
    #[ts(type = "number[]")]
    pub tokens: Vec<u64>,
    /// What may be true of a row.
    pub states: Vec<ExportedStateDto>,
    /// For each row: place in time and state, two numbers for each change; the state's number is one more than its
    /// place in `states`, and 0 is not being there.
    pub spans: Vec<Vec<u32>>,
    /// The places in time at which `spans` were looked at; `null` is all of them.
    pub looked_at: Option<Vec<u32>>,
    /// The places in time at which the budget comes to be met, or not to be any more, in turn; it is met at first.
    pub met: Vec<u32>,
    /// Where the tokens are at each end of a turn at which the budget is not met and whose list was looked at.
    pub over: Vec<ExportedOverDto>,
    /// What a verification of all passes says, in the order of first turns.
    pub findings: Vec<FindingDto>,
    /// True where what was evicted stays so, and the history of an episode goes back to the first turn; else every turn
    /// begins anew, and it is of the turn alone.
    pub remembers: bool,
    /// What is said of episodes.
    pub details: Vec<ExportedDetailDto>,
    /// For each episode: place in time and place in `details`, two numbers for each change.
    pub detail_spans: Vec<Vec<u32>>,
}

/// What is true of an episode at any time.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportedEpisodeDto {
    /// What the agent said that it learned.
    pub description: Option<String>,
    /// What it declares.
    pub needs: Vec<NeedDto>,
    /// Acts that declare it.
    pub feeds: Vec<u32>,
    /// How many acts it waits for without their saying so.
    pub n_implicit: u32,
    /// The turn before which it closed.
    pub closed_turn: Option<u32>,
}

/// What is said of an episode for a while. Texts are places in `words`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportedDetailDto {
    /// Its level.
    pub level: u8,
    /// What people call it.
    pub level_name: u32,
    /// Where it is in its life.
    pub life: u32,
    /// Why it is there or gone.
    pub why: u32,
    /// Its size with everything in it, tokens.
    #[ts(type = "number")]
    pub tokens: u64,
    /// What the model receives of it, tokens.
    #[ts(type = "number")]
    pub kept: u64,
    /// What it is made of: kind, tokens in all, tokens kept.
    #[ts(type = "[number, number, number][]")]
    pub parts: Vec<(u32, u64, u64)>,
    /// Acts that keep it from going.
    pub held: Vec<u32>,
}

/// Where the tokens are when the budget cannot be met.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportedOverDto {
    /// The place in time.
    pub place: u32,
    /// Tokens above the budget.
    #[ts(type = "number")]
    pub above: u64,
    /// What holds them, the largest first: a place in `words`, tokens.
    #[ts(type = "[number, number][]")]
    pub held_by: Vec<(u32, u64)>,
}

/// What may be true of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportedStateDto {
    /// True when the model receives it.
    pub kept: bool,
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
    /// What the model receives in its place: a place in `words`.
    pub placeholder: Option<u32>,
}

/// The rows of lists, as columns. Columns of words name places in the table of words.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportedRowsDto {
    /// The block.
    pub block: Vec<String>,
    /// The record, a word.
    pub entry: Vec<u32>,
    /// The line in the log.
    #[ts(type = "number[]")]
    pub line: Vec<u64>,
    /// The role, a word.
    pub role: Vec<u32>,
    /// The author, a word.
    pub author: Vec<u32>,
    /// The kind, a word.
    pub kind: Vec<u32>,
    /// The tool, a word; `null` where it is about none.
    pub tool: Vec<Option<u32>>,
    /// Rows that are results of tools that failed.
    pub failed: Vec<u32>,
    /// The episode.
    pub episode: Vec<Option<u32>>,
    /// How many characters the whole text has.
    #[ts(type = "number[]")]
    pub n_chars: Vec<u64>,
    /// How many lines.
    pub n_lines: Vec<u32>,
    /// How many images.
    pub n_images: Vec<u32>,
    /// The text, redacted and after that cut.
    pub text: Vec<String>,
}
