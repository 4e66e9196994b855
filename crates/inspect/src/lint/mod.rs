//! Lint for scripts: which findings are reported, which ones fail a run, and the output format.
//!
//! `commands::lint_by` finds everything. Then a configuration ([`LintConfig`]) sets thresholds and switches,
//! a baseline ([`Baseline`]) removes known findings, and [`sarif_report`] writes the report as SARIF.

mod baseline;
mod config;
mod sarif;

use cwl_engine::Rule;

pub use baseline::Baseline;
pub use config::{FILE, LintConfig};
pub use sarif::sarif_report;

use crate::api::{
    DocumentSubject, LintCounts, LintFinding, LintReport, LintedLog, Severity, ViewRequest, ViewSettings,
};
use crate::commands::lint_by;
use crate::measure::opened::SessionSnapshot;
use crate::present::diagnostic::explain_codes;
use crate::{ApiError, ErrorCode};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DenyLevel {
    Severity(Severity),
    Code(String),
}

impl DenyLevel {
    /// Parses `error`, `warning`, `info` or a code such as `Q003`.
    ///
    /// # Errors
    /// If `text` is anything else.
    pub fn parse_level(text: &str) -> Result<Self, ApiError> {
        match text {
            "error" => Ok(Self::Severity(Severity::Error)),
            "warning" => Ok(Self::Severity(Severity::Warning)),
            "info" => Ok(Self::Severity(Severity::Info)),
            code => Ok(Self::Code(read_code(code)?)),
        }
    }

    fn denies_finding(&self, finding: &LintFinding) -> bool {
        let rank = |severity| match severity {
            Severity::Info => 0,
            Severity::Warning => 1,
            Severity::Error => 2,
        };
        // A doubt about an inference is no agent's fault.
        !finding.doubt
            && match self {
                Self::Severity(least) => rank(finding.severity) >= rank(*least),
                Self::Code(code) => finding.code == *code,
            }
    }
}

/// Parses a rule's code.
///
/// # Errors
/// If no rule has that code.
pub fn read_code(text: &str) -> Result<String, ApiError> {
    let code = text.trim().to_ascii_uppercase();
    if Rule::find(&code).is_some() {
        return Ok(code);
    }
    Err(ApiError::new(ErrorCode::BadRequest, format!("no rule has the code `{text}`"))
        .with_hint("docs/rules.md lists all codes, as Q003 or P005"))
}

/// Finds everything about one log; `about` describes the same log and view.
///
/// # Errors
/// If the view is invalid, or the store or the disk cannot be read.
pub fn lint_log(
    opened: &SessionSnapshot,
    path: &str,
    view: &ViewSettings,
    about: &DocumentSubject,
    config: &LintConfig,
) -> Result<LintedLog, ApiError> {
    let found = lint_by(opened, &ViewRequest { view: view.clone() }, &config.thresholds)?;
    Ok(LintedLog {
        path: path.to_owned(),
        policy: about.policy.clone(),
        budget: about.budget,
        source: found.source,
        figures: found.figures,
        figures_note: found.figures_note,
        findings: found.findings,
    })
}

/// Removes findings that `config` allows or `baseline` has, and counts the others.
pub fn lint_report(mut logs: Vec<LintedLog>, config: &LintConfig, baseline: &Baseline) -> LintReport {
    let (mut n_allowed, mut n_known, mut n_denied) = (0u32, 0u32, 0u32);
    for log in &mut logs {
        let known = baseline.of_log(&log.path);
        log.findings.retain(|finding| {
            let is_allowed = config.allow.contains(&finding.code);
            let is_known = !is_allowed && known.has_finding(finding);
            let is_denied =
                !is_allowed && !is_known && config.deny.iter().any(|one| one.denies_finding(finding));
            n_allowed += u32::from(is_allowed);
            n_known += u32::from(is_known);
            n_denied += u32::from(is_denied);
            !is_allowed && !is_known
        });
    }
    let all = || logs.iter().flat_map(|log| &log.findings);
    let codes = explain_codes(all().map(|finding| finding.code.as_str()));
    LintReport { counts: LintCounts::from_findings(all()), codes, n_denied, n_known, n_allowed, logs }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    pub(super) fn item(code: &str, severity: Severity, block: &str, doubt: bool) -> LintFinding {
        LintFinding {
            code: code.to_owned(),
            severity,
            doubt,
            message: format!("of {code}"),
            line: Some(3),
            turn: Some(2),
            block: Some(block.to_owned()),
            episode: None,
            name: None,
            on: None,
            evidence: Vec::new(),
            strength: None,
            cost: None,
            edits: Vec::new(),
        }
    }

    pub(super) fn log(findings: Vec<LintFinding>) -> LintedLog {
        let source = crate::api::AnnotationSource::Declared;
        LintedLog {
            path: "a/log.jsonl".into(),
            policy: "cwl".into(),
            budget: 80_000,
            source,
            figures: Vec::new(),
            figures_note: None,
            findings,
        }
    }

    fn check(allow: &[&str], deny: &[&str], expected: (u32, u32, usize)) {
        use Severity as S;
        let findings = vec![
            item("P005", S::Error, "a:0", false),
            item("Q003", S::Warning, "b:0", false),
            item("Q008", S::Info, "c:0", false),
            item("Q001", S::Info, "d:0", true),
        ];
        let config = LintConfig {
            allow: allow.iter().map(|code| (*code).to_owned()).collect(),
            deny: deny.iter().map(|text| DenyLevel::parse_level(text).unwrap()).collect(),
            ..LintConfig::default()
        };
        let report = lint_report(vec![log(findings)], &config, &Baseline::default());
        assert_eq!((report.n_allowed, report.n_denied, report.logs[0].findings.len()), expected, "{deny:?}");
    }

    #[test]
    fn what_is_allowed_and_denied() {
        check(&[], &[], (0, 0, 4));
        check(&[], &["error"], (0, 1, 4));
        check(&[], &["warning"], (0, 2, 4));
        check(&[], &["info"], (0, 3, 4));
        check(&[], &["Q003", "q008"], (0, 2, 4));
        check(&[], &["Q001"], (0, 0, 4));
        check(&["P005", "Q003"], &["warning"], (2, 0, 2));
    }

    #[test]
    fn an_unknown_code_says_where_they_stand() {
        let error = DenyLevel::parse_level("grave").unwrap_err().to_string();
        assert_eq!(error, "no rule has the code `grave`; docs/rules.md lists all codes, as Q003 or P005");
    }
}
