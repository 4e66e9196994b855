use cwl_engine::{
    Compaction, Content, EntryId, EventBody, Header, Keep, Message, Parent, ParsedEvent, Role, SessionId,
};

use super::edit::Frames;
use super::message::{
    custom_message, read_as, read_message, read_message_behind, read_usage, summary_message,
};
use crate::event::{EventDraft, RecordStamp};
use crate::json::{Fields, JsonType, Value, owned};
use crate::notes::Notes;
use crate::payload::{payload_around, whole_payload};
use crate::time::{iso_time, milliseconds_of};
use crate::usage::model_name;

pub(super) struct PiRecord<'a> {
    pub(super) own: Fields<'a>,
    pub(super) kind: Option<String>,
    pub(super) id: Option<Value<'a>>,
    message: Option<Value<'a>>,
    /// The message's fields, or the record's own if it has no message.
    fields: Fields<'a>,
}

impl<'a> PiRecord<'a> {
    pub(super) fn new(value: Value<'a>) -> Self {
        let own = Fields::parse(value);
        let message = own.get("message").and_then(Value::object);
        let fields = message.map_or_else(|| own.clone(), Fields::parse);
        let kind = own.get("type").or(own.get("recordType"));
        Self { kind: owned(kind), id: own.get("id"), own, message, fields }
    }

    /// pi-subagents writes transcripts: messages on lines, without a tree or a header.
    pub(super) fn is_of_transcript(&self) -> bool {
        self.own.get("recordType").is_some()
    }

    pub(super) fn is_header(&self) -> bool {
        self.kind.as_deref() == Some("session")
    }
}

#[derive(Clone, Copy)]
pub(super) enum RecordReferences<'a> {
    /// Version 1: by position. The header's position holds `None`.
    Position(&'a [Option<EntryId>]),
    Id,
}

#[derive(Clone, Default)]
pub(super) struct PriorRecords {
    /// True if a system message held the whole prompt.
    pub(super) has_prompt: bool,
    pub(super) frames: Frames,
}

/// Returns the system message inside a compaction, which is sent from there on.
pub(super) fn checkpoint_of(record: &PiRecord<'_>, notes: &mut Notes<'_>) -> Option<EventDraft> {
    let message = record.own.get("systemMessage").and_then(Value::object)?;
    let read = read_message(&Fields::parse(message), 0, notes)?;
    Some(EventDraft::message(read, whole_payload(message)))
}

/// `entry` is already known because problems name it, and so is a decision of a live policy.
pub(super) fn read_record(
    record: &PiRecord<'_>,
    line: u64,
    entry: EntryId,
    naming: RecordReferences<'_>,
    told: &PriorRecords,
    decision: Option<EventDraft>,
    notes: &mut Notes<'_>,
) -> ParsedEvent {
    let stamp = RecordStamp { line, at_ms: read_time(record, notes), side: false };
    let draft = match (decision, &record.kind) {
        (Some(decision), _) => decision,
        (None, Some(kind)) => read_body(record, kind, naming, told, notes),
        (None, None) => {
            notes.odd("type");
            EventDraft::opaque("no type", record.own.value)
        }
    };
    let parent = match (&draft.body, naming) {
        (EventBody::Header(_), _) => Parent::Outside,
        // In a tree, even an unknown record may be a parent.
        (EventBody::Opaque { .. }, RecordReferences::Position(_)) => Parent::Outside,
        (EventBody::Opaque { .. }, RecordReferences::Id) if record.id.is_none() => Parent::Outside,
        (_, RecordReferences::Position(_)) => Parent::Previous,
        (_, RecordReferences::Id) => read_parent(record, notes),
    };
    draft.below(stamp, entry, parent)
}

fn read_body(
    record: &PiRecord<'_>,
    kind: &str,
    naming: RecordReferences<'_>,
    told: &PriorRecords,
    notes: &mut Notes<'_>,
) -> EventDraft {
    let own = &record.own;
    let body = match kind {
        "session" => EventBody::Header(read_header(record, notes)),
        "message" => {
            if record.message.is_none() {
                notes.odd("message");
            }
            let read =
                |message| Some((message, read_message_behind(&record.fields, 0, told.has_prompt, notes)?));
            if let Some((message, read)) = record.message.and_then(read) {
                // A system message has more fields than its content.
                let is_system = read.message.role == Role::System;
                let content = record.fields.get("content").filter(|_| !is_system);
                let envelope =
                    if is_system { whole_payload(message) } else { payload_around(message, content) };
                return EventDraft::message(read, envelope);
            }
            EventBody::Opaque { record: "message".into() }
        }
        "custom_message" => {
            return EventDraft::message(
                read_as(custom_message, &record.fields, notes),
                payload_around(own.value, record.fields.get("content")),
            );
        }
        // pi ignores an empty summary.
        "branch_summary" if record.fields.get("summary").and_then(Value::string_body) == Some("") => {
            EventBody::Quiet { record: "branch_summary".into() }
        }
        "branch_summary" => {
            let mut read = read_as(summary_message, &record.fields, notes);
            read.message.usage = read_usage(own.get("usage"), notes);
            return EventDraft::message(read, whole_payload(own.value));
        }
        "compaction" => return read_compaction(record, naming, notes),
        "context_edit" => return told.frames.read_edit(own, notes),
        // An extension's own request, outside the conversation.
        "usage" => EventBody::Quiet { record: kind.into() },
        "model_change" => {
            let provider = notes.text(own.get("provider"), "provider");
            let model = notes.required_text(own.get("modelId"), "modelId");
            EventBody::ModelChange { model: model_name(provider, Some(model)).unwrap_or_default().into() }
        }
        "session_info" => {
            let name = notes.text(own.get("name"), "name").filter(|name| !name.is_empty());
            EventBody::Title(name.map(|name| name.into()))
        }
        "label" => {
            let target = EntryId::new(notes.required_text(own.get("targetId"), "targetId"));
            let label = notes.text(own.get("label"), "label").filter(|label| !label.is_empty());
            EventBody::Label { target, label: label.map(|label| label.into()) }
        }
        "custom" => EventBody::Quiet { record: state_of(record).into() },
        "thinking_level_change" => EventBody::Quiet { record: kind.into() },
        unknown => notes.unknown(unknown),
    };
    EventDraft::whole(body, own.value)
}

fn read_header(record: &PiRecord<'_>, notes: &mut Notes<'_>) -> Header {
    let own = &record.own;
    let version = notes.count(own.get("version"), "version");
    let provider = notes.text(own.get("provider"), "provider");
    let model = notes.text(own.get("modelId"), "modelId");
    let parent = notes.text(own.get("parentSession"), "parentSession");
    let parent_session = parent.or_else(|| notes.text(own.get("branchedFrom"), "branchedFrom"));
    Header {
        session: notes.text(record.id, "id").map(SessionId::new),
        version: version.map(|version| u32::try_from(version).unwrap_or(u32::MAX)),
        cwd: notes.text(own.get("cwd"), "cwd").map(|cwd| cwd.into()),
        parent_session: parent_session.map(|parent| parent.into()),
        model: model_name(provider, model).map(|model| model.into()),
        window: None,
        subagent: None,
    }
}

fn read_compaction(record: &PiRecord<'_>, naming: RecordReferences<'_>, notes: &mut Notes<'_>) -> EventDraft {
    let own = &record.own;
    let (summary, mut contents) = match record.fields.get("summary") {
        Some(text) if text.kind() == JsonType::Text => {
            let read = read_as(summary_message, &record.fields, notes);
            let usage = read_usage(own.get("usage"), notes);
            (Some(Message { usage, ..read.message }), read.contents)
        }
        _ => {
            notes.odd("summary");
            (None, Vec::new())
        }
    };
    let keep = match own.get("retainedTail").filter(|retained| !retained.is_null()) {
        Some(retained) if retained.kind() == JsonType::List => read_retained(retained, &mut contents, notes),
        odd => {
            if odd.is_some() {
                notes.odd("retainedTail");
            }
            match (naming, own.get("firstKeptEntryIndex")) {
                (RecordReferences::Position(so_far), Some(index)) => keep_from_position(index, so_far, notes),
                _ => match notes.required_text(own.get("firstKeptEntryId"), "firstKeptEntryId") {
                    id if id.is_empty() => Keep::Nothing,
                    id => Keep::From(EntryId::new(id)),
                },
            }
        }
    };
    let tokens_before = notes.tokens(own.get("tokensBefore"), "tokensBefore");
    let body = EventBody::Compaction(Compaction { summary, keep, tokens_before });
    EventDraft { contents, ..EventDraft::whole(body, own.value) }
}

/// Positions in a version 1 log include the header.
fn keep_from_position(index: Value<'_>, so_far: &[Option<EntryId>], notes: &mut Notes<'_>) -> Keep {
    let position = index.raw().parse().unwrap_or(usize::MAX);
    match so_far.get(position) {
        Some(Some(entry)) => Keep::From(entry.clone()),
        _ => {
            notes.odd("firstKeptEntryIndex");
            Keep::Nothing
        }
    }
}

/// Block indices continue behind the summary's.
fn read_retained(retained: Value<'_>, contents: &mut Vec<Content>, notes: &mut Notes<'_>) -> Keep {
    let mut messages = Vec::new();
    let mut next = 1;
    for item in retained.items() {
        if item.kind() != JsonType::Object {
            notes.odd("retainedTail");
            continue;
        }
        if let Some(read) = read_message(&Fields::parse(item), next, notes) {
            next += u32::try_from(read.message.blocks.len()).unwrap_or(u32::MAX);
            messages.push(read.message);
            contents.extend(read.contents);
        }
    }
    Keep::Retained(messages)
}

fn read_parent(record: &PiRecord<'_>, notes: &mut Notes<'_>) -> Parent {
    let Some(parent) = record.own.get("parentId") else {
        notes.odd("parentId");
        // Without an id either, the record is linear.
        return if record.id.is_some() { Parent::Root } else { Parent::Previous };
    };
    match notes.text(Some(parent), "parentId") {
        Some(id) if !id.is_empty() => Parent::Entry(EntryId::new(id)),
        _ => Parent::Root,
    }
}

/// ISO time, or else the message's milliseconds.
fn read_time(record: &PiRecord<'_>, notes: &mut Notes<'_>) -> Option<i64> {
    if let Some(own) = record.own.get("timestamp").or(record.own.get("ts")) {
        if let Some(time) = iso_time(own) {
            return Some(time);
        }
        notes.odd("timestamp");
        if let Some(time) = milliseconds_of(own) {
            return Some(time);
        }
    }
    milliseconds_of(record.message.and(record.fields.get("timestamp"))?)
}

/// Names a state record of an extension. OpenClaw's keep their own name, because one of them shows that it
/// tracks the provider's cache.
fn state_of(record: &PiRecord<'_>) -> String {
    let name = record.fields.get("customType").and_then(Value::string);
    name.filter(|name| name.starts_with("openclaw."))
        .map_or_else(|| "custom".to_owned(), |name| name.into_owned())
}
