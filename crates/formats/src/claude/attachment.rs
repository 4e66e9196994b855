//! Attachments: reminders that newer versions keep as rows, and prompts that waited in a queue.
//!
//! Most become a text of the harness in the next request. Its exact words are not in the log; what the row
//! holds of them is counted.

use cwl_engine::{BlockKind, EventBody, ProblemKind};

use super::message::{parts_of, read_part};
use super::row::{Part, Row};
use super::user::frame_of;
use super::voice::{Voice, voice_of_text};
use crate::blocks::Blocks;
use crate::json::{Kind, Value, js_json};
use crate::notes::Notes;
use crate::payload::{around_text, whole};

/// The kinds that are known.
const KNOWN: [&str; 17] = [
    "queued_command",
    "deferred_tools_delta",
    "mcp_instructions_delta",
    "agent_listing_delta",
    "skill_listing",
    "task_reminder",
    "todo_reminder",
    "edited_text_file",
    "nested_memory",
    "file",
    "compact_file_reference",
    "plan_mode",
    "plan_mode_exit",
    "hook_success",
    "hook_additional_context",
    "date_change",
    "total_tokens_reminder",
];

/// Reads an attachment.
pub(super) fn read_attachment(row: &Row<'_>, notes: &mut Notes<'_>) -> Part {
    let Some(attachment) = row.attachment.filter(|attachment| attachment.kind() == Kind::Object) else {
        notes.odd("attachment");
        return Part::whole(row, EventBody::Opaque { record: "attachment".into() });
    };
    let [kind, prompt, mode] = attachment.fields(["type", "prompt", "commandMode"]);
    let kind = notes.required_text(kind, "attachment.type").into_owned();
    if !KNOWN.contains(&&*kind) {
        notes.note(ProblemKind::UnknownRecord { record: format!("attachment/{kind}").into() });
    }
    if kind != "queued_command" {
        let mut blocks = Blocks::new(0, notes);
        reminder(attachment, &mut blocks);
        let read = blocks.into_message(frame_of(&Voice::Harness(kind)));
        return Part::message("row", read, whole(row.value));
    }
    let mut blocks = Blocks::new(0, notes);
    match prompt.filter(|prompt| prompt.kind() == Kind::List) {
        Some(_) => {
            for (index, part) in parts_of(prompt, blocks.notes) {
                read_part(index, part, &mut blocks);
            }
        }
        None => {
            let text = blocks.notes.required_text(prompt, "attachment.prompt").into_owned();
            blocks.push(BlockKind::Text, text, around_text(attachment, prompt));
        }
    }
    let read = blocks.into_message(frame_of(&queued_voice(prompt, mode, row.side)));
    Part::message("row", read, whole(row.value))
}

/// What was typed while the model worked is the human's; what the harness queued is not.
fn queued_voice(prompt: Option<Value<'_>>, mode: Option<Value<'_>>, side: bool) -> Voice {
    let mode = mode.and_then(Value::text).map(|mode| mode.value.into_owned());
    match mode.as_deref() {
        None | Some("prompt" | "bash") if !side => match prompt.and_then(Value::text) {
            Some(text) => voice_of_text(&text.value),
            None => Voice::Human,
        },
        mode => Voice::Harness(mode.unwrap_or("queued_command").to_owned()),
    }
}

/// Counts the text that the row holds, else all that it holds.
fn reminder(attachment: Value<'_>, blocks: &mut Blocks<'_, '_>) {
    let [content, snippet, lines, added] =
        attachment.fields(["content", "snippet", "addedLines", "addedBlocks"]);
    let inner = content.filter(|content| content.kind() == Kind::Object);
    let [kind, own, file] = inner.map_or([None; 3], |inner| inner.fields(["type", "content", "file"]));
    if kind.and_then(Value::text).is_some_and(|kind| kind.value == "image") {
        return blocks.push_with_images(BlockKind::Image, 1, String::new(), whole(attachment));
    }
    let of_file = file.and_then(|file| file.fields(["content"])[0]);
    let told =
        [content, snippet, own, of_file].into_iter().flatten().find(|value| value.kind() == Kind::Text);
    let list = [lines, added].into_iter().flatten().find(|list| list.kind() == Kind::List);
    let (text, raw) = match (told, list) {
        (Some(told), _) => {
            let text = blocks.notes.required_text(Some(told), "attachment").into_owned();
            (text, around_text(attachment, Some(told)))
        }
        (None, Some(list)) => {
            let lines: Vec<_> =
                list.items().map(|line| blocks.notes.required_text(Some(line), "attachment")).collect();
            (lines.join("\n"), whole(attachment))
        }
        (None, None) => (js_json(attachment.raw()), whole(attachment)),
    };
    blocks.push(BlockKind::Text, text, raw);
}
