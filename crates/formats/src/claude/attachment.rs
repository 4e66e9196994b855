//! Attachments: reminders that newer versions of Claude Code keep as rows, and queued prompts.
//!
//! Most attachments become a harness text in the next request. Newer versions store the exact text
//! (`rendered`); for older versions, the texts in the row are counted. Some attachments are shown to the user
//! only.

use cwl_engine::{BlockKind, EventBody, ProblemKind};

use super::message::read_parts;
use super::row::{ClaudeRow, RowEvent};
use super::voice::{TextAuthorship, voice_of_text};
use crate::blocks::{Blocks, MAX_PARTS};
use crate::content::{check_content, parts_of};
use crate::event::EventDraft;
use crate::json::{JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::{around_text, whole_payload};

const HOOK_SUCCESS: &str = "hook_success";

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
            reminder(attachment, &mut blocks);
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

/// Joins all texts, one per line, without `type` and ids.
fn words_of(attachment: Value<'_>) -> String {
    let mut lines = Vec::new();
    // A stack of values still to visit.
    let mut left = vec![attachment];
    while let Some(value) = left.pop() {
        match value.kind() {
            JsonType::Text => lines.extend(owned(Some(value)).filter(|line| !line.is_empty())),
            JsonType::List => left.extend(value.items().collect::<Vec<_>>().into_iter().rev()),
            JsonType::Object => {
                let is_told = |key: Value<'_>| !matches!(key.string_body(), Some("type" | "id" | "uuid"));
                let members = value.members().filter(|(key, _)| is_told(*key)).map(|(_, member)| member);
                left.extend(members.collect::<Vec<_>>().into_iter().rev());
            }
            JsonType::Null | JsonType::Bool(_) | JsonType::Number => {}
        }
    }
    lines.join("\n")
}

/// The human's if typed while the model worked, otherwise the harness's.
fn queued_voice(prompt: Option<Value<'_>>, mode: Option<Value<'_>>, side: bool) -> TextAuthorship {
    match owned(mode).as_deref() {
        None | Some("prompt" | "bash") if !side => match prompt.and_then(Value::string) {
            Some(text) => voice_of_text(&text),
            None => TextAuthorship::Human,
        },
        mode => TextAuthorship::Harness(mode.unwrap_or("queued_command").to_owned()),
    }
}

fn of_texts(list: Option<Value<'_>>) -> Option<Value<'_>> {
    let list = list.and_then(Value::list)?;
    let mut items = list.items().peekable();
    (items.peek().is_some() && items.all(|item| item.kind() == JsonType::Text)).then_some(list)
}

/// Adds the attachment's text or image to `blocks`; without a known text field, all its texts.
fn reminder(attachment: Value<'_>, blocks: &mut Blocks<'_, '_>) {
    let [content, snippet, lines, added, skills] =
        attachment.fields(["content", "snippet", "addedLines", "addedBlocks", "skills"]);
    let inner = content.and_then(Value::object);
    let [kind, own, file] = inner.map_or([None; 3], |inner| inner.fields(["type", "content", "file"]));
    if kind.and_then(Value::string).is_some_and(|kind| kind == "image") {
        return blocks.push_image(attachment);
    }
    let of_file = file.and_then(|file| file.get("content"));
    let told =
        [content, snippet, own, of_file].into_iter().flatten().find(|value| value.kind() == JsonType::Text);
    let list = lines.and_then(Value::list).or(added.and_then(Value::list)).or(of_texts(content));
    let skills: Vec<_> =
        skills.into_iter().flat_map(Value::items).filter_map(|skill| owned(skill.get("content"))).collect();
    let (text, raw) = match (told, list) {
        _ if !skills.is_empty() => (skills.join("\n"), whole_payload(attachment)),
        (Some(told), _) => {
            let text = blocks.notes.required_text(Some(told), "attachment").into_owned();
            (text, around_text(attachment, Some(told)))
        }
        (None, Some(list)) => {
            let lines: Vec<_> =
                list.items().map(|line| blocks.notes.required_text(Some(line), "attachment")).collect();
            (lines.join("\n"), whole_payload(attachment))
        }
        // Some kinds of rows hold no text.
        (None, None) => {
            let words = words_of(attachment);
            (
                if words.is_empty() { attachment.text_of("type").into_owned() } else { words },
                whole_payload(attachment),
            )
        }
    };
    blocks.push(BlockKind::Text, text, raw);
}
