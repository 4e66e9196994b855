//! One message of a document or a request, before it becomes an event.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, EntryId, EventBody, Message, Parent, ParsedEvent, Problem, RawPayload, Role,
    ToolCallId,
};

use crate::adapter::{Batch, RecordPlace};
use crate::blocks::{Blocks, ReadMessage, hash_block, plain_message};
use crate::content::check_content;
use crate::event::{EventDraft, RecordStamp};
use crate::json::Value;
use crate::notes::Notes;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemSlot {
    Tools,
    System,
    Message,
}

pub(crate) struct Item {
    pub(crate) line: u64,
    pub(crate) entry: EntryId,
    pub(crate) slot: ItemSlot,
    pub(crate) read: ReadMessage,
    pub(crate) envelope: RawPayload,
    pub(crate) problems: Vec<Problem>,
    pub(crate) at_ms: Option<i64>,
}

impl Item {
    /// Returns a hash of the content, the same for equal content whatever its bytes, place and author.
    ///
    /// Ignores `cache_control` and ids that the log does not give.
    pub(crate) fn content_key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let message = &self.read.message;
        (self.slot as u8, message.role).hash(&mut hasher);
        for (block, content) in message.blocks.iter().zip(&self.read.contents) {
            hash_block(block, content, &mut hasher);
        }
        hasher.finish()
    }

    pub(crate) fn is_model(&self) -> bool {
        self.read.message.author == Author::Model
    }

    /// An id is empty if the log gives none.
    pub(crate) fn call_ids(&self) -> impl Iterator<Item = &ToolCallId> {
        self.read.message.blocks.iter().filter_map(|block| match &block.kind {
            BlockKind::Call(call) => Some(&call.id),
            _ => None,
        })
    }

    pub(crate) fn answered_call(&self) -> Option<&ToolCallId> {
        self.read.message.blocks.iter().find_map(|block| match &block.kind {
            BlockKind::Result(result) if self.read.message.role == Role::Tool => Some(&result.call),
            _ => None,
        })
    }

    pub(crate) fn of_reply(mut self, reply: Option<Arc<str>>) -> Self {
        self.read.message.reply = reply.filter(|_| self.is_model());
        self
    }

    pub(crate) fn push_record(self, parent: Parent, side: bool, out: &mut Batch) {
        out.problems.extend(self.problems);
        let stamp = RecordStamp { line: self.line, at_ms: self.at_ms, side };
        out.events.push(EventDraft::message(self.read, self.envelope).below(stamp, self.entry, parent));
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Scribe {
    pub(crate) line: u64,
    pub(crate) record: EntryId,
}

impl Scribe {
    pub(crate) fn new(at: RecordPlace) -> Self {
        Self { line: at.line, record: at.entry() }
    }

    pub(crate) fn on_line(&self, line: u64) -> Self {
        Self { line, record: self.record.clone() }
    }

    pub(crate) fn entry_at(&self, place: impl std::fmt::Display) -> EntryId {
        EntryId::new(format!("{}/{place}", self.record))
    }

    pub(crate) fn reply_at(&self, place: impl std::fmt::Display) -> Arc<str> {
        format!("{}/{place}", self.record).into()
    }

    pub(crate) fn make_item(
        &self,
        place: impl std::fmt::Display,
        first: u32,
        build: impl FnOnce(&mut Blocks<'_, '_>) -> Message,
    ) -> Item {
        let entry = self.entry_at(place);
        let mut problems = Vec::new();
        let mut notes = Notes::new(self.line, entry.clone(), &mut problems);
        let mut blocks = Blocks::new(first, &mut notes);
        let frame = build(&mut blocks);
        let read = blocks.into_message(frame);
        let (slot, envelope) = (ItemSlot::Message, RawPayload::default());
        Item { line: self.line, entry, slot, read, envelope, problems, at_ms: None }
    }

    pub(crate) fn system_item(
        &self,
        place: &str,
        slot: ItemSlot,
        build: impl FnOnce(&mut Blocks<'_, '_>),
    ) -> Item {
        let item = self.make_item(place, 0, |blocks| {
            build(blocks);
            plain_message(Role::System, Author::Harness)
        });
        Item { slot, ..item }
    }

    pub(crate) fn make_event(&self, place: &str, body: EventBody, envelope: RawPayload) -> ParsedEvent {
        let draft = EventDraft { envelope, ..EventDraft::bare(body) };
        draft.event(RecordStamp::line(self.line), self.entry_at(place))
    }

    pub(crate) fn check_content(
        &self,
        place: &str,
        content: Option<Value<'_>>,
        field: &str,
        problems: &mut Vec<Problem>,
    ) {
        if content.is_some() {
            check_content(content, field, &mut self.begin_notes(place, problems));
        }
    }

    pub(crate) fn begin_notes<'p>(
        &self,
        place: impl std::fmt::Display,
        problems: &'p mut Vec<Problem>,
    ) -> Notes<'p> {
        Notes::new(self.line, self.entry_at(place), problems)
    }
}
