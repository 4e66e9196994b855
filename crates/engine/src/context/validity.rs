//! Provider validity: what a provider would refuse in a context.

use alloc::collections::BTreeMap;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::Range;

use strum::{Display, IntoStaticStr};

use crate::{
    BlockIdx, BlockKind, Fate, Holds, MessageClass, MessageIdx, MessageOrigin, RenderedContext, RenderedItem,
    ReplyOutcome, Role, Session, SessionBlock, ToolCallId,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
pub enum Provider {
    Anthropic,
    #[strum(serialize = "openai")]
    #[cfg_attr(feature = "serde", serde(rename = "openai"))]
    OpenAiResponses,
    #[strum(serialize = "openai-chat")]
    #[cfg_attr(feature = "serde", serde(rename = "openai-chat"))]
    OpenAiChat,
    Gemini,
    Pi,
}

impl Provider {
    /// In the order of help, messages and the window.
    pub const ALL: [Self; 5] =
        [Self::Pi, Self::Anthropic, Self::OpenAiResponses, Self::OpenAiChat, Self::Gemini];

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns `true` if a reply with tool calls must follow a user turn or results.
    ///
    /// Only Gemini documents this rule. Anthropic joins messages of one role and prescribes no
    /// first role; OpenAI's two APIs accept any order.
    pub fn calls_follow_user(self) -> bool {
        self == Self::Gemini
    }

    /// Returns `true` if an empty assistant message is an error. Anthropic documents it for empty
    /// texts.
    fn refuses_empty_replies(self) -> bool {
        self == Self::Anthropic
    }

    fn asks_for_reasoning(self) -> bool {
        self == Self::Anthropic
    }

    fn ties_reasoning(self) -> bool {
        matches!(self, Self::Anthropic | Self::OpenAiResponses)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Violation {
    ResultWithoutCall {
        block: BlockIdx,
    },
    CallWithoutResult {
        block: BlockIdx,
    },
    EmptyReply {
        message: MessageIdx,
    },
    CallNotAfterUser {
        message: MessageIdx,
    },
    /// The last reply has lost signed reasoning while results of its calls go back.
    ReasoningMissing {
        message: MessageIdx,
    },
    /// The reasoning is now the end of its reply, because whatever followed is gone.
    ReasoningApart {
        block: BlockIdx,
    },
}

impl Violation {
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// Lists what a provider would refuse in `context` as it stands, without repairs, in model order.
///
/// Failed and aborted replies, with their results, are not part of a request.
pub fn find_violations(session: &Session, context: &RenderedContext, provider: Provider) -> Vec<Violation> {
    Pairing::from_context(session, context).find_violations(session, provider)
}

#[derive(Debug)]
pub struct Pairing {
    kept: Vec<KeptMessage>,
    blocks: Vec<BlockIdx>,
    orphans: Vec<BlockIdx>,
    answered: Vec<bool>,
    last_reply: Option<MessageIdx>,
    in_loop: Option<MessageIdx>,
}

impl Pairing {
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

    fn has_lost_reasoning(&self, session: &Session, reply: MessageIdx, sent: &[BlockIdx]) -> bool {
        let is_lost = |(block, row): (BlockIdx, &SessionBlock)| {
            row.holds == Holds::Signature && sent.binary_search(&block).is_err()
        };
        sent.iter().any(|block| self.answered[block.at()]) && session.blocks_of(reply).any(is_lost)
    }

    pub fn find_violations(&self, session: &Session, provider: Provider) -> Vec<Violation> {
        let Self { kept, orphans, answered, last_reply, in_loop, .. } = self;
        let mut violations: Vec<Violation> =
            orphans.iter().map(|&block| Violation::ResultWithoutCall { block }).collect();
        let mut before = None;
        for message in kept {
            let blocks = &self.blocks[message.blocks.clone()];
            for (at, &block) in blocks.iter().enumerate() {
                match &session.blocks[block.at()].kind {
                    // The newest reply's calls may still be running; there is no request yet.
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

enum Calls<'a> {
    /// Keyed by the session's own pairing. A replacement call takes the place of the original.
    Paired(Vec<Option<BlockIdx>>),
    /// Keyed by id, if ids are ambiguous. Among calls with one id, the calls in the last message count, each
    /// with its own result.
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
        // A placeholder is sent where its block was.
        let is_sent = |item: &&RenderedItem| !matches!(item.fate, Fate::Gone(_));
        let of_refused =
            |block: &BlockIdx| session.blocks[block.at()].pair.is_some_and(|call| refused.contains(&call));
        let sent = message.items.iter().filter(is_sent).map(|item| item.block);
        blocks.extend(sent.filter(|block| !of_refused(block)));
        let lost = message.items.len() - (blocks.len() - first);
        // A message that lost all its blocks is not sent; one without any blocks from the start
        // is.
        if blocks.len() == first && lost > 0 {
            continue;
        }
        kept.push(KeptMessage { log: Some(idx), slot, blocks: first..blocks.len(), lost });
    }
    (kept, blocks)
}
