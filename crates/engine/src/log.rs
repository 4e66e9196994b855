//! The event log: all records of one log in file order, append-only.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::mem::discriminant;

use crate::branch::tips_of;
use crate::{EntryId, EventBody, EventIdx, Header, Parent, SessionEvent};

#[derive(Debug, Clone, Default)]
pub struct EventLog {
    events: Vec<SessionEvent>,
    by_entry: BTreeSet<IdEntry>,
    /// True once a record with [`Parent::Woven`] was added.
    is_woven: bool,
    /// Repeated records in a woven tree, each with its original.
    copies: BTreeMap<EventIdx, EventIdx>,
    window: Option<u64>,
}

/// A record keyed by id. A hash precedes the id because comparing the scattered id strings took a third of
/// the load time for long logs.
type IdEntry = (u64, EntryId, EventIdx);

fn id_entry(entry: &EntryId, idx: EventIdx) -> IdEntry {
    // FNV-1a. Colliding ids still compare by their letters, so no choice of ids makes lookups
    // slow.
    let add = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    (entry.as_str().bytes().fold(0xcbf2_9ce4_8422_2325, add), entry.clone(), idx)
}

impl EventLog {
    /// Appends a record and returns its index.
    ///
    /// Claude Code repeats rows with their ids and times, for example at a second compaction. Each
    /// row counts once: copies become [`Parent::Outside`].
    pub fn push(&mut self, mut event: SessionEvent) -> EventIdx {
        let idx = EventIdx::new(self.events.len());
        self.is_woven |= matches!(event.parent, Parent::Woven(_));
        match self.copied_by(&event) {
            Some(first) => {
                self.copies.insert(idx, first);
                event.parent = Parent::Outside;
            }
            None => _ = self.by_entry.insert(id_entry(&event.entry, idx)),
        }
        let stated = match &event.body {
            EventBody::Header(header) => header.window,
            EventBody::Usage(report) => report.window,
            _ => None,
        };
        self.window = stated.or(self.window);
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

    /// Marks usage before `first_own` as copied from another log, where it was paid for.
    pub fn mark_copied_before(&mut self, first_own: EventIdx) {
        let n_copied = first_own.at().min(self.events.len());
        self.events[..n_copied].iter_mut().for_each(|event| event.body.mark_copied());
    }

    pub fn events(&self) -> &[SessionEvent] {
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
        let beside = child
            .at()
            .checked_sub(1)
            .filter(|at| self.events.get(*at).is_some_and(|one| one.entry == *entry));
        if let Some(at) = beside {
            return Some(EventIdx::new(at));
        }
        let from = id_entry(entry, EventIdx::new(0));
        let to = (from.0, from.1.clone(), child);
        let before = self.by_entry.range(from..to).next_back().map(|(.., idx)| *idx);
        before.or_else(|| self.find_record(entry))
    }

    pub(crate) fn all_of(&self, entry: &EntryId) -> impl DoubleEndedIterator<Item = EventIdx> {
        let from = id_entry(entry, EventIdx::new(0));
        let to = (from.0, from.1.clone(), EventIdx::new(usize::MAX));
        self.by_entry.range(from..=to).map(|(.., idx)| *idx)
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
        self.events.iter().rev().find_map(|event| match &event.body {
            EventBody::Title(title) => Some(title.as_deref()),
            _ => None,
        })?
    }

    /// Returns the last record of every branch in file order, without subagent conversations.
    pub fn tips(&self) -> Vec<EventIdx> {
        let side = self.is_all_side();
        tips_of(self).into_iter().filter(|tip| self.record(*tip).side == side).collect()
    }

    pub fn side_tips(&self) -> Vec<EventIdx> {
        if self.is_all_side() {
            return Vec::new();
        }
        tips_of(self).into_iter().filter(|tip| self.record(*tip).side).collect()
    }

    /// Returns the last record in the tree, where the session's current branch ends.
    pub fn leaf(&self) -> Option<EventIdx> {
        let in_tree = |side: bool| {
            let of_tree = |event: &SessionEvent| event.parent != Parent::Outside && event.side == side;
            self.events.iter().rposition(of_tree).map(EventIdx::new)
        };
        in_tree(false).or_else(|| in_tree(true))
    }

    /// Returns `true` if every record in the tree belongs to a subagent. In such a log, these
    /// records are the session.
    fn is_all_side(&self) -> bool {
        let mut in_tree = self.events.iter().filter(|event| event.parent != Parent::Outside).peekable();
        in_tree.peek().is_some() && in_tree.all(|event| event.side)
    }
}
