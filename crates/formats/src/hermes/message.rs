use cwl_engine::{
    Author, BlockKind, EntryId, EventBody, Message, MessageForm, ProblemKind, RawPayload, ReplacementCause,
    Rewrite, Role, ToolCallId, ToolResult,
};

use crate::blocks::{Blocks, ReadMessage, formed_message, plain_message};
use crate::content::openai_chat::push_part;
use crate::content::{check_content, parts_of, result_content};
use crate::event::{EventDraft, changes_of};
use crate::json::{JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::{around_text, payload_around, whole_payload};

fn is_filled(value: &Value<'_>) -> bool {
    value.string_body().is_some_and(|body| !body.is_empty())
}

#[derive(Debug, Clone, Copy)]
pub(super) struct MessageRules {
    pub(super) sends_reasoning: bool,
    pub(super) is_injected: bool,
}

/// A message as events, named but for the one that the human or the model wrote.
pub(super) fn read_message(
    message: Value<'_>,
    rules: MessageRules,
    notes: &mut Notes<'_>,
) -> Vec<(&'static str, EventDraft)> {
    let [role, content] = message.fields(["role", "content"]);
    let role = notes.required_text(role, "role").into_owned();
    let one = |read: ReadMessage| vec![("", EventDraft::message(read, payload_around(message, content)))];
    match role.as_str() {
        "user" if rules.is_injected => one(read_parts(content, injected("compaction"), notes)),
        "user" => read_user(message, content, notes),
        "assistant" => one(read_assistant(message, content, rules.sends_reasoning, notes)),
        "tool" => one(read_result(message, content, notes)),
        // The harness takes both out of what it sends.
        "system" | "session_meta" => vec![("", quiet(message, &role))],
        unknown => {
            let body = notes.unknown(format!("message/{unknown}"));
            vec![("", EventDraft::whole(body, message))]
        }
    }
}

pub(super) fn quiet(message: Value<'_>, name: &str) -> EventDraft {
    EventDraft::whole(EventBody::Quiet { record: name.into() }, message)
}

pub(super) fn read_summary(message: Value<'_>, notes: &mut Notes<'_>) -> ReadMessage {
    let frame = formed_message(Role::User, Author::Harness, MessageForm::Summary);
    read_parts(message.get("content"), frame, notes)
}

fn read_parts(content: Option<Value<'_>>, frame: Message, notes: &mut Notes<'_>) -> ReadMessage {
    check_content(content, "content", notes);
    let mut blocks = Blocks::new(0, notes);
    for (index, part) in parts_of(content) {
        blocks.next = index;
        push_part(&mut blocks, part);
    }
    blocks.into_message(frame)
}

fn injected(name: &str) -> Message {
    formed_message(Role::User, Author::Harness, MessageForm::Custom { name: name.into() })
}

/// The model gets `api_content` if there is one: the human's words between texts of the harness.
fn read_user(
    message: Value<'_>,
    content: Option<Value<'_>>,
    notes: &mut Notes<'_>,
) -> Vec<(&'static str, EventDraft)> {
    let [kind, sent] = message.fields(["display_kind", "api_content"]);
    let kind = owned(kind).filter(|kind| !kind.is_empty());
    let own = match kind.as_deref() {
        Some(kind) if is_known("hermes.injected", kind) => injected(kind),
        Some(_) => {
            notes.note(ProblemKind::UnsureAuthor);
            plain_message(Role::User, Author::Human)
        }
        None => plain_message(Role::User, Author::Human),
    };
    let sent = notes.text(sent, "api_content").filter(|sent| !sent.is_empty());
    let typed = content.filter(|content| content.kind() == JsonType::Text).and_then(Value::string);
    let typed = typed.filter(|typed| !typed.is_empty());
    let envelope = payload_around(message, content);
    let Some(sent) = sent else {
        return vec![("", EventDraft::message(read_parts(content, own, notes), envelope))];
    };
    let text_of = |index: u32, text: &str, raw: RawPayload, frame: Message, notes: &mut Notes<'_>| {
        let mut blocks = Blocks::new(index, notes);
        blocks.push(BlockKind::Text, text.to_owned(), raw);
        blocks.into_message(frame)
    };
    let bare = || RawPayload::Around { before: String::new(), after: String::new() };
    let Some((before, after)) = typed.as_deref().and_then(|typed| sent.split_once(typed)) else {
        return vec![(
            "",
            EventDraft::message(text_of(0, &sent, whole_payload(message), own, notes), bare()),
        )];
    };
    let raw = content.map(|content| around_text(content, Some(content))).unwrap_or_default();
    let mut drafts = Vec::new();
    if !before.is_empty() {
        let read = text_of(0, before, bare(), injected("context"), notes);
        drafts.push(("before", EventDraft::message(read, RawPayload::default())));
    }
    let read = text_of(1, typed.as_deref().unwrap_or_default(), raw, own, notes);
    drafts.push(("", EventDraft::message(read, envelope)));
    if !after.is_empty() {
        let read = text_of(2, after, bare(), injected("context"), notes);
        drafts.push(("after", EventDraft::message(read, RawPayload::default())));
    }
    drafts
}

/// Reasoning is kept under two names with the same text; the items of the Responses API may be encrypted.
fn read_assistant(
    message: Value<'_>,
    content: Option<Value<'_>>,
    sends_reasoning: bool,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    let [sent, reasoning, items, details, calls] = message.fields([
        "reasoning_content",
        "reasoning",
        "codex_reasoning_items",
        "reasoning_details",
        "tool_calls",
    ]);
    let is_listed = |value: &Value<'_>| value.list().is_some_and(|list| list.items().next().is_some());
    let signed = items.filter(is_listed).or(details.filter(is_listed));
    let mut blocks = Blocks::new(0, notes);
    if let Some(text) = sent.filter(is_filled).or(reasoning.filter(is_filled)) {
        blocks.push_text(BlockKind::Reasoning, text, Some(text), "reasoning");
        if signed.is_none() && !sends_reasoning {
            blocks.keep_unsent();
        }
    } else if let Some(hidden) = signed {
        blocks.push(BlockKind::Reasoning, String::new(), whole_payload(hidden));
    }
    let content = content.filter(|content| !content.is_null() && content.string_body() != Some(""));
    if content.is_some() {
        check_content(content, "content", blocks.notes);
    }
    for (_, part) in parts_of(content) {
        push_part(&mut blocks, part);
    }
    let calls = calls.filter(|calls| !calls.is_null());
    if calls.is_some_and(|calls| calls.kind() != JsonType::List) {
        blocks.notes.odd("tool_calls");
    }
    for (_, call) in parts_of(calls.filter(|calls| calls.kind() == JsonType::List)) {
        push_part(&mut blocks, call);
    }
    blocks.into_message(plain_message(Role::Assistant, Author::Model))
}

fn read_result(message: Value<'_>, content: Option<Value<'_>>, notes: &mut Notes<'_>) -> ReadMessage {
    let [call, name, finish] = message.fields(["tool_call_id", "tool_name", "finish_reason"]);
    let result = ToolResult {
        call: ToolCallId::new(notes.required_text(call, "tool_call_id")),
        name: owned(name).filter(|name| !name.is_empty()).map(|name| name.as_str().into()),
        ok: owned(finish).as_deref() != Some("error"),
        mark: None,
    };
    let mut blocks = Blocks::new(0, notes);
    let (images, read) = result_content(content, None, "content", &mut blocks);
    blocks.push_with_images(BlockKind::Result(result), images, read.text, read.raw);
    blocks.into_message(plain_message(Role::Tool, Author::Tool))
}

/// A result that a compaction wrote once more in a shorter form; `longer` are the entries of the earlier one.
pub(super) fn shorter_result(message: Value<'_>, longer: &[EntryId], notes: &mut Notes<'_>) -> EventDraft {
    let content = message.get("content");
    let ReadMessage { message: result, contents } = read_result(message, content, notes);
    let changes = changes_of(longer.iter().cloned(), vec![result]);
    let body = EventBody::Rewrite(Rewrite { cause: ReplacementCause::Clearing, changes });
    EventDraft { contents, envelope: payload_around(message, content), ..EventDraft::bare(body) }
}
