//! OpenAI's Chat Completions API, and the dumps LiteLLM writes.

use std::borrow::Cow;

use cwl_engine::{Author, BlockKind, Problem, ProblemKind, Role, ToolCallId, ToolResult, Usage};

use super::item::{Item, Scribe};
use super::parts::{PartRun, close_reply, empty_reply, items_of, tools_item};
use super::{ApiRequest, Body, Response, anthropic};
use crate::blocks::plain_message;
use crate::content::openai_chat::{parts_beside, push_part, reasoning_of};
use crate::content::parts_of;
use crate::document::DocumentLines;
use crate::json::{Fields, Value, is_json, owned};
use crate::notes::Notes;
use crate::payload::payload_around;
use crate::usage::usage_with_cache;

const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "function"];

pub(crate) fn is_body(body: Value<'_>) -> bool {
    let [messages, choices, object, format, info, steps] =
        body.fields(["messages", "choices", "object", "trajectory_format", "info", "steps"]);
    if format.or(info).or(steps).is_some() {
        return false;
    }
    let Some(messages) = messages.and_then(Value::list) else {
        if messages.is_none() && is_dump(body) {
            return true;
        }
        let is_completion = object.and_then(Value::string).is_some_and(|text| text == "chat.completion");
        return is_completion && choices.is_some();
    };
    messages.items().next().is_some_and(is_message) && !anthropic::is_body(body)
}

/// Returns true for a LiteLLM dump (`debug.json`) cut before `messages`: the same messages already appear as
/// `input`.
fn is_dump(body: Value<'_>) -> bool {
    let [call, trace, input] = body.fields(["litellm_call_id", "litellm_trace_id", "input"]);
    call.or(trace).is_some()
        && input.and_then(Value::list).is_some_and(|input| input.items().next().is_some_and(is_message))
}

fn is_message(message: Value<'_>) -> bool {
    let has_content = message.fields(["content", "tool_calls"]).iter().any(Option::is_some);
    has_content && ROLES.contains(&&*message.text_of("role"))
}

pub(crate) fn read_body(body: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Body> {
    let [messages, tools, functions, model, optional, original] =
        body.fields(["messages", "tools", "functions", "model", "optional_params", "original_response"]);
    let Some(messages) = messages.and_then(Value::list) else {
        return read_response(body, scribe, problems).map(Body::Response);
    };
    let inner = optional.and_then(|optional| optional.get("tools"));
    let tools = tools.or(functions).or(inner).into_iter().flat_map(Value::items);
    let head: Vec<Item> = tools_item(scribe, tools).into_iter().collect();
    let mut lines = DocumentLines::new(body, scribe.line);
    let items = (0..)
        .zip(messages.items())
        .flat_map(|(at, message)| {
            message_items(message, &format!("{at}"), &scribe.on_line(lines.line_of(message)), problems)
        })
        .collect();
    let reply = original.filter(|original| !original.is_null());
    let reply =
        reply.and_then(|original| read_dumped(original, &scribe.on_line(lines.line_of(original)), problems));
    Some(Body::Request(ApiRequest { head, items, model: owned(model), reply, ..ApiRequest::default() }))
}

fn read_dumped(original: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Response> {
    let text = original.string().filter(|text| is_json(text)).unwrap_or(Cow::Borrowed("null"));
    let body = Value::trusted(&text, 0);
    let found = read_response(body, scribe, problems).or_else(|| {
        match anthropic::read_body(body, scribe, problems) {
            Some(Body::Response(response)) => Some(response),
            _ => None,
        }
    });
    if found.is_none() {
        scribe.begin_notes("reply", problems).odd("original_response");
    }
    found
}

fn read_response(body: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Response> {
    let [choices, usage, model, id, created] = body.fields(["choices", "usage", "model", "id", "created"]);
    let message = choices?.items().next()?.get("message")?;
    let mut items = message_items(message, "reply", scribe, problems);
    let usage = read_usage(usage, &mut scribe.begin_notes("reply", problems));
    close_reply(&mut items, usage, owned(model).as_deref(), seconds_to_ms(created));
    Some(Response { items, id: owned(id) })
}

pub(crate) fn seconds_to_ms(value: Option<Value<'_>>) -> Option<i64> {
    let seconds = value?.number().filter(|seconds| seconds.is_finite())?;
    Some((seconds * 1000.0) as i64)
}

pub(crate) fn read_usage(usage: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let usage = Fields::parse(usage.and_then(Value::object)?);
    let prompt = usage.first_of(&["prompt_tokens", "input_tokens"]);
    let output = usage.first_of(&["completion_tokens", "output_tokens"]);
    let details = usage.first_of(&["prompt_tokens_details", "input_tokens_details"]);
    let prompt = notes.tokens(prompt, "usage.prompt_tokens").unwrap_or(0);
    let output = notes.tokens(output, "usage.completion_tokens").unwrap_or(0);
    let cached = details.and_then(|details| details.get("cached_tokens"));
    let cached = notes.tokens(cached, "usage.cached_tokens").unwrap_or(0);
    let details = usage.first_of(&["completion_tokens_details", "output_tokens_details"]);
    let reasoning = details.and_then(|details| details.get("reasoning_tokens"));
    let reasoning = notes.tokens(reasoning, "usage.reasoning_tokens").unwrap_or(0);
    Some(usage_with_cache(prompt, cached, output, reasoning))
}

pub(crate) fn message_items(
    message: Value<'_>,
    place: &str,
    scribe: &Scribe,
    problems: &mut Vec<Problem>,
) -> Vec<Item> {
    let [role, content, call_id, name] = message.fields(["role", "content", "tool_call_id", "name"]);
    let role = role.and_then(Value::string).unwrap_or_default();
    let envelope = payload_around(message, content);
    if role == "tool" || role == "function" {
        let item = scribe.make_item(place, 0, |blocks| {
            let call = ToolCallId::new(blocks.notes.text(call_id, "tool_call_id").unwrap_or_default());
            let name = blocks.notes.text(name, "name").map(Into::into);
            let result = ToolResult { call, name, ok: true, mark: None };
            blocks.push_result(result, message, content, "content");
            plain_message(Role::Tool, Author::Tool)
        });
        return vec![Item { envelope, ..item }];
    }
    scribe.check_content(place, content, "content", problems);
    let texts = parts_of(content).map(|(_, part)| part);
    if role != "assistant" {
        if !matches!(&*role, "system" | "developer" | "user") {
            let record = format!("message/{role}").into();
            scribe.begin_notes(place, problems).note(ProblemKind::UnknownRecord { record });
        }
        let run_of = |part: Value<'_>| match &*role {
            "system" | "developer" => PartRun::System,
            "user" => PartRun::of_part(part),
            _ => PartRun::Injected,
        };
        let parts = texts.map(|part| (run_of(part), part));
        return items_of(scribe, place, &envelope, parts, |blocks, _, part| push_part(blocks, part));
    }
    // Replies that only call tools have an empty text in some logs and no text in others.
    let texts = texts.filter(|text| text.string_body() != Some(""));
    let thoughts = reasoning_of(message).into_iter().map(|part| (PartRun::Reasoning, part));
    let parts = thoughts.chain(texts.chain(parts_beside(message)).map(|part| (PartRun::Reply, part)));
    let items = items_of(scribe, place, &envelope, parts, |blocks, run, part| match run {
        PartRun::Reasoning => {
            blocks.push_text(BlockKind::Reasoning, part, Some(part), "reasoning_content");
        }
        _ => push_part(blocks, part),
    });
    if items.is_empty() { vec![empty_reply(scribe, place, envelope)] } else { items }
}
