//! Bodies of the OpenAI Chat Completions API, and LiteLLM's dumps of them.

use cwl_engine::{BlockKind, Problem, ProblemKind, ToolCallId, Usage};

use super::item::{Item, Scribe};
use super::parts::{
    Run, close_reply, empty_reply, envelope, items_of, parts_of, push_image, push_result, push_text_part,
    push_unknown, text_member, tools_item, usage_with_cache,
};
use super::{Body, Request, Response, anthropic};
use crate::blocks::{Blocks, call_of, call_of_text};
use crate::json::{Kind, Value, is_json};
use crate::notes::Notes;
use crate::payload::whole;

const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "function"];

/// Tells whether a body, which may be cut at its end, is of this API.
pub(crate) fn recognises(body: Value<'_>) -> bool {
    let [messages, choices, object, format, info, steps] =
        body.fields(["messages", "choices", "object", "trajectory_format", "info", "steps"]);
    if format.or(info).or(steps).is_some() {
        return false;
    }
    let Some(messages) = messages.filter(|messages| messages.kind() == Kind::List) else {
        let is_completion = object.and_then(Value::text).is_some_and(|text| text.value == "chat.completion");
        return is_completion && choices.is_some();
    };
    let first = messages.items().next();
    let is_message = first.is_some_and(|message| {
        let has_content = message.fields(["content", "tool_calls"]).iter().any(Option::is_some);
        has_content && ROLES.contains(&text_member(message, "role").as_str())
    });
    is_message && !anthropic::recognises(body)
}

/// Reads a body; `None` where it is neither a request nor a response.
pub(super) fn read(body: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Body> {
    let [messages, tools, functions, model, optional, original] =
        body.fields(["messages", "tools", "functions", "model", "optional_params", "original_response"]);
    let model = model.and_then(Value::text).map(|model| model.value.into_owned());
    let Some(messages) = messages.filter(|messages| messages.kind() == Kind::List) else {
        return response(body, scribe, problems).map(Body::Response);
    };
    let inner = optional.and_then(|optional| optional.fields(["tools"])[0]);
    let tools = tools.or(functions).or(inner).into_iter().flat_map(Value::items);
    let head: Vec<Item> = tools_item(scribe, tools).into_iter().collect();
    let items = (0..)
        .zip(messages.items())
        .flat_map(|(at, message)| message_items(message, &format!("{at}"), scribe, problems))
        .collect();
    let reply = original.filter(|original| !original.is_null());
    let reply = reply.and_then(|original| dumped(original, scribe, problems));
    Some(Body::Request(Request { head, items, model, previous: None, reply }))
}

/// Reads the answer that LiteLLM dumps as a string: the provider's own JSON.
fn dumped(original: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Response> {
    let text = original.text().map(|text| text.value.into_owned()).unwrap_or_default();
    let found = if is_json(&text) {
        let body = Value::trusted(&text, 0);
        response(body, scribe, problems).or_else(|| match anthropic::read(body, scribe, problems) {
            Some(Body::Response(response)) => Some(response),
            _ => None,
        })
    } else {
        None
    };
    if found.is_none() {
        scribe.notes("reply", problems).odd("original_response");
    }
    found
}

/// Reads a completion: its first choice.
pub(crate) fn response(body: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Response> {
    let [choices, usage, model, id, created] = body.fields(["choices", "usage", "model", "id", "created"]);
    let message = choices?.items().next()?.fields(["message"])[0]?;
    let mut items = message_items(message, "reply", scribe, problems);
    let usage = read_usage(usage, &mut scribe.notes("reply", problems));
    let model = model.and_then(Value::text).map(|model| model.value.into_owned());
    close_reply(&mut items, usage, model.as_deref(), seconds(created), || {
        empty_reply(scribe, "reply", whole(message))
    });
    Some(Response { items, id: id.and_then(Value::text).map(|id| id.value.into_owned()) })
}

/// Reads a number of seconds since 1970 as milliseconds.
pub(crate) fn seconds(value: Option<Value<'_>>) -> Option<i64> {
    let seconds = value?.number().filter(|seconds| seconds.is_finite())?;
    Some((seconds * 1000.0) as i64)
}

/// Reads the usage of a completion, or of a response that names its tokens otherwise.
pub(crate) fn read_usage(usage: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let usage = usage.filter(|usage| usage.kind() == Kind::Object)?;
    let [prompt, input, completion, output, of_prompt, of_input] = usage.fields([
        "prompt_tokens",
        "input_tokens",
        "completion_tokens",
        "output_tokens",
        "prompt_tokens_details",
        "input_tokens_details",
    ]);
    let details = of_prompt.or(of_input).map(|details| details.fields(["cached_tokens"])[0]);
    let prompt = notes.count(prompt.or(input), "usage.prompt_tokens").unwrap_or(0);
    let output = notes.count(completion.or(output), "usage.completion_tokens").unwrap_or(0);
    let cached = notes.count(details.flatten(), "usage.cached_tokens").unwrap_or(0);
    Some(usage_with_cache(prompt, cached, output))
}

/// Reads one message.
pub(crate) fn message_items(
    message: Value<'_>,
    place: &str,
    scribe: &Scribe,
    problems: &mut Vec<Problem>,
) -> Vec<Item> {
    let [role, content, reasoning, thought, calls, function, refusal, call_id, name] = message.fields([
        "role",
        "content",
        "reasoning_content",
        "reasoning",
        "tool_calls",
        "function_call",
        "refusal",
        "tool_call_id",
        "name",
    ]);
    let role = role.and_then(Value::text).map(|role| role.value.into_owned()).unwrap_or_default();
    let envelope = envelope(message, content);
    if role == "tool" || role == "function" {
        let item = scribe.item(place, 0, |blocks| {
            let call = blocks.notes.text(call_id, "tool_call_id").unwrap_or_default();
            let name = blocks.notes.text(name, "name");
            push_result(blocks, &call, name.as_deref(), true, content);
            crate::blocks::Frame::plain(cwl_engine::Role::Tool, cwl_engine::Author::Tool)
        });
        return vec![Item { envelope, ..item }];
    }
    let texts = parts_of(content, || scribe.notes(place, problems).odd("content"));
    if role != "assistant" {
        let is_system = role == "system" || role == "developer";
        if !is_system && role != "user" {
            let record = format!("message/{role}").into();
            scribe.notes(place, problems).note(ProblemKind::UnknownRecord { record });
        }
        let parts = texts.map(|part| {
            let text = if part.kind() == Kind::Text { Some(part) } else { part.fields(["text"])[0] };
            let run = match role.as_str() {
                "system" | "developer" => Run::System,
                "user" => Run::of_text(text),
                _ => Run::Injected,
            };
            (run, part)
        });
        return items_of(scribe, place, &envelope, parts, |blocks, _, part| push_part(blocks, part));
    }
    // A reply that only calls has an empty text in some logs and none in others.
    let texts = texts.filter(|text| text.string_body() != Some(""));
    let thoughts = reasoning.or(thought).filter(|reasoning| !reasoning.is_null()).into_iter();
    let refusal = refusal.filter(|refusal| !refusal.is_null()).into_iter();
    let calls = calls.into_iter().flat_map(Value::items).chain(function.filter(|call| !call.is_null()));
    let parts = thoughts
        .map(|part| (Run::Reasoning, part))
        .chain(texts.chain(refusal).chain(calls).map(|part| (Run::Reply, part)));
    let items = items_of(scribe, place, &envelope, parts, |blocks, run, part| match run {
        Run::Reasoning => push_text_part(blocks, BlockKind::Reasoning, part, Some(part), "reasoning_content"),
        _ => push_part(blocks, part),
    });
    if items.is_empty() && place != "reply" {
        return vec![empty_reply(scribe, place, envelope)];
    }
    items
}

fn push_part(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    if part.kind() == Kind::Text {
        return push_text_part(blocks, BlockKind::Text, part, Some(part), "content");
    }
    let [text, refusal, id, function, custom, arguments] =
        part.fields(["text", "refusal", "id", "function", "custom", "arguments"]);
    let kind = text_member(part, "type");
    match kind.as_str() {
        "text" => push_text_part(blocks, BlockKind::Text, part, text, "text"),
        "refusal" => push_text_part(blocks, BlockKind::Text, part, refusal, "refusal"),
        "image_url" => push_image(blocks, part),
        _ if function.is_some() || custom.is_some() || arguments.is_some() => {
            let id = ToolCallId::new(blocks.notes.text(id, "tool_calls.id").unwrap_or_default());
            let own = function.or(custom).unwrap_or(part);
            let [name, arguments, input] = own.fields(["name", "arguments", "input"]);
            let name = blocks.notes.required_text(name, "function.name");
            let (call, text) = match arguments.or(input).map(|arguments| (arguments.kind(), arguments)) {
                Some((Kind::Text, arguments)) => {
                    let arguments = blocks.notes.required_text(Some(arguments), "function.arguments");
                    call_of_text(id, &name, &arguments)
                }
                Some((Kind::Object, arguments)) => call_of(id, &name, Some(arguments)),
                _ => {
                    blocks.notes.odd("function.arguments");
                    call_of(id, &name, None)
                }
            };
            blocks.push(BlockKind::Call(call), text, whole(part));
        }
        _ => push_unknown(blocks, part),
    }
}
