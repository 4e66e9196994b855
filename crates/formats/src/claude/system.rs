//! System rows: notes of the harness, some of which change the model's context.

use cwl_engine::{
    Author, BlockKind, Change, Content, ContentBlock, EntryId, EventBody, Holds, Message, RawPayload,
    ReplacementCause, Rewrite, RewriteTarget, Role, ToolCallId, ToolResult,
};

use super::message::read_parts;
use super::row::{ClaudeRow, RowEvent};
use super::voice::{TextAuthorship, voice_of_text};
use crate::blocks::plain_message;
use crate::event::EventDraft;
use crate::json::{JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::whole_payload;

const CLEARED: &str = "[Old tool result content cleared]";

/// The rest of a hostile row is dropped.
const MAX_CHANGES: usize = 1 << 16;

pub(super) fn read_system(row: &ClaudeRow<'_>, notes: &mut Notes<'_>) -> Vec<RowEvent> {
    let subtype = notes.text(row.get("subtype"), "subtype").unwrap_or_default().into_owned();
    vec![match subtype.as_str() {
        "microcompact_boundary" => clearing(row, notes),
        "model_refusal_fallback" | "api_refusal" => retraction(row, notes),
        // A local command runs in the harness only, but the model sees its output.
        "local_command" => match row.get("content").filter(|content| content.kind() == JsonType::Text) {
            Some(content) => {
                let voice = match content.string().map(|text| voice_of_text(&text)) {
                    Some(TextAuthorship::Harness(_)) | None => {
                        TextAuthorship::Harness("local_command".to_owned())
                    }
                    Some(voice) => voice,
                };
                let read = read_parts([(0, content)], voice.frame(), notes);
                RowEvent::own(EventDraft::message(read, whole_payload(row.value)))
            }
            None => {
                notes.odd("content");
                RowEvent::quiet(row, "system/local_command")
            }
        },
        // Old versions wrote notes without a subtype.
        "" => RowEvent::quiet(row, "system"),
        quiet if is_known("claude-code.system", quiet) => RowEvent::quiet(row, format!("system/{quiet}")),
        unknown => RowEvent::unknown(row, &format!("system/{unknown}"), notes),
    }]
}

fn clearing(row: &ClaudeRow<'_>, notes: &mut Notes<'_>) -> RowEvent {
    let field = |name| row.get("microcompactMetadata").and_then(|metadata| metadata.get(name));
    let calls = field("compactedToolIds");
    if calls.is_none() {
        notes.odd("microcompactMetadata");
    }
    let calls = names(calls, "compactedToolIds", notes);
    let contents =
        calls.iter().map(|_| Content { text: CLEARED.to_owned(), raw: RawPayload::default() }).collect();
    let cleared = (0..).zip(&calls).map(|(index, call)| Change {
        target: RewriteTarget::Results(ToolCallId::new(call.as_str())),
        replaced_by: vec![cleared_result(index, ToolCallId::new(call.as_str()))],
    });
    let attachments = names(field("clearedAttachmentUUIDs"), "clearedAttachmentUUIDs", notes);
    let taken = attachments.iter().map(|entry| gone(entry));
    let changes = cleared.chain(taken).collect();
    let rewrite = Rewrite { cause: ReplacementCause::Clearing, changes };
    RowEvent::own(EventDraft { contents, ..EventDraft::whole(EventBody::Rewrite(rewrite), row.value) })
}

fn retraction(row: &ClaudeRow<'_>, notes: &mut Notes<'_>) -> RowEvent {
    let rows = names(row.get("retractedMessageUuids"), "retractedMessageUuids", notes);
    if rows.is_empty() {
        return RowEvent::quiet(row, "system/refusal");
    }
    let changes = rows.iter().map(|entry| gone(entry)).collect();
    RowEvent::whole(row, EventBody::Rewrite(Rewrite { cause: ReplacementCause::Revision, changes }))
}

fn gone(entry: &str) -> Change {
    Change::removal(RewriteTarget::Entry(EntryId::new(entry)))
}

fn cleared_result(index: u32, call: ToolCallId) -> Message {
    let result = BlockKind::Result(ToolResult { call, name: None, ok: true, mark: None });
    let blocks = vec![ContentBlock { index, kind: result, images: 0, holds: Holds::default() }];
    Message { blocks, ..plain_message(Role::Tool, Author::Tool) }
}

pub(super) fn names(list: Option<Value<'_>>, field: &str, notes: &mut Notes<'_>) -> Vec<String> {
    let Some(list) = list.filter(|list| !list.is_null()) else { return Vec::new() };
    let names: Vec<String> = list
        .items()
        .take(MAX_CHANGES)
        .filter_map(|item| owned(Some(item)))
        .filter(|name| !name.is_empty())
        .collect();
    if list.kind() != JsonType::List || names.len() < list.items().take(MAX_CHANGES).count() {
        notes.odd(field);
    }
    names
}
