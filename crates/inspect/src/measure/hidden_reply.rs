//! Hidden reasoning: replies with more reasoning than the log has text for.
//!
//! Three cases show it. A reasoning block has no text: its size is the reported reasoning, or else the reported output
//! minus the visible parts. A block has a text, but the provider reports more than any tokenizer counts for it: the
//! text is a summary. The reply has no reasoning block although reasoning was reported: nothing tells whether later
//! requests include it.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{BlockIdx, BlockKind, Session, SessionMessage, TokenTable, Usage};

use crate::api::{ReasoningRetention, RetainedReasoning};
use crate::figures::{saturate_u32, with_commas};
use crate::measure::calibration::FACTORS;
use crate::measure::sizes::Carriers;
use crate::tables::carried::CarriedRow;

pub(super) struct HiddenReply {
    pub(super) turn: usize,
    pub(super) message: usize,
    /// The reasoning block whose size is derived, if the reply has one.
    pub(super) block: Option<BlockIdx>,
    pub(super) output: u32,
    /// Reported reasoning tokens; 0 if not reported separately.
    reasoning: u32,
    visible: u64,
    shown: u64,
    pub(super) row: Arc<CarriedRow>,
}

impl HiddenReply {
    pub(super) fn is_sent_back(&self) -> bool {
        match self.carried_table() {
            ReasoningRetention::Always | ReasoningRetention::UntilHuman => true,
            ReasoningRetention::Never | ReasoningRetention::Unknown => false,
        }
    }

    /// Returns the retention of the reasoning. The table does not apply if the log has no reasoning block.
    fn carried_table(&self) -> ReasoningRetention {
        match (self.block, self.row.carried) {
            (None, ReasoningRetention::Always | ReasoningRetention::UntilHuman) => {
                ReasoningRetention::Unknown
            }
            (_, carried) => carried,
        }
    }

    /// Returns the hidden size in units; `factor` is the provider's tokens per counted token.
    pub(super) fn hidden_units(&self, factor: f64, divisor: u32) -> u32 {
        let (of, known) = match self.reasoning {
            0 => (self.output, self.visible),
            reasoning => (reasoning, self.shown),
        };
        let tokens = (f64::from(of) / factor).round() as u64;
        saturate_u32(tokens.saturating_mul(divisor.into()).saturating_sub(known))
    }

    pub(super) fn hidden_tokens(&self, factor: f64, divisor: u32) -> u64 {
        u64::from(self.hidden_units(factor, divisor)) / u64::from(divisor.max(1))
    }
}

pub(super) fn hidden_replies(
    session: &Session,
    visible: &TokenTable,
    carriers: Carriers<'_>,
) -> Vec<HiddenReply> {
    let of_turn = |(turn, message): (usize, usize)| {
        let said = &session.messages[message];
        let usage = said.usage.filter(|usage| usage.output > 0)?;
        let units = |block: BlockIdx| visible.units(block);
        let hidden = hidden_blocks(session, said, units, visible.divisor());
        let block = hidden.iter().find(|block| units(**block) == 0).or(hidden.first()).copied();
        if block.is_none() && (usage.reasoning == 0 || reasoning_of(session, said).next().is_some()) {
            return None;
        }
        let blocks = said.blocks.clone().map(BlockIdx::new);
        Some(HiddenReply {
            turn,
            message,
            block,
            output: saturate_u32(usage.output),
            reasoning: saturate_u32(usage.reasoning),
            visible: blocks.map(units).sum(),
            shown: reasoning_of(session, said).map(units).sum(),
            row: carriers(said.model.as_deref()),
        })
    };
    let answered = session.turns.iter().enumerate();
    answered.filter_map(|(turn, asked)| of_turn((turn, asked.message?.at()))).collect()
}

/// Returns the reply's incomplete reasoning blocks: the ones without text, or all if more was reported than their texts
/// can be.
pub(super) fn hidden_blocks(
    session: &Session,
    said: &SessionMessage,
    units: impl Fn(BlockIdx) -> u64,
    divisor: u32,
) -> Vec<BlockIdx> {
    let shown: u64 = reasoning_of(session, said).map(&units).sum();
    let is_summary = said.usage.is_some_and(|usage| is_more(&usage, shown / u64::from(divisor.max(1))));
    let sent = reasoning_of(session, said).filter(|block| !session.is_excluded(*block));
    sent.filter(|block| is_summary || units(*block) == 0).collect()
}

/// Tells whether more reasoning was reported than any tokenizer counts for the `shown` tokens.
fn is_more(usage: &Usage, shown: u64) -> bool {
    usage.reasoning as f64 > (shown + 1) as f64 * FACTORS.end()
}

fn reasoning_of<'a>(session: &'a Session, said: &SessionMessage) -> impl Iterator<Item = BlockIdx> + 'a {
    let blocks = said.blocks.clone().map(BlockIdx::new);
    blocks.filter(|block| session.blocks[block.at()].kind == BlockKind::Reasoning)
}

/// `((model, is block missing), (a reply, number of replies, units))`.
type Sum<'a> = ((Option<&'a str>, bool), (&'a HiddenReply, u32, u64));

/// Sums hidden reasoning per model. `sized` contains units.
pub(super) fn by_model(
    session: &Session,
    visible: &TokenTable,
    sized: &[(&HiddenReply, u32)],
) -> Vec<RetainedReasoning> {
    let mut sums: BTreeMap<(Option<&str>, bool), (&HiddenReply, u32, u64)> = BTreeMap::new();
    for (reply, units) in sized.iter().filter(|(_, units)| *units > 0) {
        let model = session.messages[reply.message].model.as_deref();
        let sum = sums.entry((model, reply.block.is_none())).or_insert((reply, 0, 0));
        sum.1 += 1;
        sum.2 += u64::from(*units);
    }
    let of_model = |((model, is_absent), (reply, n_replies, units)): Sum<'_>| {
        let (tokens, carried) = (visible.tokens_from_units(units), reply.carried_table());
        let sent = match carried {
            ReasoningRetention::Always => "it is sent back as long as the reply is in the history",
            ReasoningRetention::UntilHuman => "it is sent back until the human speaks again",
            ReasoningRetention::Never => "it is not sent back and in no total",
            ReasoningRetention::Unknown => "whether it is sent back is not known, so it is in no total",
        };
        let kept = if is_absent { "were reported and have no block" } else { "have no text" };
        let replies = if n_replies == 1 { "reply" } else { "replies" };
        let says = format!(
            "reasoning of {}: {} tokens of {n_replies} {replies} {kept} in the log; {sent}",
            model.unwrap_or("an unnamed model"),
            with_commas(tokens),
        );
        RetainedReasoning {
            model: model.map(str::to_owned),
            carried,
            n_replies,
            tokens,
            source: reply.row.source.clone(),
            says,
        }
    };
    sums.into_iter().map(of_model).collect()
}
