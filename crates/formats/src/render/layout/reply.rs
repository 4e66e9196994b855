//! The model's replies: text, reasoning and calls, as the provider accepts them back.

use cwl_engine::{BlockIdx, BlockKind, MessageIdx, Provider, SessionMessage};

use super::answer::OwedAnswer;
use super::{Layer, MessageSlot};
use crate::Format;
use crate::render::own::{is_compaction, is_mcp_call, served_result, served_result_gone};
use crate::render::part::{Input, RenderedCall, SentPart};
use crate::render::reasoning::{SendableReasoning, maker_of};
use crate::render::{Repair, RepairKind};

impl Layer<'_, '_> {
    pub(super) fn lay_reply(&mut self, idx: MessageIdx, row: &SessionMessage, blocks: &[BlockIdx]) {
        let frame = self.request.frame_of(row, blocks);
        let maker = maker_of(self.request, row, frame.as_ref());
        let mut parts = Vec::new();
        let mut trailing = Vec::new();
        let mut owed: Vec<OwedAnswer> = Vec::new();
        let mut has_other = false;
        for &block in blocks {
            let own = self.served_part(block, blocks);
            let part = match self.request.kind_of(block) {
                _ if own.is_some() => own,
                BlockKind::Reasoning => self.reasoning_part(block, maker),
                BlockKind::Call(_) => {
                    let call = self.call_part(block, maker);
                    let result = self.pairs.result_of.get(&block).copied();
                    let is_owed = result.is_some() || self.pairs.invented.contains(&block);
                    owed.extend((is_owed && call.is_some()).then_some(OwedAnswer { call: block, result }));
                    call
                }
                _ => self.plain_part(block, MessageSlot::Assistant),
            };
            let Some(part) = part else { continue };
            match &part {
                SentPart::Reasoning(_) => trailing.push((parts.len(), block)),
                // A provider may compact during a reply; the reasoning then belongs to the text behind the
                // compaction.
                SentPart::Own(json) if is_compaction(json) => {}
                _ => {
                    trailing.clear();
                    has_other = true;
                }
            }
            parts.push(part);
        }
        // No provider accepts a message with nothing but reasoning.
        if self.rules.reasoning_leads || !has_other {
            for (n_removed, (at, block)) in trailing.into_iter().enumerate() {
                parts.remove(at - n_removed);
                self.note_repair(RepairKind::ReasoningLeftOut.at_block(block));
            }
        }
        if parts.is_empty() {
            self.note_repair(RepairKind::EmptyLeftOut.of_message(Some(idx)));
            return;
        }
        self.push_parts(MessageSlot::Assistant, Some(idx), parts);
        if self.rules.results_follow {
            self.owed.extend(owed);
            return;
        }
        // Real results stay in place; invented ones follow directly.
        let made_up: Vec<SentPart> = owed
            .into_iter()
            .filter(|owed| owed.result.is_none())
            .map(|owed| SentPart::Answer(self.invented_answer(owed.call)))
            .collect();
        if !made_up.is_empty() {
            self.push_parts(MessageSlot::User, None, made_up);
        }
    }

    pub(super) fn is_in_item(&self, result: BlockIdx) -> bool {
        self.pairs.call_of.get(&result).is_some_and(|call| self.served_item(*call).is_some())
    }

    /// Combines call and result, as run by the provider.
    ///
    /// The log has no text for such a result; a result with text came from the harness.
    fn served_item(&self, call: BlockIdx) -> Option<SentPart> {
        let result = *self.pairs.result_of.get(&call).filter(|_| !self.rules.results_follow)?;
        self.own_part(call, true).filter(|_| self.request.sent_content(result).text.is_empty())
    }

    fn served_part(&mut self, block: BlockIdx, blocks: &[BlockIdx]) -> Option<SentPart> {
        let pair_of = |block: BlockIdx| self.request.session.blocks[block.at()].pair;
        // Only the first of several results is the answer; a replacement call has the original's result.
        let pair = pair_of(block).filter(|pair| blocks.contains(pair) && pair_of(*pair) == Some(block));
        match self.request.kind_of(block) {
            BlockKind::Call(_) if !self.rules.results_follow => self.served_item(block),
            BlockKind::Call(_) => {
                let own = self.own_part(block, true).filter(|_| pair.is_some_and(|result| block < result))?;
                // The result follows here, so a result in another message would be a duplicate.
                if let Some(result) = self.pairs.result_of.remove(&block) {
                    self.pairs.call_of.remove(&result);
                }
                Some(own)
            }
            BlockKind::Result(result) if self.rules.results_follow => {
                let call = pair.filter(|call| *call < block)?;
                let SentPart::Own(call) = self.own_part(call, true)? else { return None };
                if self.request.placeholder_text(block).is_some() && !is_mcp_call(&call) {
                    self.note_repair(RepairKind::PartLeftOut.at_block(block));
                    return Some(SentPart::Own(served_result_gone(
                        &call,
                        &self.request.logged_content(block),
                    )));
                }
                Some(SentPart::Own(served_result(&call, &self.request.sent_content(block), result.ok)))
            }
            _ => None,
        }
    }

    fn reasoning_part(&mut self, block: BlockIdx, maker: Option<Provider>) -> Option<SentPart> {
        let is_pi = self.request.format == Format::Pi;
        let content = self.request.sent_content(block);
        let reasoning = SendableReasoning::parse(&content, maker, is_pi);
        let reasoning = reasoning.sent_by(self.request.format, &content, self.rules.provider);
        // pi accepts reasoning from any provider, signed or not.
        let to_pi = self.rules.provider == Provider::Pi;
        let is_own = to_pi || reasoning.maker == Some(self.rules.provider);
        // pi and Antigravity send readable thoughts back to Gemini, signed or not.
        let sends_unsigned = is_pi || self.request.format == Format::Antigravity;
        let is_taken = to_pi || (sends_unsigned && self.rules.provider == Provider::Gemini);
        let is_sent = reasoning.is_provable() || (is_taken && reasoning.is_readable());
        if is_own && is_sent {
            return Some(SentPart::Reasoning(reasoning));
        }
        if !is_own && reasoning.is_readable() {
            self.note_repair(RepairKind::ReasoningAsText.at_block(block));
            return Some(SentPart::Text(reasoning.text));
        }
        self.left_out(RepairKind::ReasoningLeftOut, block)
    }

    fn call_part(&mut self, block: BlockIdx, maker: Option<Provider>) -> Option<SentPart> {
        let BlockKind::Call(of_block) = self.request.kind_of(block) else { return None };
        let Some(id) = self.ids.get(&block).cloned() else {
            return self.left_out(RepairKind::CallLeftOut, block);
        };
        let is_pi = self.request.format == Format::Pi;
        let mut call = RenderedCall::parse(of_block, &self.request.sent_content(block), maker, is_pi);
        if self.goes_without_id(&call) {
            call.id = String::new();
        } else {
            if call.has_id && id != call.id {
                self.note_repair(Repair {
                    sent: Some(id.clone()),
                    ..RepairKind::CallIdChanged.at_block(block)
                });
            }
            call.id = id;
        }
        let is_responses = self.rules.provider == Provider::OpenAiResponses;
        call.own = call.own.filter(|own| is_responses && self.spell_name(&own.name) == own.name);
        let name = self.spell_name(&call.name);
        if name != call.name && call.own.is_none() {
            self.note_repair(Repair {
                sent: Some(name.clone()),
                ..RepairKind::CallNameChanged.at_block(block)
            });
            call.name = name;
        }
        let is_refused = match &call.input {
            Input::Object(_) => false,
            Input::Broken(_) => true,
            Input::Free(_) => !self.rules.free_input,
        };
        if is_refused {
            self.note_repair(RepairKind::InputWrapped.at_block(block));
        }
        Some(SentPart::Call(call))
    }

    pub(super) fn goes_without_id(&self, call: &RenderedCall) -> bool {
        self.rules.ids_optional && !call.has_id
    }
}
