//! Answers to a reply's calls: results from the log, and errors for calls without one.

use cwl_engine::{BlockIdx, BlockKind};

use super::{Layer, MessageLayout, MessageSlot};
use crate::render::RepairKind;
use crate::render::part::{Input, RenderedAnswer, RenderedCall, SentPart, parts_of_result};

/// Harnesses send this text for a call without a result.
const NO_RESULT: &str = "No result provided";

#[derive(Clone, Copy)]
pub(super) struct OwedAnswer {
    pub(super) call: BlockIdx,
    pub(super) result: Option<BlockIdx>,
}

impl Layer<'_, '_> {
    pub(super) fn invented_answer(&mut self, call: BlockIdx) -> RenderedAnswer {
        self.note_repair(RepairKind::ResultInvented.at_block(call));
        let parts = vec![SentPart::Text(NO_RESULT.to_owned())];
        RenderedAnswer { ok: false, parts, ..self.answer_to(call) }
    }

    pub(super) fn make_answer(&mut self, block: BlockIdx) -> RenderedAnswer {
        let ok = matches!(self.request.kind_of(block), BlockKind::Result(result) if result.ok);
        let n_images = self.request.n_images(block);
        let mut parts = parts_of_result(&self.request.sent_content(block), n_images);
        parts.retain(|part| !matches!(part, SentPart::Image(image) if !self.takes_image(image)));
        let n_found = parts.iter().filter(|part| matches!(part, SentPart::Image(_))).count();
        if n_found < n_images as usize {
            self.note_repair(RepairKind::PartLeftOut.at_block(block));
        }
        match self.pairs.call_of.get(&block) {
            Some(call) => RenderedAnswer { ok, parts, ..self.answer_to(*call) },
            None => RenderedAnswer { ok, parts, id: String::new(), name: self.spell_name(""), free: false },
        }
    }

    fn answer_to(&self, call: BlockIdx) -> RenderedAnswer {
        let own_id = self.ids.get(&call).cloned().unwrap_or_default();
        let of_call = match self.request.kind_of(call) {
            BlockKind::Call(of_block) => {
                Some(RenderedCall::parse(of_block, &self.request.sent_content(call), None, false))
            }
            _ => None,
        };
        let has_id = !of_call.as_ref().is_some_and(|call| self.goes_without_id(call));
        RenderedAnswer {
            id: if has_id { own_id } else { String::new() },
            name: self.spell_name(of_call.as_ref().map_or("", |call| call.name.as_str())),
            ok: true,
            free: of_call.as_ref().is_some_and(|call| matches!(call.input, Input::Free(_))),
            parts: Vec::new(),
        }
    }

    /// Adds the results that must follow the last reply; images not allowed in results come behind them.
    pub(super) fn lay_answers(&mut self) {
        if self.owed.is_empty() {
            return;
        }
        let mut owed = std::mem::take(&mut self.owed);
        if self.rules.ids_optional {
            owed.sort_unstable_by_key(|owed| owed.call);
        } else {
            // Invented results stand behind real ones.
            let place = |owed: &OwedAnswer| match owed.result {
                Some(result) => (self.pairs.order.get(&result).copied().unwrap_or(usize::MAX), owed.call),
                None => (usize::MAX, owed.call),
            };
            owed.sort_unstable_by_key(place);
        }
        let first = owed.iter().find_map(|owed| owed.result);
        let message = first.map(|block| self.request.session.blocks[block.at()].message);
        let mut parts = Vec::new();
        let mut images = Vec::new();
        for OwedAnswer { call, result } in owed {
            let Some(block) = result else {
                let made_up = self.invented_answer(call);
                parts.push(SentPart::Answer(made_up));
                continue;
            };
            let mut answer = self.make_answer(block);
            if !self.rules.result_images {
                let n_before = images.len();
                let (moved, kept): (Vec<SentPart>, Vec<SentPart>) =
                    answer.parts.into_iter().partition(|part| matches!(part, SentPart::Image(_)));
                answer.parts = kept;
                images.extend(moved);
                if images.len() > n_before {
                    self.note_repair(RepairKind::ImageMoved.at_block(block));
                }
            }
            parts.push(SentPart::Answer(answer));
        }
        parts.extend(images);
        self.laid.messages.push(MessageLayout { slot: MessageSlot::User, message, parts });
    }
}
