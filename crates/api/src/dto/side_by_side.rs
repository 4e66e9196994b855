//! Two sessions aligned turn by turn, with the figures of both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    AnnotationSourceDto, CacheRulesDto, CacheUsedDto, DiffersDto, FigureUnitDto, PriceDto, ViewDto,
    WorkKindDto,
};

/// Asks for an alignment of two sessions.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideBySideRequest {
    pub session: u32,
    pub view: ViewDto,
    pub other: u32,
    pub other_view: ViewDto,
    #[serde(default)]
    pub cache: CacheRulesDto,
}

/// Two sessions aligned by their work.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideBySideDto {
    pub a: SessionSideDto,
    pub b: SessionSideDto,
    pub figures: Vec<PairedFigureDto>,
    /// The divergence point: the first row with work only one session does; `null` if both do the same.
    pub parting: Option<PartingDto>,
    /// The first row with any difference, even in wording or results.
    pub first_difference: Option<PartingDto>,
    /// Equal rows.
    pub n_same: u32,
    /// Rows with the same work but different wording or results.
    pub n_texts: u32,
    /// Rows that differ only in episode marks.
    pub n_marks: u32,
    /// Rows with work only one session does.
    pub n_work: u32,
    /// Turns of both sessions, in order.
    pub rows: Vec<SideRowDto>,
    /// A summary in one sentence.
    pub says: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionSideDto {
    /// The session's number; 0 if it is not in the store.
    pub session: u32,
    pub revision: u32,
    pub title: String,
    pub path: String,
    pub format: String,
    pub model: Option<String>,
    pub source: AnnotationSourceDto,
    pub policy: String,
    /// The token budget τ.
    pub budget: u64,
    /// The tokenizer, with its crate and version.
    pub counted_by: String,
    pub price: PriceDto,
    pub cache: CacheUsedDto,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PairedFigureDto {
    /// A stable identifier.
    pub name: String,
    /// The name shown to people.
    pub title: String,
    pub unit: FigureUnitDto,
    /// `null` if the first session has no such figure.
    pub a: Option<u64>,
    pub b: Option<u64>,
    /// `b` − `a`; `null` if either is missing.
    pub more: Option<i64>,
}

/// A row at which two sessions differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PartingDto {
    /// An index into [`SideBySideDto::rows`].
    pub row: u32,
    /// The first session's turn, or its next turn if the row has none.
    pub a_turn: Option<u32>,
    /// The second session's turn, or its next turn if the row has none.
    pub b_turn: Option<u32>,
    /// The first session's work, as a clause without full stop.
    pub a: String,
    /// The second session's work, likewise.
    pub b: String,
}

/// A turn of either session, or two aligned turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideRowDto {
    pub differs: DiffersDto,
    /// `null` if only the second session has a turn here.
    pub a: Option<SideTurnDto>,
    pub b: Option<SideTurnDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideTurnDto {
    /// From 1.
    pub turn: u32,
    pub work: Vec<WorkUnitDto>,
}

/// A unit of work: a call, human message, episode mark or reply without a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct WorkUnitDto {
    pub kind: WorkKindDto,
    /// Files, command or words on one line; empty for a reply without a call.
    pub what: String,
    /// A clause without full stop.
    pub says: String,
    /// True if the other session does the same.
    pub shared: bool,
    /// False for a failed call.
    pub ok: bool,
    /// The block of the call or message, `ENTRY:INDEX`.
    pub block: String,
    /// The log line of `block`, from 1.
    pub line: u64,
}
