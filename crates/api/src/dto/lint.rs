//! Lint: everything that is found about a log, its marks and a policy's passes, in one list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AnnotationSourceDto, CodeDto, EditDto, FigureUnitDto, SeverityDto};

/// All findings about one session under one view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// Where the episodes come from.
    pub source: AnnotationSourceDto,
    /// The findings in the order of their lines; those without a line come first.
    pub findings: Vec<LintItemDto>,
    /// The meaning of their codes.
    pub codes: Vec<CodeDto>,
    /// How many there are of each severity. Doubts about an inference are in none of the others.
    pub counts: LintCountsDto,
    /// The annotation in figures, each with its parts; none without an episode.
    pub figures: Vec<QualityFigureDto>,
    /// Whom the figures judge, where that is not the agent.
    pub figures_note: Option<String>,
}

/// One figure about an annotation, with the parts that it is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct QualityFigureDto {
    /// The stable name.
    pub name: String,
    /// The name as people read it.
    pub title: String,
    /// The figure as people read it; a dash where it is a share of nothing.
    pub value: String,
    /// Its parts as a sentence without its end.
    pub says: String,
    /// Its parts.
    pub parts: Vec<FigurePartDto>,
}

/// A part of a figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FigurePartDto {
    /// The stable name.
    pub name: String,
    /// The number.
    pub n: u64,
    /// Its unit.
    pub unit: FigureUnitDto,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintItemDto {
    /// The stable code: `L…`, `P…`, `Q…`, `T…`, `V…`.
    pub code: String,
    /// How grave it is.
    pub severity: SeverityDto,
    /// True where a rule of thumb speaks about episodes that this program inferred: a doubt about the inference, and
    /// no finding about the agent.
    pub doubt: bool,
    /// The finding, as a sentence without its end.
    pub message: String,
    /// The line in the log, from 1.
    pub line: Option<u64>,
    /// The turn at which it shows first, from 1.
    pub turn: Option<u32>,
    /// The block, `ENTRY:INDEX`.
    pub block: Option<String>,
    /// The episode that it is about, by its place in the graph.
    pub episode: Option<u32>,
    /// The name of that episode.
    pub name: Option<String>,
    /// The exploration that an act needs, by its place in the graph, where it is about a dependency.
    pub on: Option<u32>,
    /// The blocks that speak for it, in log order.
    pub evidence: Vec<LintPlaceDto>,
    /// How strong the evidence of a rule of thumb is, per mille; `null` for what is certain.
    pub strength: Option<u16>,
    /// The cost under the view's policy and τ, tokens; `null` where it cannot be said.
    pub cost: Option<u64>,
    /// The changes of marks that would settle it; none where no change of marks is known to.
    pub edits: Vec<EditDto>,
}

/// A block that speaks for a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintPlaceDto {
    /// The block, `ENTRY:INDEX`.
    pub block: String,
    /// Its line in the log, from 1.
    pub line: u64,
    /// The turn whose reply or results have it, from 1.
    pub turn: u32,
}

/// How many findings there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintCountsDto {
    /// Errors.
    pub errors: u32,
    /// Warnings.
    pub warnings: u32,
    /// Notes.
    pub infos: u32,
    /// Doubts about inferred episodes.
    pub doubts: u32,
}

impl LintCountsDto {
    /// Counts findings.
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

/// The findings of `cwl lint` in some logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintReportDto {
    /// The logs, in the order in which they were named.
    pub logs: Vec<LintedLogDto>,
    /// The meaning of all codes that occur.
    pub codes: Vec<CodeDto>,
    /// How many findings there are in all logs.
    pub counts: LintCountsDto,
    /// How many of them are denied, so that the exit code is 1.
    pub n_denied: u32,
    /// How many findings a baseline took off.
    pub n_known: u32,
    /// How many findings were allowed, and are not listed.
    pub n_allowed: u32,
}

/// The findings about one log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintedLogDto {
    /// The log's path, as it was named.
    pub path: String,
    /// The policy under which costs and passes are told.
    pub policy: String,
    /// The token budget τ, tokens.
    pub budget: u64,
    /// Where the episodes come from.
    pub source: AnnotationSourceDto,
    /// The annotation in figures, each with its parts; none without an episode.
    pub figures: Vec<QualityFigureDto>,
    /// Whom the figures judge, where that is not the agent.
    pub figures_note: Option<String>,
    /// The findings.
    pub findings: Vec<LintItemDto>,
}
