//! The `messages` of a request to the Anthropic Messages API.

use cwl_engine::Provider;

use super::Rendering;
use super::layout::{Layout, Slot};
use super::object::{Object, body, list, quoted};
use super::part::{Answer, AnswerPart, Call, Part};
use super::reasoning::Reasoning;
use super::request::Request;
use super::rules::ANTHROPIC;
use super::source::text_part;

/// Writes the messages in the API's form: roles alternate, the results of a reply's calls stand in the user
/// message right behind it, every call has one. What the log holds of the system prompt and of the tools'
/// definitions goes beside them.
pub(super) fn render(mut request: Request<'_>) -> Rendering {
    let Layout { system, tools, messages, repairs } = Layout::of(&mut request, ANTHROPIC);
    let mut beside = Vec::new();
    match &system[..] {
        [] => {}
        [only] => beside.push(("system", quoted(only))),
        several => {
            let parts: Vec<String> = several.iter().map(|text| text_part(text)).collect();
            beside.push(("system", list(&parts)));
        }
    }
    let tools: Vec<String> = tools.iter().filter_map(|tool| tool.written(Provider::Anthropic)).collect();
    if !tools.is_empty() {
        beside.push(("tools", list(&tools)));
    }
    let written: Vec<String> = messages
        .iter()
        .map(|laid| {
            let role = if laid.slot == Slot::Assistant { "assistant" } else { "user" };
            let parts: Vec<String> = laid.parts.iter().map(part).collect();
            Object::new().text("role", role).json("content", &list(&parts)).done()
        })
        .collect();
    Rendering { body: body(beside, "messages", &written), repairs }
}

fn part(part: &Part) -> String {
    match part {
        Part::Text(text) => text_part(text),
        Part::Image(image) => image.anthropic(),
        Part::Reasoning(reasoning) => thinking(reasoning),
        Part::Call(call) => tool_use(call),
        Part::Answer(answer) => tool_result(answer),
        Part::Own(json) => json.clone(),
    }
}

fn thinking(reasoning: &Reasoning) -> String {
    if reasoning.redacted {
        return Object::of("redacted_thinking").text("data", &reasoning.signature).done();
    }
    let thinking = Object::of("thinking").text("thinking", &reasoning.text);
    thinking.text("signature", &reasoning.signature).done()
}

fn tool_use(call: &Call) -> String {
    Object::of("tool_use")
        .text("id", &call.id)
        .text("name", &call.name)
        .json("input", &call.input.json())
        .done()
}

fn tool_result(answer: &Answer) -> String {
    let parts: Vec<String> = answer
        .parts
        .iter()
        .map(|part| match part {
            AnswerPart::Text(text) => text_part(text),
            AnswerPart::Image(image) => image.anthropic(),
        })
        .collect();
    let content = (!parts.is_empty()).then(|| list(&parts));
    Object::of("tool_result")
        .text("tool_use_id", &answer.id)
        .maybe_json("content", content.as_deref())
        .flag("is_error", !answer.ok)
        .done()
}
