//! Rules: the meaning and remedy of every code for problems, findings and remarks.

use crate::Severity;
use crate::problem::rules;
use crate::text::cells::same_text;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleGroup {
    Log,
    Protocol,
    /// A well-formed annotation, by heuristics.
    Quality,
    /// The user's own tables.
    Tables,
    /// A policy's passes.
    Verification,
}

/// A row of `rules/`, printed in `docs/rules.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Stable: a letter of the group and three digits.
    pub code: &'static str,
    pub group: RuleGroup,
    pub severity: Severity,
    pub title: &'static str,
    pub meaning: &'static str,
    pub remedy: &'static str,
    /// The sample or test with this code, in backticks, or a description in words.
    pub occurs: &'static str,
}

impl Rule {
    pub const fn find(code: &str) -> Option<Self> {
        let mut group = 0;
        while group < rules::ALL.len() {
            let rows = rules::ALL[group];
            let mut at = 0;
            while at < rows.len() {
                if same_text(rows[at].code, code) {
                    return Some(rows[at]);
                }
                at += 1;
            }
            group += 1;
        }
        None
    }

    /// Finds a rule that must exist. Call it in a `const` block, so the compiler reports a missing
    /// row.
    pub(crate) const fn look_up(code: &str) -> Self {
        match Self::find(code) {
            Some(rule) => rule,
            None => panic!("no rule has this code"),
        }
    }

    pub fn all() -> impl Iterator<Item = Self> {
        rules::ALL.iter().copied().flatten().copied()
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
        assert!(rules.is_sorted_by(|a, b| a.code < b.code), "in order, and none twice");
        for rule in rules {
            let Rule { code, title, meaning, remedy, .. } = rule;
            assert_eq!(Rule::find(code), Some(rule));
            assert!(!title.is_empty() && !title.ends_with('.'), "{code}: {title}");
            assert!(meaning.ends_with('.') && remedy.ends_with('.'), "{code}: sentences end");
        }
        assert_eq!(Rule::find("X999"), None);
        assert_eq!(Rule::find(""), None);
    }
}
