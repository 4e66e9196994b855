//! User and system messages, and plain parts in any message.

use cwl_engine::{BlockIdx, BlockKind, MessageForm, MessageIdx, Provider, Role, SessionMessage};

use super::{Layer, MessageLayout, MessageSlot};
use crate::Format;
use crate::content::gemini::response_of;
use crate::gemini::SENT_AGAIN;
use crate::json::Value;
use crate::render::RepairKind;
use crate::render::definition::Definition;
use crate::render::image::Image;
use crate::render::part::SentPart;
use crate::render::rules::SystemPlace;
use crate::render::source::Wording;

impl Layer<'_, '_> {
    /// Results come first.
    pub(super) fn lay_user(&mut self, idx: MessageIdx, row: &SessionMessage, blocks: &[BlockIdx]) {
        let is_result = |block: &BlockIdx| matches!(self.request.kind_of(*block), BlockKind::Result(_));
        let (results, others): (Vec<BlockIdx>, Vec<BlockIdx>) = blocks.iter().copied().partition(is_result);
        for &block in &results {
            self.result_in_place(idx, block);
        }
        if others.is_empty() && (row.role == Role::Tool || !results.is_empty()) {
            return;
        }
        let is_again = matches!(&row.form, MessageForm::Custom { name } if **name == *SENT_AGAIN);
        let others = if is_again { self.with_their_calls(others) } else { others };
        let wording = self.request.frame_of(row, blocks).map(|frame| frame.wording_of(&row.form));
        let parts: Vec<SentPart> = match wording {
            Some(Wording::Pi(text)) => vec![SentPart::Text(text)],
            Some(Wording::Nothing) => return,
            Some(Wording::Log) | None if self.is_told_by_model(row) => {
                return self.asked_and_told(idx, &others);
            }
            Some(Wording::Log) | None => {
                others.into_iter().filter_map(|block| self.plain_part(block, MessageSlot::User)).collect()
            }
        };
        if parts.is_empty() {
            self.note_repair(RepairKind::EmptyLeftOut.of_message(Some(idx)));
        } else {
            self.push_parts(MessageSlot::User, Some(idx), parts);
        }
    }

    /// Keeps repeated results whose call is sent directly before, with a result that is not masked.
    fn with_their_calls(&mut self, repeats: Vec<BlockIdx>) -> Vec<BlockIdx> {
        let is_answer = |part: &SentPart| matches!(part, SentPart::Answer(_));
        let is_answered =
            |last: &MessageLayout| last.slot == MessageSlot::User && last.parts.iter().any(is_answer);
        let follows = !self.owed.is_empty() || self.laid.messages.last().is_some_and(is_answered);
        let is_sent = |repeat: &BlockIdx| {
            let json = self.request.block_json(*repeat);
            let id = response_of(Value::trusted(&json, 0)).map(|response| response.text_of("id"));
            let is_of = |(call, result): (&BlockIdx, &BlockIdx)| {
                let is_shown = self.request.placeholder_text(*result).is_none();
                matches!(self.request.kind_of(*call), BlockKind::Call(call) if is_shown && Some(call.id.as_str()) == id.as_deref())
            };
            follows && self.pairs.result_of.iter().any(is_of)
        };
        let (sent, gone): (Vec<BlockIdx>, Vec<BlockIdx>) = repeats.into_iter().partition(is_sent);
        gone.into_iter().for_each(|block| self.note_repair(RepairKind::ResultLeftOut.at_block(block)));
        sent
    }

    /// OpenCode sends a summary as the model's reply to a question.
    fn is_told_by_model(&self, row: &SessionMessage) -> bool {
        self.request.format == Format::Opencode && row.form == MessageForm::Summary
    }

    fn asked_and_told(&mut self, idx: MessageIdx, blocks: &[BlockIdx]) {
        let is_question = |block: &BlockIdx| {
            Value::trusted(&self.request.block_json(*block), 0).text_of("type") == "compaction"
        };
        let n_asked = blocks.iter().rposition(is_question).map_or(0, |last| last + 1);
        for (slot, blocks) in
            [(MessageSlot::User, &blocks[..n_asked]), (MessageSlot::Assistant, &blocks[n_asked..])]
        {
            let parts: Vec<SentPart> =
                blocks.iter().filter_map(|block| self.plain_part(*block, slot)).collect();
            if !parts.is_empty() {
                self.push_parts(slot, Some(idx), parts);
            }
        }
    }

    /// A result may move behind its reply instead; this is noted.
    fn result_in_place(&mut self, idx: MessageIdx, block: BlockIdx) {
        if !self.pairs.call_of.contains_key(&block) {
            self.note_repair(RepairKind::ResultLeftOut.at_block(block));
        } else if self.is_in_item(block) {
            // Its call is sent as an item with the result.
        } else if !self.rules.results_follow {
            let parts = vec![SentPart::Answer(self.make_answer(block))];
            self.push_parts(MessageSlot::User, Some(idx), parts);
        } else if !self.owed.iter().any(|owed| owed.result == Some(block)) {
            self.note_repair(RepairKind::ResultMoved.at_block(block));
        }
    }

    pub(super) fn lay_system(&mut self, idx: MessageIdx, row: &SessionMessage, blocks: &[BlockIdx]) {
        let mut parts = Vec::new();
        for &block in blocks {
            let tools = Definition::parse_all(&self.request.sent_content(block));
            if !tools.is_empty() {
                let n_tools = tools.len();
                let known = tools.into_iter().filter(|tool| tool.for_provider(self.rules.provider).is_some());
                let known: Vec<Definition> = known.collect();
                if known.len() < n_tools {
                    self.note_repair(RepairKind::PartLeftOut.at_block(block));
                }
                self.laid.tools.extend(known);
            } else {
                let part = self.plain_part(block, MessageSlot::System);
                parts.extend(part);
            }
        }
        let texts = || parts.iter().filter_map(SentPart::as_text).map(str::to_owned);
        let is_first = self.laid.messages.is_empty();
        let place = match self.rules.system {
            // The log proves that the provider accepted system messages among the others.
            SystemPlace::Beside if self.is_home && self.rules.provider == Provider::Anthropic => {
                SystemPlace::FirstBeside
            }
            place => place,
        };
        match place {
            _ if parts.is_empty() => {}
            SystemPlace::FirstBeside
                if is_first && row.form == MessageForm::Plain && self.laid.system.is_empty() =>
            {
                self.laid.system.extend(texts());
            }
            SystemPlace::Beside => {
                self.laid.system.extend(texts());
                if !is_first {
                    self.note_repair(RepairKind::SystemMoved.of_message(Some(idx)));
                }
            }
            SystemPlace::Among | SystemPlace::FirstBeside => {
                self.push_parts(MessageSlot::System, Some(idx), parts)
            }
        }
    }
    pub(super) fn plain_part(&mut self, block: BlockIdx, slot: MessageSlot) -> Option<SentPart> {
        let is_model = slot == MessageSlot::Assistant;
        let takes_images = slot == MessageSlot::User || (is_model && self.rules.model_images);
        match self.request.kind_of(block) {
            BlockKind::Text | BlockKind::Image | BlockKind::Opaque
                if slot != MessageSlot::System
                    && let Some(own) = self.own_part(block, is_model) =>
            {
                Some(own)
            }
            BlockKind::Text => {
                let text = self.request.sent_content(block).text;
                // OpenCode sends a space behind signed reasoning.
                let is_sent = is_model && self.request.format == Format::Opencode && text == " ";
                let is_blank = self.rules.blank_refused && text.trim().is_empty();
                if text.is_empty() || (is_blank && !is_sent) {
                    return self.left_out(RepairKind::BlankLeftOut, block);
                }
                Some(SentPart::Text(text))
            }
            BlockKind::Image if takes_images => {
                let json = self.request.block_json(block);
                let image = Image::parse(Value::trusted(&json, 0)).filter(|image| self.takes_image(image));
                match image {
                    Some(image) => Some(SentPart::Image(image)),
                    None => self.left_out(RepairKind::PartLeftOut, block),
                }
            }
            _ => self.left_out(RepairKind::PartLeftOut, block),
        }
    }

    pub(super) fn takes_image(&self, image: &Image) -> bool {
        self.rules.provider != Provider::Pi || matches!(image, Image::Data(_))
    }
}
