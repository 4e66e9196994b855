//! The messages that pi passes to its provider layer, from pi's own log.

use std::io::{self, Write};

use cwl_engine::{BlockIdx, BlockKind, MessageForm, Role, SessionMessage};

use super::layout::Items;
use super::request::{ProviderRequest, RequestMessage};
use super::source::{MessageFrame, Wording, text_part};
use super::{Repair, RepairKind};
use crate::json::{JsonType, Object, Value, is_json, list};

/// Writes messages as pi would: `user`, `assistant` and `toolResult` messages byte for byte except for
/// evicted parts, all others as `user` messages in pi's wording.
///
/// Like pi, answers calls without a result when the next reply or user message comes, even if this reply
/// failed and is not sent itself; the failed reply's results are sent. Reasoning without text and signature
/// is dropped.
pub(super) fn write_request(request: &ProviderRequest<'_>, out: &mut dyn Write) -> io::Result<Vec<Repair>> {
    let mut repairs = request.repairs.clone();
    let mut messages = Items::begin_array(out)?;
    let mut waiting: Vec<BlockIdx> = Vec::new();
    for sent in &request.messages {
        let (row, blocks) = match sent {
            RequestMessage::Residue(text) => {
                answer_waiting(request, &mut waiting, &mut messages, &mut repairs)?;
                messages.push_item(&user_message(&[text_part(text)], None))?;
                continue;
            }
            RequestMessage::Refused => {
                answer_waiting(request, &mut waiting, &mut messages, &mut repairs)?;
                continue;
            }
            RequestMessage::Log { row, blocks, .. } => (*row, blocks),
        };
        let answered = blocks.iter().filter_map(|block| request.session.blocks[block.at()].pair);
        match row.role {
            Role::Tool => {
                let answered: Vec<BlockIdx> = answered.collect();
                waiting.retain(|call| !answered.contains(call));
            }
            Role::User | Role::System => answer_waiting(request, &mut waiting, &mut messages, &mut repairs)?,
            Role::Assistant => {
                answer_waiting(request, &mut waiting, &mut messages, &mut repairs)?;
                let is_call = |block: &BlockIdx| matches!(request.kind_of(*block), BlockKind::Call(_));
                waiting.extend(blocks.iter().filter(|block| is_call(block)));
            }
        }
        if let Some(message) = message_json(request, row, blocks) {
            messages.push_item(&message)?;
        }
    }
    messages.end_array()?;
    Ok(repairs)
}

fn message_json(request: &ProviderRequest<'_>, row: &SessionMessage, blocks: &[BlockIdx]) -> Option<String> {
    let frame = MessageFrame::find(request, row, blocks);
    match frame.wording_of(&row.form) {
        Wording::Log => {}
        Wording::Pi(text) => return Some(user_message(&[text_part(&text)], frame.timestamp_ms(row))),
        Wording::Nothing => return None,
    }
    let parts: Vec<String> = blocks
        .iter()
        .map(|block| (*block, request.block_json(*block)))
        .filter(|(block, part)| is_json(part) && !is_void(request.kind_of(*block), part))
        .map(|(_, part)| part)
        .collect();
    if let MessageForm::Custom { .. } = row.form {
        let is_text = |part: &str| Value::trusted(part, 0).kind() == JsonType::Text;
        let as_part = |part: String| {
            if is_text(&part) { format!("{{\"type\":\"text\",\"text\":{part}}}") } else { part }
        };
        let parts: Vec<String> = parts.into_iter().map(as_part).collect();
        return Some(user_message(&parts, frame.timestamp_ms(row)));
    }
    // A result's block is its whole content, like a content that is a string.
    let masked = blocks.iter().find_map(|block| request.placeholder_text(*block));
    if let Some(placeholder) = masked.filter(|_| row.role == Role::Tool) {
        return Some(frame.with_content(&format!("[{}]", text_part(placeholder))))
            .filter(|message| is_json(message));
    }
    let content = match &parts[..] {
        [only] if row.role == Role::Tool || Value::trusted(only, 0).kind() == JsonType::Text => only.clone(),
        parts => format!("[{}]", parts.join(",")),
    };
    Some(frame.with_content(&content)).filter(|message| is_json(message))
}

fn is_void(kind: &BlockKind, part: &str) -> bool {
    let fields = Value::trusted(part, 0);
    let has = |field: &str| {
        fields
            .get(field)
            .is_some_and(|value| value.kind() == JsonType::Text && value.string_body() != Some(""))
    };
    *kind == BlockKind::Reasoning
        && !fields.get("redacted").is_some_and(Value::is_true)
        && !has("thinkingSignature")
        && fields.text_of("thinking").trim().is_empty()
}

fn user_message(parts: &[String], timestamp: Option<i64>) -> String {
    let message = Object::new().text("role", "user").json("content", &list(parts));
    message.maybe_json("timestamp", timestamp.map(|ms| ms.to_string()).as_deref()).done()
}

fn answer_waiting(
    request: &ProviderRequest<'_>,
    waiting: &mut Vec<BlockIdx>,
    messages: &mut Items<'_>,
    repairs: &mut Vec<Repair>,
) -> io::Result<()> {
    for block in waiting.drain(..) {
        let BlockKind::Call(call) = request.kind_of(block) else { continue };
        let message = Object::new()
            .text("role", "toolResult")
            .text("toolCallId", call.id.as_str())
            .text("toolName", &call.name)
            .json("content", &list(&[text_part("No result provided")]))
            .flag("isError", true);
        messages.push_item(&message.done())?;
        repairs.push(RepairKind::ResultInvented.at_block(block));
    }
    Ok(())
}
