use std::sync::Arc;

use cwl_engine::{Author, BlockKind, Message, MessageForm, Role};

use crate::blocks::{Blocks, ReadMessage, formed_message, plain_message};
use crate::content::anthropic::push_part;
use crate::content::{check_content, parts_of};
use crate::json::Value;
use crate::notes::Notes;
use crate::payload::{around_text, whole_payload};

/// The API of models that the user has added; Droid sends it no earlier reasoning.
const GENERIC_CHAT: &str = "generic-chat-completion-api";

/// Reasoning is in the parts; a model behind the Chat Completions API has it once more beside them. Encrypted
/// reasoning of the Responses API has no part.
pub(super) fn read_assistant(
    message: Value<'_>,
    content: Option<Value<'_>>,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    let [model, reasoning, encrypted] =
        message.fields(["modelId", "chatCompletionReasoningContent", "openaiEncryptedContent"]);
    let is_filled = |value: &Value<'_>| value.string_body().is_some_and(|body| !body.is_empty());
    let model = notes.text(model, "message.modelId").filter(|model| !model.is_empty());
    check_content(content, "message.content", notes);
    let reasoning = reasoning.filter(is_filled);
    let mut blocks = Blocks::new(0, notes);
    blocks.keeps_parts = true;
    let signers = || parts_of(content).filter_map(|(_, part)| part.get("signatureProvider")?.string());
    if let Some(text) = reasoning {
        blocks.push_text(BlockKind::Reasoning, text, Some(text), "message.chatCompletionReasoningContent");
        if signers().any(|signer| signer == GENERIC_CHAT) {
            blocks.keep_unsent();
        }
    }
    let mut is_foreign = false;
    let mut has_reasoning = reasoning.is_some();
    for (_, part) in parts_of(content) {
        let [kind, signer] = part.fields(["type", "signatureProvider"]);
        let kind = kind.and_then(Value::string).unwrap_or_default();
        if kind.ends_with("thinking") {
            if reasoning.is_some() {
                continue;
            }
            has_reasoning = true;
            is_foreign |= signer.and_then(Value::string).is_some_and(|signer| signer != "anthropic");
        }
        push_part(&mut blocks, part);
    }
    if let Some(hidden) = encrypted.filter(is_filled).filter(|_| !has_reasoning) {
        blocks.push(BlockKind::Reasoning, String::new(), whole_payload(hidden));
    }
    if is_foreign {
        blocks.unsign();
    }
    let frame = Message {
        model: model.map(|model| Arc::from(&*model)),
        ..plain_message(Role::Assistant, Author::Model)
    };
    blocks.into_message(frame)
}

/// The summary, and behind it what Droid says of the machine, as the harness sends them.
pub(super) fn read_summary(
    summary: Option<Value<'_>>,
    info: Option<Value<'_>>,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    let mut blocks = Blocks::new(0, notes);
    let text = blocks.notes.required_text(summary, "summaryText").into_owned();
    let raw = summary.map(|summary| around_text(summary, Some(summary))).unwrap_or_default();
    blocks.push(BlockKind::Text, text, raw);
    if let Some(info) = info.filter(|info| !info.is_null() && info.string_body() != Some("")) {
        blocks.push_text(BlockKind::Text, info, Some(info), "systemInfoText");
    }
    blocks.into_message(formed_message(Role::User, Author::Harness, MessageForm::Summary))
}
