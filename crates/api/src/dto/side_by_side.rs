//! Two sessions side by side: what each did, turn by turn, and the figures of both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    AnnotationSourceDto, CacheRulesDto, CacheUsedDto, DiffersDto, FigureUnitDto, PriceDto, ViewDto,
    WorkKindDto,
};

/// Asks for two sessions side by side.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideBySideRequest {
    /// The first session.
    pub session: u32,
    /// The view of the first session.
    pub view: ViewDto,
    /// The second session.
    pub other: u32,
    /// The view of the second session.
    pub other_view: ViewDto,
    /// How the cache is taken to work.
    #[serde(default)]
    pub cache: CacheRulesDto,
}

/// Two sessions side by side.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideBySideDto {
    /// The first session.
    pub a: SessionSideDto,
    /// The second session.
    pub b: SessionSideDto,
    /// The figures of both.
    pub figures: Vec<PairedFigureDto>,
    /// The first row where one does what the other does not; `null` where both do the same.
    pub parting: Option<PartingDto>,
    /// The first row that differs in anything, in words and results as well; `null` where nothing differs.
    pub first_difference: Option<PartingDto>,
    /// How many rows differ in nothing.
    pub n_same: u32,
    /// How many rows are the same work with other words or results.
    pub n_texts: u32,
    /// How many rows differ in the marks of episodes only.
    pub n_marks: u32,
    /// How many rows have work that the other side does not do.
    pub n_work: u32,
    /// The turns of both, in their order.
    pub rows: Vec<SideRowDto>,
    /// All of it in one sentence.
    pub says: String,
}

/// One of two sessions.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionSideDto {
    /// The number by which commands name it; 0 where it is in no store.
    pub session: u32,
    /// The revision of the session that it is of.
    pub revision: u32,
    /// The session's title.
    pub title: String,
    /// The log's path.
    pub path: String,
    /// The log's format.
    pub format: String,
    /// The last model.
    pub model: Option<String>,
    /// Where the episodes come from.
    pub source: AnnotationSourceDto,
    /// The policy.
    pub policy: String,
    /// The token budget τ, tokens.
    pub budget: u64,
    /// The unit of all counts: the provider's tokens with their factor, or a tokenizer with its version.
    pub counted_by: String,
    /// The prices that were used.
    pub price: PriceDto,
    /// How the cache was taken to work.
    pub cache: CacheUsedDto,
}

/// A figure of both sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PairedFigureDto {
    /// The stable name.
    pub name: String,
    /// The name as people read it.
    pub title: String,
    /// The unit of the numbers.
    pub unit: FigureUnitDto,
    /// The figure of the first session; `null` where it has none.
    pub a: Option<u64>,
    /// The figure of the second session.
    pub b: Option<u64>,
    /// The second less the first; `null` where one of them is missing.
    pub more: Option<i64>,
}

/// A row where two sessions differ, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PartingDto {
    /// The row, by its place among the rows.
    pub row: u32,
    /// The turn of the first session; of a turn that it lacks the one that comes next.
    pub a_turn: Option<u32>,
    /// The turn of the second session.
    pub b_turn: Option<u32>,
    /// The work of the first session there, as a sentence without its end.
    pub a: String,
    /// The work of the second session there.
    pub b: String,
}

/// One row: a turn of either session, or of both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideRowDto {
    /// How both sides differ.
    pub differs: DiffersDto,
    /// The turn of the first session; `null` where only the second one has a turn here.
    pub a: Option<SideTurnDto>,
    /// The turn of the second session.
    pub b: Option<SideTurnDto>,
}

/// The work of a turn of one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideTurnDto {
    /// The turn, from 1.
    pub turn: u32,
    /// Its work, in order.
    pub work: Vec<WorkUnitDto>,
}

/// One unit of work: a call, the human's words, a mark, a reply without a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct WorkUnitDto {
    /// Its kind.
    pub kind: WorkKindDto,
    /// The files, the command or the words, on one line; empty for a reply without a call.
    pub what: String,
    /// The same as a sentence without its end.
    pub says: String,
    /// True where the other session does the same.
    pub shared: bool,
    /// False for a call that failed.
    pub ok: bool,
    /// The call, or the human's words: `ENTRY:INDEX`.
    pub block: String,
    /// Its line in the log, from 1.
    pub line: u64,
}
