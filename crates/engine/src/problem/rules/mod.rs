//! All rules, a file for each group. `make gen` writes `docs/rules.md` from them.

mod log;
mod protocol;
mod quality;
mod tables;
mod verification;

use super::rule::{Rule, RuleGroup};

pub(super) const ALL: [&[Rule]; 5] =
    [log::ROWS, protocol::ROWS, quality::ROWS, tables::ROWS, verification::ROWS];
