//! The reader thread's tasks: each only once, in turn.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use tokio::time::Instant;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum QueueTask {
    Check(PathBuf),
    Root(usize),
    Scan(PathBuf),
    Look(PathBuf),
}

/// Tasks that are due, in turn, and tasks for later.
///
/// A file with more to read goes to the back of the queue, so a large file does not delay the others.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    due: VecDeque<QueueTask>,
    queued: BTreeSet<QueueTask>,
    later: BTreeMap<QueueTask, Instant>,
    times: BTreeSet<(Instant, QueueTask)>,
}

impl Queue {
    pub(crate) fn push_back(&mut self, work: QueueTask) {
        if self.queued.insert(work.clone()) {
            self.due.push_back(work);
        }
    }

    pub(crate) fn push_at(&mut self, work: QueueTask, at: Instant) {
        if let Some(before) = self.later.insert(work.clone(), at) {
            self.times.remove(&(before, work.clone()));
        }
        self.times.insert((at, work));
    }

    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<QueueTask> {
        while self.times.first().is_some_and(|(at, _)| *at <= now) {
            if let Some((_, work)) = self.times.pop_first() {
                self.later.remove(&work);
                self.push_back(work);
            }
        }
        let work = self.due.pop_front()?;
        self.queued.remove(&work);
        Some(work)
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.times.first().map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn work_waits_once_and_in_turn() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        for number in [1, 2, 1, 3] {
            queue.push_back(QueueTask::Root(number));
        }
        let order = std::iter::from_fn(|| queue.pop_due(now)).collect::<Vec<_>>();
        assert_eq!(order, [QueueTask::Root(1), QueueTask::Root(2), QueueTask::Root(3)]);
        queue.push_back(QueueTask::Root(1));
        assert_eq!(queue.pop_due(now), Some(QueueTask::Root(1)), "what was taken can wait again");
    }

    #[test]
    fn later_work_comes_when_it_is_due() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let soon = now + Duration::from_millis(5);
        queue.push_at(QueueTask::Root(1), soon);
        assert_eq!((queue.pop_due(now), queue.next_at()), (None, Some(soon)));
        assert_eq!(queue.pop_due(soon), Some(QueueTask::Root(1)));
        assert_eq!((queue.pop_due(soon), queue.next_at()), (None, None));
        queue.push_at(QueueTask::Root(1), now);
        queue.push_at(QueueTask::Root(1), soon);
        assert_eq!((queue.pop_due(now), queue.next_at()), (None, Some(soon)), "the last order counts");
    }
}
