//! Inference: the episodes of a log that the agent did not mark.

use cwl_engine::{Annotation, BlockKind, FactsBuilder, Hindsight, Session};
use cwl_formats::read_call;

use crate::ApiError;
use crate::measure::material::scan;
use crate::stored::texts::Texts;

/// Infers the episodes of a branch in one pass over its texts. Edges are drawn in hindsight: the whole act speaks for them.
pub(crate) fn infer(session: &Session, texts: &Texts) -> Result<Annotation, ApiError> {
    let mut facts = FactsBuilder::new(session);
    scan(session, texts, |block, text| {
        let reading = match &session.blocks[block.at()].kind {
            BlockKind::Call(call) => Some(read_call(&call.name, text)),
            _ => None,
        };
        facts.block(block, text, reading.as_ref());
    })?;
    Ok(cwl_engine::infer(session, &facts.finish(), Hindsight::default()))
}
