//! Hidden reasoning: replies with more reasoning than the log has text for, and its size.
//!
//! Three things show it. A block of reasoning has no text: its size is what the provider reported of the reply's reasoning,
//! or else the reported output less the visible parts of the reply. Or a block has a text, but the provider reported so much
//! more that no tokenizer makes that of it: then the text is a summary. Or the reply has no such block at all, though reasoning
//! was reported: then nothing tells whether a later request holds it.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{BlockIdx, BlockKind, Session, SessionMessage, TokenTable, Usage};

use crate::dto::{CarriedDto, CarriedReasoningDto};
use crate::figures::{saturate_u32, with_commas};
use crate::measure::calibration::FACTORS;
use crate::measure::sizes::Carriers;
use crate::tables::carried::CarriedRow;

/// A reply that holds more reasoning than the log shows, and its usage.
pub(super) struct HiddenReply {
    /// The position of the request it answers.
    pub(super) turn: usize,
    pub(super) message: usize,
    /// The block of it whose size is derived; `None` if the reply has no block of reasoning.
    pub(super) block: Option<BlockIdx>,
    /// The reported output, tokens.
    pub(super) output: u32,
    /// The reported reasoning, tokens; 0 if it is not reported apart.
    reasoning: u32,
    /// The visible parts, units.
    visible: u64,
    /// The visible part of the reasoning, units.
    shown: u64,
    /// The row of the table for its model.
    pub(super) row: Arc<CarriedRow>,
}

impl HiddenReply {
    /// Tells whether its reasoning is in a later request, as far as it is known.
    pub(super) fn is_sent_back(&self) -> bool {
        match self.carried_dto() {
            CarriedDto::Always | CarriedDto::UntilHuman => true,
            CarriedDto::Never | CarriedDto::Unknown => false,
        }
    }

    /// Returns for how long its reasoning is sent back. Where the log has no block of it, the table does not speak of it.
    fn carried_dto(&self) -> CarriedDto {
        match (self.block, self.row.carried) {
            (None, CarriedDto::Always | CarriedDto::UntilHuman) => CarriedDto::Unknown,
            (_, carried) => carried,
        }
    }

    /// Returns the size of what is hidden, units; `factor` is how many tokens the provider counts for one of ours.
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

/// Finds the replies that hold more reasoning than the log shows.
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

/// Returns the blocks of a reply's reasoning of which the log does not show all: those without a text, or all of them where
/// more was reported than their texts can be.
pub(super) fn hidden_blocks(
    session: &Session,
    said: &SessionMessage,
    units: impl Fn(BlockIdx) -> u64,
    divisor: u32,
) -> Vec<BlockIdx> {
    let shown: u64 = reasoning_of(session, said).map(&units).sum();
    let is_summary = said.usage.is_some_and(|usage| is_more(&usage, shown / u64::from(divisor.max(1))));
    reasoning_of(session, said).filter(|block| is_summary || units(*block) == 0).collect()
}

/// Tells whether more reasoning was reported than any tokenizer makes of the tokens that are shown.
fn is_more(usage: &Usage, shown: u64) -> bool {
    usage.reasoning as f64 > (shown + 1) as f64 * FACTORS.end()
}

fn reasoning_of<'a>(session: &'a Session, said: &SessionMessage) -> impl Iterator<Item = BlockIdx> + 'a {
    let blocks = said.blocks.clone().map(BlockIdx::new);
    blocks.filter(|block| session.blocks[block.at()].kind == BlockKind::Reasoning)
}

/// The hidden reasoning of a model, and whether the log has no block of it: one of the replies, how many, and units.
type Sum<'a> = ((Option<&'a str>, bool), (&'a HiddenReply, u32, u64));

/// Adds up hidden reasoning model by model; the sizes are units.
pub(super) fn by_model(
    session: &Session,
    visible: &TokenTable,
    sized: &[(&HiddenReply, u32)],
) -> Vec<CarriedReasoningDto> {
    let mut sums: BTreeMap<(Option<&str>, bool), (&HiddenReply, u32, u64)> = BTreeMap::new();
    for (reply, units) in sized.iter().filter(|(_, units)| *units > 0) {
        let model = session.messages[reply.message].model.as_deref();
        let sum = sums.entry((model, reply.block.is_none())).or_insert((reply, 0, 0));
        sum.1 += 1;
        sum.2 += u64::from(*units);
    }
    let of_model = |((model, is_absent), (reply, n_replies, units)): Sum<'_>| {
        let (tokens, carried) = (visible.tokens_from_units(units), reply.carried_dto());
        let sent = match carried {
            CarriedDto::Always => "it is sent back as long as the reply is in the history",
            CarriedDto::UntilHuman => "it is sent back until the human speaks again",
            CarriedDto::Never => "it is not sent back and in no total",
            CarriedDto::Unknown => "whether it is sent back is not known, so it is in no total",
        };
        let kept = if is_absent { "were reported and have no block" } else { "have no text" };
        let replies = if n_replies == 1 { "reply" } else { "replies" };
        let says = format!(
            "reasoning of {}: {} tokens of {n_replies} {replies} {kept} in the log; {sent}",
            model.unwrap_or("an unnamed model"),
            with_commas(tokens),
        );
        CarriedReasoningDto {
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
