//! One message of a document or a request, before it is an event.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, Content, EntryId, EventBody, MessageForm, Parent, ParsedEvent, Problem, RawPayload,
    Role, SessionEvent, ToolCallId,
};

use crate::blocks::{Blocks, Frame, ReadMessage};
use crate::format::At;
use crate::json::Value;
use crate::notes::Notes;
use crate::reader::Batch;

/// Where an item stands in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The tools' definitions.
    Tools,
    /// The system prompt beside the messages.
    System,
    /// A message, or one item of a list of them.
    Message,
}

/// A message with its texts, its place and what is odd about it.
pub(crate) struct Item {
    pub(crate) entry: EntryId,
    pub(crate) slot: Slot,
    pub(crate) read: ReadMessage,
    pub(crate) envelope: RawPayload,
    pub(crate) problems: Vec<Problem>,
    pub(crate) at_ms: Option<i64>,
}

impl Item {
    /// Returns a number that is the same for what says the same, whatever its bytes, its place and its author.
    ///
    /// Marks that clients move about (`cache_control`) say nothing, and neither do ids that the log does not
    /// give.
    pub(crate) fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let message = &self.read.message;
        (self.slot as u8, message.role).hash(&mut hasher);
        for (block, content) in message.blocks.iter().zip(&self.read.contents) {
            block.kind.name().hash(&mut hasher);
            block.images.hash(&mut hasher);
            content.text.hash(&mut hasher);
            match &block.kind {
                BlockKind::Call(call) => call.id.as_str().hash(&mut hasher),
                BlockKind::Result(result) => (result.call.as_str(), result.ok).hash(&mut hasher),
                BlockKind::Image | BlockKind::Opaque => hash_part(content, &mut hasher),
                BlockKind::Reasoning if content.text.is_empty() => hash_part(content, &mut hasher),
                BlockKind::Text | BlockKind::Reasoning => {}
            }
        }
        hasher.finish()
    }

    /// Tells whether the model wrote it.
    pub(crate) fn is_model(&self) -> bool {
        self.read.message.author == Author::Model
    }

    /// Returns the ids of its calls in order; empty where the log gives none.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &ToolCallId> {
        self.read.message.blocks.iter().filter_map(|block| match &block.kind {
            BlockKind::Call(call) => Some(&call.id),
            _ => None,
        })
    }

    /// Returns the call that it answers, where it is a result.
    pub(crate) fn answers(&self) -> Option<&ToolCallId> {
        self.read.message.blocks.iter().find_map(|block| match &block.kind {
            BlockKind::Result(result) if self.read.message.role == Role::Tool => Some(&result.call),
            _ => None,
        })
    }

    /// Adds it as a record that follows the one before.
    pub(crate) fn push(self, line: u64, parent: Parent, side: bool, out: &mut Batch) {
        out.problems.extend(self.problems);
        let body = EventBody::Message(self.read.message);
        let event = SessionEvent { line, entry: self.entry, parent, at_ms: self.at_ms, side, body };
        out.events.push(ParsedEvent { event, contents: self.read.contents, envelope: self.envelope });
    }
}

/// Hashes the members of a part that has no text of its own.
fn hash_part(content: &Content, hasher: &mut DefaultHasher) {
    let (RawPayload::Whole(raw) | RawPayload::Around { before: raw, .. }) = &content.raw;
    for (key, value) in Value::trusted(raw, 0).members() {
        if key.string_body() != Some("cache_control") {
            (key.raw(), value.raw()).hash(hasher);
        }
    }
}

/// Makes the items of one record, with ids below its own.
#[derive(Debug, Clone)]
pub(crate) struct Scribe {
    pub(crate) line: u64,
    /// The record's own id.
    pub(crate) record: EntryId,
}

impl Scribe {
    pub(crate) fn new(at: At) -> Self {
        Self { line: at.line, record: at.entry() }
    }

    /// Returns the id of something inside of the record.
    pub(crate) fn entry(&self, place: impl std::fmt::Display) -> EntryId {
        EntryId::new(format!("{}/{place}", self.record))
    }

    /// Returns what joins the parts of the reply at a place.
    pub(crate) fn reply(&self, place: impl std::fmt::Display) -> Arc<str> {
        format!("{}/{place}", self.record).into()
    }

    /// Makes an item whose blocks are counted from `first`.
    pub(crate) fn item(
        &self,
        place: impl std::fmt::Display,
        first: u32,
        build: impl FnOnce(&mut Blocks<'_, '_>) -> Frame,
    ) -> Item {
        let entry = self.entry(place);
        let mut problems = Vec::new();
        let mut notes = Notes::new(self.line, entry.clone(), &mut problems);
        let mut blocks = Blocks::new(first, &mut notes);
        let frame = build(&mut blocks);
        let read = blocks.into_message(frame);
        Item { entry, slot: Slot::Message, read, envelope: RawPayload::default(), problems, at_ms: None }
    }

    /// Makes an item of the system's role: a prompt, or the definitions of tools.
    pub(crate) fn system(&self, place: &str, slot: Slot, build: impl FnOnce(&mut Blocks<'_, '_>)) -> Item {
        let item = self.item(place, 0, |blocks| {
            build(blocks);
            Frame::new(Role::System, Author::Harness, MessageForm::Plain)
        });
        Item { slot, ..item }
    }

    /// Makes a record that is no message: it stands outside of the history.
    pub(crate) fn outside(&self, place: &str, body: EventBody, envelope: RawPayload) -> ParsedEvent {
        let event = SessionEvent {
            line: self.line,
            entry: self.entry(place),
            parent: Parent::Outside,
            at_ms: None,
            side: false,
            body,
        };
        ParsedEvent { event, contents: Vec::new(), envelope }
    }

    /// Begins the notes of something inside of the record.
    pub(crate) fn notes<'p>(
        &self,
        place: impl std::fmt::Display,
        problems: &'p mut Vec<Problem>,
    ) -> Notes<'p> {
        Notes::new(self.line, self.entry(place), problems)
    }
}
