//! A branch: the chain of records from a root to a tip.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::{EventIdx, EventLog, Parent, Place, Problem, ProblemKind};

/// Returns the records from the root to `leaf` (default: the log's own leaf), and reports what is odd
/// about the tree as a whole.
pub(crate) fn branch_of(
    log: &EventLog,
    leaf: Option<EventIdx>,
    problems: &mut Vec<Problem>,
) -> Vec<EventIdx> {
    let previous = previous_in_tree(log);
    report_odd_ids(log, problems);
    let mut path = Vec::new();
    let mut on_path = alloc::vec![false; log.events().len()];
    let mut next = leaf.or_else(|| log.leaf());
    while let Some(idx) = next {
        if core::mem::replace(&mut on_path[idx.at()], true) {
            let event = log.get(idx);
            let place = Place::entry(event.line, event.entry.clone());
            problems.push(Problem { place, kind: ProblemKind::ParentCycle });
            break;
        }
        path.push(idx);
        next = match &log.get(idx).parent {
            Parent::Entry(entry) => log.find_before(entry, idx),
            Parent::Previous => previous[idx.at()],
            Parent::Root | Parent::Outside => None,
        };
    }
    path.reverse();
    path
}

fn previous_in_tree(log: &EventLog) -> Vec<Option<EventIdx>> {
    let mut last = None;
    log.events()
        .iter()
        .enumerate()
        .map(|(at, event)| {
            let previous = last;
            if event.parent != Parent::Outside {
                last = Some(EventIdx::new(at));
            }
            previous
        })
        .collect()
}

fn report_odd_ids(log: &EventLog, problems: &mut Vec<Problem>) {
    let mut seen = BTreeSet::new();
    for event in log.events() {
        let place = || Place::entry(event.line, event.entry.clone());
        if event.parent != Parent::Outside && !seen.insert(&event.entry) {
            let kind = ProblemKind::EntryRepeated { entry: event.entry.clone() };
            problems.push(Problem { place: place(), kind });
        }
        if let Parent::Entry(parent) = &event.parent
            && log.find(parent).is_none()
        {
            let kind = ProblemKind::UnknownParent { parent: parent.clone() };
            problems.push(Problem { place: place(), kind });
        }
    }
}
