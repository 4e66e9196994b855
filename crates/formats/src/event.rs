//! Events under construction: first a body with its texts, then its place in the log.

use cwl_engine::{
    Change, Content, EntryId, EventBody, Message, Parent, ParsedEvent, RawPayload, RewriteTarget,
    SessionEvent,
};

use crate::adapter::Batch;
use crate::blocks::ReadMessage;
use crate::json::Value;
use crate::payload::whole_payload;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RecordStamp {
    pub(crate) line: u64,
    /// Milliseconds since 1970.
    pub(crate) at_ms: Option<i64>,
    pub(crate) side: bool,
}

impl RecordStamp {
    pub(crate) fn line(line: u64) -> Self {
        Self { line, ..Self::default() }
    }
}

/// Messages from one record, with their blocks numbered consecutively.
#[derive(Default)]
pub(crate) struct InOneRecord {
    pub(crate) messages: Vec<Message>,
    pub(crate) contents: Vec<Content>,
    pub(crate) next: u32,
}

impl InOneRecord {
    pub(crate) fn push(&mut self, mut read: ReadMessage) {
        for block in &mut read.message.blocks {
            block.index = self.next;
            self.next = self.next.saturating_add(1);
        }
        self.messages.push(read.message);
        self.contents.extend(read.contents);
    }

    pub(crate) fn join(&mut self, read: ReadMessage) {
        self.push(read);
        if let [.., before, own] = &mut self.messages[..] {
            before.blocks.append(&mut own.blocks);
            self.messages.pop();
        }
    }
}

pub(crate) fn changes_of(entries: impl IntoIterator<Item = EntryId>, mut by: Vec<Message>) -> Vec<Change> {
    let target = |entry| Change { target: RewriteTarget::Entry(entry), replaced_by: std::mem::take(&mut by) };
    entries.into_iter().map(target).collect()
}

#[derive(Clone)]
pub(crate) struct EventDraft {
    pub(crate) body: EventBody,
    pub(crate) contents: Vec<Content>,
    pub(crate) envelope: RawPayload,
}

impl EventDraft {
    pub(crate) fn bare(body: EventBody) -> Self {
        Self { body, contents: Vec::new(), envelope: RawPayload::default() }
    }

    pub(crate) fn whole(body: EventBody, record: Value<'_>) -> Self {
        Self { envelope: whole_payload(record), ..Self::bare(body) }
    }

    pub(crate) fn message(read: ReadMessage, envelope: RawPayload) -> Self {
        Self { body: EventBody::Message(read.message), contents: read.contents, envelope }
    }

    pub(crate) fn opaque(name: impl Into<Box<str>>, record: Value<'_>) -> Self {
        Self::whole(EventBody::Opaque { record: name.into() }, record)
    }

    pub(crate) fn event(self, stamp: RecordStamp, entry: EntryId) -> ParsedEvent {
        let is_outside = matches!(
            self.body,
            EventBody::Header(_) | EventBody::Title(_) | EventBody::Quiet { .. } | EventBody::Opaque { .. }
        );
        let parent = if is_outside { Parent::Outside } else { Parent::Previous };
        self.below(stamp, entry, parent)
    }

    pub(crate) fn below(self, stamp: RecordStamp, entry: EntryId, parent: Parent) -> ParsedEvent {
        let Self { body, contents, envelope } = self;
        let RecordStamp { line, at_ms, side } = stamp;
        ParsedEvent { event: SessionEvent { line, entry, parent, at_ms, side, body }, contents, envelope }
    }
}

/// Moves events that were held back to the line at which they come out, so that the lines of a log's events never go back.
///
/// Looks at the events from `first` on. `last` is the line of the last event before; returns that of the last event now.
pub(crate) fn order_lines(out: &mut Batch, first: usize, last: u64) -> u64 {
    let events = out.events.get_mut(first..).unwrap_or_default();
    events.iter_mut().fold(last, |last, parsed| {
        parsed.event.line = parsed.event.line.max(last);
        parsed.event.line
    })
}
