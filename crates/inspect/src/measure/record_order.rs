//! The records of a log in the order of their branches.

use cwl_engine::{EventIdx, EventLog, Parent};

/// For each record, the index of its predecessor, which is always smaller.
pub(crate) fn previous_records(log: &EventLog) -> Vec<Option<usize>> {
    let mut parents = Vec::with_capacity(log.events().len());
    let mut previous = None;
    for (at, event) in log.events().iter().enumerate() {
        let parent = match &event.parent {
            // A parent that does not come earlier closes a circle, which is cut here.
            Parent::Entry(entry) | Parent::Woven(entry) => {
                log.find_before(entry, EventIdx::new(at)).map(EventIdx::at).filter(|p| *p < at)
            }
            Parent::Previous => previous,
            Parent::Root | Parent::Outside => None,
        };
        if event.parent != Parent::Outside {
            previous = Some(at);
        }
        parents.push(parent);
    }
    parents
}
