//! Bodies of the Gemini API.

use cwl_engine::{BlockKind, Problem, ToolCallId, ToolResult, Usage};

use super::item::{Item, Scribe};
use super::parts::{
    Run, close_reply, empty_reply, envelope, items_of, parts_of, push_image, push_text_part, push_unknown,
    system_item, text_member, tools_item, usage_with_cache,
};
use super::{Body, Request, Response};
use crate::blocks::{Blocks, call_of};
use crate::json::{Kind, Value, js_json};
use crate::payload::{around_text, whole};

/// Tells whether a body, which may be cut at its end, is of this API.
pub(crate) fn recognises(body: Value<'_>) -> bool {
    let [contents, system, snake, candidates] =
        body.fields(["contents", "systemInstruction", "system_instruction", "candidates"]);
    let has_parts = |content: Value<'_>| content.fields(["parts"])[0].is_some();
    match contents.filter(|contents| contents.kind() == Kind::List) {
        Some(contents) => contents.items().next().map_or(system.or(snake).is_some(), has_parts),
        None => {
            let candidate = candidates.and_then(|candidates| candidates.items().next());
            let is_answer = candidate.is_some_and(|candidate| candidate.fields(["content"])[0].is_some());
            is_answer || system.or(snake).is_some_and(has_parts)
        }
    }
}

/// Reads a body; `None` where it is neither a request nor a response.
pub(super) fn read(body: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Body> {
    let [contents, system, snake, tools, candidates, usage, version, id, model] = body.fields([
        "contents",
        "systemInstruction",
        "system_instruction",
        "tools",
        "candidates",
        "usageMetadata",
        "modelVersion",
        "responseId",
        "model",
    ]);
    let text = |value: Option<Value<'_>>| value.and_then(Value::text).map(|text| text.value.into_owned());
    if let Some(contents) = contents.filter(|contents| contents.kind() == Kind::List) {
        let mut head: Vec<Item> = Vec::new();
        let declared = tools.into_iter().flat_map(Value::items).flat_map(|tool| {
            let [camel, snake] = tool.fields(["functionDeclarations", "function_declarations"]);
            let list = camel.or(snake);
            // Tools of the provider's own have no declaration.
            let own = if list.is_none() { Some(tool) } else { None };
            list.into_iter().flat_map(Value::items).chain(own)
        });
        head.extend(tools_item(scribe, declared));
        let system = system.or(snake).map(|system| system.fields(["parts"])[0].unwrap_or(system));
        head.extend(system_item(scribe, "systemInstruction", system));
        let items = (0..)
            .zip(contents.items())
            .flat_map(|(at, content)| content_items(content, &format!("{at}"), scribe, problems))
            .collect();
        return Some(Body::Request(Request { head, items, model: text(model), previous: None, reply: None }));
    }
    let candidate = candidates?.items().next()?;
    let content = candidate.fields(["content"])[0]?;
    let mut items = content_items(content, "reply", scribe, problems);
    let usage = usage.and_then(|usage| read_usage(usage, scribe, problems));
    close_reply(&mut items, usage, text(version).as_deref(), None, || {
        empty_reply(scribe, "reply", whole(candidate))
    });
    Some(Body::Response(Response { items, id: text(id) }))
}

fn read_usage(usage: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Usage> {
    if usage.kind() != Kind::Object {
        return None;
    }
    let mut notes = scribe.notes("reply", problems);
    let [prompt, cached, answer, thoughts, tools] = usage.fields([
        "promptTokenCount",
        "cachedContentTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "toolUsePromptTokenCount",
    ]);
    let prompt = notes.count(prompt, "promptTokenCount").unwrap_or(0);
    let tools = notes.count(tools, "toolUsePromptTokenCount").unwrap_or(0);
    let cached = notes.count(cached, "cachedContentTokenCount").unwrap_or(0);
    let answer = notes.count(answer, "candidatesTokenCount").unwrap_or(0);
    let thoughts = notes.count(thoughts, "thoughtsTokenCount").unwrap_or(0);
    Some(usage_with_cache(prompt.saturating_add(tools), cached, answer.saturating_add(thoughts)))
}

fn content_items(content: Value<'_>, place: &str, scribe: &Scribe, problems: &mut Vec<Problem>) -> Vec<Item> {
    let [parts] = content.fields(["parts"]);
    let is_model = text_member(content, "role") == "model" || place == "reply";
    let parts = parts_of(parts, || scribe.notes(place, problems).odd("parts"));
    let parts: Vec<(Run, Value<'_>)> = parts.map(|part| (run_of(is_model, part), part)).collect();
    let own = content.fields(["parts"])[0];
    let items = items_of(scribe, place, &envelope(content, own), parts.into_iter(), |blocks, run, part| {
        push_part(blocks, run, part);
    });
    if items.is_empty() && is_model && place != "reply" {
        return vec![empty_reply(scribe, place, envelope(content, own))];
    }
    items
}

fn run_of(is_model: bool, part: Value<'_>) -> Run {
    let [thought, response, snake, text] =
        part.fields(["thought", "functionResponse", "function_response", "text"]);
    if is_model {
        let is_thought = thought.is_some_and(|thought| thought.kind() == Kind::Bool(true));
        return if is_thought { Run::Reasoning } else { Run::Reply };
    }
    if response.or(snake).is_some() { Run::Result } else { Run::of_text(text) }
}

fn push_part(blocks: &mut Blocks<'_, '_>, run: Run, part: Value<'_>) {
    let [text, call, response, inline, file, code, executed] = part.fields([
        "text",
        "functionCall",
        "functionResponse",
        "inlineData",
        "fileData",
        "executableCode",
        "codeExecutionResult",
    ]);
    let [call_snake, response_snake, inline_snake, file_snake] =
        part.fields(["function_call", "function_response", "inline_data", "file_data"]);
    if let Some(call) = call.or(call_snake) {
        let [id, name, args] = call.fields(["id", "name", "args"]);
        let id = ToolCallId::new(blocks.notes.text(id, "functionCall.id").unwrap_or_default());
        let name = blocks.notes.required_text(name, "functionCall.name");
        let (call, text) = call_of(id, &name, args);
        return blocks.push(BlockKind::Call(call), text, whole(part));
    }
    if let Some(response) = response.or(response_snake) {
        return push_response(blocks, response);
    }
    if let Some(data) = inline.or(inline_snake).or(file).or(file_snake) {
        let [camel, snake] = data.fields(["mimeType", "mime_type"]);
        let kind =
            camel.or(snake).and_then(Value::text).map(|kind| kind.value.into_owned()).unwrap_or_default();
        if kind.starts_with("image/") {
            return push_image(blocks, part);
        }
        // How large another file is, only the provider knows.
        return blocks.push(BlockKind::Opaque, String::new(), whole(part));
    }
    if let Some(code) = code {
        return push_text_part(
            blocks,
            BlockKind::Text,
            part,
            code.fields(["code"])[0],
            "executableCode.code",
        );
    }
    if let Some(executed) = executed {
        let output = executed.fields(["output"])[0];
        let text = blocks.notes.text(output, "codeExecutionResult.output").unwrap_or_default().into_owned();
        return blocks.push(BlockKind::Text, text, whole(part));
    }
    match text {
        Some(text) => {
            let kind = if run == Run::Reasoning { BlockKind::Reasoning } else { BlockKind::Text };
            push_text_part(blocks, kind, part, Some(text), "text");
        }
        None => push_unknown(blocks, part),
    }
}

/// Adds a result: the text under `output` or `error`, else the whole response as JSON.
fn push_response(blocks: &mut Blocks<'_, '_>, response: Value<'_>) {
    let [id, name, answer] = response.fields(["id", "name", "response"]);
    let call = ToolCallId::new(blocks.notes.text(id, "functionResponse.id").unwrap_or_default());
    let name = blocks.notes.text(name, "functionResponse.name").map(Into::into);
    let fields = answer.map_or([None; 2], |answer| answer.fields(["output", "error"]));
    let is_only = answer.is_some_and(|answer| answer.members().count() == 1);
    let [output, error] = fields;
    let only = output.or(error).filter(|text| is_only && text.kind() == Kind::Text);
    let text = match (only, answer) {
        (Some(only), _) => blocks.notes.required_text(Some(only), "functionResponse.response").into_owned(),
        (None, Some(answer)) => js_json(answer.raw()),
        (None, None) => String::new(),
    };
    let raw = answer.map(|answer| around_text(answer, only)).unwrap_or_default();
    let ok = error.is_none_or(Value::is_null);
    blocks.push(BlockKind::Result(ToolResult { call, name, ok, mark: None }), text, raw);
}
