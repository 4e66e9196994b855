//! Events as adapters make them: a body with its texts, then its place in the log.

use cwl_engine::{
    Change, Content, EntryId, EventBody, Message, Parent, ParsedEvent, RawPayload, RewriteTarget,
    SessionEvent,
};

use crate::blocks::ReadMessage;
use crate::json::Value;
use crate::payload::whole_payload;

/// The data that all events of one record share.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RecordStamp {
    /// The record's line, from 1.
    pub(crate) line: u64,
    /// The time in milliseconds since 1970.
    pub(crate) at_ms: Option<i64>,
    /// True inside a side conversation.
    pub(crate) side: bool,
}

impl RecordStamp {
    /// Makes the stamp of a record without a time, in the main conversation.
    pub(crate) fn line(line: u64) -> Self {
        Self { line, ..Self::default() }
    }
}

/// Messages that stand in one record, so their blocks are numbered on.
#[derive(Default)]
pub(crate) struct InOneRecord {
    pub(crate) messages: Vec<Message>,
    pub(crate) contents: Vec<Content>,
    /// The number of the next block.
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

    /// Adds the blocks of a message to the one before, if there is one.
    pub(crate) fn join(&mut self, read: ReadMessage) {
        self.push(read);
        if let [.., before, own] = &mut self.messages[..] {
            before.blocks.append(&mut own.blocks);
            self.messages.pop();
        }
    }
}

/// Makes the changes of a rewrite by which messages stand in place of some records: in that of the first.
pub(crate) fn changes_of(entries: impl IntoIterator<Item = EntryId>, mut by: Vec<Message>) -> Vec<Change> {
    let target = |entry| Change { target: RewriteTarget::Entry(entry), replaced_by: std::mem::take(&mut by) };
    entries.into_iter().map(target).collect()
}

/// The body of an event with its texts, before the event has an id and a parent.
#[derive(Clone)]
pub(crate) struct EventDraft {
    pub(crate) body: EventBody,
    pub(crate) contents: Vec<Content>,
    pub(crate) envelope: RawPayload,
}

impl EventDraft {
    /// Begins an event that holds nothing of its record's bytes.
    pub(crate) fn bare(body: EventBody) -> Self {
        Self { body, contents: Vec::new(), envelope: RawPayload::default() }
    }

    pub(crate) fn whole(body: EventBody, record: Value<'_>) -> Self {
        Self { envelope: whole_payload(record), ..Self::bare(body) }
    }

    pub(crate) fn message(read: ReadMessage, envelope: RawPayload) -> Self {
        Self { body: EventBody::Message(read.message), contents: read.contents, envelope }
    }

    /// Begins the event of a record no adapter knows.
    pub(crate) fn opaque(name: impl Into<Box<str>>, record: Value<'_>) -> Self {
        Self::whole(EventBody::Opaque { record: name.into() }, record)
    }

    /// Ends the event. Messages, and all that changes the history, come behind the event before; the rest stands outside.
    pub(crate) fn event(self, stamp: RecordStamp, entry: EntryId) -> ParsedEvent {
        let is_outside = matches!(
            self.body,
            EventBody::Header(_) | EventBody::Title(_) | EventBody::Quiet { .. } | EventBody::Opaque { .. }
        );
        let parent = if is_outside { Parent::Outside } else { Parent::Previous };
        self.below(stamp, entry, parent)
    }

    /// Ends the event at a place of the tree.
    pub(crate) fn below(self, stamp: RecordStamp, entry: EntryId, parent: Parent) -> ParsedEvent {
        let Self { body, contents, envelope } = self;
        let RecordStamp { line, at_ms, side } = stamp;
        ParsedEvent { event: SessionEvent { line, entry, parent, at_ms, side, body }, contents, envelope }
    }
}
