//! Attachments: reminders that newer versions of Claude Code keep as rows, and queued prompts.
//!
//! Most attachments become a harness text in the next request. Newer versions store the exact text
//! (`rendered`); for older versions, the text is put together from the row. Some attachments are shown to the
//! user only.

use cwl_engine::{BlockKind, EventBody, ProblemKind};

use super::message::read_parts;
use super::reminder::push_reminder;
use super::row::{ClaudeRow, RowEvent};
use super::voice::{TextAuthorship, voice_of_text};
use crate::blocks::{Blocks, MAX_PARTS};
use crate::content::{check_content, parts_of};
use crate::event::EventDraft;
use crate::json::{Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::whole_payload;

pub(super) const HOOK_SUCCESS: &str = "hook_success";

pub(super) fn read_attachment(row: &ClaudeRow<'_>, notes: &mut Notes<'_>) -> RowEvent {
    let Some(attachment) = row.get("attachment").and_then(Value::object) else {
        notes.odd("attachment");
        return RowEvent::whole(row, EventBody::Opaque { record: "attachment".into() });
    };
    let [kind, prompt, mode] = attachment.fields(["type", "prompt", "commandMode"]);
    let kind = notes.required_text(kind, "attachment.type").into_owned();
    if is_for_user(&kind, attachment) {
        return RowEvent::quiet(row, format!("attachment/{kind}"));
    }
    if !is_known("claude-code.attachments", &kind) && kind != HOOK_SUCCESS {
        notes.note(ProblemKind::UnknownRecord { record: format!("attachment/{kind}").into() });
    }
    let rendered = row.get("rendered").and_then(Value::list).filter(|list| list.items().next().is_some());
    let read = if let Some(rendered) = rendered {
        let voice = if kind == "queued_command" {
            queued_voice(prompt, mode, row.side)
        } else {
            TextAuthorship::Harness(kind)
        };
        let mut blocks = Blocks::new(0, notes);
        for (_, one) in (0..MAX_PARTS).zip(rendered.items()) {
            blocks.push_text(BlockKind::Text, one, one.get("content"), "rendered");
        }
        blocks.into_message(voice.frame())
    } else if let Some(parts) = prompt.and_then(Value::list).filter(|_| kind == "queued_command") {
        check_content(prompt, "attachment.prompt", notes);
        read_parts(parts_of(Some(parts)), queued_voice(prompt, mode, row.side).frame(), notes)
    } else {
        let mut blocks = Blocks::new(0, notes);
        if kind == "queued_command" {
            blocks.push_text(BlockKind::Text, attachment, prompt, "attachment.prompt");
            blocks.into_message(queued_voice(prompt, mode, row.side).frame())
        } else {
            push_reminder(row, &kind, attachment, &mut blocks);
            blocks.into_message(TextAuthorship::Harness(kind).frame())
        }
    };
    RowEvent::own(EventDraft::message(read, whole_payload(row.value)))
}

fn is_for_user(kind: &str, attachment: Value<'_>) -> bool {
    if kind != HOOK_SUCCESS {
        return is_known("claude-code.quiet_attachments", kind);
    }
    let [event, content] = attachment.fields(["hookEvent", "content"]).map(owned);
    let is_sent = event.is_some_and(|event| is_known("claude-code.sent_hooks", &event));
    !is_sent || content.is_none_or(|content| content.is_empty())
}

fn queued_voice(prompt: Option<Value<'_>>, mode: Option<Value<'_>>, side: bool) -> TextAuthorship {
    match owned(mode).as_deref() {
        None | Some("prompt" | "bash") if !side => match prompt.and_then(Value::string) {
            Some(text) => voice_of_text(&text),
            None => TextAuthorship::Human,
        },
        mode => TextAuthorship::Harness(mode.unwrap_or("queued_command").to_owned()),
    }
}
