use cwl_engine::{EntryId, EventBody, ParsedEvent, Problem};

use crate::adapter::RecordPlace;
use crate::event::{EventDraft, RecordStamp};
use crate::json::Value;
use crate::notes::Notes;

pub(super) struct CopilotRow<'v> {
    pub(super) value: Value<'v>,
    /// The member `data`: everything except id, type and time.
    pub(super) data: Value<'v>,
    pub(super) kind: String,
    pub(super) at: RecordPlace,
    pub(super) entry: EntryId,
    pub(super) at_ms: Option<i64>,
}

impl CopilotRow<'_> {
    pub(super) fn event(&self, draft: EventDraft) -> ParsedEvent {
        self.named("", draft)
    }

    pub(super) fn named(&self, name: &str, draft: EventDraft) -> ParsedEvent {
        let entry = match name {
            "" => self.entry.clone(),
            name => EntryId::new(format!("{}/{name}", self.entry)),
        };
        draft.event(RecordStamp { line: self.at.line, at_ms: self.at_ms, side: false }, entry)
    }

    pub(super) fn quiet(&self) -> EventDraft {
        EventDraft::whole(EventBody::Quiet { record: self.kind.as_str().into() }, self.value)
    }

    pub(super) fn notes<'p>(&self, problems: &'p mut Vec<Problem>) -> Notes<'p> {
        Notes::new(self.at.line, self.entry.clone(), problems)
    }
}
