//! A session: one branch of a log in model order, with its turns and with what the harness took out.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::branch::branch_of;
use crate::pairing::pair_calls;
use crate::replacement::{
    BlockIndex, DraftBlock, DraftReplacement, HistoryPresence, RemovedBlocks, RetainedHistory,
    compact_history, number_replacements, take_out, target_name,
};
use crate::{
    Author, BlockId, BlockIdx, BlockKind, Compaction, EntryId, EventBody, EventIdx, EventLog, Holds, Keep,
    Message, MessageForm, MessageIdx, Parent, Place, Problem, ProblemKind, Replacement, ReplacementCause,
    ReplyOutcome, Rewrite, Role, SessionEvent, ToolClass, ToolTable, TurnIdx, Usage, UsageReport, UsageScope,
};

/// The class of a message for eviction: one function of role, author and form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageClass {
    /// System prompt, tool definitions, recorded instructions: never evicted.
    System,
    /// Typed, pasted or run by the human: never evicted.
    User,
    /// Put into the user's slot by the harness.
    Injected,
    /// The model's.
    Assistant,
    /// Results of tools.
    Tool,
    /// A summary the harness recorded.
    Summary,
}

impl MessageClass {
    /// Returns the class of a message.
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

    /// Tells whether a policy may take content of this class at all.
    pub fn is_evictable(self) -> bool {
        match self {
            Self::System | Self::User => false,
            Self::Injected | Self::Assistant | Self::Tool | Self::Summary => true,
        }
    }
}

/// The history that a replay runs over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum History {
    /// With what the harness itself dropped and added.
    #[default]
    AsRecorded,
    /// As if the harness had dropped nothing (`ignore_compaction`).
    Full,
}

/// One message of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionMessage {
    /// The record it comes from (the first, where a reply was written in parts).
    pub event: EventIdx,
    /// The record's id.
    pub entry: EntryId,
    /// The record's line, from 1.
    pub line: u64,
    /// The role on the wire.
    pub role: Role,
    /// Who wrote it.
    pub author: Author,
    /// The sort.
    pub form: MessageForm,
    /// The class for eviction.
    pub class: MessageClass,
    /// How it ended.
    pub outcome: ReplyOutcome,
    /// The usage the provider reported.
    pub usage: Option<Usage>,
    /// The model that wrote it.
    pub model: Option<Arc<str>>,
    /// Milliseconds since 1970 by the log's clock.
    pub at_ms: Option<i64>,
    /// The blocks, as positions in [`Session::blocks`].
    pub blocks: Range<usize>,
    /// The message it stands before, where it does not stand at its own place (a summary, a message that replaces others).
    pub before: Option<MessageIdx>,
    /// True for what a compaction or a rewrite brought: it repeats or replaces, and is no reply of its own.
    pub added: bool,
}

impl SessionMessage {
    /// Returns where it stands in model order, `at` being its own number.
    pub(crate) fn order_key(&self, at: usize) -> (usize, u8, usize) {
        self.before.map_or((at, 1, at), |before| (before.at(), 0, at))
    }

    /// Tells whether the human typed or pasted it, so a human turn begins with it.
    pub fn is_typed(&self) -> bool {
        self.class == MessageClass::User && self.role == Role::User && self.form == MessageForm::Plain
    }
}

/// One block of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionBlock {
    /// The stable id.
    pub id: BlockId,
    /// The record it comes from.
    pub event: EventIdx,
    /// The position among the record's blocks, the key of its content.
    pub part: u32,
    /// The message that holds it.
    pub message: MessageIdx,
    /// The kind.
    pub kind: BlockKind,
    /// How many images count towards its size.
    pub images: u32,
    /// Human words or a signature beside its text; words of others are left out.
    pub holds: Holds,
    /// True for a result that holds the human's words, and for all that goes with it: its call, and its other results.
    pub is_with_words: bool,
    /// The class of its tool by name, for calls and for results whose call is known.
    pub class: Option<ToolClass>,
    /// True for shell calls (and their results) whose first program is a search.
    pub shell_search: bool,
    /// A result's call; a call's first result.
    pub pair: Option<BlockIdx>,
    /// The block it replaces or repeats: it belongs where that one belongs, and marks nothing.
    pub stands_for: Option<BlockIdx>,
}

/// One request to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The reply; `None` on the last turn, `last_turn`.
    pub message: Option<MessageIdx>,
    /// How many messages stand before the request.
    pub end: usize,
}

/// One branch of one log in model order.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// All messages in the order in which they came.
    pub messages: Vec<SessionMessage>,
    /// All blocks, message by message.
    pub blocks: Vec<SessionBlock>,
    /// All requests to the model; never empty, the last is `last_turn`.
    pub turns: Vec<Turn>,
    /// The replacements by the harness, in order.
    pub replacements: Vec<Replacement>,
    /// True when its first record goes on from one that the log does not have.
    pub begins_elsewhere: bool,
    /// The totals the log states, in order; they are of all its branches.
    pub totals: Vec<UsageReport>,
    /// True when two calls have one id, or a result stands before the call of its id: then [`SessionBlock::pair`]
    /// does not say of every id what belongs together.
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
        let mut problems = Vec::new();
        let (path, cuts) = branch_of(log, leaf, &mut problems);
        let mut builder = Builder {
            log,
            on_branch: on_branch(log, &path),
            tools,
            drafts: Vec::new(),
            replies: BTreeMap::new(),
            replacements: Vec::new(),
            index: BlockIndex::default(),
            is_rewritten: path.iter().any(|idx| matches!(log.record(*idx).body, EventBody::Rewrite(_))),
        };
        let begins_elsewhere = path.first().is_some_and(|first| match &log.record(*first).parent {
            Parent::Entry(parent) | Parent::Woven(parent) => log.find_record(parent).is_none(),
            Parent::Root | Parent::Previous | Parent::Outside => false,
        });
        for idx in path {
            if history == History::AsRecorded && cuts.contains(&idx) {
                builder.cut_history(idx);
            }
            builder.add_event(idx, history, &mut problems);
        }
        let session = Self { begins_elsewhere, ..builder.finish(&mut problems) };
        (session, problems)
    }

    /// Returns the last turn: what the next request would carry.
    pub fn last_turn(&self) -> TurnIdx {
        TurnIdx::from_position(self.turns.len().saturating_sub(1))
    }

    /// Returns the turn of that number, or the last one.
    pub fn turn_at(&self, turn: TurnIdx) -> &Turn {
        &self.turns[turn.at().min(self.turns.len() - 1)]
    }

    /// Returns the message that holds `block`.
    pub fn message_of(&self, block: BlockIdx) -> &SessionMessage {
        &self.messages[self.blocks[block.at()].message.at()]
    }

    /// Returns the class of `block`: its message's, and the human's for a result that holds words of the human.
    pub fn class_of(&self, block: BlockIdx) -> MessageClass {
        match self.blocks[block.at()].holds {
            Holds::Words(_) => MessageClass::User,
            Holds::Nothing | Holds::Signature => self.message_of(block).class,
        }
    }

    /// Tells whether a policy that keeps the human's words may take `block` at all.
    pub fn is_evictable(&self, block: BlockIdx) -> bool {
        !self.blocks[block.at()].is_with_words && self.message_of(block).class.is_evictable()
    }

    /// Returns the part of a block's size that is words of the human inside a result.
    pub fn words_in(&self, block: BlockIdx, units: u64) -> u64 {
        self.blocks[block.at()].holds.human_words().map_or(0, |words| words.share_of(units))
    }

    /// Tells whether the log keeps a block out of the context; such `block` has a size only for a policy that counts what
    /// is not sent.
    pub fn is_excluded(&self, block: BlockIdx) -> bool {
        !self.message_of(block).form.is_sent()
    }

    /// Returns the number of the message where `block` stands: its own, or that of what it stands in for.
    pub fn stands_at(&self, block: BlockIdx) -> usize {
        let message = self.blocks[block.at()].message;
        self.messages[message.at()].before.unwrap_or(message).at()
    }

    /// Returns a message's blocks with their positions.
    pub fn blocks_of(
        &self,
        message: MessageIdx,
    ) -> impl DoubleEndedIterator<Item = (BlockIdx, &SessionBlock)> {
        let range = self.messages[message.at()].blocks.clone();
        range.clone().map(BlockIdx::new).zip(&self.blocks[range])
    }

    /// Tells for each message without a block whether the history of a turn still holds it; true for all others.
    pub fn stands_bare(&self, turn: TurnIdx) -> Vec<bool> {
        let mut stands = alloc::vec![true; self.messages.len()];
        let end = self.turn_at(turn).end;
        for replacement in self.replacements.iter().filter(|replacement| replacement.at <= end) {
            replacement.drops_bare.iter().for_each(|message| stands[message.at()] = false);
            replacement.restores_bare.iter().for_each(|message| stands[message.at()] = true);
        }
        // A part with a block may have come later.
        let has_block = |at: usize| !self.messages[at].blocks.is_empty();
        stands.iter_mut().enumerate().for_each(|(at, stands)| *stands |= has_block(at));
        stands
    }

    /// Returns the place of `block` in the log.
    pub fn place_of(&self, block: BlockIdx) -> Place {
        let row = &self.blocks[block.at()];
        Place::at_block(self.messages[row.message.at()].line, row.id.clone())
    }

    /// Returns the first turn whose request holds that message.
    pub fn turn_after(&self, message: MessageIdx) -> TurnIdx {
        TurnIdx::from_position(self.turns.partition_point(|turn| turn.end <= message.at()))
    }

    /// Returns the first turn whose request is without what a replacement took out.
    pub fn turn_of(&self, replacement: &Replacement) -> TurnIdx {
        let at = self.turns.partition_point(|turn| turn.end < replacement.at);
        TurnIdx::from_position(at.min(self.turns.len().saturating_sub(1)))
    }

    /// Finds a block by its id.
    pub fn find_block(&self, id: &BlockId) -> Option<BlockIdx> {
        self.blocks.iter().position(|block| block.id == *id).map(BlockIdx::new)
    }

    /// Returns all messages in model order: as they came, summaries where they stand.
    pub fn model_order(&self, end: usize) -> Vec<MessageIdx> {
        let end = end.min(self.messages.len());
        let mut order: Vec<(usize, u8, usize)> =
            self.messages[..end].iter().enumerate().map(|(at, message)| message.order_key(at)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, _, at)| MessageIdx::new(at)).collect()
    }
}

/// A message before the blocks have numbers.
pub(crate) struct MessageDraft<'a> {
    pub(crate) event: EventIdx,
    pub(crate) message: &'a Message,
    /// Each block with its record and its place among the record's blocks.
    pub(crate) blocks: Vec<(EventIdx, u32, &'a crate::ContentBlock)>,
    pub(crate) standings: Vec<HistoryPresence>,
    /// The state of the message itself, as long as it has no block.
    pub(crate) bare: HistoryPresence,
    /// The blocks its blocks stand in for, one by one; may be shorter.
    stands_for: Vec<DraftBlock>,
    outcome: ReplyOutcome,
    usage: Option<Usage>,
    before: Option<usize>,
    /// True for what a compaction or a rewrite brought.
    added: bool,
    /// True for what a compaction brought.
    pub(crate) by_compaction: bool,
}

impl MessageDraft<'_> {
    /// Returns where it stands in model order, `at` being its own number.
    pub(crate) fn model_order(&self, at: usize) -> usize {
        self.before.unwrap_or(at)
    }

    /// Takes over what a record reports; a report of nothing, as the last row of some replies has, replaces none.
    fn add_usage(&mut self, usage: Option<Usage>) {
        self.usage = usage.filter(|usage| !usage.is_empty() || self.usage.is_none()).or(self.usage);
    }
}

fn on_branch(log: &EventLog, path: &[EventIdx]) -> Vec<bool> {
    let mut on_branch = alloc::vec![false; log.events().len()];
    path.iter().for_each(|idx| on_branch[idx.at()] = true);
    on_branch
}

fn stated_totals(log: &EventLog) -> Vec<UsageReport> {
    let of = |event: &SessionEvent| match &event.body {
        EventBody::Usage(report) if report.of != UsageScope::Reply => Some(report.clone()),
        _ => None,
    };
    log.events().iter().filter_map(of).collect()
}

struct Builder<'a> {
    log: &'a EventLog,
    /// Tells for each record whether it is on the branch.
    on_branch: Vec<bool>,
    tools: &'a ToolTable,
    drafts: Vec<MessageDraft<'a>>,
    /// Replies since the last compaction, by what joins their parts.
    replies: BTreeMap<&'a str, usize>,
    replacements: Vec<DraftReplacement>,
    index: BlockIndex<'a>,
    /// Only then is the index kept: it costs more than all the rest.
    is_rewritten: bool,
}

impl<'a> Builder<'a> {
    fn add_event(&mut self, idx: EventIdx, history: History, problems: &mut Vec<Problem>) {
        match &self.log.record(idx).body {
            EventBody::Message(message) => self.add_message(idx, message),
            EventBody::Compaction(compaction) => {
                if history == History::AsRecorded {
                    self.add_compaction(idx, compaction, problems);
                }
            }
            EventBody::Rewrite(rewrite) => {
                if history == History::AsRecorded || !rewrite.cause.saves_room() {
                    self.apply_rewrite(idx, rewrite, problems);
                }
            }
            EventBody::Usage(report) if report.of == UsageScope::Reply => {
                let is_reply =
                    |draft: &&mut MessageDraft<'_>| draft.message.role == Role::Assistant && !draft.added;
                if let Some(draft) = self.drafts.iter_mut().rev().find(is_reply) {
                    draft.add_usage(report.usage);
                }
            }
            EventBody::Header(_)
            | EventBody::Usage(_)
            | EventBody::ModelChange { .. }
            | EventBody::Title(_)
            | EventBody::Label { .. }
            | EventBody::Quiet { .. }
            | EventBody::Opaque { .. } => {}
        }
    }

    fn add_compaction(&mut self, idx: EventIdx, compaction: &'a Compaction, problems: &mut Vec<Problem>) {
        let at = self.drafts.len();
        let mut unknown = |entry: &EntryId| {
            let kind = ProblemKind::UnknownKeep { entry: entry.clone() };
            problems.push(Problem { place: self.place_of(idx), kind });
        };
        let kept = match &compaction.keep {
            Keep::From(entry) => {
                // A record of another branch keeps nothing.
                let keep = self.log.find_record(entry).filter(|keep| self.on_branch[keep.at()]);
                let found = keep.and_then(|keep| self.drafts.iter().position(|draft| draft.event >= keep));
                if found.is_none() && keep.is_none_or(|keep| keep >= idx) {
                    unknown(entry);
                }
                found.map_or(RetainedHistory::Nothing, RetainedHistory::From)
            }
            Keep::Entries(entries) => {
                let found: BTreeSet<EventIdx> =
                    entries.iter().filter_map(|entry| self.log.find_record(entry)).collect();
                if let Some(entry) = entries.first().filter(|_| found.is_empty()) {
                    unknown(entry);
                }
                RetainedHistory::Records(found)
            }
            Keep::Retained(_) | Keep::Nothing => RetainedHistory::Nothing,
        };
        let keep_from = kept.first_kept(&self.drafts);
        let taken = compact_history(&mut self.drafts, &kept);
        let mut part = 0;
        for message in self.log.record(idx).body.all_messages() {
            let draft = self.push_draft(idx, message, part);
            draft.before = keep_from;
            draft.added = true;
            draft.by_compaction = true;
            part += u32::try_from(message.blocks.len()).unwrap_or(u32::MAX);
        }
        self.replacements.push(DraftReplacement {
            at,
            event: idx,
            cause: ReplacementCause::Compaction,
            taken,
            tokens_before: compaction.tokens_before,
        });
        self.replies.clear();
    }

    /// Takes everything so far out of the context, as the reported sizes say; no record tells of this cut.
    fn cut_history(&mut self, idx: EventIdx) {
        let (at, taken) = (self.drafts.len(), compact_history(&mut self.drafts, &RetainedHistory::Nothing));
        let cause = ReplacementCause::Compaction;
        self.replacements.push(DraftReplacement { at, event: idx, cause, taken, tokens_before: None });
        self.replies.clear();
    }

    fn apply_rewrite(&mut self, idx: EventIdx, rewrite: &'a Rewrite, problems: &mut Vec<Problem>) {
        let at = self.drafts.len();
        let mut taken = RemovedBlocks::default();
        let mut part = 0;
        for change in &rewrite.changes {
            let Some(change_taken) = take_out(&self.index, &mut self.drafts, &change.target) else {
                let kind = ProblemKind::UnknownTarget { target: target_name(&change.target) };
                problems.push(Problem { place: self.place_of(idx), kind });
                let n_blocks: usize = change.replaced_by.iter().map(|message| message.blocks.len()).sum();
                part += u32::try_from(n_blocks).unwrap_or(u32::MAX);
                continue;
            };
            let drops = &change_taken.drops;
            let before = drops.first().map(|(first, _)| self.drafts[*first].model_order(*first));
            let mut instead = drops.iter();
            for message in &change.replaced_by {
                let stands_for = instead.by_ref().take(message.blocks.len()).copied().collect();
                let draft = self.push_draft(idx, message, part);
                draft.before = before;
                draft.added = true;
                draft.stands_for = stands_for;
                part += u32::try_from(message.blocks.len()).unwrap_or(u32::MAX);
            }
            // The messages of an earlier change of this rewrite stand in the history no more.
            taken.merge_with(change_taken);
        }
        let cause = rewrite.cause;
        self.replacements.push(DraftReplacement { at, event: idx, cause, taken, tokens_before: None });
    }

    fn add_message(&mut self, idx: EventIdx, message: &'a Message) {
        let reply = message.reply.as_deref().filter(|_| message.role == Role::Assistant);
        let known = message.reply.as_deref().and_then(|reply| self.replies.get(reply).copied());
        if let Some(at) = known {
            let draft = &mut self.drafts[at];
            draft.blocks.extend((0u32..).zip(&message.blocks).map(|(part, block)| (idx, part, block)));
            let entry = &self.log.record(idx).entry;
            for (pos, block) in (draft.standings.len()..).zip(&message.blocks).filter(|_| self.is_rewritten) {
                self.index.add_block(entry, block, (at, pos));
            }
            draft.standings.resize(draft.blocks.len(), HistoryPresence::In);
            draft.outcome = message.outcome;
            draft.add_usage(message.usage);
            return;
        }
        if let Some(reply) = reply {
            self.replies.insert(reply, self.drafts.len());
        }
        self.push_draft(idx, message, 0);
    }

    fn push_draft(
        &mut self,
        event: EventIdx,
        message: &'a Message,
        first_part: u32,
    ) -> &mut MessageDraft<'a> {
        let at = self.drafts.len();
        for (pos, block) in message.blocks.iter().enumerate().filter(|_| self.is_rewritten) {
            self.index.add_block(&self.log.record(event).entry, block, (at, pos));
        }
        self.drafts.push(MessageDraft {
            event,
            message,
            blocks: (first_part..).zip(&message.blocks).map(|(part, block)| (event, part, block)).collect(),
            standings: alloc::vec![HistoryPresence::In; message.blocks.len()],
            bare: HistoryPresence::In,
            stands_for: Vec::new(),
            outcome: message.outcome,
            usage: message.usage,
            before: None,
            added: false,
            by_compaction: false,
        });
        &mut self.drafts[at]
    }

    fn place_of(&self, idx: EventIdx) -> Place {
        let event = self.log.record(idx);
        Place::at_entry(event.line, event.entry.clone())
    }

    fn finish(self, problems: &mut Vec<Problem>) -> Session {
        let mut session = Session::default();
        let mut starts = Vec::with_capacity(self.drafts.len());
        for draft in &self.drafts {
            let event = self.log.record(draft.event);
            let message_idx = MessageIdx::new(session.messages.len());
            let first = session.blocks.len();
            starts.push(first);
            for (pos, (block_event, part, block)) in draft.blocks.iter().enumerate() {
                let id = BlockId { entry: self.log.record(*block_event).entry.clone(), index: block.index };
                let stands_for = draft.stands_for.get(pos).or(draft.stands_for.first());
                session.blocks.push(SessionBlock {
                    id,
                    event: *block_event,
                    part: *part,
                    message: message_idx,
                    kind: block.kind.clone(),
                    images: block.images,
                    holds: block.holds.clone(),
                    is_with_words: false,
                    class: None,
                    shell_search: false,
                    pair: None,
                    stands_for: stands_for.map(|(at, pos)| BlockIdx::new(starts[*at] + pos)),
                });
            }
            // The harness may put words in the model's mouth, for which no request was made.
            let is_asked = draft.message.author != Author::Harness || draft.outcome != ReplyOutcome::Complete;
            if draft.message.role == Role::Assistant && !draft.added && is_asked {
                session.turns.push(Turn { message: Some(message_idx), end: message_idx.at() });
            }
            session.messages.push(SessionMessage {
                event: draft.event,
                entry: event.entry.clone(),
                line: event.line,
                role: draft.message.role,
                author: draft.message.author,
                form: draft.message.form.clone(),
                class: MessageClass::classify(draft.message.role, draft.message.author, &draft.message.form),
                outcome: draft.outcome,
                usage: draft.usage,
                model: draft.message.model.clone(),
                at_ms: event.at_ms,
                blocks: first..session.blocks.len(),
                before: draft.before.map(MessageIdx::new),
                added: draft.added,
            });
        }
        session.turns.push(Turn { message: None, end: session.messages.len() });
        pair_calls(&mut session, self.tools, problems);
        session.replacements = number_replacements(self.log, &self.replacements, &starts);
        session.totals = stated_totals(self.log);
        session
    }
}
