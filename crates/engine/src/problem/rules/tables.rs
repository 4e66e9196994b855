//! The user's own tables.

use super::{Rule, RuleGroup};
use crate::Severity;

pub(super) const ROWS: &[Rule] = &[Rule {
    code: "T001",
    group: RuleGroup::Tables,
    severity: Severity::Warning,
    title: "Table of tools",
    meaning: "The program does not understand a line of your own table of tools. It uses the rest.",
    remedy: "Correct the line in tools.toml.",
    occurs: "a table of tools that names a class which does not exist",
}];
