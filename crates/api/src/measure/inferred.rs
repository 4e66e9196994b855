//! Inference: the episodes of a log that the agent did not mark.

use cwl_engine::{Annotation, Hindsight, Session, infer_between, spans_of};

use crate::ApiError;
use crate::measure::branch::Branch;
use crate::stored::counts::Counts;
use crate::stored::texts::Texts;

/// Infers the episodes of a branch; only texts that no revision has read are read. Edges are drawn in hindsight: the
/// whole act speaks for them.
pub(crate) fn infer(session: &Session, texts: &Texts, counts: &Counts) -> Result<Annotation, ApiError> {
    let facts = counts.facts.of(session, texts)?;
    Ok(cwl_engine::infer(session, &facts, Hindsight::default()))
}

/// Infers episodes in the stretches of a branch that its agent did not mark.
pub(crate) fn fill(declared: &Branch, texts: &Texts, counts: &Counts) -> Result<Annotation, ApiError> {
    let session = &declared.session;
    let facts = counts.facts.of(session, texts)?;
    let own = spans_of(session, &declared.growth, &declared.annotation);
    Ok(infer_between(session, &facts, Hindsight::default(), &own))
}
