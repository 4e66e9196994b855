//! The `messages` of a request to the OpenAI Chat Completions API.

use cwl_engine::Provider;

use super::Rendering;
use super::image::Image;
use super::layout::{Laid, Layout, Slot};
use super::object::{Object, body, list, quoted};
use super::part::{Answer, Part};
use super::request::Request;
use super::rules::OPENAI_CHAT;
use super::source::text_part;

/// The fields in which models behind this API give their reasoning; pi keeps the name as its signature.
const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// Writes the messages in the API's form: a reply's calls beside its text, each result in a message of the
/// tool's right behind, instructions as messages of the system's.
pub(super) fn render(mut request: Request<'_>) -> Rendering {
    let Layout { tools, messages, repairs, .. } = Layout::of(&mut request, OPENAI_CHAT);
    let tools: Vec<String> = tools.iter().filter_map(|tool| tool.written(Provider::OpenAiChat)).collect();
    let beside = if tools.is_empty() { Vec::new() } else { vec![("tools", list(&tools))] };
    let mut written = Vec::new();
    for laid in &messages {
        match laid.slot {
            Slot::System => written.push(message("system", &laid.parts)),
            Slot::Assistant => written.push(reply(laid)),
            Slot::User => {
                let (answers, said): (Vec<&Part>, Vec<&Part>) =
                    laid.parts.iter().partition(|part| matches!(part, Part::Answer(_)));
                written.extend(answers.into_iter().filter_map(|part| match part {
                    Part::Answer(answer) => Some(tool(answer)),
                    _ => None,
                }));
                if !said.is_empty() {
                    written.push(message("user", said));
                }
            }
        }
    }
    Rendering { body: body(beside, "messages", &written), repairs }
}

fn message<'p>(role: &str, parts: impl IntoIterator<Item = &'p Part>) -> String {
    let parts: Vec<&Part> = parts.into_iter().collect();
    Object::new().text("role", role).json("content", &content(&parts)).done()
}

/// Writes a text alone as a string, several parts as a list.
fn content(parts: &[&Part]) -> String {
    if let [Part::Text(text)] = parts {
        return quoted(text);
    }
    let parts: Vec<String> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text_part(text)),
            Part::Image(image) => Some(image_url(image)),
            Part::Own(json) => Some(json.clone()),
            Part::Reasoning(_) | Part::Call(_) | Part::Answer(_) => None,
        })
        .collect();
    list(&parts)
}

fn image_url(image: &Image) -> String {
    let url = Object::new().text("url", &image.address()).done();
    Object::of("image_url").json("image_url", &url).done()
}

fn reply(laid: &Laid) -> String {
    let is_said = |part: &&Part| matches!(part, Part::Text(_) | Part::Own(_));
    let said: Vec<&Part> = laid.parts.iter().filter(is_said).collect();
    let mut object = Object::new().text("role", "assistant");
    object = object.json("content", &if said.is_empty() { "null".to_owned() } else { content(&said) });
    for field in REASONING_FIELDS {
        let of_field: Vec<&str> = laid
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Reasoning(reasoning) => Some(reasoning),
                _ => None,
            })
            .filter(|reasoning| field_of(&reasoning.signature) == field)
            .map(|reasoning| reasoning.text.as_str())
            .collect();
        if !of_field.is_empty() {
            object = object.text(field, &of_field.join("\n"));
        }
    }
    let calls: Vec<String> = laid
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Call(call) => {
                let function = Object::new().text("name", &call.name).text("arguments", &call.input.json());
                let call = Object::new().text("id", &call.id).text("type", "function");
                Some(call.json("function", &function.done()).done())
            }
            _ => None,
        })
        .collect();
    if !calls.is_empty() {
        object = object.json("tool_calls", &list(&calls));
    }
    object.done()
}

fn field_of(signature: &str) -> &str {
    REASONING_FIELDS.into_iter().find(|field| *field == signature).unwrap_or(REASONING_FIELDS[0])
}

fn tool(answer: &Answer) -> String {
    let texts: Vec<&str> = answer.texts().collect();
    let content = match texts[..] {
        [] => quoted(""),
        [only] => quoted(only),
        _ => list(&texts.into_iter().map(text_part).collect::<Vec<_>>()),
    };
    Object::new().text("role", "tool").text("tool_call_id", &answer.id).json("content", &content).done()
}
