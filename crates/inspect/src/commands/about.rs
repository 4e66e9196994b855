//! The head in every JSON document: the answer's session and view.

use crate::ApiError;
use crate::api::{AnnotationPresence, BudgetOrigin, DocumentSubject, ViewSettings};
use crate::asked::view::read_amounts;
use crate::measure::opened::SessionSnapshot;

/// Returns a document's head.
///
/// # Errors
/// If `view` is invalid.
pub fn about(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    budget_source: BudgetOrigin,
) -> Result<DocumentSubject, ApiError> {
    let chosen = opened.parse_view(view)?;
    let (budget, _) = read_amounts(view, opened.window_of_shares(&view.budget)?)?;
    let format: &str = opened.about.format.into();
    Ok(DocumentSubject {
        log: opened.about.path.clone(),
        format: format.to_owned(),
        session: opened.log.header().session.map(|id| id.to_string()),
        policy: chosen.policy.to_owned(),
        options: view.options.clone(),
        budget,
        budget_source,
        tokenizer: chosen.unit.name().to_owned(),
        annotation: AnnotationPresence::from_annotated(
            opened.branch(&chosen.branch.with_declared_marks())?.has_episodes(),
        ),
        source: opened.branch(&chosen.branch)?.growth.source,
    })
}
