//! The `messages` of a request to the Anthropic Messages API.

use std::io::{self, Write};

use super::Repair;
use super::layout::{MessageLayout, RequestLayout, by_role};
use super::part::{RenderedAnswer, RenderedCall, SentPart};
use super::reasoning::SendableReasoning;
use super::request::ProviderRequest;
use super::rules::ANTHROPIC;
use super::source::text_part;
use crate::json::{Object, list, quoted};

/// Writes the messages: roles alternate, and every call has a result in the user message directly behind it.
///
/// The system prompt and the tool definitions stand beside the messages if the log holds them.
pub(super) fn write_request(request: &ProviderRequest<'_>, out: &mut dyn Write) -> io::Result<Vec<Repair>> {
    let layout = RequestLayout::lay_beside(request, ANTHROPIC);
    let system = match &layout.system[..] {
        [] => None,
        [only] => Some(quoted(only)),
        several => Some(list(&several.iter().map(|text| text_part(text)).collect::<Vec<_>>())),
    };
    let system = system.map(|json| ("system", json));
    let written = |laid: &MessageLayout| by_role(laid, "assistant", "content", part_json);
    layout.write_request((request, ANTHROPIC), system, "messages", &written, out)
}

fn part_json(part: &SentPart) -> String {
    match part {
        SentPart::Text(text) => text_part(text),
        SentPart::Image(image) => image.anthropic_json(),
        SentPart::Reasoning(reasoning) => thinking_json(reasoning),
        SentPart::Call(call) => tool_use(call),
        SentPart::Answer(answer) => tool_result(answer),
        SentPart::Own(json) => json.clone(),
    }
}

fn thinking_json(reasoning: &SendableReasoning) -> String {
    if reasoning.redacted {
        return Object::with_type("redacted_thinking").text("data", &reasoning.signature).done();
    }
    let thinking = Object::with_type("thinking").text("thinking", &reasoning.text);
    thinking.text("signature", &reasoning.signature).done()
}

fn tool_use(call: &RenderedCall) -> String {
    Object::with_type("tool_use")
        .text("id", &call.id)
        .text("name", &call.name)
        .json("input", &call.input.as_object())
        .done()
}

fn tool_result(answer: &RenderedAnswer) -> String {
    let parts: Vec<String> = answer.parts.iter().map(part_json).collect();
    let content = (!parts.is_empty()).then(|| list(&parts));
    Object::with_type("tool_result")
        .text("tool_use_id", &answer.id)
        .maybe_json("content", content.as_deref())
        .flag("is_error", !answer.ok)
        .done()
}
