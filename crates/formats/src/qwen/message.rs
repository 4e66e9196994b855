use std::sync::Arc;

use cwl_engine::{Author, BlockKind, Message, MessageForm, Role, Usage};

use super::QwenRow;
use crate::blocks::{Blocks, MAX_PARTS, ReadMessage, formed_message, plain_message};
use crate::content::gemini::{push_part, response_of};
use crate::event::InOneRecord;
use crate::gemini::{injected_as, message_of, push_responses};
use crate::json::{Value, owned};
use crate::notes::Notes;
use crate::usage::{count_paths, counts_in};

/// All parts are sent as one message, so the first part decides the author.
pub(super) fn read_user(row: &QwenRow<'_>, notes: &mut Notes<'_>) -> ReadMessage {
    let parts = parts_of(row.parts());
    if parts.iter().any(|part| response_of(*part).is_some()) {
        return message_of(push_responses(&parts, notes));
    }
    let (author, form) = voice_of(row, &parts);
    read_parts(parts, formed_message(Role::User, author, form), notes)
}

fn voice_of(row: &QwenRow<'_>, parts: &[Value<'_>]) -> (Author, MessageForm) {
    let of_harness = |name: &str| (Author::Harness, MessageForm::Custom { name: name.into() });
    if !matches!(&*row.subtype, "" | "mid_turn_user_message") {
        return of_harness(&row.subtype);
    }
    match injected_as("qwen-code-injected", &first_text(parts)) {
        Some(name) => of_harness(name),
        None if row.side => (Author::Harness, MessageForm::Plain),
        None => (Author::Human, MessageForm::Plain),
    }
}

fn first_text(parts: &[Value<'_>]) -> String {
    let first = parts.first().and_then(|part| owned(part.get("text")));
    first.unwrap_or_default().trim_start().to_owned()
}

pub(super) fn read_reply(row: &QwenRow<'_>, notes: &mut Notes<'_>) -> ReadMessage {
    let model = notes.text(row.get("model"), "model").filter(|model| !model.is_empty());
    let frame = Message {
        model: model.map(|model| Arc::from(&*model)),
        usage: read_usage(row.get("usageMetadata"), notes),
        ..plain_message(Role::Assistant, Author::Model)
    };
    read_parts(parts_of(row.parts()), frame, notes)
}

/// The record's `toolCallResult` states failures.
pub(super) fn read_results(row: &QwenRow<'_>, notes: &mut Notes<'_>) -> ReadMessage {
    let status = row.get("toolCallResult").and_then(|result| result.get("status"));
    let status = notes.text(status, "toolCallResult.status").unwrap_or_default();
    let has_failed = matches!(&*status, "error" | "cancelled");
    let mut read = message_of(push_responses(&parts_of(row.parts()), notes));
    for block in &mut read.message.blocks {
        if let BlockKind::Result(result) = &mut block.kind {
            result.ok &= !has_failed;
        }
    }
    read
}

/// The compressed history's first message is the summary.
pub(super) fn read_compressed(history: Option<Value<'_>>, notes: &mut Notes<'_>) -> InOneRecord {
    let mut new = InOneRecord::default();
    for content in history.into_iter().flat_map(Value::items).take(MAX_PARTS as usize) {
        let parts = parts_of(content.get("parts"));
        let read = if content.text_of("role") == "model" {
            read_parts(parts, plain_message(Role::Assistant, Author::Model), notes)
        } else if parts.iter().any(|part| response_of(*part).is_some()) {
            message_of(push_responses(&parts, notes))
        } else {
            let first = first_text(&parts);
            let frame = match injected_as("qwen-code-injected", &first) {
                Some(name) => {
                    formed_message(Role::User, Author::Harness, MessageForm::Custom { name: name.into() })
                }
                None if is_summary(&first) => {
                    formed_message(Role::User, Author::Harness, MessageForm::Summary)
                }
                None => plain_message(Role::User, Author::Human),
            };
            read_parts(parts, frame, notes)
        };
        new.push(read);
    }
    new
}

fn is_summary(text: &str) -> bool {
    let head = text.char_indices().nth(400).map_or(text, |(end, _)| &text[..end]);
    head.contains("<state_snapshot>")
}

fn parts_of(parts: Option<Value<'_>>) -> Vec<Value<'_>> {
    parts.into_iter().flat_map(Value::items).take(MAX_PARTS as usize).collect()
}

fn read_parts(parts: Vec<Value<'_>>, frame: Message, notes: &mut Notes<'_>) -> ReadMessage {
    let mut blocks = Blocks::new(0, notes);
    for part in parts {
        push_part(&mut blocks, part, |id, _| id.to_owned());
    }
    blocks.into_message(frame)
}

fn read_usage(tokens: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let tokens = counts_in(tokens, "usageMetadata", notes)?;
    let paths = [
        "promptTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "cachedContentTokenCount",
        "totalTokenCount",
    ];
    let [prompt, reply, thoughts, cached, total] = count_paths(tokens, paths, notes);
    let holds_thoughts = total == prompt.saturating_add(reply);
    let output = if holds_thoughts { reply } else { reply.saturating_add(thoughts) };
    let cache_read = cached.min(prompt);
    let usage = Usage {
        input: prompt - cache_read,
        output,
        reasoning: thoughts.min(output),
        cache_read,
        cache_write: 0,
        ..Usage::default()
    };
    (!usage.is_empty()).then_some(usage)
}
