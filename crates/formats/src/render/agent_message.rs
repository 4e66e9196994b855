//! Renders messages of any agent's log as pi would pass them to its provider layer.

use std::io::{self, Write};

use cwl_engine::Provider;

use super::Repair;
use super::layout::{MessageLayout, MessageSlot, RequestLayout};
use super::part::{RenderedAnswer, SentPart};
use super::reasoning::{SendableReasoning, maker_of};
use super::request::ProviderRequest;
use super::rules::PI;
use super::source::text_part;
use crate::json::{Object, list, quoted};

/// Writes `user`, `assistant` and `toolResult` messages, with system prompt and tool definitions beside them
/// if the log holds them.
pub(super) fn write_request(request: &ProviderRequest<'_>, out: &mut dyn Write) -> io::Result<Vec<Repair>> {
    let layout = RequestLayout::lay_beside(request, PI);
    let system = layout.join_instructions().map(|text| ("systemPrompt", quoted(&text)));
    let written = |laid: &MessageLayout| message_rows(request, laid);
    layout.write_request((request, PI), system, "messages", &written, out)
}

fn message_rows(request: &ProviderRequest<'_>, laid: &MessageLayout) -> Vec<String> {
    let at_ms = laid.message.and_then(|idx| request.session.messages[idx.at()].at_ms);
    let stamp = at_ms.map(|ms| ms.to_string());
    if laid.slot == MessageSlot::Assistant {
        return vec![reply_row(request, laid, stamp.as_deref())];
    }
    let mut messages = Vec::new();
    let mut said = Vec::new();
    for part in &laid.parts {
        match part {
            SentPart::Answer(answer) => messages.push(tool_result(answer, stamp.as_deref())),
            other => said.extend(written_part(other)),
        }
    }
    if !said.is_empty() {
        let message = Object::new().text("role", "user").json("content", &list(&said));
        messages.push(message.maybe_json("timestamp", stamp.as_deref()).done());
    }
    messages
}

fn written_part(part: &SentPart) -> Option<String> {
    match part {
        SentPart::Text(text) => Some(text_part(text)),
        SentPart::Image(image) => image.pi_json(),
        SentPart::Reasoning(reasoning) => Some(thinking_block(reasoning)),
        SentPart::Call(call) => {
            let object = Object::with_type("toolCall").text("id", &call.id).text("name", &call.name);
            let object = object.json("arguments", &call.input.as_object());
            Some(object.maybe_text("thoughtSignature", call.signature.as_deref()).done())
        }
        SentPart::Answer(_) | SentPart::Own(_) => None,
    }
}

fn reply_row(request: &ProviderRequest<'_>, laid: &MessageLayout, stamp: Option<&str>) -> String {
    let parts: Vec<String> = laid.parts.iter().filter_map(written_part).collect();
    let has_calls = laid.parts.iter().any(|part| matches!(part, SentPart::Call(_)));
    let mut object = Object::new().text("role", "assistant").json("content", &list(&parts));
    if let Some(idx) = laid.message {
        let row = &request.session.messages[idx.at()];
        if let Some([api, provider]) = maker_of(request, row, None).and_then(names_in_pi) {
            object = object.text("api", api).text("provider", provider);
        }
        if let Some(model) = &row.model {
            object = object.text("model", model.split_once('/').map_or(model, |(_, model)| model));
        }
    }
    let object = object.text("stopReason", if has_calls { "toolUse" } else { "stop" });
    object.maybe_json("timestamp", stamp).done()
}

fn names_in_pi(maker: Provider) -> Option<[&'static str; 2]> {
    match maker {
        Provider::Anthropic => Some(["anthropic-messages", "anthropic"]),
        Provider::OpenAiResponses => Some(["openai-responses", "openai"]),
        Provider::OpenAiChat => Some(["openai-completions", "openai"]),
        Provider::Gemini => Some(["google-generative-ai", "google"]),
        Provider::Pi => None,
    }
}

fn thinking_block(reasoning: &SendableReasoning) -> String {
    let signature = match reasoning.maker {
        Some(Provider::OpenAiResponses) if reasoning.is_provable() => {
            let item = &reasoning.item;
            let object = Object::with_type("reasoning").maybe_json("id", item.id.as_deref());
            let object = object.json("summary", item.summary.as_deref().unwrap_or("[]"));
            object.text("encrypted_content", &reasoning.signature).done()
        }
        Some(Provider::OpenAiChat) if reasoning.signature.is_empty() => "reasoning_content".to_owned(),
        _ => reasoning.signature.clone(),
    };
    let object = Object::with_type("thinking").text("thinking", &reasoning.text);
    let signature = Some(&*signature).filter(|signature| !signature.is_empty());
    let object = object.maybe_text("thinkingSignature", signature);
    if reasoning.redacted { object.flag("redacted", true).done() } else { object.done() }
}

fn tool_result(answer: &RenderedAnswer, stamp: Option<&str>) -> String {
    let parts: Vec<String> = answer.parts.iter().filter_map(written_part).collect();
    Object::new()
        .text("role", "toolResult")
        .text("toolCallId", &answer.id)
        .text("toolName", &answer.name)
        .json("content", &list(&parts))
        .flag("isError", !answer.ok)
        .maybe_json("timestamp", stamp)
        .done()
}
