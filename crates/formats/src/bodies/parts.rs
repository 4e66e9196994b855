//! Splits a message of a request into items: a new item begins where author or kind changes.

use cwl_engine::{Author, BlockKind, Message, MessageForm, ProblemKind, RawPayload, Role, Usage};

use super::item::{Item, ItemSlot, Scribe};
use crate::blocks::{Blocks, MAX_PARTS, formed_message, plain_message};
use crate::json::{JsonType, Value};
use crate::known::names_of;

/// Kind and author of adjacent parts that share one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartRun {
    System,
    /// Role `user`; the human's as far as one can tell.
    Human,
    /// Role `user`, but written by the client.
    Injected,
    Summary,
    /// A tool result, always an item of its own.
    Result,
    ResultImage,
    /// Reasoning, which clients may drop from later requests.
    Reasoning,
    Reply,
}

impl PartRun {
    fn frame_of_run(self) -> Message {
        match self {
            Self::System => plain_message(Role::System, Author::Harness),
            Self::Human => plain_message(Role::User, Author::Human),
            Self::Injected => plain_message(Role::User, Author::Harness),
            Self::Summary => formed_message(Role::User, Author::Harness, MessageForm::Summary),
            Self::Result | Self::ResultImage => plain_message(Role::Tool, Author::Tool),
            Self::Reasoning | Self::Reply => plain_message(Role::Assistant, Author::Model),
        }
    }

    pub(crate) fn of_part(part: Value<'_>) -> Self {
        Self::of_text(if part.kind() == JsonType::Text { Some(part) } else { part.get("text") })
    }

    /// Sorts a `user` text. Only its beginning can show that the client wrote it.
    ///
    /// In doubt the text counts as the human's, so it is never evicted.
    pub(crate) fn of_text(text: Option<Value<'_>>) -> Self {
        let text = text.and_then(Value::string).unwrap_or_default();
        let is_injected = names_of("bodies.injected").iter().any(|mark| text.trim_start().starts_with(mark));
        if is_injected { Self::Injected } else { Self::Human }
    }
}

pub(crate) fn items_of<'a>(
    scribe: &Scribe,
    place: &str,
    envelope: &RawPayload,
    parts: impl Iterator<Item = (PartRun, Value<'a>)>,
    mut read: impl FnMut(&mut Blocks<'_, '_>, PartRun, Value<'a>),
) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut parts = (0u32..MAX_PARTS).zip(parts).peekable();
    while let Some((first, (run, part))) = parts.next() {
        let own = if items.is_empty() { place.to_owned() } else { format!("{place}/{first}") };
        let item = scribe.make_item(own, first, |blocks| {
            if run == PartRun::Human {
                blocks.notes.note(ProblemKind::UnsureAuthor);
            }
            read(blocks, run, part);
            let joined = if run == PartRun::Result { PartRun::ResultImage } else { run };
            while let Some((_, (run, part))) = parts.next_if(|(_, (next, _))| *next == joined) {
                read(blocks, run, part);
            }
            let is_model = matches!(run, PartRun::Reasoning | PartRun::Reply);
            Message { reply: is_model.then(|| scribe.reply_at(place)), ..run.frame_of_run() }
        });
        items.push(Item { envelope: envelope.clone(), ..item });
    }
    items
}

pub(crate) fn empty_reply(scribe: &Scribe, place: &str, envelope: RawPayload) -> Item {
    let reply = Some(scribe.reply_at(place));
    let item =
        scribe.make_item(place, 0, |_| Message { reply, ..plain_message(Role::Assistant, Author::Model) });
    Item { envelope, ..item }
}

pub(crate) fn tools_item<'a>(scribe: &Scribe, tools: impl Iterator<Item = Value<'a>>) -> Option<Item> {
    let item = scribe.system_item("tools", ItemSlot::Tools, |blocks| {
        for (_, tool) in (0..MAX_PARTS).zip(tools) {
            blocks.push_tool_definition(tool);
        }
    });
    (!item.read.message.blocks.is_empty()).then_some(item)
}

/// Takes a text or a list of parts; `None` without a prompt.
pub(crate) fn system_item(scribe: &Scribe, key: &str, system: Option<Value<'_>>) -> Option<Item> {
    let system = system.filter(|system| !system.is_null())?;
    Some(scribe.system_item(key, ItemSlot::System, |blocks| match system.kind() {
        JsonType::Text => blocks.push_text(BlockKind::Text, system, Some(system), key),
        JsonType::List => {
            for (_, part) in (0..MAX_PARTS).zip(system.items()) {
                blocks.push_text(BlockKind::Text, part, part.get("text"), key);
            }
        }
        JsonType::Null | JsonType::Bool(_) | JsonType::Number | JsonType::Object => blocks.notes.odd(key),
    }))
}

pub(crate) fn close_reply(items: &mut [Item], usage: Option<Usage>, model: Option<&str>, at_ms: Option<i64>) {
    for item in items.iter_mut() {
        item.read.message.model = model.map(Into::into);
        item.at_ms = at_ms;
    }
    if let Some(last) = items.last_mut() {
        last.read.message.usage = usage;
    }
}
