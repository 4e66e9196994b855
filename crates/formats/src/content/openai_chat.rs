//! Messages of the OpenAI Chat Completions API, in requests and in trajectories of SWE-agent and
//! mini-SWE-agent.
//!
//! `render/openai_chat.rs` writes them.

use cwl_engine::{BlockKind, ToolCallId};

use crate::blocks::{Blocks, call_of, call_of_free_text, call_of_text};
use crate::json::{JsonType, Value};

/// Fields that hold reasoning, depending on the model; pi stores the field's name as a signature.
pub(crate) const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

pub(crate) fn reasoning_of(message: Value<'_>) -> Option<Value<'_>> {
    message.fields(REASONING_FIELDS).into_iter().flatten().find(|reasoning| !reasoning.is_null())
}

pub(crate) fn parts_beside<'a>(message: Value<'a>) -> impl Iterator<Item = Value<'a>> {
    let [refusal, calls, function] = message.fields(["refusal", "tool_calls", "function_call"]);
    let calls = calls.into_iter().flat_map(Value::items);
    refusal.into_iter().chain(calls).chain(function).filter(|part| !part.is_null())
}

pub(crate) fn push_part(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    if part.kind() == JsonType::Text {
        return blocks.push_text(BlockKind::Text, part, Some(part), "content");
    }
    let [kind, text, refusal, function, custom, arguments] =
        part.fields(["type", "text", "refusal", "function", "custom", "arguments"]);
    match kind.and_then(Value::string).as_deref() {
        Some("text") => blocks.push_text(BlockKind::Text, part, text, "text"),
        Some("refusal") => blocks.push_text(BlockKind::Text, part, refusal, "refusal"),
        Some("image_url") => blocks.push_image(part),
        _ => match function.or(custom).or(arguments.map(|_| part)) {
            Some(function) => push_call(blocks, part, function),
            None => blocks.push_unknown(part),
        },
    }
}

fn push_call(blocks: &mut Blocks<'_, '_>, part: Value<'_>, function: Value<'_>) {
    let [name, arguments, input] = function.fields(["name", "arguments", "input"]);
    let id = ToolCallId::new(blocks.notes.text(part.get("id"), "tool_calls.id").unwrap_or_default());
    let name = blocks.notes.required_text(name, "function.name");
    let call = match (arguments.map(Value::kind), arguments, input) {
        (Some(JsonType::Object), ..) => call_of(id, &name, arguments),
        (Some(JsonType::Text), ..) => {
            call_of_text(id, &name, &blocks.notes.required_text(arguments, "function.arguments"))
        }
        (None, _, Some(_)) => {
            call_of_free_text(id, &name, &blocks.notes.required_text(input, "custom.input"))
        }
        _ => {
            blocks.notes.odd("function.arguments");
            call_of(id, &name, None)
        }
    };
    blocks.push_call(call, part);
}
