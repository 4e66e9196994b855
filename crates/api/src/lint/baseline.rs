//! Baselines: findings that are known, so that only new ones are reported.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::dto::{LintItemDto, LintReportDto};
use crate::error::unreadable;
use crate::{ApiError, ErrorCode};

/// The form of a baseline.
const FORM: u32 = 1;

/// The findings that are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    known: BTreeSet<KnownFinding>,
}

/// A finding as a baseline names it: by its code and its block, which stay when a log grows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct KnownFinding {
    /// The name of the log's file.
    log: String,
    code: String,
    /// The block, or the line of what has no block.
    place: String,
    /// The episode.
    episode: Option<String>,
    message: String,
}

#[derive(Serialize, Deserialize)]
struct BaselineFile {
    version: u32,
    findings: Vec<KnownFinding>,
}

/// The known findings of one log.
pub(super) struct KnownOfLog<'a> {
    baseline: &'a Baseline,
    log: String,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// Where the file cannot be read or is none.
    pub fn read(path: &Path) -> Result<Self, ApiError> {
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        let file: BaselineFile = serde_json::from_str(&text).map_err(|error| {
            ApiError::new(ErrorCode::BadRequest, format!("this is no baseline: {error}"))
                .hint("write one with --write-baseline FILE")
                .at(path)
        })?;
        if file.version != FORM {
            let message = format!("version {} of a baseline is not known", file.version);
            return Err(ApiError::new(ErrorCode::BadRequest, message)
                .hint("write it again with --write-baseline FILE")
                .at(path));
        }
        Ok(Self { known: file.findings.into_iter().collect() })
    }

    /// Makes the baseline of a report: everything in it is known from then on.
    pub fn of(report: &LintReportDto) -> Self {
        let of_log = report.logs.iter().flat_map(|log| {
            let name = name_of(&log.path);
            log.findings.iter().map(move |finding| known(&name, finding))
        });
        Self { known: of_log.collect() }
    }

    /// Returns how many findings it has.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Tells whether it has none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Writes it down, a finding a line, so that its changes can be read.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ApiError> {
        let rows: Result<Vec<String>, _> = self.known.iter().map(serde_json::to_string).collect();
        let rows = rows.map_err(ApiError::internal)?.join(",\n");
        let text = format!("{{\"version\":{FORM},\"findings\":[\n{rows}\n]}}\n");
        std::fs::write(path, text).map_err(|error| {
            ApiError::new(ErrorCode::Unwritable, format!("the baseline cannot be written ({error})"))
                .hint("name a file in a folder that you may write to")
                .at(path)
        })
    }

    /// Returns the known findings of a log.
    pub(super) fn of_log(&self, path: &str) -> KnownOfLog<'_> {
        KnownOfLog { baseline: self, log: name_of(path) }
    }
}

impl KnownOfLog<'_> {
    /// Tells whether a finding is known.
    pub(super) fn has(&self, finding: &LintItemDto) -> bool {
        !self.baseline.known.is_empty() && self.baseline.known.contains(&known(&self.log, finding))
    }
}

fn known(log: &str, finding: &LintItemDto) -> KnownFinding {
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

/// A log may be in another folder on another machine.
fn name_of(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::{item, log};
    use super::super::{LintConfig, lint_report};
    use super::*;
    use crate::dto::SeverityDto;

    #[test]
    fn only_what_is_new_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("known.json");
        let one = || item("P005", SeverityDto::Error, "a:0", false);
        let report = lint_report(vec![log(vec![one()])], &LintConfig::default(), &Baseline::default());
        Baseline::of(&report).write(&file).unwrap();
        let known = Baseline::read(&file).unwrap();
        assert_eq!(known, Baseline::of(&report));
        let grown = LintItemDto { line: Some(90), message: "of P005".into(), ..one() };
        let new = item("P005", SeverityDto::Error, "b:0", false);
        let report = lint_report(vec![log(vec![grown, new.clone()])], &LintConfig::default(), &known);
        assert_eq!((report.n_known, &report.logs[0].findings), (1, &vec![new]));
    }

    #[test]
    fn a_file_that_is_no_baseline_says_how_to_write_one() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("known.json");
        let check = |text: &str, expected: &str| {
            std::fs::write(&file, text).unwrap();
            let error = Baseline::read(&file).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("--write-baseline"), "{error}");
        };
        check("{", "this is no baseline");
        check("[]", "this is no baseline");
        check("{\"version\":9,\"findings\":[]}", "version 9");
        assert_eq!(Baseline::read(&dir.path().join("none")).unwrap_err().code, ErrorCode::Missing);
    }
}
