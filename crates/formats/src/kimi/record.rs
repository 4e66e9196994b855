use cwl_engine::{Change, EntryId, EventBody, ReplacementCause, Rewrite};

use crate::adapter::Batch;
use crate::event::{EventDraft, RecordStamp};
use crate::json::Value;
use crate::notes::Notes;

pub(super) struct KimiRecord<'v> {
    pub(super) value: Value<'v>,
    pub(super) kind: String,
    pub(super) stamp: RecordStamp,
    pub(super) entry: EntryId,
}

impl KimiRecord<'_> {
    pub(super) fn push(&self, draft: EventDraft, out: &mut Batch) {
        out.events.push(draft.event(self.stamp, self.entry.clone()));
    }

    pub(super) fn push_named(&self, name: &str, draft: EventDraft, out: &mut Batch) {
        out.events.push(draft.event(self.stamp, EntryId::new(format!("{}/{name}", self.entry))));
    }

    pub(super) fn quiet(&self) -> EventDraft {
        EventDraft::whole(EventBody::Quiet { record: self.kind.as_str().into() }, self.value)
    }

    pub(super) fn notes<'p>(&self, out: &'p mut Batch) -> Notes<'p> {
        Notes::new(self.stamp.line, self.entry.clone(), &mut out.problems)
    }

    pub(super) fn rewrite(&self, cause: ReplacementCause, changes: Vec<Change>) -> EventDraft {
        EventDraft::whole(EventBody::Rewrite(Rewrite { cause, changes }), self.value)
    }
}
