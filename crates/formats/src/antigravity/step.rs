use std::sync::Arc;

use cwl_engine::{Author, BlockKind, EntryId, Message, MessageForm, Role, ToolCallId, ToolResult, Usage};

use crate::blocks::{Blocks, ReadMessage, call_of, formed_message, plain_message};
use crate::content::{parts_of, result_content};
use crate::json::{JsonType, Object, Value, is_json, owned, quoted};
use crate::notes::Notes;
use crate::payload::around_text;
use crate::usage::count_paths;
use crate::wrapped::tagged_runs;

#[derive(Clone)]
pub(super) struct PendingCall {
    id: ToolCallId,
    name: Arc<str>,
}

fn injected(name: &str) -> Message {
    formed_message(Role::User, Author::Harness, MessageForm::Custom { name: name.into() })
}

fn whole(content: Option<Value<'_>>, frame: Message, notes: &mut Notes<'_>) -> ReadMessage {
    let mut blocks = Blocks::new(0, notes);
    if let Some(content) = content {
        blocks.push_text(BlockKind::Text, content, Some(content), "content");
    }
    blocks.into_message(frame)
}

pub(super) fn read_note(content: Option<Value<'_>>, name: &str, notes: &mut Notes<'_>) -> ReadMessage {
    whole(content, injected(&name.to_lowercase()), notes)
}

pub(super) fn read_summary(content: Option<Value<'_>>, notes: &mut Notes<'_>) -> ReadMessage {
    whole(content, formed_message(Role::User, Author::Harness, MessageForm::Summary), notes)
}

/// The human's words stand between tags, and behind them settings that changed.
pub(super) fn read_request(
    content: Option<Value<'_>>,
    notes: &mut Notes<'_>,
) -> Vec<(&'static str, ReadMessage)> {
    tagged_runs(content, "USER_REQUEST", notes)
        .unwrap_or_else(|| vec![("", whole(content, plain_message(Role::User, Author::Human), notes))])
}

pub(super) fn selected_model(text: &str) -> Option<&str> {
    let (_, change) = text.split_once("`Model Selection` from ")?;
    let (_, model) = change.lines().next()?.split_once(" to ")?;
    let model = model.trim().trim_end_matches('.');
    (!model.is_empty()).then_some(model)
}

pub(super) fn read_planner(
    step: Value<'_>,
    entry: &EntryId,
    notes: &mut Notes<'_>,
) -> (ReadMessage, Vec<PendingCall>) {
    let [thinking, content, calls] = step.fields(["thinking", "content", "tool_calls"]);
    let is_filled = |value: &Value<'_>| value.string_body() != Some("") && !value.is_null();
    let usage = read_usage(step, notes);
    let mut blocks = Blocks::new(0, notes);
    if let Some(text) = thinking.filter(is_filled) {
        blocks.push_text(BlockKind::Reasoning, text, Some(text), "thinking");
    }
    if let Some(text) = content.filter(is_filled) {
        blocks.push_text(BlockKind::Text, text, Some(text), "content");
    }
    let calls = calls.filter(|calls| !calls.is_null());
    if calls.is_some_and(|calls| calls.kind() != JsonType::List) {
        blocks.notes.odd("tool_calls");
    }
    let mut pending = Vec::new();
    for (number, call) in parts_of(calls.filter(|calls| calls.kind() == JsonType::List)) {
        let [name, arguments] = call.fields(["name", "args"]);
        let id = ToolCallId::new(format!("{entry}.{}", number + 1));
        let name = blocks.notes.required_text(name, "tool_calls.name").into_owned();
        let arguments = arguments.map(decoded_arguments);
        let arguments = arguments.as_deref().map(|json| Value::trusted(json, 0));
        blocks.push_call(call_of(id.clone(), &name, arguments), call);
        pending.push(PendingCall { id, name: name.as_str().into() });
    }
    let frame = Message { usage, ..plain_message(Role::Assistant, Author::Model) };
    (blocks.into_message(frame), pending)
}

/// Logs of Google's Python package have the tokens of each reply.
fn read_usage(step: Value<'_>, notes: &mut Notes<'_>) -> Option<Usage> {
    let paths = ["input_tokens", "cache_read_tokens", "output_tokens"];
    let [input, cache_read, output] = count_paths(step, paths, notes);
    let usage = Usage { input, cache_read, output, ..Usage::default() };
    (!usage.is_empty()).then_some(usage)
}

/// The log has each argument as the text of its JSON.
fn decoded_arguments(arguments: Value<'_>) -> String {
    let decoded = arguments.members().fold(Object::new(), |object, (key, value)| {
        let key = owned(Some(key)).unwrap_or_default();
        match owned(Some(value)) {
            Some(text) if is_json(&text) => object.json(&key, text.trim()),
            Some(text) => object.json(&key, &quoted(&text)),
            None => object.json(&key, value.raw()),
        }
    });
    if arguments.kind() == JsonType::Object { decoded.done() } else { arguments.raw().to_owned() }
}

pub(super) fn read_result(
    step: Value<'_>,
    content: Option<Value<'_>>,
    call: PendingCall,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    let [kind, status] = step.fields(["type", "status"]).map(|value| owned(value).unwrap_or_default());
    let content = content.or_else(|| step.get("error"));
    let ok = status != "ERROR" && kind != "ERROR_MESSAGE";
    let result = ToolResult { call: call.id, name: Some(call.name), ok, mark: None };
    let mut blocks = Blocks::new(0, notes);
    let (images, mut read) = result_content(content, None, "content", &mut blocks);
    if let Some(content) = content {
        read.raw = around_text(content, Some(content));
    }
    blocks.push_with_images(BlockKind::Result(result), images, read.text, read.raw);
    blocks.into_message(plain_message(Role::Tool, Author::Tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_texts_of_json() {
        let check = |arguments: &str, expected: &str| {
            assert_eq!(decoded_arguments(Value::trusted(arguments, 0)), expected);
        };
        check(
            r#"{"Path":"\"/tmp\"","Lines":"[1, 2]","Plain":"as it is","N":3}"#,
            r#"{"Path":"/tmp","Lines":[1, 2],"Plain":"as it is","N":3}"#,
        );
        check("{}", "{}");
        check("7", "7");
    }

    #[test]
    fn models_are_told_by_a_change_of_settings() {
        let text = "<USER_SETTINGS_CHANGE>\nThe user changed setting `Model Selection` from None to Tide 3 (Medium).\n</USER_SETTINGS_CHANGE>";
        assert_eq!(selected_model(text), Some("Tide 3 (Medium)"));
        assert_eq!(selected_model("from a to b"), None);
        assert_eq!(selected_model("`Model Selection` from "), None);
    }
}
