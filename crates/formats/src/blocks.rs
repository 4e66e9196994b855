//! The blocks of a message as an adapter collects them.

use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, Content, ContentBlock, Message, MessageForm, RawPayload, ReplyOutcome, Role, ToolCall,
    ToolCallId, ToolClass, Usage,
};

use crate::call::read_call;
use crate::json::{Value, is_json, js_json};
use crate::mark::mark_of_arguments;
use crate::notes::Notes;
use crate::tools::default_class;

/// A message has at most so many blocks; what more a hostile record holds is left out.
pub(crate) const MAX_PARTS: u32 = 1 << 16;

/// A message and the contents of its blocks, one per block.
pub(crate) struct ReadMessage {
    pub(crate) message: Message,
    pub(crate) contents: Vec<Content>,
}

/// A message's own data, apart from its blocks.
pub(crate) struct Frame {
    pub(crate) role: Role,
    pub(crate) author: Author,
    pub(crate) form: MessageForm,
    pub(crate) model: Option<Arc<str>>,
    pub(crate) usage: Option<Usage>,
    pub(crate) outcome: ReplyOutcome,
    pub(crate) reply: Option<Arc<str>>,
}

impl Frame {
    pub(crate) fn new(role: Role, author: Author, form: MessageForm) -> Self {
        let outcome = ReplyOutcome::Complete;
        Self { role, author, form, model: None, usage: None, outcome, reply: None }
    }

    /// Begins an ordinary message.
    #[allow(dead_code, reason = "adapters of other formats are being added")]
    pub(crate) fn plain(role: Role, author: Author) -> Self {
        Self::new(role, author, MessageForm::Plain)
    }
}

/// The blocks of one message as they are read, and the notes of its record.
pub(crate) struct Blocks<'n, 'p> {
    /// The index that the next block gets.
    pub(crate) next: u32,
    blocks: Vec<ContentBlock>,
    contents: Vec<Content>,
    pub(crate) notes: &'n mut Notes<'p>,
}

impl<'n, 'p> Blocks<'n, 'p> {
    /// Begins a message whose blocks are counted from `first`.
    pub(crate) fn new(first: u32, notes: &'n mut Notes<'p>) -> Self {
        Self { next: first, blocks: Vec::new(), contents: Vec::new(), notes }
    }

    pub(crate) fn into_message(self, frame: Frame) -> ReadMessage {
        let Frame { role, author, form, model, usage, outcome, reply } = frame;
        let message = Message { role, author, form, blocks: self.blocks, model, usage, outcome, reply };
        ReadMessage { message, contents: self.contents }
    }

    pub(crate) fn push(&mut self, kind: BlockKind, text: String, raw: RawPayload) {
        self.push_with_images(kind, 0, text, raw);
    }

    pub(crate) fn push_with_images(&mut self, kind: BlockKind, images: u32, text: String, raw: RawPayload) {
        self.blocks.push(ContentBlock { index: self.next, kind, images });
        self.contents.push(Content { text, raw });
        self.next = self.next.saturating_add(1);
    }
}

/// Makes a call and the text that it counts as: its name, and its arguments as compact JSON.
pub(crate) fn call_of(id: ToolCallId, name: &str, arguments: Option<Value<'_>>) -> (ToolCall, String) {
    let mut text = name.to_owned();
    let (mut program, mut mark) = (None, None);
    let class = default_class(name);
    if let Some(arguments) = arguments {
        text.push_str(&js_json(arguments.raw()));
        // A tool that the table does not know may be a shell in a user's own table.
        if matches!(class, ToolClass::Shell | ToolClass::Other) {
            program = read_call(name, &text).program().map(Arc::from);
        }
    }
    if class == ToolClass::Delimiter {
        let nothing = Value::trusted("null", 0);
        mark = Some(mark_of_arguments(arguments.unwrap_or(nothing)));
    }
    (ToolCall { id, name: name.into(), program, mark }, text)
}

/// Makes a call whose arguments are the text of a JSON string: JSON as a rule, else they count as they stand.
#[allow(dead_code, reason = "adapters of providers' forms are being added")]
pub(crate) fn call_of_text(id: ToolCallId, name: &str, arguments: &str) -> (ToolCall, String) {
    if is_json(arguments) {
        return call_of(id, name, Some(Value::trusted(arguments, 0)));
    }
    let (call, mut text) = call_of(id, name, None);
    text.push_str(arguments);
    (call, text)
}
