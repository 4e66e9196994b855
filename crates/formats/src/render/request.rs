//! A request's messages before any provider's rules: all with remaining blocks, except failed replies.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    BlockIdx, BlockKind, Content, EventIdx, Fate, GoneReason, MessageIdx, MessageOrigin, Placeholder,
    RenderedContext, RenderedMessage, ReplacementCause, ReplyOutcome, Role, Session, SessionMessage,
};

use super::source::MessageFrame;
use super::{ContentSource, Repair, RepairKind};
use crate::Format;
use crate::json::Object;
use crate::payload::block_json;

pub(super) enum RequestMessage<'a> {
    Log {
        idx: MessageIdx,
        row: &'a SessionMessage,
        blocks: Vec<BlockIdx>,
    },
    /// The residue of an evicted exploration, or a summary by the policy.
    Residue(&'a str),
    /// The place of a failed reply, needed only for pi, which still sends its results.
    Refused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailedReplyRule {
    LeaveOut,
    Send,
}

pub(super) struct ProviderRequest<'a> {
    pub(super) format: Format,
    pub(super) session: &'a Session,
    pub(super) contents: &'a dyn ContentSource,
    pub(super) messages: Vec<RequestMessage<'a>>,
    pub(super) repairs: Vec<Repair>,
    /// True if calls without a result get an error, as their harness does.
    pub(super) answers_calls: bool,
    masked: BTreeMap<BlockIdx, Placeholder>,
}

/// Returns true if no policy changed `context`, so it is what the harness sent.
fn is_as_logged(context: &RenderedContext) -> bool {
    let of_log = |message: &RenderedMessage| {
        let is_of_log = |fate: &Fate| match fate {
            Fate::Kept(_) => true,
            Fate::Gone(why) => matches!(why, GoneReason::Harness { .. } | GoneReason::Excluded),
            Fate::Masked(..) => false,
        };
        matches!(message.origin, MessageOrigin::Log(_))
            && message.items.iter().all(|item| is_of_log(&item.fate))
    };
    context.messages.iter().all(of_log)
}

/// Returns true for reasoning that its provider no longer reads, but that Codex still sends.
fn is_lapsed(why: &GoneReason) -> bool {
    matches!(why, GoneReason::Harness { cause: ReplacementCause::Lapse, .. })
}

impl<'a> ProviderRequest<'a> {
    pub(super) fn new(
        format: Format,
        session: &'a Session,
        context: &'a RenderedContext,
        contents: &'a dyn ContentSource,
        results: FailedReplyRule,
    ) -> Self {
        let (messages, repairs, masked) = (Vec::new(), Vec::new(), BTreeMap::new());
        let answers_calls = context.answers_calls;
        let mut request = Self { format, session, contents, messages, repairs, answers_calls, masked };
        let mut refused: BTreeSet<BlockIdx> = BTreeSet::new();
        let sends_lapsed = format == Format::Codex && is_as_logged(context);
        for message in &context.messages {
            let idx = match &message.origin {
                MessageOrigin::Residue { text, .. } | MessageOrigin::Summary { text, .. } => {
                    request.messages.push(RequestMessage::Residue(text));
                    continue;
                }
                MessageOrigin::Log(idx) => *idx,
            };
            for item in &message.items {
                if let Fate::Masked(placeholder, _) = item.fate {
                    request.masked.insert(item.block, placeholder);
                }
            }
            let is_there = |fate: &Fate| match fate {
                Fate::Gone(why) => sends_lapsed && is_lapsed(why),
                Fate::Kept(_) | Fate::Masked(..) => true,
            };
            let there = message.items.iter().filter(|item| is_there(&item.fate));
            let mut blocks: Vec<BlockIdx> = there.map(|item| item.block).collect();
            // A message that lost all blocks is dropped; one that never had any is kept.
            if blocks.is_empty() && !message.items.is_empty() {
                continue;
            }
            let row = &session.messages[idx.at()];
            if row.outcome != ReplyOutcome::Complete {
                request.repairs.push(RepairKind::ReplyLeftOut.of_message(Some(idx)));
                match results {
                    FailedReplyRule::LeaveOut => refused.extend(blocks),
                    FailedReplyRule::Send => request.messages.push(RequestMessage::Refused),
                }
                continue;
            }
            // Results of a dropped reply are dropped too.
            let n_blocks = blocks.len();
            blocks.retain(|block| {
                let goes = session.blocks[block.at()].pair.is_some_and(|call| refused.contains(&call));
                if goes {
                    request.repairs.push(RepairKind::ResultLeftOut.at_block(*block));
                }
                !goes
            });
            let is_bereft = blocks.is_empty() && n_blocks > 0;
            if !is_bereft {
                request.messages.push(RequestMessage::Log { idx, row, blocks });
            }
        }
        if format == Format::Copilot {
            request.put_prompt_first();
            request.order_results();
        }
        request
    }

    /// Moves the system prompt to the front; Copilot logs it behind the first user message.
    fn put_prompt_first(&mut self) {
        let is_of = |sent: &RequestMessage<'_>, role| matches!(sent, RequestMessage::Log { row, .. } if row.role == role);
        let n_asked = self.messages.iter().take_while(|sent| !is_of(sent, Role::Assistant)).count();
        if let Some(prompt) = self.messages[..n_asked].iter().position(|sent| is_of(sent, Role::System)) {
            self.messages[..=prompt].rotate_right(1);
        }
    }

    /// Sorts adjacent results by their calls; Copilot logs them in the order in which the tools ended.
    fn order_results(&mut self) {
        let session = self.session;
        let call_of = |sent: &RequestMessage<'_>| match sent {
            RequestMessage::Log { row, blocks, .. } if row.role == Role::Tool => {
                Some(blocks.first().and_then(|block| session.blocks[block.at()].pair))
            }
            _ => None,
        };
        let is_run = |left: &RequestMessage<'_>, right: &RequestMessage<'_>| {
            call_of(left).is_some() && call_of(right).is_some()
        };
        for run in self.messages.chunk_by_mut(is_run) {
            run.sort_by_key(call_of);
        }
    }

    /// Returns the message's frame, for pi's logs only: pi adds its own wording, and names the API in each
    /// reply.
    pub(super) fn frame_of(&self, row: &SessionMessage, blocks: &[BlockIdx]) -> Option<MessageFrame> {
        (self.format == Format::Pi).then(|| MessageFrame::find(self, row, blocks))
    }

    pub(super) fn placeholder_text(&self, block: BlockIdx) -> Option<&'static str> {
        self.masked.get(&block).map(|placeholder| placeholder.text())
    }

    pub(super) fn sent_content(&self, block: BlockIdx) -> Content {
        match self.placeholder_text(block) {
            Some(text) => Content { text: text.into(), ..Content::default() },
            None => self.logged_content(block),
        }
    }

    pub(super) fn logged_content(&self, block: BlockIdx) -> Content {
        let row = &self.session.blocks[block.at()];
        self.contents.content(row.event, row.part)
    }

    pub(super) fn n_images(&self, block: BlockIdx) -> u32 {
        if self.masked.contains_key(&block) { 0 } else { self.session.blocks[block.at()].images }
    }

    /// Returns a block's JSON from the log; for a masked block, its placeholder as a JSON string. A masked call has the
    /// placeholder as its arguments, in the form of pi, which alone sends the log's JSON of calls.
    pub(super) fn block_json(&self, block: BlockIdx) -> String {
        match (self.placeholder_text(block), self.kind_of(block)) {
            (Some(text), BlockKind::Call(call)) => {
                let part =
                    Object::with_type("toolCall").text("id", call.id.as_str()).text("name", &call.name);
                part.json("arguments", &Object::new().text("input", text).done()).done()
            }
            _ => block_json(&self.sent_content(block)),
        }
    }

    pub(super) fn kind_of(&self, block: BlockIdx) -> &'a BlockKind {
        let session: &'a Session = self.session;
        &session.blocks[block.at()].kind
    }

    pub(super) fn part_of_record(&self, block: BlockIdx) -> (EventIdx, u32) {
        let row = &self.session.blocks[block.at()];
        (row.event, row.part)
    }
}
