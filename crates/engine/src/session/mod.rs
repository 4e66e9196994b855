//! A session: one branch of a log in model order, with its turns and replacements.

pub(crate) mod session_builder;
pub(crate) mod built_branch;
pub(crate) mod growing_session;
pub(crate) mod pairing;
pub(crate) mod replacement;
pub(crate) mod lapse;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::session::built_branch::BuiltBranch;
use crate::{
    Author, BlockId, BlockIdx, BlockKind, ChunkedVec, ContentBlock, EntryId, EventIdx, EventLog, Holds,
    MessageForm, MessageIdx, Place, Problem, Replacement, ReplyOutcome, Role, ToolClass, ToolTable, TurnIdx,
    Usage, UsageReport,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageClass {
    /// System prompt, tool definitions, recorded instructions. Never evicted.
    System,
    /// Typed, pasted or run by the human. Never evicted.
    User,
    Injected,
    Assistant,
    Tool,
    Summary,
}

impl MessageClass {
    pub fn classify(role: Role, author: Author, form: &MessageForm) -> Self {
        match (form, role, author) {
            (MessageForm::Summary, _, _) => Self::Summary,
            (_, Role::System, _) => Self::System,
            (_, _, Author::Human) => Self::User,
            (_, Role::User, _) => Self::Injected,
            (_, Role::Assistant, _) => Self::Assistant,
            (_, Role::Tool, _) => Self::Tool,
        }
    }

    pub fn is_evictable(self) -> bool {
        match self {
            Self::System | Self::User => false,
            Self::Injected | Self::Assistant | Self::Tool | Self::Summary => true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum History {
    #[default]
    AsRecorded,
    /// As if no policy had been at work in the agent (`ignore_eviction`).
    Unevicted,
    /// As if the harness had removed nothing to save room (`ignore_compaction`).
    Full,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SessionMessage {
    pub event: EventIdx,
    pub entry: EntryId,
    pub line: u64,
    pub role: Role,
    pub author: Author,
    pub form: MessageForm,
    pub class: MessageClass,
    pub outcome: ReplyOutcome,
    pub usage: Option<Usage>,
    pub model: Option<Arc<str>>,
    pub at_ms: Option<i64>,
    /// Positions in [`Session::blocks`].
    pub blocks: Range<usize>,
    /// The message this one precedes in model order, if it was inserted: a summary or a
    /// replacement.
    pub before: Option<MessageIdx>,
    /// True for messages brought by a compaction or a rewrite, which are not replies.
    pub added: bool,
}

impl SessionMessage {
    pub(crate) fn order_key(&self, at: usize) -> (usize, u8, usize) {
        self.before.map_or((at, 1, at), |before| (before.at(), 0, at))
    }

    /// Returns `true` if the human typed or pasted the message; such a message starts a human turn.
    pub fn is_typed(&self) -> bool {
        self.class == MessageClass::User && self.role == Role::User && self.form == MessageForm::Plain
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct SessionBlock {
    pub id: BlockId,
    pub event: EventIdx,
    /// Position among the record's blocks, the key of the block's content.
    pub part: u32,
    pub message: MessageIdx,
    pub kind: BlockKind,
    pub images: u32,
    /// Human words, a signature, or the mark of unsent reasoning. Others' words are left out.
    pub holds: Holds,
    /// True for a result with human words, for its call and for the call's other results.
    pub is_with_words: bool,
    /// The tool class, for a call or a result with a known call.
    pub class: Option<ToolClass>,
    /// True for shell calls, and their results, if the first program is a search.
    pub shell_search: bool,
    /// A result's call, or a call's first result.
    pub pair: Option<BlockIdx>,
    pub stands_for: Option<BlockIdx>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The reply; `None` for the last turn, `now`.
    pub message: Option<MessageIdx>,
    /// Number of messages before the request.
    pub end: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    pub messages: ChunkedVec<SessionMessage>,
    pub blocks: ChunkedVec<SessionBlock>,
    /// All requests; never empty, and the last is `now`.
    pub turns: Vec<Turn>,
    /// Replacements in order of [`Replacement::at`].
    pub replacements: Vec<Replacement>,
    /// True if the first record continues one outside this log.
    pub begins_elsewhere: bool,
    /// Usage totals stated by the log, in order, over all branches.
    pub totals: Vec<UsageReport>,
    /// True if two calls share an id, or a result precedes its call. [`SessionBlock::pair`] is
    /// then ambiguous for some ids.
    pub odd_call_ids: bool,
}

impl Session {
    /// Builds the session of the branch that ends at `leaf` (default: the log's own leaf).
    pub fn build(
        log: &EventLog,
        leaf: Option<EventIdx>,
        history: History,
        tools: &ToolTable,
    ) -> (Self, Vec<Problem>) {
        BuiltBranch::build(log, leaf, history, tools).into_session()
    }

    pub fn last_turn(&self) -> TurnIdx {
        TurnIdx::from_position(self.turns.len().saturating_sub(1))
    }

    pub fn turn_at(&self, turn: TurnIdx) -> &Turn {
        &self.turns[turn.at().min(self.turns.len() - 1)]
    }

    pub fn message_of(&self, block: BlockIdx) -> &SessionMessage {
        &self.messages[self.blocks[block.at()].message.at()]
    }

    /// Returns the message's class, but [`MessageClass::User`] for a result with human words.
    pub fn class_of(&self, block: BlockIdx) -> MessageClass {
        match self.blocks[block.at()].holds {
            Holds::Words(_) => MessageClass::User,
            Holds::Nothing | Holds::Signature | Holds::UnsentReasoning | Holds::ToolDefinition(_) => {
                self.message_of(block).class
            }
        }
    }

    /// Returns `true` if a policy that keeps human words may evict `block`.
    pub fn is_evictable(&self, block: BlockIdx) -> bool {
        !self.blocks[block.at()].is_with_words && self.message_of(block).class.is_evictable()
    }

    pub fn words_in(&self, block: BlockIdx, units: u64) -> u64 {
        self.blocks[block.at()].holds.human_words().map_or(0, |words| words.share_of(units))
    }

    /// Returns `true` if the log or the harness keeps `block` out of the context. Only a policy that counts unsent
    /// blocks gives it a size.
    pub fn is_excluded(&self, block: BlockIdx) -> bool {
        self.blocks[block.at()].holds == Holds::UnsentReasoning || !self.message_of(block).form.is_sent()
    }

    /// Returns the block's message index, or the index of the message it precedes in model order.
    pub fn stands_at(&self, block: BlockIdx) -> usize {
        let message = self.blocks[block.at()].message;
        self.messages[message.at()].before.unwrap_or(message).at()
    }

    pub fn blocks_of(
        &self,
        message: MessageIdx,
    ) -> impl DoubleEndedIterator<Item = (BlockIdx, &SessionBlock)> {
        let range = self.messages[message.at()].blocks.clone();
        range.clone().map(BlockIdx::new).zip(self.blocks.range(range))
    }

    /// Returns for each message without blocks whether a turn's history still holds it; true for
    /// all others.
    pub fn stands_bare(&self, turn: TurnIdx) -> Vec<bool> {
        let mut stands = alloc::vec![true; self.messages.len()];
        let end = self.turn_at(turn).end;
        for replacement in self.replacements.iter().filter(|replacement| replacement.at <= end) {
            replacement.drops_bare.iter().for_each(|message| stands[message.at()] = false);
            replacement.restores_bare.iter().for_each(|message| stands[message.at()] = true);
        }
        // A later part of the reply may have a block.
        let has_block = |at: usize| !self.messages[at].blocks.is_empty();
        stands.iter_mut().enumerate().for_each(|(at, stands)| *stands |= has_block(at));
        stands
    }

    pub fn place_of(&self, block: BlockIdx) -> Place {
        let row = &self.blocks[block.at()];
        Place::at_block(self.messages[row.message.at()].line, row.id.clone())
    }

    /// Returns the first turn whose request holds `message`.
    pub fn turn_after(&self, message: MessageIdx) -> TurnIdx {
        TurnIdx::from_position(self.turns.partition_point(|turn| turn.end <= message.at()))
    }

    /// Returns the first turn whose request reflects `replacement`.
    pub fn turn_of(&self, replacement: &Replacement) -> TurnIdx {
        let at = self.turns.partition_point(|turn| turn.end < replacement.at);
        TurnIdx::from_position(at.min(self.turns.len().saturating_sub(1)))
    }

    pub fn find_block(&self, id: &BlockId) -> Option<BlockIdx> {
        self.blocks.iter().position(|block| block.id == *id).map(BlockIdx::new)
    }

    /// Returns the first `end` messages in model order: in the order they arrived, with inserted messages
    /// moved to their places.
    pub fn model_order(&self, end: usize) -> Vec<MessageIdx> {
        let end = end.min(self.messages.len());
        let mut order: Vec<(usize, u8, usize)> =
            self.messages.range(0..end).enumerate().map(|(at, message)| message.order_key(at)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, _, at)| MessageIdx::new(at)).collect()
    }
}

pub(crate) fn new_block(
    log: &EventLog,
    event: EventIdx,
    part: u32,
    block: &ContentBlock,
    message: MessageIdx,
    stands_for: Option<BlockIdx>,
) -> SessionBlock {
    SessionBlock {
        id: BlockId { entry: log.record(event).entry.clone(), index: block.index },
        event,
        part,
        message,
        kind: block.kind.clone(),
        images: block.images,
        holds: block.holds.clone(),
        is_with_words: false,
        class: None,
        shell_search: false,
        pair: None,
        stands_for,
    }
}

/// Returns `false` for a message that the harness wrote itself in the model's role, without a request.
pub(crate) fn is_requested(author: Author, outcome: ReplyOutcome) -> bool {
    author != Author::Harness || outcome != ReplyOutcome::Complete
}

/// Returns each request's time: when the last message it answers arrived, milliseconds by the log's clock.
pub(crate) fn request_times(session: &Session) -> Vec<Option<i64>> {
    let mut from = 0;
    let time_of = |turn: &Turn| {
        let came_in = session.messages.range(core::mem::replace(&mut from, turn.end)..turn.end);
        came_in.rev().find_map(|message| message.at_ms)
    };
    session.turns.iter().map(time_of).collect()
}
