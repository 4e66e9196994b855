use std::sync::Arc;

use cwl_engine::{Author, EventBody, Message, ReplyOutcome, Role, Usage};

use super::row::{ClaudeRow, RowEvent};
use crate::blocks::{Blocks, ReadMessage, plain_message};
use crate::content::anthropic::{push_part, read_usage};
use crate::content::overflow::failed_with;
use crate::content::{check_content, parts_of};
use crate::event::EventDraft;
use crate::json::Value;
use crate::notes::Notes;
use crate::payload::payload_around;

/// The model name in messages that the harness wrote in place of a reply.
pub(super) const SYNTHETIC: &str = "<synthetic>";

pub(super) fn read_assistant(row: &ClaudeRow<'_>, notes: &mut Notes<'_>) -> RowEvent {
    let Some(message) = row.get("message").and_then(Value::object) else {
        notes.odd("message");
        return RowEvent::whole(row, EventBody::Opaque { record: "assistant".into() });
    };
    let [id, model, content, usage] = message.fields(["id", "model", "content", "usage"]);
    let model = notes.text(model, "message.model").filter(|model| !model.is_empty());
    let is_synthetic = model.as_deref() == Some(SYNTHETIC);
    let failed = notes.flag(row.get("isApiErrorMessage"), "isApiErrorMessage");
    let author = if is_synthetic { Author::Harness } else { Author::Model };
    let frame = Message {
        usage: read_usage(usage, notes).filter(|_| !is_synthetic).map(|usage| Usage {
            // A forked session begins with copies of its origin's rows.
            copied: row.get("forkedFrom").is_some_and(|from| !from.is_null()),
            ..usage
        }),
        model: model.filter(|_| !is_synthetic).map(Arc::from),
        outcome: if failed { failed_with(content.map_or("", Value::raw)) } else { ReplyOutcome::Complete },
        reply: notes.text(id, "message.id").filter(|id| !id.is_empty()).map(Arc::from),
        ..plain_message(Role::Assistant, author)
    };
    check_content(content, "message.content", notes);
    let read = read_parts(parts_of(content), frame, notes);
    RowEvent::own(EventDraft::message(read, payload_around(message, content)))
}

pub(super) fn read_parts<'a>(
    parts: impl IntoIterator<Item = (u32, Value<'a>)>,
    frame: Message,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    let mut blocks = Blocks::new(0, notes);
    blocks.keeps_parts = true;
    for (index, part) in parts {
        blocks.next = index;
        push_part(&mut blocks, part);
    }
    blocks.into_message(frame)
}
