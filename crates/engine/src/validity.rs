//! Provider validity: what a provider would refuse in a context.

use alloc::collections::BTreeMap;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::Range;

use strum::IntoStaticStr;

use crate::{
    BlockIdx, BlockKind, Fate, Holds, MessageClass, MessageIdx, MessageOrigin, RenderedContext, RenderedItem,
    ReplyOutcome, Role, Session, SessionBlock, ToolCallId,
};

/// A provider's request format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provider {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    OpenAiResponses,
    /// OpenAI Chat Completions.
    OpenAiChat,
    /// Gemini `generateContent`.
    Gemini,
    /// pi's own messages.
    Pi,
}

impl Provider {
    /// Tells whether a reply that calls tools must follow the user's turn or results.
    ///
    /// Only Gemini documents it. Anthropic joins messages of one role, its reference names no role for the first one,
    /// and OpenAI's two interfaces take any order.
    pub fn calls_follow_user(self) -> bool {
        self == Self::Gemini
    }

    /// Tells whether a message of the model without content is an error; Anthropic says so of empty texts.
    fn refuses_empty_replies(self) -> bool {
        self == Self::Anthropic
    }

    /// Tells whether the last reply needs its signed reasoning while results of its calls go back.
    fn asks_for_reasoning(self) -> bool {
        self == Self::Anthropic
    }

    /// Tells whether reasoning that is the end of a reply is an error, as it is tied to what followed it.
    fn ties_reasoning(self) -> bool {
        matches!(self, Self::Anthropic | Self::OpenAiResponses)
    }
}

/// Something that a provider would refuse: only what it documents as an error, or answers with one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Violation {
    /// A result whose call is not in the context.
    ResultWithoutCall {
        /// The result.
        block: BlockIdx,
    },
    /// A call whose result is not in the context.
    CallWithoutResult {
        /// The call.
        block: BlockIdx,
    },
    /// A reply of the model that has lost all its blocks but is still there.
    EmptyReply {
        /// The reply.
        message: MessageIdx,
    },
    /// A reply that calls tools follows neither the user's turn nor results.
    CallNotAfterUser {
        /// The reply.
        message: MessageIdx,
    },
    /// Signed reasoning of the last reply is gone while results of its calls go back.
    ReasoningMissing {
        /// The reply.
        message: MessageIdx,
    },
    /// Reasoning that signed a tool call stays while the call, or the rest of its reply, is gone.
    ReasoningApart {
        /// The reasoning block.
        block: BlockIdx,
    },
}

impl Violation {
    /// Returns the stable name that `--json` shows.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// Lists what a provider would refuse in `context` as it stands, before any repair, in model order.
///
/// Replies that ended in error or were aborted are no part of a request, with their results.
pub fn find_violations(session: &Session, context: &RenderedContext, provider: Provider) -> Vec<Violation> {
    Pairing::from_context(session, context).find_violations(session, provider)
}

/// The messages of a context with its calls and results paired up: the same for every provider.
#[derive(Debug)]
pub struct Pairing {
    kept: Vec<KeptMessage>,
    /// The blocks of all messages; each message has a stretch of them.
    blocks: Vec<BlockIdx>,
    /// Results without a call, in model order.
    orphans: Vec<BlockIdx>,
    /// True of each block of the session that is a call with a result.
    answered: Vec<bool>,
    last_reply: Option<MessageIdx>,
    /// The last reply, where nothing of the human's stands behind it.
    in_loop: Option<MessageIdx>,
}

impl Pairing {
    /// Pairs up what a context sends.
    pub fn from_context(session: &Session, context: &RenderedContext) -> Self {
        let (kept, blocks) = kept_messages(session, context);
        let mut calls = Calls::from_session(session);
        let mut answered = alloc::vec![false; session.blocks.len()];
        let mut orphans = Vec::new();
        for &block in &blocks {
            let row = &session.blocks[block.at()];
            match &row.kind {
                BlockKind::Call(call) => calls.add_call(session, &call.id, block),
                BlockKind::Result(result) => match calls.of_result(&result.call, row.pair) {
                    Some(call) => answered[call.at()] = true,
                    None => orphans.push(block),
                },
                BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {}
            }
        }
        let last_reply = kept.iter().rev().find_map(|m| m.log.filter(|_| m.slot == PairingSlot::Assistant));
        let by_human = |m: &&KeptMessage| {
            m.slot == PairingSlot::User
                && m.log.is_some_and(|log| session.messages[log.at()].class == MessageClass::User)
        };
        let last =
            kept.iter().rev().find(|m| m.log.is_some() && m.slot == PairingSlot::Assistant || by_human(m));
        let in_loop = last.and_then(|m| m.log.filter(|_| m.slot == PairingSlot::Assistant));
        Self { kept, blocks, orphans, answered, last_reply, in_loop }
    }

    /// Tells whether a reply that has sent its calls, and is sent their results, is without reasoning that it signed.
    fn has_lost_reasoning(&self, session: &Session, reply: MessageIdx, sent: &[BlockIdx]) -> bool {
        let is_lost = |(block, row): (BlockIdx, &SessionBlock)| {
            row.holds == Holds::Signature && sent.binary_search(&block).is_err()
        };
        sent.iter().any(|block| self.answered[block.at()]) && session.blocks_of(reply).any(is_lost)
    }

    /// Lists what one provider would refuse, as [`find_violations`] does.
    pub fn find_violations(&self, session: &Session, provider: Provider) -> Vec<Violation> {
        let Self { kept, orphans, answered, last_reply, in_loop, .. } = self;
        let mut violations: Vec<Violation> =
            orphans.iter().map(|&block| Violation::ResultWithoutCall { block }).collect();
        let mut before = None;
        for message in kept {
            let blocks = &self.blocks[message.blocks.clone()];
            for (at, &block) in blocks.iter().enumerate() {
                match &session.blocks[block.at()].kind {
                    // The newest reply's calls may still be running: then there is no request yet.
                    BlockKind::Call(_) if !answered[block.at()] && message.log != *last_reply => {
                        violations.push(Violation::CallWithoutResult { block });
                    }
                    BlockKind::Reasoning
                        if provider.ties_reasoning() && at + 1 == blocks.len() && message.lost > 0 =>
                    {
                        violations.push(Violation::ReasoningApart { block });
                    }
                    _ => {}
                }
            }
            if let Some(log) = message.log
                && blocks.is_empty()
                && message.lost == 0
                && message.slot == PairingSlot::Assistant
                && provider.refuses_empty_replies()
            {
                violations.push(Violation::EmptyReply { message: log });
            }
            if let Some(log) = message.log
                && provider.asks_for_reasoning()
                && Some(log) == *in_loop
                && self.has_lost_reasoning(session, log, blocks)
            {
                violations.push(Violation::ReasoningMissing { message: log });
            }
            let calls = |block: &BlockIdx| matches!(session.blocks[block.at()].kind, BlockKind::Call(_));
            if let Some(log) = message.log
                && provider.calls_follow_user()
                && message.slot == PairingSlot::Assistant
                && matches!(before, None | Some(PairingSlot::Assistant))
                && blocks.iter().any(calls)
            {
                violations.push(Violation::CallNotAfterUser { message: log });
            }
            before = Some(message.slot);
        }
        violations
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PairingSlot {
    User,
    Assistant,
    Tool,
}

/// A context's calls, by what says which results are theirs.
enum Calls<'a> {
    /// By the first call of the id, which the session has paired with its results: a call in place of another has its
    /// results.
    Paired(Vec<Option<BlockIdx>>),
    /// By the id itself, where calls share one or a result stands before its call: of several calls the last message's
    /// count, each with its own result.
    ById(BTreeMap<&'a ToolCallId, Vec<BlockIdx>>),
}

impl<'a> Calls<'a> {
    fn from_session(session: &Session) -> Self {
        if session.odd_call_ids {
            Self::ById(BTreeMap::new())
        } else {
            Self::Paired(alloc::vec![None; session.blocks.len()])
        }
    }

    fn add_call(&mut self, session: &Session, id: &'a ToolCallId, call: BlockIdx) {
        match self {
            Self::Paired(calls) => {
                let of_id = |block: &BlockIdx| matches!(&session.blocks[block.at()].kind, BlockKind::Call(call) if call.id == *id);
                let first = session.blocks[call.at()].stands_for.filter(of_id).unwrap_or(call);
                calls[first.at()] = Some(call);
            }
            Self::ById(calls) => {
                let message = |block: &BlockIdx| session.blocks[block.at()].message;
                let same = calls.entry(id).or_default();
                same.retain(|other| message(other) == message(&call));
                same.push(call);
            }
        }
    }

    fn of_result(&self, id: &ToolCallId, pair: Option<BlockIdx>) -> Option<BlockIdx> {
        match self {
            Self::Paired(calls) => calls[pair?.at()],
            Self::ById(calls) => {
                let same = calls.get(id)?;
                pair.filter(|call| same.contains(call)).or(same.last().copied())
            }
        }
    }
}

#[derive(Debug)]
struct KeptMessage {
    log: Option<MessageIdx>,
    slot: PairingSlot,
    /// The blocks that are sent, among those of all messages.
    blocks: Range<usize>,
    lost: usize,
}

fn kept_messages(session: &Session, context: &RenderedContext) -> (Vec<KeptMessage>, Vec<BlockIdx>) {
    let mut refused: BTreeSet<BlockIdx> = BTreeSet::new();
    let (mut kept, mut blocks) = (Vec::with_capacity(context.messages.len()), Vec::new());
    for message in &context.messages {
        let first = blocks.len();
        let MessageOrigin::Log(idx) = message.origin else {
            kept.push(KeptMessage { log: None, slot: PairingSlot::User, blocks: first..first, lost: 0 });
            continue;
        };
        let row = &session.messages[idx.at()];
        if row.outcome != ReplyOutcome::Complete {
            refused.extend(message.items.iter().map(|item| item.block));
            continue;
        }
        let slot = match row.role {
            Role::System => continue,
            Role::User => PairingSlot::User,
            Role::Assistant => PairingSlot::Assistant,
            Role::Tool => PairingSlot::Tool,
        };
        // A placeholder is sent in place of its block.
        let is_sent = |item: &&RenderedItem| !matches!(item.fate, Fate::Gone(_));
        let of_refused =
            |block: &BlockIdx| session.blocks[block.at()].pair.is_some_and(|call| refused.contains(&call));
        let sent = message.items.iter().filter(is_sent).map(|item| item.block);
        blocks.extend(sent.filter(|block| !of_refused(block)));
        let lost = message.items.len() - (blocks.len() - first);
        // A message that lost everything is not sent; one that had nothing to begin with is.
        if blocks.len() == first && lost > 0 {
            continue;
        }
        kept.push(KeptMessage { log: Some(idx), slot, blocks: first..blocks.len(), lost });
    }
    (kept, blocks)
}
