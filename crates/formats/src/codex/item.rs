use std::borrow::Cow;

use cwl_engine::{Author, BlockKind, Message, MessageForm, RawPayload, Role};

use super::author::author_of;
use super::output::{Failures, has_succeeded};
use crate::blocks::{Blocks, ReadMessage, formed_message, plain_message};
use crate::content::openai_items::{ItemKind, push_item, push_message_part, push_output, push_served_call};
use crate::content::{check_content, parts_of};
use crate::json::{JsonType, Value};
use crate::notes::Notes;

pub(super) enum ReadItemKind {
    Item(Box<ReadItem>),
    /// Unseen by the model; named by its type.
    Quiet(String),
    /// An unknown type or role, as named in a problem.
    Unknown(String),
}

pub(super) struct ReadItem {
    pub(super) read: ReadMessage,
    pub(super) origin: Origin,
    /// The result of a call that the provider ran itself.
    pub(super) answer: Option<ReadMessage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    Model {
        /// True if the item calls a tool run by Codex.
        is_call: bool,
    },
    Output,
    Human,
    Harness,
}

pub(super) fn read_item(
    item: Value<'_>,
    first: u32,
    failures: &mut Failures,
    notes: &mut Notes<'_>,
) -> ReadItemKind {
    let kind = item.text_of("type");
    let or_id = format!("{}:{first}", notes.entry());
    let mut blocks = Blocks::new(first, notes);
    let mut served = None;
    let (frame, origin) = match ItemKind::parse(&kind) {
        ItemKind::Message => match read_message(item, &mut blocks) {
            Ok(read) => read,
            Err(role) => return ReadItemKind::Unknown(format!("message/{role}")),
        },
        ItemKind::Output => {
            push_output(&mut blocks, &kind, item, |call, text| {
                let failed = failures.take_failure(call);
                !failed && has_succeeded(text)
            });
            (plain_message(Role::Tool, Author::Tool), Origin::Output)
        }
        ItemKind::ServedCall => {
            served = Some(push_served_call(&mut blocks, &kind, item, &or_id));
            reply_item(false)
        }
        ItemKind::Reasoning | ItemKind::Call => {
            push_item(&mut blocks, &kind, item);
            reply_item(ItemKind::parse(&kind) == ItemKind::Call)
        }
        ItemKind::Compaction => {
            push_item(&mut blocks, &kind, item);
            harness_item(MessageForm::Summary)
        }
        ItemKind::Other => match &*kind {
            "agent_message" => {
                push_content(&mut blocks, item.get("content"));
                harness_item(MessageForm::Custom { name: "agent_message".into() })
            }
            "ghost_snapshot" | "compaction_trigger" | "additional_tools" => {
                return ReadItemKind::Quiet(kind.into_owned());
            }
            "" => {
                blocks.notes.odd("type");
                return ReadItemKind::Unknown("response_item".to_owned());
            }
            unknown => return ReadItemKind::Unknown(format!("response_item/{unknown}")),
        },
    };
    let next = blocks.next;
    let read = blocks.into_message(frame);
    let answer = served.map(|(result, images)| {
        let mut blocks = Blocks::new(next, notes);
        blocks.push_with_images(BlockKind::Result(result), images, String::new(), RawPayload::default());
        blocks.into_message(plain_message(Role::Tool, Author::Tool))
    });
    ReadItemKind::Item(Box::new(ReadItem { read, origin, answer }))
}

fn reply_item(is_call: bool) -> (Message, Origin) {
    (plain_message(Role::Assistant, Author::Model), Origin::Model { is_call })
}

fn harness_item(form: MessageForm) -> (Message, Origin) {
    (formed_message(Role::User, Author::Harness, form), Origin::Harness)
}

pub(super) fn developer_message() -> Message {
    formed_message(Role::System, Author::Harness, MessageForm::Custom { name: "developer".into() })
}

/// Reads a message; returns its role as an error if the role is unknown.
fn read_message(item: Value<'_>, blocks: &mut Blocks<'_, '_>) -> Result<(Message, Origin), String> {
    let [role, content] = item.fields(["role", "content"]);
    let found = match &*blocks.notes.required_text(role, "role") {
        "user" => {
            let (author, form) = author_of(&texts_of(content));
            let is_turn = author == Author::Human && form == MessageForm::Plain;
            let origin = if is_turn { Origin::Human } else { Origin::Harness };
            (formed_message(Role::User, author, form), origin)
        }
        "assistant" => reply_item(false),
        "developer" | "system" => (developer_message(), Origin::Harness),
        unknown => return Err(unknown.to_owned()),
    };
    push_content(blocks, content);
    Ok(found)
}

fn push_content(blocks: &mut Blocks<'_, '_>, content: Option<Value<'_>>) {
    check_content(content, "content", blocks.notes);
    for (_, part) in parts_of(content) {
        push_message_part(blocks, part);
    }
}

pub(super) fn texts_of(content: Option<Value<'_>>) -> Vec<Cow<'_, str>> {
    let texts = parts_of(content).map(|(_, part)| match part.kind() {
        JsonType::Text => Some(part),
        _ => part.get("text"),
    });
    texts.filter_map(|text| text?.string()).collect()
}
