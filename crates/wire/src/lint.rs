//! Lint findings about a log, its marks and a policy's passes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AnnotationSourceDto, CodeDto, EditDto, FigureUnitDto, SeverityDto};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintDto {
    pub revision: u32,
    pub source: AnnotationSourceDto,
    /// Findings in `line` order. Findings without a line come first.
    pub findings: Vec<LintItemDto>,
    pub codes: Vec<CodeDto>,
    pub counts: LintCountsDto,
    pub figures: Vec<QualityFigureDto>,
    pub figures_note: Option<String>,
}

/// A quality figure for an annotation, computed from `parts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct QualityFigureDto {
    pub name: String,
    pub title: String,
    /// The formatted figure; a dash if the denominator is 0.
    pub value: String,
    pub says: String,
    pub parts: Vec<FigurePartDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FigurePartDto {
    pub name: String,
    pub n: u64,
    pub unit: FigureUnitDto,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintItemDto {
    /// A rule's code: `L…`, `P…`, `Q…`, `T…`, `V…`.
    pub code: String,
    pub severity: SeverityDto,
    /// True if a heuristic `Q` rule judges inferred episodes. The finding doubts the inference and says nothing about
    /// the agent.
    pub doubt: bool,
    pub message: String,
    pub line: Option<u64>,
    pub turn: Option<u32>,
    pub block: Option<String>,
    pub episode: Option<u32>,
    pub name: Option<String>,
    pub on: Option<u32>,
    pub evidence: Vec<LintPlaceDto>,
    /// How strong a heuristic rule's evidence is, per mille; `null` for certain findings.
    pub strength: Option<u16>,
    /// The cost under the view's policy and τ, tokens; `null` if unknown.
    pub cost: Option<u64>,
    /// Changes to the marks that would resolve the finding.
    pub edits: Vec<EditDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintPlaceDto {
    pub block: String,
    pub line: u64,
    pub turn: u32,
}

/// How many findings there are. Doubts count in `doubts` only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintCountsDto {
    pub errors: u32,
    pub warnings: u32,
    pub infos: u32,
    pub doubts: u32,
}

impl LintCountsDto {
    pub fn from_findings<'a>(findings: impl IntoIterator<Item = &'a LintItemDto>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            let n = match (finding.doubt, finding.severity) {
                (true, _) => &mut counts.doubts,
                (false, SeverityDto::Error) => &mut counts.errors,
                (false, SeverityDto::Warning) => &mut counts.warnings,
                (false, SeverityDto::Info) => &mut counts.infos,
            };
            *n = n.saturating_add(1);
        }
        counts
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintReportDto {
    pub logs: Vec<LintedLogDto>,
    pub codes: Vec<CodeDto>,
    pub counts: LintCountsDto,
    /// Findings denied by `--deny`. The exit code is 1 if there are any.
    pub n_denied: u32,
    pub n_known: u32,
    pub n_allowed: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintedLogDto {
    pub path: String,
    pub policy: String,
    pub budget: u64,
    pub source: AnnotationSourceDto,
    pub figures: Vec<QualityFigureDto>,
    pub figures_note: Option<String>,
    pub findings: Vec<LintItemDto>,
}
