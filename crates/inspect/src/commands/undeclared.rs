//! Undeclared dependencies: explorations that an act used but did not declare.

use cwl_engine::{Thresholds, UndeclaredExploration, find_undeclared as find};

use crate::ApiError;
use crate::api::{ProblemRow, Severity, UndeclaredAnswer, UndeclaredHint, ViewRequest};
use crate::figures::{saturate_u32, shorten_line};
use crate::measure::branch::Branch;
use crate::measure::opened::SessionSnapshot;
use crate::present::diagnostic::explain_codes;

/// A hint at least this strong is a warning, in per mille.
const SURE: u16 = 850;
const NAMES_LISTED: usize = 12;
/// Longest displayed name, in characters: a command may be a whole script.
const NAME_CHARS: usize = 80;

/// Returns explorations that acts use but do not declare, on a view's branch.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn undeclared(opened: &SessionSnapshot, request: &ViewRequest) -> Result<UndeclaredAnswer, ApiError> {
    let chosen = opened.parse_view(&request.view)?;
    let branch = opened.branch(&chosen.branch)?;
    let material = opened.material(&chosen)?;
    let hints = find(&branch.session, &branch.growth.graph, &material, &Thresholds::default());
    let hints: Vec<UndeclaredHint> =
        hints.iter().map(|hint| undeclared_hint(opened, &branch, hint)).collect();
    let codes = explain_codes(hints.iter().map(|hint| hint.problem.code.as_str()));
    Ok(UndeclaredAnswer { revision: opened.revision(), hints, codes })
}

fn undeclared_hint(
    opened: &SessionSnapshot,
    branch: &Branch,
    hint: &UndeclaredExploration,
) -> UndeclaredHint {
    let is_sure = hint.strength >= SURE;
    let kind = hint.remark_kind(&branch.growth);
    let names = hint.uses.iter().take(NAMES_LISTED);
    UndeclaredHint {
        problem: ProblemRow {
            code: kind.rule().code.to_owned(),
            severity: if is_sure { Severity::Warning } else { Severity::Info },
            message: kind.to_string(),
            line: Some(opened.line_of(&branch.session, hint.first)),
            block: Some(branch.session.blocks[hint.first.at()].id.to_string()),
            episode: Some(saturate_u32(hint.act.at())),
        },
        on: saturate_u32(hint.on.at()),
        n_names: saturate_u32(hint.uses.len()),
        names: names.map(|one| shorten_line(&one.text, NAME_CHARS)).collect(),
    }
}
