//! The `contents` of a request to Gemini's `generateContent`.

use cwl_engine::Provider;

use super::Rendering;
use super::layout::{Layout, Slot};
use super::object::{Object, body, list, quoted};
use super::part::{Answer, Call, Part};
use super::reasoning::Reasoning;
use super::request::Request;
use super::rules::GEMINI;

/// Writes the contents in the API's form: user and model take turns, the answers to a turn's calls stand in
/// the next one, each with its tool's name. What the log holds of the system prompt and of the tools'
/// definitions goes beside them.
pub(super) fn render(mut request: Request<'_>) -> Rendering {
    let Layout { system, tools, messages, repairs } = Layout::of(&mut request, GEMINI);
    let mut beside = Vec::new();
    if !system.is_empty() {
        let parts: Vec<String> = system.iter().map(|text| text_part(text)).collect();
        beside.push(("systemInstruction", Object::new().json("parts", &list(&parts)).done()));
    }
    let tools: Vec<String> = tools.iter().filter_map(|tool| tool.written(Provider::Gemini)).collect();
    if !tools.is_empty() {
        let declared = Object::new().json("functionDeclarations", &list(&tools)).done();
        beside.push(("tools", list(&[declared])));
    }
    let written: Vec<String> = messages
        .iter()
        .map(|laid| {
            let role = if laid.slot == Slot::Assistant { "model" } else { "user" };
            let parts: Vec<String> = laid.parts.iter().map(part).collect();
            Object::new().text("role", role).json("parts", &list(&parts)).done()
        })
        .collect();
    Rendering { body: body(beside, "contents", &written), repairs }
}

fn text_part(text: &str) -> String {
    Object::new().text("text", text).done()
}

fn part(part: &Part) -> String {
    match part {
        Part::Text(text) => text_part(text),
        Part::Image(image) => image.gemini(),
        Part::Reasoning(reasoning) => thought(reasoning),
        Part::Call(call) => function_call(call),
        Part::Answer(answer) => function_response(answer),
        Part::Own(json) => json.clone(),
    }
}

fn thought(reasoning: &Reasoning) -> String {
    let thought = Object::new().text("text", &reasoning.text).flag("thought", true);
    thought.text("thoughtSignature", &reasoning.signature).done()
}

fn function_call(call: &Call) -> String {
    let of_call = with_id(&call.id).text("name", &call.name).json("args", &call.input.json());
    let part = Object::new().json("functionCall", &of_call.done());
    let signature = call.signature.as_deref().map(quoted);
    part.maybe_json("thoughtSignature", signature.as_deref()).done()
}

fn function_response(answer: &Answer) -> String {
    let key = if answer.ok { "output" } else { "error" };
    let response = Object::new().text(key, &answer.text()).done();
    let answer = with_id(&answer.id).text("name", &answer.name).json("response", &response);
    Object::new().json("functionResponse", &answer.done()).done()
}

/// Begins a call or an answer, with its id where it has one.
fn with_id(id: &str) -> Object {
    if id.is_empty() { Object::new() } else { Object::new().text("id", id) }
}
