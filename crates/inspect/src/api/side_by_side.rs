//! Two sessions aligned turn by turn, with the figures of both.

use cwl_engine::{AnnotationSource, RowDifference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CacheRules, CacheRulesInForce, FigureUnit, PriceInForce, ViewSettings, WorkKindName};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideBySideRequest {
    pub session: u32,
    pub view: ViewSettings,
    pub other: u32,
    pub other_view: ViewSettings,
    #[serde(default)]
    pub cache: CacheRules,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideBySideAnswer {
    pub a: SessionSide,
    pub b: SessionSide,
    pub figures: Vec<PairedFigure>,
    /// The divergence point: the first row with work only one session does; `null` if both do the same.
    pub parting: Option<DivergencePoint>,
    /// The first row not [`RowDifference::Nothing`].
    pub first_difference: Option<DivergencePoint>,
    pub n_same: u32,
    pub n_texts: u32,
    pub n_marks: u32,
    pub n_work: u32,
    pub rows: Vec<SideRow>,
    pub says: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionSide {
    /// As in [`SessionAnswer::session`](super::SessionAnswer::session); 0 without a store.
    pub session: u32,
    pub revision: u32,
    pub title: String,
    pub path: String,
    pub format: String,
    pub model: Option<String>,
    pub source: AnnotationSource,
    pub policy: String,
    pub budget: u64,
    pub counted_by: String,
    pub price: PriceInForce,
    pub cache: CacheRulesInForce,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PairedFigure {
    pub name: String,
    pub title: String,
    pub unit: FigureUnit,
    pub a: Option<u64>,
    pub b: Option<u64>,
    /// `b` − `a`; `null` if either is missing.
    pub more: Option<i64>,
}

/// A row at which two sessions differ, with the work on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct DivergencePoint {
    /// An index into [`SideBySideAnswer::rows`].
    pub row: u32,
    pub a_turn: Option<u32>,
    pub b_turn: Option<u32>,
    /// Work in `a_turn`; `b` likewise.
    pub a: String,
    pub b: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideRow {
    pub differs: RowDifference,
    /// `null` if only the second session has a turn here.
    pub a: Option<SideTurn>,
    pub b: Option<SideTurn>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SideTurn {
    pub turn: u32,
    pub work: Vec<WorkUnitRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct WorkUnitRow {
    pub kind: WorkKindName,
    /// Files, command or words on one line; empty for a reply without a call.
    pub what: String,
    pub says: String,
    pub shared: bool,
    pub ok: bool,
    pub block: String,
    pub line: u64,
}
