//! A session: one branch of a log in model order, with its turns and replacements.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::branch::branch_of;
use crate::pairing::pair_calls;
use crate::replacement::{
    BlockIndex, DraftBlock, DraftReplacement, HistoryPresence, RemovedBlocks, RetainedHistory,
    compact_history, is_known_elsewhere, number_replacements, take_out, target_name,
};
use crate::{
    Author, BlockId, BlockIdx, BlockKind, Compaction, EntryId, EventBody, EventIdx, EventLog, Holds, Keep,
    Message, MessageForm, MessageIdx, Parent, Place, Problem, ProblemKind, Replacement, ReplacementCause,
    ReplyOutcome, Rewrite, Role, SessionEvent, ToolClass, ToolTable, TurnIdx, Usage, UsageReport, UsageScope,
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

/// Which history a [`Replay`](crate::Replay) runs over.
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
    /// Milliseconds since 1970, from the log's clock.
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
    /// Human words or a signature. Others' words are left out.
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

#[derive(Debug, Clone, Default)]
pub struct Session {
    pub messages: Vec<SessionMessage>,
    pub blocks: Vec<SessionBlock>,
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
            if history != History::Full && cuts.contains(&idx) {
                builder.cut_history(idx);
            }
            builder.add_event(idx, history, &mut problems);
        }
        let session = Self { begins_elsewhere, ..builder.finish(&mut problems) };
        (session, problems)
    }

    /// Returns `now`, the turn of the next possible request.
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
            Holds::Nothing | Holds::Signature | Holds::ToolDefinition(_) => self.message_of(block).class,
        }
    }

    /// Returns `true` if a policy that keeps human words may evict `block`.
    pub fn is_evictable(&self, block: BlockIdx) -> bool {
        !self.blocks[block.at()].is_with_words && self.message_of(block).class.is_evictable()
    }

    /// Returns how many units in a block are human words inside a result.
    pub fn words_in(&self, block: BlockIdx, units: u64) -> u64 {
        self.blocks[block.at()].holds.human_words().map_or(0, |words| words.share_of(units))
    }

    /// Returns `true` if the log keeps `block` out of the context. Only a policy that counts unsent
    /// blocks gives it a size.
    pub fn is_excluded(&self, block: BlockIdx) -> bool {
        !self.message_of(block).form.is_sent()
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
        range.clone().map(BlockIdx::new).zip(&self.blocks[range])
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
            self.messages[..end].iter().enumerate().map(|(at, message)| message.order_key(at)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, _, at)| MessageIdx::new(at)).collect()
    }
}

pub(crate) struct MessageDraft<'a> {
    pub(crate) event: EventIdx,
    pub(crate) message: &'a Message,
    pub(crate) blocks: Vec<(EventIdx, u32, &'a crate::ContentBlock)>,
    pub(crate) standings: Vec<HistoryPresence>,
    pub(crate) bare: HistoryPresence,
    stands_for: Vec<DraftBlock>,
    outcome: ReplyOutcome,
    usage: Option<Usage>,
    before: Option<usize>,
    added: bool,
    pub(crate) by_compaction: bool,
}

impl MessageDraft<'_> {
    pub(crate) fn model_order(&self, at: usize) -> usize {
        self.before.unwrap_or(at)
    }

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
    on_branch: Vec<bool>,
    tools: &'a ToolTable,
    drafts: Vec<MessageDraft<'a>>,
    /// Replies since the last compaction, keyed by the id shared by their parts.
    replies: BTreeMap<&'a str, usize>,
    replacements: Vec<DraftReplacement>,
    index: BlockIndex<'a>,
    /// The index costs more than everything else, so it is kept only if there are rewrites.
    is_rewritten: bool,
}

impl<'a> Builder<'a> {
    fn add_event(&mut self, idx: EventIdx, history: History, problems: &mut Vec<Problem>) {
        match &self.log.record(idx).body {
            EventBody::Message(message) => self.add_message(idx, message),
            EventBody::Compaction(compaction) => {
                if history != History::Full {
                    self.add_compaction(idx, compaction, problems);
                }
            }
            EventBody::Rewrite(rewrite) => {
                let is_undone = match history {
                    History::AsRecorded => false,
                    History::Unevicted => rewrite.cause == ReplacementCause::Eviction,
                    History::Full => rewrite.cause.saves_room(),
                };
                if !is_undone {
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
                // A record on another branch keeps nothing.
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

    /// Removes everything so far. Only the reported sizes show this cut; no record does.
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
                if !is_known_elsewhere(self.log, &change.target) {
                    let kind = ProblemKind::UnknownTarget { target: target_name(&change.target) };
                    problems.push(Problem { place: self.place_of(idx), kind });
                }
                let n_blocks: usize = change.replaced_by.iter().map(|message| message.blocks.len()).sum();
                part += u32::try_from(n_blocks).unwrap_or(u32::MAX);
                continue;
            };
            let drops = &change_taken.drops;
            let place = change_taken.before.or(drops.first().map(|(first, _)| *first));
            let before = place.map(|at| self.drafts[at].model_order(at));
            let mut instead = drops.iter();
            for message in &change.replaced_by {
                let stands_for = instead.by_ref().take(message.blocks.len()).copied().collect();
                let draft = self.push_draft(idx, message, part);
                draft.before = before;
                draft.added = true;
                draft.stands_for = stands_for;
                part += u32::try_from(message.blocks.len()).unwrap_or(u32::MAX);
            }
            // Later changes no longer see messages inserted by earlier changes of this rewrite.
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
            // The harness may write assistant messages itself, without a request.
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
