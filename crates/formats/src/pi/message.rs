use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, Message, MessageForm, ProblemKind, ReplyOutcome, Role, ToolCallId, ToolResult, Usage,
};

use super::system::system_message;
use crate::blocks::{Blocks, ReadMessage, formed_message, plain_message};
use crate::content::overflow::failed_with;
use crate::content::{check_content, parts_of};
use crate::json::{Fields, JsonType, Value, owned};
use crate::mark::mark_of_event;
use crate::notes::Notes;
use crate::payload::whole_payload;
use crate::usage::{count_paths, counts_in, model_name, read_dollars};

/// The text pi writes in place of redacted reasoning. pi counts this text but does not send it.
pub const REDACTED_REASONING: &str = "[Reasoning redacted]";

/// Numbers blocks from `first`; `None` for an unknown role.
pub(super) fn read_message(fields: &Fields<'_>, first: u32, notes: &mut Notes<'_>) -> Option<ReadMessage> {
    read_message_behind(fields, first, false, notes)
}

/// Like [`read_message`]; `has_prompt` is true if an earlier system message held the whole prompt.
pub(super) fn read_message_behind(
    fields: &Fields<'_>,
    first: u32,
    has_prompt: bool,
    notes: &mut Notes<'_>,
) -> Option<ReadMessage> {
    let mut blocks = Blocks::new(first, notes);
    let role = blocks.notes.required_text(fields.get("role"), "role");
    let frame = match &*role {
        "user" => user_message(fields, &mut blocks),
        "system" => system_message(fields, !has_prompt, &mut blocks),
        "assistant" => assistant_message(fields, &mut blocks),
        "toolResult" => tool_result(fields, &mut blocks),
        "bashExecution" => human_shell(fields, &mut blocks),
        "custom" | "hookMessage" => custom_message(fields, &mut blocks),
        "branchSummary" | "compactionSummary" => summary_message(fields, &mut blocks),
        unknown => {
            let record = format!("message/{unknown}").into();
            blocks.notes.note(ProblemKind::UnknownRecord { record });
            return None;
        }
    };
    Some(blocks.into_message(frame))
}

pub(super) fn read_as(
    frame: fn(&Fields<'_>, &mut Blocks<'_, '_>) -> Message,
    fields: &Fields<'_>,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    let mut blocks = Blocks::new(0, notes);
    let frame = frame(fields, &mut blocks);
    blocks.into_message(frame)
}

fn user_message(fields: &Fields<'_>, blocks: &mut Blocks<'_, '_>) -> Message {
    push_content(blocks, fields.get("content"), AllowedParts::Plain);
    plain_message(Role::User, Author::Human)
}

pub(super) fn custom_message(fields: &Fields<'_>, blocks: &mut Blocks<'_, '_>) -> Message {
    let name = blocks.notes.required_text(fields.get("customType"), "customType").into();
    push_content(blocks, fields.get("content"), AllowedParts::Plain);
    formed_message(Role::User, Author::Harness, MessageForm::Custom { name })
}

pub(super) fn summary_message(fields: &Fields<'_>, blocks: &mut Blocks<'_, '_>) -> Message {
    match fields.get("summary") {
        Some(summary) if summary.string_body() == Some("") => {}
        Some(summary) if summary.kind() == JsonType::Text => {
            blocks.push_text(BlockKind::Text, summary, Some(summary), "summary");
        }
        _ => blocks.notes.odd("summary"),
    }
    formed_message(Role::User, Author::Harness, MessageForm::Summary)
}

fn human_shell(fields: &Fields<'_>, blocks: &mut Blocks<'_, '_>) -> Message {
    let mut text = blocks.notes.required_text(fields.get("command"), "command").into_owned();
    text.push_str(&blocks.notes.required_text(fields.get("output"), "output"));
    let excluded = blocks.notes.flag(fields.get("excludeFromContext"), "excludeFromContext");
    blocks.push(BlockKind::Text, text, whole_payload(fields.value));
    formed_message(Role::User, Author::Human, MessageForm::HumanShell { excluded })
}

fn assistant_message(fields: &Fields<'_>, blocks: &mut Blocks<'_, '_>) -> Message {
    push_content(blocks, fields.get("content"), AllowedParts::Reply);
    // The signature belongs to the API that delivered the reply; Bedrock passes on Anthropic's.
    if !["anthropic", "bedrock"].iter().any(|maker| fields.text_of("api").starts_with(maker)) {
        blocks.unsign();
    }
    let provider = blocks.notes.text(fields.get("provider"), "provider");
    let model = blocks.notes.text(fields.get("model"), "model");
    let usage = read_usage(fields.get("usage"), blocks.notes);
    let stop = blocks.notes.text(fields.get("stopReason"), "stopReason");
    let outcome = match stop.as_deref() {
        Some("error") => failed_with(&fields.text_of("errorMessage")),
        Some("aborted") => ReplyOutcome::Aborted,
        _ => ReplyOutcome::Complete,
    };
    let model = model_name(provider, model).map(Arc::from);
    Message { model, usage, outcome, ..plain_message(Role::Assistant, Author::Model) }
}

pub(super) fn read_usage(usage: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let usage = counts_in(usage, "usage", notes)?;
    let paths = ["usage.input", "usage.output", "usage.cacheRead", "usage.cacheWrite", "usage.totalTokens"];
    let [input, output, cache_read, cache_write, total] = count_paths(usage, paths, notes);
    // Until March 2026 (earendil-works/pi, pull request 2588) the input of Google's models included cache
    // reads; the provider's total shows whether it did.
    let sum = input.saturating_add(output).saturating_add(cache_write);
    let holds_cached = total > 0 && total == sum && cache_read <= input;
    let input = if holds_cached { input - cache_read } else { input };
    let cost = usage.get("cost").and_then(|cost| cost.get("total"));
    let stated_cost = read_dollars(cost, "usage.cost.total", notes);
    Some(Usage { input, output, cache_read, cache_write, stated_cost, ..Usage::default() })
}

fn tool_result(fields: &Fields<'_>, blocks: &mut Blocks<'_, '_>) -> Message {
    let call = ToolCallId::new(blocks.notes.required_text(fields.get("toolCallId"), "toolCallId"));
    let name = blocks.notes.text(fields.get("toolName"), "toolName").map(Arc::from);
    let ok = !blocks.notes.flag(fields.get("isError"), "isError");
    let event = fields.get("details").and_then(|details| details.get("chunkEvent"));
    let mark = event.filter(|event| !event.is_null()).map(mark_of_event);
    let result = ToolResult { call, name, ok, mark };
    blocks.push_result(result, fields.value, fields.get("content"), "content");
    plain_message(Role::Tool, Author::Tool)
}

pub(super) fn tool_result_of(
    (call, name, ok): (ToolCallId, Option<Arc<str>>, bool),
    holder: Value<'_>,
    content: Option<Value<'_>>,
    blocks: &mut Blocks<'_, '_>,
) {
    blocks.push_result(ToolResult { call, name, ok, mark: None }, holder, content, "content");
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AllowedParts {
    Plain,
    Reply,
}

pub(super) fn push_content(blocks: &mut Blocks<'_, '_>, content: Option<Value<'_>>, allowed: AllowedParts) {
    check_content(content, "content", blocks.notes);
    for (_, part) in parts_of(content) {
        match content.filter(|content| content.kind() == JsonType::Text) {
            Some(text) => blocks.push_text(BlockKind::Text, text, content, "content"),
            None => push_part(blocks, part, allowed),
        }
    }
}

fn push_part(blocks: &mut Blocks<'_, '_>, part: Value<'_>, allowed: AllowedParts) {
    let [kind, text, thinking, redacted, signature] =
        part.fields(["type", "text", "thinking", "redacted", "thinkingSignature"]);
    let is_signed =
        || signature.and_then(Value::string).is_some_and(|signature| !signature.trim().is_empty());
    match (kind.and_then(Value::string).as_deref(), allowed) {
        (Some("text"), _) => blocks.push_text(BlockKind::Text, part, text, "text"),
        (Some("image"), _) => blocks.push_image(part),
        // Redacted reasoning has at most pi's replacement text.
        (Some("thinking"), AllowedParts::Reply) if blocks.notes.flag(redacted, "redacted") => {
            let stands_there = owned(thinking).filter(|text| text == REDACTED_REASONING);
            blocks.push(BlockKind::Reasoning, stands_there.unwrap_or_default(), whole_payload(part));
            if is_signed() {
                blocks.sign();
            }
        }
        (Some("thinking"), AllowedParts::Reply) => {
            blocks.push_text(BlockKind::Reasoning, part, thinking, "thinking");
            if is_signed() {
                blocks.sign();
            }
        }
        (Some("toolCall"), AllowedParts::Reply) => {
            blocks.push_call_at(part, ["toolCall.id", "toolCall.name", "toolCall.arguments"]);
        }
        _ => blocks.push_unknown(part),
    }
}
