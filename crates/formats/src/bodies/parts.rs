//! What the providers' forms have in common: texts, images, results, and who wrote what.

use cwl_engine::{Author, BlockKind, ProblemKind, RawPayload, Role, ToolCallId, ToolResult, Usage};

use super::item::{Item, Scribe, Slot};
use crate::blocks::{Blocks, Frame, MAX_PARTS};
use crate::json::{Kind, Value, js_json};
use crate::notes::Notes;
use crate::payload::{around, around_text, whole};

/// Texts that clients put into the user's slot begin like this.
const INJECTED: [&str; 12] = [
    "<system-reminder>",
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "# AGENTS.md instructions",
    "<command-message>",
    "<command-name>",
    "<local-command-stdout>",
    "<session_context>",
    "<state_snapshot>",
    "<task-notification>",
    "This session is being continued from a previous conversation",
];

/// Returns who wrote a text in the user's slot; a body says so only by what the text begins with.
///
/// What may be the human's counts as the human's: it is never evicted then.
pub(crate) fn author_of(text: &str) -> Author {
    let begin = text.trim_start();
    let is_injected = INJECTED.iter().any(|mark| begin.starts_with(mark));
    if is_injected { Author::Harness } else { Author::Human }
}

/// Parts that stand together in one message of one author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// In the system's role.
    System,
    /// In the user's slot, as far as can be told the human's.
    Human,
    /// In the user's slot, the client's.
    Injected,
    /// The result of a call; it stands alone.
    Result,
    /// Reasoning of the model, which clients may leave out of later requests.
    Reasoning,
    /// What else the model says.
    Reply,
}

impl Run {
    fn frame(self) -> Frame {
        match self {
            Self::System => Frame::plain(Role::System, Author::Harness),
            Self::Human => Frame::plain(Role::User, Author::Human),
            Self::Injected => Frame::plain(Role::User, Author::Harness),
            Self::Result => Frame::plain(Role::Tool, Author::Tool),
            Self::Reasoning | Self::Reply => Frame::plain(Role::Assistant, Author::Model),
        }
    }

    /// Returns the run of a user's text.
    pub(crate) fn of_text(text: Option<Value<'_>>) -> Self {
        let text = text.and_then(Value::text);
        match author_of(text.as_ref().map_or("", |text| &text.value)) {
            Author::Human => Self::Human,
            _ => Self::Injected,
        }
    }
}

/// Makes the items of one message from its parts: a new one wherever author or kind changes.
///
/// `place` is the message's place in the record; the parts of a reply share it as their reply.
pub(crate) fn items_of<'a>(
    scribe: &Scribe,
    place: &str,
    envelope: &RawPayload,
    parts: impl Iterator<Item = (Run, Value<'a>)>,
    mut read: impl FnMut(&mut Blocks<'_, '_>, Run, Value<'a>),
) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut parts = (0u32..MAX_PARTS).zip(parts).peekable();
    while let Some((first, (run, part))) = parts.next() {
        let own = if items.is_empty() { place.to_owned() } else { format!("{place}/{first}") };
        let item = scribe.item(own, first, |blocks| {
            if run == Run::Human {
                blocks.notes.note(ProblemKind::UnsureAuthor);
            }
            read(blocks, run, part);
            while run != Run::Result
                && let Some((_, (_, part))) = parts.next_if(|(_, (next, _))| *next == run)
            {
                read(blocks, run, part);
            }
            let mut frame = run.frame();
            if matches!(run, Run::Reasoning | Run::Reply) {
                frame.reply = Some(scribe.reply(place));
            }
            frame
        });
        items.push(Item { envelope: envelope.clone(), ..item });
    }
    items
}

/// Makes an item of a reply without any part: it is a turn all the same.
pub(crate) fn empty_reply(scribe: &Scribe, place: &str, envelope: RawPayload) -> Item {
    let item = scribe.item(place, 0, |_| Frame {
        reply: Some(scribe.reply(place)),
        ..Frame::plain(Role::Assistant, Author::Model)
    });
    Item { envelope, ..item }
}

/// Adds a text block from a part and the member that holds its text.
pub(crate) fn push_text_part(
    blocks: &mut Blocks<'_, '_>,
    kind: BlockKind,
    part: Value<'_>,
    text: Option<Value<'_>>,
    field: &str,
) {
    let decoded = blocks.notes.required_text(text, field).into_owned();
    blocks.push(kind, decoded, around_text(part, text));
}

/// Adds a part of unknown type.
pub(crate) fn push_unknown(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    let kind = part.fields(["type"])[0].and_then(Value::text);
    let name = kind.map_or_else(|| part.kind().name().to_owned(), |kind| kind.value.into_owned());
    blocks.notes.note_part(blocks.next, ProblemKind::UnknownPart { part: name.into() });
    blocks.push(BlockKind::Opaque, String::new(), whole(part));
}

/// Adds an image that is a part of a message.
pub(crate) fn push_image(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    blocks.push_with_images(BlockKind::Image, 1, String::new(), whole(part));
}

/// The text and the images of a result's content.
pub(crate) struct ResultContent {
    pub(crate) text: String,
    pub(crate) images: u32,
    pub(crate) raw: RawPayload,
}

/// Reads the content of a result: a text, or a list of texts and images.
pub(crate) fn result_content(content: Option<Value<'_>>, index: u32, notes: &mut Notes<'_>) -> ResultContent {
    let mut found = ResultContent { text: String::new(), images: 0, raw: RawPayload::default() };
    let Some(content) = content.filter(|content| !content.is_null()) else { return found };
    match content.kind() {
        Kind::Text => {
            found.text = notes.required_text(Some(content), "content").into_owned();
            found.raw = around_text(content, Some(content));
        }
        Kind::List => {
            let mut texts = Vec::new();
            for part in content.items() {
                let [kind, own] = part.fields(["type", "text"]);
                match kind.and_then(Value::text).as_ref().map(|kind| &*kind.value) {
                    Some("text" | "input_text" | "output_text") => {
                        found.text.push_str(&notes.required_text(own, "text"));
                        texts.push(own);
                    }
                    Some("image" | "input_image" | "image_url") => {
                        found.images = found.images.saturating_add(1)
                    }
                    kind => {
                        let part = kind.unwrap_or(part.kind().name()).into();
                        notes.note_part(index, ProblemKind::UnknownPart { part });
                    }
                }
            }
            // Of several texts no one stretch of the log is their sum.
            let only = if let [only] = texts[..] { only } else { None };
            found.raw = around_text(content, only);
        }
        Kind::Object => {
            found.text = js_json(content.raw());
            found.raw = whole(content);
        }
        Kind::Null | Kind::Bool(_) | Kind::Number => {
            notes.odd("content");
            found.raw = whole(content);
        }
    }
    found
}

/// Adds the result of a call; an id that the log does not give is empty.
pub(crate) fn push_result(
    blocks: &mut Blocks<'_, '_>,
    call: &str,
    name: Option<&str>,
    ok: bool,
    content: Option<Value<'_>>,
) {
    let ResultContent { text, images, raw } = result_content(content, blocks.next, blocks.notes);
    let result = ToolResult { call: ToolCallId::new(call), name: name.map(Into::into), ok, mark: None };
    blocks.push_with_images(BlockKind::Result(result), images, text, raw);
}

/// Makes the item of the tools' definitions, one block each; none without tools.
pub(crate) fn tools_item<'a>(scribe: &Scribe, tools: impl Iterator<Item = Value<'a>>) -> Option<Item> {
    let item = scribe.system("tools", Slot::Tools, |blocks| {
        for (_, tool) in (0..MAX_PARTS).zip(tools) {
            blocks.push(BlockKind::Text, js_json(tool.raw()), whole(tool));
        }
    });
    (!item.read.message.blocks.is_empty()).then_some(item)
}

/// Makes the item of a system prompt: a text, or a list of parts with texts; none without one.
pub(crate) fn system_item(scribe: &Scribe, key: &str, system: Option<Value<'_>>) -> Option<Item> {
    let system = system.filter(|system| !system.is_null())?;
    Some(scribe.system(key, Slot::System, |blocks| match system.kind() {
        Kind::Text => push_text_part(blocks, BlockKind::Text, system, Some(system), key),
        Kind::List => {
            for (_, part) in (0..MAX_PARTS).zip(system.items()) {
                let [text] = part.fields(["text"]);
                push_text_part(blocks, BlockKind::Text, part, text, key);
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number | Kind::Object => blocks.notes.odd(key),
    }))
}

/// Puts usage, model and time on a reply, which has at least one item.
pub(crate) fn close_reply(
    items: &mut Vec<Item>,
    usage: Option<Usage>,
    model: Option<&str>,
    at_ms: Option<i64>,
    empty: impl FnOnce() -> Item,
) {
    if items.is_empty() {
        items.push(empty());
    }
    for item in items.iter_mut() {
        item.read.message.model = model.map(Into::into);
        item.at_ms = at_ms;
    }
    if let Some(last) = items.last_mut() {
        last.read.message.usage = usage;
    }
}

/// Makes the usage of a prompt that was partly read from the cache.
pub(crate) fn usage_with_cache(prompt: u64, cached: u64, output: u64) -> Usage {
    Usage { input: prompt.saturating_sub(cached), output, cache_read: cached.min(prompt), cache_write: 0 }
}

/// Returns a member that is a text; empty where it is not.
pub(crate) fn text_member(value: Value<'_>, key: &str) -> String {
    let [text] = value.fields([key]);
    text.and_then(Value::text).map(|text| text.value.into_owned()).unwrap_or_default()
}

/// Returns the envelope of a message: its bytes with a hole where its content stands.
pub(crate) fn envelope(message: Value<'_>, content: Option<Value<'_>>) -> RawPayload {
    around(message, content)
}

/// Returns the parts of a message's content; a text is one part.
pub(crate) fn parts_of<'a>(
    content: Option<Value<'a>>,
    problems: impl FnOnce(),
) -> Box<dyn Iterator<Item = Value<'a>> + 'a> {
    match content.map(|content| (content.kind(), content)) {
        Some((Kind::Text, text)) => Box::new(std::iter::once(text)),
        Some((Kind::List, list)) => Box::new(list.items()),
        None | Some((Kind::Null, _)) => Box::new(std::iter::empty()),
        Some(_) => {
            problems();
            Box::new(std::iter::empty())
        }
    }
}
