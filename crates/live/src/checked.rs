//! A decision checked against the settings and the list of messages.

use cwl_engine::TurnIdx;
use cwl_inspect::{DecisionFigures, EvictedPart, EvictionDecision, MessageEdit, Verdict};

use crate::protocol::LiveVerdictDto;

#[derive(Debug)]
pub struct CheckedDecision {
    pub turn: TurnIdx,
    pub verdict: LiveVerdictDto,
    /// The reason if the list passes through.
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
            (Some(reason), _) => (LiveVerdictDto::PassThrough, Some(reason)),
            (None, Verdict::Keep) => (LiveVerdictDto::Keep, None),
            (None, Verdict::Evict) => (LiveVerdictDto::Evict, None),
            (None, Verdict::PassThrough(reason)) => (LiveVerdictDto::PassThrough, Some(reason.to_string())),
        };
        // A list that passes through keeps every part.
        let (edits, evicted, sent) = match verdict {
            LiveVerdictDto::PassThrough => (Vec::new(), Vec::new(), figures.whole),
            LiveVerdictDto::Keep | LiveVerdictDto::Evict => (edits, evicted, figures.sent),
        };
        Self { turn, verdict, passes, edits, evicted, figures: DecisionFigures { sent, ..figures } }
    }
}
