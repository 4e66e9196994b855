//! Edits one message of a body: removes, replaces or adds parts.

use std::borrow::Cow;

use super::edit::{BodyEditRefusal, BodyPlace, MessageEdits};
use crate::content::gemini::{is_image, response_of};
use crate::content::openai_chat::{parts_beside, reasoning_of};
use crate::content::openai_items::ItemKind;
use crate::content::parts_of;
use crate::format::Format;
use crate::json::{JsonType, Object, Value, list, quoted};

pub(super) fn text_message(format: Format, text: &str) -> String {
    let part = list(&[text_part(format, text)]);
    match format {
        Format::Gemini => Object::new().text("role", "user").json("parts", &part).done(),
        Format::OpenaiChat => Object::new().text("role", "user").text("content", text).done(),
        Format::OpenaiResponses => {
            Object::with_type("message").text("role", "user").json("content", &part).done()
        }
        _ => Object::new().text("role", "user").json("content", &part).done(),
    }
}

fn text_part(format: Format, text: &str) -> String {
    match format {
        Format::Gemini => Object::new().text("text", text).done(),
        Format::OpenaiResponses => Object::with_type("input_text").text("text", text).done(),
        _ => Object::with_type("text").text("text", text).done(),
    }
}

pub(super) fn has_results(format: Format, message: Value<'_>) -> bool {
    match format {
        Format::OpenaiChat => matches!(&*message.text_of("role"), "tool" | "function"),
        Format::OpenaiResponses => matches!(ItemKind::parse(&message.text_of("type")), ItemKind::Output),
        Format::Gemini => {
            message.get("parts").into_iter().flat_map(Value::items).any(|part| response_of(part).is_some())
        }
        _ => {
            let parts = message.get("content").into_iter().flat_map(Value::items);
            message.text_of("role") != "assistant"
                && parts.into_iter().any(|part| part.text_of("type").ends_with("tool_result"))
        }
    }
}

/// Appends a message's parts to the message before it; `None` if the roles differ, or if one has no list of
/// parts.
pub(super) fn join_messages(format: Format, first: &str, second: &str) -> Option<String> {
    let key = parts_key(format);
    let [first, second] = [first, second].map(|text| Value::trusted(text, 0));
    let [before, behind] = [first, second].map(|message| message.get(key).and_then(Value::list));
    let (before, behind) = (before?, behind?);
    if first.text_of("role") != second.text_of("role") {
        return None;
    }
    let parts: Vec<String> = before.items().chain(behind.items()).map(|part| part.raw().to_owned()).collect();
    let (head, tail) = first.around(before)?;
    Some(format!("{head}{}{tail}", list(&parts)))
}

fn parts_key(format: Format) -> &'static str {
    if format == Format::Gemini { "parts" } else { "content" }
}

/// `None` if nothing of the message is left.
pub(super) fn rewrite_message(
    format: Format,
    message: Value<'_>,
    at: usize,
    edits: &MessageEdits<'_>,
) -> Result<Option<String>, BodyEditRefusal> {
    let kind = message.text_of("type");
    let is_item = format == Format::OpenaiResponses && !kind.is_empty() && kind != "message";
    let role = message.text_of("role");
    if is_item || format == Format::OpenaiChat && matches!(&*role, "tool" | "function") {
        return rewrite_item(format, message, at, edits);
    }
    if format == Format::OpenaiChat && role == "assistant" {
        return rewrite_chat_reply(message, at, edits);
    }
    let key = parts_key(format);
    let Some(content) = message.get(key) else { return Err(first_place(at, edits)) };
    let Some(parts) = rewrite_parts(format, content, at, edits)? else { return Ok(None) };
    let Some((head, tail)) = message.around(content) else { return Err(first_place(at, edits)) };
    Ok(Some(format!("{head}{parts}{tail}")))
}

fn first_place(at: usize, edits: &MessageEdits<'_>) -> BodyEditRefusal {
    let first =
        edits.removed.iter().chain(edits.replaced.keys()).chain(edits.inserted.iter().map(|(part, _)| part));
    BodyEditRefusal::NoPart(BodyPlace { message: at, part: first.min().copied().unwrap_or(0) })
}

fn rewrite_parts(
    format: Format,
    content: Value<'_>,
    at: usize,
    edits: &MessageEdits<'_>,
) -> Result<Option<String>, BodyEditRefusal> {
    let parts: Vec<(u32, Value<'_>)> = parts_of(Some(content)).collect();
    check_places(parts.len(), at, edits)?;
    let mut kept: Vec<String> = Vec::new();
    let mut texts = edits.inserted.iter().peekable();
    // Clients of Gemini put the pictures of a result behind it, and they go with it.
    let mut is_behind_edited = false;
    for (nth, part) in parts {
        while let Some((_, text)) = texts.next_if(|(before, _)| *before <= nth) {
            kept.push(text_part(format, text));
        }
        if format == Format::Gemini && is_behind_edited && is_image(part) {
            continue;
        }
        let is_response = format == Format::Gemini && response_of(part).is_some();
        is_behind_edited = is_response && (edits.removed.contains(&nth) || edits.replaced.contains_key(&nth));
        if edits.removed.contains(&nth) {
            continue;
        }
        kept.push(match edits.replaced.get(&nth) {
            None if part.kind() == JsonType::Text && format != Format::OpenaiChat => {
                text_part(format, &part.string().unwrap_or_default())
            }
            None if part.kind() == JsonType::Text => {
                Object::with_type("text").json("text", part.raw()).done()
            }
            None => part.raw().to_owned(),
            Some(text) => replace_content(format, part, text)
                .ok_or(BodyEditRefusal::NoResult(BodyPlace { message: at, part: nth }))?,
        });
    }
    kept.extend(texts.map(|(_, text)| text_part(format, text)));
    Ok((!kept.is_empty()).then(|| list(&kept)))
}

fn check_places(n_parts: usize, at: usize, edits: &MessageEdits<'_>) -> Result<(), BodyEditRefusal> {
    let last = edits.removed.iter().chain(edits.replaced.keys()).max();
    match last.filter(|part| **part as usize >= n_parts) {
        Some(part) => Err(BodyEditRefusal::NoPart(BodyPlace { message: at, part: *part })),
        None => Ok(()),
    }
}

/// `None` if the part is no result.
fn replace_content(format: Format, part: Value<'_>, text: &str) -> Option<String> {
    let (holder, key, new) = match format {
        Format::Gemini => (response_of(part)?, "response", Object::new().text("output", text).done()),
        Format::OpenaiResponses => (part, "output", quoted(text)),
        Format::OpenaiChat => (part, "content", quoted(text)),
        _ => (
            Some(part).filter(|part| part.text_of("type").ends_with("tool_result"))?,
            "content",
            quoted(text),
        ),
    };
    let (head, tail) = part.around(holder.get(key)?)?;
    Some(format!("{head}{new}{tail}"))
}

/// Edits an item of a list, or a tool's message: removes it whole, or replaces its output by a text.
fn rewrite_item(
    format: Format,
    item: Value<'_>,
    at: usize,
    edits: &MessageEdits<'_>,
) -> Result<Option<String>, BodyEditRefusal> {
    // A call that the provider answered itself is a call and a result.
    let n_parts = if ItemKind::parse(&item.text_of("type")) == ItemKind::ServedCall { 2 } else { 1 };
    check_places(n_parts, at, edits)?;
    if let Some((part, _)) = edits.inserted.first() {
        return Err(BodyEditRefusal::NoPart(BodyPlace { message: at, part: *part }));
    }
    if let Some((part, text)) = edits.replaced.iter().next() {
        let is_result = has_results(format, item) && *part == 0;
        let replaced = Some(item).filter(|_| is_result).and_then(|item| replace_content(format, item, text));
        return replaced.map(Some).ok_or(BodyEditRefusal::NoResult(BodyPlace { message: at, part: *part }));
    }
    match edits.removed.len() {
        0 => Ok(Some(item.raw().to_owned())),
        n if n == n_parts => Ok(None),
        _ => Err(first_place(at, edits)),
    }
}

/// Edits a Chat Completions reply, whose reasoning and calls stand beside its content.
fn rewrite_chat_reply(
    message: Value<'_>,
    at: usize,
    edits: &MessageEdits<'_>,
) -> Result<Option<String>, BodyEditRefusal> {
    if let Some(part) = edits.replaced.keys().next() {
        return Err(BodyEditRefusal::NoResult(BodyPlace { message: at, part: *part }));
    }
    if !edits.inserted.is_empty() {
        return Err(first_place(at, edits));
    }
    let reasoning = reasoning_of(message);
    let texts =
        parts_of(message.get("content")).map(|(_, part)| part).filter(|text| text.string_body() != Some(""));
    let all: Vec<Value<'_>> = reasoning.into_iter().chain(texts).chain(parts_beside(message)).collect();
    check_places(all.len(), at, edits)?;
    let is_kept = |value: Value<'_>| {
        let place = (0u32..).zip(&all).find(|(_, known)| std::ptr::eq(known.raw(), value.raw()));
        place.is_none_or(|(nth, _)| !edits.removed.contains(&nth))
    };
    let mut left: Vec<(Value<'_>, Cow<'_, str>)> = Vec::new();
    let mut has_content = false;
    for (key, value) in message.members() {
        let name = key.string().unwrap_or_default();
        let items: Vec<Value<'_>> = match &*name {
            "content" | "tool_calls" if value.kind() == JsonType::List => value.items().collect(),
            _ => vec![value],
        };
        let kept: Vec<String> =
            items.iter().filter(|item| is_kept(**item)).map(|item| item.raw().to_owned()).collect();
        let is_said = matches!(&*name, "content" | "tool_calls" | "function_call" | "refusal");
        has_content |= is_said && !kept.is_empty() && !value.is_null() && value.string_body() != Some("");
        if kept.len() == items.len() {
            left.push((key, Cow::Borrowed(value.raw())));
        } else if !kept.is_empty() {
            left.push((key, Cow::Owned(list(&kept))));
        } else if name == "content" {
            left.push((key, Cow::Borrowed("null")));
        }
    }
    let members: Vec<String> = left.iter().map(|(key, value)| format!("{}:{value}", key.raw())).collect();
    Ok(has_content.then(|| format!("{{{}}}", members.join(","))))
}
