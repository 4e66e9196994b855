//! Two sessions aligned turn by turn, with the figures of both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    AnnotationSourceDto, CacheRulesDto, CacheUsedDto, DiffersDto, FigureUnitDto, PriceDto, ViewDto,
    WorkKindDto,
};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideBySideRequest {
    pub session: u32,
    pub view: ViewDto,
    pub other: u32,
    pub other_view: ViewDto,
    #[serde(default)]
    pub cache: CacheRulesDto,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideBySideDto {
    pub a: SessionSideDto,
    pub b: SessionSideDto,
    pub figures: Vec<PairedFigureDto>,
    /// The divergence point: the first row with work only one session does; `null` if both do the same.
    pub parting: Option<PartingDto>,
    /// The first row not [`DiffersDto::Nothing`].
    pub first_difference: Option<PartingDto>,
    pub n_same: u32,
    /// Rows with [`DiffersDto::Texts`].
    pub n_texts: u32,
    /// Rows with [`DiffersDto::Marks`].
    pub n_marks: u32,
    /// Rows with [`DiffersDto::Work`].
    pub n_work: u32,
    pub rows: Vec<SideRowDto>,
    pub says: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionSideDto {
    /// As in [`SessionDto::session`](super::SessionDto::session); 0 without a store.
    pub session: u32,
    pub revision: u32,
    pub title: String,
    pub path: String,
    pub format: String,
    pub model: Option<String>,
    pub source: AnnotationSourceDto,
    pub policy: String,
    pub budget: u64,
    pub counted_by: String,
    pub price: PriceDto,
    pub cache: CacheUsedDto,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PairedFigureDto {
    pub name: String,
    pub title: String,
    pub unit: FigureUnitDto,
    pub a: Option<u64>,
    pub b: Option<u64>,
    /// `b` − `a`; `null` if either is missing.
    pub more: Option<i64>,
}

/// A row at which two sessions differ, with the work on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PartingDto {
    /// An index into [`SideBySideDto::rows`].
    pub row: u32,
    pub a_turn: Option<u32>,
    pub b_turn: Option<u32>,
    /// Work in `a_turn`; `b` likewise.
    pub a: String,
    pub b: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideRowDto {
    pub differs: DiffersDto,
    /// `null` if only the second session has a turn here.
    pub a: Option<SideTurnDto>,
    pub b: Option<SideTurnDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideTurnDto {
    pub turn: u32,
    pub work: Vec<WorkUnitDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct WorkUnitDto {
    pub kind: WorkKindDto,
    /// Files, command or words on one line; empty for a reply without a call.
    pub what: String,
    pub says: String,
    pub shared: bool,
    pub ok: bool,
    /// The block of the call or message, `ENTRY:INDEX`.
    pub block: String,
    pub line: u64,
}
