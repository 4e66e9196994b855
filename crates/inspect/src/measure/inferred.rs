//! Inference of episodes for logs whose agent marked none.

use cwl_engine::{Annotation, Hindsight, Session, infer_between, spans_of};

use crate::ApiError;
use crate::measure::branch::Branch;
use crate::texts::counts::Counts;
use crate::texts::log_texts::Texts;

/// Infers a branch's episodes, reading only texts no earlier revision read. Dependencies are inferred in hindsight,
/// from the whole act.
pub(crate) fn infer_annotation(
    session: &Session,
    texts: &Texts,
    counts: &Counts,
) -> Result<Annotation, ApiError> {
    let facts = counts.facts.facts_of_session(session, texts)?;
    Ok(cwl_engine::infer_episodes(session, &facts, Hindsight::default()))
}

pub(crate) fn fill_annotation(
    declared: &Branch,
    texts: &Texts,
    counts: &Counts,
) -> Result<Annotation, ApiError> {
    let session = &declared.session;
    let facts = counts.facts.facts_of_session(session, texts)?;
    let own = spans_of(session, &declared.growth, &declared.annotation);
    Ok(infer_between(session, &facts, Hindsight::default(), &own))
}
