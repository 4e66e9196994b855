//! Bounds on the records and problems kept per log, so no list grows much larger than the log itself.

use cwl_engine::{EventBody, Parent, ParsedEvent, Place, Problem, ProblemKind, ProblemList, SessionEvent};

use crate::adapter::Batch;

const MAX_EVENTS: u64 = 2_000_000;
const MAX_UNKNOWN: u64 = 100;

/// The largest plausible number of tokens: a thousand times the cost of a long session, small enough for sums
/// over a whole log in `u64`.
pub(crate) const MOST_TOKENS: u64 = 1_000_000_000_000;
pub(crate) const MOST_DOLLARS: f64 = 1e9;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bounds {
    n_events: u64,
    n_unknown: u64,
    pub(crate) n_values: u64,
}

impl Bounds {
    pub(crate) fn count_record(&mut self, event: &SessionEvent) {
        self.n_events += 1;
        self.n_unknown += u64::from(is_unknown(event));
    }

    fn admit_record(&mut self, event: &SessionEvent) -> bool {
        let fits = self.n_events < MAX_EVENTS && !(is_unknown(event) && self.n_unknown >= MAX_UNKNOWN);
        if fits {
            self.count_record(event);
        }
        fits
    }
}

/// Unknown and outside the tree, so no record can be its child.
fn is_unknown(event: &SessionEvent) -> bool {
    event.parent == Parent::Outside && matches!(event.body, EventBody::Opaque { .. })
}

pub(crate) struct BoundedCollector<'b> {
    bounds: &'b mut Bounds,
    events: Vec<ParsedEvent>,
    problems: ProblemList,
}

impl<'b> BoundedCollector<'b> {
    pub(crate) fn new(bounds: &'b mut Bounds) -> Self {
        Self { bounds, events: Vec::new(), problems: ProblemList::default() }
    }

    pub(crate) fn take_record(&mut self, found: &mut Batch, n_values: u64) {
        self.bounds.n_values += n_values;
        for parsed in found.events.drain(..) {
            let event = &parsed.event;
            if self.bounds.admit_record(event) {
                self.events.push(parsed);
            } else if !is_unknown(event) {
                let place = Place::at_entry(event.line, event.entry.clone());
                self.problems.push(Problem { place, kind: ProblemKind::RecordBeyond });
            }
        }
        self.problems.extend(found.problems.drain(..));
    }

    pub(crate) fn into_batch(self) -> Batch {
        Batch { events: self.events, problems: self.problems.into_problems() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{EventDraft, RecordStamp};
    use cwl_engine::EntryId;

    #[test]
    fn records_beyond_the_most_are_told() {
        let mut bounds = Bounds { n_events: MAX_EVENTS - 1, ..Bounds::default() };
        let mut gathered = BoundedCollector::new(&mut bounds);
        for line in 1..=3 {
            let draft = EventDraft::bare(EventBody::Title(None));
            let event = draft.event(RecordStamp::line(line), EntryId::of_line(line));
            gathered.take_record(&mut Batch { events: vec![event], problems: Vec::new() }, 1);
        }
        let Batch { events, problems } = gathered.into_batch();
        let told: Vec<_> = problems.iter().map(|one| (one.kind.code(), one.place.line)).collect();
        assert_eq!((events.len(), told), (1, vec![("L031", Some(2)), ("L031", Some(3))]));
    }
}
