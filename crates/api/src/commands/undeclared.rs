//! Undeclared dependencies: which exploration an act forgot to name.

use cwl_engine::{AnnotationSource, Rule, Thresholds, Undeclared, undeclared as find};

use crate::ApiError;
use crate::commands::session::code;
use crate::dto::{ProblemDto, SeverityDto, UndeclaredDto, UndeclaredHintDto, ViewRequest};
use crate::figures::{shortened, small};
use crate::measure::branch::Branch;
use crate::measure::opened::Opened;

/// The code of the hint: Q is for the quality of an annotation that is well formed.
const CODE: &str = "Q003";
/// From this strength on a hint is a warning, per mille.
const SURE: u16 = 850;
/// The most names that are listed.
const NAMES_LISTED: usize = 12;
/// A name that is longer is cut, characters: a command may be a whole script.
const NAME_CHARS: usize = 80;

/// Returns the explorations that acts use and do not name, on the branch of a view.
pub fn undeclared(opened: &Opened, request: &ViewRequest) -> Result<UndeclaredDto, ApiError> {
    let chosen = opened.chosen(&request.view)?;
    let branch = opened.branch(&chosen.branch)?;
    let material = opened.material(&chosen)?;
    let hints = find(&branch.session, &branch.growth.graph, &material, &Thresholds::default());
    Ok(UndeclaredDto {
        revision: opened.revision(),
        hints: hints.iter().map(|hint| dto(opened, &branch, hint)).collect(),
        codes: Rule::find(CODE).as_ref().map(code).into_iter().collect(),
    })
}

fn dto(opened: &Opened, branch: &Branch, hint: &Undeclared) -> UndeclaredHintDto {
    let graph = &branch.growth.graph;
    let is_sure = hint.strength >= SURE;
    let listed: Vec<String> =
        hint.uses.iter().take(NAMES_LISTED).map(|one| shortened(&one.text, NAME_CHARS)).collect();
    let first = listed.first().map_or("", String::as_str);
    let others = match hint.uses.len() {
        0 | 1 => String::new(),
        2 => " and 1 other name".to_owned(),
        n => format!(" and {} other names", n - 1),
    };
    let (act, on) = (&graph.get(hint.act).name, &graph.get(hint.on).name);
    // Only the agent and who marks a session name anything.
    let not = match branch.growth.source_of(graph.get(hint.act)) {
        AnnotationSource::Inferred => "no edge was inferred from",
        AnnotationSource::Declared | AnnotationSource::Filled | AnnotationSource::Written => "does not name",
    };
    UndeclaredHintDto {
        problem: ProblemDto {
            code: CODE.to_owned(),
            severity: if is_sure { SeverityDto::Warning } else { SeverityDto::Info },
            message: format!("`{act}` uses `{first}`{others} that `{on}` found, and {not} `{on}`"),
            line: Some(opened.line_of(&branch.session, hint.first)),
            block: Some(branch.session.blocks[hint.first.at()].id.to_string()),
            episode: Some(small(hint.act.at())),
        },
        on: small(hint.on.at()),
        n_names: small(hint.uses.len()),
        names: listed,
    }
}
