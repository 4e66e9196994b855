//! Baselines: files with known findings, so that only new ones are reported.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::api::{LintFinding, LintReport};
use crate::{ApiError, ErrorCode};

const FORM: u32 = 1;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    known: BTreeSet<KnownFinding>,
}

/// A finding in a baseline. Code and block stay the same while a log grows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct KnownFinding {
    log: String,
    code: String,
    /// The block, or the line if the finding has no block.
    place: String,
    episode: Option<String>,
    message: String,
}

#[derive(Serialize, Deserialize)]
struct BaselineFile {
    version: u32,
    findings: Vec<KnownFinding>,
}

pub(super) struct KnownOfLog<'a> {
    baseline: &'a Baseline,
    log: String,
}

impl Baseline {
    /// Parses the text of a baseline; `path` stands for its file in messages.
    ///
    /// # Errors
    /// If the text is no baseline.
    pub fn parse_file(text: &str, path: &Path) -> Result<Self, ApiError> {
        let file: BaselineFile = serde_json::from_str(text).map_err(|error| {
            ApiError::new(ErrorCode::BadRequest, format!("this is no baseline: {error}"))
                .with_hint("write one with --write-baseline FILE")
                .with_path(path)
        })?;
        if file.version != FORM {
            let message = format!("version {} of a baseline is not known", file.version);
            return Err(ApiError::new(ErrorCode::BadRequest, message)
                .with_hint("write it again with --write-baseline FILE")
                .with_path(path));
        }
        Ok(Self { known: file.findings.into_iter().collect() })
    }

    pub fn from_report(report: &LintReport) -> Self {
        let of_log = report.logs.iter().flat_map(|log| {
            let name = name_of(&log.path);
            log.findings.iter().map(move |finding| known_finding(&name, finding))
        });
        Self { known: of_log.collect() }
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Formats one finding per line, so that a version control system shows changes.
    ///
    /// # Errors
    /// If a finding is no JSON.
    pub fn to_text(&self) -> Result<String, ApiError> {
        let rows: Result<Vec<String>, _> = self.known.iter().map(serde_json::to_string).collect();
        let rows = rows.map_err(ApiError::from_internal)?.join(",\n");
        Ok(format!("{{\"version\":{FORM},\"findings\":[\n{rows}\n]}}\n"))
    }

    pub(super) fn of_log(&self, path: &str) -> KnownOfLog<'_> {
        KnownOfLog { baseline: self, log: name_of(path) }
    }
}

impl KnownOfLog<'_> {
    pub(super) fn has_finding(&self, finding: &LintFinding) -> bool {
        !self.baseline.known.is_empty() && self.baseline.known.contains(&known_finding(&self.log, finding))
    }
}

fn known_finding(log: &str, finding: &LintFinding) -> KnownFinding {
    let line = || finding.line.map(|line| format!("line {line}")).unwrap_or_default();
    KnownFinding {
        log: log.to_owned(),
        code: finding.code.clone(),
        place: finding.block.clone().unwrap_or_else(line),
        episode: finding.name.clone(),
        // Figures change while a log grows.
        message: finding.message.chars().filter(|c| !c.is_ascii_digit()).collect(),
    }
}

/// Only the file name: the log may be in another folder on another machine.
fn name_of(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::{item, log};
    use super::super::{LintConfig, lint_report};
    use super::*;
    use crate::api::Severity;

    #[test]
    fn only_what_is_new_is_reported() {
        let file = Path::new("known.json");
        let one = || item("P005", Severity::Error, "a:0", false);
        let report = lint_report(vec![log(vec![one()])], &LintConfig::default(), &Baseline::default());
        let text = Baseline::from_report(&report).to_text().unwrap();
        let known = Baseline::parse_file(&text, file).unwrap();
        assert_eq!(known, Baseline::from_report(&report));
        let grown = LintFinding { line: Some(90), message: "of P005".into(), ..one() };
        let new = item("P005", Severity::Error, "b:0", false);
        let report = lint_report(vec![log(vec![grown, new.clone()])], &LintConfig::default(), &known);
        assert_eq!((report.n_known, &report.logs[0].findings), (1, &vec![new]));
    }

    #[test]
    fn a_file_that_is_no_baseline_says_how_to_write_one() {
        let file = Path::new("known.json");
        let check = |text: &str, expected: &str| {
            let error = Baseline::parse_file(text, file).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("--write-baseline"), "{error}");
        };
        check("{", "this is no baseline");
        check("[]", "this is no baseline");
        check("{\"version\":9,\"findings\":[]}", "version 9");
    }
}
