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
use crate::payload::whole_payload;
use crate::tools::default_class;
use crate::words::words_in;

/// The rest of a hostile message is dropped.
pub(crate) const MAX_PARTS: u32 = 1 << 16;

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

/// Hashes everything in `block` the model sees, so two versions with the same content have equal hashes.
///
/// Skips `cache_control`, because clients move these markers from block to block.
pub(crate) fn hash_block(block: &ContentBlock, content: &Content, hasher: &mut impl Hasher) {
    block.kind.name().hash(hasher);
    block.images.hash(hasher);
    content.text.hash(hasher);
    match &block.kind {
        BlockKind::Call(call) => call.id.as_str().hash(hasher),
        BlockKind::Result(result) => (result.call.as_str(), result.ok).hash(hasher),
        BlockKind::Text => {}
        BlockKind::Reasoning if !content.text.is_empty() => {}
        // A part without text is hashed by its JSON members.
        BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {
            let (RawPayload::Whole(raw) | RawPayload::Around { before: raw, .. }) = &content.raw;
            let members = Value::trusted(raw, 0).members();
            let told = members.filter(|(key, _)| key.string_body() != Some("cache_control"));
            told.for_each(|(key, value)| (key.raw(), value.raw()).hash(hasher));
        }
    }
}

pub(crate) fn plain_message(role: Role, author: Author) -> Message {
    formed_message(role, author, MessageForm::Plain)
}

pub(crate) fn formed_message(role: Role, author: Author, form: MessageForm) -> Message {
    let outcome = ReplyOutcome::Complete;
    Message { role, author, form, blocks: Vec::new(), model: None, usage: None, outcome, reply: None }
}

pub(crate) struct Blocks<'n, 'p> {
    pub(crate) next: u32,
    blocks: Vec<ContentBlock>,
    contents: Vec<Content>,
    pub(crate) notes: &'n mut Notes<'p>,
    /// True if a result keeps the JSON of its whole part, false if it keeps only the JSON of its content.
    pub(crate) keeps_parts: bool,
}

impl<'n, 'p> Blocks<'n, 'p> {
    pub(crate) fn new(first: u32, notes: &'n mut Notes<'p>) -> Self {
        Self { next: first, blocks: Vec::new(), contents: Vec::new(), notes, keeps_parts: false }
    }

    pub(crate) fn into_message(mut self, frame: Message) -> ReadMessage {
        // Logs stay in memory and most messages have few blocks.
        self.blocks.shrink_to_fit();
        self.contents.shrink_to_fit();
        ReadMessage { message: Message { blocks: self.blocks, ..frame }, contents: self.contents }
    }

    pub(crate) fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn push(&mut self, kind: BlockKind, text: String, raw: RawPayload) {
        self.push_with_images(kind, 0, text, raw);
    }

    pub(crate) fn push_with_images(&mut self, kind: BlockKind, images: u32, text: String, raw: RawPayload) {
        if self.blocks.is_empty() {
            // Most messages have one block, and `Vec` would allocate room for four.
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

    pub(crate) fn push_tool_definition(&mut self, tool: Value<'_>) {
        let name = tool.get("name").or_else(|| tool.get("function")?.get("name"));
        let name = name.and_then(Value::string).unwrap_or_default();
        self.push(BlockKind::Text, js_json(tool.raw()), whole_payload(tool));
        if let Some(block) = self.blocks.last_mut() {
            block.holds = Holds::ToolDefinition(name.into());
        }
    }

    pub(crate) fn sign(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.holds = Holds::Signature;
        }
    }

    pub(crate) fn keep_unsent(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.holds = Holds::UnsentReasoning;
        }
    }

    /// Removes the signature marks from all blocks, because another provider made this message.
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

/// Counts a call by its tool's name, then its arguments as compact JSON.
pub(crate) fn call_of(id: ToolCallId, name: &str, arguments: Option<Value<'_>>) -> (ToolCall, String) {
    let mut text = name.to_owned();
    let (mut program, mut mark) = (None, None);
    let class = default_class(name);
    if let Some(arguments) = arguments {
        text.push_str(&js_json(arguments.raw()));
        // A tool outside the table may be a shell in a user's own table.
        if matches!(class, ToolClass::Shell | ToolClass::Other) {
            program = read_call(name, &text).first_program().map(Arc::from);
        }
    }
    if class == ToolClass::Delimiter {
        mark = Some(mark_of_arguments(arguments.unwrap_or_default()));
    }
    (ToolCall { id, name: name.into(), program, mark }, text)
}

pub(crate) fn call_of_text(id: ToolCallId, name: &str, arguments: &str) -> (ToolCall, String) {
    if is_json(arguments) {
        return call_of(id, name, Some(Value::trusted(arguments, 0)));
    }
    call_of_free_text(id, name, arguments)
}

/// Takes a free-form input, never parsed as JSON even if it looks like JSON.
pub(crate) fn call_of_free_text(id: ToolCallId, name: &str, input: &str) -> (ToolCall, String) {
    let (call, mut text) = call_of(id, name, None);
    text.push_str(input);
    (call, text)
}
