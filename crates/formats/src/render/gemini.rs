//! The `contents` of a request to Gemini's `generateContent`.

use std::io::{self, Write};

use super::Repair;
use super::layout::{MessageLayout, RequestLayout, by_role};
use super::part::{RenderedAnswer, RenderedCall, SentPart};
use super::reasoning::SendableReasoning;
use super::request::ProviderRequest;
use super::rules::GEMINI;
use crate::json::{Object, list};

/// Writes the contents: user and model alternate, and the responses to a turn's calls stand in the next turn.
///
/// The system prompt and the tool definitions stand beside the contents if the log holds them.
pub(super) fn write_request(request: &ProviderRequest<'_>, out: &mut dyn Write) -> io::Result<Vec<Repair>> {
    let layout = RequestLayout::lay_beside(request, GEMINI);
    let system: Vec<String> = layout.system.iter().map(|text| text_part(text)).collect();
    let system = (!system.is_empty())
        .then(|| ("systemInstruction", Object::new().json("parts", &list(&system)).done()));
    let written = |laid: &MessageLayout| by_role(laid, "model", "parts", part_json);
    layout.write_request((request, GEMINI), system, "contents", &written, out)
}

fn text_part(text: &str) -> String {
    Object::new().text("text", text).done()
}

fn part_json(part: &SentPart) -> String {
    match part {
        SentPart::Text(text) => text_part(text),
        SentPart::Image(image) => image.gemini_json(),
        SentPart::Reasoning(reasoning) => thought_json(reasoning),
        SentPart::Call(call) => function_call(call),
        SentPart::Answer(answer) => function_response(answer),
        SentPart::Own(json) => json.clone(),
    }
}

fn thought_json(reasoning: &SendableReasoning) -> String {
    let thought = Object::new().text("text", &reasoning.text).flag("thought", true);
    let signature = Some(&*reasoning.signature).filter(|signature| !signature.is_empty());
    thought.maybe_text("thoughtSignature", signature).done()
}

fn function_call(call: &RenderedCall) -> String {
    let of_call = with_id(&call.id).text("name", &call.name).json("args", &call.input.as_object());
    let part = Object::new().json("functionCall", &of_call.done());
    part.maybe_text("thoughtSignature", call.signature.as_deref()).done()
}

fn function_response(answer: &RenderedAnswer) -> String {
    let key = if answer.ok { "output" } else { "error" };
    let response = Object::new().text(key, &answer.joined_text()).done();
    let answer = with_id(&answer.id).text("name", &answer.name).json("response", &response);
    Object::new().json("functionResponse", &answer.done()).done()
}

fn with_id(id: &str) -> Object {
    if id.is_empty() { Object::new() } else { Object::new().text("id", id) }
}
