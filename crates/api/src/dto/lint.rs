//! Lint findings about a log, its marks and a policy's passes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AnnotationSourceDto, CodeDto, EditDto, FigureUnitDto, SeverityDto};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintDto {
    pub revision: u32,
    pub source: AnnotationSourceDto,
    /// Findings in line order. Findings without a line come first.
    pub findings: Vec<LintItemDto>,
    /// Explanations for the codes in `findings`.
    pub codes: Vec<CodeDto>,
    pub counts: LintCountsDto,
    /// Annotation quality; empty without episodes.
    pub figures: Vec<QualityFigureDto>,
    /// Who is judged by `figures`, if not the agent.
    pub figures_note: Option<String>,
}

/// A quality figure of an annotation, with its components.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct QualityFigureDto {
    /// A stable identifier.
    pub name: String,
    /// The name shown to people.
    pub title: String,
    /// The formatted figure; a dash for a share of zero.
    pub value: String,
    /// The components as a clause without full stop.
    pub says: String,
    pub parts: Vec<FigurePartDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FigurePartDto {
    /// A stable identifier.
    pub name: String,
    pub n: u64,
    pub unit: FigureUnitDto,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintItemDto {
    /// A rule's code: `L…`, `P…`, `Q…`, `T…`, `V…`.
    pub code: String,
    pub severity: SeverityDto,
    /// True if a heuristic rule judges episodes inferred by this program. The finding doubts the inference and says
    /// nothing about the agent.
    pub doubt: bool,
    /// A clause without full stop.
    pub message: String,
    /// A log line, from 1.
    pub line: Option<u64>,
    /// The first turn with the finding, from 1.
    pub turn: Option<u32>,
    /// A block id, `ENTRY:INDEX`.
    pub block: Option<String>,
    /// The episode's index in the graph.
    pub episode: Option<u32>,
    /// The episode's name.
    pub name: Option<String>,
    /// For a finding about a dependency, the graph index of the exploration needed.
    pub on: Option<u32>,
    /// Blocks supporting the finding, in log order.
    pub evidence: Vec<LintPlaceDto>,
    /// Strength of a heuristic rule's evidence, per mille; `null` for certain findings.
    pub strength: Option<u16>,
    /// Tokens wasted under the view's policy and τ; `null` if unknown.
    pub cost: Option<u64>,
    /// Changes of marks that would resolve the finding.
    pub edits: Vec<EditDto>,
}

/// A block supporting a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintPlaceDto {
    pub block: String,
    /// The log line of `block`, from 1.
    pub line: u64,
    /// The turn whose reply or results contain `block`, from 1.
    pub turn: u32,
}

/// Numbers of findings. Doubts count in `doubts` only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintCountsDto {
    pub errors: u32,
    pub warnings: u32,
    pub infos: u32,
    /// Doubts about inferred episodes.
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

/// The result of `cwl lint` for some logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintReportDto {
    /// Logs in command-line order.
    pub logs: Vec<LintedLogDto>,
    /// Explanations for all codes that occur.
    pub codes: Vec<CodeDto>,
    pub counts: LintCountsDto,
    /// Denied findings. The exit code is 1 if there are any.
    pub n_denied: u32,
    /// Findings suppressed by a baseline.
    pub n_known: u32,
    /// Findings of allowed rules, not listed.
    pub n_allowed: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintedLogDto {
    /// The path as given on the command line.
    pub path: String,
    /// The policy used for costs and passes.
    pub policy: String,
    /// The token budget τ.
    pub budget: u64,
    pub source: AnnotationSourceDto,
    /// Annotation quality; empty without episodes.
    pub figures: Vec<QualityFigureDto>,
    /// Who is judged by `figures`, if not the agent.
    pub figures_note: Option<String>,
    pub findings: Vec<LintItemDto>,
}
