//! Inference: the episodes of a log the agent did not mark.

use cwl_engine::{Annotation, Hindsight, Session, infer_between, spans_of};

use crate::ApiError;
use crate::measure::branch::Branch;
use crate::stored::counts::Counts;
use crate::stored::texts::Texts;

/// Infers a branch's episodes; only texts no revision has read are read. Edges are drawn in hindsight: the whole act speaks
/// for them.
pub(crate) fn infer_annotation(
    session: &Session,
    texts: &Texts,
    counts: &Counts,
) -> Result<Annotation, ApiError> {
    let facts = counts.facts.facts_of_session(session, texts)?;
    Ok(cwl_engine::infer_episodes(session, &facts, Hindsight::default()))
}

/// Infers episodes in the stretches of a branch its agent did not mark.
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
