//! The event log: every record of one log in file order, append-only.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::mem::discriminant;

use crate::branch::tips_of;
use crate::{EntryId, EventBody, EventIdx, Header, Parent, SessionEvent};

/// Every record of one log in file order; it only grows.
#[derive(Debug, Clone, Default)]
pub struct EventLog {
    events: Vec<SessionEvent>,
    by_entry: BTreeSet<IdEntry>,
    /// True once a record of a woven tree has come.
    is_woven: bool,
    /// The records of a woven tree that were written again, each with the first one of its id.
    copies: BTreeMap<EventIdx, EventIdx>,
    /// The size of the model's window as it was stated last, tokens.
    window: Option<u64>,
}

/// A record by its id. The sum of the id's letters comes first: ids lie all over the memory, and to compare them one by one
/// took a third of the time a long log takes.
type IdEntry = (u64, EntryId, EventIdx);

fn id_entry(entry: &EntryId, idx: EventIdx) -> IdEntry {
    // FNV-1a. Ids of one sum are told apart by their letters, so no choice of ids makes it slow.
    let add = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    (entry.as_str().bytes().fold(0xcbf2_9ce4_8422_2325, add), entry.clone(), idx)
}

impl EventLog {
    /// Appends a record and returns its place. Of records with one id the last is found by it.
    ///
    /// Claude Code writes rows again with their ids and times, as at a second compaction: each counts once, and the copy
    /// stands outside of the tree.
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

    /// Returns the record of which another one is a copy.
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

    /// Returns the record that a copy repeats; `None` of a record that is no copy.
    pub(crate) fn original_of(&self, idx: EventIdx) -> Option<EventIdx> {
        self.copies.get(&idx).copied()
    }

    /// Marks the usage in the records before one as copied from another log, in which it was paid for.
    pub fn mark_copied_before(&mut self, first_own: EventIdx) {
        let n_copied = first_own.at().min(self.events.len());
        self.events[..n_copied].iter_mut().for_each(|event| event.body.mark_copied());
    }

    /// Returns all records in file order.
    pub fn events(&self) -> &[SessionEvent] {
        &self.events
    }

    /// Returns one record.
    pub fn record(&self, idx: EventIdx) -> &SessionEvent {
        &self.events[idx.at()]
    }

    /// Finds a record by its id; of several the last.
    pub fn find_record(&self, entry: &EntryId) -> Option<EventIdx> {
        self.all_of(entry).next_back()
    }

    /// Finds the record another one continues: of several with that id the last before it, else the last.
    pub fn find_before(&self, entry: &EntryId, child: EventIdx) -> Option<EventIdx> {
        // Most records continue the one that stands right before them.
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

    /// Lists the records of an id in file order.
    pub(crate) fn all_of(&self, entry: &EntryId) -> impl DoubleEndedIterator<Item = EventIdx> {
        let from = id_entry(entry, EventIdx::new(0));
        let to = (from.0, from.1.clone(), EventIdx::new(usize::MAX));
        self.by_entry.range(from..=to).map(|(.., idx)| *idx)
    }

    /// Returns the first header, or an empty one.
    pub fn header(&self) -> Header {
        self.events
            .iter()
            .find_map(|event| match &event.body {
                EventBody::Header(header) => Some(header.clone()),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// Returns the size of the model's window as the log states it last, tokens.
    pub fn context_window(&self) -> Option<u64> {
        self.window
    }

    /// Returns the last name the session was given, if any.
    pub fn title(&self) -> Option<&str> {
        self.events.iter().rev().find_map(|event| match &event.body {
            EventBody::Title(title) => Some(title.as_deref()),
            _ => None,
        })?
    }

    /// Returns the tips: records in the tree no other continues, in file order, without those of subagents' own
    /// conversations.
    ///
    /// The last record in the tree is the tip of the branch the session is on.
    pub fn tips(&self) -> Vec<EventIdx> {
        let side = self.is_all_side();
        tips_of(self).into_iter().filter(|tip| self.record(*tip).side == side).collect()
    }

    /// Returns the last records of the subagents' own conversations that this log holds beside the session's.
    pub fn side_tips(&self) -> Vec<EventIdx> {
        if self.is_all_side() {
            return Vec::new();
        }
        tips_of(self).into_iter().filter(|tip| self.record(*tip).side).collect()
    }

    /// Returns the last record in the tree, the tip of the branch the session is on.
    pub fn leaf(&self) -> Option<EventIdx> {
        let in_tree = |side: bool| {
            let of_tree = |event: &SessionEvent| event.parent != Parent::Outside && event.side == side;
            self.events.iter().rposition(of_tree).map(EventIdx::new)
        };
        in_tree(false).or_else(|| in_tree(true))
    }

    /// Tells whether every record of the tree is a subagent's, as its own log may say: there they are the session.
    fn is_all_side(&self) -> bool {
        let mut in_tree = self.events.iter().filter(|event| event.parent != Parent::Outside).peekable();
        in_tree.peek().is_some() && in_tree.all(|event| event.side)
    }
}
