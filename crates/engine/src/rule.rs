//! Rules: the meaning and remedy of every code for problems and findings.
//!
//! The rows are in `docs/rules.md`. A code without a row is a compile error.

use crate::Severity;
use crate::cells::{same_text, split_cell, split_once};

const TABLE: &str = include_str!("../../../docs/rules.md");

/// A row in `docs/rules.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Stable code: `L…` log, `P…` protocol, `Q…` quality hints, `T…` user tables, `V…`
    /// verification.
    pub code: &'static str,
    pub severity: Severity,
    pub title: &'static str,
    pub meaning: &'static str,
    pub remedy: &'static str,
    /// The sample or test with this code, in backticks, or a description in words.
    pub occurs: &'static str,
}

impl Rule {
    pub const fn find(code: &str) -> Option<Self> {
        let mut rest = TABLE;
        while !rest.is_empty() {
            let (row, below) = split_once(rest, b'\n');
            let (code_cell, cells) = split_cell(split_once(row, b'|').1, b'|');
            if !code.is_empty() && same_text(code_cell, code) {
                let (severity, cells) = split_cell(cells, b'|');
                let (title, cells) = split_cell(cells, b'|');
                let (meaning, cells) = split_cell(cells, b'|');
                let (remedy, cells) = split_cell(cells, b'|');
                let (occurs, _) = split_cell(cells, b'|');
                let severity = match severity.as_bytes() {
                    b"info" => Severity::Info,
                    b"warning" => Severity::Warning,
                    _ => Severity::Error,
                };
                return Some(Self { code: code_cell, severity, title, meaning, remedy, occurs });
            }
            rest = below;
        }
        None
    }

    /// Finds a rule that must exist. Call it in a `const` block, so the compiler reports a missing
    /// row.
    pub(crate) const fn look_up(code: &str) -> Self {
        match Self::find(code) {
            Some(rule) => rule,
            None => panic!("docs/rules.md has no row for this code"),
        }
    }

    pub fn all() -> impl Iterator<Item = Self> {
        let codes = TABLE.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
        codes.filter_map(|row| Self::find(split_cell(split_once(row, b'|').1, b'|').0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_occurs_where_its_row_says() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for Rule { code, occurs, .. } in Rule::all() {
            let Some(path) = occurs.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) else {
                assert!(occurs.split(' ').count() > 3, "{code} occurs in words: {occurs}");
                continue;
            };
            let path = root.join(path);
            let file = if path.is_dir() { path.join("expected/problems.snap") } else { path };
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(text.contains(code), "{code} occurs in {}", file.display());
        }
    }

    #[test]
    fn rows_are_whole() {
        let rules: alloc::vec::Vec<Rule> = Rule::all().collect();
        assert!(rules.len() >= 51, "{}", rules.len());
        assert!(rules.is_sorted_by(|a, b| a.code < b.code), "in order, and none twice");
        for rule in rules {
            let Rule { code, severity, title, meaning, remedy, .. } = rule;
            assert_eq!(Rule::find(code), Some(rule));
            assert!(TABLE.contains(&alloc::format!("| {code} | {} |", severity.name())), "{code}");
            assert!(!title.is_empty() && !title.ends_with('.'), "{code}: {title}");
            assert!(meaning.ends_with('.') && remedy.ends_with('.'), "{code}: sentences end");
        }
        assert_eq!(Rule::find("X999"), None);
        assert_eq!(Rule::find(""), None);
    }
}
