//! Lint findings about a log, its marks and a policy's passes.

use cwl_engine::{AnnotationSource, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{FigureUnit, MarkEdit, RuleExplanation};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintAnswer {
    pub revision: u32,
    pub source: AnnotationSource,
    /// Findings in `line` order. Findings without a line come first.
    pub findings: Vec<LintFinding>,
    pub codes: Vec<RuleExplanation>,
    pub counts: LintCounts,
    pub figures: Vec<QualityFigure>,
    pub figures_note: Option<String>,
}

/// A quality figure for an annotation, computed from `parts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct QualityFigure {
    pub name: String,
    pub title: String,
    /// The formatted figure; a dash if the denominator is 0.
    pub value: String,
    pub says: String,
    pub parts: Vec<FigurePart>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FigurePart {
    pub name: String,
    pub n: u64,
    pub unit: FigureUnit,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintFinding {
    /// A rule's code: `L…`, `P…`, `Q…`, `T…`, `V…`.
    pub code: String,
    pub severity: Severity,
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
    pub evidence: Vec<LintPlace>,
    /// How strong a heuristic rule's evidence is, per mille; `null` for certain findings.
    pub strength: Option<u16>,
    /// The cost under the view's policy and τ, tokens; `null` if unknown.
    pub cost: Option<u64>,
    /// Changes to the marks that would resolve the finding.
    pub edits: Vec<MarkEdit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintPlace {
    pub block: String,
    pub line: u64,
    pub turn: u32,
}

/// How many findings there are. Doubts count in `doubts` only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintCounts {
    pub errors: u32,
    pub warnings: u32,
    pub infos: u32,
    pub doubts: u32,
}

impl LintCounts {
    pub fn from_findings<'a>(findings: impl IntoIterator<Item = &'a LintFinding>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            let n = match (finding.doubt, finding.severity) {
                (true, _) => &mut counts.doubts,
                (false, Severity::Error) => &mut counts.errors,
                (false, Severity::Warning) => &mut counts.warnings,
                (false, Severity::Info) => &mut counts.infos,
            };
            *n = n.saturating_add(1);
        }
        counts
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintReport {
    pub logs: Vec<LintedLog>,
    pub codes: Vec<RuleExplanation>,
    pub counts: LintCounts,
    /// Findings denied by `--deny`. The exit code is 1 if there are any.
    pub n_denied: u32,
    pub n_known: u32,
    pub n_allowed: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LintedLog {
    pub path: String,
    pub policy: String,
    pub budget: u64,
    pub source: AnnotationSource,
    pub figures: Vec<QualityFigure>,
    pub figures_note: Option<String>,
    pub findings: Vec<LintFinding>,
}
