//! The `messages` of a request to the OpenAI Chat Completions API.

use cwl_engine::Provider;

use super::Rendering;
use super::image::Image;
use super::layout::{Laid, Layout, Slot};
use super::part::{Answer, SentPart};
use super::request::Request;
use super::rules::OPENAI_CHAT;
use super::source::text_part;
use crate::content::openai_chat::REASONING_FIELDS;
use crate::json::{Object, list, quoted};

/// Writes the messages in the API's form: a reply's calls beside its text, each result in a message of the
/// tool's right behind, instructions as messages of the system's.
pub(super) fn render(mut request: Request<'_>) -> Rendering {
    let layout = Layout::of(&mut request, OPENAI_CHAT);
    let mut written = Vec::new();
    for laid in &layout.messages {
        match laid.slot {
            Slot::System => written.push(message("system", &laid.parts)),
            Slot::Assistant => written.push(reply(laid)),
            Slot::User => {
                let (answers, said): (Vec<&SentPart>, Vec<&SentPart>) =
                    laid.parts.iter().partition(|part| matches!(part, SentPart::Answer(_)));
                written.extend(answers.into_iter().filter_map(|part| match part {
                    SentPart::Answer(answer) => Some(tool(answer)),
                    _ => None,
                }));
                if !said.is_empty() {
                    written.push(message("user", said));
                }
            }
        }
    }
    layout.rendering(Provider::OpenAiChat, None, "messages", &written)
}

fn message<'p>(role: &str, parts: impl IntoIterator<Item = &'p SentPart>) -> String {
    let parts: Vec<&SentPart> = parts.into_iter().collect();
    Object::new().text("role", role).json("content", &content(&parts)).done()
}

/// Writes a text alone as a string, several parts as a list.
fn content(parts: &[&SentPart]) -> String {
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
    let url = Object::new().text("url", &image.address()).done();
    Object::of("image_url").json("image_url", &url).done()
}

fn reply(laid: &Laid) -> String {
    let is_said = |part: &&SentPart| matches!(part, SentPart::Text(_) | SentPart::Own(_));
    let said: Vec<&SentPart> = laid.parts.iter().filter(is_said).collect();
    let mut object = Object::new().text("role", "assistant");
    object = object.json("content", &if said.is_empty() { "null".to_owned() } else { content(&said) });
    for field in REASONING_FIELDS {
        let of_field: Vec<&str> = laid
            .parts
            .iter()
            .filter_map(|part| match part {
                SentPart::Reasoning(reasoning) => Some(reasoning),
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
            SentPart::Call(call) => {
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
