//! Changed paths and orders that wait for the reader thread.
//!
//! The watcher's callback only adds to a set and wakes the thread, so the kernel's queue is drained even
//! while the receiver is slow; a thousand appends to a log are a single entry.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use notify::event::{ModifyKind, RenameMode};
use notify::{Event, EventKind};
use tokio::sync::Notify;

use crate::cursor::Cursor;
use crate::wanted::LogFolder;

/// Maximum number of remembered paths; beyond it, everything is looked at.
const MAX_PATHS: usize = 16_384;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Touch {
    /// Bytes or metadata may have changed.
    Content,
    /// The name may lead elsewhere: created, removed, renamed.
    Name,
}

#[derive(Debug)]
pub(crate) enum Order {
    Follow(PathBuf, Option<Cursor>),
    Unfollow(PathBuf),
    Watch(LogFolder),
    Walk,
}

#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) orders: Vec<Order>,
    pub(crate) touched: BTreeMap<PathBuf, Touch>,
    pub(crate) renamed: BTreeMap<PathBuf, PathBuf>,
    /// True if events were lost, so everything must be looked at.
    pub(crate) lost: bool,
    pub(crate) stopped: bool,
}

impl Pending {
    fn note_event(&mut self, event: notify::Result<Event>) -> bool {
        let event = match event {
            Ok(event) if !event.need_rescan() => event,
            Ok(_) | Err(_) => {
                self.lost = true;
                return true;
            }
        };
        let touch = match event.kind {
            // Reading a log causes these events itself; answering them would never end.
            EventKind::Access(_) => return false,
            EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => Touch::Content,
            EventKind::Modify(ModifyKind::Name(_) | ModifyKind::Any | ModifyKind::Other)
            | EventKind::Any
            | EventKind::Create(_)
            | EventKind::Remove(_)
            | EventKind::Other => Touch::Name,
        };
        if let (EventKind::Modify(ModifyKind::Name(RenameMode::Both)), [from, to]) =
            (event.kind, event.paths.as_slice())
        {
            self.renamed.insert(from.clone(), to.clone());
        }
        for path in event.paths {
            let known = self.touched.entry(path).or_insert(touch);
            *known = (*known).max(touch);
        }
        if self.touched.len() > MAX_PATHS || self.renamed.len() > MAX_PATHS {
            self.touched.clear();
            self.renamed.clear();
            self.lost = true;
        }
        true
    }
}

#[derive(Debug, Default)]
pub(crate) struct ReaderInbox {
    pending: Mutex<Pending>,
    pub(crate) ring: Notify,
    /// Stops the thread even while it waits for the receiver.
    pub(crate) stop: Notify,
}

impl ReaderInbox {
    pub(crate) fn leave_event(&self, event: notify::Result<Event>) {
        if self.lock_pending().note_event(event) {
            self.ring.notify_one();
        }
    }

    pub(crate) fn leave_order(&self, order: Order) {
        let mut pending = self.lock_pending();
        if !pending.stopped {
            pending.orders.push(order);
            self.ring.notify_one();
        }
    }

    pub(crate) fn request_stop(&self) {
        self.lock_pending().stopped = true;
        self.stop.notify_one();
        self.ring.notify_one();
    }

    pub(crate) fn take_pending(&self) -> Pending {
        let mut pending = self.lock_pending();
        let stopped = pending.stopped;
        std::mem::replace(&mut *pending, Pending { stopped, ..Pending::default() })
    }

    fn lock_pending(&self) -> MutexGuard<'_, Pending> {
        // Every change under the lock is complete, so a panic in another thread leaves a valid state.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use notify::event::{AccessKind, CreateKind, DataChange, Flag, MetadataKind, RemoveKind};

    fn event(kind: EventKind, paths: &[&str]) -> notify::Result<Event> {
        Ok(paths.iter().fold(Event::new(kind), |event, path| event.add_path(path.into())))
    }

    fn check(kind: EventKind, expected: Option<Touch>) {
        let mut pending = Pending::default();
        let rings = pending.note_event(event(kind, &["/a"]));
        assert_eq!(pending.touched.get(&PathBuf::from("/a")).copied(), expected, "{kind:?}");
        assert_eq!(rings, expected.is_some(), "the reader is woken only for {kind:?} that says something");
        assert!(!pending.lost);
    }

    #[test]
    fn events_say_what_to_look_at() {
        let name = |mode| EventKind::Modify(ModifyKind::Name(mode));
        check(EventKind::Access(AccessKind::Any), None);
        check(EventKind::Modify(ModifyKind::Data(DataChange::Any)), Some(Touch::Content));
        check(EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)), Some(Touch::Content));
        check(EventKind::Create(CreateKind::File), Some(Touch::Name));
        check(EventKind::Remove(RemoveKind::Any), Some(Touch::Name));
        check(name(RenameMode::From), Some(Touch::Name));
        check(name(RenameMode::To), Some(Touch::Name));
        check(EventKind::Any, Some(Touch::Name));
    }

    #[test]
    fn a_name_outweighs_content_and_repeats_are_one() {
        let mut pending = Pending::default();
        let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        for kind in [data, EventKind::Create(CreateKind::File), data, data] {
            pending.note_event(event(kind, &["/a"]));
        }
        assert_eq!(pending.touched, BTreeMap::from([("/a".into(), Touch::Name)]));
    }

    #[test]
    fn both_ends_of_a_rename_are_kept() {
        let mut pending = Pending::default();
        pending.note_event(event(EventKind::Modify(ModifyKind::Name(RenameMode::Both)), &["/a", "/b"]));
        assert_eq!(pending.renamed, BTreeMap::from([("/a".into(), "/b".into())]));
        assert_eq!(pending.touched.len(), 2);
    }

    #[test]
    fn lost_events_are_remembered_and_memory_is_bounded() {
        let mut overflow = Pending::default();
        assert!(overflow.note_event(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan))));
        assert!(overflow.lost);
        let mut failed = Pending::default();
        assert!(failed.note_event(Err(notify::Error::generic("queue"))));
        assert!(failed.lost);
        let mut flooded = Pending::default();
        for n in 0..=MAX_PATHS {
            flooded.note_event(event(EventKind::Create(CreateKind::File), &[&format!("/{n}")]));
        }
        assert!(flooded.lost, "too many paths mean: look at everything");
        assert!(flooded.touched.is_empty());
    }

    #[test]
    fn what_is_taken_is_gone_but_a_stop_stays() {
        let bell = ReaderInbox::default();
        bell.leave_order(Order::Walk);
        assert_eq!(bell.take_pending().orders.len(), 1);
        assert!(bell.take_pending().orders.is_empty());
        bell.request_stop();
        assert!(bell.take_pending().stopped);
        assert!(bell.take_pending().stopped, "stopping is for good");
        bell.leave_order(Order::Walk);
        assert!(bell.take_pending().orders.is_empty(), "nobody is there to take it");
    }
}
