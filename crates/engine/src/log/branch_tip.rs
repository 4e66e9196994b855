//! A branch's end: tells whether a new record only continues the log's current branch, or changes its history.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;

use crate::log::parents::{Parents, usage_of};
use crate::{
    BlockKind, EntryId, EventBody, EventIdx, EventLog, Message, Parent, Problem, ProblemKind, SessionEvent,
    ToolCallId,
};

#[derive(Debug, Clone, Default)]
pub(crate) struct BranchTip {
    leaf: Option<EventIdx>,
    last_reply: Option<LastReply>,
    /// Ids that a record names and no record has.
    pub(crate) missing: BTreeSet<EntryId>,
    /// In a woven tree, replies with a part outside the branch.
    pub(crate) replies_beside: BTreeSet<Box<str>>,
    /// In a woven tree, calls with a result outside the branch.
    pub(crate) calls_beside: BTreeSet<ToolCallId>,
    /// True if the place of a record since the last reported size depends on the next one.
    awaits_size: bool,
    /// True if a rewrite names something that the log does not hold so far.
    has_unknown_target: bool,
}

/// The last reply of a woven tree with its results, while nothing else follows.
///
/// A later part or result may continue any of these records: the others stand beside it and stay on the branch.
#[derive(Debug, Clone)]
struct LastReply {
    reply: Arc<str>,
    calls: BTreeSet<ToolCallId>,
    parents: BTreeMap<EventIdx, Option<EventIdx>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BranchStep {
    Continues,
    Outside,
    /// The record begins another branch, or changes what came before.
    ChangesHistory,
}

impl BranchTip {
    pub(crate) fn new(log: &EventLog, parents: &Parents) -> Self {
        let leaf = log.leaf();
        let below_size = core::iter::successors(leaf, |idx| parents.of[idx.at()].filter(|above| above < idx))
            .take_while(|idx| usage_of(log.record(*idx)).is_none());
        let awaits_size = below_size.into_iter().any(|idx| parents.uncertain.contains(&idx));
        Self { leaf, awaits_size, ..Self::default() }
    }

    pub(crate) fn note_unknown(&mut self, problems: &[Problem]) {
        for problem in problems {
            match &problem.kind {
                ProblemKind::UnknownKeep { entry } => _ = self.missing.insert(entry.clone()),
                ProblemKind::UnknownTarget { .. } => self.has_unknown_target = true,
                _ => {}
            }
        }
    }

    pub(crate) fn step(&mut self, log: &EventLog, idx: EventIdx) -> BranchStep {
        let event = log.record(idx);
        let is_known = || self.has_unknown_target || self.missing.contains(&event.entry);
        if is_known() || !log.all_of(&event.entry).eq([idx]) {
            return BranchStep::ChangesHistory;
        }
        if event.parent == Parent::Outside {
            return BranchStep::Outside;
        }
        let Some(parent) = self.parent_on_branch(log, idx, event) else { return BranchStep::ChangesHistory };
        self.leaf = Some(idx);
        self.awaits_size &= usage_of(event).is_none();
        self.last_reply = self.last_reply.take().and_then(|last| last.with_record(idx, parent, event));
        if self.last_reply.is_none() {
            self.last_reply = LastReply::begin(idx, event);
        }
        BranchStep::Continues
    }

    fn parent_on_branch(&self, log: &EventLog, idx: EventIdx, event: &SessionEvent) -> Option<EventIdx> {
        let leaf = self.leaf?;
        let parent = match &event.parent {
            Parent::Entry(parent) | Parent::Woven(parent) => log.find_before(parent, idx)?,
            Parent::Previous => leaf,
            Parent::Root | Parent::Outside => return None,
        };
        let last = || self.last_reply.as_ref().filter(|_| matches!(event.parent, Parent::Woven(_)));
        let is_below = parent == leaf || last().is_some_and(|last| last.joins(log, parent, event));
        let is_next = is_below
            && event.side == log.record(leaf).side
            && !(self.awaits_size && usage_of(event).is_some())
            && match &event.body {
                EventBody::Compaction(_) | EventBody::Rewrite(_) => false,
                EventBody::Message(message) => !self.is_beside(message),
                _ => true,
            };
        is_next.then_some(parent)
    }

    fn is_beside(&self, message: &Message) -> bool {
        let is_call =
            |kind: &BlockKind| matches!(kind, BlockKind::Call(call) if self.calls_beside.contains(&call.id));
        message.reply.as_deref().is_some_and(|reply| self.replies_beside.contains(reply))
            || message.blocks.iter().any(|block| is_call(&block.kind))
    }
}

impl LastReply {
    fn begin(idx: EventIdx, event: &SessionEvent) -> Option<Self> {
        let message = woven_message(event)?;
        let mut last =
            Self { reply: message.reply.clone()?, calls: BTreeSet::new(), parents: BTreeMap::new() };
        last.add_record(idx, None, message);
        Some(last)
    }

    fn with_record(mut self, idx: EventIdx, parent: EventIdx, event: &SessionEvent) -> Option<Self> {
        let message = woven_message(event).filter(|message| self.is_own(message))?;
        if message.reply.is_none() && usage_of(event).is_some() {
            return None;
        }
        self.add_record(idx, Some(parent), message);
        Some(self)
    }

    fn add_record(&mut self, idx: EventIdx, parent: Option<EventIdx>, message: &Message) {
        self.parents.insert(idx, parent);
        if message.reply.as_ref() == Some(&self.reply) {
            let calls = message.blocks.iter().filter_map(|block| match &block.kind {
                BlockKind::Call(call) => Some(call.id.clone()),
                _ => None,
            });
            self.calls.extend(calls);
        }
    }

    fn is_own(&self, message: &Message) -> bool {
        let is_result =
            |kind: &BlockKind| matches!(kind, BlockKind::Result(result) if self.calls.contains(&result.call));
        match &message.reply {
            Some(reply) => *reply == self.reply,
            None => message.blocks.iter().any(|block| is_result(&block.kind)),
        }
    }

    /// Returns `true` if `event` continues one of the records, and no reported size can contradict that: the last request
    /// with a size is this reply, whose parts stand above `event`.
    fn joins(&self, log: &EventLog, parent: EventIdx, event: &SessionEvent) -> bool {
        let above = |at: &EventIdx| self.parents.get(at).copied().flatten();
        let mut chain = core::iter::successors(Some(parent), above);
        self.parents.contains_key(&parent)
            && woven_message(event).is_some_and(|message| self.is_own(message))
            && chain.any(|at| usage_of(log.record(at)).is_some())
    }
}

fn woven_message(event: &SessionEvent) -> Option<&Message> {
    match (&event.parent, &event.body) {
        (Parent::Woven(_), EventBody::Message(message)) => Some(message),
        _ => None,
    }
}
