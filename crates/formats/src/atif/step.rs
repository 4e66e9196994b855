use cwl_engine::{
    Author, BlockKind, Content, Message, ParsedEvent, Problem, Role, ToolCallId, ToolResult, Usage,
};

use crate::blocks::{Blocks, MAX_PARTS, plain_message};
use crate::bodies::item::{Item, Scribe};
use crate::content::{check_content, parts_of, result_content};
use crate::json::{JsonType, Value};
use crate::notes::Notes;
use crate::payload::whole_payload;
use crate::time::time_of;
use crate::usage::{count_paths, usage_with_cache};

pub(super) enum AtifStep {
    Items { items: Vec<Item>, is_copied: bool },
    Unknown(Box<ParsedEvent>),
}

/// `nth` is counted from 1.
pub(super) fn read_step(step: Value<'_>, nth: u64, scribe: &Scribe, problems: &mut Vec<Problem>) -> AtifStep {
    let [id, copied, timestamp, observation, calls] =
        step.fields(["step_id", "is_copied_context", "timestamp", "observation", "tool_calls"]);
    // Two steps may have the same id, so the position identifies a step.
    let stated = id.and_then(|id| id.raw().parse::<u64>().ok());
    let place = nth.to_string();
    if stated != Some(nth) {
        scribe.begin_notes(&place, problems).odd("step_id");
    }
    let is_copied = scribe.begin_notes(&place, problems).flag(copied, "is_copied_context");
    let source = step.text_of("source");
    let frame = match &*source {
        "system" => plain_message(Role::System, Author::Harness),
        "user" => plain_message(Role::User, Author::Human),
        "agent" => plain_message(Role::Assistant, Author::Model),
        unknown => {
            let body = scribe.begin_notes(&place, problems).unknown(format!("step/{unknown}"));
            return AtifStep::Unknown(Box::new(scribe.make_event(&place, body, whole_payload(step))));
        }
    };
    let calls = calls.and_then(Value::list);
    let timestamp = timestamp.filter(|timestamp| !timestamp.is_null());
    let at_ms = scribe.begin_notes(&place, problems).time(timestamp, "timestamp", time_of);
    let is_agent = frame.role == Role::Assistant;
    let mut call_ids: Vec<ToolCallId> = Vec::new();
    let item = scribe.make_item(&place, 0, |blocks| step_message(step, calls, frame, &mut call_ids, blocks));
    let mut items = vec![Item { envelope: whole_payload(step), ..item }];
    let results = observation.and_then(|observation| observation.get("results"));
    if let Some(results) = results.and_then(Value::list) {
        items.extend(observed_results(results, &call_ids, is_agent, &place, scribe));
    }
    items.iter_mut().for_each(|item| item.at_ms = at_ms);
    AtifStep::Items { items, is_copied }
}

fn step_message(
    step: Value<'_>,
    calls: Option<Value<'_>>,
    frame: Message,
    call_ids: &mut Vec<ToolCallId>,
    blocks: &mut Blocks<'_, '_>,
) -> Message {
    let [content, reasoning, metrics, model] =
        step.fields(["message", "reasoning_content", "metrics", "model_name"]);
    if let Some(reasoning) = reasoning.filter(|reasoning| !reasoning.is_null()) {
        blocks.push_text(BlockKind::Reasoning, reasoning, Some(reasoning), "reasoning_content");
    }
    check_content(content, "message", blocks.notes);
    for (_, part) in parts_of(content) {
        let [kind, text] = part.fields(["type", "text"]);
        match (part.kind(), kind.and_then(Value::string).as_deref()) {
            // An agent that only calls tools has an empty message.
            (JsonType::Text, _) if part.string_body() == Some("") => {}
            (JsonType::Text, _) => blocks.push_text(BlockKind::Text, part, Some(part), "message"),
            (_, Some("text")) => blocks.push_text(BlockKind::Text, part, text, "text"),
            (_, Some("image")) => blocks.push_image(part),
            _ => blocks.push_unknown(part),
        }
    }
    for (_, call) in (0..MAX_PARTS).zip(calls.into_iter().flat_map(Value::items)) {
        call_ids.push(blocks.push_call_at(call, ["tool_call_id", "function_name", "arguments"]));
    }
    let model = blocks.notes.text(model, "model_name").map(Into::into);
    let usage = metrics.and_then(|metrics| read_usage(metrics, blocks.notes));
    if frame.role == Role::Assistant { Message { model, usage, ..frame } } else { frame }
}

/// `prompt_tokens` already includes `cached_tokens`.
fn read_usage(metrics: Value<'_>, notes: &mut Notes<'_>) -> Option<Usage> {
    let prompt = notes.tokens(metrics.get("prompt_tokens"), "metrics.prompt_tokens")?;
    let paths = ["metrics.completion_tokens", "metrics.cached_tokens"];
    let [completion, cached] = count_paths(metrics, paths, notes);
    Some(usage_with_cache(prompt, cached, completion, 0))
}

/// Reads the results of a step's calls.
///
/// A result with `source_call_id` answers this call. The n-th result without an id answers the n-th
/// unanswered call. If fewer results than calls are left, the last result answers the last call (one screen
/// after several keystrokes) and the skipped calls get an empty result.
fn observed_results(
    results: Value<'_>,
    calls: &[ToolCallId],
    is_agent: bool,
    place: &str,
    scribe: &Scribe,
) -> Option<Item> {
    let results: Vec<Value<'_>> = results.items().take(MAX_PARTS as usize).collect();
    if results.is_empty() {
        return None;
    }
    if !is_agent || calls.is_empty() {
        return Some(scribe.make_item(format!("{place}/observation"), 0, |blocks| {
            for result in results {
                let content = result.get("content");
                let (images, Content { text, raw }) = result_content(content, None, "content", blocks);
                blocks.push_with_images(BlockKind::Text, images, text, raw);
            }
            plain_message(Role::User, Author::Harness)
        }));
    }
    Some(scribe.make_item(format!("{place}/results"), 0, |blocks| {
        let named: Vec<Option<ToolCallId>> = results
            .iter()
            .map(|result| blocks.notes.text(result.get("source_call_id"), "source_call_id"))
            .map(|id| id.map(ToolCallId::new))
            .collect();
        let known: std::collections::BTreeSet<&ToolCallId> = named.iter().flatten().collect();
        let mut left = calls.iter().filter(|call| !known.contains(call));
        let mut n_unnamed = named.iter().filter(|id| id.is_none()).count();
        let n_left = left.clone().count();
        let mut skipped = n_left.saturating_sub(n_unnamed);
        for (result, id) in results.iter().zip(&named) {
            let call = match id {
                Some(id) => id.clone(),
                None => {
                    if n_unnamed == 1 {
                        for call in left.by_ref().take(std::mem::take(&mut skipped)) {
                            push_result(blocks, call.clone(), *result, None);
                        }
                    }
                    n_unnamed -= 1;
                    let content = result.get("content");
                    match left.next() {
                        Some(call) => call.clone(),
                        None if content.is_none_or(Value::is_null) => continue,
                        None => ToolCallId::new(format!("{place}/{}", blocks.next)),
                    }
                }
            };
            push_result(blocks, call, *result, result.get("content"));
        }
        plain_message(Role::Tool, Author::Tool)
    }))
}

fn push_result(blocks: &mut Blocks<'_, '_>, call: ToolCallId, part: Value<'_>, content: Option<Value<'_>>) {
    let result = ToolResult { call, name: None, ok: true, mark: None };
    blocks.push_result(result, part, content, "content");
}
