//! The blocks of a message as an adapter collects them.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, Content, ContentBlock, Holds, Message, MessageForm, RawPayload, ReplyOutcome, Role,
    ToolCall, ToolCallId, ToolClass,
};

use crate::call::read_call;
use crate::json::{Value, is_json, js_json};
use crate::mark::mark_of_arguments;
use crate::notes::Notes;
use crate::tools::default_class;
use crate::words::words_in;

/// The most blocks a message may have; the rest of a hostile record is left out.
pub(crate) const MAX_PARTS: u32 = 1 << 16;

/// A message and the contents of its blocks, one per block.
#[derive(Clone)]
pub(crate) struct ReadMessage {
    pub(crate) message: Message,
    pub(crate) contents: Vec<Content>,
}

impl ReadMessage {
    pub(crate) fn append_message(&mut self, other: Self) {
        self.message.blocks.extend(other.message.blocks);
        self.contents.extend(other.contents);
    }
}

/// Hashes all that the model sees of `block`; versions of a block that say the same have the same hash.
///
/// Marks that clients move about (`cache_control`) say nothing.
pub(crate) fn hash_block(block: &ContentBlock, content: &Content, hasher: &mut impl Hasher) {
    block.kind.name().hash(hasher);
    block.images.hash(hasher);
    content.text.hash(hasher);
    match &block.kind {
        BlockKind::Call(call) => call.id.as_str().hash(hasher),
        BlockKind::Result(result) => (result.call.as_str(), result.ok).hash(hasher),
        BlockKind::Text => {}
        BlockKind::Reasoning if !content.text.is_empty() => {}
        // A part without a text is told by its members.
        BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {
            let (RawPayload::Whole(raw) | RawPayload::Around { before: raw, .. }) = &content.raw;
            let members = Value::trusted(raw, 0).members();
            let told = members.filter(|(key, _)| key.string_body() != Some("cache_control"));
            told.for_each(|(key, value)| (key.raw(), value.raw()).hash(hasher));
        }
    }
}

/// Begins an ordinary message of that role and author, without blocks.
pub(crate) fn plain_message(role: Role, author: Author) -> Message {
    formed_message(role, author, MessageForm::Plain)
}

/// Begins a message of that form, without blocks.
pub(crate) fn formed_message(role: Role, author: Author, form: MessageForm) -> Message {
    let outcome = ReplyOutcome::Complete;
    Message { role, author, form, blocks: Vec::new(), model: None, usage: None, outcome, reply: None }
}

/// The blocks of one message as they are read, and the notes of its record.
pub(crate) struct Blocks<'n, 'p> {
    /// The index the next block gets.
    pub(crate) next: u32,
    blocks: Vec<ContentBlock>,
    contents: Vec<Content>,
    pub(crate) notes: &'n mut Notes<'p>,
    /// True if a result keeps the JSON of its whole part, false if it keeps that of its content alone.
    pub(crate) keeps_parts: bool,
}

impl<'n, 'p> Blocks<'n, 'p> {
    /// Begins a message whose blocks are counted from `first`.
    pub(crate) fn new(first: u32, notes: &'n mut Notes<'p>) -> Self {
        Self { next: first, blocks: Vec::new(), contents: Vec::new(), notes, keeps_parts: false }
    }

    /// Ends the message that `frame` begins: its blocks are these.
    pub(crate) fn into_message(mut self, frame: Message) -> ReadMessage {
        // A log is kept as it was read, and most messages have few blocks.
        self.blocks.shrink_to_fit();
        self.contents.shrink_to_fit();
        ReadMessage { message: Message { blocks: self.blocks, ..frame }, contents: self.contents }
    }

    /// Returns how many blocks there are.
    pub(crate) fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Adds a block.
    pub(crate) fn push(&mut self, kind: BlockKind, text: String, raw: RawPayload) {
        self.push_with_images(kind, 0, text, raw);
    }

    pub(crate) fn push_with_images(&mut self, kind: BlockKind, images: u32, text: String, raw: RawPayload) {
        if self.blocks.is_empty() {
            // Most messages have one: a vector that grows by itself begins with room for four.
            self.blocks.reserve_exact(1);
            self.contents.reserve_exact(1);
        }
        let holds = match &kind {
            BlockKind::Result(result) => words_in(&text, result.ok),
            _ => Holds::Nothing,
        };
        self.blocks.push(ContentBlock { index: self.next, kind, images, holds });
        self.contents.push(Content { text, raw });
        self.next = self.next.saturating_add(1);
    }

    /// Notes that the block that stands last is reasoning which Anthropic has signed.
    pub(crate) fn sign(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.holds = Holds::Signature;
        }
    }

    /// Notes that no reasoning of this message is signed by Anthropic, as another made it.
    pub(crate) fn unsign(&mut self) {
        for block in self.blocks.iter_mut().filter(|block| block.holds == Holds::Signature) {
            block.holds = Holds::Nothing;
        }
    }

    pub(crate) fn add_image(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.images = block.images.saturating_add(1);
        }
    }
}

/// Makes a call and the text it counts as: its name, and its arguments as compact JSON.
pub(crate) fn call_of(id: ToolCallId, name: &str, arguments: Option<Value<'_>>) -> (ToolCall, String) {
    let mut text = name.to_owned();
    let (mut program, mut mark) = (None, None);
    let class = default_class(name);
    if let Some(arguments) = arguments {
        text.push_str(&js_json(arguments.raw()));
        // A tool the table does not know may be a shell in a user's own table.
        if matches!(class, ToolClass::Shell | ToolClass::Other) {
            program = read_call(name, &text).first_program().map(Arc::from);
        }
    }
    if class == ToolClass::Delimiter {
        mark = Some(mark_of_arguments(arguments.unwrap_or_default()));
    }
    (ToolCall { id, name: name.into(), program, mark }, text)
}

/// Makes a call whose arguments are the text of a JSON string: JSON as a rule, else they count as they stand.
pub(crate) fn call_of_text(id: ToolCallId, name: &str, arguments: &str) -> (ToolCall, String) {
    if is_json(arguments) {
        return call_of(id, name, Some(Value::trusted(arguments, 0)));
    }
    call_of_free_text(id, name, arguments)
}

/// Makes a call whose input is text of the tool's own, and no JSON even where it looks like it.
pub(crate) fn call_of_free_text(id: ToolCallId, name: &str, input: &str) -> (ToolCall, String) {
    let (call, mut text) = call_of(id, name, None);
    text.push_str(input);
    (call, text)
}
