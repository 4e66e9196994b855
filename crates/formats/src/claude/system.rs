//! System rows: notes of the harness, among them those that change what the model sees.

use cwl_engine::{
    Author, BlockKind, Change, Content, ContentBlock, EntryId, EventBody, Message, MessageForm, RawPayload,
    ReplacementCause, ReplyOutcome, Rewrite, Role, Target, ToolCallId, ToolResult,
};

use super::message::read_part;
use super::row::{Part, Row};
use super::user::frame_of;
use super::voice::{Voice, voice_of_text};
use crate::blocks::Blocks;
use crate::json::{Kind, Value};
use crate::notes::Notes;
use crate::payload::whole;

/// What stands in the prompt for a result that was cleared.
const CLEARED: &str = "[Old tool result content cleared]";

/// A row changes at most so many things; what more a hostile one names is left out.
const MAX_CHANGES: usize = 1 << 16;

/// Subtypes that the model never sees.
const QUIET: [&str; 9] = [
    "stop_hook_summary",
    "turn_duration",
    "api_error",
    "compact_boundary",
    "bridge_status",
    "session_start",
    "informational",
    "away_summary",
    "scheduled_task_fire",
];

/// Reads a system row.
pub(super) fn read_system(row: &Row<'_>, notes: &mut Notes<'_>) -> Vec<Part> {
    let subtype = notes.text(row.subtype, "subtype").unwrap_or_default().into_owned();
    vec![match subtype.as_str() {
        "microcompact_boundary" => clearing(row, notes),
        "model_refusal_fallback" | "api_refusal" => retraction(row, notes),
        // Commands that run in the harness alone; the model is told of them like of any other.
        "local_command" => match row.content.filter(|content| content.kind() == Kind::Text) {
            Some(content) => {
                let voice = match content.text().map(|text| voice_of_text(&text.value)) {
                    Some(Voice::Harness(_)) | None => Voice::Harness("local_command".to_owned()),
                    Some(voice) => voice,
                };
                let mut blocks = Blocks::new(0, notes);
                read_part(0, content, &mut blocks);
                Part::message("row", blocks.into_message(frame_of(&voice)), whole(row.value))
            }
            None => {
                notes.odd("content");
                Part::quiet(row, "system/local_command")
            }
        },
        // Old versions wrote notes without a subtype.
        "" => Part::quiet(row, "system"),
        quiet if QUIET.contains(&quiet) => Part::quiet(row, format!("system/{quiet}")),
        unknown => Part::unknown(row, &format!("system/{unknown}"), notes),
    }]
}

/// Old results and attachments were cleared in the prompt; the log keeps their text.
fn clearing(row: &Row<'_>, notes: &mut Notes<'_>) -> Part {
    let [metadata] = row.value.fields(["microcompactMetadata"]);
    let [calls, attachments] = metadata
        .map_or([None; 2], |metadata| metadata.fields(["compactedToolIds", "clearedAttachmentUUIDs"]));
    if calls.is_none() {
        notes.odd("microcompactMetadata");
    }
    let calls = names(calls, "compactedToolIds", notes);
    let contents =
        calls.iter().map(|_| Content { text: CLEARED.to_owned(), raw: RawPayload::default() }).collect();
    let cleared = (0..).zip(&calls).map(|(index, call)| Change {
        target: Target::Results(ToolCallId::new(call.as_str())),
        replaced_by: vec![cleared_result(index, ToolCallId::new(call.as_str()))],
    });
    let attachments = names(attachments, "clearedAttachmentUUIDs", notes);
    let taken = attachments.iter().map(|entry| gone(entry));
    let changes = cleared.chain(taken).collect();
    let rewrite = Rewrite { cause: ReplacementCause::Clearing, changes };
    Part { contents, ..Part::whole(row, EventBody::Rewrite(rewrite)) }
}

/// A reply that the model refused to give was taken back.
fn retraction(row: &Row<'_>, notes: &mut Notes<'_>) -> Part {
    let [rows] = row.value.fields(["retractedMessageUuids"]);
    let rows = names(rows, "retractedMessageUuids", notes);
    if rows.is_empty() {
        return Part::quiet(row, "system/refusal");
    }
    let changes = rows.iter().map(|entry| gone(entry)).collect();
    Part::whole(row, EventBody::Rewrite(Rewrite { cause: ReplacementCause::Revision, changes }))
}

fn gone(entry: &str) -> Change {
    Change::gone(Target::Entry(EntryId::new(entry)))
}

fn cleared_result(index: u32, call: ToolCallId) -> Message {
    let result = BlockKind::Result(ToolResult { call, name: None, ok: true, mark: None });
    Message {
        role: Role::Tool,
        author: Author::Tool,
        form: MessageForm::Plain,
        blocks: vec![ContentBlock { index, kind: result, images: 0 }],
        model: None,
        usage: None,
        outcome: ReplyOutcome::Complete,
        reply: None,
    }
}

/// Reads a list of names that may be absent; what is no name is left out.
fn names(list: Option<Value<'_>>, field: &str, notes: &mut Notes<'_>) -> Vec<String> {
    let Some(list) = list.filter(|list| !list.is_null()) else { return Vec::new() };
    let names: Vec<String> = list
        .items()
        .take(MAX_CHANGES)
        .filter_map(|item| Some(item.text()?.value.into_owned()))
        .filter(|name| !name.is_empty())
        .collect();
    if list.kind() != Kind::List || names.len() < list.items().take(MAX_CHANGES).count() {
        notes.odd(field);
    }
    names
}
