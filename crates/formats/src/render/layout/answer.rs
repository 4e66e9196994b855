//! The answers to a reply's calls: results of the log, and errors where a call has none.

use cwl_engine::{BlockIdx, BlockKind};

use super::{Laid, Layer, Slot};
use crate::render::RepairKind;
use crate::render::part::{Answer, Call, Input, SentPart, parts_of_result};

/// The answer to a call without its result, where the harness answers such calls.
const NO_RESULT: &str = "No result provided";

/// An answer that a call of the reply laid last is owed.
#[derive(Clone, Copy)]
pub(super) struct Owed {
    pub(super) call: BlockIdx,
    /// The result; `None` where an error answers the call.
    pub(super) result: Option<BlockIdx>,
}

impl Layer<'_, '_> {
    /// Makes the error that answers a call without its result.
    pub(super) fn invented(&mut self, call: BlockIdx) -> Answer {
        self.repair(RepairKind::ResultInvented.of(call));
        let parts = vec![SentPart::Text(NO_RESULT.to_owned())];
        Answer { ok: false, parts, ..self.answer_to(call) }
    }

    /// Makes the answer to a call that is sent.
    pub(super) fn answer(&mut self, block: BlockIdx) -> Answer {
        let ok = matches!(self.request.kind(block), BlockKind::Result(result) if result.ok);
        let n_images = self.request.n_images(block);
        let mut parts = parts_of_result(&self.request.content(block), n_images);
        parts.retain(|part| !matches!(part, SentPart::Image(image) if !self.takes(image)));
        let n_found = parts.iter().filter(|part| matches!(part, SentPart::Image(_))).count();
        if n_found < n_images as usize {
            self.repair(RepairKind::PartLeftOut.of(block));
        }
        match self.pairs.call_of.get(&block) {
            Some(call) => Answer { ok, parts, ..self.answer_to(*call) },
            None => Answer { ok, parts, id: String::new(), name: self.name(""), free: false },
        }
    }

    /// Makes an answer to a call, without what it says.
    fn answer_to(&self, call: BlockIdx) -> Answer {
        let own_id = self.ids.get(&call).cloned().unwrap_or_default();
        let of_call = match self.request.kind(call) {
            BlockKind::Call(of_block) => Some(Call::of(of_block, &self.request.content(call), None, false)),
            _ => None,
        };
        let has_id = !of_call.as_ref().is_some_and(|call| self.goes_without_id(call));
        Answer {
            id: if has_id { own_id } else { String::new() },
            name: self.name(of_call.as_ref().map_or("", |call| call.name.as_str())),
            ok: true,
            free: of_call.as_ref().is_some_and(|call| matches!(call.input, Input::Free(_))),
            parts: Vec::new(),
        }
    }

    /// Lays the results that must follow the last reply; images that they may not hold behind them.
    pub(super) fn pay(&mut self) {
        if self.owed.is_empty() {
            return;
        }
        let mut owed = std::mem::take(&mut self.owed);
        if self.rules.ids_optional {
            owed.sort_unstable_by_key(|owed| owed.call);
        } else {
            // Answers that are made up stand behind those of the log.
            let place = |owed: &Owed| match owed.result {
                Some(result) => (self.pairs.order.get(&result).copied().unwrap_or(usize::MAX), owed.call),
                None => (usize::MAX, owed.call),
            };
            owed.sort_unstable_by_key(place);
        }
        let first = owed.iter().find_map(|owed| owed.result);
        let message = first.map(|block| self.request.session.blocks[block.at()].message);
        let mut parts = Vec::new();
        let mut images = Vec::new();
        for Owed { call, result } in owed {
            let Some(block) = result else {
                let made_up = self.invented(call);
                parts.push(SentPart::Answer(made_up));
                continue;
            };
            let mut answer = self.answer(block);
            if !self.rules.result_images {
                let n_before = images.len();
                let (moved, kept): (Vec<SentPart>, Vec<SentPart>) =
                    answer.parts.into_iter().partition(|part| matches!(part, SentPart::Image(_)));
                answer.parts = kept;
                images.extend(moved);
                if images.len() > n_before {
                    self.repair(RepairKind::ImageMoved.of(block));
                }
            }
            parts.push(SentPart::Answer(answer));
        }
        parts.extend(images);
        self.laid.messages.push(Laid { slot: Slot::User, message, parts });
    }
}
