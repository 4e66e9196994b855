//! Builds a [`Session`] of a branch: its records become messages, and compactions and rewrites change what came before.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::log::branch_tip::BranchTip;
use crate::session::built_branch::BuiltBranch;
use crate::session::pairing::CallPairer;
use crate::session::replacement::{
    BlockIndex, DraftBlock, DraftReplacement, HistoryPresence, RemovedBlocks, RetainedHistory,
    compact_history, is_known_elsewhere, number_replacements, take_out, target_name,
};
use crate::session::{is_requested, new_block};
use crate::{
    BlockIdx, Compaction, ContentBlock, EntryId, EventBody, EventIdx, EventLog, History, Keep, Message,
    MessageClass, MessageIdx, Place, Problem, ProblemKind, ReplacementCause, ReplyOutcome, Rewrite, Role,
    Session, SessionEvent, SessionMessage, ToolTable, Turn, Usage, UsageReport, UsageScope,
};

pub(crate) struct MessageDraft<'a> {
    pub(crate) event: EventIdx,
    pub(crate) message: &'a Message,
    pub(crate) blocks: Vec<(EventIdx, u32, &'a ContentBlock)>,
    pub(crate) standings: Vec<HistoryPresence>,
    pub(crate) bare: HistoryPresence,
    stands_for: Vec<DraftBlock>,
    outcome: ReplyOutcome,
    usage: Option<Usage>,
    before: Option<usize>,
    added: bool,
    pub(crate) by_compaction: bool,
}

impl<'a> MessageDraft<'a> {
    pub(crate) fn new(event: EventIdx, message: &'a Message, first_part: u32) -> Self {
        Self {
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
        }
    }

    pub(crate) fn model_order(&self, at: usize) -> usize {
        self.before.unwrap_or(at)
    }

    fn add_usage(&mut self, usage: Option<Usage>) {
        self.usage = latest_usage(self.usage, usage);
    }
}

pub(crate) fn latest_usage(known: Option<Usage>, new: Option<Usage>) -> Option<Usage> {
    new.filter(|usage| !usage.is_empty() || known.is_none()).or(known)
}

fn on_branch(log: &EventLog, path: &[EventIdx]) -> Vec<bool> {
    let mut on_branch = alloc::vec![false; log.events().len()];
    path.iter().for_each(|idx| on_branch[idx.at()] = true);
    on_branch
}

pub(crate) fn stated_total(event: &SessionEvent) -> Option<UsageReport> {
    match &event.body {
        EventBody::Usage(report) if report.of != UsageScope::Reply => Some(report.clone()),
        _ => None,
    }
}

pub(crate) struct SessionBuilder<'a> {
    log: &'a EventLog,
    on_branch: Vec<bool>,
    tools: &'a ToolTable,
    drafts: Vec<MessageDraft<'a>>,
    /// Replies since the last compaction, keyed by the id shared by their parts.
    replies: BTreeMap<&'a Arc<str>, usize>,
    replacements: Vec<DraftReplacement>,
    index: BlockIndex<'a>,
    /// The index costs more than everything else, so it is kept only if there are rewrites.
    is_rewritten: bool,
}

impl<'a> SessionBuilder<'a> {
    pub(crate) fn new(log: &'a EventLog, path: &[EventIdx], tools: &'a ToolTable) -> Self {
        Self {
            log,
            on_branch: on_branch(log, path),
            tools,
            drafts: Vec::new(),
            replies: BTreeMap::new(),
            replacements: Vec::new(),
            index: BlockIndex::default(),
            is_rewritten: path.iter().any(|idx| matches!(log.record(*idx).body, EventBody::Rewrite(_))),
        }
    }

    pub(crate) fn add_event(&mut self, idx: EventIdx, history: History, problems: &mut Vec<Problem>) {
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
    pub(crate) fn cut_history(&mut self, idx: EventIdx) {
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
        let reply = message.reply.as_ref().filter(|_| message.role == Role::Assistant);
        let known = message.reply.as_ref().and_then(|reply| self.replies.get(reply).copied());
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
        self.drafts.push(MessageDraft::new(event, message, first_part));
        &mut self.drafts[at]
    }

    fn place_of(&self, idx: EventIdx) -> Place {
        let event = self.log.record(idx);
        Place::at_entry(event.line, event.entry.clone())
    }

    pub(crate) fn finish(
        self,
        tip: BranchTip,
        begins_elsewhere: bool,
        mut problems: Vec<Problem>,
    ) -> BuiltBranch {
        let mut session = Session { begins_elsewhere, ..Session::default() };
        let mut starts = Vec::with_capacity(self.drafts.len());
        for draft in &self.drafts {
            starts.push(session.blocks.len());
            append_message(&mut session, self.log, draft, &starts);
        }
        session.turns.push(Turn { message: None, end: session.messages.len() });
        let mut pairer = CallPairer::default();
        pairer.add_blocks(&mut session, 0, self.tools, &mut problems);
        session.replacements = number_replacements(self.log, &self.replacements, &starts);
        session.totals = self.log.events().iter().filter_map(stated_total).collect();
        let replies =
            self.replies.into_iter().map(|(reply, at)| (reply.clone(), MessageIdx::new(at))).collect();
        BuiltBranch { session, problems, pairer, replies, tip }
    }
}

/// `starts` holds the first block of every message so far and of this one.
pub(crate) fn append_message(
    session: &mut Session,
    log: &EventLog,
    draft: &MessageDraft<'_>,
    starts: &[usize],
) {
    let event = log.record(draft.event);
    let message = MessageIdx::new(session.messages.len());
    let first = session.blocks.len();
    for (pos, (block_event, part, block)) in draft.blocks.iter().enumerate() {
        let stands_for = draft.stands_for.get(pos).or(draft.stands_for.first());
        let stands_for = stands_for.map(|(at, pos)| BlockIdx::new(starts[*at] + pos));
        session.blocks.push(new_block(log, *block_event, *part, block, message, stands_for));
    }
    if draft.message.role == Role::Assistant
        && !draft.added
        && is_requested(draft.message.author, draft.outcome)
    {
        session.turns.push(Turn { message: Some(message), end: message.at() });
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
