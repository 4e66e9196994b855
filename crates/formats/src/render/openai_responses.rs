//! The `input` of a request to the OpenAI Responses API.

use std::io::{self, Write};

use super::Repair;
use super::layout::{MessageLayout, MessageSlot, RequestLayout};
use super::own::is_item;
use super::part::{Input, RenderedAnswer, RenderedCall, SentPart};
use super::reasoning::SendableReasoning;
use super::request::ProviderRequest;
use super::rules::OPENAI_RESPONSES;
use crate::json::{Object, Value, list, quoted};

/// Writes the items: messages, calls, outputs, and reasoning with its encrypted content.
///
/// The first instructions stand beside the items; later ones are `developer` messages.
pub(super) fn write_request(request: &ProviderRequest<'_>, out: &mut dyn Write) -> io::Result<Vec<Repair>> {
    let layout = RequestLayout::lay_beside(request, OPENAI_RESPONSES);
    let system = layout.join_instructions().map(|text| ("instructions", quoted(&text)));
    layout.write_request((request, OPENAI_RESPONSES), system, "input", &message_items, out)
}

fn message_items(laid: &MessageLayout) -> Vec<String> {
    let (role, text_kind) = match laid.slot {
        MessageSlot::System => ("developer", "input_text"),
        MessageSlot::User => ("user", "input_text"),
        MessageSlot::Assistant => ("assistant", "output_text"),
    };
    let mut items = Vec::new();
    let mut parts: Vec<String> = Vec::new();
    let message = |parts: &mut Vec<String>, items: &mut Vec<String>| {
        if !parts.is_empty() {
            items.push(Object::with_type("message").text("role", role).json("content", &list(parts)).done());
            parts.clear();
        }
    };
    for part in &laid.parts {
        let item = match part {
            SentPart::Reasoning(own) => reasoning_item(own),
            SentPart::Call(call) => function_call(call),
            SentPart::Answer(answer) => output_item(answer),
            SentPart::Own(json) if is_item(Value::trusted(json, 0)) => json.clone(),
            SentPart::Text(_) | SentPart::Image(_) | SentPart::Own(_) => {
                parts.extend(part_item(part, text_kind));
                continue;
            }
        };
        message(&mut parts, &mut items);
        items.push(item);
    }
    message(&mut parts, &mut items);
    items
}

/// Writes a part of a message or an output; `None` for a part that is an item itself.
fn part_item(part: &SentPart, text_kind: &str) -> Option<String> {
    match part {
        SentPart::Text(text) => Some(Object::with_type(text_kind).text("text", text).done()),
        SentPart::Image(image) => {
            Some(Object::with_type("input_image").text("image_url", &image.as_address()).done())
        }
        SentPart::Own(json) => Some(json.clone()),
        SentPart::Reasoning(_) | SentPart::Call(_) | SentPart::Answer(_) => None,
    }
}

fn reasoning_item(reasoning: &SendableReasoning) -> String {
    let of_text = || {
        let text = &reasoning.text;
        if text.is_empty() {
            return "[]".to_owned();
        }
        list(&[Object::with_type("summary_text").text("text", text).done()])
    };
    let item = &reasoning.item;
    let summary = item.summary.clone().unwrap_or_else(of_text);
    Object::with_type("reasoning")
        .maybe_json("id", item.id.as_deref())
        .json("summary", &summary)
        .maybe_json("content", item.content.as_deref())
        .text("encrypted_content", &reasoning.signature)
        .done()
}

fn function_call(call: &RenderedCall) -> String {
    let object = |kind, name: &str| Object::with_type(kind).text("call_id", &call.id).text("name", name);
    match (&call.input, &call.own) {
        (Input::Free(input), _) => object("custom_tool_call", &call.name).text("input", input).done(),
        (_, Some(own)) => object("function_call", &own.name)
            .maybe_text("namespace", own.namespace.as_deref())
            .text("arguments", &own.arguments)
            .done(),
        (input, None) => object("function_call", &call.name).text("arguments", &input.as_object()).done(),
    }
}

fn output_item(answer: &RenderedAnswer) -> String {
    let kind = if answer.free { "custom_tool_call_output" } else { "function_call_output" };
    let output = match &answer.parts[..] {
        [] => quoted(""),
        [SentPart::Text(only)] => quoted(only),
        parts => list(&parts.iter().filter_map(|part| part_item(part, "input_text")).collect::<Vec<_>>()),
    };
    Object::with_type(kind).text("call_id", &answer.id).json("output", &output).done()
}
