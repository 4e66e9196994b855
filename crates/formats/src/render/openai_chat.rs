//! The `messages` of a request to the OpenAI Chat Completions API.

use std::io::{self, Write};

use super::Repair;
use super::image::Image;
use super::layout::{MessageLayout, MessageSlot, RequestLayout};
use super::part::{RenderedAnswer, RenderedCall, SentPart};
use super::request::ProviderRequest;
use super::rules::OPENAI_CHAT;
use super::source::text_part;
use crate::content::openai_chat::REASONING_FIELDS;
use crate::json::{Object, list, quoted};

/// Writes the messages: calls beside the reply's text, each result as a `tool` message directly behind,
/// instructions as `system` messages.
pub(super) fn write_request(request: &ProviderRequest<'_>, out: &mut dyn Write) -> io::Result<Vec<Repair>> {
    let layout = RequestLayout::lay_beside(request, OPENAI_CHAT);
    layout.write_request((request, OPENAI_CHAT), None, "messages", &message_rows, out)
}

fn message_rows(laid: &MessageLayout) -> Vec<String> {
    match laid.slot {
        MessageSlot::System => vec![message_json("system", &laid.parts)],
        MessageSlot::Assistant => vec![reply_json(laid)],
        MessageSlot::User => {
            let mut written = Vec::new();
            let mut said = Vec::new();
            for part in &laid.parts {
                match part {
                    SentPart::Answer(answer) => written.push(tool_json(answer)),
                    other => said.push(other),
                }
            }
            if !said.is_empty() {
                written.push(message_json("user", said));
            }
            written
        }
    }
}

fn message_json<'p>(role: &str, parts: impl IntoIterator<Item = &'p SentPart>) -> String {
    let parts: Vec<&SentPart> = parts.into_iter().collect();
    Object::new().text("role", role).json("content", &content_json(&parts)).done()
}

fn content_json(parts: &[&SentPart]) -> String {
    if let [SentPart::Text(text)] = parts {
        return quoted(text);
    }
    let parts: Vec<String> = parts
        .iter()
        .filter_map(|part| match part {
            SentPart::Text(text) => Some(text_part(text)),
            SentPart::Image(image) => Some(image_url(image)),
            SentPart::Own(json) => Some(json.clone()),
            SentPart::Reasoning(_) | SentPart::Call(_) | SentPart::Answer(_) => None,
        })
        .collect();
    list(&parts)
}

fn image_url(image: &Image) -> String {
    let url = Object::new().text("url", &image.as_address()).done();
    Object::with_type("image_url").json("image_url", &url).done()
}

fn reply_json(laid: &MessageLayout) -> String {
    let (mut said, mut calls) = (Vec::new(), Vec::new());
    let mut thoughts = REASONING_FIELDS.map(|field| (field, Vec::new()));
    for part in &laid.parts {
        match part {
            SentPart::Text(_) | SentPart::Own(_) => said.push(part),
            SentPart::Reasoning(reasoning) => {
                // The log stores the field's name as a signature.
                let at = REASONING_FIELDS.iter().position(|field| *field == reasoning.signature);
                thoughts[at.unwrap_or(0)].1.push(reasoning.text.as_str());
            }
            SentPart::Call(call) => calls.push(tool_call(call)),
            SentPart::Image(_) | SentPart::Answer(_) => {}
        }
    }
    let mut object = Object::new().text("role", "assistant");
    object = object.json("content", &if said.is_empty() { "null".to_owned() } else { content_json(&said) });
    for (field, texts) in thoughts.iter().filter(|(_, texts)| !texts.is_empty()) {
        object = object.text(field, &texts.join("\n"));
    }
    if !calls.is_empty() {
        object = object.json("tool_calls", &list(&calls));
    }
    object.done()
}

fn tool_call(call: &RenderedCall) -> String {
    let function = Object::new().text("name", &call.name).text("arguments", &call.input.as_object());
    Object::new().text("id", &call.id).text("type", "function").json("function", &function.done()).done()
}

fn tool_json(answer: &RenderedAnswer) -> String {
    let texts: Vec<&str> = answer.non_empty_texts().collect();
    let content = match texts[..] {
        [] => quoted(""),
        [only] => quoted(only),
        _ => list(&texts.into_iter().map(text_part).collect::<Vec<_>>()),
    };
    Object::new().text("role", "tool").text("tool_call_id", &answer.id).json("content", &content).done()
}
