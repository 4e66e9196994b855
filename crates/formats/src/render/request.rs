//! A request's messages, the same for every provider: those with something left, and replies that ended well.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    BlockIdx, BlockKind, Content, EventIdx, Fate, GoneReason, MessageIdx, MessageOrigin, Placeholder,
    RenderedContext, RenderedMessage, ReplacementCause, ReplyOutcome, Role, Session, SessionMessage,
};

use super::source::MessageFrame;
use super::{ContentSource, Repair, RepairKind};
use crate::Format;
use crate::payload::block_json;

/// One message of a request.
pub(super) enum RequestMessage<'a> {
    /// From the log, with the blocks that are left.
    Log { idx: MessageIdx, row: &'a SessionMessage, blocks: Vec<BlockIdx> },
    /// The residue of an evicted exploration, or a summary the policy made.
    Residue(&'a str),
    /// A reply that ended badly stood here; it is not sent. Only pi, which sends its results, is told of it.
    Refused,
}

/// How the results of a reply fare that ended badly and is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailedReplyRule {
    /// They go with it.
    LeaveOut,
    /// They are sent, as pi does.
    Send,
}

/// A context, ready to be written in a provider's form.
pub(super) struct ProviderRequest<'a> {
    pub(super) format: Format,
    pub(super) session: &'a Session,
    pub(super) contents: &'a dyn ContentSource,
    pub(super) messages: Vec<RequestMessage<'a>>,
    pub(super) repairs: Vec<Repair>,
    /// True if calls without a result are answered by an error, as their harness does.
    pub(super) answers_calls: bool,
    masked: BTreeMap<BlockIdx, Placeholder>,
}

/// Tells whether no policy changed `context`, so it is what the harness sent.
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

/// Tells whether a block is reasoning its provider does not read any more. Codex sends it all the same.
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
            // A message that has lost everything is not there; one that had nothing to begin with is.
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
            // Results of a reply that is not sent go with it.
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

    /// Puts the system prompt in front: the log has it behind the first message that it goes out with.
    fn put_prompt_first(&mut self) {
        let is_of = |sent: &RequestMessage<'_>, role| matches!(sent, RequestMessage::Log { row, .. } if row.role == role);
        let n_asked = self.messages.iter().take_while(|sent| !is_of(sent, Role::Assistant)).count();
        if let Some(prompt) = self.messages[..n_asked].iter().position(|sent| is_of(sent, Role::System)) {
            self.messages[..=prompt].rotate_right(1);
        }
    }

    /// Puts results that stand in a row into the order of their calls: the log has the order in which the tools ended.
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

    /// Returns the frame of a message, where the log is one of pi's: only pi adds words of its own to what its
    /// log holds, and names the maker of a reply in the reply.
    pub(super) fn frame_of(&self, row: &SessionMessage, blocks: &[BlockIdx]) -> Option<MessageFrame> {
        (self.format == Format::Pi).then(|| MessageFrame::find(self, row, blocks))
    }

    /// Returns the placeholder that stands in a block's place, if one does.
    pub(super) fn placeholder_text(&self, block: BlockIdx) -> Option<&'static str> {
        self.masked.get(&block).map(|placeholder| placeholder.text())
    }

    /// Returns a block's texts: of a masked one its placeholder alone, without any of the log's JSON.
    pub(super) fn sent_content(&self, block: BlockIdx) -> Content {
        match self.placeholder_text(block) {
            Some(text) => Content { text: text.into(), ..Content::default() },
            None => self.logged_content(block),
        }
    }

    /// Returns the texts of `block` as the log has them, whatever stands in its place.
    pub(super) fn logged_content(&self, block: BlockIdx) -> Content {
        let row = &self.session.blocks[block.at()];
        self.contents.content(row.event, row.part)
    }

    pub(super) fn n_images(&self, block: BlockIdx) -> u32 {
        if self.masked.contains_key(&block) { 0 } else { self.session.blocks[block.at()].images }
    }

    /// Returns a block's JSON as the log has it; nothing of a masked one.
    pub(super) fn block_json(&self, block: BlockIdx) -> String {
        block_json(&self.sent_content(block))
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
