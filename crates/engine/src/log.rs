//! The event log: every record of one log in file order, append-only.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{EntryId, EventBody, EventIdx, Header, Parent, SessionEvent};

/// Every record of one log in file order; it only grows.
#[derive(Debug, Clone, Default)]
pub struct EventLog {
    events: Vec<SessionEvent>,
    by_entry: BTreeMap<EntryId, Vec<EventIdx>>,
}

impl EventLog {
    /// Appends a record and returns its place. Of records with one id the last is found by it.
    pub fn push(&mut self, event: SessionEvent) -> EventIdx {
        let idx = EventIdx::new(self.events.len());
        self.by_entry.entry(event.entry.clone()).or_default().push(idx);
        self.events.push(event);
        idx
    }

    /// Returns all records in file order.
    pub fn events(&self) -> &[SessionEvent] {
        &self.events
    }

    /// Returns one record.
    pub fn get(&self, idx: EventIdx) -> &SessionEvent {
        &self.events[idx.at()]
    }

    /// Finds a record by its id; of several the last.
    pub fn find(&self, entry: &EntryId) -> Option<EventIdx> {
        self.by_entry.get(entry)?.last().copied()
    }

    /// Finds the record that another one continues: of several with that id the last before it, else the last.
    pub fn find_before(&self, entry: &EntryId, child: EventIdx) -> Option<EventIdx> {
        let all = self.by_entry.get(entry)?;
        all[..all.partition_point(|idx| *idx < child)].last().or(all.last()).copied()
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

    /// Returns the last name that the session was given, if any.
    pub fn title(&self) -> Option<&str> {
        self.events.iter().rev().find_map(|event| match &event.body {
            EventBody::Title(title) => Some(title.as_deref()),
            _ => None,
        })?
    }

    /// Returns the tips: records in the tree that no other continues, in file order.
    ///
    /// The last record in the tree is the tip of the branch that the session is on.
    pub fn tips(&self) -> Vec<EventIdx> {
        let mut continued = alloc::vec![false; self.events.len()];
        let mut previous: Option<EventIdx> = None;
        for (at, event) in self.events.iter().enumerate() {
            let parent = match &event.parent {
                Parent::Entry(entry) => self.find_before(entry, EventIdx::new(at)),
                Parent::Previous => previous,
                Parent::Root => None,
                Parent::Outside => continue,
            };
            if let Some(parent) = parent {
                continued[parent.at()] = true;
            }
            previous = Some(EventIdx::new(at));
        }
        (0..self.events.len())
            .filter(|&at| !continued[at] && self.events[at].parent != Parent::Outside)
            .map(EventIdx::new)
            .collect()
    }

    /// Returns the last record in the tree, the tip of the branch that the session is on.
    pub fn leaf(&self) -> Option<EventIdx> {
        self.events.iter().rposition(|event| event.parent != Parent::Outside).map(EventIdx::new)
    }
}
