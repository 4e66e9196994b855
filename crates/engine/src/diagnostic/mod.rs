//! Diagnostics: everything that a rule says about a log, its marks, its annotation, or a policy's passes.

use alloc::vec::Vec;

use thiserror::Error;

use crate::{
    BlockIdx, EpisodeIdx, Finding, FindingKind, Place, Problem, ProblemKind, Remark, RemarkKind, Rule,
    RuleGroup, Severity, TurnIdx,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub kind: DiagnosticKind,
    /// The place in the log; its block may be on another branch.
    pub place: Place,
    /// The block of `place` on the branch.
    pub block: Option<BlockIdx>,
    pub turn: Option<TurnIdx>,
    pub episode: Option<EpisodeIdx>,
    /// The second episode of a remark about two.
    pub on: Option<EpisodeIdx>,
    /// In log order.
    pub evidence: Vec<BlockIdx>,
    /// Strength of the `evidence`, per mille; `None` for certain rules.
    pub strength: Option<u16>,
    pub cost: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum DiagnosticKind {
    #[error(transparent)]
    Problem(ProblemKind),
    #[error(transparent)]
    Finding(FindingKind),
    #[error(transparent)]
    Remark(RemarkKind),
}

impl DiagnosticKind {
    pub fn rule(&self) -> &'static Rule {
        match self {
            Self::Problem(kind) => kind.rule(),
            Self::Finding(kind) => kind.rule(),
            Self::Remark(kind) => kind.rule(),
        }
    }

    /// A number of unlisted problems has the severity of these problems.
    pub fn severity(&self) -> Severity {
        match self {
            Self::Problem(kind) => kind.severity(),
            Self::Finding(_) | Self::Remark(_) => self.rule().severity,
        }
    }
}

impl Diagnostic {
    pub fn new(kind: DiagnosticKind, place: Place, block: Option<BlockIdx>) -> Self {
        Self {
            kind,
            place,
            block,
            turn: None,
            episode: None,
            on: None,
            evidence: Vec::new(),
            strength: None,
            cost: None,
        }
    }

    pub fn from_problem(problem: &Problem, block: Option<BlockIdx>) -> Self {
        Self::new(DiagnosticKind::Problem(problem.kind.clone()), problem.place.clone(), block)
    }

    pub fn from_finding(finding: &Finding, place: Place) -> Self {
        let kind = DiagnosticKind::Finding(finding.kind.clone());
        Self { turn: Some(finding.turn), ..Self::new(kind, place, finding.block) }
    }

    pub fn from_remark(remark: &Remark, place: Place) -> Self {
        Self {
            episode: Some(remark.episode),
            on: remark.on,
            evidence: remark.evidence.clone(),
            strength: Some(remark.strength),
            cost: remark.cost,
            ..Self::new(DiagnosticKind::Remark(remark.kind.clone()), place, Some(remark.at))
        }
    }

    pub fn rule(&self) -> &'static Rule {
        self.kind.rule()
    }

    pub fn is_of_protocol(&self) -> bool {
        self.rule().group == RuleGroup::Protocol
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_has_the_rule_of_its_kind() {
        let check = |kind: ProblemKind, code: &str, severity: Severity, is_of_protocol: bool| {
            let found =
                Diagnostic::from_problem(&Problem { place: Place::at_line(3), kind }, Some(BlockIdx::new(1)));
            assert_eq!((found.rule().code, found.kind.severity()), (code, severity));
            assert_eq!((found.is_of_protocol(), found.place.line), (is_of_protocol, Some(3)));
        };
        check(ProblemKind::NotObject, "L002", Severity::Error, false);
        check(ProblemKind::ActWithoutDependencies, "P004", Severity::Warning, true);
        let more = ProblemKind::MoreOfCode { code: "L002".into(), n_more: 7 };
        check(more, "L030", Severity::Error, false);
        check(
            ProblemKind::TableRow { reason: "no class `sheerch`".into() },
            "T001",
            Severity::Warning,
            false,
        );
    }
}
