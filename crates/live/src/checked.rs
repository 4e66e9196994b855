//! A decision checked against the settings and the list of messages.

use cwl_engine::TurnIdx;
use cwl_inspect::{DecisionFigures, EvictedPart, EvictionDecision, MessageEdit, Verdict};

use crate::protocol::LiveVerdict;

#[derive(Debug)]
pub struct CheckedDecision {
    pub turn: TurnIdx,
    pub verdict: LiveVerdict,
    pub passes: Option<String>,
    pub edits: Vec<MessageEdit>,
    pub evicted: Vec<EvictedPart>,
    pub figures: DecisionFigures,
}

impl CheckedDecision {
    /// Keeps a decision, or passes the list through if there is a `refusal`.
    pub fn new(decision: EvictionDecision, refusal: Option<String>) -> Self {
        let EvictionDecision { turn, verdict, edits, evicted, figures } = decision;
        let (verdict, passes) = match (refusal, verdict) {
            (Some(reason), _) => (LiveVerdict::PassThrough, Some(reason)),
            (None, Verdict::Keep) => (LiveVerdict::Keep, None),
            (None, Verdict::Evict) => (LiveVerdict::Evict, None),
            (None, Verdict::PassThrough(reason)) => (LiveVerdict::PassThrough, Some(reason.to_string())),
        };
        // A list that passes through keeps every part.
        let (edits, evicted, sent) = match verdict {
            LiveVerdict::PassThrough => (Vec::new(), Vec::new(), figures.whole),
            LiveVerdict::Keep | LiveVerdict::Evict => (edits, evicted, figures.sent),
        };
        Self { turn, verdict, passes, edits, evicted, figures: DecisionFigures { sent, ..figures } }
    }
}
