//! The `input` of a request to the OpenAI Responses API.

use std::io::{self, Write};

use super::Repair;
use super::layout::{Laid, Layout, Slot};
use super::own::is_item;
use super::part::{Answer, Call, Input, SentPart};
use super::reasoning::Reasoning;
use super::request::Request;
use super::rules::OPENAI_RESPONSES;
use crate::json::{Object, Value, list, quoted};

/// Writes the items in the API's form: messages, calls and their outputs each for itself, reasoning with what
/// is encrypted of it. The first instructions go beside them, later ones are the developer's messages.
pub(super) fn write(request: &Request<'_>, out: &mut dyn Write) -> io::Result<Vec<Repair>> {
    let layout = Layout::beside(request, OPENAI_RESPONSES);
    let system = layout.instructions().map(|text| ("instructions", quoted(&text)));
    layout.write((request, OPENAI_RESPONSES), system, "input", &items, out)
}

/// Writes one message as items: texts and images in a row are one item.
fn items(laid: &Laid) -> Vec<String> {
    let (role, text_kind) = match laid.slot {
        Slot::System => ("developer", "input_text"),
        Slot::User => ("user", "input_text"),
        Slot::Assistant => ("assistant", "output_text"),
    };
    let mut items = Vec::new();
    let mut parts: Vec<String> = Vec::new();
    let message = |parts: &mut Vec<String>, items: &mut Vec<String>| {
        if !parts.is_empty() {
            items.push(Object::of("message").text("role", role).json("content", &list(parts)).done());
            parts.clear();
        }
    };
    for part in &laid.parts {
        let item = match part {
            SentPart::Reasoning(own) => reasoning(own),
            SentPart::Call(call) => function_call(call),
            SentPart::Answer(answer) => output(answer),
            SentPart::Own(json) if is_item(Value::trusted(json, 0)) => json.clone(),
            SentPart::Text(_) | SentPart::Image(_) | SentPart::Own(_) => {
                parts.extend(said(part, text_kind));
                continue;
            }
        };
        message(&mut parts, &mut items);
        items.push(item);
    }
    message(&mut parts, &mut items);
    items
}

/// Writes a part that stands in a message or an output; `None` for one that is an item of its own.
fn said(part: &SentPart, text_kind: &str) -> Option<String> {
    match part {
        SentPart::Text(text) => Some(Object::of(text_kind).text("text", text).done()),
        SentPart::Image(image) => Some(Object::of("input_image").text("image_url", &image.address()).done()),
        SentPart::Own(json) => Some(json.clone()),
        SentPart::Reasoning(_) | SentPart::Call(_) | SentPart::Answer(_) => None,
    }
}

fn reasoning(reasoning: &Reasoning) -> String {
    let of_text = || {
        let text = &reasoning.text;
        if text.is_empty() {
            return "[]".to_owned();
        }
        list(&[Object::of("summary_text").text("text", text).done()])
    };
    let item = &reasoning.item;
    let summary = item.summary.clone().unwrap_or_else(of_text);
    Object::of("reasoning")
        .maybe_json("id", item.id.as_deref())
        .json("summary", &summary)
        .maybe_json("content", item.content.as_deref())
        .text("encrypted_content", &reasoning.signature)
        .done()
}

fn function_call(call: &Call) -> String {
    let object = |kind, name: &str| Object::of(kind).text("call_id", &call.id).text("name", name);
    match (&call.input, &call.own) {
        (Input::Free(input), _) => object("custom_tool_call", &call.name).text("input", input).done(),
        (_, Some(own)) => object("function_call", &own.name)
            .maybe_text("namespace", own.namespace.as_deref())
            .text("arguments", &own.arguments)
            .done(),
        (input, None) => object("function_call", &call.name).text("arguments", &input.json()).done(),
    }
}

fn output(answer: &Answer) -> String {
    let kind = if answer.free { "custom_tool_call_output" } else { "function_call_output" };
    let output = match &answer.parts[..] {
        [] => quoted(""),
        [SentPart::Text(only)] => quoted(only),
        parts => list(&parts.iter().filter_map(|part| said(part, "input_text")).collect::<Vec<_>>()),
    };
    Object::of(kind).text("call_id", &answer.id).json("output", &output).done()
}
