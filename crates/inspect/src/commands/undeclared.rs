//! Undeclared dependencies: explorations that an act used but did not declare.

use cwl_engine::{AnnotationSource, Thresholds, UndeclaredExploration, find_undeclared as find};

use crate::ApiError;
use crate::api::{ProblemRow, Severity, UndeclaredAnswer, UndeclaredHint, ViewRequest};
use crate::figures::{saturate_u32, shorten_line};
use crate::measure::branch::Branch;
use crate::measure::opened::SessionSnapshot;
use crate::present::diagnostic::explain_codes;

/// The hint's code. Q rules judge the quality of well-formed annotations.
const CODE: &str = "Q003";
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
    Ok(UndeclaredAnswer {
        revision: opened.revision(),
        hints: hints.iter().map(|hint| hint_dto(opened, &branch, hint)).collect(),
        codes: explain_codes([CODE]),
    })
}

fn hint_dto(opened: &SessionSnapshot, branch: &Branch, hint: &UndeclaredExploration) -> UndeclaredHint {
    let graph = &branch.growth.graph;
    let is_sure = hint.strength >= SURE;
    let listed: Vec<String> =
        hint.uses.iter().take(NAMES_LISTED).map(|one| shorten_line(&one.text, NAME_CHARS)).collect();
    let first = listed.first().map_or("", String::as_str);
    let others = match hint.uses.len() {
        0 | 1 => String::new(),
        2 => " and 1 other name".to_owned(),
        n => format!(" and {} other names", n - 1),
    };
    let (act, on) = (&graph.episode(hint.act).name, &graph.episode(hint.on).name);
    // Only agents and readers declare dependencies.
    let not = match branch.growth.source_of(graph.episode(hint.act)) {
        AnnotationSource::Inferred => "no edge was inferred from",
        AnnotationSource::Declared | AnnotationSource::Filled | AnnotationSource::Written => "does not name",
    };
    UndeclaredHint {
        problem: ProblemRow {
            code: CODE.to_owned(),
            severity: if is_sure { Severity::Warning } else { Severity::Info },
            message: format!("`{act}` uses `{first}`{others} that `{on}` found, and {not} `{on}`"),
            line: Some(opened.line_of(&branch.session, hint.first)),
            block: Some(branch.session.blocks[hint.first.at()].id.to_string()),
            episode: Some(saturate_u32(hint.act.at())),
        },
        on: saturate_u32(hint.on.at()),
        n_names: saturate_u32(hint.uses.len()),
        names: listed,
    }
}
