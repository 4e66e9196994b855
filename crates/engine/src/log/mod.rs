//! The event log: all records of one log in file order, append-only.

pub(crate) mod chunked_vec;
pub(crate) mod record_index;
pub(crate) mod branch;
pub(crate) mod branch_tip;
pub(crate) mod parents;

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::discriminant;

use crate::log::branch::tips_of;
use crate::log::record_index::RecordIndex;
use crate::{ChunkedVec, EntryId, EventBody, EventIdx, Header, Parent, SessionEvent};

/// The last record of every branch, each list in file order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BranchTips {
    pub session: Vec<EventIdx>,
    /// Tips of subagent conversations in a log that holds other branches.
    pub side: Vec<EventIdx>,
}

/// A clone shares all records so far, so a revision of a long log costs what was added to it.
#[derive(Debug, Clone, Default)]
pub struct EventLog {
    events: ChunkedVec<SessionEvent>,
    by_entry: RecordIndex,
    is_woven: bool,
    /// Repeated records in a woven tree, each with its original.
    copies: Arc<BTreeMap<EventIdx, EventIdx>>,
    window: Option<u64>,
    /// The last record in the tree: of the session, of subagent conversations.
    last_in_tree: [Option<EventIdx>; 2],
    titled: Option<EventIdx>,
}

impl EventLog {
    /// Claude Code repeats rows with their ids and times, for example at a second compaction. Each row counts
    /// once: copies become [`Parent::Outside`].
    pub fn push(&mut self, mut event: SessionEvent) -> EventIdx {
        let idx = EventIdx::new(self.events.len());
        self.is_woven |= matches!(event.parent, Parent::Woven(_));
        match self.copied_by(&event) {
            Some(first) => {
                Arc::make_mut(&mut self.copies).insert(idx, first);
                event.parent = Parent::Outside;
            }
            None => self.by_entry.insert(&event.entry, idx),
        }
        let stated = match &event.body {
            EventBody::Header(header) => header.window,
            EventBody::Usage(report) => report.window,
            _ => None,
        };
        self.window = stated.or(self.window);
        if matches!(event.body, EventBody::Title(_)) {
            self.titled = Some(idx);
        }
        if event.parent != Parent::Outside {
            self.last_in_tree[usize::from(event.side)] = Some(idx);
        }
        self.events.push(event);
        idx
    }

    fn copied_by(&self, event: &SessionEvent) -> Option<EventIdx> {
        if !self.is_woven || event.parent == Parent::Outside {
            return None;
        }
        let is_first = |idx: &EventIdx| {
            let first = self.record(*idx);
            first.parent != Parent::Outside
                && first.at_ms == event.at_ms
                && first.side == event.side
                && discriminant(&first.body) == discriminant(&event.body)
        };
        self.all_of(&event.entry).find(is_first)
    }

    pub(crate) fn original_of(&self, idx: EventIdx) -> Option<EventIdx> {
        self.copies.get(&idx).copied()
    }

    pub fn mark_copied_before(&mut self, first_own: EventIdx) {
        for at in 0..first_own.at() {
            let Some(event) = self.events.get_mut(at) else { return };
            event.body.mark_copied();
        }
    }

    /// Returns the records such that pushing them gives an equal log: a copy is in the tree again, where the
    /// next log finds it out anew.
    pub fn pushed_events(&self) -> impl Iterator<Item = SessionEvent> {
        self.events.iter().enumerate().map(|(at, event)| {
            let mut event = event.clone();
            if self.copies.contains_key(&EventIdx::new(at)) {
                event.parent = Parent::Woven(event.entry.clone());
            }
            event
        })
    }

    pub fn events(&self) -> &ChunkedVec<SessionEvent> {
        &self.events
    }

    pub fn record(&self, idx: EventIdx) -> &SessionEvent {
        &self.events[idx.at()]
    }

    /// Finds a record by id; the last one if several share it.
    pub fn find_record(&self, entry: &EntryId) -> Option<EventIdx> {
        self.all_of(entry).next_back()
    }

    /// Finds the parent of `child` by id: the last such record before `child`, else the last one
    /// overall.
    pub fn find_before(&self, entry: &EntryId, child: EventIdx) -> Option<EventIdx> {
        // Most records continue the record right before them.
        let beside = child.at().checked_sub(1).map(EventIdx::new).filter(|at| {
            self.events.get(at.at()).is_some_and(|one| one.entry == *entry) && !self.copies.contains_key(at)
        });
        if beside.is_some() {
            return beside;
        }
        let named = self.by_entry.records_named(entry);
        let n_before = named.partition_point(|(.., idx)| *idx < child);
        named[..n_before].last().or(named.last()).map(|(.., idx)| *idx)
    }

    pub(crate) fn all_of(&self, entry: &EntryId) -> impl DoubleEndedIterator<Item = EventIdx> {
        self.by_entry.records_named(entry).iter().map(|(.., idx)| *idx)
    }

    pub fn header(&self) -> Header {
        self.events
            .iter()
            .find_map(|event| match &event.body {
                EventBody::Header(header) => Some(header.clone()),
                _ => None,
            })
            .unwrap_or_default()
    }

    pub fn context_window(&self) -> Option<u64> {
        self.window
    }

    pub fn title(&self) -> Option<&str> {
        match &self.record(self.titled?).body {
            EventBody::Title(title) => title.as_deref(),
            _ => None,
        }
    }

    pub fn tips(&self) -> BranchTips {
        let is_session = |tip: &EventIdx| self.is_all_side() || !self.record(*tip).side;
        let (session, side) = tips_of(self).into_iter().partition(is_session);
        BranchTips { session, side }
    }

    /// Returns the last record in the tree, where the session's current branch ends.
    pub fn leaf(&self) -> Option<EventIdx> {
        let [session, subagents] = self.last_in_tree;
        session.or(subagents)
    }

    /// Returns `true` if every record in the tree belongs to a subagent. In such a log, these
    /// records are the session.
    fn is_all_side(&self) -> bool {
        matches!(self.last_in_tree, [None, Some(_)])
    }
}
